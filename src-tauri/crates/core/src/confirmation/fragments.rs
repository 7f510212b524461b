//! Cuts a text into fragments that are drawn so that a person sees every character of it.
//!
//! Plain text is what has a shape and a fixed direction. A character without a shape (controls,
//! format characters, unusual spaces, unassigned and private ones, marks piled upon each other)
//! becomes its number and name; a run of right-to-left characters is kept apart, because it would
//! reorder what stands beside it.

use weir_protocol::Fragment;

use super::names;

/// What the end of a line means in a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    /// There should be none: each is named like a hidden character, and so is a space at either
    /// end or beside another one, since two such names would look alike.
    One,
    /// It counts, as in a command: each is marked and then obeyed.
    Marked,
    /// It is the text's own.
    Plain,
}

/// A window draws so many pieces at once.
const MOST_FRAGMENTS: usize = 5_000;

/// More marks than this on one character cover the lines above and below it.
const MOST_MARKS: usize = 3;

pub(super) fn of(text: &str, lines: Lines) -> Vec<Fragment> {
    let mut fragments = Vec::new();
    let mut marks = 0;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        marks = if names::is_mark(character) {
            marks + 1
        } else {
            0
        };
        match character {
            '\r' if lines != Lines::One && characters.peek() == Some(&'\n') => {}
            '\n' => match lines {
                Lines::One => push_hidden(&mut fragments, character, 1),
                Lines::Marked if fragments.len() < MOST_FRAGMENTS => {
                    fragments.push(Fragment::LineEnd);
                }
                Lines::Marked => push_text(&mut fragments, "↵\n"),
                Lines::Plain => push_text(&mut fragments, "\n"),
            },
            '\t' if lines != Lines::One => push_text(&mut fragments, "\t"),
            hidden if names::is_hidden(hidden) || marks > MOST_MARKS => {
                let mut times = 1;
                while characters.next_if_eq(&hidden).is_some() {
                    times += 1;
                }
                push_hidden(&mut fragments, hidden, times);
            }
            ' ' if lines == Lines::One => {
                let mut times = 1;
                while characters.next_if_eq(&' ').is_some() {
                    times += 1;
                }
                if times == 1 && !fragments.is_empty() && characters.peek().is_some() {
                    push_character(&mut fragments, ' ');
                } else {
                    push_hidden(&mut fragments, ' ', times);
                }
            }
            right if is_right_to_left(right) => push_right_to_left(&mut fragments, right),
            // Sentences read in their own direction; between words of a command the order counts.
            ' ' if lines == Lines::Plain
                && characters.peek().copied().is_some_and(is_right_to_left)
                && matches!(fragments.last(), Some(Fragment::RightToLeft { .. })) =>
            {
                push_right_to_left(&mut fragments, ' ');
            }
            mark if marks > 0 && matches!(fragments.last(), Some(Fragment::RightToLeft { .. })) => {
                push_right_to_left(&mut fragments, mark);
            }
            plain => push_character(&mut fragments, plain),
        }
    }
    fragments
}

/// Appends to the plain text at the end, or begins one.
pub(super) fn push_text(fragments: &mut Vec<Fragment>, more: &str) {
    match fragments.last_mut() {
        Some(Fragment::Text { text }) => text.push_str(more),
        _ => fragments.push(Fragment::Text {
            text: more.to_owned(),
        }),
    }
}

fn push_character(fragments: &mut Vec<Fragment>, character: char) {
    push_text(fragments, character.encode_utf8(&mut [0; 4]));
}

fn push_right_to_left(fragments: &mut Vec<Fragment>, character: char) {
    let is_full = fragments.len() >= MOST_FRAGMENTS;
    match fragments.last_mut() {
        Some(Fragment::RightToLeft { text }) => text.push(character),
        // Still apart from its neighbours, by invisible marks that every renderer obeys.
        _ if is_full => {
            push_text(fragments, &format!("\u{2068}{character}\u{2069}"));
        }
        _ => fragments.push(Fragment::RightToLeft {
            text: character.to_string(),
        }),
    }
}

/// Each is a mark of its own, and a run of one character is one mark with its count. A text that
/// is full of them is nothing to read: there they are spelled out as plain text, which a window
/// can still draw.
fn push_hidden(fragments: &mut Vec<Fragment>, character: char, times: usize) {
    let name = names::of(character);
    let name = match times {
        1 => name,
        times => format!("{name} × {times}"),
    };
    if fragments.len() < MOST_FRAGMENTS {
        fragments.push(Fragment::Hidden { name });
    } else {
        push_text(fragments, &format!("⟨{name}⟩"));
    }
}

