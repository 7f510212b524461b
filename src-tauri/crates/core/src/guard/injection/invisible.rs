//! Letters that nobody sees: they carry words past the reader, or turn them around.
//!
//! What a script needs is left alone: joiners in emoji and in Persian and Indic words, marks of
//! direction, isolates around text that really runs from right to left, flags made of tags.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

pub(super) const RULES: &[Rule] = &[
    Rule::injection(
        "tag-characters",
        "Invisible letters that spell words for the model alone.",
        Finder::Whole {
            traits: traits::UNSEEN,
            find: tags,
        },
    ),
    Rule::injection(
        "bidi-controls",
        "Marks that show text in another order than it is read.",
        Finder::Whole {
            traits: traits::UNSEEN,
            find: turned,
        },
    ),
    Rule::injection(
        "invisible-characters",
        "Letters without width inside of words.",
        Finder::Whole {
            traits: traits::UNSEEN,
            find: unseen,
        },
    ),
];

fn is_tag(letter: char) -> bool {
    matches!(letter, '\u{E0000}'..='\u{E007F}')
}

fn tags(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    each_run(stretch.text, is_tag, |span, run, before| {
        // England, Scotland and Wales: a black flag, a few tags, and their end.
        let is_flag =
            before == Some('\u{1F3F4}') && run.ends_with('\u{E007F}') && run.chars().count() <= 8;
        if !is_flag {
            found(span);
        }
    });
    let is_selector =
        |letter: char| matches!(letter, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}');
    each_run(stretch.text, is_selector, |span, run, _| {
        if run.chars().count() >= 3 {
            found(span);
        }
    });
}

fn turned(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let is_right = |letter: char| matches!(letter, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    let is_needed = stretch.text.contains(is_right);
    let is_control = |letter: char| {
        matches!(letter, '\u{202D}' | '\u{202E}')
            || !is_needed && matches!(letter, '\u{202A}' | '\u{202B}' | '\u{2066}'..='\u{2068}')
    };
    each_run(stretch.text, is_control, |span, _, _| found(span));
}

fn unseen(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let is_unseen = |letter: char| matches!(letter, '\u{200B}'..='\u{200D}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}' | '\u{180E}' | '\u{115F}' | '\u{1160}' | '\u{FFA0}');
    each_run(stretch.text, is_unseen, |span, run, before| {
        let after = stretch.text[span.end..].chars().next();
        let is_latin = |letter: Option<char>| {
            letter.is_some_and(|letter| {
                letter.is_ascii_alphanumeric()
                    || matches!(letter, '\u{C0}'..='\u{24F}' | '\u{400}'..='\u{4FF}')
            })
        };
        let count = run.chars().count();
        if is_latin(before) && is_latin(after) || count >= 3 {
            found(span);
        }
    });
}

/// Offers every run of such letters, with the letter before it.
fn each_run(
    text: &str,
    belongs: impl Fn(char) -> bool,
    mut offer: impl FnMut(Range<usize>, &str, Option<char>),
) {
    let mut before = None;
    let mut start = None;
    let mut last = None;
    for (at, letter) in text.char_indices() {
        if belongs(letter) {
            if start.is_none() {
                start = Some(at);
                before = last;
            }
        } else if let Some(from) = start.take() {
            offer(from..at, &text[from..at], before);
        }
        last = Some(letter);
    }
    if let Some(from) = start {
        offer(from..text.len(), &text[from..], before);
    }
}
