//! Phrases by which a text gives a model another role.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[Rule::injection(
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
            "of this conversation",
            "of our conversation",
            "of the conversation",
            "of this chat",
            "word for word",
            "verbatim",
            "no matter how",
            "regardless of",
            "guardrails",
            "safety filter",
            "content filter",
            "disable your",
            "deactivate your",
            "turn off your",
            "switch off your",
            "exfiltrate",
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
    ("comply", 8),
    ("stay", 3),
    ("obey", 8),
    ("answer", 6),
    ("matter", 3),
    ("regardless", 4),
    ("guardrails", 5),
    ("filter", 5),
    ("filters", 5),
    ("safety", 3),
    ("disable", 4),
    ("deactivate", 4),
    ("turn", 5),
    ("switch", 5),
    ("off", 4),
    ("exfiltrate", 7),
    ("encode", 6),
    ("convert", 6),
    ("recite", 6),
    ("reproduce", 6),
    ("paste", 6),
    ("quote", 6),
    ("word", 3),
    ("beginning", 4),
    ("start", 4),
])];

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
        "encode",
        "convert",
        "recite",
        "reproduce",
        "paste",
        "quote",
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
        "developer mode" | "dan mode" | "jailbreak" if is_of_device(&ahead, &near) => false,
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
        "of this conversation" | "of our conversation" | "of the conversation" | "of this chat" => {
            let is_opening = ["start ", "beginning ", "top "]
                .iter()
                .any(|place| ahead.ends_with(place));
            asked && is_opening && ahead.contains("instruction") | ahead.contains("prompt")
        }
        "word for word" | "verbatim" => {
            let is_own = ["your instruction", "instructions above", "you were given"]
                .iter()
                .any(|what| ahead.contains(what));
            asked && is_own
        }
        "no matter how" => {
            let starts = |word: &&str| near.trim_start().starts_with(*word);
            is_obedient(&ahead)
                && [
                    "illegal",
                    "unethical",
                    "immoral",
                    "harmful",
                    "dangerous",
                    "offensive",
                ]
                .iter()
                .any(starts)
        }
        "regardless of" => {
            is_obedient(&ahead)
                && has(&[
                    "policy", "policies", "legality", "ethic", "illegal", "safety", "your ",
                ])
        }
        "guardrails" | "safety filter" | "content filter" => {
            is_switched_off(&near) && (mark == "guardrails" || ahead.contains("your"))
        }
        "disable your" | "deactivate your" | "turn off your" | "switch off your" => {
            let near = near.trim_start();
            [
                "safety",
                "content filter",
                "content polic",
                "guardrail",
                "safeguard",
                "moderation",
                "restriction",
                "ethic",
                "censor",
            ]
            .iter()
            .any(|what| near.starts_with(what))
                || near.starts_with("filter") && !mark.starts_with("turn")
        }
        // Reports say of programs that they do so; an order names the talk.
        "exfiltrate" => has(&[
            "chat",
            "conversation",
            "history",
            "system prompt",
            "context",
        ]),
        _ => false,
    };
    is_role.then_some(anchor)
}

/// A telephone has such a mode, too.
fn is_of_device(ahead: &str, near: &str) -> bool {
    [
        "android",
        "phone",
        "ios",
        "ipad",
        "chromebook",
        "chrome os",
        "windows",
        "tablet",
        "device",
        "samsung",
        "pixel",
        "quest",
        "kindle",
        "console",
        "playstation",
        "nintendo",
        "tesla",
        "settings",
        "extension",
        "xbox",
    ]
    .iter()
    .any(|device| ahead.contains(device) || near.contains(device))
}

/// Whether the words before it promise to do whatever is asked.
fn is_obedient(ahead: &str) -> bool {
    let does = [
        "comply",
        "obey",
        "answer",
        "respond",
        "fulfil",
        "follow",
        "do whatever",
        "accept",
    ];
    let what = [
        "request",
        "command",
        "question",
        "order",
        "prompt",
        "instruction",
        "whatever",
        "demand",
    ];
    does.iter().any(|word| ahead.contains(word)) && what.iter().any(|word| ahead.contains(word))
}

fn is_switched_off(near: &str) -> bool {
    let near = near.strip_prefix('s').unwrap_or(near);
    [
        " are turned off",
        " are disabled",
        " are now off",
        " are now disabled",
        " have been disabled",
        " have been removed",
        " have been lifted",
        " have been turned off",
        " is turned off",
        " is disabled",
        " is now disabled",
        " has been disabled",
        " are suspended",
        " are lifted",
        " removed",
    ]
    .iter()
    .any(|state| near.starts_with(state))
        || [" are off", " is off"].iter().any(|state| {
            let rest = near.strip_prefix(state);
            rest.is_some_and(|rest| !rest.starts_with(' '))
        })
}
