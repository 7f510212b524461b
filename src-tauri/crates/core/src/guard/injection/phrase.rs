//! Phrases by which a text gives orders to a model, and marks by which it plays another role.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::injection(
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
    ]),
    Rule::injection(
        "role-play",
        "A phrase that gives the model another role without its rules.",
        Finder::Anchored {
            anchors: &[
                "you are now",
                "you're now",
                "from now on",
                "act as",
                "pretend",
                "developer mode",
                "dan mode",
                "do anything now",
                "jailbreak",
                "new instructions:",
                "new instructions",
                "your new task",
                "your real task",
                "your actual task",
                "your system prompt",
                "your system message",
                "your initial prompt",
                "your initial instructions",
                "your instructions",
                "system prompt",
                "the prompt above",
                "the text above",
                "the words above",
                "the instructions above",
                "the above prompt",
                "the above instructions",
                "the above text",
                "everything above",
                "hidden prompt",
                "new instruction:",
                "your guidelines",
                "important instructions",
                "no restrictions",
                "without restrictions",
                "without any restrictions",
                "without any filter",
                "unrestricted",
                "no ethical",
                "unfiltered",
                "no limitations",
                "freed from your",
                "no longer need to comply",
                "no longer bound by",
                "comply with your safety",
                "stay as dan",
            ],
            find: role,
        },
    )
    .leads(&[
        ("you", 2),
        ("re", 2),
        ("now", 9),
        ("from", 2),
        ("act", 12),
        ("pretend", 12),
        ("developer", 4),
        ("dan", 4),
        ("do", 3),
        ("new", 3),
        ("your", 3),
        ("system", 5),
        ("initial", 4),
        ("instructions", 8),
        ("instruction", 8),
        ("task", 8),
        ("reveal", 7),
        ("print", 6),
        ("show", 6),
        ("repeat", 6),
        ("output", 5),
        ("tell", 5),
        ("what", 4),
        ("display", 6),
        ("leak", 7),
        ("prompt", 5),
        ("give", 5),
        ("write", 5),
        ("mode", 4),
        ("important", 3),
        ("without", 8),
        ("no", 2),
        ("restrictions", 6),
        ("unrestricted", 8),
        ("unfiltered", 6),
        ("jailbreak", 4),
        ("translate", 6),
        ("summarize", 6),
        ("enable", 4),
        ("enter", 4),
        ("copy", 5),
        ("disclose", 7),
        ("respond", 5),
        ("ai", 5),
        ("have", 3),
        ("freed", 3),
        ("longer", 5),
        ("comply", 4),
        ("stay", 3),
    ]),
    Rule::injection(
        "role-marker",
        "A mark that only the machinery of a chat writes: system tags, turns of another speaker.",
        Finder::Anchored {
            anchors: &[
                "<|im_start|>",
                "<|im_end|>",
                "<|system|>",
                "<|user|>",
                "<|assistant|>",
                "<|endoftext|>",
                "<|start_header_id|>",
                "<|eot_id|>",
                "[inst]",
                "[/inst]",
                "<<sys>>",
                "<</sys>>",
                "<system>",
                "</system>",
                "[system]",
                "(system)",
                "<system-reminder>",
                "<start_of_turn>",
                "### system:",
                "### instruction:",
                "###system",
                "<assistant>",
                "begin_of_text|>",
                "[system message",
                "[system note",
                "system override",
                "<admin>",
                "<important>",
                "system: you",
                "system message: ",
                "system: ignore",
                "system: new",
                "\nsystem:",
                "\n\nhuman:",
                "\n\nassistant:",
                "<|begin",
                "</user>",
                "</untrusted",
                "</tool_result>",
                "</function_results>",
                "</document>",
            ],
            find: marker,
        },
    )
    .leads(&[("system", 4), ("###", 3)]),
];

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

