//! More numbers of people and firms: digits only, each with its own check.
//!
//! A check digit alone lets one number in ten pass, so most need a word beside them; a form that
//! nothing else has is as good as a word.

use std::ops::Range;

use super::national::{is_lone, mod_11_10};
use super::number::{Number, is_day, luhn, weighted};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

const fn id(
    name: &'static str,
    label: &'static str,
    about: &'static str,
    digits: std::ops::RangeInclusive<usize>,
    check: fn(&Number) -> bool,
) -> Rule {
    Rule::personal(name, label, about, Finder::Number { digits, check })
}

pub(super) const RULES: &[Rule] = &[
    id(
        "hr-oib",
        "OIB",
        "A personal number of Croatia, beside its name.",
        11..=11,
        |number| mod_11_10(number.digits) && number.is_called(&["oib", "osobni identifikacijski"]),
    )
    .leads(&[("oib", 4), ("identifikacijski", 4)]),
    id(
        "ru-snils",
        "SNILS",
        "An insurance number of Russia.",
        11..=11,
        ru_snils,
    )
    .leads(&[("snils", 5), ("снилс", 5)]),
    id(
        "ru-inn",
        "INN",
        "A tax number of Russia, beside its name.",
        10..=12,
        ru_inn,
    )
    .leads(&[("inn", 4), ("инн", 4)]),
    id(
        "ar-cuit",
        "CUIT",
        "A tax or labour number of Argentina.",
        11..=11,
        ar_cuit,
    )
    .leads(&[("cuit", 4), ("cuil", 4)]),
    id(
        "au-acn",
        "ACN",
        "A company number of Australia, beside its name.",
        9..=9,
        au_acn,
    )
    .leads(&[("acn", 5), ("company", 5), ("business", 5)]),
    id(
        "th-id",
        "NATIONAL_ID",
        "An identity number of Thailand.",
        13..=13,
        th_id,
    )
    .leads(&[("thai", 5), ("national", 5), ("thailand", 5)]),
    id(
        "it-vat",
        "VAT_NUMBER",
        "A tax number of a firm in Italy, beside its name.",
        11..=11,
        |number| {
            luhn(number.digits)
                && number.is_called(&["iva", "partita iva", "p.iva", "piva", "codice iva"])
        },
    )
    .leads(&[("iva", 4), ("piva", 4), ("partita", 5)]),
    id(
        "gr-afm",
        "AFM",
        "A tax number of Greece, beside its name.",
        9..=9,
        gr_afm,
    )
    .leads(&[("afm", 4), ("αφμ", 4)]),
    id(
        "pl-nip",
        "NIP",
        "A tax number of Poland, beside its name.",
        10..=10,
        |number| {
            let sum = weighted(&number.digits[..9], &[6, 5, 7, 2, 3, 4, 5, 6, 7]);
            sum % 11 == u32::from(number.digits[9]) && number.is_called(&["nip", "regon", "podatk"])
        },
    )
    .leads(&[("nip", 5)]),
    id("cl-rut", "RUT", "A RUT of Chile.", 8..=9, cl_rut).leads(&[("rut", 4), ("run", 3)]),
    Rule::personal(
        "cl-rut-k",
        "RUT",
        "A RUT of Chile that ends in K.",
        Finder::Anchored {
            anchors: &["-k"],
            find: cl_rut_k,
        },
    ),
    id(
        "ee-id",
        "NATIONAL_ID",
        "A personal code of Estonia or Lithuania, beside its name.",
        11..=11,
        ee_id,
    )
    .leads(&[
        ("isikukood", 4),
        ("kodas", 4),
        ("asmens", 4),
        ("estonian", 5),
        ("lithuanian", 5),
    ]),
    id(
        "us-npi",
        "NPI",
        "A provider number of the United States' health system, beside its name.",
        10..=10,
        us_npi,
    )
    .leads(&[("npi", 5)]),
    id(
        "license-number",
        "LICENSE",
        "The number of a driving licence of digits alone, beside its name.",
        6..=13,
        licence,
    ),
];