/// The blocks whose characters Unicode reads from right to left unless it says otherwise.
fn is_right_to_left(character: char) -> bool {
    matches!(
        character,
        '\u{590}'..='\u{8FF}'
            | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFE}'
            | '\u{10800}'..='\u{10FFF}'
            | '\u{1E800}'..='\u{1EFFF}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use weir_protocol::Fragment;

    use super::{Lines, of};

    /// Fragments as one line: hidden ones in brackets, right-to-left ones in braces.
    fn drawn(text: &str, lines: Lines) -> String {
        let pieces = of(text, lines).into_iter().map(|fragment| match fragment {
            Fragment::Text { text } => text,
            Fragment::RightToLeft { text } => format!("{{{text}}}"),
            Fragment::Hidden { name } => format!("[{name}]"),
            Fragment::LineEnd => "↵".to_owned(),
        });
        pieces.collect()
    }

    #[test]
    fn names_what_has_no_shape_and_keeps_the_rest() {
        let rows = [
            ("plain ä 漢 é 👍", "plain ä 漢 é 👍"),
            (
                "make.\u{200B} Never",
                "make.[U+200B zero width space] Never",
            ),
            (
                "safe\u{202E}txt.exe",
                "safe[U+202E right-to-left override]txt.exe",
            ),
            ("a\0b", "a[U+0000 null]b"),
            ("a\u{1b}[2J", "a[U+001B escape][2J"),
            ("a\u{A0}b", "a[U+00A0 no-break space]b"),
            ("a\u{3164}b", "a[U+3164 Hangul filler]b"),
            ("a\u{2800}b", "a[U+2800 blank Braille pattern]b"),
            ("a\u{E0041}b", "a[U+E0041 tag character]b"),
            ("a\u{E000}b", "a[U+E000 private-use character]b"),
            ("a\u{378}b", "a[U+0378 unassigned character]b"),
            ("a\u{FE0F}b", "a[U+FE0F variation selector]b"),
            ("%s%.0s%c%p", "%s%.0s%c%p"),
            ("<b>&amp;", "<b>&amp;"),
        ];
        for (text, expected) in rows {
            for lines in [Lines::One, Lines::Marked, Lines::Plain] {
                assert_eq!(drawn(text, lines), expected, "{text:?}");
            }
        }
    }

    #[test]
    fn line_ends_follow_what_they_mean() {
        let text = "a\r\nb\nc\td\re";
        assert_eq!(
            drawn(text, Lines::One),
            "a[U+000D carriage return][U+000A line feed]b[U+000A line feed]c[U+0009 tab]d[U+000D carriage return]e"
        );
        assert_eq!(
            drawn(text, Lines::Marked),
            "a↵b↵c\td[U+000D carriage return]e"
        );
        assert_eq!(
            drawn(text, Lines::Plain),
            "a\nb\nc\td[U+000D carriage return]e"
        );
    }

    #[test]
    fn spaces_that_would_not_be_seen_are_named_in_a_single_line() {
        let rows = [
            ("a b", "a b"),
            ("a  b", "a[U+0020 space × 2]b"),
            (" a", "[U+0020 space]a"),
            ("a ", "a[U+0020 space]"),
            ("   ", "[U+0020 space × 3]"),
        ];
        for (text, expected) in rows {
            assert_eq!(drawn(text, Lines::One), expected, "{text:?}");
            assert_eq!(drawn(text, Lines::Marked), text, "the window keeps them");
        }
    }

    #[test]
    fn right_to_left_words_reorder_nothing_beside_them() {
        assert_eq!(drawn("rm אב גד x", Lines::Marked), "rm {אב} {גד} x");
        assert_eq!(drawn("say אב גד x", Lines::Plain), "say {אב גד} x");
        assert_eq!(drawn("אָב", Lines::Plain), "{אָב}");
    }

    #[test]
    fn piled_marks_are_named() {
        let piled = format!("a{}", "\u{301}".repeat(5));
        let drawn = drawn(&piled, Lines::Plain);
        assert!(drawn.ends_with("[U+0301 combining mark × 2]"), "{drawn}");
    }

    #[test]
    fn a_text_full_of_hidden_characters_stays_drawable() {
        let run = "\u{1}".repeat(200_000);
        assert_eq!(of(&run, Lines::Plain).len(), 1);
        let mixed = "\u{1}\u{2}".repeat(100_000);
        let fragments = of(&mixed, Lines::Plain);
        assert!(
            fragments.len() <= super::MOST_FRAGMENTS + 1,
            "{}",
            fragments.len()
        );
        let text = drawn(&mixed, Lines::Plain);
        assert_eq!(text.matches("U+0001").count(), 100_000, "none is left out");
    }

    proptest! {
        /// Nothing is dropped: every character is there, or its number with how often it stands.
        #[test]
        fn no_character_is_lost(text in "\\PC*|[\\x00-\\u{10FFFF}]*") {
            let shown: usize = of(&text, Lines::One).iter().map(|fragment| match fragment {
                Fragment::Text { text } | Fragment::RightToLeft { text } => text.chars().count(),
                Fragment::Hidden { name } => name.rsplit_once(" × ").map_or(1, |(_, times)| times.parse().unwrap()),
                Fragment::LineEnd => 1,
            }).sum();
            prop_assert_eq!(shown, text.chars().count());
        }
    }
}
