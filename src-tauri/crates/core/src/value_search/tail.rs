//! Where the end of a text may be the beginning of a value, in whatever form it can be read.
//!
//! A stream holds back what this says and nothing else. Every view of the text that reaches its
//! end is compared with how the values begin. What cannot be decoded before more of it has come,
//! such as half an escape or the last characters of base64, may become anything.

use super::decode::{self, Byte, Ending, Numbers};
use super::letters::{Derived, Letter, letters, span};
use super::{Arrival, DEEPEST, Extent, KnownValues, view_budget};

/// A value is looked for in so many times its own length: a byte may be an escape of six
/// characters, and that be encoded again.
const LONGEST_ENCODING: usize = 12;
const SHORTEST_HOLD: usize = 64;
const LONGEST_HOLD: usize = 8 * 1024;
/// No escape is longer that stands for a letter of a value: `&DiacriticalGrave;` is none.
const LONGEST_ESCAPE: usize = 12;
/// In one layer of encodings, no letter of a value is waited for through more bytes of the text.
const LONGEST_LETTER: usize = 20;
/// So many letters of a value are its beginning, however far apart they stand.
const FEWEST_LETTERS: usize = 3;

/// A view of a text that reaches its end.
struct Tail {
    letters: Vec<Letter>,
    /// From this byte of the text on, nothing is decoded yet.
    pending: usize,
}

impl KnownValues {
    /// From where on a text may become a value or, where those are looked for, a piece of one.
    pub(super) fn open_from(&self, text: &str, extent: Extent) -> usize {
        let longest = self.segments.iter().map(|it| it.longest).max();
        let hold = longest.unwrap_or_default() * LONGEST_ENCODING;
        let hold = hold.clamp(SHORTEST_HOLD, LONGEST_HOLD);
        let first = text.ceil_char_boundary(text.len().saturating_sub(hold));
        let text = &text[first..];
        let mut from = text.len();
        let mut budget = view_budget(text);
        let whole = Tail {
            letters: letters(text),
            pending: text.len(),
        };
        let mut open = vec![(whole, 0)];
        while let Some((tail, depth)) = open.pop() {
            from = from.min(self.begins_at(&tail, text, extent));
            if depth == DEEPEST || tail.letters.is_empty() {
                continue;
            }
            for mut view in tail.decoded() {
                if text.len() - view.pending > LONGEST_LETTER * (depth + 1) {
                    view.pending = text.len();
                }
                if view.letters.len() <= budget {
                    budget -= view.letters.len();
                    open.push((view, depth + 1));
                }
            }
        }
        first + from
    }

    /// Where the beginning of a value starts that the view ends with.
    fn begins_at(&self, tail: &Tail, text: &str, extent: Extent) -> usize {
        let start = self.beginning(&tail.letters, text, extent);
        start.map_or(tail.pending, |start| start.min(tail.pending))
    }

    fn beginning(&self, view: &[Letter], text: &str, extent: Extent) -> Option<usize> {
        let bare = Derived::skeleton(view, Arrival::Streamed);
        let exact = Derived::exact(view);
        let lower = exact.text.to_lowercase();
        let is_mapped = lower.len() == exact.text.len();
        let starts = self.segments.iter().flat_map(|segment| {
            let mut letters = segment.open_skeleton(&bare.text);
            if extent == Extent::Pieces {
                letters = letters.max(segment.open_piece(&bare.text));
            }
            let characters = if is_mapped {
                segment.open_exact(&lower)
            } else {
                0
            };
            [
                start(&bare, letters, view, text),
                start(&exact, characters, view, text),
            ]
        });
        starts.flatten().min()
    }
}

/// Where the last bytes of a derived text begin in the text itself. A few letters of a value that
/// stand far apart are no beginning of one.
fn start(derived: &Derived, bytes: usize, view: &[Letter], text: &str) -> Option<usize> {
    let from = derived.text.len() - bytes;
    let letters = derived.source(from..derived.text.len())?;
    let from = span(view, letters)?.from;
    if bytes >= FEWEST_LETTERS {
        return Some(from);
    }
    let farthest = text.len().saturating_sub(LONGEST_LETTER * (bytes + 1));
    Some(from.max(text.floor_char_boundary(farthest)))
}

impl Tail {
    /// What one layer of encodings less leaves at the end of the text.
    fn decoded(&self) -> Vec<Self> {
        let mut views = Vec::new();
        let is_mark = |it: &Letter| matches!(it.value, '\\' | '%' | '&' | '+' | '=');
        if self.letters.iter().any(is_mark) {
            views.push(self.without_escapes(open_escape, decode::unescaped));
            views.push(self.without_escapes(open_quoted, decode::quoted_printable));
        }
        let run = self.base64_run();
        if !run.is_empty() {
            views.extend((0..4).filter_map(|skipped| self.decode_base64(&run, skipped)));
        }
        let numbers = [
            Numbers::Hex { skipped: 0 },
            Numbers::Hex { skipped: 1 },
            Numbers::Decimal,
        ];
        views.extend(numbers.into_iter().filter_map(|it| self.decode_numbers(it)));
        views
    }

