//! Where a text can be cut so that no rule is under way there.
//!
//! A stretch is usually one word. It grows by the next words after a number (phones and cards
//! have spaces in them), after a word that leads a rule (`password`, `born`, `ignore`), and
//! inside a private key. Whether it is cut depends on the bytes up to there and on nothing
//! else: the invariant on which the equality of streams and texts rests.
//!
//! Everything is bounded. A stretch of words ends at the first white space past `SOFT`; one
//! without white space is cut at `HARD`, where a mark stands if there is one. A private key is
//! cut at `HARD` too, and goes on as a private key in the next stretch, however long it is.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A stretch of words is cut at the first white space after so many bytes.
const SOFT: usize = 2 * 1024;
/// A stretch is never longer.
const HARD: usize = 8 * 1024;
/// How many words after a number are looked at together with it.
const AFTER_NUMBER: u8 = 3;
/// No word that leads is longer.
const LONGEST_LEAD: usize = 32;
/// Longer words are no prose.
const LONG_WORD: usize = 24;

/// What stands in a stretch, as bits: rules say what they need.
pub(super) mod traits {
    pub(in crate::guard) const DIGIT: u8 = 1;
    pub(in crate::guard) const AT: u8 = 2;
    /// Not ASCII, and perhaps not to be seen: U+1000 to U+2FFF, and from U+F000 on.
    pub(in crate::guard) const UNSEEN: u8 = 4;
    /// A mark that does not stand in prose, or a word too long for it.
    pub(in crate::guard) const ODD: u8 = 8;
    /// Several words that belong together.
    pub(in crate::guard) const LED: u8 = 16;
    /// Not a trait of a stretch: white space, and the first byte of a wide glyph.
    pub(super) const SPACE: u8 = 64;
    pub(super) const GLYPH: u8 = 128;
}
use traits::{AT, DIGIT, GLYPH, LED, ODD, SPACE, UNSEEN};

const CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [ODD; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\n' | b'\t' | b'\r' => SPACE,
            b'0'..=b'9' => DIGIT,
            b'@' => AT,
            b'a'..=b'z' | b'A'..=b'Z' => 0,
            b'.' | b',' | b';' | b'!' | b'?' | b'\'' | b'"' | b'(' | b')' | b'*' | b'`' => 0,
            // U+3000 to U+9FFF: scripts that put no spaces between words.
            0xE3..=0xE9 => GLYPH,
            0xE1 | 0xE2 | 0xEF | 0xF3 => UNSEEN,
            // Letters of other alphabets.
            0x80..=0xFF => 0,
            _ => ODD,
        };
        byte += 1;
    }
    classes
}

/// A piece of text that is looked at by itself.
pub(super) struct Stretch<'t> {
    pub(super) text: &'t str,
    pub(super) traits: u8,
    /// It begins in the middle of a word that was too long.
    pub(super) joined: bool,
    /// It begins inside a private key.
    pub(super) in_key: bool,
}

/// Whether more text may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Open,
    Here,
}

