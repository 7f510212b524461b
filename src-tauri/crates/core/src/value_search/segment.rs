//! Some of the known values as automata, built once and searched many times.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aho_corasick::{AhoCorasick, MatchKind};
use tracing::error;

use super::letters::{Derived, Letter, skeleton, span};
use super::{Arrival, Candidate, Extent, Known, Layer, Pieces, Strength, View, decode};

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
    pieces: OnceLock<Automaton>,
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

impl Automaton {
    fn new(texts: &[String], case: Case) -> Self {
        if texts.is_empty() {
            return Self::Empty;
        }
        let built = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(case == Case::Ignored)
            .build(texts);
        match built {
            Ok(automaton) => Self::Built(automaton),
            Err(_) => {
                error!("there are too many originals to search for, so every text is held back");
                Self::Failed
            }
        }
    }

    fn is_failed(&self) -> bool {
        match self {
            Self::Failed => true,
            Self::Empty | Self::Built(_) => false,
        }
    }

    /// Every place that holds one of the texts, and which.
    fn each(&self, text: &str, found: &mut dyn FnMut(Range<usize>, usize)) {
        let automaton = match self {
            Self::Built(automaton) => automaton,
            Self::Empty | Self::Failed => return,
        };
        for hit in automaton.find_overlapping_iter(text) {
            found(hit.range(), hit.pattern().as_usize());
        }
    }
}

impl Patterns {
    fn new(patterns: Vec<(String, Owner)>, case: Case) -> Self {
        let (texts, owners): (Vec<String>, Vec<Owner>) = patterns.into_iter().unzip();
        Self {
            automaton: Automaton::new(&texts, case),
            owners,
        }
    }

    fn each(&self, text: &str, found: &mut dyn FnMut(Range<usize>, &Owner)) {
        self.automaton.each(text, &mut |range, pattern| {
            if let Some(owner) = self.owners.get(pattern) {
                found(range, owner);
            }
        });
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
                    in_pieces.push(Divided {
                        forwards: bare.clone(),
                        backwards: letters.iter().rev().collect(),
                        piece: length,
                    });
                }
                skeletons.push((bare, owner.clone()));
            }
        }
        let longest = values.iter().map(|it| it.value.len()).max();
        let searched = exact.iter().chain(&skeletons);
        let searched = searched.map(|(text, _): &(String, Owner)| text.len());
        // A piece has at least a byte for each of its characters.
        let shortest = searched.chain(in_pieces.iter().map(|it| it.piece)).min();
        let mut segment = Self {
            values: range,
            beginnings: Beginnings::of(&skeletons),
            exact_beginnings: Beginnings::of(&exact),
            exact: Patterns::new(exact, Case::Ignored),
            skeletons: Patterns::new(skeletons, Case::Sensitive),
            pieces: OnceLock::new(),
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
        let all = [&self.exact, &self.skeletons];
        all.iter().any(|it| it.automaton.is_failed())
    }

    fn pieces(&self) -> &Automaton {
        self.pieces.get_or_init(|| {
            let pieces: Vec<String> = self.in_pieces.iter().flat_map(Divided::pieces).collect();
            Automaton::new(&pieces, Case::Sensitive)
        })
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
        let in_pieces = extent == Extent::Pieces;
        if self.is_failed() || (in_pieces && self.pieces().is_failed()) {
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
        if in_pieces {
            let pieces = self.pieces();
            pieces.each(&skeleton.text, &mut |range, _| add(range, None));
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
        Derived::skeleton(&letters, Arrival::Whole).text
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
