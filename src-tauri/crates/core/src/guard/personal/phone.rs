//! Telephone numbers, as they are written in many countries.
//!
//! A plus, or a form that nothing else has, is enough; other numbers need a word that says so.

use super::number::{Number, is_day};
use crate::guard::rule::{Finder, Rule};

pub(super) const RULE: Rule = Rule::personal(
    "phone",
    "PHONE",
    "A telephone number, national or international.",
    Finder::Number {
        digits: 7..=15,
        check,
    },
)
.leads(&[
    ("phone", 5),
    ("phones", 5),
    ("tel", 3),
    ("telephone", 5),
    ("call", 5),
    ("mobile", 5),
    ("cell", 5),
    ("fax", 3),
    ("text", 4),
    ("sms", 4),
    ("whatsapp", 4),
    ("contact", 4),
    ("dial", 3),
    ("ring", 3),
    ("reach", 5),
    ("telefon", 4),
    ("telefonnummer", 4),
    ("handy", 4),
    ("handynummer", 4),
    ("teléfono", 5),
    ("telefono", 4),
    ("móvil", 4),
    ("celular", 4),
    ("téléphone", 5),
    ("portable", 4),
    ("numéro", 4),
    ("número", 4),
    ("telefone", 4),
    ("telefoon", 4),
    ("телефон", 4),
    ("номер", 4),
    ("電", 12),
    ("电", 12),
    ("手", 12),
    ("号", 8),
    ("番", 8),
    ("hotline", 4),
    ("llámame", 3),
    ("llame", 3),
    ("appelle", 3),
    ("appelez", 3),
    ("chiama", 3),
    ("helpline", 4),
    ("puhelin", 4),
    ("telefonu", 4),
    ("ph", 2),
]);

const CALLED: &[&str] = &[
    "phones",
    "phone",
    "tel",
    "telephone",
    "call",
    "calls",
    "calling",
    "mobile",
    "cell",
    "cellphone",
    "fax",
    "sms",
    "whatsapp",
    "contact",
    "contact no",
    "dial",
    "ring",
    "reach me",
    "reach us",
    "reach her",
    "reach him",
    "reach them",
    "text me",
    "text us",
    "telefon",
    "handy",
    "teléfono",
    "telefono",
    "móvil",
    "celular",
    "llame",
    "llámame",
    "llama",
    "téléphone",
    "portable",
    "numéro",
    "número",
    "telefone",
    "telefoon",
    "телефон",
    "тел",
    "номер",
    "電話",
    "电话",
    "手机",
    "手機",
    "携帯",
    "전화",
    "hotline",
    "helpline",
    "rufnummer",
    "mobil",
    "appelle",
    "appelez",
    "chiama",
    "cellulare",
    "puhelin",
    "ph",
    "phone number",
    "number is",
    "my number",
];

/// Words before a number that make it something else.
const NOT_CALLED: &[&str] = &[
    "order",
    "invoice",
    "ticket",
    "version",
    "isbn",
    "issn",
    "sku",
    "serial",
    "tracking",
    "account",
    "id",
    "ref",
    "reference",
    "build",
    "pid",
    "port",
    "case",
    "claim",
    "patent",
    "doi",
    "timestamp",
    "epoch",
    "issue",
    "model",
    "part",
    "item",
    "batch",
    "order no",
    "commit",
    "revision",
    "bestellung",
    "rechnung",
    "commande",
    "pedido",
    "iban",
    "ssn",
    "passport",
    "bytes",
    "population",
    "total",
    "balance",
    "routing",
    "code",
    "nhs",
];

