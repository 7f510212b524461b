//! Keys of which only the beginning has come.
//!
//! A stream holds back at most a few words, but a key to its end. So it must be told early, by
//! evidence: the marks that a key begins with and nothing that speaks against it so far. A long
//! run of letters and digits is none. What a rule would find already, if the text ended here, needs
//! no entry of its own, nor do the shapes of the tables.

use super::{jwt, value};
use crate::guard::shape::Shape;
use crate::guard::stretch::Stretch;

/// Where a key begins that the end of the text may be inside of, for each way to tell one.
type Begins = fn(&str) -> Option<usize>;

const WAYS: &[Begins] = &[
    web_token,
    wrapped_web_token,
    address,
    discord,
    after_mark,
    hash,
    telegram,
];

/// Names that the header of a web token begins with.
const HEADER_NAMES: &[&str] = &[
    "alg", "typ", "kid", "enc", "cty", "jku", "jwk", "x5u", "x5c", "x5t", "zip", "crit", "epk",
    "apu", "apv", "iss", "ver", "b64",
];

/// Of fewer characters after its prefix nobody can say whether they were drawn by chance.
const LEAST_DRAWN: usize = 16;

/// What stands before a long token that has no shape of its own.
const MARKS: &[(&str, usize)] = &[(".webhook.office.com/webhookb2/", 0), (".atlasv1.", 14)];

/// Where the first key begins that may go on after the text.
pub(in crate::guard) fn growing(stretch: &Stretch) -> Option<usize> {
    let text = stretch.text;
    let is_part = |letter: char| letter.is_ascii_graphic() && !"\"'`<>\\".contains(letter);
    let token = text.trim_end_matches(is_part).len();
    if token == text.len() {
        return None;
    }
    let begins = WAYS.iter().filter_map(|way| way(&text[token..]));
    let begins = begins.map(|at| token + at);
    let begins = begins.chain(in_element(text, token));
    begins.chain(given_to_name(text, token)).min()
}

/// Parts of names that promise a secret.
const TELLING: &[&str] = &[
    "key", "secret", "token", "pass", "pwd", "cred", "auth", "sig", "code", "licen",
];

/// What is given to a name that promises a secret, and drawn by chance so far.
fn given_to_name(text: &str, token: usize) -> Option<usize> {
    let mark = text[token..].trim_end_matches('=').rfind(['=', ':']);
    let start = mark.map_or(token, |at| token + at + 1);
    let value = &text[start..];
    let before = text[..start].trim_end_matches(['"', '\'', '`', ' ', '=', ':', '\t']);
    let name = text.floor_char_boundary(before.len().saturating_sub(40));
    let name = before[name..].rsplit(|it: char| !it.is_ascii_alphanumeric() && !"_-".contains(it));
    let name = name.take(1).next()?.to_ascii_lowercase();
    let is_near = start - before.len() <= 4 && start > before.len();
    let is_drawn = value.len() >= LEAST_DRAWN
        && value.len() <= value::LONGEST
        && value::is_random(value)
        && !value::is_readable(value);
    let is_telling = TELLING.iter().any(|it| name.contains(it));
    (is_near && is_telling && is_drawn).then_some(start)
}

/// `<password>…`, before what closes it.
fn in_element(text: &str, token: usize) -> Option<usize> {
    let before = text[..token].strip_suffix('>')?;
    let start = text.floor_char_boundary(before.len().saturating_sub(64));
    let name = before[start..].rsplit('<').next()?.to_ascii_lowercase();
    let is_name = name.len() < before.len() - start && !name.starts_with('/');
    (is_name && TELLING.iter().any(|it| name.contains(it))).then_some(token)
}

/// Whether a value that begins at `start` fits its shape as far as it has come.
pub(in crate::guard) fn may_go_on(stretch: &Stretch, shape: &Shape, start: usize) -> bool {
    let bytes = stretch.text.as_bytes();
    let before = start.checked_sub(1).map(|before| bytes[before]);
    let is_inside = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        || (start == 0 && stretch.joined);
    let anchor = shape.anchor().map_or(0, str::len);
    let rest = stretch.text.get(start + anchor..).unwrap_or_default();
    let is_drawn = (anchor > 0 && rest.len() < LEAST_DRAWN) || value::is_random(rest);
    !is_inside && shape.may_go_on(bytes, start) && is_drawn
}

/// Where the last part of these bytes begins that ends the token.
fn tail(token: &str, is_part: impl Fn(u8) -> bool) -> usize {
    let bytes = token.bytes().rev();
    token.len() - bytes.take_while(|byte| is_part(*byte)).count()
}

