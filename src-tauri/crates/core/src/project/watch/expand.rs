//! What a word may stand for, once variables are replaced by what the command or the environment
//! says of them. Pure.

use std::collections::BTreeMap;

use super::pattern::{UNKNOWN, escape, matches, unescape};
use super::shell::{Piece, Word};

/// The environment has a value for these, and a shell gives them others.
const SET_BY_SHELL: [&str; 6] = ["COLUMNS", "LINES", "OLDPWD", "PWD", "SHLVL", "_"];

/// One word stands for so many values at most.
const MOST_VALUES: usize = 1024;
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
            Piece::Code(code) if code.trim_start().starts_with("pwd") => {
                vec![".".into(), UNKNOWN.into()]
            }
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
                            word.iter()
                                .flat_map(move |word| changed(value, other, word))
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
        if SET_BY_SHELL.contains(&name) {
            values.push(UNKNOWN.into());
        }
        if matches!(name, "PWD" | "OLDPWD") {
            // As seen from every folder where the command may be by then.
            values.push(".".into());
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

/// What `${name%.txt}` and its like may make of a value: every cut that might match, since case
/// counts in some shells and not in others, and the value as it was.
fn changed(value: &str, symbol: &str, word: &str) -> Vec<String> {
    let text = unescape(value);
    if text.contains(UNKNOWN) {
        return vec![UNKNOWN.into()];
    }
    // `@(a|b)` may match anything.
    let word = match word.contains('(') {
        true => UNKNOWN.to_string(),
        false => word.to_owned(),
    };
    let results = match symbol {
        "%" | "%%" => {
            let cuts = ends(&text).filter(|at| matches(&word, &text[*at..]));
            cuts.map(|at| text[..at].to_owned()).collect()
        }
        "#" | "##" => {
            let cuts = ends(&text).filter(|at| matches(&word, &text[..*at]));
            cuts.map(|at| text[at..].to_owned()).collect()
        }
        "/" | "//" | "/#" | "/%" => replaced(&text, &word),
        ":" => match part(&text, &unescape(&word)) {
            Some(part) => return vec![escape(&part)],
            None => spans(&text)
                .map(|(from, to)| text[from..to].to_owned())
                .collect(),
        },
        "^" | "^^" | "," | ",," => vec![text.to_uppercase(), text.to_lowercase()],
        _ => vec![UNKNOWN.into()],
    };
    let all = results.iter().chain([&text]);
    all.map(|result| escape(result)).collect()
}

/// Between all characters.
fn ends(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.char_indices().map(|(at, _)| at).chain([text.len()])
}

/// All parts of a text.
fn spans(text: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    ends(text)
        .flat_map(move |from| ends(text).filter_map(move |to| (from < to).then_some((from, to))))
}

/// What `${name/from/to}` may make of a text. Which of the slashes divides is the shell's to know,
/// and so is what becomes of several matches of a pattern.
fn replaced(text: &str, word: &str) -> Vec<String> {
    let mut divisions: Vec<_> = word
        .match_indices('/')
        .map(|(at, _)| (&word[..at], unescape(&word[at + 1..])))
        .collect();
    divisions.push((word, String::new()));
    let mut all = vec![UNKNOWN.to_string()];
    for (from, to) in &divisions {
        all.push(text.replace(&unescape(from), to));
        let found = spans(text).filter(|(begin, end)| matches(from, &text[*begin..*end]));
        all.extend(found.map(|(begin, end)| format!("{}{to}{}", &text[..begin], &text[end..])));
    }
    all
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
