//! Phrases by which a text gives orders to a model.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[Rule::injection(
    "instruction-phrase",
    "A phrase that tells the model to forget its instructions or to reveal them.",
    Finder::Anchored {
        anchors: &[
            "ignore",
            "disregard",
            "forget",
            "override",
            "bypass",
            "not follow",
            "n't follow",
            "stop following",
            "discard",
            "set aside",
            "put aside",
            "pay no attention",
            "supersede",
            "have to follow",
            "need to follow",
            "longer follow",
            "abaikan",
            "ignorera",
            "ignoruj",
            "bỏ qua",
            "talimatları yok say",
            "talimatları görmezden",
            "talimatları unut",
            "تجاهل",
            "ignoriere",
            "ignorieren",
            "vergiss",
            "ignora",
            "olvida",
            "ignorez",
            "ignore ",
            "oubliez",
            "oublie",
            "ignorar",
            "ignorá",
            "esqueça",
            "dimentica",
            "negeer",
            "vergeet",
            "игнорируй",
            "Игнорируй",
            "Забудь",
            "забудь",
            "zignoruj",
            "忽略",
            "忽視",
            "无视",
            "無視",
            "忘记",
            "忘れ",
            "무시",
            "忘掉",
            "忘記",
            "忽视",
            "vergesst",
            "vergessen sie",
            "esquece",
            "esqueca",
            "ignorem",
            "olvide",
            "olvidad",
            "dimenticate",
            "dimenticati",
            "ignorate",
            "zapomnij",
            "भूल जा",
            "अनदेखा",
            "नज़रअंदाज",
            "नजरअंदाज",
        ],
        find: orders,
    },
)
.leads(&[
    ("ignore", 9),
    ("disregard", 9),
    ("discard", 9),
    ("aside", 9),
    ("set", 1),
    ("put", 1),
    ("pay", 3),
    ("attention", 8),
    ("abaikan", 8),
    ("ignorera", 8),
    ("ignoruj", 8),
    ("bỏ", 10),
    ("önceki", 6),
    ("talimatları", 4),
    ("تجاهل", 8),
    ("forget", 9),
    ("override", 8),
    ("bypass", 8),
    ("not", 1),
    ("t", 1),
    ("follow", 5),
    ("following", 5),
    ("ignoring", 8),
    ("disregarding", 8),
    ("forgetting", 8),
    ("overriding", 8),
    ("ignoriere", 8),
    ("ignorieren", 8),
    ("vergiss", 8),
    ("ignora", 8),
    ("olvida", 8),
    ("ignorez", 8),
    ("oubliez", 8),
    ("oublie", 8),
    ("ignorar", 8),
    ("esqueça", 8),
    ("dimentica", 8),
    ("negeer", 8),
    ("vergeet", 8),
    ("игнорируй", 7),
    ("забудь", 7),
    ("игнорируйте", 7),
    ("забудьте", 7),
    ("zignoruj", 7),
    ("忽", 24),
    ("无", 16),
    ("無", 16),
    ("忘", 24),
    ("前", 24),
    ("以", 24),
    ("こ", 40),
    ("指", 24),
    ("이전", 6),
    ("모든", 6),
    ("need", 3),
    ("supersedes", 7),
    ("supersede", 7),
    ("superseded", 7),
    ("vergesst", 8),
    ("vergessen", 8),
    ("esquece", 8),
    ("esqueca", 8),
    ("ignorem", 8),
    ("olvide", 8),
    ("olvidad", 8),
    ("dimenticate", 8),
    ("dimenticati", 8),
    ("ignorate", 8),
    ("zapomnij", 8),
    ("पहले", 9),
    ("पिछले", 9),
    ("सभी", 9),
    ("ऊपर", 9),
])];

/// How far the order may go on.
const REACH: usize = 90;

