//! Some of the known values as automata, built once and searched many times.

use std::ops::Range;
use std::sync::Arc;

use aho_corasick::{AhoCorasick, MatchKind};
use tracing::error;

use super::letters::{Derived, Letter, skeleton, span};
use super::{Candidate, Extent, Known, Layer, Pieces, Strength, View, decode};

/// A piece of a value has at least so many letters and digits, and three quarters of them all.
const SHORTEST_PIECE: usize = 10;
/// However long a value is, so many letters and digits of it are a piece.
const LONGEST_PIECE: usize = 32;

pub(super) struct Segment {
    /// Their places among all values.
    pub(super) values: Range<usize>,
    exact: Patterns,
    skeletons: Patterns,
    pieces: Patterns,
    beginnings: Beginnings,
    exact_beginnings: Beginnings,
    /// Whose pieces are searched for, folded, forwards and backwards.
    in_pieces: Vec<String>,
    pub(super) longest: usize,
    /// The length of the shortest text that is searched for.
    pub(super) shortest: usize,
}

/// Texts that are searched for together.
struct Patterns {
    automaton: Automaton,
    owners: Vec<Owner>,
}

enum Automaton {
    /// There is nothing to search for.
    Empty,
    Built(AhoCorasick),
    /// There are more patterns than fit into memory. Nobody knows what a text holds then, so all
    /// of it counts as found.
    Failed,
}

#[derive(Clone)]
struct Owner {
    value: usize,
    strength: Strength,
    text: Arc<Known>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Sensitive,
    Ignored,
}

impl Patterns {
    fn new(patterns: Vec<(String, Owner)>, case: Case) -> Self {
        let (texts, owners): (Vec<String>, Vec<Owner>) = patterns.into_iter().unzip();
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(case == Case::Ignored)
            .build(&texts);
        let automaton = match built {
            _ if texts.is_empty() => Automaton::Empty,
            Ok(automaton) => Automaton::Built(automaton),
            Err(_) => {
                error!("there are too many originals to search for, so every text is held back");
                Automaton::Failed
            }
        };
        Self { automaton, owners }
    }

    fn is_failed(&self) -> bool {
        match self.automaton {
            Automaton::Failed => true,
            Automaton::Empty | Automaton::Built(_) => false,
        }
    }

    fn each(&self, text: &str, found: &mut dyn FnMut(Range<usize>, &Owner)) {
        let automaton = match &self.automaton {
            Automaton::Built(automaton) => automaton,
            Automaton::Empty | Automaton::Failed => return,
        };
        for hit in automaton.find_overlapping_iter(text) {
            if let Some(owner) = self.owners.get(hit.pattern().as_usize()) {
                found(hit.range(), owner);
            }
        }
    }
}

/// What may still come in a stream, in lower case.
struct Beginnings {
    sorted: Vec<String>,
    longest: usize,
}

impl Beginnings {
    fn of(patterns: &[(String, Owner)]) -> Self {
        let texts = patterns.iter().map(|(text, _)| text.to_lowercase());
        let mut sorted: Vec<String> = texts.collect();
        sorted.sort_unstable();
        let longest = sorted.iter().map(String::len).max();
        Self {
            sorted,
            longest: longest.unwrap_or_default(),
        }
    }

    /// How many bytes at the end of a text one of them begins with.
    fn longest_at_end(&self, text: &str) -> usize {
        let from = text.len().saturating_sub(self.longest);
        let begins = |tail: &str| {
            let at = self.sorted.partition_point(|it| it.as_str() < tail);
            let next = self.sorted.get(at);
            next.is_some_and(|it| it.starts_with(tail))
        };
        (from..text.len())
            .filter(|at| text.is_char_boundary(*at))
            .find(|at| begins(&text[*at..]))
            .map_or(0, |at| text.len() - at)
    }
}

