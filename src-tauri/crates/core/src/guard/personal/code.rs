//! Ids of letters and digits, most of them with a letter that checks the rest.

use std::ops::Range;

use super::number::{has_word_near, is_day};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

/// A word of letters and digits, and where it stands.
pub(in crate::guard) struct Code<'t> {
    pub(super) text: &'t str,
    pub(in crate::guard) span: Range<usize>,
}

impl Code<'_> {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.text.as_bytes()[self.span.clone()]
    }

    pub(super) fn is_called(&self, words: &[&str]) -> bool {
        has_word_near(self.text, &self.span, words)
    }
}

const fn id(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    length: std::ops::RangeInclusive<usize>,
    check: fn(&Code) -> bool,
) -> Rule {
    Rule::personal(name, label, about, Finder::Code { length, check })
}

pub(super) const RULES: &[Rule] = &[
    id(
        "es-dni",
        "DNI",
        "An identity number of Spain.",
        9..=9,
        es_dni,
    ),
    id(
        "es-nie",
        "NIE",
        "A foreigner's number of Spain.",
        9..=9,
        es_nie,
    ),
    id(
        "it-cf",
        "CODICE_FISCALE",
        "A fiscal code of Italy.",
        16..=16,
        it_cf,
    ),
    id(
        "in-pan",
        "PAN",
        "A permanent account number of India.",
        10..=10,
        in_pan,
    )
    .leads(&[("pan", 4)]),
    id(
        "sg-nric",
        "NRIC",
        "An identity number of Singapore.",
        9..=9,
        sg_nric,
    )
    .leads(&[("nric", 4), ("fin", 4)]),
    id("mx-curp", "CURP", "A CURP of Mexico.", 18..=18, mx_curp),
    id(
        "cn-id-x",
        "NATIONAL_ID",
        "An identity number of China that ends in X.",
        18..=18,
        cn_id_x,
    ),
    id(
        "ie-pps",
        "PPS",
        "A public service number of Ireland.",
        8..=9,
        ie_pps,
    )
    .leads(&[("pps", 4), ("ppsn", 4)]),
    Rule::personal(
        "hk-id-checked",
        "HKID",
        "An identity number of Hong Kong, with its check digit in brackets.",
        Finder::Whole {
            traits: traits::DIGIT,
            find: hk_id_checked,
        },
    ),
    id(
        "hk-id",
        "HKID",
        "An identity number of Hong Kong, beside its name.",
        7..=9,
        hk_id,
    )
    .leads(&[("hkid", 4), ("hk", 4), ("kong", 4)]),
    id(
        "us-license",
        "LICENSE",
        "The number of a driving licence, beside its name.",
        6..=14,
        licence,
    )
    .leads(&[
        ("license", 5),
        ("licence", 5),
        ("driver", 6),
        ("drivers", 6),
        ("driving", 6),
        ("dl", 4),
    ]),
    Rule::personal(
        "uk-nino",
        "NINO",
        "A national insurance number of Britain.",
        Finder::Whole {
            traits: traits::DIGIT,
            find: uk_nino,
        },
    )
    .leads(&[("ni", 7), ("nino", 6)]),
    Rule::personal(
        "fi-hetu",
        "NATIONAL_ID",
        "A personal code of Finland.",
        Finder::Whole {
            traits: traits::DIGIT,
            find: fi_hetu,
        },
    ),
];

/// Offers every word of letters and digits that has both.
pub(in crate::guard) fn each(text: &str, mut offer: impl FnMut(&Code)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let word = bytes[at..].iter();
        let length = word
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let span = at..at + length;
        at = span.end;
        let word = &bytes[span.clone()];
        if (6..=18).contains(&length)
            && word.iter().any(u8::is_ascii_alphabetic)
            && word.iter().filter(|byte| byte.is_ascii_digit()).count() >= 4
        {
            offer(&Code { text, span });
        }
    }
}

