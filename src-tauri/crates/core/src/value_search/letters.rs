//! A text as characters that know where they came from, so that what is found in a decoded or
//! folded form can be replaced in the text itself.

use std::ops::Range;

use unicode_normalization::char::decompose_compatible;

use super::Arrival;

/// Ends a match: stands between two decoded runs that are not neighbours in the text.
pub(super) const BARRIER: char = '\u{E000}';

/// So many characters in a row that are no letters or digits part what stands around them.
const MOST_SEPARATORS: usize = 24;
/// In a stream, so many bytes of encoded separators do as well, however few they are: what follows
/// on one letter of a value must not be waited for through a list of numbers.
const LONGEST_SEPARATION: usize = 24;

/// One character of a view, with the bytes of the text it was decoded from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) value: char,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where decoding has to begin for this character to come out again: base64 is read in groups
    /// of four characters, and the first of them may say something else.
    pub(super) from: usize,
}

/// The bytes of the text that some letters were decoded from, as one letter.
pub(super) fn joined(value: char, letters: &[Letter]) -> Letter {
    // A view may be read backwards, and a decoded character reach further than the one after it.
    Letter {
        value,
        start: letters.iter().map(|it| it.start).min().unwrap_or_default(),
        end: letters.iter().map(|it| it.end).max().unwrap_or_default(),
        from: letters.iter().map(|it| it.from).min().unwrap_or_default(),
    }
}

pub(super) fn letters(text: &str) -> Vec<Letter> {
    let letter = |(start, value): (usize, char)| Letter {
        value,
        start,
        end: start + value.len_utf8(),
        from: start,
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
    pub(super) fn skeleton(letters: &[Letter], arrival: Arrival) -> Self {
        let mut derived = Self::default();
        let mut separators = 0;
        let mut end = letters.first().map_or(0, |it| it.start);
        for (at, letter) in letters.iter().enumerate() {
            let before = derived.text.len();
            fold(letter.value, &mut |value| derived.push(value, at));
            if derived.text.len() > before {
                separators = 0;
                end = letter.end;
                continue;
            }
            separators += 1;
            let is_encoded = letter.end - letter.start > letter.value.len_utf8();
            let is_far = is_encoded && letter.end.saturating_sub(end) > LONGEST_SEPARATION;
            if separators == MOST_SEPARATORS || is_far && arrival == Arrival::Streamed {
                derived.push(BARRIER, at);
                end = letter.end;
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
pub(super) fn span(letters: &[Letter], range: Range<usize>) -> Option<Letter> {
    let letters = letters.get(range).filter(|it| !it.is_empty())?;
    Some(joined(char::REPLACEMENT_CHARACTER, letters))
}

fn fold(value: char, out: &mut dyn FnMut(char)) {
    if value.is_ascii() {
        if value.is_ascii_alphanumeric() {
            out(value.to_ascii_lowercase());
        }
    } else if value == BARRIER {
        out(BARRIER);
    } else {
        // By way of the upper case, letters that only differ in lower case become the same: a
        // sharp s is two letters there, and a final sigma one like any other.
        decompose_compatible(value, |part| {
            let upper = part.to_lowercase().flat_map(char::to_uppercase);
            let folded = upper.flat_map(char::to_lowercase);
            folded.filter(|it| it.is_alphanumeric()).for_each(&mut *out);
        });
    }
}

pub(super) fn skeleton(text: &str) -> String {
    Derived::skeleton(&letters(text), Arrival::Whole).text
}
