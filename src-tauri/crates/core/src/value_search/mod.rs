//! Finds known values in texts, however they are written there.
//!
//! A leaf: knows nothing of vaults, keys, turns or events. It owns one question: does this text
//! hold one of these values, and where? A value is found as it is, in another case, with other
//! separators or none, next to other text, split over lines or strings, with other accents or
//! widths, with letters that a wrong encoding lost, reversed, and in up to three layers of
//! encodings: the escapes of JSON, programs, HTML and URLs, quoted-printable, base64 at any
//! alignment, hexadecimal and lists of byte values, in UTF-8, Latin-1 or UTF-16.
//!
//! Instead of listing the encodings of each value, the text is decoded: [`decode`] makes views of
//! it, and every view is searched for all values at once. So mixed and partial encodings are found
//! as well. In a text that comes whole, [`lines`] leaves out what a program put before and after
//! its lines. Time is linear in the text, whatever the number of values.
//!
//! Short values are looked for with care (see [`Strength`]): a four-digit number is redacted
//! where it stands as a word, and nowhere else.

mod decode;
mod letters;
mod lines;
mod segment;
mod stream;
mod tail;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use decode::Numbers;
use letters::{Derived, Letter, letters};
use segment::Segment;
pub use stream::{Replacement, ValueStream};

/// How many layers of encodings are decoded.
const DEEPEST: usize = 3;
/// All views together have at most so many times the characters of the text, and some more.
const MOST_VIEWED: usize = 32;

/// What stands in the place of a piece of a value. Nobody can put back what it was.
pub const PART: &str = "[redacted]";

/// A value, and what is to stand in its place.
#[derive(Clone)]
pub struct Known {
    pub value: String,
    pub replacement: String,
    pub pieces: Pieces,
}

/// Whether long pieces of a value are looked for as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pieces {
    Searched,
    /// It is made of other values, and its pieces are anybody's.
    Ignored,
}

/// What counts as found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Whole values alone.
    Whole,
    /// Long pieces too: what a program that was given a value may leave of it.
    Pieces,
}

/// How a value can be told from other text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strength {
    /// Long enough to be found by its letters and digits alone.
    Distinct,
    /// A few characters of several kinds, found anywhere and in any encoding.
    Mixed,
    /// A short word or number, found as a word of its own and never in base64 or the like.
    Word,
    /// One or two characters: redacting them would leave no text readable.
    Trivial,
}

/// What of a text is checked at most of which only the beginning is used, and how much at the end
/// of that is not shown: a value may begin there whose rest was not checked.
const LONGEST_BEGINNING: usize = 32 * 1024;
const UNFINISHED_END: usize = 8 * 1024;

/// What `check` makes of a text of which a few thousand characters are used.
pub(crate) fn check_beginning(mut text: String, check: &dyn Fn(String) -> String) -> String {
    let is_cut = text.len() > LONGEST_BEGINNING;
    text.truncate(text.floor_char_boundary(LONGEST_BEGINNING));
    let mut checked = check(text);
    if is_cut {
        let end = checked.len().saturating_sub(UNFINISHED_END);
        checked.truncate(checked.floor_char_boundary(end));
    }
    checked
}

/// Whether a value is redacted wherever it stands, inside a longer word too.
pub fn is_found_anywhere(value: &str) -> bool {
    match Strength::of(value, &letters::skeleton(value)) {
        Strength::Distinct | Strength::Mixed => true,
        Strength::Word | Strength::Trivial => false,
    }
}

/// Whether a value is redacted where it stands between these characters.
pub fn is_found_between(value: &str, before: Option<char>, after: Option<char>) -> bool {
    match Strength::of(value, &letters::skeleton(value)) {
        Strength::Distinct | Strength::Mixed => true,
        Strength::Word => {
            let (first, last) = (value.chars().next(), value.chars().next_back());
            !segment::joins(before, first) && !segment::joins(last, after)
        }
        Strength::Trivial => false,
    }
}

impl Strength {
    fn of(value: &str, skeleton: &str) -> Self {
        let length = skeleton.chars().count();
        let has_digit = skeleton.chars().any(char::is_numeric);
        let has_letter = skeleton.chars().any(char::is_alphabetic);
        let is_varied = has_digit && has_letter;
        let has_marks = value.chars().any(|it| !it.is_alphanumeric());
        let characters = value.trim().chars().count();
        if length >= 8 || (length >= 6 && is_varied) {
            Self::Distinct
        } else if characters >= 5 && (is_varied || has_marks) {
            Self::Mixed
        } else if characters >= 3 {
            Self::Word
        } else {
            Self::Trivial
        }
    }
}

/// One place of a text that holds a value or a piece of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub range: Range<usize>,
    /// Its place among the values, or none for a piece.
    whole: Option<usize>,
    /// Where the text has to begin for it to be found again.
    from: usize,
}

