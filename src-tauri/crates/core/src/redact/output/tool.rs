//! The input of a tool while it grows: its strings, numbers and words go through the guard one
//! by one, as they will when the input is whole.
//!
//! Invariant: nothing of a value is said before it is judged with the name of its field. The
//! guard holds a value back as long as the name may still tell something about it, and lets a
//! long one (the text of a file) go on from where it does not. From where the text is no JSON it
//! is prose, after the name that it stands behind. Of a call that was cut short, a value that the
//! guard still held because of its name is not said: half a secret looks like none.

use super::passing::Passing;
use crate::guard::Quotes;
use crate::redact::checks::Checks;
use crate::redact::json::{Lexer, Token, escape_into};
use crate::redact::structure::{NoJson, StringIs, Structure};

/// Longer ones are no numbers.
const LONGEST_WORD: usize = 64;

/// The input of a tool, which is JSON.
#[derive(Default)]
pub(super) struct Tool {
    lexer: Lexer,
    reader: Reader,
}

#[derive(Default)]
struct Reader {
    structure: Structure,
    within: Within,
    /// Letters that the guard has not seen: they go to it in runs, one at a time would cost a
    /// call each.
    run: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    Name,
    Value,
    Word,
    /// It is no JSON any more.
    Prose,
}

/// What a token goes through.
struct Way<'a> {
    text: &'a mut Passing,
    checks: &'a Checks,
    out: String,
}

impl Tool {
    pub(super) fn push(&mut self, json: &str, text: &mut Passing, checks: &Checks) -> String {
        let out = String::with_capacity(json.len());
        let mut way = Way { text, checks, out };
        let Self { lexer, reader } = self;
        for (at, letter) in json.char_indices() {
            if reader.within == Within::Prose {
                reader.run.push_str(&json[at..]);
                break;
            }
            lexer.push(letter, &mut |token| reader.take(token, &mut way));
        }
        reader.say(&mut way);
        way.out
    }

    pub(super) fn finish(&mut self, text: &mut Passing, checks: &Checks) -> String {
        let out = String::new();
        let mut way = Way { text, checks, out };
        let Self { lexer, reader } = self;
        let is_cut_short = match reader.within {
            Within::Value => way.text.is_held_by_name(),
            Within::Word => reader.structure.name().is_some(),
            Within::Nothing | Within::Name | Within::Prose => false,
        };
        if is_cut_short {
            way.text.forget(checks);
            return way.out;
        }
        if reader.within != Within::Prose {
            lexer.finish(&mut |token| reader.take(token, &mut way));
        }
        reader.say(&mut way);
        let rest = way.text.finish(checks);
        match reader.within {
            Within::Name | Within::Value => escape_into(&mut way.out, &rest),
            Within::Prose | Within::Nothing | Within::Word => way.out.push_str(&rest),
        }
        way.out
    }
}

impl Reader {
    fn take(&mut self, token: Token, way: &mut Way) {
        if way.text.is_blocked {
            return;
        }
        if self.within == Within::Prose {
            // What the lexer has to say of the letter that ended the JSON.
            match token {
                Token::Between(letter) | Token::Letter(letter) => self.run.push(letter),
                Token::StringStart | Token::StringEnd => self.run.push('"'),
                Token::WordStart | Token::WordEnd => {}
            }
            return;
        }
        match token {
            Token::Between(letter) => match self.structure.mark(letter) {
                Ok(()) => way.out.push(letter),
                Err(NoJson) => {
                    self.end_json(way);
                    self.run.push(letter);
                }
            },
            Token::Letter(letter) => {
                self.run.push(letter);
                match self.within {
                    Within::Name => self.structure.name_goes_on(letter),
                    Within::Word if self.run.len() > LONGEST_WORD => self.end_json(way),
                    Within::Word | Within::Value | Within::Nothing | Within::Prose => {}
                }
            }
            Token::StringStart => match self.structure.string() {
                Ok(StringIs::Name) => {
                    self.within = Within::Name;
                    way.out.push('"');
                }
                Ok(StringIs::Value) => {
                    self.within = Within::Value;
                    way.text
                        .begin(self.structure.name(), Quotes::Around, way.checks);
                    way.out.push('"');
                }
                Err(NoJson) => {
                    self.end_json(way);
                    self.run.push('"');
                }
            },
            Token::StringEnd => {
                self.say(way);
                let rest = way.text.finish(way.checks);
                escape_into(&mut way.out, &rest);
                if !way.text.is_blocked {
                    way.out.push('"');
                }
                self.within = Within::Nothing;
            }
            Token::WordStart => match self.structure.word() {
                Ok(()) => self.within = Within::Word,
                Err(NoJson) => self.end_json(way),
            },
            Token::WordEnd => self.end_word(way),
        }
    }

    fn end_word(&mut self, way: &mut Way) {
        match self.run.as_str() {
            "true" | "false" | "null" => {
                way.out.push_str(&self.run);
                self.run.clear();
            }
            number if serde_json::from_str::<serde_json::Number>(number).is_ok() => {
                let before = std::mem::take(&mut way.text.is_changed);
                way.text
                    .begin(self.structure.name(), Quotes::Around, way.checks);
                let mut word = way.text.push(&self.run, way.checks);
                self.run.clear();
                word.push_str(&way.text.finish(way.checks));
                if way.text.is_changed {
                    // In the place of a number stands a string.
                    way.out.push('"');
                    escape_into(&mut way.out, &word);
                    way.out.push('"');
                } else {
                    way.out.push_str(&word);
                }
                way.text.is_changed |= before;
            }
            _ => {
                self.end_json(way);
                return;
            }
        }
        self.within = Within::Nothing;
    }

    /// What follows is prose: nobody knows which of it is a name and which a value.
    fn end_json(&mut self, way: &mut Way) {
        way.text
            .begin(self.structure.name(), Quotes::Without, way.checks);
        self.within = Within::Prose;
    }

    /// Hands the letters of a text that have come to the guard. A word waits for its end: it is
    /// short, and nobody knows yet whether it needs quotes.
    fn say(&mut self, way: &mut Way) {
        if self.run.is_empty() {
            return;
        }
        match self.within {
            Within::Name | Within::Value => {
                let passed = way.text.push(&self.run, way.checks);
                escape_into(&mut way.out, &passed);
                self.run.clear();
            }
            Within::Prose => {
                let passed = way.text.push(&self.run, way.checks);
                way.out.push_str(&passed);
                self.run.clear();
            }
            Within::Nothing | Within::Word => {}
        }
    }
}
