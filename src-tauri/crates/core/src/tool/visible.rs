//! Text of somebody else's, made so that a person sees all of it: no character that hides,
//! reorders or ends a line unseen.

use crate::render::is_deceptive;

/// Longer names are cut in the middle.
const SHORT: usize = 200;

/// More than this cannot be taken in at once by a person who is asked about it.
const WHOLE: usize = 1_500;

/// All of a text, with nothing hidden in it: what is neither a letter nor plain ASCII is spelled
/// out. None if that is more than a person sees at once: what cannot be seen cannot be agreed to.
pub fn whole(text: &str) -> Option<String> {
    let mut shown = String::new();
    for letter in text.chars() {
        if letter.is_alphanumeric() || letter == ' ' || letter.is_ascii_graphic() {
            shown.push(letter);
        } else {
            number(&mut shown, letter);
        }
        if shown.len() > 4 * WHOLE {
            return None;
        }
    }
    (shown.chars().count() <= WHOLE).then_some(shown)
}

/// Every character that cannot be seen, as its number; a tab is a blank.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\t' => out.push(' '),
            '\u{200C}' | '\u{200D}' | '\u{AD}' | '\u{2028}' | '\u{2029}' => {
                number(&mut out, letter)
            }
            hidden if hidden.is_control() || is_deceptive(hidden) => number(&mut out, hidden),
            seen => out.push(seen),
        }
    }
    out
}

fn number(out: &mut String, letter: char) {
    out.extend(letter.escape_unicode());
}

/// A name for a sentence.
pub fn short(text: &str) -> String {
    cut(&line(text), SHORT)
}

/// At most `most` characters; what is left out is in the middle and marked.
pub fn cut(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let start: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{start}…{end}")
}

/// Why the system refused, without its number.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    text.trim_end_matches('.').to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::{WHOLE, cut, line, whole};

    #[test]
    fn nothing_hides_in_what_is_asked() {
        let fits = "x".repeat(WHOLE);
        let cases = [
            (
                "{\"path\":\"Über/a.txt\"}",
                Some("{\"path\":\"Über/a.txt\"}"),
            ),
            (
                "a\u{202e}b\u{200b}c\nd",
                Some("a\\u{202e}b\\u{200b}c\\u{a}d"),
            ),
            (fits.as_str(), Some(fits.as_str())),
            (&"x".repeat(WHOLE + 1), None),
            (&"\u{200b}".repeat(WHOLE / 2), None),
            (&"漢".repeat(2 * WHOLE), None),
        ];
        for (text, shown) in cases {
            assert_eq!(whole(text).as_deref(), shown, "{text}");
        }
    }

    #[test]
    fn shows_what_hides() {
        let rows = [
            ("plain ä 漢", "plain ä 漢"),
            ("a\tb", "a b"),
            ("a\nb\r\u{7}", "a\\u{a}b\\u{d}\\u{7}"),
            ("safe\u{202E}txt.exe", "safe\\u{202e}txt.exe"),
            ("zero\u{200B}width\u{200D}", "zero\\u{200b}width\\u{200d}"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
        ];
        for (text, shown) in rows {
            assert_eq!(line(text), shown);
        }
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdefg", 6), "abc…efg");
    }
}
