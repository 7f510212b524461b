//! Keys of which only the beginning has come.
//!
//! A stream holds back at most a few words, but a key to its end. So it must be told early, by
//! evidence: the marks that a key begins with and nothing that speaks against it so far. A long
//! run of letters and digits is none. What a rule would find already, if the text ended here, needs
//! no entry of its own, nor do the shapes of the tables.
//!
//! Invariant: what has come so far decides. Something that is no key is held back for
//! [`value::SHORT`] characters at most, then evidence against it ends the wait.

use super::{assignment, file, jwt, password, service, value};
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
    maxmind,
];

/// Names that the header of a web token begins with.
const HEADER_NAMES: &[&str] = &[
    "alg", "typ", "kid", "enc", "cty", "jku", "jwk", "x5u", "x5c", "x5t", "zip", "crit", "epk",
    "apu", "apv", "iss", "ver", "b64",
];

/// So much of a header is read to know its first name.
const HEADER_HEAD: usize = 24;

/// A header that is longer carries certificates. Whatever has no dot by then is no web token.
const LONGEST_HEADER: usize = 200;

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

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// Whether it was drawn by chance, as far as it has come.
fn is_drawn(value: &str) -> bool {
    value::is_random(value) && !value::is_readable(value) && !value::is_wordy(value)
}

/// What is given to a name that promises a secret, before there is enough of it for a rule. What
/// no rule has found after [`value::SHORT`] characters is none.
fn given_to_name(text: &str, token: usize) -> Option<usize> {
    let mark = text[token..].trim_end_matches('=').rfind(['=', ':']);
    let start = mark.map_or(token, |at| token + at + 1);
    let value = &text[start..];
    if !(LEAST_DRAWN..=value::SHORT).contains(&value.len()) || value.contains([',', ';']) {
        return None;
    }
    let before = text[..start].trim_end_matches(['"', '\'', '`', ' ', '=', ':', '\t']);
    let is_near = (1..=4).contains(&(start - before.len()));
    let is_drawn = value::is_random(value) && !value::is_readable(value);
    (is_near && is_drawn && is_promised(before, value)).then_some(start)
}

/// Whether the name that `before` ends with may be given such a value by some rule.
fn is_promised(before: &str, value: &str) -> bool {
    const LONGEST_NAME: usize = 64;
    let from = before.floor_char_boundary(before.len().saturating_sub(LONGEST_NAME));
    let name = from + before[from..].trim_end_matches(is_name).len();
    let word = before[name..].to_ascii_lowercase();
    let is_one_of = |names: &[&str]| names.iter().any(|it| word.ends_with(it));
    // Azure's: the signature of a link, and the key of a function, which need some context.
    let is_azure = word == "sig" || word == "code" && before.contains("azurewebsites.net");
    let is_login = is_one_of(&["auth", "_password"]) && file::may_be_login(value);
    is_azure
        || is_login
        || password::is_promised(&word)
        || assignment::is_promised(before, &(name..before.len()), value)
}

/// `<password>…`, before what closes it: only then do the rules know that it is one.
fn in_element(text: &str, token: usize) -> Option<usize> {
    let before = text[..token].strip_suffix('>')?;
    let from = text.floor_char_boundary(before.len().saturating_sub(64));
    let open = from + before[from..].rfind('<')? + 1;
    let end = open
        + before[open..]
            .find(|it: char| !is_name(it))
            .unwrap_or(before.len() - open);
    let value = &text[token..];
    let is_promised = password::is_promised(&before[open..end])
        || assignment::is_promised(&before[..end], &(open..end), value);
    let is_possible = match value.len() {
        0..LEAST_DRAWN => true,
        LEAST_DRAWN..=value::SHORT => value::is_random(value),
        _ => is_drawn(value) && !value.contains([',', ';']),
    };
    (is_promised && is_possible).then_some(token)
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
    begins.find(|at| is_web_token(&token[*at..]))
}

/// Whether it begins with the header of a web token, which ends with a dot, or may.
fn is_web_token(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    if header.len() > LONGEST_HEADER && header.len() == token.len() {
        return false;
    }
    let head = &header.as_bytes()[..header.len().min(HEADER_HEAD)];
    let head = jwt::decode(head).unwrap_or_default();
    let mut begins = HEADER_NAMES.iter().map(|name| format!("{{\"{name}\""));
    begins.any(|it| head.starts_with(it.as_bytes()))
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
    let inside = jwt::decode(&token.as_bytes()[from..])?;
    let inside = std::str::from_utf8(&inside).ok()?;
    is_web_token(inside).then_some(from)
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
    let password = password.filter(|it| !is_port(it) && !user.starts_with('['))?;
    let is_possible = password.len() <= value::SHORT || is_drawn(password);
    is_possible.then_some(start + user.len() + 1)
}

/// `8080`, and what follows one: `1433;databaseName=…`.
fn is_port(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let digits = text.len() - rest.len();
    let ends = rest
        .chars()
        .next()
        .is_none_or(|it| !it.is_ascii_alphanumeric());
    digits <= 5 && ends && (digits > 0 || rest.is_empty())
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
    let begins = MARKS.iter().filter_map(|mark| {
        let at = token[from..].find(mark)?;
        let rest = &token[from + at + mark.len()..];
        is_hash(mark, rest).then_some(from + at)
    });
    begins.min()
}

/// Whether parts of a hash follow its mark: how it was made, the salt, and the hash at the end.
fn is_hash(mark: &str, rest: &str) -> bool {
    const LONGEST_SALT: usize = 24;
    const LONGEST_HASH: usize = 128;
    let marks = match mark {
        "$argon2" => "/+=,-",
        "pbkdf2_sha256$" => "/+=",
        _ => "./",
    };
    let is_part = |part: &str| {
        let part = part.strip_prefix("rounds=").unwrap_or(part);
        let is_letter = |letter: char| letter.is_ascii_alphanumeric() || marks.contains(letter);
        !part.is_empty() && part.chars().all(is_letter)
    };
    let (before, last) = match rest.rsplit_once('$') {
        Some((before, last)) => (Some(before), last),
        None => (None, rest),
    };
    let is_salt = |part: &str| is_part(part) && part.len() <= LONGEST_SALT;
    let is_last = match before {
        None => last.len() <= LONGEST_SALT,
        Some(before) => before.split('$').count() <= 4 && before.split('$').all(is_salt),
    };
    let is_drawn = last.len() < LEAST_DRAWN || value::is_random(last);
    let may_begin = last.is_empty() || is_part(last);
    is_last && may_begin && is_drawn && last.len() <= LONGEST_HASH
}

fn discord(token: &str) -> Option<usize> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let from = tail(token, |byte| is_letter(byte) || byte == b'.');
    let mut parts = token[from..].split('.');
    let (id, time) = (parts.next()?, parts.next()?);
    let rest = parts.next();
    let fits = (23..=28).contains(&id.len())
        && service::is_bot_number(id.as_bytes())
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

/// Six letters and 29 more, before the mark at the end that tells.
fn maxmind(token: &str) -> Option<usize> {
    const LONGEST: usize = 40;
    let from = tail(token, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let (first, rest) = token[from..].split_once('_')?;
    let body = rest.split('_').next().unwrap_or(rest);
    let fits = first.len() == 6 && body.len() <= 29 && token.len() - from <= LONGEST;
    (fits && (rest.len() < LEAST_DRAWN || is_drawn(body))).then_some(from)
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
