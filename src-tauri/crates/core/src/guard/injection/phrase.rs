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
    // In Japanese and Korean the verb comes last.
    let start = if text[anchor.clone()].is_ascii() {
        anchor.start
    } else {
        text.ceil_char_boundary(anchor.start.saturating_sub(REACH / 2))
    };
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
    let is_wide = !text[anchor.clone()].is_ascii();
    let has = |words: &[&str]| words.iter().any(|word| sentence.contains(word));
    let is_order = has(&strong) && (has(WHOSE) || is_wide)
        || sentence.contains("everything")
            && ["above", "before", "previous", "told", "prior", "said"]
                .iter()
                .any(|word| sentence.contains(word))
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

/// Small letters may be longer than large ones; the end must lie in the text itself.
fn near_length(text: &str, length: usize) -> usize {
    text.floor_char_boundary(length.min(text.len()))
}
