//! Payment cards: a known beginning, a known length, and the check digit.

use super::number::{Number, luhn};
use crate::guard::rule::{Finder, Rule};

pub(super) const RULE: Rule = Rule::personal(
    "card",
    "CARD",
    "The number of a payment card, with its check digit.",
    Finder::Number {
        digits: 13..=19,
        check,
    },
);

fn check(number: &Number) -> bool {
    let digits = number.digits;
    let is_grouped = matches!(
        number.groups,
        [_] | [4, 4, 4, 4] | [4, 4, 4, 4, 3] | [4, 4, 4, 1] | [4, 6, 5] | [4, 6, 4] | [4, 4, 4, 2]
    );
    let first = number.digits.first().copied().unwrap_or(0);
    let same = digits.iter().all(|digit| *digit == first);
    is_grouped
        && !same
        && number.is_marked_by(b" -.")
        && has_issuer(number)
        && luhn(digits)
        && !matches!(number.byte_before(), Some(b'.' | b'/' | b'-' | b'#'))
}

fn has_issuer(number: &Number) -> bool {
    let length = number.digits.len();
    let four = number.value(0..4);
    let (one, two, three) = (four / 1000, four / 100, four / 10);
    match one {
        4 => matches!(length, 13 | 16 | 19),
        5 => {
            (51..=55).contains(&two) && length == 16
                || matches!(two, 50 | 56 | 57 | 58) && length <= 19
        }
        2 => ((2221..=2720).contains(&four) || (2200..=2204).contains(&four)) && length == 16,
        3 => {
            matches!(two, 34 | 37) && length == 15
                || (matches!(two, 36 | 38 | 39) || (300..=305).contains(&three)) && length >= 14
                || (3528..=3589).contains(&four) && length >= 16
        }
        6 => {
            (four == 6011
                || two == 65
                || (644..=649).contains(&three)
                || two == 62
                || two == 60
                || two == 67
                || two == 63
                || two == 69
                || two == 68)
                && (length >= 16 || two == 67 || two == 63)
        }
        8 => two == 81 && length >= 16,
        9 => (9792..=9792).contains(&four),
        _ => false,
    }
}
