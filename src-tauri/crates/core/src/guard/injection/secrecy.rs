//! Orders to act behind the user's back.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULE: Rule = Rule::injection(
    "secret-order",
    "A phrase that tells the model to hide from the user what it does.",
    Finder::Anchored {
        anchors: &[
            "not tell the user",
            "n't tell the user",
            "never tell the user",
            "not inform the user",
            "n't inform the user",
            "not mention this to the user",
            "not reveal this to the user",
            "not alert the user",
            "not notify the user",
            "not let the user know",
            "n't let the user know",
            "without telling the user",
            "without informing the user",
            "without notifying the user",
            "without alerting the user",
            "without the user noticing",
            "without the user's knowledge",
            "secret from the user",
            "hidden from the user",
            "without asking for confirmation",
        ],
        find,
    },
)
.leads(&[
    ("inform", 3),
    ("mention", 5),
    ("alert", 3),
    ("notify", 3),
    ("let", 4),
    ("never", 4),
    ("secret", 4),
    ("assistant", 8),
]);

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let opens = !text[..anchor.start].ends_with(|letter: char| letter.is_ascii_alphabetic())
        || text[anchor.clone()].starts_with('n');
    let mark = text[anchor.clone()].to_lowercase();
    let before = text[..anchor.start].to_lowercase();
    let is_order = match mark.as_str() {
        // Programs say this of themselves.
        "without asking for confirmation" => ["assistant", "you must", "you should", "model"]
            .iter()
            .any(|who| before.contains(who)),
        "hidden from the user" => ["this", "keep"].iter().any(|what| before.contains(what)),
        _ => true,
    };
    (opens && is_order).then_some(anchor)
}
