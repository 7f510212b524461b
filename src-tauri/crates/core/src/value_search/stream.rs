//! A text that comes in pieces, searched for the values that are known when it begins.
//!
//! Invariant: what is found does not depend on how the text was cut, unless an encoded value is
//! many times longer than the value itself. Uncertain is what may still become a value (`tail`),
//! which is a few characters of nearly every text, and bounded by the longest value.

use std::ops::Range;

use super::segment::is_part_of_word;
use super::{Arrival, Before, Extent, Hit, KnownValues};

/// A value that was found, and what is to stand in its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Replacement {
    /// In bytes of all text that came.
    pub range: Range<usize>,
    pub text: String,
}

#[derive(Debug)]
pub struct ValueStream {
    extent: Extent,
    held: String,
    /// How much of the text was searched to its end.
    cleared: usize,
    /// The text before that ends inside a word.
    is_in_word: bool,
}

impl ValueStream {
    pub fn new(extent: Extent) -> Self {
        Self {
            extent,
            held: String::new(),
            cleared: 0,
            is_in_word: false,
        }
    }

    /// What is found now that more of the text has come.
    pub fn push(&mut self, text: &str, known: &KnownValues) -> Vec<Replacement> {
        if known.is_empty() {
            self.cleared += self.held.len() + text.len();
            self.held.clear();
            return Vec::new();
        }
        self.held.push_str(text);
        let mut hits = self.find(known);
        let open = known.open_from(&self.held, self.extent);
        let mut end = whole_bytes(&self.held, open);
        for hit in hits.iter().rev() {
            if hit.from < end && hit.range.end > end {
                end = hit.from;
            }
        }
        hits.retain(|it| it.range.end <= end);
        if end > 0 {
            // Two values next to each other are words of their own.
            let ends_with_value = hits.last().is_some_and(|it| it.range.end == end);
            self.is_in_word = !ends_with_value && self.held[..end].ends_with(is_part_of_word);
        }
        self.clear(end, &hits, known)
    }

    fn find(&self, known: &KnownValues) -> Vec<Hit> {
        let before = match self.is_in_word {
            true => Before::Word,
            false => Before::Nothing,
        };
        known.find_after(before, &self.held, self.extent, Arrival::Streamed)
    }

    /// What is found in the rest.
    pub fn finish(&mut self, known: &KnownValues) -> Vec<Replacement> {
        let hits = self.find(known);
        self.is_in_word = false;
        self.clear(self.held.len(), &hits, known)
    }

    /// Up to where nothing can become a value any more, in bytes of all text that came.
    pub fn cleared(&self) -> usize {
        self.cleared
    }

    pub fn is_uncertain(&self) -> bool {
        !self.held.is_empty()
    }

    /// Drops what is uncertain.
    pub fn forget(&mut self) {
        self.cleared += self.held.len();
        self.held.clear();
        self.is_in_word = false;
    }

    fn clear(&mut self, end: usize, hits: &[Hit], known: &KnownValues) -> Vec<Replacement> {
        let before = self.cleared;
        self.held.drain(..end);
        self.cleared += end;
        let replacement = |hit: &Hit| Replacement {
            range: before + hit.range.start..before + hit.range.end,
            text: known.replacement(hit).to_owned(),
        };
        hits.iter().map(replacement).collect()
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
