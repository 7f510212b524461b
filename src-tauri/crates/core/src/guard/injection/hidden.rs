//! Text that a page hides from its reader, and pictures that carry text away.
//!
//! Hiding alone is what every menu does: only hidden words that speak to a model are told.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::injection(
        "hidden-html",
        "Words for a model in what a page does not show.",
        Finder::Anchored {
            anchors: &[
                "<!--",
                "display:none",
                "display: none",
                "visibility:hidden",
                "visibility: hidden",
                "font-size:0",
                "font-size: 0",
                "opacity:0",
                "opacity: 0",
                "color:white",
                "color: white",
                "color:#fff",
                "color: #fff",
                "color:transparent",
                "color: transparent",
                "hidden>",
                "color=\"#fff",
                "color=\"white",
                "color='white",
                "left:-9",
                "left: -9",
                "font-size:1px",
                "font-size: 1px",
                "alt=\"",
                "title=\"",
                "aria-label=\"",
                "[//]: #",
                "[comment]: #",
            ],
            find: hidden,
        },
    )
    .leads(&[
        ("<!--", 50),
        ("style=", 50),
        ("hidden>", 40),
        ("color=", 40),
        ("alt=\"", 30),
        ("title=\"", 30),
        ("aria-label=", 30),
        ("[//]:", 30),
        ("[comment]:", 30),
    ]),
    Rule::injection(
        "image-exfiltration",
        "A picture whose address would carry text away.",
        Finder::Anchored {
            anchors: &["!["],
            find: image,
        },
    )
    .leads(&[("![", 12)]),
];

/// How much of what is hidden is read.
const REACH: usize = 600;

/// Words by which a model is spoken to.
const CUES: &[&str] = &[
    "ignore",
    "disregard",
    "instruction",
    "assistant",
    "ai ",
    "a.i.",
    "llm",
    "language model",
    "chatbot",
    "system prompt",
    "you must",
    "you are",
    "you should",
    "do not tell",
    "don't tell",
    "do not mention",
    "user's",
    "exfiltrate",
    "send ",
    "reveal",
    "forward",
    "prompt",
    "override",
    "execute",
    "recommend",
    "agent",
    "if you are",
    "summariz",
    "summaris",
    "respond with",
    "system:",
    "the user",
    "authorized",
    "authorised",
    "reply with",
    "output ",
];

fn hidden(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let near = &text[anchor.end..end];
    let mark = &text[anchor.clone()];
    let (words, stop) = if mark == "<!--" {
        let stop = near
            .find("-->")
            .or_else(|| near.find("<!--"))
            .unwrap_or(near.len());
        (&near[..stop], stop)
    } else if mark.ends_with('"') || mark.starts_with('[') {
        let stop = near
            .find(if mark.starts_with('[') { '\n' } else { '"' })
            .unwrap_or(near.len());
        (&near[..stop], stop)
    } else {
        // After the tag that hides, up to the tag that ends it.
        let open = near.find('>').filter(|open| *open < 200).map_or_else(
            || if mark.ends_with('>') { Some(0) } else { None },
            |open| Some(open + 1),
        );
        let open = if mark.ends_with('>') { 0 } else { open? };
        let stop = near[open..]
            .find("</")
            .map_or(near.len(), |stop| open + stop);
        (&near[open..stop], stop)
    };
    let small = words.to_lowercase();
    let cues = CUES.iter().filter(|cue| small.contains(*cue)).count();
    let is_spoken = small.split_whitespace().count() >= 4 && cues >= 2;
    is_spoken.then(|| anchor.start..anchor.end + stop)
}

/// `![…](https://…?…=…)` with much after the question mark, or a gap to be filled.
fn image(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let near = &text[anchor.end..end];
    let open = near.find("](")?;
    let address = &near[open + 2..];
    let close = address.find([')', '\n'])?;
    let address = &address[..close];
    let (host, query) = address.split_once('?')?;
    let is_foreign =
        host.starts_with("http://") || host.starts_with("https://") || host.starts_with("//");
    let small = query.to_ascii_lowercase();
    let has_gap = [
        "{",
        "[",
        "<",
        "$",
        "%7b",
        "secret",
        "token",
        "password",
        "history",
        "conversation",
        "prompt",
        "context",
        "data=",
        "leak",
        "exfil",
        "stolen",
        "userinput",
        "payload",
    ]
    .iter()
    .any(|gap| small.contains(gap));
    let is_long = query.len() >= 100;
    (is_foreign && (has_gap || is_long) && !small.contains("x-amz-"))
        .then(|| anchor.start..anchor.end + open + 2 + close + 1)
}