/// What is to be forgotten.
const WHAT: &[&str] = &[
    "instruction",
    "prompt",
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "rules",
    "guideline",
    "directive",
    "everything",
    "training",
    "programming",
    "safety",
    "restriction",
    "filter",
    "polic",
    "anweisung",
    "vorherige",
    "bisherige",
    "regeln",
    "instrucciones",
    "anterior",
    "previa",
    "consignes",
    "précédent",
    "instrucoes",
    "instruções",
    "istruzioni",
    "precedenti",
    "instructies",
    "eerdere",
    "предыдущ",
    "инструкц",
    "instrukcje",
    "poprzedni",
    "指令",
    "指示",
    "提示",
    "之前",
    "以前",
    "先前",
    "上面",
    "規則",
    "规则",
    "지시",
    "이전",
    "명령",
    "what you were told",
    "what i said",
    "you were told",
    "ethic",
    "system",
    "safeguard",
    "protocol",
    "constraint",
    "content polic",
];

/// Words that make it an order about the talk itself.
const WHOSE: &[&str] = &[
    "all",
    "any",
    "previous",
    "prior",
    "above",
    "earlier",
    "preceding",
    "your",
    "these",
    "those",
    "the ",
    "my ",
    "every",
    "alle",
    "alles",
    "todas",
    "todo",
    "toutes",
    "tous",
    "todos",
    "tutte",
    "vorherige",
    "bisherige",
    "anterior",
    "précédent",
    "все",
    "wszystk",
    "之前",
    "以前",
    "先前",
    "所有",
    "上面",
    "あなた",
    "これまで",
    "前",
    "이전",
    "모든",
    "alle ",
    "las ",
    "les ",
    "le ",
    "die ",
    "as ",
    "os ",
    "eerdere",
    "предыдущ",
    "poprzedni",
    "what",
    "semua",
    "alla ",
    "todas",
    "všechny",
    "obigen",
    "user's",
];

fn orders(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let before = &text[..anchor.start];
    if before.ends_with(|letter: char| {
        letter.is_ascii_alphabetic() || matches!(letter, '.' | '-' | '_' | '/')
    }) && !before.ends_with("\\n")
    {
        return None;
    }
    // In Japanese, Korean and Hindi the verb comes last.
    let is_devanagari = text[anchor.clone()].starts_with(['भ', 'अ', 'न']);
    let back = match (text[anchor.clone()].is_ascii(), is_devanagari) {
        (true, _) => 0,
        (false, true) => 2 * REACH,
        (false, false) => REACH / 2,
    };
    let start = text.ceil_char_boundary(anchor.start.saturating_sub(back));
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let near = text[start..end].to_lowercase().replace('\n', " ");
    let sentence = near.split(['.', '!', '?', ';']).next().unwrap_or(&near);
    let sentence = if text[anchor.clone()].is_ascii() {
        sentence
    } else {
        &near
    };
    let strong = [
        "instruction",
        "prompt",
        "directive",
        "guideline",
        "anweisung",
        "instrucciones",
        "consignes",
        "instruções",
        "istruzioni",
        "instructies",
        "инструкц",
        "instrukcje",
        "指令",
        "指示",
        "提示",
        "지시",
        "명령",
        "told",
        "programming",
        "restriction",
        "safety",
        "ethic",
        "content polic",
        "training",
        "safeguard",
        "rules",
        "commands",
        "directions",
        "every rule",
        "rule that you",
        "you were given",
        "the user's question",
        "the user's request",
        "everything else",
        "vorgaben",
        "regeln",
        "reglas",
        "règles",
        "regole",
        "regras",
        "правил",
        "zasady",
        "regels",
        "pokyny",
        "instruksi",
        "instruktioner",
        "hướng dẫn",
        "talimat",
        "التعليمات",
    ];
    let mark = text[anchor.clone()].to_ascii_lowercase();
    if !is_possible(&mark, before, sentence) {
        return None;
    }
    let is_wide = !text[anchor.clone()].is_ascii();
    // Most words have a letter that the sentence lacks, and need no search.
    let mut seen = [false; 256];
    sentence
        .bytes()
        .for_each(|byte| seen[usize::from(byte)] = true);
    let may_have = |word: &str| word.bytes().all(|byte| seen[usize::from(byte)]);
    let has = |words: &[&str]| {
        words
            .iter()
            .any(|word| may_have(word) && sentence.contains(word))
    };
    let is_order = has(&strong) && (has(WHOSE) || is_wide)
        || sentence.contains("everything")
            && ["above", "before", "previous", "told", "prior", "said"]
                .iter()
                .any(|word| sentence.contains(word))
        || has(EARLIER) && has(BINDING) && !has(&["liability", "table", "figure"])
        || has(ALL) && has(SAID_BEFORE) && mark != "supersede"
        || is_wide && has(WHAT) && has(WHOSE)
        || [
            "all previous",
            "all prior",
            "the above",
            "all of the above",
            "previous text",
            "previous message",
            "previous conversation",
            "all the above",
        ]
        .iter()
        .any(|words| sentence.contains(words))
            && ![
                "warning", "error", "setting", "flag", "value", "version", "release", "change",
            ]
            .iter()
            .any(|word| sentence.contains(word));
    // Whoever reports a bug about ignored files says the same words of other things.
    let is_technical = [
        "ignored",
        "ignores",
        "ignorecase",
        "ignore_",
        "ignore-",
        "gitignore",
        "eslint-",
        "noqa",
        "ignore:",
        "ignore[",
        "forgets",
        "forgetting factor",
    ]
    .iter()
    .any(|word| sentence.starts_with(word));
    let stop = start + near_length(&text[start..end], sentence.len());
    (is_order && !is_technical).then_some(anchor.start..stop.max(anchor.end))
}