/// All values that are known, ready to be searched for. Clones share their parts, and adding to
/// a clone costs little: values are kept in segments of growing size.
#[derive(Clone, Default)]
pub struct KnownValues {
    values: Vec<Arc<Known>>,
    segments: Vec<Arc<Segment>>,
}

impl KnownValues {
    pub fn new(values: impl IntoIterator<Item = Known>) -> Self {
        let mut known = Self::default();
        known.add(values);
        known
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn add(&mut self, values: impl IntoIterator<Item = Known>) {
        let from = self.values.len();
        self.values.extend(values.into_iter().map(Arc::new));
        let mut range = from..self.values.len();
        if range.is_empty() {
            return;
        }
        // A segment is rebuilt only together with as many new values, so each value is built
        // into a segment a logarithmic number of times.
        while let Some(last) = self.segments.last()
            && last.values.len() <= 2 * range.len()
        {
            range.start = last.values.start;
            self.segments.pop();
        }
        let segment = Segment::new(range.clone(), &self.values[range]);
        self.segments.push(Arc::new(segment));
    }

    /// Every place that holds a value, in order, none of them overlapping.
    pub fn find(&self, text: &str, extent: Extent) -> Vec<Hit> {
        self.find_after(Before::Nothing, text, extent, Arrival::Whole)
    }

    fn find_after(&self, before: Before, text: &str, extent: Extent, arrival: Arrival) -> Vec<Hit> {
        // No reading of a short plain text is longer than the text: most words of a reply are.
        let shortest = self.segments.iter().map(|it| it.shortest).min();
        let is_short = shortest.is_none_or(|shortest| text.len() < shortest);
        if is_short && decode::is_plain(text) {
            return Vec::new();
        }
        let mut found = Vec::new();
        each_view(text, extent, arrival, &mut |view, layer| {
            let view = View {
                letters: view,
                exact: Derived::exact(view),
                skeleton: Derived::skeleton(view, arrival),
                layer,
            };
            for segment in &self.segments {
                segment.search(&view, extent, &mut found);
            }
        });
        if before == Before::Word {
            for it in found.iter_mut().filter(|it| it.range.start == 0) {
                it.is_bounded.0 &= !self.joins_word_before(it.whole);
            }
        }
        merge(found)
    }

    /// What stands in the place of what was found.
    pub fn replacement(&self, hit: &Hit) -> &str {
        let known = hit.whole.and_then(|at| self.values.get(at));
        known.map_or(PART, |known| known.replacement.as_str())
    }

    /// Whether this is a short word, which is none when it stands after another letter or digit.
    fn joins_word_before(&self, whole: Option<usize>) -> bool {
        let known = whole.and_then(|at| self.values.get(at));
        known.is_some_and(|known| {
            let strength = Strength::of(&known.value, &letters::skeleton(&known.value));
            strength == Strength::Word && known.value.starts_with(segment::is_part_of_word)
        })
    }

    /// The text without any of the values; the text itself where there is none.
    pub fn redact(&self, text: String, extent: Extent) -> String {
        let hits = self.find(&text, extent);
        if hits.is_empty() {
            return text;
        }
        self.replace(&text, &hits)
    }

    fn replace(&self, text: &str, hits: &[Hit]) -> String {
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for hit in hits {
            out.push_str(&text[from..hit.range.start]);
            out.push_str(self.replacement(hit));
            from = hit.range.end;
        }
        out.push_str(&text[from..]);
        out
    }

    /// Redacts texts that belong together: a value that is split over several of them is found,
    /// stands as its placeholder in the first, and is cut out of the others. None where nothing
    /// is found; otherwise what becomes of each.
    pub fn redact_together(&self, texts: &[String], extent: Extent) -> Option<Vec<String>> {
        if self.is_empty() {
            return None;
        }
        let joined = texts.join("\n");
        let hits = self.find(&joined, extent);
        if hits.is_empty() {
            return None;
        }
        let mut start = 0;
        let mut redacted = Vec::with_capacity(texts.len());
        for text in texts {
            let end = start + text.len();
            let mut out = String::with_capacity(text.len());
            let mut from = start;
            for hit in &hits {
                let (first, last) = (hit.range.start.max(start), hit.range.end.min(end));
                if first >= last {
                    continue;
                }
                out.push_str(&joined[from..first]);
                if hit.range.start >= start {
                    out.push_str(self.replacement(hit));
                }
                from = last;
            }
            out.push_str(&joined[from..end]);
            redacted.push(out);
            start = end + 1;
        }
        Some(redacted)
    }

    /// The replacements of the values that a text holds, each once.
    pub fn held_by(&self, text: &str) -> Vec<String> {
        let mut held = Vec::new();
        for hit in self.find(text, Extent::Whole) {
            let replacement = self.replacement(&hit).to_owned();
            if !held.contains(&replacement) {
                held.push(replacement);
            }
        }
        held
    }
}

/// What a view was made by: short words are not looked for in what was encoded as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layer {
    Text,
    Encoded,
}

