//! Numbers of papers that people carry: licences, identity cards, cards of voters.
//!
//! Few of them have a check, so a word beside them or a form of their own must tell.

use std::ops::Range;

use super::code::{Code, dni_letter};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

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
        "tw-id",
        "NATIONAL_ID",
        "An identity number of Taiwan, beside its name.",
        10..=10,
        tw_id,
    )
    .leads(&[("taiwan", 5), ("身", 16)]),
    id(
        "uk-license",
        "LICENSE",
        "The number of a British driving licence.",
        16..=16,
        |code| is_formed(code, "NNNNNdmddDdWWdUU") && uk_licence(code),
    ),
    id(
        "it-license",
        "LICENSE",
        "The number of an Italian driving licence, beside its name.",
        10..=10,
        |code| {
            (is_formed(code, "UUdddddddU") || is_formed(code, "UdWWWWWWWU"))
                && code.is_called(&["patente", "italian driving", "licenza di guida"])
        },
    )
    .leads(&[("patente", 5), ("guida", 4)]),
    id(
        "it-identity-card",
        "IDENTITY_CARD",
        "The number of an Italian identity card, beside its name.",
        9..=9,
        |code| {
            (is_formed(code, "UUdddddUU") || is_formed(code, "UUddddddd"))
                && code.is_called(&[
                    "carta d'identit",
                    "identità",
                    "identita",
                    "cie",
                    "identity card",
                ])
        },
    )
    .leads(&[
        ("identità", 5),
        ("identita", 5),
        ("identity", 5),
        ("cie", 4),
    ]),
    id(
        "de-identity-card",
        "IDENTITY_CARD",
        "The number of a German identity card, beside its name.",
        9..=10,
        de_card,
    )
    .leads(&[
        ("personalausweis", 5),
        ("personalausweisnummer", 4),
        ("ausweisnummer", 4),
        ("ausweis", 5),
    ]),
    id(
        "in-voter",
        "VOTER_ID",
        "The number of an Indian voter's card, beside its name.",
        10..=10,
        |code| {
            is_formed(code, "UUUddddddd")
                && code.is_called(&["voter", "epic", "elector", "election card"])
        },
    )
    .leads(&[("voter", 5), ("epic", 4), ("elector", 5), ("electoral", 5)]),
    id(
        "in-vehicle",
        "VEHICLE",
        "The registration of an Indian vehicle, beside a word that says so.",
        8..=10,
        |code| {
            ["UUddUUdddd", "UUddUdddd", "UUdUUdddd", "UUdUdddd"]
                .iter()
                .any(|form| is_formed(code, form))
                && code.is_called(&[
                    "vehicle",
                    "registration",
                    "number plate",
                    "licence plate",
                    "license plate",
                ])
        },
    )
    .leads(&[("vehicle", 6), ("registration", 5), ("plate", 4)]),
    id(
        "us-dea",
        "DEA_NUMBER",
        "The number under which an American doctor prescribes, beside its name.",
        9..=9,
        us_dea,
    )
    .leads(&[("dea", 5), ("medical", 5), ("prescriber", 5)]),
    Rule::personal(
        "us-mbi",
        "MEDICARE",
        "A Medicare number of the United States, beside its name.",
        Finder::Anchored {
            anchors: &["mbi", "medicare", "beneficiary"],
            find: us_mbi,
        },
    )
    .leads(&[("mbi", 4), ("beneficiary", 5)]),
    Rule::personal(
        "es-dni-dashed",
        "DNI",
        "An identity number of Spain with a dash before its letter.",
        Finder::Whole {
            traits: traits::DIGIT,
            find: es_dashed,
        },
    ),
];

/// Whether each letter is of the class that stands at its place: `U` a capital, `d` a digit,
/// `D` a digit too, `m` a digit of a month, `W` either, `N` a capital or a nine.
fn is_formed(code: &Code, form: &str) -> bool {
    has_form(code.bytes(), form)
}

fn has_form(bytes: &[u8], form: &str) -> bool {
    bytes.len() == form.len()
        && bytes
            .iter()
            .zip(form.bytes())
            .all(|(byte, class)| match class {
                b'U' => byte.is_ascii_uppercase(),
                b'N' => byte.is_ascii_uppercase() || *byte == b'9',
                b'm' => matches!(byte, b'0' | b'1' | b'5' | b'6'),
                b'W' => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
                _ => byte.is_ascii_digit(),
            })
}

