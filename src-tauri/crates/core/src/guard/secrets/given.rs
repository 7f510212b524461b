//! What a name is given: `password = …`, `--token …`, `name="ApiKey" value="…"`.
//!
//! Reads forward from the name and never goes back, so it takes as long as what it reads.
//! Knows nothing of what a secret looks like: whoever asks judges the value.

use std::ops::Range;

use super::value::LONGEST;
use crate::guard::stretch::Stretch;

/// How far a name goes on after what it is known by: `MISTRAL` of `MISTRAL_PROD_API_KEY`.
const LONGEST_NAME: usize = 40;
/// How far a sentence may go on between a name and its value.
const LONGEST_CLAUSE: usize = 64;

/// A value that a name was given.
pub(super) struct Given {
    /// What the name goes on with: `_URL` of `TOKEN_URL`.
    pub(super) rest: Range<usize>,
    pub(super) value: Range<usize>,
    pub(super) quoted: bool,
    pub(super) by: By,
}

/// How the name was given its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// `=`, `:`, `=>` and their kin.
    Mark,
    /// A mark that divides other things as well: `,`, `|`, `(`.
    Loose,
    /// It is an option of a command, or a line of a Dockerfile: `--token …`, `ENV TOKEN …`.
    Position,
    /// The field beside it says `value`: `name: TOKEN`, then `value: …`.
    Neighbour,
    /// A word: `the password is …`.
    Words,
    /// Nothing at all: it only follows.
    Nothing,
}

/// What is given to the name that is known up to `from`.
pub(super) fn given(stretch: &Stretch, from: usize) -> Option<Given> {
    let bytes = stretch.text.as_bytes();
    let rest = from..from + count(&bytes[from..], LONGEST_NAME, is_name);
    if let Some(at) = neighbour(bytes, rest.end) {
        return value(stretch, rest, at, By::Neighbour);
    }
    let tag = past_attributes(bytes, from, rest.end);
    let named = past_words(bytes, rest.end);
    let at = skip(bytes, tag.unwrap_or(named), 4, |byte| {
        matches!(
            byte,
            b'"' | b'\'' | b'`' | b']' | b')' | b'}' | b'*' | b'\\'
        )
    });
    let spaced = skip(bytes, at, 24, |byte| matches!(byte, b' ' | b'\t'));
    let (at, by) = link(bytes, from, at, spaced)?;
    if spaced == rest.end && by == By::Mark && closes_label(&bytes[at..]) {
        return None;
    }
    value(stretch, rest, at, by).filter(|given| {
        // `<password>` closes a tag; only what stands up to the next tag is its value.
        !bytes[spaced..].starts_with(b">") || {
            let end = skip(bytes, given.value.end, 24, |byte| {
                byte.is_ascii_whitespace()
            });
            bytes.get(end) == Some(&b'<')
        }
    })
}

