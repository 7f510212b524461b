//! Numbers that a state gives to a person: digits only, each with its own check.

use super::number::{Number, is_day, luhn, weighted};
use crate::guard::rule::{Finder, Rule};

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
        "us-ssn",
        "SSN",
        "A social security number of the United States.",
        9..=9,
        us_ssn,
    )
    .leads(&[
        ("ssn", 4),
        ("ssns", 4),
        ("social", 6),
        ("security", 5),
        ("itin", 4),
        ("taxpayer", 5),
    ]),
    id(
        "us-itin",
        "ITIN",
        "A taxpayer number of the United States.",
        9..=9,
        us_itin,
    ),
    id(
        "us-ein",
        "EIN",
        "An employer number of the United States, beside its name.",
        9..=9,
        us_ein,
    )
    .leads(&[("ein", 4), ("employer", 5)]),
    id(
        "us-routing",
        "BANK_ROUTING",
        "A routing number of a bank in the United States, beside its name.",
        9..=9,
        us_routing,
    )
    .leads(&[("routing", 5), ("aba", 4), ("rtn", 4)]),
    id(
        "bank-account",
        "BANK_ACCOUNT",
        "The number of a bank account, beside its name.",
        7..=17,
        bank_account,
    )
    .leads(&[
        ("account", 5),
        ("acct", 4),
        ("bank", 5),
        ("checking", 5),
        ("savings", 5),
    ]),
    id(
        "ca-sin",
        "SIN",
        "A social insurance number of Canada.",
        9..=9,
        ca_sin,
    )
    .leads(&[("sin", 4), ("insurance", 5)]),
    id(
        "uk-nhs",
        "NHS_NUMBER",
        "A number of the British health service, beside its name.",
        10..=10,
        uk_nhs,
    )
    .leads(&[("nhs", 4)]),
    id(
        "fr-nir",
        "NIR",
        "A social security number of France.",
        15..=15,
        fr_nir,
    ),
    id(
        "de-tax-id",
        "TAX_ID",
        "A tax number of Germany, beside its name.",
        11..=11,
        de_tax_id,
    )
    .leads(&[
        ("steuer", 4),
        ("steuerid", 4),
        ("id", 3),
        ("identifikationsnummer", 4),
        ("steuernummer", 4),
        ("idnr", 4),
        ("nr", 3),
        ("steueridentifikationsnummer", 4),
        ("tin", 3),
        ("tax", 5),
    ]),
    id(
        "nl-bsn",
        "BSN",
        "A citizen's number of the Netherlands, beside its name.",
        8..=9,
        nl_bsn,
    )
    .leads(&[("bsn", 4), ("burgerservicenummer", 4), ("sofinummer", 4)]),
    id(
        "be-nrn",
        "NATIONAL_ID",
        "A national number of Belgium.",
        11..=11,
        be_nrn,
    ),
    id(
        "pl-pesel",
        "PESEL",
        "A PESEL of Poland, beside its name.",
        11..=11,
        pl_pesel,
    )
    .leads(&[("pesel", 4)]),
    id(
        "se-pnr",
        "NATIONAL_ID",
        "A personal number of Sweden.",
        10..=12,
        se_pnr,
    )
    .leads(&[("personnummer", 4)]),
    id(
        "no-fnr",
        "NATIONAL_ID",
        "A birth number of Norway.",
        11..=11,
        no_fnr,
    ),
    id(
        "dk-cpr",
        "NATIONAL_ID",
        "A CPR number of Denmark, beside its name.",
        10..=10,
        dk_cpr,
    )
    .leads(&[("cpr", 4), ("nummer", 3)]),
    id(
        "pt-nif",
        "NIF",
        "A tax number of Portugal, beside its name.",
        9..=9,
        pt_nif,
    )
    .leads(&[("nif", 4), ("contribuinte", 4)]),
    id(
        "ch-ahv",
        "AHV",
        "A social security number of Switzerland.",
        13..=13,
        ch_ahv,
    ),
    id(
        "at-svnr",
        "NATIONAL_ID",
        "A social security number of Austria, beside its name.",
        10..=10,
        at_svnr,
    )
    .leads(&[("sozialversicherungsnummer", 4), ("svnr", 4)]),
    id(
        "cz-rc",
        "NATIONAL_ID",
        "A birth number of Czechia or Slovakia.",
        10..=10,
        cz_rc,
    ),
    id(
        "ro-cnp",
        "CNP",
        "A personal code of Romania.",
        13..=13,
        ro_cnp,
    )
    .leads(&[("cnp", 4), ("cod", 5), ("numeric", 4)]),
    id(
        "bg-egn",
        "EGN",
        "A civil number of Bulgaria, beside its name.",
        10..=10,
        bg_egn,
    )
    .leads(&[("егн", 4), ("egn", 4)]),
    id(
        "tr-tckn",
        "TCKN",
        "An identity number of Turkey.",
        11..=11,
        tr_tckn,
    )
    .leads(&[("kimlik", 4), ("tckn", 4)]),
    id(
        "il-id",
        "NATIONAL_ID",
        "An identity number of Israel, beside its name.",
        9..=9,
        il_id,
    )
    .leads(&[("teudat", 4), ("israeli", 4), ("זהות", 4)]),
    id(
        "za-id",
        "NATIONAL_ID",
        "An identity number of South Africa.",
        13..=13,
        za_id,
    ),
    id(
        "in-aadhaar",
        "AADHAAR",
        "An Aadhaar number of India.",
        12..=12,
        in_aadhaar,
    )
    .leads(&[("aadhaar", 5), ("aadhar", 5), ("uid", 3), ("uidai", 4)]),
    id(
        "cn-id",
        "NATIONAL_ID",
        "An identity number of China.",
        18..=18,
        cn_id,
    ),
    id(
        "kr-rrn",
        "RRN",
        "A resident number of Korea.",
        13..=13,
        kr_rrn,
    ),
    id(
        "jp-my-number",
        "MY_NUMBER",
        "A My Number of Japan, beside its name.",
        12..=12,
        jp_my_number,
    )
    .leads(&[("マ", 20), ("個", 16), ("number", 4), ("my", 2)]),
    id(
        "tw-tax-id",
        "TAX_ID",
        "A business number, beside its name.",
        8..=8,
        no_check_tax,
    )
    .leads(&[("vat", 4), ("ust", 4)]),
    id(
        "br-cpf",
        "CPF",
        "A taxpayer number of Brazil.",
        11..=11,
        br_cpf,
    )
    .leads(&[("cpf", 4)]),
    id(
        "br-cnpj",
        "CNPJ",
        "A company number of Brazil.",
        14..=14,
        br_cnpj,
    )
    .leads(&[("cnpj", 4)]),
    id(
        "au-tfn",
        "TFN",
        "A tax file number of Australia, beside its name.",
        8..=9,
        au_tfn,
    )
    .leads(&[("tfn", 4), ("file", 4)]),
    id(
        "au-medicare",
        "MEDICARE",
        "A Medicare number of Australia, beside its name.",
        10..=11,
        au_medicare,
    )
    .leads(&[("medicare", 5)]),
    id(
        "au-abn",
        "ABN",
        "A business number of Australia, beside its name.",
        11..=11,
        au_abn,
    )
    .leads(&[("abn", 4), ("australian", 5)]),
    id(
        "nz-ird",
        "IRD",
        "A tax number of New Zealand, beside its name.",
        8..=9,
        nz_ird,
    )
    .leads(&[("ird", 4)]),
];

