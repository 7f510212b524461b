//! Which words lead a rule, and for how many words after them a text is not cut.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use crate::guard::Stage;

/// No word that leads is longer.
const LONGEST_LEAD: usize = 32;
/// A shorter word does not lead where it stands right after a digit.
const SHORTEST_GLUED: usize = 4;

/// How far words reach: which lead, and for how many words; and whether whole lines are needed.
///
/// What leads by letters is looked up word by word; what leads by marks (`<!--`) is looked for
/// inside of words that have any, and holds until a mark closes it.
#[derive(Default)]
pub(in crate::guard) struct Reach {
    leads: HashMap<Box<[u8]>, u8, BuildHasherDefault<WordHash>>,
    longest: usize,
    /// By the first byte of a word, as bits: how long the words are that lead.
    lengths: Lengths,
    marks: Vec<(Box<[u8]>, u8)>,
    pub(in crate::guard) whole_lines: bool,
    /// A long stretch is looked at in parts, so that nobody waits for its end.
    pub(super) in_parts: bool,
}

struct Lengths([u32; 256]);

impl Default for Lengths {
    fn default() -> Self {
        Self([0; 256])
    }
}

impl Lengths {
    fn add(&mut self, word: &[u8]) {
        if let Some(first) = word.first() {
            self.0[usize::from(*first)] |= 1 << (word.len() & 31);
        }
    }

    /// Most words lead nothing, and need no look at the table.
    fn may_have(&self, word: &[u8]) -> bool {
        let first = word.first().map_or(0, u8::to_ascii_lowercase);
        self.0[usize::from(first)] & (1 << (word.len() & 31)) != 0
    }
}

/// Marks after which what a page hides is over.
const CLOSING: [&[u8]; 2] = [b"-->", b"</"];

impl Reach {
    /// Only what a source says comes bit by bit, and is waited for; what is sent is there whole.
    pub(in crate::guard) fn new(stage: Stage) -> Self {
        Self {
            in_parts: stage == Stage::Output,
            ..Self::default()
        }
    }

    pub(in crate::guard) fn lead(&mut self, word: &str, words: u8) {
        let word = word.to_lowercase().into_bytes();
        if word.is_ascii() && !word.iter().all(u8::is_ascii_alphabetic) {
            self.marks.push((word.into_boxed_slice(), words));
            return;
        }
        if !word.is_ascii() {
            // Only small ASCII letters are looked up for large ones.
            let text = String::from_utf8_lossy(&word).into_owned();
            let mut letters = text.chars();
            let first = letters.next().map(|first| first.to_uppercase().to_string());
            let title = first.unwrap_or_default() + letters.as_str();
            let forms = [
                title.to_ascii_lowercase(),
                text.to_uppercase().to_ascii_lowercase(),
            ];
            for form in forms.map(String::into_bytes) {
                self.lengths.add(&form);
                self.leads.entry(form.into_boxed_slice()).or_insert(words);
            }
        }
        self.longest = self.longest.max(word.len());
        self.lengths.add(&word);
        let held = self.leads.entry(word.into_boxed_slice()).or_default();
        *held = words.max(*held);
    }

    /// How many words the last word of `word` leads: of `DB_PASSWORD` and `"apiKey":` too.
    pub(super) fn led_by(&self, word: &[u8]) -> u8 {
        let is_letter = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
        let Some(last) = word.iter().rposition(is_letter) else {
            return 0;
        };
        let mut first = last;
        let mut hump = None;
        let mut length = 0;
        loop {
            let byte = word[first];
            if !is_letter(&byte) {
                first += 1;
                break;
            }
            length += 1;
            if length > self.longest.min(LONGEST_LEAD) {
                return hump.map_or(0, |hump| self.leads_by(&word[hump..=last]));
            }
            let ends_hump = byte.is_ascii_uppercase()
                && word.get(first + 1).is_some_and(u8::is_ascii_lowercase)
                && first > 0
                && word[first - 1].is_ascii_lowercase();
            if ends_hump && hump.is_none() {
                hump = Some(first);
            }
            if first == 0 {
                break;
            }
            first -= 1;
        }
        let by_hump = hump.map_or(0, |hump| self.leads_by(&word[hump..=last]));
        // The last letter or two of a hash are no word.
        let is_word = length >= SHORTEST_GLUED || first == 0 || !word[first - 1].is_ascii_digit();
        if !is_word {
            return by_hump;
        }
        by_hump.max(self.leads_by(&word[first..=last]))
    }

    fn leads_by(&self, led: &[u8]) -> u8 {
        let mut letters = [0_u8; LONGEST_LEAD];
        if !self.lengths.may_have(led) {
            return 0;
        }
        let letters = &mut letters[..led.len()];
        letters.copy_from_slice(led);
        letters.make_ascii_lowercase();
        self.leads.get(&*letters).copied().unwrap_or(0)
    }

    /// How many words the marks in a word lead; nothing said, it stays as it is.
    pub(super) fn marked_by(&self, word: &[u8]) -> Option<u8> {
        if !word
            .iter()
            .any(|byte| matches!(byte, b'<' | b'=' | b'[' | b'>' | b'#' | b'('))
        {
            return None;
        }
        let has = |mark: &[u8]| memchr::memmem::find(word, mark).is_some();
        let led = self
            .marks
            .iter()
            .filter(|(mark, _)| has(mark))
            .map(|(_, words)| *words);
        let led = led.max();
        if led.is_none() && CLOSING.iter().any(|mark| has(mark)) {
            return Some(0);
        }
        led
    }
}

/// Short words, looked up for every word of every text: the standard hash would be the most
/// expensive part of the pass. Nobody else chooses the words that are stored.
#[derive(Default)]
struct WordHash(u64);

impl Hasher for WordHash {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn write_u8(&mut self, _: u8) {}

    fn write_usize(&mut self, length: usize) {
        self.0 ^= length as u64;
    }

    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
}
