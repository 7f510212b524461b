//! The forms that a text may be written in, each decoded once: escapes of JSON, programs, HTML
//! and URLs, quoted-printable, base64, hexadecimal and lists of byte values. Pure and linear in
//! the text. What is no such form is left as it is or left out.

use std::ops::Range;

use markup5ever::data::NAMED_ENTITIES;

use super::letters::{BARRIER, Letter, joined};

/// Fewer characters of base64 hold nothing that is looked for.
const SHORTEST_BASE64: usize = 7;
/// Fewer bytes hold nothing that is looked for.
const FEWEST_BYTES: usize = 5;
/// Byte values that belong together are at most this far apart: `", "0x`.
const LONGEST_GAP: usize = 5;
/// No entity of HTML has a longer name, with its semicolon.
const LONGEST_ENTITY: usize = 32;

/// A decoded byte and the bytes of the text it was decoded from.
#[derive(Clone, Copy)]
pub(super) struct Byte {
    value: u8,
    /// The place of what it was decoded from.
    place: Letter,
}

impl Byte {
    fn of(value: u8, letters: &[Letter]) -> Self {
        let place = joined(char::REPLACEMENT_CHARACTER, letters);
        Self { value, place }
    }

    /// Where decoding has to begin for it to come out again.
    pub(super) fn from(&self) -> usize {
        self.place.from
    }
}

/// Whether more may follow on some bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Closed,
    /// Half a character at the end may become a whole one.
    Open,
}

/// Whether a text can be read in one way only, but for encodings that make it longer.
pub(super) fn is_plain(text: &str) -> bool {
    let escapes = [b'\\', b'&', b'%', b'='];
    text.is_ascii() && !text.bytes().any(|byte| escapes.contains(&byte))
}

/// One level of escapes less; none where there is no escape.
pub(super) fn unescaped(letters: &[Letter]) -> Option<Vec<Letter>> {
    let mut out = Vec::with_capacity(letters.len());
    // Bytes that are escaped one by one are characters together.
    let mut bytes = Vec::new();
    let mut is_changed = false;
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        let read = match letter.value {
            '%' => hex_byte(letters, at + 1).map(|value| (Escaped::Byte(value), 3)),
            '\\' => backslash(letters, at),
            '&' => entity(letters, at),
            '+' => Some((Escaped::Character(' '), 1)),
            _ => None,
        };
        let Some((escaped, length)) = read else {
            flush(&mut bytes, &mut out, Ending::Closed);
            out.push(*letter);
            at += 1;
            continue;
        };
        is_changed = true;
        let written = &letters[at..at + length];
        match escaped {
            Escaped::Byte(value) => bytes.push(Byte::of(value, written)),
            Escaped::Character(value) => {
                flush(&mut bytes, &mut out, Ending::Closed);
                out.push(joined(value, written));
            }
        }
        at += length;
    }
    flush(&mut bytes, &mut out, Ending::Open);
    is_changed.then_some(out)
}

enum Escaped {
    Byte(u8),
    Character(char),
}

fn backslash(letters: &[Letter], at: usize) -> Option<(Escaped, usize)> {
    let value = letters.get(at + 1)?.value;
    let number = |from: usize, digits: usize| {
        let digits = letters.get(from..from + digits)?;
        digits.iter().try_fold(0_u32, |sum, digit| {
            Some(sum * 16 + digit.value.to_digit(16)?)
        })
    };
    match value {
        'x' => Some((Escaped::Byte(hex_byte(letters, at + 2)?), 4)),
        'u' if letters.get(at + 2).is_some_and(|it| it.value == '{') => {
            let digits = letters.iter().skip(at + 3).take(8);
            let length = digits.take_while(|it| it.value.is_ascii_hexdigit()).count();
            let closes = letters.get(at + 3 + length)?.value == '}';
            let value = char::from_u32(number(at + 3, length)?).filter(|_| closes)?;
            Some((Escaped::Character(value), length + 4))
        }
        'u' => {
            let first = number(at + 2, 4)?;
            if let Some(value) = char::from_u32(first) {
                return Some((Escaped::Character(value), 6));
            }
            let is_pair = letters.get(at + 6)?.value == '\\' && letters.get(at + 7)?.value == 'u';
            let second = number(at + 8, 4).filter(|_| is_pair)?;
            let units = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
            let value = char::decode_utf16(units).next()?.ok()?;
            Some((Escaped::Character(value), 12))
        }
        'U' => Some((Escaped::Character(char::from_u32(number(at + 2, 8)?)?), 10)),
        '0'..='3' => {
            let digits = letters.get(at + 1..at + 4)?;
            let value = digits
                .iter()
                .try_fold(0_u32, |sum, digit| Some(sum * 8 + digit.value.to_digit(8)?))?;
            Some((Escaped::Byte(u8::try_from(value).ok()?), 4))
        }
        't' => Some((Escaped::Character('\t'), 2)),
        'n' | 'r' | 'b' | 'f' | 'v' => Some((Escaped::Character('\n'), 2)),
        other => Some((Escaped::Character(other), 2)),
    }
}