fn digits(bytes: &[u8]) -> Vec<u32> {
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit());
    digits.map(|byte| u32::from(byte - b'0')).collect()
}

fn tw_id(code: &Code) -> bool {
    // By letter, in the order of the alphabet: the number that stands for it.
    const LETTERS: [u32; 26] = [
        10, 11, 12, 13, 14, 15, 16, 17, 34, 18, 19, 20, 21, 22, 35, 23, 24, 25, 26, 27, 28, 29, 32,
        30, 31, 33,
    ];
    if !is_formed(code, "Uddddddddd") {
        return false;
    }
    let bytes = code.bytes();
    let letter = LETTERS[usize::from(bytes[0] - b'A')];
    let weights = [8, 7, 6, 5, 4, 3, 2, 1, 1];
    let rest: u32 = digits(bytes)
        .iter()
        .zip(weights)
        .map(|(digit, weight)| digit * weight)
        .sum();
    (letter / 10 + letter % 10 * 9 + rest).is_multiple_of(10)
        && matches!(bytes[1], b'1' | b'2' | b'8' | b'9')
        && code.is_called(&["taiwan", "身分證", "身份證", "national id", "roc id"])
}

/// The digits of the form are a year's last but one, a month (plus 50), a day and a year's last.
fn uk_licence(code: &Code) -> bool {
    let two = |from: usize| {
        let pair = digits(&code.bytes()[from..from + 2]);
        pair.iter().fold(0, |value, digit| value * 10 + digit)
    };
    let (month, day) = (two(6) % 50, two(8));
    (1..=12).contains(&month) && (1..=31).contains(&day)
}

/// Digits and those consonants that cannot be misread.
fn de_card(code: &Code) -> bool {
    let bytes = code.bytes();
    let is_letter = |byte: &u8| byte.is_ascii_digit() || b"CFGHJKLMNPRTVWXYZ".contains(byte);
    bytes[..9].iter().all(is_letter)
        && bytes.get(9).is_none_or(u8::is_ascii_digit)
        && bytes[0].is_ascii_uppercase()
        && code.is_called(&["personalausweis", "ausweis", "identity card"])
}

fn us_dea(code: &Code) -> bool {
    if !is_formed(code, "UUddddddd") {
        return false;
    }
    let digits = digits(code.bytes());
    let sum = digits[0] + digits[2] + digits[4] + 2 * (digits[1] + digits[3] + digits[5]);
    sum % 10 == digits[6]
        && code.is_called(&["dea", "medical license", "medical licence", "prescriber"])
}

/// How far the number may stand from the word.
const REACH: usize = 40;

/// `1EG4-TE5-MK73`, with its dashes or without.
fn us_mbi(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let mut at = anchor.end;
    for word in
        text[anchor.end..end].split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-')
    {
        let bare: Vec<u8> = word.bytes().filter(|byte| *byte != b'-').collect();
        if has_form(&bare, "dUWdUWdUUdd") {
            return Some(at..at + word.len());
        }
        at += word.len();
        at += text[at..].chars().next().map_or(0, char::len_utf8);
    }
    None
}

/// `12345678-Z`, `12.345.678-Z` and `X-1234567-L`.
fn es_dashed(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = stretch.text.as_bytes();
    for dash in memchr::memchr_iter(b'-', bytes) {
        let letter = match bytes[dash + 1..] {
            [letter @ b'A'..=b'Z'] => letter,
            [letter @ b'A'..=b'Z', next, ..] if !next.is_ascii_alphanumeric() => letter,
            _ => continue,
        };
        let written = bytes[..dash].iter().rev().take(11);
        let written = written
            .take_while(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'X'..=b'Z'))
            .count();
        let start = dash - written;
        let opens = start
            .checked_sub(1)
            .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
        let number: Vec<u8> = bytes[start..dash]
            .iter()
            .filter(|byte| byte.is_ascii_alphanumeric())
            .copied()
            .collect();
        if opens && dni_letter(&number) == Some(letter) {
            found(start..dash + 2);
        }
    }
}
