//! Private keys in PEM and in PuTTY's files, whole or as much as there is.
//!
//! A block without its end is found up to where the key material ends. One that is longer than
//! a stretch is found in parts: each stretch of it by itself, so that nothing waits for the end.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, is_key_material};

pub(in crate::guard) const PRIVATE_KEY: &str = "private-key";

pub(super) const RULE: Rule = Rule::secret(
    PRIVATE_KEY,
    "PRIVATE_KEY",
    "A private key: RSA, EC, OpenSSH, PGP and their kin, also in the JSON of a service account.",
    Finder::Anchored {
        anchors: &["-----begin ", "private-lines:"],
        find,
    },
);

/// A label is a few words.
const LONGEST_LABEL: usize = 64;
/// What a manual abbreviates with dots is no key.
const LEAST_MATERIAL: usize = 32;

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    if text[anchor.clone()].ends_with(':') {
        return in_putty_file(text, anchor);
    }
    let label_end = text.floor_char_boundary((anchor.end + LONGEST_LABEL).min(text.len()));
    let label = &text[anchor.end..label_end];
    let label = &label[..label.find("-----")?];
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let body = anchor.end + label.len() + "-----".len();
    let end = end_of_block(text, body);
    let material = text.as_bytes()[body..end].iter();
    let material = material.filter(|byte| byte.is_ascii_alphanumeric()).count();
    let is_dots = text[body..end].contains("...") && material < 100;
    (material >= LEAST_MATERIAL && !is_dots).then_some(anchor.start..end)
}

/// `Private-Lines: 8`, and then so many lines of base64.
fn in_putty_file(text: &str, anchor: Range<usize>) -> Option<Range<usize>> {
    let rest = text[anchor.end..].trim_start_matches(' ');
    let lines = rest.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let body = text.len() - lines.len();
    let is_counted = lines.len() < rest.len();
    let end = end_of_material(text, body, 0);
    (is_counted && end >= body + LEAST_MATERIAL).then_some(anchor.start..end)
}

/// What is left of a block that began in an earlier stretch.
pub(in crate::guard) fn rest_of_key(stretch: &Stretch) -> Option<Range<usize>> {
    let end = end_of_block(stretch.text, 0);
    (end > 0).then_some(0..end)
}

fn end_of_block(text: &str, body: usize) -> usize {
    if let Some(mark) = text[body..].find("-----END") {
        let after = body + mark + "-----END".len();
        let close = text[after..]
            .find("-----")
            .filter(|close| *close <= LONGEST_LABEL);
        return close.map_or(after, |close| after + close + "-----".len());
    }
    end_of_material(text, body, 14)
}

/// Where the last line of the key ends; so many words in a row that are none end it.
fn end_of_material(text: &str, body: usize, most_strange: usize) -> usize {
    let mut end = body;
    let mut strange = 0;
    for word in text[body..].split_inclusive([' ', '\n', '\t', '\r']) {
        let start = word.as_ptr() as usize - text.as_ptr() as usize;
        let bare = word.trim_end();
        if bare.is_empty() {
            continue;
        }
        if is_key_material(bare.as_bytes()) {
            end = start + bare.len();
            strange = 0;
        } else {
            strange += 1;
            if strange > most_strange {
                break;
            }
        }
    }
    end
}