fn check(number: &Number) -> bool {
    let digits = number.digits;
    let groups = number.groups;
    let written = number.written();
    if matches!(
        number.byte_before(),
        Some(b'$' | b'#' | b'.' | b'-' | b'/' | b'_' | b'@' | b'&' | b'%')
    ) || is_followed_by_more(number)
        || digits.iter().all(|digit| *digit == digits[0])
    {
        return false;
    }
    if written.starts_with('+') || written.starts_with("(+") {
        let is_sum = number.span.start > 0
            && number
                .byte_before()
                .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b')');
        return (8..=15).contains(&digits.len()) && digits[0] != 0 && !is_sum && !is_date(number);
    }
    if is_date(number) || is_address_or_version(number) || !number.is_marked_by(b" -./()") {
        return false;
    }
    let is_given = number.byte_before() == Some(b'=');
    if (number.is_part || is_given) && !number.is_called(CALLED) {
        return false;
    }
    let slashes = written.bytes().filter(|byte| *byte == b'/').count();
    let bracketed = written.starts_with('(') && groups.len() >= 2 && (2..=5).contains(&groups[0]);
    let plain = matches!(groups, [3, 3, 4]) && number_plan(digits)
        || matches!(groups, [1, 3, 3, 4]) && digits[0] == 1 && number_plan(&digits[1..])
        || matches!(groups, [3, 7]) && bracketed && number_plan(digits)
        || matches!(groups, [5, 5]) && (6..=9).contains(&digits[0]) && written.contains([' ', '-'])
        || matches!(groups, [3, 4, 4]) && digits[0] == 1 && (3..=9).contains(&digits[1]);
    let zero_led = digits[0] == 0
        && groups.len() >= 2
        && slashes <= 1
        && !(slashes == 1 && written.contains('.'))
        && (9..=14).contains(&digits.len())
        && groups.iter().all(|group| *group >= 2)
        && (digits[1] != 0 || digits.len() >= 11)
        && groups[0] <= 6;
    let called = || number.is_called(CALLED) && !number.is_called(&NOT_CALLED[..3]);
    if plain && slashes == 0 && !is_sentence_break(written) {
        // Dots could be a version's; spaces could be anything's.
        return !written.contains(' ')
            || bracketed
            || written.contains('-')
            || called()
            || !number.is_called(NOT_CALLED);
    }
    if bracketed && (8..=12).contains(&digits.len()) && slashes == 0 {
        return !number.is_called(NOT_CALLED) || called();
    }
    if zero_led {
        return !number.is_called(NOT_CALLED) || called();
    }
    slashes <= 1 && digits.len() <= 15 && called() && !has_lone_digits(groups)
}

/// Area and exchange of North America; exchanges are let pass as they are made up in tests.
fn number_plan(digits: &[u8]) -> bool {
    digits.len() == 10 && digits[0] >= 2 && !(digits[0] == 9 && digits[1] == 9 && digits[2] == 9)
}

fn has_lone_digits(groups: &[usize]) -> bool {
    groups.iter().skip(1).filter(|group| **group == 1).count() > 1 || groups.len() > 6
}

fn is_sentence_break(written: &str) -> bool {
    written.contains(". ") || written.contains(") (")
}

/// Digits that go on in letters, a decimal, a percentage or a unit.
fn is_followed_by_more(number: &Number) -> bool {
    let after = &number.text.as_bytes()[number.span.end..];
    match after {
        [b'.' | b',' | b':', digit, ..] => digit.is_ascii_digit(),
        [b'-' | b'/' | b'_' | b'%' | b'=' | b'@', next, ..] => !next.is_ascii_whitespace(),
        [byte, ..] => byte.is_ascii_alphabetic() && !after.starts_with(b"x"),
        [] => false,
    }
}

/// A date, alone or with a time after it.
fn is_date(number: &Number) -> bool {
    if number.written().starts_with(['+', '(']) {
        return false;
    }
    let value = |group: usize| {
        let start: usize = number.groups[..group].iter().sum();
        number.value(start..start + number.groups[group])
    };
    match number.groups {
        [4, 2, 2, ..] => is_day(value(1), value(2)),
        [1 | 2, 1 | 2, 4, ..] => is_day(value(0), value(1)) || is_day(value(1), value(0)),
        [2, 2, 2] => true,
        [8] => {
            let (year, month, day) = (number.value(0..4), number.value(4..6), number.value(6..8));
            (1900..2100).contains(&year) && is_day(month, day)
        }
        [8, 4 | 6] => (1900..2100).contains(&number.value(0..4)),
        // Years: `1990-1995`.
        [4, 4] => {
            let (from, to) = (value(0), value(1));
            (1000..2100).contains(&from) && (1000..2100).contains(&to)
        }
        _ => false,
    }
}

/// Dots between short groups.
fn is_address_or_version(number: &Number) -> bool {
    let dots = number
        .written()
        .bytes()
        .filter(|byte| *byte == b'.')
        .count();
    dots >= 1
        && (number.groups.contains(&1)
            || dots == 3
                && number.groups.len() == 4
                && number.groups.iter().all(|group| *group <= 3))
}