pub(super) fn is_lone(number: &Number) -> bool {
    !matches!(
        number.byte_before(),
        Some(b'.' | b'-' | b'/' | b'#' | b'$' | b'+')
    ) && !number.written().starts_with(['+', '('])
}

fn us_ssn(number: &Number) -> bool {
    let (area, group, serial) = (number.value(0..3), number.value(3..5), number.value(5..9));
    let called = || {
        number.is_called(&[
            "ssn",
            "social security",
            "soc sec",
            "socialsecurity",
            "social_security",
            "ss#",
        ])
    };
    let is_grouped = number.groups == [3, 2, 4];
    // `social security #…` is lone enough.
    let is_lone = is_lone(number) || number.byte_before() == Some(b'#') && called();
    if !is_lone || serial == 0 && group == 0 || !(is_grouped || number.groups == [9]) {
        return false;
    }
    let is_issued = area != 0 && area != 666 && area < 900 && group != 0 && serial != 0;
    let dashed = is_grouped && number.is_marked_by(b"-");
    (dashed && is_issued
        || (is_issued || is_grouped && area < 900) && number.is_marked_by(b"- .") && called())
        && number.digits.iter().any(|digit| *digit != number.digits[0])
}

fn us_itin(number: &Number) -> bool {
    let group = number.value(3..5);
    let is_group = matches!(group, 50..=65 | 70..=88 | 90..=92 | 94..=99);
    is_lone(number)
        && number.digits[0] == 9
        && is_group
        && (number.groups == [3, 2, 4] && number.is_marked_by(b"-")
            || matches!(number.groups, [9] | [3, 2, 4]) && number.is_called(&["itin", "taxpayer"]))
}