fn ru_snils(number: &Number) -> bool {
    let sum = weighted(&number.digits[..9], &[9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101 % 100;
    let is_formed = number.groups == [3, 3, 3, 2] && number.is_marked_by(b"- ");
    sum == number.value(9..11)
        && is_lone(number)
        && (is_formed || number.groups == [11] && number.is_called(&["snils", "снилс"]))
}

fn ru_inn(number: &Number) -> bool {
    let check = |weights: &[u32]| {
        weighted(number.digits, weights) % 11 % 10 == u32::from(number.digits[weights.len()])
    };
    let is_checked = match number.digits.len() {
        10 => check(&[2, 4, 10, 3, 5, 9, 4, 6, 8]),
        12 => check(&[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) && check(&[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]),
        _ => false,
    };
    is_checked && number.groups.len() == 1 && number.is_called(&["inn", "инн"])
}

fn ar_cuit(number: &Number) -> bool {
    let sum = weighted(&number.digits[..10], &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = match 11 - sum % 11 {
        11 => 0,
        10 => 9,
        check => check,
    };
    let is_kind = matches!(number.value(0..2), 20 | 23 | 24 | 27 | 30 | 33 | 34);
    check == u32::from(number.digits[10])
        && is_kind
        && is_lone(number)
        && (number.groups == [2, 8, 1] || number.is_called(&["cuit", "cuil"]))
}

fn au_acn(number: &Number) -> bool {
    let sum = weighted(&number.digits[..8], &[8, 7, 6, 5, 4, 3, 2, 1]);
    (10 - sum % 10) % 10 == u32::from(number.digits[8])
        && matches!(number.groups, [9] | [3, 3, 3])
        && number.is_called(&["acn", "company number", "company no"])
}

fn th_id(number: &Number) -> bool {
    let sum = weighted(
        &number.digits[..12],
        &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2],
    );
    let is_formed = number.groups == [1, 4, 5, 2, 1];
    (11 - sum % 11) % 10 == u32::from(number.digits[12])
        && number.digits[0] != 0
        && is_lone(number)
        && (is_formed || number.is_called(&["thai", "thailand", "บัตรประชาชน"]))
}

fn gr_afm(number: &Number) -> bool {
    let sum = weighted(&number.digits[..8], &[256, 128, 64, 32, 16, 8, 4, 2]);
    sum > 0
        && sum % 11 % 10 == u32::from(number.digits[8])
        && number.is_called(&["afm", "αφμ", "greek tax"])
}

/// The digit that checks a RUT; ten is written as K.
fn rut_check(digits: &[u8]) -> u32 {
    let weights = [2, 3, 4, 5, 6, 7].into_iter().cycle();
    let pairs = digits.iter().rev().zip(weights);
    let sum: u32 = pairs
        .map(|(digit, weight)| u32::from(*digit) * weight)
        .sum();
    (11 - sum % 11) % 11
}

fn cl_rut(number: &Number) -> bool {
    let Some((last, body)) = number.digits.split_last() else {
        return false;
    };
    let is_formed = matches!(number.groups, [1 | 2, 3, 3, 1]) && number.is_marked_by(b".-");
    let called = || number.is_called(&["rut", "run", "chile", "rol único", "rol unico"]);
    rut_check(body) == u32::from(*last)
        && is_lone(number)
        && (is_formed || matches!(number.groups, [7 | 8, 1] | [8 | 9]) && called())
}

fn cl_rut_k(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let before = bytes[..anchor.start].iter().rev().take(11);
    let length = before
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    let start = anchor.start - length;
    let written = &bytes[start..anchor.start];
    let digits: Vec<u8> = written
        .iter()
        .filter(|byte| byte.is_ascii_digit())
        .map(|byte| byte - b'0')
        .collect();
    let opens = start
        .checked_sub(1)
        .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    let closes = !bytes.get(anchor.end).is_some_and(u8::is_ascii_alphanumeric);
    let is_rut = matches!(digits.len(), 7 | 8) && written.first() != Some(&b'.');
    (opens && closes && is_rut && rut_check(&digits) == 10).then_some(start..anchor.end)
}

fn ee_id(number: &Number) -> bool {
    let first = weighted(&number.digits[..10], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
    let second = weighted(&number.digits[..10], &[3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11;
    let check = if first == 10 { second % 10 } else { first };
    check == u32::from(number.digits[10])
        && (1..=6).contains(&number.digits[0])
        && is_day(number.value(3..5), number.value(5..7))
        && number.is_called(&[
            "isikukood",
            "asmens",
            "kodas",
            "estonia",
            "lithuania",
            "personal code",
        ])
}

fn us_npi(number: &Number) -> bool {
    let whole: Vec<u8> = [&[8, 0, 8, 4, 0], number.digits].concat();
    matches!(number.digits[0], 1 | 2)
        && luhn(&whole)
        && number.is_called(&["npi", "national provider"])
}

fn licence(number: &Number) -> bool {
    number.groups.len() == 1
        && number.is_called(super::code::LICENCE)
        && !number.is_called(&["software", "key", "product", "plate"])
}
