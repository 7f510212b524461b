//! Where in a growing JSON text one stands: whether a string is a name or a value, and under
//! which name a value stands. Strict: what no JSON can go on with is said so, and so is a text
//! that is nested deeper than any reader of it goes.
//!
//! An item of an array stands under the name of the array. Of a name its end is remembered.

use crate::guard::LONGEST_NAME;

/// serde_json reads no deeper.
const DEEPEST: usize = 127;

/// The text is no JSON, or not the beginning of any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoJson;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StringIs {
    Name,
    Value,
}

#[derive(Debug, Default)]
pub(super) struct Structure {
    open: Vec<Open>,
    expects: Expects,
}

#[derive(Debug)]
struct Open {
    kind: Kind,
    /// Of the field that stands in an object, or of the array.
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Expects {
    #[default]
    Value,
    /// Right after `[`.
    ValueOrEnd,
    Name,
    /// Right after `{`.
    NameOrEnd,
    Colon,
    CommaOrEnd,
    /// The text is complete.
    Nothing,
}

impl Structure {
    /// What stands between values: white space, and marks where they belong.
    pub(super) fn mark(&mut self, letter: char) -> Result<(), NoJson> {
        let kind = self.open.last().map(|open| open.kind);
        self.expects = match (letter, self.expects, kind) {
            (' ' | '\n' | '\t' | '\r', expects, _) => expects,
            ('{', Expects::Value | Expects::ValueOrEnd, _) => {
                self.open(Kind::Object)?;
                Expects::NameOrEnd
            }
            ('[', Expects::Value | Expects::ValueOrEnd, _) => {
                self.open(Kind::Array)?;
                Expects::ValueOrEnd
            }
            (':', Expects::Colon, _) => Expects::Value,
            (',', Expects::CommaOrEnd, Some(Kind::Object)) => Expects::Name,
            (',', Expects::CommaOrEnd, Some(Kind::Array)) => Expects::Value,
            ('}', Expects::CommaOrEnd | Expects::NameOrEnd, Some(Kind::Object))
            | (']', Expects::CommaOrEnd | Expects::ValueOrEnd, Some(Kind::Array)) => {
                self.open.pop();
                self.after_value()
            }
            _ => return Err(NoJson),
        };
        Ok(())
    }

    pub(super) fn string(&mut self) -> Result<StringIs, NoJson> {
        match self.expects {
            Expects::Value | Expects::ValueOrEnd => {
                self.expects = self.after_value();
                Ok(StringIs::Value)
            }
            Expects::Name | Expects::NameOrEnd => {
                self.expects = Expects::Colon;
                if let Some(open) = self.open.last_mut() {
                    open.name.clear();
                }
                Ok(StringIs::Name)
            }
            Expects::Colon | Expects::CommaOrEnd | Expects::Nothing => Err(NoJson),
        }
    }

    pub(super) fn name_goes_on(&mut self, letter: char) {
        if let Some(open) = self.open.last_mut() {
            open.name.push(letter);
            if open.name.len() > 4 * LONGEST_NAME {
                let from = open.name.len() - 2 * LONGEST_NAME;
                open.name.drain(..open.name.floor_char_boundary(from));
            }
        }
    }

    pub(super) fn word(&mut self) -> Result<(), NoJson> {
        match self.expects {
            Expects::Value | Expects::ValueOrEnd => {
                self.expects = self.after_value();
                Ok(())
            }
            Expects::Name
            | Expects::NameOrEnd
            | Expects::Colon
            | Expects::CommaOrEnd
            | Expects::Nothing => Err(NoJson),
        }
    }

    /// The name that the value at hand stands under.
    pub(super) fn name(&self) -> Option<&str> {
        let name = self.open.last().map(|open| open.name.as_str());
        name.filter(|name| !name.is_empty())
    }

    fn open(&mut self, kind: Kind) -> Result<(), NoJson> {
        if self.open.len() >= DEEPEST {
            return Err(NoJson);
        }
        let name = match kind {
            Kind::Object => String::new(),
            Kind::Array => self.name().unwrap_or_default().to_owned(),
        };
        self.open.push(Open { kind, name });
        Ok(())
    }

    fn after_value(&self) -> Expects {
        if self.open.is_empty() {
            Expects::Nothing
        } else {
            Expects::CommaOrEnd
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::{Lexer, Token};
    use super::*;

    /// The values of a text with the names they stand under, and whether it is JSON so far.
    fn read(text: &str) -> (Vec<(Option<String>, String)>, bool) {
        let (mut lexer, mut structure) = (Lexer::default(), Structure::default());
        let (mut values, mut is_json, mut in_name) = (Vec::new(), true, false);
        let mut take = |token: Token| {
            let went = match token {
                Token::Between(letter) => structure.mark(letter),
                Token::StringStart => structure.string().map(|it| {
                    in_name = it == StringIs::Name;
                    if !in_name {
                        values.push((structure.name().map(str::to_owned), String::new()));
                    }
                }),
                Token::WordStart => structure.word().map(|()| {
                    in_name = false;
                    values.push((structure.name().map(str::to_owned), String::new()));
                }),
                Token::Letter(letter) if in_name => {
                    structure.name_goes_on(letter);
                    Ok(())
                }
                Token::Letter(letter) => {
                    if let Some((_, value)) = values.last_mut() {
                        value.push(letter);
                    }
                    Ok(())
                }
                Token::StringEnd | Token::WordEnd => Ok(()),
            };
            is_json &= went.is_ok();
        };
        for letter in text.chars() {
            lexer.push(letter, &mut take);
        }
        lexer.finish(&mut take);
        (values, is_json)
    }

    #[test]
    fn every_value_stands_under_its_name() {
        let text = r#"{"a": "1", "p\u0061": {"b": [2, {"c": "3"}, ["4"]], "": "5"}, "d": null}"#;
        let (values, is_json) = read(text);
        let expected = [
            (Some("a"), "1"),
            (Some("b"), "2"),
            (Some("c"), "3"),
            (Some("b"), "4"),
            (None, "5"),
            (Some("d"), "null"),
        ];
        let expected: Vec<_> = expected
            .iter()
            .map(|(name, value)| (name.map(str::to_owned), (*value).to_owned()))
            .collect();
        assert_eq!((values, is_json), (expected, true));
        assert_eq!(read(r#"["x"]"#).0, [(None, "x".to_owned())]);
    }

    #[test]
    fn knows_what_is_no_json() {
        let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
        let rows = [
            ("", true),
            ("{", true),
            (" {\"a\"\n: [ ] , \"b\":{}} ", true),
            ("{]", false),
            ("{\"a\" \"b\"", false),
            ("{\"a\":1 2", false),
            ("{\"a\":1,}", false),
            ("[1,]", false),
            ("{a:1}", false),
            ("\"a\" \"b\"", false),
            ("1 2", false),
            ("{}{", false),
            (":", false),
        ];
        for (text, expected) in rows {
            assert_eq!(read(text).1, expected, "{text}");
        }
        for depth in [1, DEEPEST, DEEPEST + 1] {
            let text = deep(depth);
            let is_read = serde_json::from_str::<serde_json::Value>(&text).is_ok();
            assert_eq!(read(&text).1, is_read, "{depth} deep");
        }
    }
}