/// `"Password:",`: the quote ends the label that the name stands in, and opens nothing.
fn closes_label(bytes: &[u8]) -> bool {
    matches!(
        bytes,
        [b'"' | b'\'' | b'`', b',' | b')' | b';' | b'}' | b']', ..]
    )
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// A name of several words: `API key`, `access token`.
fn past_words(bytes: &[u8], at: usize) -> usize {
    const WORDS: [&[u8]; 8] = [
        b" key", b" token", b" secret", b" id", b" Key", b" Token", b" Secret", b" value",
    ];
    let is_next = |word: &&&[u8]| {
        let rest = bytes[at..].strip_prefix(**word);
        rest.is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
    };
    let word = WORDS.iter().find(is_next);
    at + word.map_or(0, |word| word.len())
}

/// What stands between the name and its value, and how much it says.
fn link(bytes: &[u8], from: usize, at: usize, spaced: usize) -> Option<(usize, By)> {
    const MARKS: [&[u8]; 13] = [
        b".=",
        b"?=",
        b"+=",
        b"||=",
        b":=",
        b"=>",
        b"===",
        b"==",
        b"=",
        b":",
        b"->",
        b">",
        b"\xef\xbc\x9a",
    ];
    const WORDS: [&[u8]; 17] = [
        b"is now ",
        b"changed to ",
        b"set to ",
        b"reset to ",
        b"is ",
        b"is:",
        b"was ",
        b"are ",
        b"to ",
        b"of ",
        b"ist ",
        b"lautet ",
        b"es ",
        b"est ",
        b"\xc3\xa9 ",
        b"\xc3\xa8 ",
        b"jest ",
    ];
    let tail = &bytes[spaced..];
    let typed = past_type(bytes, spaced);
    if let Some(mark) = MARKS.iter().find(|mark| tail.starts_with(mark)) {
        return Some((spaced + mark.len(), By::Mark));
    }
    if let Some(b',' | b'|' | b'(') = tail.first() {
        return Some((spaced + 1, By::Loose));
    }
    if spaced > at
        && let Some(clause) = past_clause(bytes, spaced)
    {
        return Some((clause, By::Words));
    }
    if let Some(word) = WORDS.iter().find(|word| tail.starts_with(word)) {
        return Some((spaced + word.len(), By::Words));
    }
    if typed > spaced {
        return Some((typed, By::Mark));
    }
    if spaced == at {
        return None;
    }
    // `Password ---- …`: a line of a list; the dashes divide and promise nothing.
    let dashes = skip(bytes, spaced, 12, |byte| byte == b'-');
    if dashes > spaced && matches!(bytes.get(dashes), Some(b' ' | b'\t')) {
        return Some((dashes, By::Nothing));
    }
    if is_placed(bytes, from) {
        return Some((spaced, By::Position));
    }
    Some((spaced, By::Nothing))
}

/// `the password for the staging server is …`: where the value begins.
fn past_clause(bytes: &[u8], at: usize) -> Option<usize> {
    let opens = [&b"for "[..], b"of ", b"on ", b"to "];
    if !opens.iter().any(|word| bytes[at..].starts_with(word)) {
        return None;
    }
    let clause = &bytes[at..bytes.len().min(at + LONGEST_CLAUSE)];
    let ends = clause
        .iter()
        .position(|byte| matches!(byte, b'\n' | b'.' | b'!' | b'?' | b';' | b','));
    let clause = &clause[..ends.unwrap_or(clause.len())];
    [&b" is "[..], b" is: ", b": "]
        .iter()
        .find_map(|word| memchr::memmem::find(clause, word).map(|found| at + found + word.len()))
}

/// Reads the value that begins at `at`, or shortly after.
fn value(stretch: &Stretch, rest: Range<usize>, at: usize, by: By) -> Option<Given> {
    let bytes = stretch.text.as_bytes();
    let mut at = at;
    if by == By::Words && bytes[at..].starts_with(b"set to ") {
        at += "set to ".len();
    }
    at = skip(bytes, at, 3, |byte| matches!(byte, b'*' | b':' | b'='));
    let line = at + count(&bytes[at..], 24, |byte| matches!(byte, b' ' | b'\t'));
    // A setting that is given nothing does not get the next line.
    if matches!(bytes.get(line), Some(b'\n' | b'\r')) && bytes[..at].ends_with(b"=") {
        return None;
    }
    at = skip(bytes, line, 24, |byte| byte.is_ascii_whitespace());
    at = past_block_mark(bytes, past_type(bytes, at));
    if bytes[at..].starts_with(b"[]byte(") {
        at += "[]byte(".len();
    }
    if let [b'b' | b'r' | b'f' | b'u' | b'@' | b'N', b'"' | b'\'', ..] = bytes[at..] {
        at += 1;
    }
    // In a string of code, the quotes inside are escaped, and end the value the same way.
    let escaped = matches!(bytes[at..], [b'\\', b'"' | b'\'', ..]);
    at += usize::from(escaped);
    let quote = bytes
        .get(at)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    if let Some(quote) = quote {
        let quotes = count(&bytes[at..], 3, |byte| byte == quote);
        // Two are an empty string; three open a long one.
        if quotes == 2 {
            return None;
        }
        at += quotes;
    }
    let mut end = match quote {
        Some(quote) => at + quoted_length(&bytes[at..], quote, escaped),
        None => at + bare_length(&bytes[at..]),
    };
    while end > at && !stretch.text.is_char_boundary(end) {
        end -= 1;
    }
    if quote.is_none() {
        while end > at && matches!(bytes[end - 1], b'.' | b':' | b'!' | b'?') {
            end -= 1;
        }
    }
    // What stands before the mark that gives is a type: `key: KeyBytes = …`.
    let after = skip(bytes, end, 4, |byte| byte == b' ');
    if quote.is_none()
        && by == By::Mark
        && matches!(bytes[after..], [b'=', next, ..] if !matches!(next, b'=' | b'>'))
        && after > end
    {
        return value(stretch, rest, after + 1, By::Loose);
    }
    (end > at).then_some(Given {
        rest,
        value: at..end,
        quoted: quote.is_some(),
        by,
    })
}

fn quoted_length(bytes: &[u8], quote: u8, escaped: bool) -> usize {
    let mut length = 0;
    while let Some(byte) = bytes.get(length).filter(|_| length < LONGEST) {
        match byte {
            b'\n' | b'\r' => break,
            b'\\' if escaped => break,
            // What a backslash takes along belongs to the value.
            b'\\' => length += 1,
            byte if *byte == quote => break,
            _ => {}
        }
        length += 1;
    }
    length.min(bytes.len())
}

/// Without quotes a value ends at white space, at a quote and at what divides fields; a mark in
/// the middle of it divides only where another field follows.
fn bare_length(bytes: &[u8]) -> usize {
    let is_end = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'`');
    let is_field = |pair: &[u8]| pair[0] == b'=' && pair[1].is_ascii_alphanumeric();
    let head = &bytes[..bytes.len().min(64)];
    // A row of fields is no value; each of them is read, so none is read to its end.
    let most = match head.windows(2).filter(|pair| is_field(pair)).count() {
        0..=3 => LONGEST,
        _ => head.len(),
    };
    let whole = count(bytes, most, |byte| !is_end(byte));
    let is_mark = |byte: &u8| {
        matches!(
            byte,
            b',' | b';' | b'&' | b'<' | b'>' | b')' | b']' | b'}' | b'|' | b'\\'
        )
    };
    let Some(first) = bytes[..whole].iter().position(is_mark) else {
        return whole;
    };
    let after = &bytes[first + 1..whole];
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"&!#%^$@_-".contains(byte);
    // `…&FLX5Wr</password>`: a tag ends it.
    let tag = after.iter().position(|byte| *byte == b'<');
    let after = &after[..tag.unwrap_or(after.len())];
    let is_plain = after
        .first()
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        && after.iter().all(is_part);
    let divides = match bytes[first] {
        b'&' | b';' | b'^' => !is_plain,
        b'|' | b'>' => !is_plain || first == 0,
        _ => true,
    };
    if divides {
        first
    } else {
        first + 1 + after.len()
    }
}

