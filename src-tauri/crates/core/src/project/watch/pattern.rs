//! Shell patterns: `*`, `?`, `[…]`, `{a,b}`. Pure.
//!
//! A pattern is a string in which a backslash protects the next character, so that quoted text and
//! active wildcards can stand beside each other. [`UNKNOWN`] stands for text that only the shell
//! knows at run time; inside of a name it matches anything.

/// Output of a command, or a variable that nobody set where Weir can see it.
pub(super) const UNKNOWN: char = '\u{1}';

const ACTIVE: [char; 9] = ['*', '?', '[', ']', '{', '}', ',', '~', '\\'];

/// One word may stand for so many others; more are not enumerated.
const MOST_ALTERNATIVES: usize = 512;

/// Text in which nothing is active.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        if ACTIVE.contains(&character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}

/// The text of a pattern, with every wildcard as it is written.
pub(super) fn unescape(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next()),
            other => out.push(other),
        }
    }
    out
}

pub(super) fn has_wildcard(pattern: &str) -> bool {
    let mut characters = pattern.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            '*' | '?' | '[' | UNKNOWN => return true,
            _ => {}
        }
    }
    false
}

/// Whether a whole name matches, be it only in another case: some file systems and some programs
/// see no difference, and watching a file too many does no harm.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    matches_exactly(pattern, name) || matches_exactly(&pattern.to_lowercase(), &name.to_lowercase())
}

pub(super) fn matches_exactly(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    // Positions to return to: after the last star, and where it began to match.
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        let step = match pattern.get(at) {
            Some('*' | &UNKNOWN) => {
                star = Some((at + 1, from));
                at += 1;
                continue;
            }
            None if from == name.len() => return true,
            None => None,
            Some(_) => name
                .get(from)
                .and_then(|character| one(&pattern[at..], *character)),
        };
        match (step, star) {
            (Some(length), _) => {
                at += length;
                from += 1;
            }
            (None, Some((after, begun))) if begun < name.len() => {
                star = Some((after, begun + 1));
                (at, from) = (after, begun + 1);
            }
            (None, Some(_) | None) => return false,
        }
    }
}

/// How much of the pattern stands for this one character; nothing where it does not match.
fn one(pattern: &[char], character: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', escaped, ..] => (*escaped == character).then_some(2),
        ['[', rest @ ..] => match class(rest, character) {
            Some((is_in, length)) => is_in.then_some(length + 1),
            None => (character == '[').then_some(1),
        },
        [plain, ..] => (*plain == character).then_some(1),
        [] => None,
    }
}

/// Whether a bracket expression holds a character, and its length; nothing where it has no end.
fn class(rest: &[char], character: char) -> Option<(bool, usize)> {
    let negated = matches!(rest.first(), Some('!' | '^'));
    let mut at = usize::from(negated);
    let first = at;
    let mut is_in = false;
    loop {
        match rest.get(at)? {
            ']' if at > first => return Some((is_in != negated, at + 1)),
            // `[:alpha:]` and its like: which characters those are is not worth knowing.
            '[' if matches!(rest.get(at + 1), Some(':' | '.' | '=')) => {
                let kind = *rest.get(at + 1)?;
                let end = (at + 2..rest.len())
                    .find(|end| rest[*end] == kind && rest.get(end + 1) == Some(&']'))?;
                is_in = !negated;
                at = end + 2;
            }
            low => {
                let low = if *low == '\\' {
                    at += 1;
                    *rest.get(at)?
                } else {
                    *low
                };
                let high = rest.get(at + 2).filter(|high| **high != ']');
                match (rest.get(at + 1), high) {
                    (Some('-'), Some(high)) => {
                        is_in |= (low..=*high).contains(&character);
                        at += 3;
                    }
                    (Some(_) | None, Some(_) | None) => {
                        is_in |= low == character;
                        at += 1;
                    }
                }
            }
        }
    }
}