/// What a talk binds a model with, where the words say that it was earlier.
const BINDING: &[&str] = &[
    "constraint",
    "limitation",
    "guidance",
    "orders",
    "safeguard",
];
const EARLIER: &[&str] = &[
    "previous",
    "prior ",
    "earlier",
    "preceding",
    "above",
    "your ",
    "existing",
];

/// Everything, and said before: the same order in other languages.
const ALL: &[&str] = &[
    "alles",
    "tudo",
    "tout ce",
    "todo lo",
    "todo cuanto",
    "tutto",
    "всё",
    "все, что",
    "все что",
    "wszystko",
    "所有",
    "一切",
    "全部",
    "सब",
    "सभी",
];
const SAID_BEFORE: &[&str] = &[
    "gesagt",
    "vorher",
    "bisher",
    "zuvor",
    "dito antes",
    "foi dito",
    "eu disse",
    "acima",
    "anterior",
    "a été dit",
    "ai dit",
    "précède",
    "plus haut",
    "se dijo",
    "he dicho",
    "se ha dicho",
    "te dije",
    "arriba",
    "detto",
    "precedente",
    "сказано",
    "сказал",
    "говорил",
    "раньше",
    "до этого",
    "выше",
    "wcześniej",
    "powyżej",
    "之前",
    "前面",
    "以上",
    "说过",
    "पहले",
    "पिछल",
    "कही",
    "ऊपर",
    "निर्देश",
];

/// Whether the words around can make it an order at all.
fn is_possible(mark: &str, before: &str, sentence: &str) -> bool {
    let start = before.floor_char_boundary(before.len().saturating_sub(24));
    let ahead = before[start..].to_lowercase();
    let is_about_talk = || {
        ["previous", "prior", "above", "earlier", "your", "system"]
            .iter()
            .any(|word| sentence.contains(word))
    };
    match mark {
        "have to follow" | "need to follow" | "longer follow" => {
            ["n't ", "not ", "no longer ", "no "]
                .iter()
                .any(|no| ahead.ends_with(no))
                && is_about_talk()
        }
        // Contracts and papers take the place of others of their kind.
        "supersede" => ["instruction", "prompt", "directive", "your rules"]
            .iter()
            .any(|word| sentence.contains(word)),
        // Something in print, and not the talk.
        _ => {
            is_about_talk()
                || ![
                    "printed",
                    "on page",
                    "on the box",
                    "on the label",
                    "on the package",
                    "in the manual",
                    "in the readme",
                    "in the tutorial",
                    "in the recipe",
                    "in section",
                    "in chapter",
                    "in step",
                ]
                .iter()
                .any(|place| sentence.contains(place))
        }
    }
}

/// Small letters may be longer than large ones; the end must lie in the text itself.
fn near_length(text: &str, length: usize) -> usize {
    text.floor_char_boundary(length.min(text.len()))
}
