//! Numbers that offices issue, drawn until their check is right.

use super::Chance;

/// A number of this kind; nothing where the kind is unknown.
pub(super) fn id(kind: &str, chance: &mut Chance) -> Option<String> {
    Some(match kind {
        "oib" => text(&draw(11, chance, |digits| {
            let product = digits[..10].iter().fold(10, |product, digit| {
                let sum = (product + digit) % 10;
                (if sum == 0 { 10 } else { sum }) * 2 % 11
            });
            (product + digits[10]) % 10 == 1
        })),
        "snils" => {
            let digits = draw(11, chance, |digits| {
                let sum: u32 = (0..9).map(|at| digits[at] * (9 - at as u32)).sum();
                sum % 101 % 100 == digits[9] * 10 + digits[10]
            });
            format!(
                "{}-{}-{} {}",
                text(&digits[..3]),
                text(&digits[3..6]),
                text(&digits[6..9]),
                text(&digits[9..])
            )
        }
        "inn" => text(&draw(10, chance, |digits| {
            sum(digits, &[2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[9]
        })),
        "inn-person" => text(&draw(12, chance, |digits| {
            sum(digits, &[7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[10]
                && sum(digits, &[3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11 % 10 == digits[11]
        })),
        "cuit" => {
            let digits = draw(11, chance, |digits| {
                digits[0] == 2
                    && digits[1] == 7
                    && (sum(digits, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) + digits[10])
                        .is_multiple_of(11)
            });
            format!(
                "{}-{}-{}",
                text(&digits[..2]),
                text(&digits[2..10]),
                digits[10]
            )
        }
        "acn" => text(&draw(9, chance, |digits| {
            (sum(digits, &[8, 7, 6, 5, 4, 3, 2, 1]) + digits[8]).is_multiple_of(10)
        })),
        "thai" => {
            let digits = draw(13, chance, |digits| {
                let sum = sum(digits, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
                digits[0] != 0 && (11 - sum % 11) % 10 == digits[12]
            });
            let parts = [0..1, 1..5, 5..10, 10..12, 12..13];
            parts.map(|part| text(&digits[part])).join("-")
        }
        "afm" => text(&draw(9, chance, |digits| {
            sum(digits, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10 == digits[8]
        })),
        "nip" => {
            let digits = draw(10, chance, |digits| {
                sum(digits, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == digits[9]
            });
            let parts = [0..3, 3..6, 6..8, 8..10];
            parts.map(|part| text(&digits[part])).join("-")
        }
        "rut" | "rut-k" => {
            let wanted = if kind == "rut" { 5 } else { 10 };
            let digits = draw(8, chance, |digits| {
                digits[0] != 0
                    && (sum(digits, &[3, 2, 7, 6, 5, 4, 3, 2]) + wanted).is_multiple_of(11)
            });
            let last = if kind == "rut" { "5" } else { "K" };
            let parts = [0..2, 2..5, 5..8];
            format!("{}-{last}", parts.map(|part| text(&digits[part])).join("."))
        }
        "isikukood" => text(&draw(11, chance, |digits| {
            let check = sum(digits, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
            (3..=6).contains(&digits[0])
                && digits[3] == 0
                && (1..=9).contains(&digits[4])
                && digits[5] == 1
                && check < 10
                && check == digits[10]
        })),
        "npi" => text(&draw(10, chance, |digits| {
            // The prefix that stands before it for the check adds 24.
            let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
            let pairs = (0..10).map(|at| {
                if at % 2 == 0 {
                    doubled(digits[at])
                } else {
                    digits[at]
                }
            });
            digits[0] == 1 && (pairs.sum::<u32>() + 24).is_multiple_of(10)
        })),
        "dea" => {
            let digits = draw(7, chance, |digits| {
                (sum(digits, &[1, 2, 1, 2, 1, 2]) % 10) == digits[6]
            });
            format!("BJ{}", text(&digits))
        }
        "tw" => {
            // A stands for 10: one, and nine times nothing.
            let digits = draw(9, chance, |digits| {
                digits[0] == 1 && (1 + sum(digits, &[8, 7, 6, 5, 4, 3, 2, 1, 1])).is_multiple_of(10)
            });
            format!("A{}", text(&digits))
        }
        "hkid" => {
            // A blank counts 36 nine times, and A counts 10 eight times.
            let digits = draw(7, chance, |digits| {
                (36 * 9 + 80 + sum(digits, &[7, 6, 5, 4, 3, 2, 1])).is_multiple_of(11)
            });
            format!("A{}({})", text(&digits[..6]), digits[6])
        }
        "uk-license" => format!(
            "{}4{:02}{:02}6{}9{}",
            chance.draw("U", 5),
            51 + chance.below(12),
            1 + chance.below(28),
            chance.draw("U", 2),
            chance.draw("U", 2)
        ),
        "mbi" => format!(
            "{}{}{}{}-{}{}{}-{}{}",
            1 + chance.below(9),
            chance.draw("U", 1),
            chance.draw("U", 1),
            chance.draw("d", 1),
            chance.draw("U", 1),
            chance.draw("d", 1),
            chance.draw("d", 1),
            chance.draw("U", 2),
            chance.draw("d", 2)
        ),
        "dni-dash" => {
            let number = chance.below(100_000_000);
            let letter = char::from(b"TRWAGMYFPDXBNJZSQVHLCKE"[number % 23]);
            format!("{number:08}-{letter}")
        }
        _ => return None,
    })
}

fn draw(count: usize, chance: &mut Chance, is_right: impl Fn(&[u32]) -> bool) -> Vec<u32> {
    loop {
        let digits: Vec<u32> = chance.digits(count).into_iter().map(u32::from).collect();
        if is_right(&digits) {
            return digits;
        }
    }
}

fn sum(digits: &[u32], weights: &[u32]) -> u32 {
    let pairs = digits.iter().zip(weights);
    pairs.map(|(digit, weight)| digit * weight).sum()
}

fn text(digits: &[u32]) -> String {
    digits.iter().map(u32::to_string).collect()
}