impl Segment {
    pub(super) fn new(range: Range<usize>, values: &[Arc<Known>]) -> Self {
        let mut exact = Vec::new();
        let mut skeletons = Vec::new();
        let mut pieces = Vec::new();
        let mut in_pieces = Vec::new();
        for (value, known) in range.clone().zip(values) {
            let bare = skeleton(&known.value);
            let strength = Strength::of(&known.value, &bare);
            let owner = Owner {
                value,
                strength,
                text: Arc::clone(known),
            };
            if strength == Strength::Trivial {
                continue;
            }
            let spellings = spellings(&known.value);
            exact.extend(spellings.into_iter().map(|it| (it, owner.clone())));
            if strength != Strength::Distinct {
                continue;
            }
            let utf16 = utf16_skeletons(&known.value);
            skeletons.extend(utf16.into_iter().map(|it| (it, owner.clone())));
            for bare in [Some(bare), ascii_skeleton(&known.value)]
                .into_iter()
                .flatten()
            {
                let letters: Vec<char> = bare.chars().collect();
                if letters.len() >= 8 {
                    skeletons.push((letters.iter().rev().collect(), owner.clone()));
                }
                let length = (letters.len() * 3).div_ceil(4);
                let length = length.clamp(SHORTEST_PIECE, LONGEST_PIECE);
                if known.pieces == Pieces::Searched && length < letters.len() {
                    in_pieces.extend([bare.clone(), letters.iter().rev().collect()]);
                    let windows = letters.windows(length);
                    pieces.extend(windows.map(|it| (it.iter().collect(), owner.clone())));
                }
                skeletons.push((bare, owner.clone()));
            }
        }
        let longest = values.iter().map(|it| it.value.len()).max();
        let searched = exact.iter().chain(&skeletons).chain(&pieces);
        let shortest = searched.map(|(text, _): &(String, Owner)| text.len()).min();
        let mut segment = Self {
            values: range,
            beginnings: Beginnings::of(&skeletons),
            exact_beginnings: Beginnings::of(&exact),
            exact: Patterns::new(exact, Case::Ignored),
            skeletons: Patterns::new(skeletons, Case::Sensitive),
            pieces: Patterns::new(pieces, Case::Sensitive),
            in_pieces,
            longest: longest.unwrap_or_default(),
            shortest: shortest.unwrap_or(usize::MAX),
        };
        if segment.is_failed() {
            segment.shortest = 0;
        }
        segment
    }

    fn is_failed(&self) -> bool {
        let all = [&self.exact, &self.skeletons, &self.pieces];
        all.iter().any(|it| it.is_failed())
    }

    /// As it is when there are more values than can be searched for.
    #[cfg(test)]
    pub(super) fn failed(mut self) -> Self {
        self.exact.automaton = Automaton::Failed;
        self.shortest = 0;
        self
    }

    /// Adds what one view of a text holds.
    pub(super) fn search(&self, view: &View, extent: Extent, found: &mut Vec<Candidate>) {
        let View {
            letters,
            exact,
            skeleton,
            layer,
        } = view;
        if self.is_failed() {
            push(letters, 0..letters.len(), None, (true, true), found);
            return;
        }
        self.exact.each(&exact.text, &mut |range, owner| {
            let is_word = owner.strength == Strength::Word;
            let is_same = || is_same(&exact.text[range.clone()], owner);
            if is_word && (*layer == Layer::Encoded || !is_same()) {
                return;
            }
            let Some(place) = exact.source(range) else {
                return;
            };
            let is_bounded = if is_word {
                bounds(letters, place.clone())
            } else {
                (true, true)
            };
            push(letters, place, Some(owner.value), is_bounded, found);
        });
        let mut add = |range: Range<usize>, whole: Option<usize>| {
            if let Some(place) = skeleton.source(range) {
                push(letters, place, whole, (true, true), found);
            }
        };
        self.skeletons.each(&skeleton.text, &mut |range, owner| {
            add(range, Some(owner.value));
        });
        if extent == Extent::Pieces {
            self.pieces
                .each(&skeleton.text, &mut |range, _| add(range, None));
        }
    }

    /// How many bytes at the end of a folded text may be the beginning of a value.
    pub(super) fn open_skeleton(&self, text: &str) -> usize {
        self.beginnings.longest_at_end(text)
    }