fn entity(letters: &[Letter], at: usize) -> Option<(Escaped, usize)> {
    let inside = letters.iter().skip(at + 1).take(LONGEST_ENTITY);
    let name: String = inside
        .map(|it| it.value)
        .take_while(|it| it.is_ascii_alphanumeric() || matches!(it, '#' | ';'))
        .collect();
    let (value, length) = if let Some(number) = name.strip_prefix('#') {
        numbered_entity(number)?
    } else {
        named_entity(&name)?
    };
    Some((Escaped::Character(value), length + 1))
}

/// The character of `223;` or `xDF;`, and how long that and the `#` before it are.
fn numbered_entity(number: &str) -> Option<(char, usize)> {
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    let end = digits.find(|it: char| !it.is_digit(radix));
    let digits = &digits[..end.unwrap_or(digits.len())];
    let value = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
    let length = digits.len() + usize::from(radix == 16);
    let closes = number[length..].starts_with(';');
    Some((value, 1 + length + usize::from(closes)))
}

/// The same for a name; some are written without a semicolon as well.
fn named_entity(name: &str) -> Option<(char, usize)> {
    // A semicolon ends a name.
    let end = name.find(';').map_or(name.len(), |at| at + 1);
    (1..=end).rev().find_map(|length| {
        let (first, _) = NAMED_ENTITIES.get(&name[..length])?;
        // The table has the beginnings of names, too, which stand for nothing.
        let value = char::from_u32(*first).filter(|it| *it != '\0')?;
        Some((value, length))
    })
}

fn hex_byte(letters: &[Letter], at: usize) -> Option<u8> {
    let digits = letters.get(at..at + 2)?;
    let value = digits[0].value.to_digit(16)? * 16 + digits[1].value.to_digit(16)?;
    u8::try_from(value).ok()
}

/// Quoted-printable; a pass of its own, since `=` before two digits is common elsewhere.
pub(super) fn quoted_printable(letters: &[Letter]) -> Option<Vec<Letter>> {
    let mut out = Vec::with_capacity(letters.len());
    let mut bytes = Vec::new();
    let mut is_changed = false;
    let mut at = 0;
    while let Some(letter) = letters.get(at) {
        match hex_byte(letters, at + 1).filter(|_| letter.value == '=') {
            Some(value) => {
                bytes.push(Byte::of(value, &letters[at..at + 3]));
                is_changed = true;
                at += 3;
            }
            None => {
                flush(&mut bytes, &mut out, Ending::Closed);
                out.push(*letter);
                at += 1;
            }
        }
    }
    flush(&mut bytes, &mut out, Ending::Open);
    is_changed.then_some(out)
}

/// What the base64 of the text says, in both alphabets, when the first `skipped` characters of
/// each run are left out: what is looked for may begin anywhere in a run.
pub(super) fn base64(letters: &[Letter], skipped: usize) -> Vec<Letter> {
    let mut out = Vec::new();
    let mut run: Vec<Letter> = Vec::new();
    for letter in letters {
        // Long base64 is broken into lines.
        let is_break = matches!(letter.value, '\n' | '\r') && !run.is_empty();
        if is_base64(letter.value) {
            run.push(*letter);
        } else if !is_break {
            base64_run(&mut run, skipped, &mut out);
        }
    }
    base64_run(&mut run, skipped, &mut out);
    out
}

fn base64_run(run: &mut Vec<Letter>, skipped: usize, out: &mut Vec<Letter>) {
    if run.len() >= SHORTEST_BASE64 + skipped {
        decoded(&mut base64_bytes(&run[skipped..]), out);
    }
    run.clear();
}