fn number(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

const DNI: &[u8] = b"TRWAGMYFPDXBNJZSQVHLCKE";

/// The letter that checks eight digits, or X, Y or Z and seven.
pub(super) fn dni_letter(written: &[u8]) -> Option<u8> {
    let (first, rest) = written.split_first().filter(|_| written.len() == 8)?;
    let value = match first {
        b'X'..=b'Z' => number(rest)? + u32::from(first - b'X') * 10_000_000,
        _ => number(written)?,
    };
    Some(DNI[value as usize % 23])
}

fn es_dni(code: &Code) -> bool {
    let bytes = code.bytes();
    number(&bytes[..8])
        .is_some_and(|value| DNI[value as usize % 23] == bytes[8].to_ascii_uppercase())
}

fn es_nie(code: &Code) -> bool {
    let bytes = code.bytes();
    let Some(first) = b"XYZ"
        .iter()
        .position(|letter| *letter == bytes[0].to_ascii_uppercase())
    else {
        return false;
    };
    let value = number(&bytes[1..8]).map(|value| value + first as u32 * 10_000_000);
    value.is_some_and(|value| DNI[value as usize % 23] == bytes[8].to_ascii_uppercase())
}

fn it_cf(code: &Code) -> bool {
    const ODD: [u32; 36] = [
        1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3,
        6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
    ];
    let bytes: Vec<u8> = code.bytes().to_ascii_uppercase();
    let is_formed = bytes.iter().enumerate().all(|(place, byte)| match place {
        0..=5 | 8 | 11 | 15 => byte.is_ascii_uppercase(),
        _ => byte.is_ascii_alphanumeric(),
    });
    let value = |byte: u8| {
        if byte.is_ascii_digit() {
            u32::from(byte - b'0')
        } else {
            u32::from(byte - b'A')
        }
    };
    let sum: u32 = bytes[..15]
        .iter()
        .enumerate()
        .map(|(place, byte)| {
            if place % 2 == 0 {
                let at = if byte.is_ascii_digit() {
                    value(*byte)
                } else {
                    value(*byte) + 10
                };
                ODD.get(at as usize).copied().unwrap_or(0)
            } else {
                value(*byte)
            }
        })
        .sum();
    is_formed && sum % 26 == value(bytes[15])
}

fn in_pan(code: &Code) -> bool {
    let bytes = code.bytes();
    bytes[..5].iter().all(u8::is_ascii_uppercase)
        && bytes[5..9].iter().all(u8::is_ascii_digit)
        && bytes[9].is_ascii_uppercase()
        && b"PCHFATBLJG".contains(&bytes[3])
}

fn sg_nric(code: &Code) -> bool {
    let bytes = code.bytes().to_ascii_uppercase();
    if !bytes[1..8].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let weights = [2, 7, 6, 5, 4, 3, 2];
    let sum: u32 = bytes[1..8]
        .iter()
        .zip(weights)
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .sum();
    let (more, letters): (u32, &[u8]) = match bytes[0] {
        b'S' => (0, b"JZIHGFEDCBA"),
        b'T' => (4, b"JZIHGFEDCBA"),
        b'F' => (0, b"XWUTRQPNMLK"),
        b'G' => (4, b"XWUTRQPNMLK"),
        b'M' => (3, b"KLJNPQRTUWX"),
        _ => return false,
    };
    letters[(sum + more) as usize % 11] == bytes[8]
        || letters.contains(&bytes[8]) && code.is_called(&["nric", "fin", "singapore"])
}

fn mx_curp(code: &Code) -> bool {
    let bytes = code.bytes();
    let two = |from: usize| number(&bytes[from..from + 2]).unwrap_or(0);
    bytes[..4].iter().all(u8::is_ascii_uppercase)
        && bytes[4..10].iter().all(u8::is_ascii_digit)
        && is_day(two(6), two(8))
        && matches!(bytes[10], b'H' | b'M' | b'X')
        && bytes[11..16].iter().all(u8::is_ascii_uppercase)
        && bytes[17].is_ascii_digit()
}

fn cn_id_x(code: &Code) -> bool {
    let bytes = code.bytes();
    let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    if !bytes[..17].iter().all(u8::is_ascii_digit) || !matches!(bytes[17], b'X' | b'x') {
        return false;
    }
    let sum: u32 = bytes
        .iter()
        .zip(weights)
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .sum();
    let two = |from: usize| number(&bytes[from..from + 2]).unwrap_or(0);
    sum % 11 == 2 && is_day(two(10), two(12)) && matches!(two(6), 19 | 20)
}

fn ie_pps(code: &Code) -> bool {
    let bytes = code.bytes().to_ascii_uppercase();
    if !bytes[..7].iter().all(u8::is_ascii_digit) || !bytes[7..].iter().all(u8::is_ascii_uppercase)
    {
        return false;
    }
    let digits: u32 = bytes[..7]
        .iter()
        .zip([8, 7, 6, 5, 4, 3, 2])
        .map(|(byte, weight)| u32::from(byte - b'0') * weight)
        .sum();
    let second = bytes.get(8).map_or(0, |byte| {
        if *byte == b'W' {
            0
        } else {
            u32::from(byte - b'A' + 1) * 9
        }
    });
    let check = b"WABCDEFGHIJKLMNOPQRSTUV"[((digits + second) % 23) as usize];
    check == bytes[7] && code.is_called(&["pps", "ppsn", "personal public service", "irish"])
}

/// A letter or two, six digits, and the digit that checks them in brackets.
fn hk_id_checked(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    for open in memchr::memchr_iter(b'(', bytes) {
        let [b'(', check @ (b'0'..=b'9' | b'A'), b')', ..] = bytes[open..] else {
            continue;
        };
        let word = bytes[..open].iter().rev().take(9);
        let start = open - word.take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let code = &bytes[start..open];
        let letters = code.len().saturating_sub(6);
        let is_formed = (1..=2).contains(&letters)
            && code[..letters].iter().all(u8::is_ascii_uppercase)
            && code[letters..].iter().all(u8::is_ascii_digit);
        if is_formed && hk_sum(code, check).is_multiple_of(11) {
            found(start..open + 3);
        }
    }
}

fn hk_id(code: &Code) -> bool {
    let bytes = code.bytes();
    let letters = bytes
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    (1..=2).contains(&letters)
        && bytes[letters..].iter().take(6).all(u8::is_ascii_digit)
        && bytes.len() - letters >= 6
        && code.is_called(&["hkid", "hong kong"])
}

fn hk_sum(code: &[u8], check: u8) -> u32 {
    let value = |byte: u8| match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        _ => u32::from(byte - b'A') + 10,
    };
    // One letter alone counts as if a blank stood before it.
    let blank = if code.len() == 7 { 36 * 9 } else { 0 };
    let weights = (2..=9).rev().skip(8 - code.len());
    let sum: u32 = code
        .iter()
        .zip(weights)
        .map(|(byte, weight)| value(*byte) * weight)
        .sum();
    blank + sum + value(check)
}