    /// How many bytes at the end of a folded text may be the beginning of a piece of a value. What
    /// is as long as a piece is found, and need not be longer here.
    pub(super) fn open_piece(&self, text: &str) -> usize {
        let ends = text.char_indices().rev().take(LONGEST_PIECE);
        let is_part = |(at, _): &(usize, char)| {
            let tail = &text[*at..];
            self.in_pieces.iter().any(|it| it.contains(tail))
        };
        let first = ends.take_while(is_part).last();
        first.map_or(0, |(at, _)| text.len() - at)
    }

    /// The same for a text as it is, in lower case.
    pub(super) fn open_exact(&self, text: &str) -> usize {
        self.exact_beginnings.longest_at_end(text)
    }
}

/// Whether a short word is the very one: in the same case, unless it is long enough to be told
/// from another word, or a letter of it could not be read.
fn is_same(text: &str, owner: &Owner) -> bool {
    text == owner.text.value
        || text.chars().count() >= 6
        || text.contains(char::REPLACEMENT_CHARACTER)
}

/// How a value is written: case is ignored for ASCII alone, and a file in Latin-1 is read as UTF-8,
/// where its other letters are none.
fn spellings(value: &str) -> Vec<String> {
    let mut spellings = vec![value.to_owned()];
    if value.is_ascii() {
        return spellings;
    }
    let letters = value.chars().filter(char::is_ascii_alphanumeric).count();
    let unread = |it: char| match it.is_ascii() {
        true => it,
        false => char::REPLACEMENT_CHARACTER,
    };
    let unread = (letters >= 3).then(|| value.chars().map(unread).collect());
    let others = [value.to_uppercase(), value.to_lowercase()];
    for other in others.into_iter().chain(unread) {
        if !spellings.contains(&other) {
            spellings.push(other);
        }
    }
    spellings
}

/// What is left of a value where only ASCII can be read; none where that could be anything.
fn ascii_skeleton(value: &str) -> Option<String> {
    if value.is_ascii() {
        return None;
    }
    let ascii: String = value.chars().filter(char::is_ascii).collect();
    let bare = skeleton(&ascii);
    (Strength::of(&ascii, &bare) == Strength::Distinct).then_some(bare)
}

/// How the UTF-16 of a value reads in bytes. Up to U+00FF that is the value, with zeros in between.
fn utf16_skeletons(value: &str) -> Vec<String> {
    if value.chars().all(|it| u32::from(it) <= 0xFF) {
        return Vec::new();
    }
    let skeletons = [u16::to_le_bytes, u16::to_be_bytes].map(|to_bytes| {
        let letters = decode::utf16_as_bytes(value, to_bytes);
        Derived::skeleton(&letters).text
    });
    let is_distinct = |it: &String| Strength::of(it, it) == Strength::Distinct;
    skeletons.into_iter().filter(is_distinct).collect()
}

fn push(
    view: &[Letter],
    letters: Range<usize>,
    whole: Option<usize>,
    is_bounded: (bool, bool),
    found: &mut Vec<Candidate>,
) {
    if let Some(place) = span(view, letters) {
        found.push(Candidate {
            range: place.start..place.end,
            from: place.from,
            whole,
            is_bounded,
        });
    }
}

/// Whether a word ends before these letters and one begins after them.
fn bounds(view: &[Letter], letters: Range<usize>) -> (bool, bool) {
    let at = |at: Option<usize>| at.and_then(|at| view.get(at)).map(|it| it.value);
    let before = at(letters.start.checked_sub(1));
    let after = at(Some(letters.end));
    let (first, last) = (at(Some(letters.start)), at(letters.end.checked_sub(1)));
    (!joins(before, first), !joins(last, after))
}

/// Whether two neighbours belong to the same word.
pub(super) fn joins(a: Option<char>, b: Option<char>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => is_part_of_word(a) && is_part_of_word(b),
        (None, _) | (_, None) => false,
    }
}

/// Scripts without case are written without spaces as well: there every character is a word.
pub(super) fn is_part_of_word(value: char) -> bool {
    value.is_numeric() || value.is_lowercase() || value.is_uppercase()
}
