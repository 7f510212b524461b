//! JSON text that comes piece by piece, cut into what a guard looks at: every string is a text of
//! its own, as if it had been read, and so is every number and word. What is between them passes.
//!
//! So a value is found whatever escapes spell it, and the text that grows says the same as the
//! input that is checked whole at its end. Pure, and constant in cost per byte; text that is no
//! JSON passes through the same way, as words.

/// What a piece of JSON text comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Between values: it passes as it is.
    Between(char),
    StringStart,
    /// A letter of the string or word that is open.
    Letter(char),
    StringEnd,
    /// A number or a word begins: it has no quotes.
    WordStart,
    WordEnd,
}

#[derive(Debug, Default)]
pub(super) struct Lexer {
    state: State,
    /// The first half of a character that is spelled as two.
    high: Option<u16>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Between,
    Word,
    String,
    Escape,
    /// So many of the four digits have come, and what they are so far.
    Unicode(u8, u16),
}

impl Lexer {
    pub(super) fn push(&mut self, letter: char, out: &mut dyn FnMut(Token)) {
        self.state = match self.state {
            State::Between => self.between(letter, out),
            State::Word => {
                if is_between(letter) || letter == '"' {
                    out(Token::WordEnd);
                    self.between(letter, out)
                } else {
                    out(Token::Letter(letter));
                    State::Word
                }
            }
            State::String => match letter {
                '"' => {
                    self.lose_half(out);
                    out(Token::StringEnd);
                    State::Between
                }
                '\\' => State::Escape,
                letter => {
                    self.lose_half(out);
                    out(Token::Letter(letter));
                    State::String
                }
            },
            State::Escape if letter == 'u' => State::Unicode(0, 0),
            State::Escape => {
                self.lose_half(out);
                out(Token::Letter(match letter {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    other => other,
                }));
                State::String
            }
            State::Unicode(count, so_far) => match letter.to_digit(16) {
                Some(digit) => {
                    let unit = so_far << 4 | digit as u16;
                    if count < 3 {
                        State::Unicode(count + 1, unit)
                    } else {
                        self.unit(unit, out);
                        State::String
                    }
                }
                // No escape after all; what it was meant to be, nobody knows.
                None => {
                    self.lose_half(out);
                    out(Token::Letter(char::REPLACEMENT_CHARACTER));
                    self.state = State::String;
                    self.push(letter, out);
                    self.state
                }
            },
        };
    }

    /// The text is over, wherever it stands.
    pub(super) fn finish(&mut self, out: &mut dyn FnMut(Token)) {
        match self.state {
            State::Between => {}
            State::Word => out(Token::WordEnd),
            State::String | State::Escape | State::Unicode(..) => {
                self.lose_half(out);
                // Its closing quote never came.
            }
        }
        self.state = State::Between;
    }

    fn between(&mut self, letter: char, out: &mut dyn FnMut(Token)) -> State {
        if letter == '"' {
            out(Token::StringStart);
            State::String
        } else if is_between(letter) {
            out(Token::Between(letter));
            State::Between
        } else {
            out(Token::WordStart);
            out(Token::Letter(letter));
            State::Word
        }
    }

    fn unit(&mut self, unit: u16, out: &mut dyn FnMut(Token)) {
        match (self.high.take(), unit) {
            (None, 0xD800..=0xDBFF) => self.high = Some(unit),
            (Some(high), 0xDC00..=0xDFFF) => {
                let letter = char::decode_utf16([high, unit]).next();
                let letter = letter.and_then(Result::ok);
                out(Token::Letter(letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
            }
            (Some(_), 0xD800..=0xDBFF) => {
                out(Token::Letter(char::REPLACEMENT_CHARACTER));
                self.high = Some(unit);
            }
            (high, unit) => {
                if high.is_some() {
                    out(Token::Letter(char::REPLACEMENT_CHARACTER));
                }
                let letter = char::from_u32(u32::from(unit));
                out(Token::Letter(letter.unwrap_or(char::REPLACEMENT_CHARACTER)));
            }
        }
    }

    fn lose_half(&mut self, out: &mut dyn FnMut(Token)) {
        if self.high.take().is_some() {
            out(Token::Letter(char::REPLACEMENT_CHARACTER));
        }
    }
}

fn is_between(letter: char) -> bool {
    matches!(letter, '{' | '}' | '[' | ']' | ':' | ',') || letter.is_whitespace()
}

/// Appends a text as it is written inside the quotes of a JSON string.
pub(super) fn escape_into(out: &mut String, text: &str) {
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            letter if letter < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text again, as the tokens tell it.
    fn again(text: &str) -> String {
        let mut lexer = Lexer::default();
        let mut out = String::new();
        let mut in_string = false;
        let mut take = |token: Token| match token {
            Token::Between(letter) => out.push(letter),
            Token::StringStart => {
                in_string = true;
                out.push('"');
            }
            Token::StringEnd => {
                in_string = false;
                out.push('"');
            }
            Token::Letter(letter) if in_string => escape_into(&mut out, &letter.to_string()),
            Token::Letter(letter) => out.push(letter),
            Token::WordStart | Token::WordEnd => {}
        };
        for letter in text.chars() {
            lexer.push(letter, &mut take);
        }
        lexer.finish(&mut take);
        out
    }

    #[test]
    fn reads_strings_as_they_are_meant() {
        let rows = [
            (
                r#"{"a": "x\u0040y.z", "b": [1.5e3, true, null]}"#,
                r#"{"a": "x@y.z", "b": [1.5e3, true, null]}"#,
            ),
            (
                r#"{"a":"\ud83d\ude00\/\n\"\\"}"#,
                "{\"a\":\"😀/\\n\\\"\\\\\"}",
            ),
            (r#""\ud83d""#, "\"\u{FFFD}\""),
            (r#""\ud83dx""#, "\"\u{FFFD}x\""),
            (r#""\uzz""#, "\"\u{FFFD}zz\""),
            ("not json at all", "not json at all"),
            (r#"{"a": "cut of"#, r#"{"a": "cut of"#),
            (r#"{"a": 12"#, r#"{"a": 12"#),
        ];
        for (text, expected) in rows {
            assert_eq!(again(text), expected, "{text}");
            if let Ok(value) = serde_json::from_str::<serde_json::Value>(text) {
                let read: serde_json::Value = serde_json::from_str(&again(text)).unwrap();
                assert_eq!(read, value, "{text}");
            }
        }
    }
}
