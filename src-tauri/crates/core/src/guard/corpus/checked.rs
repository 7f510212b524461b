//! Values with a checksum, drawn and made whole.

use sha2::{Digest, Sha256};

use super::{Chance, issued};

pub(super) const NAMES: &[&str] = &[
    "card",
    "iban",
    "luhn",
    "id",
    "pem",
    "jwt",
    "base58",
    "bech32",
    "basic",
    "uuid",
    "fails",
    "snowflake",
];

pub(super) fn value(name: &str, kind: &str, chance: &mut Chance) -> String {
    match name {
        "card" => card(kind, chance),
        "iban" => iban(kind, chance),
        "id" => id(kind, chance),
        "pem" => pem(kind, chance),
        "jwt" if kind == "base64" => base64(jwt(chance).as_bytes(), Padding::Yes),
        "jwt" => jwt(chance),
        "base58" => base58(kind, chance),
        "bech32" => bech32(kind, chance),
        "basic" => {
            let (name, password) = (chance.draw("L", 6), chance.draw("a", 12));
            base64(format!("{name}:{password}").as_bytes(), Padding::Yes)
        }
        "uuid" => format!(
            "{}-{}-4{}-a{}-{}",
            chance.draw("h", 8),
            chance.draw("h", 4),
            chance.draw("h", 3),
            chance.draw("h", 3),
            chance.draw("h", 12)
        ),
        // The number of a bot in base64, as its token begins.
        "snowflake" => {
            let length: usize = kind.parse().unwrap();
            let mut digits = chance.digits(length);
            digits[0] = 1 + chance.below(9) as u8;
            base64(text(&digits).as_bytes(), Padding::No)
        }
        "luhn" => {
            let length: usize = kind.parse().unwrap();
            let mut digits = chance.digits(length - 1);
            digits[0] = 1 + chance.below(8) as u8;
            text(&with_luhn(digits))
        }
        // The same, with its last digit wrong.
        "fails" => {
            let (name, kind) = kind.split_once(':').unwrap();
            let right = value(name, kind, chance);
            let (start, last) = right.split_at(right.len() - 1);
            let digit = last
                .parse::<u8>()
                .map_or('7', |digit| char::from(b'0' + (digit + 1) % 10));
            format!("{start}{digit}")
        }
        _ => panic!("there is no value {name:?}"),
    }
}

fn text(digits: &[u8]) -> String {
    digits
        .iter()
        .map(|digit| char::from(b'0' + digit))
        .collect()
}

fn with_luhn(mut digits: Vec<u8>) -> Vec<u8> {
    digits.push(0);
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let doubled = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            if doubled > 9 { doubled - 9 } else { doubled }
        })
        .sum();
    let last = digits.len() - 1;
    digits[last] = ((10 - sum % 10) % 10) as u8;
    digits
}

fn grouped(digits: &[u8], groups: &[usize], mark: &str) -> String {
    let mut parts = Vec::new();
    let mut at = 0;
    for group in groups {
        parts.push(text(&digits[at..at + group]));
        at += group;
    }
    parts.join(mark)
}

fn card(kind: &str, chance: &mut Chance) -> String {
    let (issuer, form) = kind.split_once(',').unwrap_or((kind, ""));
    let (start, length): (&[u8], usize) = match issuer {
        "visa" => (&[4], 16),
        "mastercard" => (&[5, 3], 16),
        "mastercard2" => (&[2, 5, 1, 3], 16),
        "amex" => (&[3, 7], 15),
        "discover" => (&[6, 0, 1, 1], 16),
        "diners" => (&[3, 6], 14),
        "jcb" => (&[3, 5, 3, 0], 16),
        "unionpay" => (&[6, 2], 16),
        "maestro" => (&[6, 7, 5, 9], 16),
        _ => panic!("there is no issuer {issuer:?}"),
    };
    let mut digits = start.to_vec();
    digits.extend(chance.digits(length - start.len() - 1));
    let digits = with_luhn(digits);
    let groups: &[usize] = match length {
        15 => &[4, 6, 5],
        14 => &[4, 6, 4],
        _ => &[4, 4, 4, 4],
    };
    match form {
        "spaces" => grouped(&digits, groups, " "),
        "dashes" => grouped(&digits, groups, "-"),
        _ => text(&digits),
    }
}