/// The bytes that are whole in a run of base64.
pub(super) fn base64_bytes(run: &[Letter]) -> Vec<Byte> {
    let mut bytes = Vec::with_capacity(run.len());
    for group in run.chunks(4) {
        let from = group.iter().map(|it| it.from).min().unwrap_or_default();
        for (first, shift) in [(0, 4), (1, 2), (2, 0)] {
            let (Some(high), Some(low)) = (group.get(first), group.get(first + 1)) else {
                break;
            };
            let sextets = sextet(high.value).zip(sextet(low.value));
            let value = sextets.map_or(0, |(high, low)| (high << 6 | low) >> shift & 0xFF);
            let value = u8::try_from(value).unwrap_or_default();
            let mut byte = Byte::of(value, &[*high, *low]);
            byte.place.from = from;
            bytes.push(byte);
        }
    }
    bytes
}

pub(super) fn is_base64(value: char) -> bool {
    sextet(value).is_some()
}

fn sextet(value: char) -> Option<u32> {
    Some(match value {
        'A'..='Z' => u32::from(value) - u32::from('A'),
        'a'..='z' => u32::from(value) - u32::from('a') + 26,
        '0'..='9' => u32::from(value) - u32::from('0') + 52,
        '+' | '-' => 62,
        '/' | '_' => 63,
        _ => return None,
    })
}

/// Which numbers stand for bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// In one piece, in groups, or each by itself, with or without `0x` before it. `skipped` is
    /// how many digits of a piece are left out at its beginning.
    Hex {
        skipped: usize,
    },
    Decimal,
}

/// What the byte values in the text say.
pub(super) fn byte_values(letters: &[Letter], numbers: Numbers) -> Vec<Letter> {
    let mut out = Vec::new();
    let mut runs = Runs::new(numbers);
    for word in number_words(letters, numbers) {
        if let Some(mut run) = runs.add(letters, word) {
            run_of_bytes(&mut run, &mut out);
        }
    }
    run_of_bytes(&mut runs.bytes, &mut out);
    out
}

/// The byte values at the end of a text, and where the first begins that is not over. None where
/// what follows belongs to none of them.
pub(super) fn last_bytes(
    letters: &[Letter],
    numbers: Numbers,
) -> Option<(Vec<Byte>, Option<usize>)> {
    let mut words: Vec<Range<usize>> = number_words(letters, numbers).collect();
    let last = words.last()?.clone();
    if letters.len() - last.end > LONGEST_GAP {
        return None;
    }
    let mut open = None;
    if last.end == letters.len() {
        open = match numbers {
            Numbers::Hex { skipped } => {
                let digits = last.len().saturating_sub(skipped);
                (digits % 2 == 1 || last.len() == skipped).then_some(last.end - 1)
            }
            Numbers::Decimal => Some(last.start),
        };
        let is_unread = match numbers {
            Numbers::Hex { skipped } => last.len() < skipped + 2,
            Numbers::Decimal => true,
        };
        if is_unread {
            words.pop();
        }
    }
    let mut runs = Runs::new(numbers);
    for word in words {
        runs.add(letters, word);
    }
    Some((runs.bytes, open.map(|at| letters[at].from)))
}

/// Byte values one after another.
struct Runs {
    numbers: Numbers,
    bytes: Vec<Byte>,
    end: usize,
}

impl Runs {
    fn new(numbers: Numbers) -> Self {
        Self {
            numbers,
            bytes: Vec::new(),
            end: 0,
        }
    }

    /// Adds a word of digits, and returns the run before it where a new one begins.
    fn add(&mut self, letters: &[Letter], word: Range<usize>) -> Option<Vec<Byte>> {
        let is_far = word.start - self.end > LONGEST_GAP;
        let before = self.bytes.len();
        let digits = &letters[word.clone()];
        let is_read = match self.numbers {
            Numbers::Hex { skipped } => hex_word(digits, skipped, &mut self.bytes),
            Numbers::Decimal => decimal_word(digits, &mut self.bytes),
        };
        self.end = word.end;
        if is_read && !is_far {
            return None;
        }
        let next = self.bytes.split_off(before);
        let run = std::mem::replace(&mut self.bytes, next);
        (!run.is_empty()).then_some(run)
    }
}

/// The words that consist of digits, but for the beginning of `0x63`.
fn number_words(letters: &[Letter], numbers: Numbers) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < letters.len() {
            let length = number(&letters[at..], numbers);
            let word = at..at + length;
            at = word.end.max(at + 1);
            let next = letters.get(word.end).map(|it| it.value);
            let is_prefix =
                length == 1 && letters[word.start].value == '0' && matches!(next, Some('x' | 'X'));
            if length > 0 && !is_prefix {
                return Some(word);
            }
        }
        None
    })
}

