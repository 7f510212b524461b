//! Text of somebody else's, made so that a person sees all of it: no character that hides,
//! reorders or ends a line unseen.

use crate::render::is_deceptive;

/// Longer names are cut in the middle.
const SHORT: usize = 200;

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
    use super::{cut, line};

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