/// Whether the place of the name gives it what follows: an option of a command, a variable of a
/// Dockerfile.
fn is_placed(bytes: &[u8], from: usize) -> bool {
    let name = bytes[..from].iter().rev().take(LONGEST_NAME);
    let start = from - name.take_while(|byte| is_name(**byte)).count();
    let before = &bytes[..start];
    let is_line = |word: &[u8]| {
        before
            .strip_suffix(word)
            .is_some_and(|before| before.last().is_none_or(u8::is_ascii_whitespace))
    };
    bytes[start..].starts_with(b"--")
        || [&b"ENV "[..], b"ARG ", b"setenv ", b"configure set "]
            .into_iter()
            .any(is_line)
}

/// `password: string = …` gives a type first.
fn past_type(bytes: &[u8], at: usize) -> usize {
    for kind in [
        "String",
        "string",
        "[]byte",
        "*string",
        "str",
        "&str",
        "&'static str",
        "Optional[str]",
        "SecretStr",
    ] {
        if let Some(rest) = bytes[at..].strip_prefix(kind.as_bytes()) {
            let spaces = count(rest, 4, |byte| byte == b' ');
            if rest.get(spaces) == Some(&b'=') {
                let after = at + kind.len() + spaces + 1;
                return skip(bytes, after, 4, |byte| byte == b' ');
            }
        }
    }
    at
}

