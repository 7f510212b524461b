//! What a word may stand for, once variables are replaced by what the command or the environment
//! says of them. Pure.

use std::collections::BTreeMap;

use super::pattern::{UNKNOWN, escape, matches, unescape};
use super::shell::{Piece, Word};

/// One word stands for so many values at most.
const MOST_VALUES: usize = 256;
/// Variables in variables.
const DEEPEST: usize = 16;
/// A variable in its own value.
const MOST_AGAIN: usize = 2;

pub(super) struct Expansion<'a> {
    pub(super) assigned: &'a BTreeMap<String, Vec<Word>>,
    /// What the hook will find in its environment.
    pub(super) environment: &'a BTreeMap<String, String>,
    pub(super) assignments: Assignments,
}

/// Whether the assignments of a command say all that its variables may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assignments {
    Complete,
    Partial,
}

/// There are more values than are enumerated.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Expansion<'_> {
    /// As patterns.
    pub(super) fn values(&self, word: &Word) -> Result<Vec<String>, TooMany> {
        self.word(word, &mut Vec::new())
    }

    fn word<'w>(
        &'w self,
        word: &'w Word,
        inside: &mut Vec<&'w str>,
    ) -> Result<Vec<String>, TooMany> {
        let mut values = vec![String::new()];
        for piece in word {
            let next = self.piece(piece, inside)?;
            let joined = values
                .iter()
                .flat_map(|before| next.iter().map(move |after| format!("{before}{after}")));
            values = joined.collect();
            values.sort();
            values.dedup();
            if values.len() > MOST_VALUES {
                return Err(TooMany);
            }
        }
        Ok(values)
    }

    fn piece<'w>(
        &'w self,
        piece: &'w Piece,
        inside: &mut Vec<&'w str>,
    ) -> Result<Vec<String>, TooMany> {
        Ok(match piece {
            Piece::Text { text, quoted: true } => vec![escape(text)],
            Piece::Text {
                text,
                quoted: false,
            } => vec![text.clone()],
            Piece::Code(_) => vec![UNKNOWN.into()],
            Piece::Variable {
                name, operation, ..
            } => {
                let mut values = self.variable(name, inside)?;
                let Some((symbol, word)) = operation else {
                    return Ok(values);
                };
                let word = self.word(word, inside)?;
                match symbol.as_str() {
                    "-" | ":-" | "=" | ":=" => values.extend(word),
                    "+" | ":+" => {
                        values = word;
                        values.push(String::new());
                    }
                    "?" | ":?" => {}
                    other => {
                        let changed = values.iter().flat_map(|value| {
                            word.iter().map(move |word| changed(value, other, word))
                        });
                        values = changed.collect();
                    }
                }
                values
            }
        })
    }

    fn variable<'w>(
        &'w self,
        name: &'w str,
        inside: &mut Vec<&'w str>,
    ) -> Result<Vec<String>, TooMany> {
        let mut values = Vec::new();
        // `X="$X…"` adds to what there was, and what there was may have been made so.
        let again = inside.iter().filter(|it| **it == name).count();
        if again < MOST_AGAIN && inside.len() < DEEPEST {
            inside.push(name);
            for word in self.assigned.get(name).into_iter().flatten() {
                values.extend(self.word(word, inside)?);
            }
            inside.pop();
        }
        // A list of folders is never one name.
        let known = self.environment.get(name);
        if let Some(known) = known.filter(|known| !known.contains(':')) {
            values.push(escape(known));
        }
        let is_set = self.assigned.contains_key(name);
        if values.is_empty() || is_set && self.assignments == Assignments::Partial {
            values.push(UNKNOWN.into());
        }
        values.sort();
        values.dedup();
        Ok(values)
    }
}

/// What `${name%.txt}` and its like make of a value; unknown where that is not worth computing.
fn changed(value: &str, symbol: &str, word: &str) -> String {
    let text = unescape(value);
    if text.contains(UNKNOWN) {
        return UNKNOWN.into();
    }
    let ends = || text.char_indices().map(|(at, _)| at).chain([text.len()]);
    let suffix = |at: &usize| matches(word, &text[*at..]);
    let prefix = |at: &usize| matches(word, &text[..*at]);
    let result = match symbol {
        "%" => ends().rev().find(suffix).map(|at| text[..at].to_owned()),
        "%%" => ends().find(suffix).map(|at| text[..at].to_owned()),
        "#" => ends().find(prefix).map(|at| text[at..].to_owned()),
        "##" => ends().rev().find(prefix).map(|at| text[at..].to_owned()),
        "/" | "//" => {
            let word = unescape(word);
            let (from, to) = word.split_once('/').unwrap_or((&word, ""));
            match symbol {
                "/" => Some(text.replacen(from, to, 1)),
                _ => Some(text.replace(from, to)),
            }
        }
        ":" => part(&text, &unescape(word)),
        "^^" => Some(text.to_uppercase()),
        ",," => Some(text.to_lowercase()),
        _ => return UNKNOWN.into(),
    };
    escape(&result.unwrap_or(text))
}

/// What `${name:1:2}` cuts out.
fn part(text: &str, range: &str) -> Option<String> {
    let (from, length) = range.split_once(':').unwrap_or((range, ""));
    let characters: Vec<char> = text.chars().collect();
    let from: i64 = from.trim().parse().ok()?;
    let end = i64::try_from(characters.len()).ok()?;
    let from = if from < 0 { end + from } else { from }.clamp(0, end);
    let to = match length.trim() {
        "" => end,
        length => {
            let length: i64 = length.parse().ok()?;
            if length < 0 {
                end + length
            } else {
                from + length
            }
        }
    };
    let to = to.clamp(from, end);
    let (from, to) = (usize::try_from(from).ok()?, usize::try_from(to).ok()?);
    Some(characters[from..to].iter().collect())
}
