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
//!
//! A stretch that grows past `HOLD` characters is looked at in parts, so that a stream does not
//! wait for its end: each part is looked at with what stands before it (`CONTEXT`), and what no
//! rule can still begin in is released. Where the parts end depends on the text alone, too.

mod reach;

use std::collections::VecDeque;

pub(super) use reach::Reach;

/// A stretch of words is cut at the first white space after so many bytes.
const SOFT: usize = 2 * 1024;
/// A stretch is never longer.
const HARD: usize = 8 * 1024;
/// So many characters of a stretch are held back before it is looked at in part.
pub(super) const HOLD: usize = 40;
/// No more characters are held back of what is no key.
const BOUND: usize = 64;
/// From so many characters on, a stretch is looked at in part wherever a word or a field ends.
const EARLY: usize = 16;
/// What begins less than so many characters before the end of a part is left to the next one.
pub(super) const AHEAD: usize = 28;
/// So many bytes before a part are looked at together with it.
const CONTEXT: usize = 192;
/// How far after a number a word may stand that says what the number is, in bytes.
const AFTER_DIGITS: usize = 24;
/// No number that is looked for has more digits.
const MOST_DIGITS: usize = 20;
/// How many words after a number are looked at together with it.
const AFTER_NUMBER: u8 = 3;
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
    /// Not a trait of a stretch: a mark that ends a field.
    pub(super) const MARK: u8 = 32;
    /// Not a trait of a stretch: white space, and the first byte of a wide glyph.
    pub(super) const SPACE: u8 = 64;
    pub(super) const GLYPH: u8 = 128;
}
use traits::{AT, DIGIT, GLYPH, LED, MARK, ODD, SPACE, UNSEEN};

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
            b',' | b';' => MARK,
            b'{' | b'}' | b'[' | b']' | b'|' => MARK | ODD,
            b'.' | b'!' | b'?' | b'\'' | b'"' | b'(' | b')' | b'*' | b'`' => 0,
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

/// A stretch, or a part of one that still grows, to be looked at now.
pub(super) struct Look<'t> {
    /// What to look at: of a long stretch, its end.
    pub(super) stretch: Stretch<'t>,
    /// Where that begins, in bytes of the whole stretch.
    pub(super) start: usize,
    pub(super) extent: Extent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// To the end of the stretch.
    Whole,
    /// More of it follows. Before `from` everything is released; from `next` on, what is under
    /// way may still become something. Both in bytes of what is looked at.
    Part { from: usize, next: usize },
}

/// Whether more text may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Open,
    Here,
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

/// A word after which others are looked at together with it.
struct Lead {
    start: usize,
    /// Up to which word of the stretch.
    until: usize,
}

/// A word with a number in it.
struct Digits {
    start: usize,
    end: usize,
    /// Which word of the stretch it is.
    word: usize,
    count: usize,
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
    parts: Parts,
}

/// What a stretch that is looked at in parts remembers of itself.
#[derive(Default)]
struct Parts {
    /// Everything before is released.
    from: usize,
    /// Characters between there and the place that was looked at last.
    fresh: usize,
    /// So many of them were there when nothing could be released.
    waits: usize,
    /// After the last mark of the word.
    mark: usize,
    words: usize,
    leads: VecDeque<Lead>,
    digits: VecDeque<Digits>,
    page: usize,
}

impl Parts {
    /// So many characters may be held back before the next part. What is no key by then passes at
    /// the bound; a key is looked at ever more seldom.
    fn hold(&self) -> usize {
        match self.waits {
            0 => HOLD,
            waits if waits < BOUND => BOUND,
            waits => waits * 2,
        }
    }

    /// The same where a word or a field ends.
    fn early(&self) -> usize {
        EARLY.max(self.waits + EARLY)
    }
}