/// What says that the number of a driving licence follows.
pub(super) const LICENCE: &[&str] = &[
    "driver's license",
    "drivers license",
    "driver license",
    "driving licence",
    "driving license",
    "driver's licence",
    "licence number",
    "license number",
    "licence no",
    "license no",
    "license #",
    "dl number",
    "dl no",
    "dl#",
    "dl:",
];

fn licence(code: &Code) -> bool {
    let bytes = code.bytes();
    bytes
        .iter()
        .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
        && code.is_called(LICENCE)
}

/// Two letters, six digits and a letter, with spaces or without.
fn uk_nino(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    let mut from = 0;
    while from + 9 <= bytes.len() {
        let start = from;
        from += 1;
        if !bytes[start].is_ascii_uppercase()
            || !bytes[start + 1].is_ascii_uppercase()
            || start
                .checked_sub(1)
                .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
        {
            continue;
        }
        let mut at = start;
        let mut letters = [0_u8; 9];
        let mut count = 0;
        while count < 9 && at < bytes.len() {
            if bytes[at].is_ascii_alphanumeric() {
                letters[count] = bytes[at];
                count += 1;
            } else if bytes[at] != b' ' || bytes[at - 1] == b' ' {
                break;
            }
            at += 1;
        }
        let pair = &letters[..2];
        let is_pair = !b"DFIQUV".contains(&pair[0])
            && !b"DFIQUVO".contains(&pair[1])
            && ![b"BG", b"GB", b"NK", b"KN", b"TN", b"NT", b"ZZ"]
                .iter()
                .any(|no| *no == pair);
        if count == 9
            && is_pair
            && letters[2..8].iter().all(u8::is_ascii_digit)
            && (b'A'..=b'D').contains(&letters[8])
            && !bytes.get(at).is_some_and(u8::is_ascii_alphanumeric)
        {
            found(start..at);
            from = at;
        }
    }
}

/// A date, a sign of the century, three digits and a letter.
fn fi_hetu(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    const LETTERS: &[u8] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let bytes = stretch.text.as_bytes();
    for (start, window) in bytes.windows(11).enumerate() {
        if !matches!(window[6], b'-' | b'+' | b'A'..=b'F' | b'U'..=b'Y')
            || !window[..6].iter().all(u8::is_ascii_digit)
            || !window[7..10].iter().all(u8::is_ascii_digit)
            || start
                .checked_sub(1)
                .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
            || bytes.get(start + 11).is_some_and(u8::is_ascii_alphanumeric)
        {
            continue;
        }
        let two = |from: usize| number(&window[from..from + 2]).unwrap_or(0);
        let whole: Vec<u8> = [&window[..6], &window[7..10]].concat();
        let value = number(&whole).unwrap_or(0);
        if is_day(two(2), two(0)) && LETTERS[value as usize % 31] == window[10] {
            found(start..start + 11);
        }
    }
}