fn iban(kind: &str, chance: &mut Chance) -> String {
    let (country, form) = kind.split_once(',').unwrap_or((kind, ""));
    let body = match country {
        "DE" => chance.draw("d", 18),
        "GB" => format!("{}{}", chance.draw("U", 4), chance.draw("d", 14)),
        "FR" => format!(
            "{}{}{}",
            chance.draw("d", 10),
            chance.draw("u", 11),
            chance.draw("d", 2)
        ),
        "NL" => format!("{}{}", chance.draw("U", 4), chance.draw("d", 10)),
        "ES" => chance.draw("d", 20),
        "IT" => format!("{}{}", chance.draw("U", 1), chance.draw("d", 22)),
        "CH" => chance.draw("d", 17),
        "AT" => chance.draw("d", 16),
        "BE" => chance.draw("d", 12),
        "PL" => chance.draw("d", 24),
        "SE" => chance.draw("d", 20),
        "NO" => chance.draw("d", 11),
        "PT" => chance.draw("d", 21),
        _ => panic!("there is no country {country:?}"),
    };
    let rest = format!("{body}{country}00")
        .bytes()
        .fold(0_u32, |rest, byte| {
            if byte.is_ascii_digit() {
                (rest * 10 + u32::from(byte - b'0')) % 97
            } else {
                (rest * 100 + u32::from(byte - b'A') + 10) % 97
            }
        });
    let whole = format!("{country}{:02}{body}", 98 - rest);
    match form {
        "spaces" => {
            let letters: Vec<char> = whole.chars().collect();
            let parts: Vec<String> = letters
                .chunks(4)
                .map(|part| part.iter().collect())
                .collect();
            parts.join(" ")
        }
        _ => whole,
    }
}