/// How many digits stand here.
fn number(letters: &[Letter], numbers: Numbers) -> usize {
    let is_digit = |it: &&Letter| match numbers {
        Numbers::Hex { .. } => it.value.is_ascii_hexdigit(),
        Numbers::Decimal => it.value.is_ascii_digit(),
    };
    letters.iter().take_while(is_digit).count()
}

fn hex_word(word: &[Letter], skipped: usize, bytes: &mut Vec<Byte>) -> bool {
    let digits = word.get(skipped..).unwrap_or_default();
    for (at, pair) in digits.chunks_exact(2).enumerate() {
        if let Some(value) = hex_byte(digits, at * 2) {
            bytes.push(Byte::of(value, pair));
        }
    }
    digits.len() >= 2
}

fn decimal_word(word: &[Letter], bytes: &mut Vec<Byte>) -> bool {
    let value = word.iter().try_fold(0_u32, |sum, digit| {
        let sum = sum * 10 + digit.value.to_digit(10)?;
        (sum <= 255).then_some(sum)
    });
    let Some(value) = value else {
        return false;
    };
    bytes.push(Byte::of(u8::try_from(value).unwrap_or_default(), word));
    true
}

fn run_of_bytes(bytes: &mut Vec<Byte>, out: &mut Vec<Letter>) {
    if bytes.len() >= FEWEST_BYTES {
        decoded(bytes, out);
    }
    bytes.clear();
}

/// A whole run of decoded bytes; what has hardly a character to read in it was not encoded.
fn decoded(bytes: &mut Vec<Byte>, out: &mut Vec<Letter>) {
    let from = out.len();
    let readable = flush(bytes, out, Ending::Closed);
    if readable < FEWEST_BYTES {
        out.truncate(from);
    } else {
        barrier(out);
    }
}

fn barrier(out: &mut Vec<Letter>) {
    if let Some(last) = out.last().copied() {
        out.push(Letter {
            value: BARRIER,
            start: last.end,
            end: last.end,
            from: last.end,
        });
    }
}

/// How many bytes at the end are the beginning of a character in UTF-8, and not all of it.
pub(super) fn half_a_character(bytes: &[Byte]) -> usize {
    let is_half = |length: &usize| {
        let Some(at) = bytes.len().checked_sub(*length) else {
            return false;
        };
        let values: Vec<u8> = bytes[at..].iter().map(|it| it.value).collect();
        let read = std::str::from_utf8(&values);
        read.is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    };
    (1..4).find(is_half).unwrap_or(0)
}

/// Bytes as the characters they are in UTF-8, or in Latin-1 where they are none; returns how many
/// are plainly text. Windows keeps punctuation where Latin-1 has controls, so those are nothing.
pub(super) fn flush(bytes: &mut Vec<Byte>, out: &mut Vec<Letter>, ending: Ending) -> usize {
    let mut at = 0;
    let mut readable = 0;
    while let Some(first) = bytes.get(at) {
        let length = utf8_length(first.value);
        let is_cut = ending == Ending::Open && at + length > bytes.len();
        match read_character(&bytes[at..], length) {
            Some(letter) => {
                readable += usize::from(!letter.value.is_control());
                out.push(letter);
                at += length;
            }
            None => {
                let value = match first.value {
                    0xA0.. if !is_cut => char::from(first.value),
                    _ => char::REPLACEMENT_CHARACTER,
                };
                let place = first.place;
                out.push(Letter { value, ..place });
                at += 1;
            }
        }
    }
    bytes.clear();
    readable
}

/// How many bytes a character has that begins with this one; none where none does.
fn utf8_length(first: u8) -> usize {
    match first {
        0x00..=0x7F => 1,
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        0x80..=0xC1 | 0xF5..=0xFF => 0,
    }
}

fn read_character(bytes: &[Byte], length: usize) -> Option<Letter> {
    let bytes = bytes.get(..length)?;
    let mut encoded = [0; 4];
    let mut places = [bytes.first()?.place; 4];
    for (at, byte) in bytes.iter().enumerate() {
        (encoded[at], places[at]) = (byte.value, byte.place);
    }
    let text = std::str::from_utf8(&encoded[..length]).ok()?;
    Some(joined(text.chars().next()?, &places[..length]))
}

/// What the UTF-16 of a text is read as by who takes it for bytes.
pub(super) fn utf16_as_bytes(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<Letter> {
    let mut bytes: Vec<Byte> = text
        .encode_utf16()
        .flat_map(to_bytes)
        .map(|value| Byte::of(value, &[]))
        .collect();
    let mut letters = Vec::with_capacity(bytes.len());
    flush(&mut bytes, &mut letters, Ending::Closed);
    letters
}
