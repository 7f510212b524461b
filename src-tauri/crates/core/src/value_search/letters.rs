//! A text as characters that know where they came from, so that what is found in a decoded or
//! folded form can be replaced in the text itself.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

/// Ends a match: stands between two decoded runs that are not neighbours in the text.
pub(super) const BARRIER: char = '\u{E000}';

/// So many characters in a row that are no letters or digits part what stands around them.
const MOST_SEPARATORS: usize = 24;

/// One character of a view, with the bytes of the text it was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) value: char,
    pub(super) start: usize,
    pub(super) end: usize,
}

pub(super) fn letters(text: &str) -> Vec<Letter> {
    let letter = |(start, value): (usize, char)| Letter {
        value,
        start,
        end: start + value.len_utf8(),
    };
    text.char_indices().map(letter).collect()
}

/// A string derived from letters; each of its bytes knows its letter.
#[derive(Debug, Default)]
pub(super) struct Derived {
    pub(super) text: String,
    letters: Vec<usize>,
}

impl Derived {
    /// The characters as they are.
    pub(super) fn exact(letters: &[Letter]) -> Self {
        let mut derived = Self::default();
        for (at, letter) in letters.iter().enumerate() {
            derived.push(letter.value, at);
        }
        derived
    }

    /// Letters and digits alone, without case, accents and width. Separators, quotes and
    /// invisible characters make no difference here, unless there are many in one place.
    pub(super) fn skeleton(letters: &[Letter]) -> Self {
        let mut derived = Self::default();
        let mut left_out = 0;
        for (at, letter) in letters.iter().enumerate() {
            let before = derived.text.len();
            fold(letter.value, &mut |value| derived.push(value, at));
            left_out = if derived.text.len() == before {
                left_out + 1
            } else {
                0
            };
            if left_out == MOST_SEPARATORS {
                derived.push(BARRIER, at);
            }
        }
        derived
    }

    fn push(&mut self, value: char, at: usize) {
        self.text.push(value);
        self.letters.resize(self.text.len(), at);
    }

    /// The letters that a range of the string was derived from.
    pub(super) fn source(&self, range: Range<usize>) -> Option<Range<usize>> {
        let first = *self.letters.get(range.start)?;
        let last = *self.letters.get(range.end.checked_sub(1)?)?;
        Some(first..last + 1)
    }
}

/// The bytes of the text that a range of letters stands for.
pub(super) fn span(letters: &[Letter], range: Range<usize>) -> Option<Range<usize>> {
    let letters = letters.get(range)?;
    // A decoded character may reach further than the one after it.
    let start = letters.iter().map(|letter| letter.start).min()?;
    let end = letters.iter().map(|letter| letter.end).max()?;
    Some(start..end)
}

fn fold(value: char, out: &mut dyn FnMut(char)) {
    if value.is_ascii() {
        if value.is_ascii_alphanumeric() {
            out(value.to_ascii_lowercase());
        }
    } else if value == BARRIER {
        out(BARRIER);
    } else {
        decompose_compatible(value, |part| {
            if part.is_alphanumeric() {
                part.to_lowercase().for_each(&mut *out);
            }
        });
    }
}

pub(super) fn skeleton(text: &str) -> String {
    Derived::skeleton(&letters(text)).text
}