impl Cutter {
    /// The next whole stretch, or a part of one, if there is any.
    pub(super) fn next<'t>(
        &mut self,
        text: &'t str,
        ends: Ends,
        reach: &Reach,
    ) -> Option<Look<'t>> {
        let bytes = text.as_bytes();
        if self.at == 0 && self.key == Key::No {
            let blank = bytes
                .iter()
                .take_while(|byte| CLASSES[usize::from(**byte)] == SPACE);
            let blank = blank.count();
            if blank > 0 {
                self.joined = false;
                return Some(Look {
                    stretch: Stretch {
                        text: &text[..blank],
                        traits: 0,
                        joined: false,
                        in_key: false,
                    },
                    start: 0,
                    extent: Extent::Whole,
                });
            }
        }
        while self.at < bytes.len() {
            let limit = bytes.len().min(HARD);
            let mut at = self.at;
            let mut seen = self.word_traits;
            let mut fresh = self.parts.fresh;
            let (hold, early) = (self.parts.hold(), self.parts.early());
            let mut is_full = false;
            let mut ends_field = false;
            while at < limit {
                let class = CLASSES[usize::from(bytes[at])];
                if class >= SPACE {
                    break;
                }
                if bytes[at] & 0xC0 != 0x80 {
                    if fresh >= hold {
                        is_full = true;
                        break;
                    }
                    fresh += 1;
                }
                seen |= class;
                at += 1;
                if class & MARK != 0 {
                    self.parts.mark = at;
                    if fresh >= early {
                        ends_field = true;
                        break;
                    }
                }
            }
            self.at = at;
            self.word_traits = seen & !MARK;
            self.parts.fresh = fresh;
            if is_full || ends_field {
                if let Some(look) = self.part(text, at, reach) {
                    return Some(look);
                }
                if is_full {
                    // Inside a private key, or a text that nobody waits for.
                    self.parts.waits = self.parts.fresh;
                }
                continue;
            }
            if at >= HARD {
                return Some(self.cut_hard(text));
            }
            if at == bytes.len() {
                break;
            }
            self.parts.fresh += 1;
            if bytes[at] >= 0x80 {
                // A glyph is a word of its own; the word before it ends here.
                self.end_word(bytes, at, reach);
                self.begin_word(at);
                self.word_traits = 0;
                self.end_word(bytes, at + 3, reach);
                self.begin_word(at + 3);
                self.at = at + 3;
                if self.is_quiet(reach) && !reach.whole_lines || at >= SOFT && !self.is_in_body() {
                    return Some(self.cut(text, at + 3));
                }
            } else {
                self.end_word(bytes, at, reach);
                match bytes[at] {
                    b'\n' => {
                        self.numbers = 0;
                        self.parts.digits.clear();
                        if at > 0 && bytes[at - 1] == b'\n' || reach.whole_lines {
                            self.held = 0;
                            self.page = 0;
                        }
                    }
                    b'\t' => {
                        self.numbers = 0;
                        self.parts.digits.clear();
                    }
                    _ => {}
                }
                self.at = at + 1;
                self.begin_word(at + 1);
                let is_quiet = self.is_quiet(reach) && (!reach.whole_lines || bytes[at] == b'\n');
                if is_quiet || (at >= SOFT && !self.is_in_body()) {
                    return Some(self.cut(text, at + 1));
                }
            }
            if self.parts.fresh >= self.parts.early()
                && let Some(look) = self.part(text, self.at, reach)
            {
                return Some(look);
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

    fn begin_word(&mut self, at: usize) {
        self.word = at;
        self.parts.mark = at;
    }

    /// The part up to `end`, where something of it can be released.
    fn part<'t>(&mut self, text: &'t str, end: usize, reach: &Reach) -> Option<Look<'t>> {
        if self.key != Key::No || !reach.in_parts {
            return None;
        }
        let parts = &mut self.parts;
        let is_full = parts.fresh >= parts.hold();
        let mut next = self.word.max(parts.mark);
        if reach.whole_lines {
            // An expression may begin anywhere.
            next = parts.from;
        }
        if self.held > 0 {
            while parts
                .leads
                .front()
                .is_some_and(|it| it.until <= parts.words)
            {
                parts.leads.pop_front();
            }
            next = next.min(parts.leads.front().map_or(next, |it| it.start));
        }
        if self.page > 0 {
            next = next.min(parts.page);
        }
        next = next.min(parts.open_digits(end));
        let ahead = text[parts.from..end].char_indices().rev().nth(AHEAD - 1);
        if is_full {
            next = next.max(ahead.map_or(parts.from, |(at, _)| parts.from + at));
        }
        if next <= parts.from {
            return None;
        }
        let start = text.floor_char_boundary(parts.from.saturating_sub(CONTEXT));
        let is_inside = start > 0 && CLASSES[usize::from(text.as_bytes()[start - 1])] != SPACE;
        let long_word = if end - self.word > LONG_WORD { ODD } else { 0 };
        Some(Look {
            stretch: Stretch {
                text: &text[start..end],
                traits: self.traits | self.word_traits | long_word,
                joined: if start == 0 { self.joined } else { is_inside },
                in_key: start == 0 && self.in_key,
            },
            start,
            extent: Extent::Part {
                from: parts.from - start,
                next: next - start,
            },
        })
    }

    /// After a part was looked at: everything before `from` is released.
    pub(super) fn release(&mut self, text: &str, from: usize) {
        let parts = &mut self.parts;
        if from > parts.from {
            parts.from = from;
            parts.fresh = text[from..self.at].chars().count();
            parts.waits = 0;
        } else {
            parts.waits = parts.fresh;
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

    /// Whether nothing could be released when the stretch was looked at last.
    pub(super) fn waits(&self) -> bool {
        self.parts.waits > 0 || self.key != Key::No || self.in_key
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
        let mut led = reach.led_by(word);
        if seen & ODD != 0
            && let Some(name) = before_open_quote(word)
        {
            led = led.max(reach.led_by(name));
        }
        self.held = self.held.saturating_sub(1).max(led);
        self.parts.words += 1;
        let words = self.parts.words;
        if led > 0 {
            self.parts.leads.push_back(Lead {
                start: self.word,
                until: words + usize::from(led),
            });
        }
        let is_number = seen & DIGIT != 0 && has_number(word);
        if is_number {
            let count = word.iter().filter(|byte| byte.is_ascii_digit()).count();
            self.parts.digits.push_back(Digits {
                start: self.word,
                end,
                word: words,
                count,
            });
        }
        if is_number && !matches!(last, b',' | b';') {
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
            if self.page <= 1 {
                self.parts.page = self.word;
            }
            self.page = words;
        }
        if self.held > 0 || self.numbers > 0 || self.page > 0 {
            self.traits |= LED;
        }
    }

    fn cut<'t>(&mut self, text: &'t str, length: usize) -> Look<'t> {
        let from = self.parts.from.saturating_sub(CONTEXT);
        // What is inside a private key is told by how it began.
        let start = if self.in_key || self.key != Key::No {
            0
        } else {
            text.floor_char_boundary(from)
        };
        let is_inside = start > 0 && CLASSES[usize::from(text.as_bytes()[start - 1])] != SPACE;
        let look = Look {
            stretch: Stretch {
                text: &text[start..length],
                traits: self.traits,
                joined: if start == 0 { self.joined } else { is_inside },
                in_key: self.in_key,
            },
            start,
            extent: Extent::Whole,
        };
        let key = self.key;
        let key_goes_on = self.is_in_body();
        *self = Self {
            key,
            in_key: key_goes_on,
            ..Self::default()
        };
        look
    }

    /// Cuts where a token is least likely to be under way. What lies between the cut and the
    /// limit is looked at again, a quarter at most.
    fn cut_hard<'t>(&mut self, text: &'t str) -> Look<'t> {
        let bytes = text.as_bytes();
        let is_token = |byte: u8| {
            byte.is_ascii_alphanumeric()
                || byte >= 0x80
                || matches!(
                    byte,
                    b'+' | b'/' | b'=' | b'_' | b'.' | b'-' | b'~' | b'%' | b'@' | b':'
                )
        };
        let late = (HARD - HARD / 4).max(self.parts.from);
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
        let look = self.cut(text, length);
        self.joined = mark.is_none();
        look
    }
}

