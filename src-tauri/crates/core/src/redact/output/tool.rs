//! The input of a tool while it grows: its strings, numbers and words go through the guard one
//! by one, as they will when the input is whole.

use super::passing::Passing;
use crate::redact::checks::Checks;
use crate::redact::json::{Lexer, Token, escape_into};

/// The input of a tool, which is JSON.
#[derive(Default)]
pub(super) struct Tool {
    lexer: Lexer,
    within: Within,
    /// Letters that the guard has not seen: they go to it in runs, one at a time would cost a
    /// call each.
    run: String,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Nothing,
    String,
    Word,
}

impl Tool {
    pub(super) fn push(&mut self, json: &str, text: &mut Passing, checks: &Checks) -> String {
        let mut out = String::with_capacity(json.len());
        let Self { lexer, within, run } = self;
        for letter in json.chars() {
            lexer.push(letter, &mut |token| {
                take(token, within, run, text, checks, &mut out);
            });
        }
        say(run, *within, text, checks, &mut out);
        out
    }

    pub(super) fn finish(&mut self, text: &mut Passing, checks: &Checks) -> String {
        let mut out = String::new();
        let Self { lexer, within, run } = self;
        lexer.finish(&mut |token| take(token, within, run, text, checks, &mut out));
        if *within == Within::String {
            say(run, *within, text, checks, &mut out);
            escape_into(&mut out, &text.finish(checks));
        }
        out
    }
}

fn take(
    token: Token,
    within: &mut Within,
    run: &mut String,
    text: &mut Passing,
    checks: &Checks,
    out: &mut String,
) {
    if text.is_blocked {
        return;
    }
    match token {
        Token::Between(letter) => out.push(letter),
        Token::Letter(letter) => run.push(letter),
        Token::StringStart => {
            *within = Within::String;
            out.push('"');
        }
        Token::StringEnd => {
            say(run, *within, text, checks, out);
            escape_into(out, &text.finish(checks));
            *within = Within::Nothing;
            if !text.is_blocked {
                out.push('"');
            }
        }
        Token::WordStart => *within = Within::Word,
        Token::WordEnd => {
            let before = text.is_changed;
            text.is_changed = false;
            let mut word = text.push(run, checks);
            run.clear();
            word.push_str(&text.finish(checks));
            if text.is_changed {
                // In the place of a number stands a string.
                out.push('"');
                escape_into(out, &word);
                out.push('"');
            } else {
                out.push_str(&word);
            }
            text.is_changed |= before;
            *within = Within::Nothing;
        }
    }
}

/// Hands the letters of a string that have come to the guard. A word waits for its end: it is
/// short, and nobody knows yet whether it needs quotes.
fn say(run: &mut String, within: Within, text: &mut Passing, checks: &Checks, out: &mut String) {
    if within == Within::String && !run.is_empty() {
        let passed = text.push(run, checks);
        run.clear();
        escape_into(out, &passed);
    }
}
