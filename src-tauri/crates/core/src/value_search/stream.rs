//! A text that comes in pieces, without the values that are known when it begins.
//!
//! Invariant: what comes out does not depend on how the text was cut, unless an encoded value is
//! many times longer than the value itself. Held back is what may still become a value (`tail`),
//! which is a few characters of nearly every text, and bounded by the longest value.

use super::segment::is_part_of_word;
use super::{Arrival, Before, Extent, Hit, KnownValues};

#[derive(Debug)]
pub struct ValueStream {
    extent: Extent,
    held: String,
    /// The text before that ends inside a word.
    is_in_word: bool,
    is_changed: bool,
}

impl ValueStream {
    pub fn new(extent: Extent) -> Self {
        Self {
            extent,
            held: String::new(),
            is_in_word: false,
            is_changed: false,
        }
    }

    /// What can be let go.
    pub fn push(&mut self, text: &str, known: &KnownValues) -> String {
        if known.is_empty() {
            return text.to_owned();
        }
        self.held.push_str(text);
        let mut hits = self.find(known);
        let open = known.open_from(&self.held, self.extent);
        let mut end = whole_bytes(&self.held, open);
        for hit in hits.iter().rev() {
            if hit.range.start < end && hit.range.end > end {
                end = hit.from;
            }
        }
        hits.retain(|it| it.range.end <= end);
        let rest = self.held.split_off(end);
        let whole = std::mem::replace(&mut self.held, rest);
        if end > 0 {
            // Two values next to each other are words of their own.
            let ends_with_value = hits.last().is_some_and(|it| it.range.end == end);
            self.is_in_word = !ends_with_value && whole.ends_with(is_part_of_word);
        }
        self.let_go(whole, &hits, known)
    }

    fn find(&self, known: &KnownValues) -> Vec<Hit> {
        let before = match self.is_in_word {
            true => Before::Word,
            false => Before::Nothing,
        };
        known.find_after(before, &self.held, self.extent, Arrival::Streamed)
    }

    /// The rest.
    pub fn finish(&mut self, known: &KnownValues) -> String {
        let hits = self.find(known);
        let whole = std::mem::take(&mut self.held);
        self.is_in_word = false;
        self.let_go(whole, &hits, known)
    }

    /// Whether anything was redacted.
    pub fn is_changed(&self) -> bool {
        self.is_changed
    }

    pub fn holds_back(&self) -> bool {
        !self.held.is_empty()
    }

    #[cfg(test)]
    pub fn held(&self) -> &str {
        &self.held
    }

    /// Drops what is held back.
    pub fn forget(&mut self) {
        self.held.clear();
        self.is_in_word = false;
    }

    fn let_go(&mut self, whole: String, hits: &[Hit], known: &KnownValues) -> String {
        if hits.is_empty() {
            return whole;
        }
        self.is_changed = true;
        known.replace(&whole, hits)
    }
}

/// The same place, or the one before it where it would part the two digits of a byte.
fn whole_bytes(text: &str, at: usize) -> usize {
    let is_digit = |it: &u8| it.is_ascii_hexdigit();
    let digits = text.as_bytes()[..at]
        .iter()
        .rev()
        .take_while(|it| is_digit(it));
    let goes_on = text.as_bytes().get(at).is_some_and(is_digit);
    at - usize::from(goes_on && digits.count() % 2 == 1)
}
