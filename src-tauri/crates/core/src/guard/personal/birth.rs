//! Dates of birth: a date after a word that says so.

use std::ops::Range;

use super::number::is_day;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULE: Rule = Rule::personal(
    "birth-date",
    "BIRTH_DATE",
    "A date of birth, beside a word that says so.",
    Finder::Anchored {
        anchors: &[
            "born",
            "birth",
            "dob",
            "d.o.b",
            "bday",
            "geboren",
            "geburtsdatum",
            "geb.",
            "né le",
            "née le",
            "naissance",
            "nacimiento",
            "nacido",
            "nacida",
            "nací",
            "nato il",
            "nata il",
            "nascita",
            "nascimento",
            "nascido",
            "nascida",
            "geboortedatum",
            "född",
            "født",
            "syntymä",
            "родил",
            "рождения",
            "出生",
            "生年月日",
            "생년월일",
            "urodzenia",
            "urodz",
        ],
        find,
    },
)
.leads(&[
    ("born", 8),
    ("birth", 8),
    ("birthday", 7),
    ("birthdate", 6),
    ("dob", 6),
    ("b", 5),
    ("bday", 6),
    ("geboren", 6),
    ("geburtsdatum", 5),
    ("geb", 4),
    ("né", 6),
    ("née", 6),
    ("naissance", 7),
    ("nacimiento", 7),
    ("nacido", 8),
    ("nacida", 8),
    ("nací", 8),
    ("nato", 6),
    ("nata", 6),
    ("nascita", 6),
    ("nascimento", 7),
    ("nascido", 7),
    ("nascida", 7),
    ("geboortedatum", 5),
    ("född", 5),
    ("født", 5),
    ("syntymäaika", 5),
    ("родился", 6),
    ("родилась", 6),
    ("рождения", 6),
    ("出", 24),
    ("生", 24),
    ("생년월일", 5),
    ("urodzenia", 5),
]);

/// How far the date may stand from the word.
const REACH: usize = 48;

const MONTHS: &[&str] = &[
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mär",
    "mai", "okt", "dez", "ene", "abr", "ago", "dic", "fév", "avr", "juin", "juil", "aoû", "déc",
    "gen", "mag", "giu", "lug", "set", "ott", "fev", "out", "maj", "янв", "фев", "мар", "апр",
    "мая", "июн", "июл", "авг", "сен", "окт", "ноя", "дек",
];

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let before = text[..anchor.start].chars().next_back();
    if before.is_some_and(char::is_alphabetic)
        && text[anchor.clone()].is_ascii()
        && !is_hump(text, &anchor)
    {
        return None;
    }
    let end = text.ceil_char_boundary((anchor.end + REACH).min(text.len()));
    let near = &text[anchor.end..end];
    let near = near.split(['\n', ';']).next().unwrap_or(near);
    let digit = near.find(|letter: char| letter.is_ascii_digit())?;
    let month = month_before(near, digit);
    let start = month.unwrap_or(digit);
    let length = date(&near[start..])?;
    let found = anchor.end + start..anchor.end + start + length;
    (!text[found.end..].starts_with(|letter: char| letter.is_alphanumeric())).then_some(found)
}

/// `dateOfBirth` and `userDob`.
fn is_hump(text: &str, anchor: &Range<usize>) -> bool {
    text.as_bytes()[anchor.start].is_ascii_uppercase()
        || text[..anchor.start].to_ascii_lowercase().ends_with("of")
}

/// Where the name of a month before the day begins: `March 12, 1990`.
fn month_before(near: &str, digit: usize) -> Option<usize> {
    let before = near[..digit].trim_end_matches([' ', '.', ',']);
    let start = before
        .rfind([' ', ':', '"', '\'', '(', ','])
        .map_or(0, |at| at + 1);
    is_month(&before[start..]).then_some(start)
}

fn is_month(word: &str) -> bool {
    let word = word.to_lowercase();
    word.chars().count() >= 3
        && word.chars().count() <= 10
        && MONTHS.iter().any(|month| word.starts_with(month))
}

/// How many bytes of the text are a date.
fn date(text: &str) -> Option<usize> {
    let mut numbers: Vec<u32> = Vec::new();
    let mut has_month = false;
    let mut end = 0;
    let mut at = 0;
    while numbers.len() + usize::from(has_month) < 3 {
        let rest = &text[at..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            if digits > 4 && !(digits == 8 && numbers.is_empty()) {
                return None;
            }
            if digits == 8 {
                let value: u32 = rest[..8].parse().ok()?;
                let is_date = is_day(value / 100 % 100, value % 100)
                    && (1900..2100).contains(&(value / 10_000));
                return is_date.then_some(at + 8);
            }
            numbers.push(rest[..digits].parse().ok()?);
            at += digits;
            let suffix = [
                "st", "nd", "rd", "th", "º", "ª", "er", "年", "月", "日", "년", "월", "일",
            ];
            at += suffix
                .iter()
                .find(|mark| text[at..].starts_with(**mark))
                .map_or(0, |mark| mark.len());
            end = at;
        } else {
            let word = rest
                .find(|letter: char| !letter.is_alphabetic())
                .unwrap_or(rest.len());
            if word == 0 {
                return None;
            }
            if !has_month && is_month(&rest[..word]) {
                has_month = true;
            } else if !["of", "de", "del", "the", "г"]
                .contains(&rest[..word].to_lowercase().as_str())
            {
                break;
            }
            at += word;
        }
        let marks = text[at..]
            .bytes()
            .take(3)
            .take_while(|byte| b" -/.,".contains(byte))
            .count();
        at += marks;
        if at >= text.len() {
            break;
        }
    }
    // `1990年1月2日` has its last mark after the number.
    let is_year = |value: u32| (1880..=2100).contains(&value);
    let is_date = match numbers.as_slice() {
        [first, second, third] => {
            is_year(*first) && is_day(*second, *third)
                || (is_year(*third) || *third < 100)
                    && (is_day(*first, *second) || is_day(*second, *first))
        }
        [first, second] if has_month => {
            (1..=31).contains(first) && (is_year(*second) || *second < 100)
                || is_year(*first) && (1..=31).contains(second)
        }
        _ => false,
    };
    is_date.then_some(end)
}
