//! Numbers of passports: they have no check of their own, so a word must say what it is.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULE: Rule = Rule::personal(
    "passport",
    "PASSPORT",
    "The number of a passport, beside a word that says so.",
    Finder::Anchored {
        anchors: &[
            "passport",
            "reisepass",
            "passnummer",
            "passeport",
            "pasaporte",
            "passaporto",
            "passaporte",
            "paspoort",
            "паспорт",
            "护照",
            "護照",
            "パスポート",
        ],
        find,
    },
)
.leads(&[
    ("passport", 7),
    ("passports", 6),
    ("reisepass", 5),
    ("reisepassnummer", 5),
    ("passnummer", 4),
    ("passeport", 6),
    ("pasaporte", 6),
    ("passaporto", 6),
    ("passaporte", 6),
    ("paspoort", 5),
    ("паспорт", 5),
    ("паспорта", 5),
    ("护", 20),
    ("護", 20),
]);

const REACH: usize = 48;

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let end = text.ceil_char_boundary((anchor.end + REACH).min(text.len()));
    let near = &text[anchor.end..end];
    let mut at = 0;
    for word in near.split(|letter: char| !letter.is_ascii_alphanumeric()) {
        let span = at..at + word.len();
        at = span.end + 1;
        // What divides words may be wide.
        while at < near.len() && !near.is_char_boundary(at) {
            at += 1;
        }
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let is_number = (6..=10).contains(&word.len())
            && digits >= 5
            && word
                .bytes()
                .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
            && (word.len() - digits <= 3)
            || is_german(word, digits);
        if is_number && near.get(span.clone()) == Some(word) {
            let found = anchor.end + span.start..anchor.end + span.end;
            let is_date = word.len() == 8
                && digits == 8
                && (word.starts_with("19") || word.starts_with("20"));
            return (!is_date).then_some(found);
        }
    }
    None
}

/// Nine digits and consonants that cannot be misread, the first of them a letter.
fn is_german(word: &str, digits: usize) -> bool {
    word.len() == 9
        && digits >= 2
        && word.starts_with(['C', 'F', 'G', 'H', 'J', 'K'])
        && word
            .bytes()
            .all(|byte| byte.is_ascii_digit() || b"CFGHJKLMNPRTVWXYZ".contains(&byte))
}
