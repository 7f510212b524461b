//! Marks by which a text speaks as another: as the system, or as the machinery of a chat.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULE: Rule = Rule::injection(
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
.leads(&[("system", 4), ("###", 3), ("end", 5), ("END]", 3)]);

/// How far after the mark the words stand that make it one.
const REACH: usize = 90;

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
        "</system>" if opens_again(&near) => true,
        "\nsystem:" if ends_before(&text[..anchor.start]) => {
            text[anchor.clone()].contains("SYSTEM")
        }
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

/// `</system> <system>…`: one block ends so that another one speaks, in words and not in tags.
fn opens_again(near: &str) -> bool {
    let next = near.trim_start().strip_prefix('<');
    let said = next.and_then(|next| {
        ["system>", "user>", "assistant>"]
            .iter()
            .find_map(|tag| next.strip_prefix(tag))
    });
    said.is_some_and(|said| {
        let words = said.split('<').next().unwrap_or(said);
        words.split_whitespace().count() >= 3
    })
}

/// Whether the line before says that something ends there: `--- END OF FILE ---`.
fn ends_before(before: &str) -> bool {
    let line = before.trim_end().rsplit('\n').next().unwrap_or(before);
    let mut words = line.split(|letter: char| !letter.is_ascii_alphabetic());
    line.len() <= 80 && words.any(|word| word == "END")
}
