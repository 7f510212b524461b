//! What a value looks like, in a line: `ghp_{a:36}` is four letters and 36 more.
//!
//! A shape is matched from its start without ever going back, so it takes as long as what it
//! matches. Classes: `a` letters and digits, `w` those with `_` and `-`, `b` base64, `h` hex,
//! `d` digits, `u` capitals and digits, `l` small letters and digits, `U` capitals, `L` small
//! letters, `t` whatever a token may hold. Counts: `:36`, `:20..40`, `:20..` for
//! that many or more, of which 512 are read.

use super::GuardError;

/// So much is read of a run that has no end of its own. A row of beginnings is read once for each
/// of them, so it bounds what that costs.
pub(super) const LONGEST: usize = 512;

#[derive(Debug)]
pub(super) struct Shape {
    parts: Vec<Part>,
}

#[derive(Debug)]
enum Part {
    Literal(&'static [u8]),
    Run {
        /// By the byte: whether it belongs to the run. Asked for every byte of many runs.
        class: Box<[bool; 256]>,
        least: usize,
        most: usize,
    },
}

fn class_named(name: &str) -> Option<fn(u8) -> bool> {
    Some(match name {
        "a" => |byte| byte.is_ascii_alphanumeric(),
        "w" => |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
        "b" => |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        "h" => |byte| byte.is_ascii_hexdigit(),
        "d" => |byte| byte.is_ascii_digit(),
        "u" => |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit(),
        "l" => |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit(),
        "U" => |byte| byte.is_ascii_uppercase(),
        "L" => |byte| byte.is_ascii_lowercase(),
        "t" => |byte| {
            byte.is_ascii_alphanumeric()
                || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'%')
        },
        _ => return None,
    })
}

impl Shape {
    pub(super) fn parse(text: &'static str) -> Result<Self, GuardError> {
        let bad = || GuardError::Broken(format!("the shape {text:?}"));
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('{') {
            if !literal.is_empty() {
                parts.push(Part::Literal(literal.as_bytes()));
            }
            let (run, after) = after.split_once('}').ok_or_else(bad)?;
            let (class, count) = run.split_once(':').ok_or_else(bad)?;
            let is_member = class_named(class).ok_or_else(bad)?;
            let mut class = Box::new([false; 256]);
            for byte in 0..=u8::MAX {
                class[usize::from(byte)] = is_member(byte);
            }
            let (least, most) = count.split_once("..").unwrap_or((count, count));
            let most = if most.is_empty() {
                LONGEST
            } else {
                most.parse().map_err(|_| bad())?
            };
            let least = least.parse().map_err(|_| bad())?;
            parts.push(Part::Run { class, least, most });
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Literal(rest.as_bytes()));
        }
        Ok(Self { parts })
    }

    /// What it begins with, letter by letter.
    pub(super) fn anchor(&self) -> Option<&'static str> {
        match self.parts.first()? {
            Part::Literal(literal) => std::str::from_utf8(literal).ok(),
            Part::Run { .. } => None,
        }
    }

    /// Where the value that begins at `start` ends. A value that goes on past its shape is
    /// another one.
    pub(super) fn end(&self, text: &[u8], start: usize) -> Option<usize> {
        let mut at = start;
        let mut last: Option<&[bool; 256]> = None;
        for part in &self.parts {
            match part {
                Part::Literal(literal) => {
                    if !text.get(at..)?.starts_with(literal) {
                        return None;
                    }
                    at += literal.len();
                    last = None;
                }
                Part::Run { class, least, most } => {
                    let rest = text.get(at..)?;
                    let run = rest
                        .iter()
                        .take(*most)
                        .take_while(|byte| class[usize::from(**byte)]);
                    let length = run.count();
                    if length < *least {
                        return None;
                    }
                    at += length;
                    last = Some(class);
                }
            }
        }
        let goes_on = |byte: &u8| {
            byte.is_ascii_alphanumeric()
                || *byte == b'_'
                || last.is_some_and(|class| class[usize::from(*byte)])
        };
        // Whoever takes it out takes the rest of an endless run along.
        let is_cut = self.is_open() && at - start >= LONGEST;
        (is_cut || !text.get(at).is_some_and(goes_on)).then_some(at)
    }

    /// Whether the text ends inside of a value that begins at `start` and fits so far.
    pub(super) fn may_go_on(&self, text: &[u8], start: usize) -> bool {
        let mut at = start;
        for part in &self.parts {
            let rest = text.get(at..).unwrap_or_default();
            match part {
                Part::Literal(literal) => {
                    if rest.len() <= literal.len() {
                        return literal.starts_with(rest);
                    }
                    if !rest.starts_with(literal) {
                        return false;
                    }
                    at += literal.len();
                }
                Part::Run { class, least, most } => {
                    let run = rest.iter().take(*most);
                    let length = run.take_while(|byte| class[usize::from(**byte)]).count();
                    if length == rest.len() {
                        return true;
                    }
                    if length < *least {
                        return false;
                    }
                    at += length;
                }
            }
        }
        false
    }

    /// Whether it is longer than so many bytes, or may be.
    pub(super) fn is_longer_than(&self, bytes: usize) -> bool {
        let longest = self.parts.iter().map(|part| match part {
            Part::Literal(literal) => literal.len(),
            Part::Run { most, .. } => *most,
        });
        longest.sum::<usize>() > bytes
    }

    /// Whether it ends with a run that has no end of its own.
    fn is_open(&self) -> bool {
        matches!(self.parts.last(), Some(Part::Run { most, .. }) if *most == LONGEST)
    }
}