/// How far words reach: which lead, and for how many words; and whether whole lines are needed.
///
/// What leads by letters is looked up word by word; what leads by marks (`<!--`) is looked for
/// inside of words that have any, and holds until a mark closes it.
#[derive(Default)]
pub(super) struct Reach {
    leads: HashMap<Box<[u8]>, u8, BuildHasherDefault<WordHash>>,
    longest: usize,
    /// By the first byte of a word, as bits: how long the words are that lead.
    lengths: Lengths,
    marks: Vec<(Box<[u8]>, u8)>,
    pub(super) whole_lines: bool,
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
    pub(super) fn lead(&mut self, word: &str, words: u8) {
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
    fn led_by(&self, word: &[u8]) -> u8 {
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
}

impl Reach {
    /// How many words the marks in a word lead; nothing said, it stays as it is.
    fn marked_by(&self, word: &[u8]) -> Option<u8> {
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

/// A private key in PEM: where in it the text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Key {
    #[default]
    No,
    /// After `-----BEGIN`.
    Label { words: u8, private: bool },
    /// `strange` words in a row that are no key material.
    Body { strange: u8, any: bool },
    /// After `-----END`.
    End { words: u8 },
}

/// What a stretch takes over from the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Border {
    key: Key,
    joined: bool,
    in_key: bool,
}

/// Remembers how far the text was looked at. The text it is asked with begins where the last
/// stretch ended, and what it has seen once stays the same.
#[derive(Default)]
pub(super) struct Cutter {
    at: usize,
    word: usize,
    traits: u8,
    word_traits: u8,
    held: u8,
    numbers: u8,
    page: u8,
    key: Key,
    joined: bool,
    in_key: bool,
}

impl Cutter {
    /// The next whole stretch, if there is one.
    pub(super) fn next<'t>(
        &mut self,
        text: &'t str,
        ends: Ends,
        reach: &Reach,
    ) -> Option<Stretch<'t>> {
        let bytes = text.as_bytes();
        if self.at == 0 && self.key == Key::No {
            let blank = bytes
                .iter()
                .take_while(|byte| CLASSES[usize::from(**byte)] == SPACE);
            let blank = blank.count();
            if blank > 0 {
                self.joined = false;
                return Some(Stretch {
                    text: &text[..blank],
                    traits: 0,
                    joined: false,
                    in_key: false,
                });
            }
        }
        while self.at < bytes.len() {
            let limit = bytes.len().min(HARD);
            let mut at = self.at;
            let mut seen = self.word_traits;
            while at < limit {
                let class = CLASSES[usize::from(bytes[at])];
                if class >= SPACE {
                    break;
                }
                seen |= class;
                at += 1;
            }
            self.at = at;
            self.word_traits = seen;
            if at >= HARD {
                return Some(self.cut_hard(text));
            }
            if at == bytes.len() {
                break;
            }
            if bytes[at] >= 0x80 {
                // A glyph is a word of its own; the word before it ends here.
                self.end_word(bytes, at, reach);
                self.word = at;
                self.word_traits = 0;
                self.end_word(bytes, at + 3, reach);
                self.word = at + 3;
                self.at = at + 3;
                if self.is_quiet(reach) && !reach.whole_lines || at >= SOFT && !self.is_in_body() {
                    return Some(self.cut(text, at + 3));
                }
                continue;
            }
            self.end_word(bytes, at, reach);
            match bytes[at] {
                b'\n' => {
                    self.numbers = 0;
                    if at > 0 && bytes[at - 1] == b'\n' || reach.whole_lines {
                        self.held = 0;
                        self.page = 0;
                    }
                }
                b'\t' => self.numbers = 0,
                _ => {}
            }
            self.at = at + 1;
            self.word = at + 1;
            let is_quiet = self.is_quiet(reach) && (!reach.whole_lines || bytes[at] == b'\n');
            if is_quiet || (at >= SOFT && !self.is_in_body()) {
                return Some(self.cut(text, at + 1));
            }
        }
        match ends {
            Ends::Here if !bytes.is_empty() => {
                self.end_word(bytes, bytes.len(), reach);
                Some(self.cut(text, bytes.len()))
            }
            Ends::Here | Ends::Open => None,
        }
    }

    /// Asked right after a stretch was cut: what goes on from there goes on the same wherever
    /// this is the same.
    pub(super) fn border(&self) -> Border {
        Border {
            key: self.key,
            joined: self.joined,
            in_key: self.in_key,
        }
    }

    /// Whether the last stretch was cut in the middle of a word.
    pub(super) fn is_joined(&self) -> bool {
        self.joined
    }

    fn is_quiet(&self, reach: &Reach) -> bool {
        let settled = self.held == 0 && self.page == 0 && self.key == Key::No;
        settled && (self.numbers == 0 || reach.whole_lines)
    }

    fn is_in_body(&self) -> bool {
        match self.key {
            Key::No | Key::Label { .. } => false,
            Key::Body { .. } | Key::End { .. } => true,
        }
    }

    /// What the word up to `end` means for the words after it.
    fn end_word(&mut self, bytes: &[u8], end: usize, reach: &Reach) {
        let word = &bytes[self.word..end];
        let Some(last) = word.last() else {
            return;
        };
        let seen = std::mem::take(&mut self.word_traits);
        self.traits |= seen;
        if word.len() > LONG_WORD {
            self.traits |= ODD;
        }
        self.held = self.held.saturating_sub(1).max(reach.led_by(word));
        if seen & ODD != 0
            && let Some(name) = before_open_quote(word)
        {
            self.held = self.held.max(reach.led_by(name));
        }
        if seen & DIGIT != 0 && !matches!(last, b',' | b';') {
            self.numbers = AFTER_NUMBER;
        } else if word.len() == 2 && word.iter().all(u8::is_ascii_uppercase) {
            // Some ids begin with two letters by themselves.
            self.numbers = self.numbers.saturating_sub(1).max(1);
        } else {
            self.numbers = self.numbers.saturating_sub(1);
        }
        if self.key == Key::No && seen & ODD != 0 && word.ends_with(b"Private-Lines:") {
            // PuTTY counts the lines of the key, and puts no mark around it.
            self.key = Key::Body {
                strange: 0,
                any: false,
            };
        } else if self.key != Key::No || (seen & ODD != 0 && word.ends_with(b"-----BEGIN")) {
            self.key = self.key.after(word);
        }
        self.page = self.page.saturating_sub(1);
        // A call with two strings: what comes next belongs to it.
        let is_argument = matches!(word, [.., b'"' | b'\'', b',']);
        if (seen & ODD != 0 || is_argument)
            && let Some(words) = reach.marked_by(word)
        {
            self.page = words;
        }
        if self.held > 0 || self.numbers > 0 || self.page > 0 {
            self.traits |= LED;
        }
    }