fn web_token(token: &str) -> Option<usize> {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=' | b'.');
    let from = tail(token, is_part);
    let places = token[from..].match_indices("eyJ").map(|(at, _)| from + at);
    let mut begins = places.filter(|at| {
        let before = at.checked_sub(1).map(|at| token.as_bytes()[at]);
        !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
    });
    begins.find(|at| {
        let header = token[*at..].split('.').next().unwrap_or_default();
        let header = &header.as_bytes()[..header.len().min(16)];
        let header = jwt::decode(header).unwrap_or_default();
        let names = HEADER_NAMES.iter();
        let mut begins = names.map(|name| format!("{{\"{name}"));
        begins.any(|it| header.starts_with(it.as_bytes()))
    })
}

/// A web token in base64 once more.
fn wrapped_web_token(token: &str) -> Option<usize> {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'=');
    let from = tail(token, is_part);
    let places = token[from..].match_indices("ZXlK");
    let mut places = places.map(|(at, _)| from + at).filter(|at| {
        let before = at.checked_sub(1).map(|at| token.as_bytes()[at]);
        !before.is_some_and(|byte| byte.is_ascii_alphanumeric())
    });
    let from = places.next()?;
    let inside = &token.as_bytes()[from..];
    let inside = jwt::decode(&inside[..inside.len().min(32)])?;
    let inside = std::str::from_utf8(&inside).ok()?;
    web_token(inside).filter(|at| *at == 0).map(|_| from)
}

/// `scheme://user:password` before its `@`, or a token in the place of the user.
fn address(token: &str) -> Option<usize> {
    let start = token.rfind("://")? + 3;
    let rest = &token[start..];
    if rest.contains(['/', '?', '#', '@', ',']) {
        return None;
    }
    let (user, password) = match rest.split_once(':') {
        Some((user, password)) => (user, Some(password)),
        None => (rest, None),
    };
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_token = user.len() >= 20
        && user.bytes().all(is_part)
        && value::is_random(user)
        && !value::is_readable(user);
    if is_token {
        return Some(start);
    }
    let is_port = |it: &&str| it.bytes().all(|byte| byte.is_ascii_digit());
    let is_host = user.starts_with('[');
    password.filter(|it| !is_port(it) && !is_host)?;
    Some(start + user.len() + 1)
}

/// The hash of a password: of Argon's, marks that end a field elsewhere are a part.
fn hash(token: &str) -> Option<usize> {
    const MARKS: &[&str] = &[
        "$argon2",
        "$apr1$",
        "$1$",
        "$2a$",
        "$2b$",
        "$2y$",
        "$5$",
        "$6$",
        "$y$",
        "pbkdf2_sha256$",
    ];
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"$./+=,-_".contains(&byte);
    let from = tail(token, is_part);
    let begins = MARKS.iter().filter_map(|mark| token[from..].find(mark));
    let start = from + begins.min()?;
    (token.len() - start <= 256).then_some(start)
}

fn discord(token: &str) -> Option<usize> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let from = tail(token, |byte| is_letter(byte) || byte == b'.');
    let mut parts = token[from..].split('.');
    let (id, time) = (parts.next()?, parts.next()?);
    let rest = parts.next();
    let fits = (23..=28).contains(&id.len())
        && id.starts_with(['M', 'N', 'O'])
        && (time.len() <= 7 && rest.is_none() || (6..=7).contains(&time.len()))
        && rest.is_none_or(|rest| rest.len() <= 40)
        && parts.next().is_none();
    fits.then_some(from)
}

/// A bot's number, and what follows its colon.
fn telegram(token: &str) -> Option<usize> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let from = tail(token, is_letter);
    let number = token[..from].strip_suffix(':')?;
    let start = tail(number, |byte| byte.is_ascii_digit());
    let rest = &token[from..];
    let fits = (8..=11).contains(&(number.len() - start)) && rest.len() <= 40;
    (fits && rest.starts_with('A')).then_some(start)
}

fn after_mark(token: &str) -> Option<usize> {
    let mut found = MARKS.iter().filter_map(|(mark, before)| {
        let at = token.find(mark)?;
        let rest = &token[at + mark.len()..];
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-_=@/".contains(letter);
        let start = if *before > 0 {
            at.checked_sub(*before)?
        } else {
            at + mark.len()
        };
        (rest.len() <= 256 && rest.chars().all(is_part)).then_some(start)
    });
    found.next()
}