impl Parts {
    /// Where the first number begins that may still go on, or that a word may still name.
    fn open_digits(&mut self, end: usize) -> usize {
        let last_word = self.words;
        let is_over = |it: &Digits| it.end + AFTER_DIGITS < end && it.word + 9 < last_word;
        while self.digits.front().is_some_and(is_over) {
            self.digits.pop_front();
        }
        let mut open = end;
        let mut count = 0;
        let mut follows = last_word;
        for it in self.digits.iter().rev() {
            let goes_on = it.word == follows && count + it.count <= MOST_DIGITS;
            if goes_on {
                follows -= 1;
                count += it.count;
            }
            if goes_on || it.end + AFTER_DIGITS >= end {
                open = it.start;
            }
        }
        open
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
                } else if has(b"-----") || words >= 5 || !is_label(word) {
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

/// Whether a word holds a number, a group of one, or an id of letters and digits: not the digits of
/// a name (`user_1`) or of a hash.
fn has_number(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let mut pieces = word.split(|byte| !is_part(byte));
    pieces.any(|piece| {
        let digits = piece.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_large = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let is_id = (6..=18).contains(&piece.len()) && digits >= 4;
        let begins_id =
            piece.len() == 4 && digits == 2 && piece[..2].iter().all(u8::is_ascii_alphabetic);
        let is_group = piece.len() <= 34 && piece.iter().all(is_large);
        digits > 0 && (is_id || begins_id || is_group)
    })
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

/// Whether a word can stand in the first line of a key: `RSA`, `PRIVATE`.
fn is_label(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'-';
    word.iter().all(is_part)
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
