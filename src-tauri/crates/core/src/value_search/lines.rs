//! Lines without what a program puts around their text: numbers, file names, indentation, marks of
//! quotations and comments, quotes.
//!
//! A value that is split over lines, or base64 that is longer than one, is whole again without
//! them. What is left out here is left out of one view only; the text is searched as it is, too.

use super::letters::Letter;

/// A number and a file name may both stand before a line, and a mark after each.
const MOST_PREFIXES: usize = 4;
/// Between two strings that belong together stands no more than this: `" + \n"`.
const LONGEST_JOINT: usize = 16;

/// The text without the decoration of its lines; none where it has no lines or no decoration.
pub(super) fn undecorated(letters: &[Letter]) -> Option<Vec<Letter>> {
    let has_text = |line: &[Letter]| line.iter().any(|it| !it.value.is_whitespace());
    let mut lines = letters.split(is_line_end).filter(|line| has_text(line));
    let has_joint = || (0..letters.len()).any(|at| joint(&letters[at..]).is_some());
    if lines.nth(1).is_none() && !has_joint() {
        return None;
    }
    let mut out = Vec::with_capacity(letters.len());
    for line in letters.split_inclusive(is_line_end) {
        let (text, end) = match line.split_last() {
            Some((last, text)) if is_line_end(last) => (text, Some(last)),
            Some(_) | None => (line, None),
        };
        push_joined(without_suffix(without_prefixes(text)), &mut out);
        out.extend(end);
    }
    (out.len() < letters.len()).then_some(out)
}

fn is_line_end(letter: &Letter) -> bool {
    letter.value == '\n'
}

fn is_quote(letter: &Letter) -> bool {
    matches!(letter.value, '"' | '\'' | '`')
}

/// Whether it belongs to words or to base64.
fn is_content(letter: &Letter) -> bool {
    letter.value.is_alphanumeric()
        || matches!(
            letter.value,
            '+' | '/' | '-' | '_' | '=' | '\\' | '%' | '&' | '\u{FFFD}'
        )
}

/// What stands in a comment, a quotation or a list is set apart by more than the mark.
fn is_mark(letter: &Letter) -> bool {
    matches!(letter.value, '+' | '/' | '-')
}

fn without_prefixes(line: &[Letter]) -> &[Letter] {
    let mut line = without_marks(line);
    for _ in 0..MOST_PREFIXES {
        let Some(rest) = without_number(line).or_else(|| without_place(line)) else {
            break;
        };
        line = without_marks(rest);
    }
    line
}

/// Without blanks and marks at the beginning. A plus, a dash or a slash may be base64, and is a
/// mark only before a blank or a quote.
fn without_marks(mut line: &[Letter]) -> &[Letter] {
    loop {
        let start = line.iter().take_while(|it| !is_content(it)).count();
        line = &line[start..];
        let marks = line.iter().take_while(|it| is_mark(it)).count();
        let is_apart = |it: &Letter| it.value.is_whitespace() || is_quote(it);
        if marks == 0 || !line.get(marks).is_some_and(is_apart) {
            return line;
        }
        line = &line[marks..];
    }
}

/// `12`, and a tab, a colon or a bar.
fn without_number(line: &[Letter]) -> Option<&[Letter]> {
    let digits = digits(line);
    let ends = |it: &Letter| matches!(it.value, '\t' | ':' | '|');
    let is_number = digits > 0 && line.get(digits).is_some_and(ends);
    is_number.then(|| &line[digits + 1..])
}

/// `path/to/file.txt:12:`
fn without_place(line: &[Letter]) -> Option<&[Letter]> {
    let mut from = 0;
    loop {
        let colon = from + line[from..].iter().position(|it| it.value == ':')?;
        let number = colon + 1;
        let end = number + digits(&line[number..]);
        if end > number && line.get(end).is_some_and(|it| it.value == ':') {
            return Some(&line[end + 1..]);
        }
        from = end;
    }
}

fn digits(letters: &[Letter]) -> usize {
    let is_digit = |it: &&Letter| it.value.is_ascii_digit();
    letters.iter().take_while(is_digit).count()
}

/// Without what ends a line of a program: `\n" +`, `",`, a backslash.
fn without_suffix(mut line: &[Letter]) -> &[Letter] {
    while let Some((last, rest)) = line.split_last() {
        let before = rest.last();
        let is_escape =
            matches!(last.value, 'n' | 'r' | 't') && before.is_some_and(|it| it.value == '\\');
        let is_apart = before.is_some_and(|it| it.value.is_whitespace() || is_quote(it));
        if is_escape {
            line = &rest[..rest.len() - 1];
        } else if !is_content(last) || last.value == '\\' || is_mark(last) && is_apart {
            line = rest;
        } else {
            break;
        }
    }
    line
}

/// Adds a line, with strings that a program puts together as one.
fn push_joined(line: &[Letter], out: &mut Vec<Letter>) {
    let mut at = 0;
    while let Some(letter) = line.get(at) {
        match joint(&line[at..]) {
            Some(length) => at += length,
            None => {
                out.push(*letter);
                at += 1;
            }
        }
    }
}

/// How long `" + "` is, where it stands here.
fn joint(line: &[Letter]) -> Option<usize> {
    if !is_quote(line.first()?) {
        return None;
    }
    let inside = line.iter().skip(1).take(LONGEST_JOINT);
    let is_between =
        |it: &&Letter| it.value.is_whitespace() || matches!(it.value, '+' | ',' | '.' | '&');
    let length = 1 + inside.take_while(is_between).count();
    is_quote(line.get(length)?).then_some(length + 1)
}
