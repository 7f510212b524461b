//! Placeholders: what they look like, and where they stand in a text.
//!
//! `[EMAIL_1]`: a label in capitals, an underscore, a number from 1. Pure; knows no values.

use std::ops::Range;

use memchr::memchr;

/// No placeholder is longer, so no more than this is ever held back on a stream.
pub const LONGEST: usize = 64;

pub(crate) fn placeholder(label: &str, number: u64) -> String {
    format!("[{label}_{number}]")
}

/// Whether `text` is the beginning of something that could become a placeholder.
fn begins(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'[')
        && text.len() < LONGEST
        && bytes.all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

/// How long the placeholder is that `text` starts with.
fn length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('[')?;
    let end = memchr(b']', inside.as_bytes().get(..LONGEST.min(inside.len()))?)?;
    let (label, number) = inside.get(..end)?.rsplit_once('_')?;
    let letters = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let is_label =
        label.starts_with(|first: char| first.is_ascii_uppercase()) && label.bytes().all(letters);
    let is_number = !number.is_empty()
        && !number.starts_with('0')
        && number.bytes().all(|byte| byte.is_ascii_digit());
    (is_label && is_number).then_some(end + 2)
}

/// Every stretch of the text that looks like a placeholder, in order.
pub fn find(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + memchr(b'[', text.as_bytes().get(from..)?)?;
            match length(&text[start..]) {
                Some(length) => {
                    from = start + length;
                    return Some(start..from);
                }
                None => from = start + 1,
            }
        }
    })
}

/// Puts something else in the place of placeholders in a text that comes in pieces. Holds back
/// the beginning of one, and no more.
#[derive(Debug, Default)]
pub struct Restoring {
    held: String,
}

impl Restoring {
    /// What can be shown now.
    pub fn push(&mut self, text: &str, original: impl Fn(&str) -> Option<String>) -> String {
        self.held.push_str(text);
        let open = self.held.rfind('[').unwrap_or(self.held.len());
        let end = if begins(&self.held[open..]) {
            open
        } else {
            self.held.len()
        };
        let rest = self.held.split_off(end);
        let whole = std::mem::replace(&mut self.held, rest);
        replace(&whole, original)
    }

    /// What was held back: it was none.
    pub fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// The text with the placeholders replaced that `original` knows.
pub fn replace(text: &str, original: impl Fn(&str) -> Option<String>) -> String {
    let mut restored = String::with_capacity(text.len());
    let mut from = 0;
    for place in find(text) {
        if let Some(original) = original(&text[place.clone()]) {
            restored.push_str(&text[from..place.start]);
            restored.push_str(&original);
            from = place.end;
        }
    }
    restored.push_str(&text[from..]);
    restored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_looks_like_one_and_nothing_else() {
        let long = format!("[{}_1]", "A".repeat(LONGEST));
        let rows: [(&str, &[&str]); 12] = [
            (
                "to [EMAIL_1] and [API_KEY_12]!",
                &["[EMAIL_1]", "[API_KEY_12]"],
            ),
            ("[[EMAIL_1]]", &["[EMAIL_1]"]),
            ("[EMAIL_1[EMAIL_2]", &["[EMAIL_2]"]),
            ("[EMAIL_0]", &[]),
            ("[EMAIL_01]", &[]),
            ("[EMAIL_]", &[]),
            ("[_1]", &[]),
            ("[email_1]", &[]),
            ("[1_1]", &[]),
            ("[EMAIL 1]", &[]),
            ("[É_1] [", &[]),
            (&long, &[]),
        ];
        for (text, expected) in rows {
            let found: Vec<_> = find(text).map(|place| &text[place]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn restores_the_same_however_it_is_split() {
        let text = "a [EMAIL_1] b[[EMAIL_1]] c [OTHER_1] [EMAIL_1 é[E [EMAIL_1]";
        let original = |placeholder: &str| (placeholder == "[EMAIL_1]").then(|| "x@y.z".to_owned());
        let whole = replace(text, original);
        assert_eq!(whole, "a x@y.z b[x@y.z] c [OTHER_1] [EMAIL_1 é[E x@y.z");
        let borders: Vec<usize> = (0..=text.len())
            .filter(|at| text.is_char_boundary(*at))
            .collect();
        for &first in &borders {
            for &second in borders.iter().filter(|second| **second >= first) {
                let mut restoring = Restoring::default();
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let mut shown: String = pieces
                    .iter()
                    .map(|piece| restoring.push(piece, original))
                    .collect();
                shown.push_str(&restoring.finish());
                assert_eq!(shown, whole, "split at {first} and {second}");
            }
        }
    }
}
