//! International bank account numbers: a country, its length, and a remainder of one.

use std::ops::Range;

use super::number::mark_width;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

pub(super) const RULE: Rule = Rule::personal(
    "iban",
    "IBAN",
    "An international bank account number, with its check digits.",
    Finder::Whole {
        traits: traits::DIGIT,
        find,
    },
);

const LENGTHS: &[(&[u8; 2], usize)] = &[
    (b"AD", 24),
    (b"AE", 23),
    (b"AL", 28),
    (b"AT", 20),
    (b"AZ", 28),
    (b"BA", 20),
    (b"BE", 16),
    (b"BG", 22),
    (b"BH", 22),
    (b"BR", 29),
    (b"BY", 28),
    (b"CH", 21),
    (b"CR", 22),
    (b"CY", 28),
    (b"CZ", 24),
    (b"DE", 22),
    (b"DK", 18),
    (b"DO", 28),
    (b"EE", 20),
    (b"EG", 29),
    (b"ES", 24),
    (b"FI", 18),
    (b"FO", 18),
    (b"FR", 27),
    (b"GB", 22),
    (b"GE", 22),
    (b"GI", 23),
    (b"GL", 18),
    (b"GR", 27),
    (b"GT", 28),
    (b"HR", 21),
    (b"HU", 28),
    (b"IE", 22),
    (b"IL", 23),
    (b"IQ", 23),
    (b"IS", 26),
    (b"IT", 27),
    (b"JO", 30),
    (b"KW", 30),
    (b"KZ", 20),
    (b"LB", 28),
    (b"LC", 32),
    (b"LI", 21),
    (b"LT", 20),
    (b"LU", 20),
    (b"LV", 21),
    (b"LY", 25),
    (b"MC", 27),
    (b"MD", 24),
    (b"ME", 22),
    (b"MK", 19),
    (b"MR", 27),
    (b"MT", 31),
    (b"MU", 30),
    (b"NL", 18),
    (b"NO", 15),
    (b"PK", 24),
    (b"PL", 28),
    (b"PS", 29),
    (b"PT", 25),
    (b"QA", 29),
    (b"RO", 24),
    (b"RS", 22),
    (b"SA", 24),
    (b"SC", 31),
    (b"SE", 24),
    (b"SI", 19),
    (b"SK", 24),
    (b"SM", 27),
    (b"ST", 25),
    (b"SV", 28),
    (b"TL", 23),
    (b"TN", 24),
    (b"TR", 26),
    (b"UA", 29),
    (b"VA", 22),
    (b"VG", 24),
    (b"XK", 20),
];

fn find(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    let mut from = 0;
    while from + 15 <= bytes.len() {
        let start = from;
        from += 1;
        let is_start = bytes[start].is_ascii_alphabetic()
            && bytes[start + 1].is_ascii_alphabetic()
            && (bytes[start + 2].is_ascii_digit() || bytes[start + 2] == b' ')
            && !start
                .checked_sub(1)
                .is_some_and(|before| bytes[before].is_ascii_alphanumeric());
        if is_start && let Some(end) = end_of(bytes, start) {
            found(start..end);
            from = end;
        }
    }
}

fn end_of(bytes: &[u8], start: usize) -> Option<usize> {
    let country = [
        bytes[start].to_ascii_uppercase(),
        bytes[start + 1].to_ascii_uppercase(),
    ];
    let (_, length) = LENGTHS.iter().find(|(known, _)| **known == country)?;
    let mut letters = Vec::with_capacity(*length);
    let mut at = start;
    while letters.len() < *length {
        let byte = *bytes.get(at)?;
        if byte.is_ascii_alphanumeric() {
            letters.push(byte.to_ascii_uppercase());
        } else {
            let is_mark = !matches!(byte, b'/' | b'(' | b')' | b'+');
            let width = mark_width(&bytes[at..]).filter(|_| is_mark)?;
            if !bytes[at - 1].is_ascii_alphanumeric() {
                return None;
            }
            at += width;
            continue;
        }
        at += 1;
    }
    let is_whole = !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    letters.rotate_left(4);
    let rest = letters.iter().fold(0_u32, |rest, byte| {
        if byte.is_ascii_digit() {
            (rest * 10 + u32::from(byte - b'0')) % 97
        } else {
            (rest * 100 + u32::from(byte - b'A') + 10) % 97
        }
    });
    (is_whole && rest == 1 && letters[letters.len() - 2..].iter().all(u8::is_ascii_digit))
        .then_some(at)
}