fn us_ein(number: &Number) -> bool {
    number.groups == [2, 7] && number.is_called(&["ein", "employer", "federal tax"])
}

fn us_routing(number: &Number) -> bool {
    let sum = weighted(number.digits, &[3, 7, 1, 3, 7, 1, 3, 7, 1]);
    number.groups == [9] && sum.is_multiple_of(10) && number.is_called(&["routing", "aba", "rtn"])
}

fn bank_account(number: &Number) -> bool {
    is_lone(number)
        && number.groups.len() <= 4
        && number.is_marked_by(b" -")
        && number.is_called(&[
            "account number",
            "account no",
            "account #",
            "bank account",
            "acct number",
            "acct no",
            "acct",
            "checking account",
            "savings account",
            "kontonummer",
            "número de cuenta",
            "numéro de compte",
            "account is",
        ])
}

fn ca_sin(number: &Number) -> bool {
    let called = || number.is_called(&["sin", "social insurance", "s.i.n"]);
    matches!(number.groups, [3, 3, 3] | [9])
        && is_lone(number)
        && number.digits[0] != 0
        && luhn(number.digits)
        && (number.groups.len() == 3 && number.is_marked_by(b"-") || called())
}

fn uk_nhs(number: &Number) -> bool {
    let sum = weighted(&number.digits[..9], &[10, 9, 8, 7, 6, 5, 4, 3, 2]);
    let check = (11 - sum % 11) % 11;
    check == u32::from(number.digits[9]) && number.is_called(&["nhs", "national health"])
}

fn fr_nir(number: &Number) -> bool {
    let digits = number.digits.iter().take(13);
    let value = digits.fold(0_u64, |value, digit| value * 10 + u64::from(*digit));
    let month = number.value(3..5);
    matches!(number.digits[0], 1 | 2 | 3 | 4 | 7 | 8)
        && (matches!(month, 1..=12 | 20..=42 | 50..=99))
        && 97 - value % 97 == u64::from(number.value(13..15))
        && is_lone(number)
}

/// The check of German and Croatian numbers: the remainder goes on from digit to digit.
pub(super) fn mod_11_10(digits: &[u8]) -> bool {
    let Some((last, body)) = digits.split_last() else {
        return false;
    };
    let mut product = 10;
    for digit in body {
        let sum = (u32::from(*digit) + product) % 10;
        product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
    }
    (11 - product) % 10 == u32::from(*last)
}

fn de_tax_id(number: &Number) -> bool {
    number.digits[0] != 0
        && mod_11_10(number.digits)
        && number.is_called(&[
            "steuer",
            "steuerid",
            "steuer-id",
            "idnr",
            "id-nr",
            "identifikationsnummer",
            "tin",
            "tax id",
            "tax",
        ])
}