/// A number of a state's: drawn until its rule's own arithmetic, written here a second time,
/// comes out.
fn id(kind: &str, chance: &mut Chance) -> String {
    let day = |chance: &mut Chance| [1 + chance.below(12) as u8, 1 + chance.below(28) as u8];
    let two = |value: u8| [value / 10, value % 10];
    let weighted = |digits: &[u8], weights: &[u32]| -> u32 {
        digits
            .iter()
            .zip(weights)
            .map(|(digit, weight)| u32::from(*digit) * weight)
            .sum()
    };
    let born = |chance: &mut Chance| -> Vec<u8> {
        let [month, day] = day(chance);
        [two(40 + chance.below(59) as u8), two(month), two(day)].concat()
    };
    match kind {
        "ssn" | "ssn-plain" => {
            let area = 1 + chance.below(665);
            let (group, serial) = (1 + chance.below(99), 1 + chance.below(9999));
            let mark = if kind == "ssn" { "-" } else { "" };
            format!("{area:03}{mark}{group:02}{mark}{serial:04}")
        }
        "itin" => format!(
            "9{:02}-{}-{:04}",
            chance.below(100),
            70 + chance.below(19),
            1 + chance.below(9999)
        ),
        "ein" => format!("{}-{}", chance.draw("d", 2), chance.draw("d", 7)),
        "routing" => {
            let mut digits = chance.digits(8);
            let sum = weighted(&digits, &[3, 7, 1, 3, 7, 1, 3, 7]);
            digits.push(((10 - sum % 10) % 10) as u8);
            text(&digits)
        }
        "sin" => {
            let mut digits = chance.digits(8);
            digits[0] = 1 + chance.below(7) as u8;
            grouped(&with_luhn(digits), &[3, 3, 3], "-")
        }
        "nhs" => loop {
            let digits = chance.digits(9);
            let check = (11 - weighted(&digits, &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11) % 11;
            if check < 10 {
                return format!(
                    "{} {} {}{check}",
                    text(&digits[..3]),
                    text(&digits[3..6]),
                    text(&digits[6..])
                );
            }
        },
        "nir" => {
            let start = format!(
                "{}{:02}{:02}{:02}{:03}{:03}",
                1 + chance.below(2),
                40 + chance.below(59),
                1 + chance.below(12),
                1 + chance.below(95),
                1 + chance.below(900),
                1 + chance.below(900)
            );
            let key = 97 - start.parse::<u64>().unwrap() % 97;
            format!(
                "{} {} {} {} {} {} {key:02}",
                &start[..1],
                &start[1..3],
                &start[3..5],
                &start[5..7],
                &start[7..10],
                &start[10..13]
            )
        }
        "steuer" => {
            let mut digits = chance.digits(10);
            digits[0] = 1 + chance.below(9) as u8;
            let mut product = 10;
            for digit in &digits {
                let sum = (u32::from(*digit) + product) % 10;
                product = (if sum == 0 { 10 } else { sum }) * 2 % 11;
            }
            digits.push(((11 - product) % 10) as u8);
            text(&digits)
        }
        "bsn" => loop {
            let digits = chance.digits(8);
            let check = weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            if check < 10 && digits[0] != 0 {
                return format!("{}{check}", text(&digits));
            }
        },
        "nrn" => {
            let date = born(chance);
            let serial = 1 + chance.below(997);
            let first: u64 = format!("{}{serial:03}", text(&date)).parse().unwrap();
            let check = 97 - first % 97;
            format!("{}-{serial:03}.{check:02}", grouped(&date, &[2, 2, 2], "."))
        }
        "pesel" => {
            let mut digits = born(chance);
            digits.extend(chance.digits(4));
            let sum = weighted(&digits, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]);
            digits.push(((10 - sum % 10) % 10) as u8);
            text(&digits)
        }
        "pnr" | "pnr-long" => {
            let mut digits = born(chance);
            digits.extend(chance.digits(3));
            let short = grouped(&with_luhn(digits), &[6, 4], "-");
            if kind == "pnr" {
                short
            } else {
                format!("19{short}")
            }
        }
        "fnr" => loop {
            let [month, day] = day(chance);
            let mut digits = [two(day), two(month), two(50 + chance.below(49) as u8)].concat();
            digits.extend(chance.digits(3));
            let first = (11 - weighted(&digits, &[3, 7, 6, 1, 8, 9, 4, 5, 2]) % 11) % 11;
            digits.push(first as u8);
            let second = (11 - weighted(&digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11;
            digits.push(second as u8);
            if first < 10 && second < 10 {
                return text(&digits);
            }
        },
        "cpr" => {
            let [month, day] = day(chance);
            format!(
                "{day:02}{month:02}{:02}-{}",
                40 + chance.below(59),
                chance.draw("d", 4)
            )
        }
        "nif" => {
            let mut digits = chance.digits(8);
            digits[0] = 2;
            let rest = weighted(&digits, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            digits.push(if rest < 2 { 0 } else { 11 - rest } as u8);
            text(&digits)
        }
        "ahv" => {
            let mut digits = vec![7, 5, 6];
            digits.extend(chance.digits(9));
            let sum = weighted(&digits, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3]);
            digits.push(((10 - sum % 10) % 10) as u8);
            grouped(&digits, &[3, 4, 4, 2], ".")
        }
        "svnr" => loop {
            let start = chance.digits(3);
            let [month, day] = day(chance);
            let date = [two(day), two(month), two(50 + chance.below(49) as u8)].concat();
            let check = (weighted(&start, &[3, 7, 9]) + weighted(&date, &[5, 8, 4, 2, 1, 6])) % 11;
            if check < 10 && start[0] != 0 {
                return format!("{}{check} {}", text(&start), text(&date));
            }
        },
        "rc" => loop {
            let mut digits = born(chance);
            digits.extend(chance.digits(4));
            if text(&digits).parse::<u64>().unwrap().is_multiple_of(11) {
                return grouped(&digits, &[6, 4], "/");
            }
        },
        "cnp" => {
            let mut digits = vec![1];
            digits.extend(born(chance));
            digits.extend(two(1 + chance.below(46) as u8));
            digits.extend(chance.digits(3));
            let sum = weighted(&digits, &[2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11;
            digits.push(if sum == 10 { 1 } else { sum } as u8);
            text(&digits)
        }
        "egn" => {
            let mut digits = born(chance);
            digits.extend(chance.digits(3));
            let sum = weighted(&digits, &[2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11 % 10;
            digits.push(sum as u8);
            text(&digits)
        }
        "tckn" => {
            let mut digits = chance.digits(9);
            digits[0] = 1 + chance.below(9) as u8;
            let odd: u32 = [0, 2, 4, 6, 8]
                .iter()
                .map(|at| u32::from(digits[*at]))
                .sum();
            let even: u32 = [1, 3, 5, 7].iter().map(|at| u32::from(digits[*at])).sum();
            digits.push(((odd * 7 + 1000 - even) % 10) as u8);
            let all: u32 = digits.iter().map(|digit| u32::from(*digit)).sum();
            digits.push((all % 10) as u8);
            text(&digits)
        }
        "zaid" => {
            let mut digits = born(chance);
            digits.extend(chance.digits(4));
            digits.extend([0, 8]);
            text(&with_luhn(digits))
        }
        "aadhaar" => loop {
            let mut digits = chance.digits(12);
            digits[0] = 2 + chance.below(8) as u8;
            if crate::guard::personal::verhoeff(&digits) {
                return grouped(&digits, &[4, 4, 4], " ");
            }
        },
        "cnid" | "cnid-x" => loop {
            let [month, day] = day(chance);
            let mut digits = vec![1, 1, 0, 1, 0, 5, 1, 9];
            digits.extend([two(50 + chance.below(49) as u8), two(month), two(day)].concat());
            digits.extend(chance.digits(3));
            let rest = weighted(
                &digits,
                &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2],
            ) % 11;
            let check = ["1", "0", "X", "9", "8", "7", "6", "5", "4", "3", "2"][rest as usize];
            if (check == "X") == (kind == "cnid-x") {
                return format!("{}{check}", text(&digits));
            }
        },
        "rrn" => {
            let mut digits = born(chance);
            digits.push(1 + chance.below(2) as u8);
            digits.extend(chance.digits(5));
            let sum = weighted(&digits, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
            digits.push(((11 - sum % 11) % 10) as u8);
            grouped(&digits, &[6, 7], "-")
        }
        "mynumber" => {
            let mut digits = chance.digits(11);
            let sum = weighted(&digits, &[6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11;
            digits.push(if sum <= 1 { 0 } else { 11 - sum } as u8);
            text(&digits)
        }
        "cpf" => {
            let mut digits = chance.digits(9);
            for length in [9_u32, 10] {
                let weights: Vec<u32> = (2..=length + 1).rev().collect();
                let check = weighted(&digits, &weights) * 10 % 11 % 10;
                digits.push(check as u8);
            }
            format!(
                "{}-{}",
                grouped(&digits, &[3, 3, 3], "."),
                text(&digits[9..])
            )
        }
        "cnpj" => {
            let mut digits = chance.digits(8);
            digits.extend([0, 0, 0, 1]);
            for weights in [
                &[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2][..],
                &[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
            ] {
                let rest = weighted(&digits, weights) % 11;
                digits.push(if rest < 2 { 0 } else { 11 - rest } as u8);
            }
            format!(
                "{}/{}-{}",
                grouped(&digits, &[2, 3, 3], "."),
                text(&digits[8..12]),
                text(&digits[12..])
            )
        }
        "tfn" => loop {
            let digits = chance.digits(9);
            if digits[0] != 0 && weighted(&digits, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
            {
                return grouped(&digits, &[3, 3, 3], " ");
            }
        },
        "medicare" => {
            let mut digits = chance.digits(8);
            digits[0] = 2 + chance.below(5) as u8;
            let sum = weighted(&digits, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10;
            digits.push(sum as u8);
            digits.push(1);
            grouped(&digits, &[4, 5, 1], " ")
        }
        "abn" => loop {
            let mut digits = chance.digits(11);
            digits[0] = 1 + chance.below(9) as u8;
            let mut less = digits.clone();
            less[0] -= 1;
            if weighted(&less, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]).is_multiple_of(89) {
                return grouped(&digits, &[2, 3, 3, 3], " ");
            }
        },
        "dni" | "nie" => {
            let letters = b"TRWAGMYFPDXBNJZSQVHLCKE";
            let first = chance.below(3);
            let number = if kind == "dni" {
                chance.below(100_000_000)
            } else {
                chance.below(10_000_000)
            };
            let value = if kind == "dni" {
                number
            } else {
                number + first * 10_000_000
            };
            let letter = char::from(letters[value % 23]);
            if kind == "dni" {
                format!("{number:08}{letter}")
            } else {
                format!("{}{number:07}{letter}", ["X", "Y", "Z"][first])
            }
        }
        "cf" => {
            let body = format!(
                "{}{:02}{}{:02}{}{}",
                chance.draw("U", 6),
                chance.below(100),
                ["A", "B", "C", "D", "E", "H"][chance.below(6)],
                1 + chance.below(28),
                chance.draw("U", 1),
                chance.draw("d", 3)
            );
            let odd = [
                1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22,
                25, 24, 23,
            ];
            let sum: u32 = body
                .bytes()
                .enumerate()
                .map(|(place, byte)| {
                    let value = if byte.is_ascii_digit() {
                        byte - b'0'
                    } else {
                        byte - b'A'
                    };
                    if place % 2 == 0 {
                        odd[usize::from(value)]
                    } else {
                        u32::from(value)
                    }
                })
                .sum();
            format!("{body}{}", char::from(b'A' + (sum % 26) as u8))
        }
        "pan" => format!(
            "{}P{}{}{}",
            chance.draw("U", 3),
            chance.draw("U", 1),
            chance.draw("d", 4),
            chance.draw("U", 1)
        ),
        "nric" => {
            let digits = chance.digits(7);
            let sum = weighted(&digits, &[2, 7, 6, 5, 4, 3, 2]);
            format!(
                "S{}{}",
                text(&digits),
                char::from(b"JZIHGFEDCBA"[sum as usize % 11])
            )
        }
        "curp" => format!(
            "{}{}H{}0{}",
            chance.draw("U", 4),
            text(&born(chance)),
            chance.draw("U", 5),
            chance.draw("d", 1)
        ),
        "pps" => {
            let digits = chance.digits(7);
            let sum = weighted(&digits, &[8, 7, 6, 5, 4, 3, 2]);
            format!(
                "{}{}",
                text(&digits),
                char::from(b"WABCDEFGHIJKLMNOPQRSTUV"[sum as usize % 23])
            )
        }
        "nino" | "nino-spaces" => {
            let digits = chance.draw("d", 6);
            if kind == "nino" {
                format!("AB{digits}C")
            } else {
                format!("JG {} {} {} A", &digits[..2], &digits[2..4], &digits[4..])
            }
        }
        "hetu" => {
            let [month, day] = day(chance);
            let (date, serial) = (
                format!("{day:02}{month:02}{:02}", 50 + chance.below(49)),
                format!("{:03}", 2 + chance.below(897)),
            );
            let value: usize = format!("{date}{serial}").parse().unwrap();
            format!(
                "{date}-{serial}{}",
                char::from(b"0123456789ABCDEFHJKLMNPRSTUVWXY"[value % 31])
            )
        }
        _ => issued::id(kind, chance).unwrap_or_else(|| panic!("there is no id {kind:?}")),
    }
}

enum Padding {
    Yes,
    No,
}

fn base64(bytes: &[u8], padding: Padding) -> String {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut written = String::new();
    for part in bytes.chunks(3) {
        let bits = part
            .iter()
            .fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte))
            << (8 * (3 - part.len()));
        for place in 0..=part.len() {
            written.push(char::from(
                letters[(bits >> (18 - 6 * place)) as usize & 63],
            ));
        }
        if matches!(padding, Padding::Yes) {
            written.push_str(&"="[..1].repeat(3 - part.len()));
        }
    }
    written
}

/// A block of so many lines; `json` writes its line ends as code does.
fn pem(kind: &str, chance: &mut Chance) -> String {
    let (label, form) = kind.split_once(',').unwrap_or((kind, ""));
    let label = if label.is_empty() {
        String::new()
    } else {
        format!("{label} ")
    };
    let end = if form == "json" { "\\n" } else { "\n" };
    let (close, label) = match label.as_str() {
        "PGP " => ("PRIVATE KEY BLOCK-----", label.as_str()),
        _ => ("PRIVATE KEY-----", label.as_str()),
    };
    let lines = if form == "long" { 700 } else { 12 };
    let mut block = format!("-----BEGIN {label}{close}{end}");
    for _ in 0..lines {
        block.push_str(&chance.draw("b", 64));
        block.push_str(end);
    }
    block.push_str(&chance.draw("b", 30));
    block.push_str("==");
    if form != "cut" {
        block.push_str(&format!("{end}-----END {label}{close}"));
    }
    block
}

fn jwt(chance: &mut Chance) -> String {
    let header = base64(br#"{"alg":"HS256","typ":"JWT"}"#, Padding::No);
    let body = format!(r#"{{"sub":"{}","iat":1516239022}}"#, chance.draw("d", 10));
    format!(
        "{header}.{}.{}",
        base64(body.as_bytes(), Padding::No),
        chance.draw("w", 43)
    )
}

fn base58(version: &str, chance: &mut Chance) -> String {
    let mut bytes = vec![version.parse::<u8>().unwrap()];
    bytes.extend((0..20).map(|_| chance.below(256) as u8));
    let hash = Sha256::digest(Sha256::digest(&bytes));
    bytes.extend(&hash[..4]);
    let letters = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
    let mut digits: Vec<u32> = Vec::new();
    for byte in &bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            *digit = carry % 58;
            carry /= 58;
        }
        while carry > 0 {
            digits.push(carry % 58);
            carry /= 58;
        }
    }
    let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
    digits.extend(std::iter::repeat_n(0, zeros));
    digits
        .iter()
        .rev()
        .map(|digit| char::from(letters[*digit as usize]))
        .collect()
}

fn bech32(name: &str, chance: &mut Chance) -> String {
    let letters = b"qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let mut values: Vec<u32> = vec![0];
    values.extend((0..32).map(|_| chance.below(32) as u32));
    let mut all: Vec<u32> = name.bytes().map(|byte| u32::from(byte >> 5)).collect();
    all.push(0);
    all.extend(name.bytes().map(|byte| u32::from(byte & 31)));
    all.extend(&values);
    all.extend([0; 6]);
    let mut sum = 1_u32;
    for value in all {
        let top = sum >> 25;
        sum = ((sum & 0x1ff_ffff) << 5) ^ value;
        for (bit, generator) in [
            0x3b6a_57b2_u32,
            0x2650_8e6d,
            0x1ea1_19fa,
            0x3d42_33dd,
            0x2a14_62b3,
        ]
        .into_iter()
        .enumerate()
        {
            if (top >> bit) & 1 == 1 {
                sum ^= generator;
            }
        }
    }
    let sum = sum ^ 1;
    values.extend((0..6).map(|place| (sum >> (5 * (5 - place))) & 31));
    let written: String = values
        .iter()
        .map(|value| char::from(letters[*value as usize]))
        .collect();
    format!("{name}1{written}")
}