/// What `{a,b}` and `{1..3}` stand for, beside the word as it is written: not every shell expands
/// them. Nothing where they are too many.
pub(super) fn expand_braces(pattern: &str) -> Option<Vec<String>> {
    let mut done = vec![pattern.to_owned()];
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        let Some((before, inside, after)) = first_braces(&next) else {
            done.push(next);
            if done.len() > MOST_ALTERNATIVES {
                return None;
            }
            continue;
        };
        for choice in inside {
            open.push(format!("{before}{choice}{after}"));
            if open.len() > MOST_ALTERNATIVES {
                return None;
            }
        }
    }
    done.dedup();
    Some(done)
}

/// The first braces that expand: what stands before them, the choices, what stands behind.
fn first_braces(pattern: &str) -> Option<(String, Vec<String>, String)> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        match characters[at] {
            '\\' => at += 1,
            '{' => {
                if let Some((choices, end)) = choices(&characters[at + 1..]) {
                    let before = characters[..at].iter().collect();
                    let after = characters[at + 1 + end..].iter().collect();
                    return Some((before, choices, after));
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn choices(rest: &[char]) -> Option<(Vec<String>, usize)> {
    let (mut depth, mut begin, mut at) = (0, 0, 0);
    let mut choices = Vec::new();
    loop {
        match rest.get(at)? {
            '\\' => at += 1,
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            '}' => break,
            ',' if depth == 0 => {
                choices.push(rest[begin..at].iter().collect());
                begin = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    let last: String = rest[begin..at].iter().collect();
    if choices.is_empty() {
        return Some((sequence(&last)?, at + 1));
    }
    choices.push(last);
    Some((choices, at + 1))
}

/// `1..9`, `a..f`.
fn sequence(text: &str) -> Option<Vec<String>> {
    let mut parts = text.split("..");
    let (from, to) = (parts.next()?, parts.next()?);
    if let (Ok(low), Ok(high)) = (from.parse::<i64>(), to.parse::<i64>()) {
        let (low, high) = (low.min(high), low.max(high));
        let width = from.len().max(to.len());
        // More than may be enumerated anyway.
        let numbers = (low..=high).take(MOST_ALTERNATIVES + 1);
        let padded = from.starts_with('0') || to.starts_with('0');
        let name = |number: i64| match padded {
            true => format!("{number:0width$}"),
            false => number.to_string(),
        };
        return Some(numbers.map(name).collect());
    }
    let (mut low, mut high) = (from.chars(), to.chars());
    match (low.next()?, low.next(), high.next()?, high.next()) {
        (low, None, high, None) => {
            let all = low.min(high)..=low.max(high);
            Some(all.take(MOST_ALTERNATIVES + 1).map(String::from).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{expand_braces, matches};

    #[test]
    fn patterns_match_as_in_a_shell() {
        let rows = [
            ("*.sh", "a.sh", true),
            ("*.sh", "a.py", false),
            ("a?c", "abc", true),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!a-c]x", "Bx", true),
            ("[A-z]x", "_x", true),
            ("[]]x", "]x", true),
            ("[[:alpha:]]x", "bx", true),
            ("[x", "[x", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*a*b*c", "xxaxxbxxc", true),
            ("*a*b*c", "xxaxxcxxb", false),
            ("GUARD*", "guard.sh", true),
            ("", "", true),
        ];
        for (pattern, name, expected) in rows {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn braces_stand_for_each_choice() {
        let expanded = |text| {
            let mut all = expand_braces(text).unwrap();
            all.sort();
            all
        };
        assert_eq!(expanded("{a,b}.sh"), ["a.sh", "b.sh", "{a,b}.sh"]);
        assert_eq!(expanded("x{1..2}"), ["x1", "x2", "x{1..2}"]);
        assert_eq!(expanded("{a,{b,c}}"), ["a", "b", "c", "{a,{b,c}}"]);
        assert_eq!(expanded("{a}"), ["{a}"]);
        assert_eq!(expanded("\\{a,b\\}"), ["\\{a,b\\}"]);
        assert_eq!(expand_braces("{1..9}{1..9}{1..9}{1..9}"), None);
    }
}
