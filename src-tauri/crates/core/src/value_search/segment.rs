//! Some of the known values as automata, built once and searched many times.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};

use super::letters::{Letter, skeleton, span};
use super::{Candidate, Extent, Known, Layer, Pieces, Strength, View};

/// A piece of a value has at least so many letters and digits, and three quarters of them all.
const SHORTEST_PIECE: usize = 10;
/// However long a value is, so many letters and digits of it are a piece.
const LONGEST_PIECE: usize = 32;

pub(super) struct Segment {
    /// Their places among all values.
    pub(super) values: Range<usize>,
    exact: Patterns,
    skeletons: Patterns,
    /// A long value has thousands of pieces, so they are built when they are first searched for.
    pieces: OnceLock<Option<AhoCorasick>>,
    beginnings: Beginnings,
    exact_beginnings: Beginnings,
    in_pieces: Vec<Divided>,
    pub(super) longest: usize,
    /// No text that is searched for is shorter, in bytes.
    pub(super) shortest: usize,
}

/// A value whose pieces are searched for, folded.
struct Divided {
    forwards: String,
    backwards: String,
    /// How many characters a piece of it has.
    piece: usize,
}

impl Divided {
    fn pieces(&self) -> Vec<String> {
        let letters: Vec<char> = self.forwards.chars().collect();
        letters.windows(self.piece).map(String::from_iter).collect()
    }
}

/// Texts that are searched for together.
#[derive(Default)]
struct Patterns {
    automaton: Option<AhoCorasick>,
    owners: Vec<Owner>,
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
        if texts.is_empty() {
            return Self::default();
        }
        Self {
            automaton: automaton(&texts, case),
            owners,
        }
    }

    fn each(&self, text: &str, found: &mut dyn FnMut(Range<usize>, &Owner)) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        for hit in automaton.find_overlapping_iter(text) {
            if let Some(owner) = self.owners.get(hit.pattern().as_usize()) {
                found(hit.range(), owner);
            }
        }
    }
}

/// `None` for no patterns, and for more than fit into memory.
fn automaton(texts: &[String], case: Case) -> Option<AhoCorasick> {
    if texts.is_empty() {
        return None;
    }
    let built = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(case == Case::Ignored)
        .build(texts);
    built.ok()
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
        let mut in_pieces: Vec<Divided> = Vec::new();
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
            exact.push((known.value.clone(), owner.clone()));
            if strength != Strength::Distinct {
                continue;
            }
            let letters: Vec<char> = bare.chars().collect();
            if letters.len() >= 8 {
                skeletons.push((letters.iter().rev().collect(), owner.clone()));
            }
            let length = (letters.len() * 3).div_ceil(4);
            let length = length.clamp(SHORTEST_PIECE, LONGEST_PIECE);
            if known.pieces == Pieces::Searched && length < letters.len() {
                in_pieces.push(Divided {
                    forwards: bare.clone(),
                    backwards: letters.iter().rev().collect(),
                    piece: length,
                });
            }
            skeletons.push((bare, owner));
        }
        let longest = values.iter().map(|it| it.value.len()).max();
        let searched = exact.iter().chain(&skeletons);
        let searched = searched.map(|(text, _): &(String, Owner)| text.len());
        // A piece has at least a byte for each of its characters.
        let shortest = searched.chain(in_pieces.iter().map(|it| it.piece)).min();
        Self {
            values: range,
            beginnings: Beginnings::of(&skeletons),
            exact_beginnings: Beginnings::of(&exact),
            exact: Patterns::new(exact, Case::Ignored),
            skeletons: Patterns::new(skeletons, Case::Sensitive),
            pieces: OnceLock::new(),
            in_pieces,
            longest: longest.unwrap_or_default(),
            shortest: shortest.unwrap_or(usize::MAX),
        }
    }

    /// Adds what one view of a text holds.
    pub(super) fn search(&self, view: &View, extent: Extent, found: &mut Vec<Candidate>) {
        let View {
            letters,
            exact,
            skeleton,
            layer,
        } = view;
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
        if extent == Extent::Pieces
            && let Some(pieces) = self.pieces()
        {
            for hit in pieces.find_overlapping_iter(&skeleton.text) {
                add(hit.range(), None);
            }
        }
    }

    fn pieces(&self) -> Option<&AhoCorasick> {
        let build = || {
            let pieces: Vec<String> = self.in_pieces.iter().flat_map(Divided::pieces).collect();
            automaton(&pieces, Case::Sensitive)
        };
        self.pieces.get_or_init(build).as_ref()
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
            let holds = |it: &Divided| it.forwards.contains(tail) || it.backwards.contains(tail);
            self.in_pieces.iter().any(holds)
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
/// from another word.
fn is_same(text: &str, owner: &Owner) -> bool {
    text == owner.text.value || text.chars().count() >= 6
}

fn push(
    view: &[Letter],
    letters: Range<usize>,
    whole: Option<usize>,
    is_bounded: (bool, bool),
    found: &mut Vec<Candidate>,
) {
    if let Some(range) = span(view, letters) {
        found.push(Candidate {
            range,
            whole,
            is_bounded,
        });
    }
}

/// Whether a word ends before these letters and one begins after them.
fn bounds(view: &[Letter], letters: Range<usize>) -> (bool, bool) {
    let at = |at: Option<usize>| at.and_then(|at| view.get(at)).map(|it| it.value);
    let joins = |a: Option<char>, b: Option<char>| match (a, b) {
        (Some(a), Some(b)) => is_part_of_word(a) && is_part_of_word(b),
        (None, _) | (_, None) => false,
    };
    let before = at(letters.start.checked_sub(1));
    let after = at(Some(letters.end));
    let (first, last) = (at(Some(letters.start)), at(letters.end.checked_sub(1)));
    (!joins(before, first), !joins(last, after))
}

/// Scripts without case are written without spaces as well: there every character is a word.
pub(super) fn is_part_of_word(value: char) -> bool {
    value.is_numeric() || value.is_lowercase() || value.is_uppercase()
}