    fn cut<'t>(&mut self, text: &'t str, length: usize) -> Stretch<'t> {
        let stretch = Stretch {
            text: &text[..length],
            traits: self.traits,
            joined: self.joined,
            in_key: self.in_key,
        };
        let key = self.key;
        let key_goes_on = self.is_in_body();
        *self = Self {
            key,
            in_key: key_goes_on,
            ..Self::default()
        };
        stretch
    }

    /// Cuts where a token is least likely to be under way. What lies between the cut and the
    /// limit is looked at again, a quarter at most.
    fn cut_hard<'t>(&mut self, text: &'t str) -> Stretch<'t> {
        let bytes = text.as_bytes();
        let is_token = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || byte >= 0x80
                || matches!(
                    byte,
                    b'+' | b'/' | b'=' | b'_' | b'.' | b'-' | b'~' | b'%' | b'@' | b':'
                )
        };
        let late = HARD - HARD / 4;
        // Between two fields rather than between a name and what it is given.
        let ends_field = |byte: &u8| matches!(byte, b',' | b';' | b'{' | b'}' | b'&');
        let field = bytes[late..HARD].iter().rposition(ends_field);
        let any = || bytes[late..HARD].iter().rposition(|byte| !is_token(*byte));
        let mark = field.or_else(any);
        let length = match mark {
            Some(mark) => late + mark + 1,
            None => text.floor_char_boundary(HARD),
        };
        self.traits |= self.word_traits | ODD;
        if self.key
            == (Key::Body {
                strange: 0,
                any: true,
            })
            || self.is_in_body()
        {
            self.key = Key::Body {
                strange: 0,
                any: true,
            };
        } else {
            self.key = Key::No;
        }
        let stretch = self.cut(text, length);
        self.joined = mark.is_none();
        stretch
    }
}

impl Key {
    fn after(self, word: &[u8]) -> Self {
        let has = |mark: &[u8]| word.windows(mark.len()).any(|window| window == mark);
        match self {
            Self::No => Self::Label {
                words: 0,
                private: false,
            },
            Self::Label { words, private } => {
                let private = private || word.starts_with(b"PRIVATE");
                if has(b"-----END") {
                    Self::End { words: 0 }
                } else if has(b"-----") && private {
                    Self::Body {
                        strange: 0,
                        any: false,
                    }
                } else if has(b"-----") || words >= 5 {
                    Self::No
                } else {
                    Self::Label {
                        words: words + 1,
                        private,
                    }
                }
            }
            Self::Body { strange, any } => {
                if has(b"-----END") {
                    Self::End { words: 0 }
                } else if is_key_material(word) {
                    Self::Body {
                        strange: 0,
                        any: true,
                    }
                } else if strange >= if any { 2 } else { 14 } {
                    Self::No
                } else {
                    Self::Body {
                        strange: strange + 1,
                        any,
                    }
                }
            }
            Self::End { words } => {
                if has(b"-----") || words >= 5 {
                    Self::No
                } else {
                    Self::End { words: words + 1 }
                }
            }
        }
    }
}

/// The name that is given what only begins in this word: `password` of `password="open`.
fn before_open_quote(word: &[u8]) -> Option<&[u8]> {
    let mark = memchr::memchr(b'=', word)?;
    let quote = *word
        .get(mark + 1)
        .filter(|byte| matches!(byte, b'"' | b'\''))?;
    let is_open = memchr::memchr(quote, &word[mark + 2..]).is_none();
    is_open.then_some(&word[..mark])
}

/// Whether a word can be a line of a key: base64, and what code puts around it.
pub(super) fn is_key_material(word: &[u8]) -> bool {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'+' | b'/' | b'=' | b'\\' | b'"' | b'\'' | b',' | b'-'
            )
    };
    word.len() >= 16 && word.iter().all(|byte| is_part(*byte))
}