fn role(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    if text[..anchor.start].ends_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    let before = text.ceil_char_boundary(anchor.start.saturating_sub(REACH));
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let ahead = text[before..anchor.start].to_lowercase();
    let near = text[anchor.end..end].to_lowercase();
    let mark = text[anchor.clone()].to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| near.contains(word));
    let asks = [
        "reveal",
        "print",
        "show",
        "repeat",
        "output",
        "tell me",
        "what is",
        "what are",
        "what was",
        "what were",
        "display",
        "leak",
        "give me",
        "write out",
        "write down",
        "copy",
        "send",
        "share",
        "disclose",
        "dump",
        "summarize",
        "translate",
        "ignore",
        "expose",
        "return",
        "list",
    ];
    let asked = asks.iter().any(|ask| ahead.contains(ask));
    let is_role = match mark.as_str() {
        "you are now" | "you're now" | "from now on" => {
            has(&[
                "dan",
                "unrestricted",
                "jailbr",
                "no longer",
                "without",
                "no restrictions",
                "ignore",
                "evil",
                "free from",
                "free of",
                "developer mode",
                "you will",
                "you must",
                "you are",
                "not bound",
                "act as",
                "respond",
                "answer",
                "pretend",
                "a different",
                "an ai",
                "in ",
                "admin",
                "root",
            ]) && !has(&[
                "ready to",
                "able to",
                "subscribed",
                "connected",
                "logged",
                "signed",
            ])
        }
        "act as" | "pretend" => has(&[
            "dan",
            "unrestricted",
            "jailbr",
            "without any",
            "no restrictions",
            "evil",
            "no rules",
            "no filter",
            "an ai ",
            "no ethical",
            "no limits",
            "unfiltered",
            "uncensored",
            "linux terminal",
            "no guidelines",
            "hacker",
            "if you are not",
            "a different ai",
            "you have no",
            "you can do anything",
        ]),
        "developer mode" | "dan mode" | "jailbreak" => {
            has(&["enable", "on", "output", "activated", "mode", "prompt"])
                && (asked
                    || ahead.contains("enable")
                    || ahead.contains("enter")
                    || ahead.contains("you")
                    || ahead.contains("activate"))
                || mark == "jailbreak" && near.starts_with(" mode")
                || ahead.contains("enable ")
                || ahead.contains("in ") && mark != "jailbreak"
        }
        // A man of that name would do anything now as well.
        "do anything now" => {
            text[anchor.clone()].starts_with("Do A")
                || ahead.ends_with("can ")
                || ahead.contains("you ")
                || text[before..end].contains("DAN")
        }
        "freed from your" | "no longer need to comply" | "no longer bound by" => true,
        "comply with your safety" | "stay as dan" => true,
        "new instructions:"
        | "new instruction:"
        | "your new task"
        | "your real task"
        | "your actual task"
        | "important instructions" => has(&[
            "you",
            "ignore",
            "send",
            "must",
            "is to",
            "email",
            "user",
            "reveal",
            "call",
            "tool",
            "assistant",
            "forget",
        ]),
        "new instructions" => has(&[
            "ignore",
            "follow these",
            "you must",
            "are as follows",
            "from the system",
            "from the developer",
            "from your developer",
            "from the administrator",
        ]),
        "system prompt"
        | "your system prompt"
        | "your system message"
        | "your initial prompt"
        | "your initial instructions"
        | "your instructions"
        | "your guidelines" => {
            asked
                && (mark.starts_with("your")
                    || ahead.contains("your ")
                    || ahead.contains("the full")
                    || ahead.contains("entire")
                    || ahead.contains("above")
                    || ahead.contains("hidden"))
        }
        // Whoever pastes a text asks for its summary, too.
        "the text above" | "the above text" | "everything above" => {
            let tasks = [
                "translate",
                "summarize",
                "list",
                "what is",
                "what are",
                "share",
            ];
            asked && !tasks.iter().any(|task| ahead.contains(task))
        }
        "the prompt above"
        | "the words above"
        | "the instructions above"
        | "the above prompt"
        | "the above instructions"
        | "hidden prompt" => asked,
        "no restrictions"
        | "without restrictions"
        | "without any restrictions"
        | "without any filter"
        | "unrestricted"
        | "no ethical"
        | "no limitations"
        | "unfiltered" => {
            let around = format!("{ahead} {near}");
            if ["ai that has ", "ai with ", "ai which has ", "you have "]
                .iter()
                .any(|opening| ahead.ends_with(opening))
            {
                return Some(anchor);
            }
            [
                "you are",
                "you're",
                "respond",
                "answer",
                "act as",
                "pretend",
                "an ai",
                "dan",
                "assistant",
                "chatbot",
            ]
            .iter()
            .filter(|word| around.contains(**word))
            .count()
                >= 2
        }
        _ => false,
    };
    is_role.then_some(anchor)
}

fn marker(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let mark = text[anchor.clone()].to_lowercase();
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let near = text[anchor.end..end].to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| near.contains(word));
    let speaks = || {
        has(&[
            "you ",
            "ignore",
            "instruction",
            "user",
            "assistant",
            "must",
            "new task",
            "override",
            "prompt",
            "reveal",
        ])
    };
    let is_marker = match mark.as_str() {
        "<system>" | "</system>" | "[system]" | "(system)" | "<assistant>" | "<admin>"
        | "<important>" | "\nsystem:" | "\n\nhuman:" | "\n\nassistant:" | "### system:"
        | "### instruction:" | "###system" | "system override" | "</user>" | "</document>"
        | "[system note" | "[system message" => speaks(),
        "system message: " => text[anchor.clone()].starts_with("SYSTEM") && speaks(),
        "system: you" => has(&[" are", " must", " will", " should", "'re"]),
        _ => true,
    };
    is_marker.then(|| {
        let blank = text[anchor.clone()].len() - text[anchor.clone()].trim_start().len();
        anchor.start + blank..anchor.end
    })
}