    fn without_escapes(
        &self,
        open: fn(&[Letter]) -> usize,
        decode: fn(&[Letter]) -> Option<Vec<Letter>>,
    ) -> Self {
        let end = open(&self.letters);
        let mut pending = self.letters.get(end).map_or(self.pending, |it| it.from);
        let closed = &self.letters[..end];
        let mut letters = decode(closed).unwrap_or_else(|| closed.to_vec());
        // Half a character, whose other bytes are still to come.
        while let Some(half) = letters.pop_if(|it| it.value == char::REPLACEMENT_CHARACTER) {
            pending = pending.min(half.from);
        }
        Self { letters, pending }
    }

    /// The characters of base64 at the end of the text.
    fn base64_run(&self) -> Vec<Letter> {
        let is_part = |it: &&Letter| decode::is_base64(it.value) || matches!(it.value, '\n' | '\r');
        let run = self.letters.iter().rev().take_while(is_part);
        let mut run: Vec<Letter> = run.copied().collect();
        run.reverse();
        run.retain(|it| decode::is_base64(it.value));
        run
    }

    fn decode_base64(&self, run: &[Letter], skipped: usize) -> Option<Self> {
        let read = run.get(skipped..)?;
        let bytes = decode::base64_bytes(read);
        let pending = match read.len() % 4 {
            0 => None,
            _ => read.get(read.len() / 4 * 4),
        };
        Some(self.of_bytes(bytes, pending.map(|it| it.from)))
    }

    fn decode_numbers(&self, numbers: Numbers) -> Option<Self> {
        let (bytes, pending) = decode::last_bytes(&self.letters, numbers)?;
        Some(self.of_bytes(bytes, pending))
    }

    fn of_bytes(&self, mut bytes: Vec<Byte>, pending: Option<usize>) -> Self {
        let mut pending = pending.map_or(self.pending, |it| it.min(self.pending));
        let half = bytes.split_off(bytes.len() - decode::half_a_character(&bytes));
        pending = half.first().map_or(pending, |it| it.from().min(pending));
        let mut letters = Vec::with_capacity(bytes.len());
        decode::flush(&mut bytes, &mut letters, Ending::Closed);
        Self { letters, pending }
    }
}

/// Where an escape begins that is not over, or the end of the text.
fn open_escape(letters: &[Letter]) -> usize {
    let from = letters.len().saturating_sub(LONGEST_ESCAPE);
    let is_open = |at: &usize| {
        let rest: String = letters[at + 1..].iter().map(|it| it.value).collect();
        match letters[*at].value {
            '%' => is_short_of(&rest, 16, 2),
            '&' => {
                let is_part = |it: char| it.is_ascii_alphanumeric() || it == '#';
                rest.chars().all(is_part)
            }
            '\\' => is_open_backslash(&rest),
            _ => false,
        }
    };
    (from..letters.len()).find(is_open).unwrap_or(letters.len())
}

fn is_open_backslash(rest: &str) -> bool {
    let Some(kind) = rest.chars().next() else {
        return true;
    };
    let digits = &rest[kind.len_utf8()..];
    match kind {
        'x' => is_short_of(digits, 16, 2),
        'U' => is_short_of(digits, 16, 8),
        '0'..='3' => is_short_of(digits, 8, 2),
        'u' => match digits.strip_prefix('{') {
            Some(digits) => is_short_of(digits, 16, 9),
            None => is_short_of(digits, 16, 4) || is_half_of_pair(digits),
        },
        _ => false,
    }
}

/// Whether these are digits, and fewer than there may be.
fn is_short_of(digits: &str, radix: u32, most: usize) -> bool {
    digits.len() < most && digits.chars().all(|it| it.is_digit(radix))
}

/// Whether these are the first of two halves that make a character, and not all of the second.
fn is_half_of_pair(digits: &str) -> bool {
    let Some((first, second)) = digits.split_at_checked(4) else {
        return false;
    };
    let is_first =
        first.starts_with(['d', 'D']) && first[1..].starts_with(['8', '9', 'a', 'b', 'A', 'B']);
    is_first && second.len() < "\\uDC00".len()
}

/// The same for quoted-printable.
fn open_quoted(letters: &[Letter]) -> usize {
    let from = letters.len().saturating_sub(2);
    let is_open = |at: &usize| {
        let mut rest = letters[at + 1..].iter();
        letters[*at].value == '=' && rest.all(|it| it.value.is_ascii_hexdigit())
    };
    (from..letters.len()).find(is_open).unwrap_or(letters.len())
}