/// One form of a text, ready to be searched.
struct View<'a> {
    letters: &'a [Letter],
    exact: Derived,
    skeleton: Derived,
    layer: Layer,
}

/// What stands before a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Nothing,
    /// A letter or digit that is let go already.
    Word,
}

/// How a text comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arrival {
    Whole,
    /// In pieces, from a source. It can wait neither for the end of every line nor for what may
    /// stand before it, so a value that is split over lines with something else at their
    /// beginnings, or encoded and then reversed, is not looked for.
    Streamed,
}

/// Hands over the text in every form it can be read in. Only what a program may have written is
/// read backwards: reversed values are known as such, but not their encodings.
fn each_view(
    text: &str,
    extent: Extent,
    arrival: Arrival,
    search: &mut dyn FnMut(&[Letter], Layer),
) {
    let mut budget = view_budget(text);
    let plain = letters(text);
    let mut open = Vec::new();
    if extent == Extent::Pieces && arrival == Arrival::Whole {
        let reversed = plain.iter().rev().copied().collect();
        open.push((reversed, Layer::Text, 0));
    }
    let undecorated = |view: &[Letter]| match arrival {
        Arrival::Whole => lines::undecorated(view),
        Arrival::Streamed => None,
    };
    if let Some(lines) = undecorated(&plain) {
        open.push((lines, Layer::Text, 0));
    }
    open.push((plain, Layer::Text, 0));
    while let Some((view, layer, depth)) = open.pop() {
        search(&view, layer);
        if depth == DEEPEST {
            continue;
        }
        let unescaped = decode::unescaped(&view);
        let lines = unescaped.as_deref().and_then(undecorated);
        let escapes = [unescaped, lines, decode::quoted_printable(&view)];
        let escapes = escapes.into_iter().flatten().map(|view| (view, layer));
        let encoded = (0..4)
            .map(|skipped| decode::base64(&view, skipped))
            .chain((0..2).map(|skipped| decode::byte_values(&view, Numbers::Hex { skipped })))
            .chain([decode::byte_values(&view, Numbers::Decimal)]);
        let encoded = encoded.map(|view| (view, Layer::Encoded));
        for (view, layer) in escapes.chain(encoded) {
            if !view.is_empty() && view.len() <= budget {
                budget -= view.len();
                open.push((view, layer, depth + 1));
            }
        }
    }
}

/// How many letters all views of a text may have together.
fn view_budget(text: &str) -> usize {
    text.len().saturating_mul(MOST_VIEWED) + 4 * 1024
}

/// Something found in one view, before it is compared with the others.
struct Candidate {
    range: Range<usize>,
    /// Where the text has to begin for it to be found again.
    from: usize,
    whole: Option<usize>,
    /// Whether it is a word of its own at its beginning and at its end.
    is_bounded: (bool, bool),
}

/// Without what is only a part of a word. Two values next to each other are words of their own,
/// as far as nothing else joins them.
fn words(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    candidates.sort_by_key(|it| it.range.start);
    let mut ends = HashSet::new();
    candidates.retain(|it| {
        let begins = it.is_bounded.0 || ends.contains(&it.range.start);
        if begins {
            ends.insert(it.range.end);
        }
        begins
    });
    candidates.sort_by_key(|it| usize::MAX - it.range.end);
    let mut starts = HashSet::new();
    candidates.retain(|it| {
        let ends = it.is_bounded.1 || starts.contains(&it.range.end);
        if ends {
            starts.insert(it.range.start);
        }
        ends
    });
    candidates
}

/// Overlapping places become one, which counts as the widest value in it.
fn merge(candidates: Vec<Candidate>) -> Vec<Hit> {
    let mut found = words(candidates);
    // At the same start a whole value goes before a piece, and a wider one before a narrower.
    found.sort_by_key(|it| {
        (
            it.range.start,
            it.whole.is_none(),
            usize::MAX - it.range.end,
        )
    });
    let mut hits: Vec<(Hit, usize)> = Vec::new();
    for Candidate {
        range, whole, from, ..
    } in found
    {
        let width = range.len();
        match hits.last_mut() {
            Some((last, widest)) if range.start < last.range.end => {
                last.range.end = last.range.end.max(range.end);
                last.from = last.from.min(from);
                let is_better = match (last.whole, whole) {
                    (None, Some(_)) => true,
                    (Some(_), Some(_)) | (None, None) => width > *widest,
                    (Some(_), None) => false,
                };
                if is_better {
                    (last.whole, *widest) = (whole, width);
                }
            }
            Some(_) | None => hits.push((Hit { range, whole, from }, width)),
        }
    }
    hits.into_iter().map(|(hit, _)| hit).collect()
}