/// `password: |` gives a block: the value stands in the next line.
fn past_block_mark(bytes: &[u8], at: usize) -> usize {
    let mark = count(&bytes[at..], 2, |byte| matches!(byte, b'|' | b'>' | b'-'));
    let is_block =
        mark > 0 && bytes[at] != b'-' && matches!(bytes.get(at + mark), Some(b'\n' | b'\r'));
    if is_block {
        skip(bytes, at + mark, 24, |byte| byte.is_ascii_whitespace())
    } else {
        at
    }
}

/// `<Pass encoding="base64">`: past the attributes of a tag that is named so.
fn past_attributes(bytes: &[u8], from: usize, at: usize) -> Option<usize> {
    let name = bytes[..from].iter().rev().take(LONGEST_NAME);
    let start = from - name.take_while(|byte| is_name(**byte)).count();
    if start == 0 || bytes[start - 1] != b'<' || bytes.get(at) != Some(&b' ') {
        return None;
    }
    let rest = &bytes[at..bytes.len().min(at + LONGEST_CLAUSE)];
    let close = rest.iter().position(|byte| matches!(byte, b'>' | b'\n'))?;
    (rest[close] == b'>').then_some(at + close)
}

/// Where the value begins that the field beside the name gives it: `key="ApiKey" value="…"`,
/// `name: TOKEN` with `value: …` in the next line, `variable "token" { default = "…" }`.
fn neighbour(bytes: &[u8], name_end: usize) -> Option<usize> {
    let is_quoted = matches!(bytes.get(name_end), Some(b'"' | b'\'' | b'\\'));
    let is_line = matches!(bytes.get(name_end), Some(b'\n' | b'\r'));
    if !is_quoted && !is_line {
        return None;
    }
    let mut at = name_end;
    for _ in 0..4 {
        at = skip(bytes, at, 48, |byte| {
            byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b',' | b';' | b'{' | b'\\')
        });
        let word = at..at + count(&bytes[at..], LONGEST_NAME, is_name);
        let after = skip(bytes, word.end, 4, |byte| {
            matches!(byte, b'"' | b'\'' | b' ' | b'\\')
        });
        if word.is_empty() {
            return value_tag(bytes, at);
        }
        if !matches!(bytes.get(after), Some(b'=' | b':')) {
            return None;
        }
        let small = bytes[word].to_ascii_lowercase();
        if small.ends_with(b"value") || matches!(&small[..], b"default" | b"content" | b"val") {
            return Some(after + 1);
        }
        // Another attribute stands between the two.
        let field = skip(bytes, after + 1, 2, |byte| byte == b' ');
        let length = match bytes.get(field) {
            Some(quote @ (b'"' | b'\'')) => {
                1 + count(&bytes[field + 1..], LONGEST_NAME, |byte| byte != *quote)
            }
            _ => count(&bytes[field..], LONGEST_NAME, |byte| {
                !byte.is_ascii_whitespace()
            }),
        };
        at = (field + length + 1).min(bytes.len());
    }
    None
}

/// `<setting name="Password"><value>…`: the tag inside of the one that has the name.
fn value_tag(bytes: &[u8], at: usize) -> Option<usize> {
    let open = skip(bytes, at, 24, |byte| {
        byte == b'>' || byte.is_ascii_whitespace()
    });
    const TAG: &[u8] = b"<value>";
    let tag = bytes.get(open..open + TAG.len())?;
    (open > at && tag.eq_ignore_ascii_case(TAG)).then_some(open + TAG.len())
}

fn skip(bytes: &[u8], at: usize, most: usize, is_skipped: impl Fn(u8) -> bool) -> usize {
    at + count(&bytes[at..], most, is_skipped)
}

fn count(bytes: &[u8], most: usize, is_counted: impl Fn(u8) -> bool) -> usize {
    let counted = bytes.iter().take(most);
    counted.take_while(|byte| is_counted(**byte)).count()
}
