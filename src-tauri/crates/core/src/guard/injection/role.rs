//! Phrases by which a text gives a model another role, and marks by which it speaks as another.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
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

/// How far around the phrase the words stand that make it an order.
const REACH: usize = 90;

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