fn nl_bsn(number: &Number) -> bool {
    let nine = number.digits.len() == 9;
    let digits = number.digits;
    let weights: &[u32] = if nine {
        &[9, 8, 7, 6, 5, 4, 3, 2]
    } else {
        &[8, 7, 6, 5, 4, 3, 2]
    };
    let sum = weighted(&digits[..digits.len() - 1], weights);
    let last = u32::from(digits[digits.len() - 1]);
    sum > 0
        && sum % 11 == last % 11
        && number.is_called(&["bsn", "burgerservice", "sofi", "citizen service"])
}

fn be_nrn(number: &Number) -> bool {
    let first = u64::from(number.value(0..9));
    let check = u64::from(number.value(9..11));
    let is_checked = 97 - first % 97 == check || 97 - (first + 2_000_000_000) % 97 == check;
    let marked = number.groups == [2, 2, 2, 3, 2];
    let month = number.value(2..4);
    is_checked
        && month <= 12
        && (marked
            || number.is_called(&[
                "rijksregister",
                "registre national",
                "nrn",
                "insz",
                "niss",
                "national number",
                "belgian",
            ]))
}

fn pl_pesel(number: &Number) -> bool {
    let sum = weighted(&number.digits[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
    let month = number.value(2..4) % 20;
    (10 - sum % 10) % 10 == u32::from(number.digits[10])
        && is_day(month, number.value(4..6))
        && number.is_called(&["pesel"])
}

fn se_pnr(number: &Number) -> bool {
    let short = match number.digits.len() {
        10 => number.digits,
        12 if matches!(number.value(0..2), 18..=20) => &number.digits[2..],
        _ => return false,
    };
    let two = |from: usize| u32::from(short[from]) * 10 + u32::from(short[from + 1]);
    let is_grouped = matches!(number.groups, [6, 4] | [8, 4]) && number.is_marked_by(b"-");
    let day = two(4);
    luhn(short)
        && (is_day(two(2), day) || day > 60 && is_day(two(2), day - 60))
        && is_lone(number)
        && (is_grouped
            || number.is_called(&[
                "personnummer",
                "personal number",
                "swedish",
                "samordningsnummer",
            ]))
}

fn no_fnr(number: &Number) -> bool {
    let first = weighted(&number.digits[..9], &[3, 7, 6, 1, 8, 9, 4, 5, 2]);
    let second = weighted(&number.digits[..10], &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]);
    let check = |sum: u32| (11 - sum % 11) % 11;
    let day = number.value(0..2);
    let day = if day > 40 { day - 40 } else { day };
    check(first) == u32::from(number.digits[9])
        && check(second) == u32::from(number.digits[10])
        && is_day(number.value(2..4), day)
        && matches!(number.groups, [11] | [6, 5])
        && is_lone(number)
}

fn dk_cpr(number: &Number) -> bool {
    matches!(number.groups, [6, 4] | [10])
        && is_day(number.value(2..4), number.value(0..2))
        && number.is_called(&["cpr", "personnummer", "danish"])
}

fn pt_nif(number: &Number) -> bool {
    let sum = weighted(&number.digits[..8], &[9, 8, 7, 6, 5, 4, 3, 2]);
    let check = match sum % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    matches!(number.digits[0], 1 | 2 | 3 | 5 | 6 | 8 | 9)
        && check == u32::from(number.digits[8])
        && number.is_called(&["nif", "contribuinte", "portug"])
}

fn ch_ahv(number: &Number) -> bool {
    let sum = weighted(&number.digits[..12], &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
    number.value(0..3) == 756
        && (10 - sum % 10) % 10 == u32::from(number.digits[12])
        && matches!(number.groups, [13] | [3, 4, 4, 2])
}

fn at_svnr(number: &Number) -> bool {
    let digits = number.digits;
    let sum = weighted(&digits[..3], &[3, 7, 9]) + weighted(&digits[4..], &[5, 8, 4, 2, 1, 6]);
    sum % 11 == u32::from(digits[3])
        && number.is_called(&[
            "sozialversicherung",
            "svnr",
            "sv-nummer",
            "versicherungsnummer",
        ])
}

fn cz_rc(number: &Number) -> bool {
    let value = number
        .digits
        .iter()
        .fold(0_u64, |value, digit| value * 10 + u64::from(*digit));
    let month = number.value(2..4);
    let month = match month {
        71..=82 => month - 70,
        51..=62 => month - 50,
        21..=32 => month - 20,
        month => month,
    };
    number.groups == [6, 4]
        && number.is_marked_by(b"/")
        && value.is_multiple_of(11)
        && is_day(month, number.value(4..6))
}

fn ro_cnp(number: &Number) -> bool {
    let sum = weighted(&number.digits[..12], &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
    let check = if sum == 10 { 1 } else { sum };
    (1..=8).contains(&number.digits[0])
        && check == u32::from(number.digits[12])
        && is_day(number.value(3..5), number.value(5..7))
        && number.value(7..9) <= 52
        && number.groups == [13]
        && is_lone(number)
        && number.is_called(&["cnp", "cod numeric", "romanian", "personal code"])
}

fn bg_egn(number: &Number) -> bool {
    let sum = weighted(&number.digits[..9], &[2, 4, 8, 5, 10, 9, 7, 3, 6]);
    let month = number.value(2..4) % 20;
    sum % 11 % 10 == u32::from(number.digits[9])
        && is_day(month, number.value(4..6))
        && number.is_called(&["egn", "егн"])
}

fn tr_tckn(number: &Number) -> bool {
    let digits = number.digits;
    let odd: u32 = [0, 2, 4, 6, 8]
        .iter()
        .map(|at| u32::from(digits[*at]))
        .sum();
    let even: u32 = [1, 3, 5, 7].iter().map(|at| u32::from(digits[*at])).sum();
    let tenth = (odd * 7 + 1000 - even) % 10;
    let all: u32 = digits[..10].iter().map(|digit| u32::from(*digit)).sum();
    digits[0] != 0
        && tenth == u32::from(digits[9])
        && all % 10 == u32::from(digits[10])
        && number.groups == [11]
        && is_lone(number)
}

fn il_id(number: &Number) -> bool {
    luhn(number.digits) && number.is_called(&["teudat", "israel", "זהות", "ת.ז"])
}

fn za_id(number: &Number) -> bool {
    number.groups.len() <= 4
        && luhn(number.digits)
        && is_day(number.value(2..4), number.value(4..6))
        && number.digits[10] <= 2
        && (number.digits[11] >= 8
            || number.is_called(&["south african", "id number", "rsa id", "identity"]))
        && is_lone(number)
}

fn in_aadhaar(number: &Number) -> bool {
    number.digits[0] >= 2
        && verhoeff(number.digits)
        && !number.is_part
        && is_lone(number)
        && (number.groups == [4, 4, 4] && number.is_marked_by(b" -")
            || number.is_called(&["aadhaar", "aadhar", "uidai", "uid"]))
}

/// The check of Aadhaar: turns and mirror images of a pentagon.
pub(in crate::guard) fn verhoeff(digits: &[u8]) -> bool {
    const TURNS: [[u8; 10]; 10] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 2, 3, 4, 0, 6, 7, 8, 9, 5],
        [2, 3, 4, 0, 1, 7, 8, 9, 5, 6],
        [3, 4, 0, 1, 2, 8, 9, 5, 6, 7],
        [4, 0, 1, 2, 3, 9, 5, 6, 7, 8],
        [5, 9, 8, 7, 6, 0, 4, 3, 2, 1],
        [6, 5, 9, 8, 7, 1, 0, 4, 3, 2],
        [7, 6, 5, 9, 8, 2, 1, 0, 4, 3],
        [8, 7, 6, 5, 9, 3, 2, 1, 0, 4],
        [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    ];
    const PLACES: [[u8; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let turned = digits
        .iter()
        .rev()
        .enumerate()
        .fold(0_u8, |turned, (place, digit)| {
            TURNS[usize::from(turned)][usize::from(PLACES[place % 8][usize::from(*digit)])]
        });
    turned == 0
}

fn cn_id(number: &Number) -> bool {
    let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let rest = weighted(&number.digits[..17], &weights) % 11;
    let check = [1, 0, 10, 9, 8, 7, 6, 5, 4, 3, 2][rest as usize];
    check == u32::from(number.digits[17])
        && number.digits[0] != 0
        && matches!(number.value(6..10), 1900..=2100)
        && is_day(number.value(10..12), number.value(12..14))
        && number.groups == [18]
}

fn kr_rrn(number: &Number) -> bool {
    let sum = weighted(&number.digits[..12], &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    let check = (11 - sum % 11) % 10;
    let is_checked = check == u32::from(number.digits[12]);
    number.groups == [6, 7]
        && is_day(number.value(2..4), number.value(4..6))
        && (1..=8).contains(&number.digits[6])
        && (is_checked
            || number.value(0..2) >= 20 && number.is_called(&["주민", "rrn", "resident"]))
}

fn jp_my_number(number: &Number) -> bool {
    let sum = weighted(&number.digits[..11], &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
    let check = if sum <= 1 { 0 } else { 11 - sum };
    check == u32::from(number.digits[11])
        && number.is_called(&["my number", "mynumber", "マイナンバー", "個人番号"])
}

/// No check of its own: only a word beside it tells.
fn no_check_tax(number: &Number) -> bool {
    number.groups == [8]
        && number.is_called(&["vat number", "vat no", "ust-id", "统一编号", "統一編號"])
}

fn br_cpf(number: &Number) -> bool {
    let check = |length: usize| {
        let weights: Vec<u32> = (2..=length as u32 + 1).rev().collect();
        let rest = weighted(&number.digits[..length], &weights) * 10 % 11 % 10;
        rest == u32::from(number.digits[length])
    };
    let same = number.digits.iter().all(|digit| *digit == number.digits[0]);
    !same
        && matches!(number.groups, [11] | [3, 3, 3, 2] | [9, 2])
        && check(9)
        && check(10)
        && (number.groups.len() > 1 || number.is_called(&["cpf", "cadastro", "brazil", "brasil"]))
}

fn br_cnpj(number: &Number) -> bool {
    let first = [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
    let second = [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2];
    let check = |weights: &[u32]| {
        let rest = weighted(&number.digits[..weights.len()], weights) % 11;
        let check = if rest < 2 { 0 } else { 11 - rest };
        check == u32::from(number.digits[weights.len()])
    };
    let same = number.digits.iter().all(|digit| *digit == number.digits[0]);
    !same
        && matches!(number.groups, [14] | [2, 3, 3, 4, 2] | [8, 4, 2])
        && check(&first)
        && check(&second)
}

fn au_tfn(number: &Number) -> bool {
    let weights: &[u32] = if number.digits.len() == 9 {
        &[1, 4, 3, 7, 5, 8, 6, 9, 10]
    } else {
        &[10, 7, 8, 4, 6, 3, 5, 1]
    };
    weighted(number.digits, weights).is_multiple_of(11) && number.is_called(&["tfn", "tax file"])
}

fn au_medicare(number: &Number) -> bool {
    let sum = weighted(&number.digits[..8], &[1, 3, 7, 9, 1, 3, 7, 9]);
    (2..=6).contains(&number.digits[0])
        && sum % 10 == u32::from(number.digits[8])
        && number.is_called(&["medicare"])
}

fn au_abn(number: &Number) -> bool {
    let mut digits = number.digits.to_vec();
    if digits[0] == 0 {
        return false;
    }
    digits[0] -= 1;
    let sum = weighted(&digits, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    sum.is_multiple_of(89) && number.is_called(&["abn", "business number"])
}

fn nz_ird(number: &Number) -> bool {
    number.is_called(&["ird"]) && matches!(number.groups, [2 | 3, 3, 3] | [8 | 9])
}
