//! Values given to names that promise a secret: `api_key: …`, `TOKEN=…`.
//!
//! The widest rule, and so the one with the most doubts: a manual, a schema and a program that
//! reads the secret from elsewhere all look alike.

use std::ops::Range;

use super::doubt::{is_about, is_code};
use super::given::{By, Given, given};
use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

/// What a secret is called.
const NAMES: &[&str] = &[
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "api key",
    "key",
    "credential",
    "creds",
    "_auth=",
    "_auth =",
    "authorization",
    "session_id",
    "_session",
    "sessionid",
    "cookie",
];

pub(super) const RULES: &[Rule] = &[Rule::secret(
    "secret-value",
    "SECRET",
    "A value drawn by chance that is given to a name such as token, secret or key.",
    Finder::Anchored {
        anchors: NAMES,
        find: secret_value,
    },
)
.leads(&[
    ("key", 4),
    ("keys", 3),
    ("token", 4),
    ("secret", 4),
    ("apikey", 4),
    ("api", 5),
    ("credential", 4),
    ("credentials", 4),
    ("authorization", 4),
    ("auth", 3),
    ("access", 4),
    ("cookie", 3),
    ("creds", 4),
    ("accesstoken", 4),
    ("authtoken", 4),
    ("apitoken", 4),
    ("bottoken", 4),
    ("repotoken", 4),
    ("usertoken", 4),
    ("secretkey", 4),
    ("accesskey", 4),
    ("privatekey", 4),
    ("clientsecret", 4),
    // What names end with after the word that tells: `secret_key_base`, `TOKEN_PROD`.
    ("base", 2),
    ("prod", 2),
    ("production", 2),
    ("staging", 2),
    ("dev", 2),
    ("test", 2),
    ("live", 2),
])];

/// Whether a value that has begun may be a secret by the name that it is given to, with which
/// `text` ends.
pub(super) fn is_promised(text: &str, name: &Range<usize>, value: &str) -> bool {
    let small = text[name.clone()].to_ascii_lowercase();
    NAMES.iter().any(|known| {
        let known = known.trim_end_matches([' ', '=']);
        let mut places = small.match_indices(known);
        places.any(|(at, _)| {
            let start = name.start + at;
            let known = start..start + known.len();
            let is_alone = at == 0 && known.len() == "key".len();
            !is_about(&text[known.end..name.end])
                && !is_public(text, &known)
                && (!is_alone || may_be_query_key(value))
        })
    })
}

fn secret_value(stretch: &Stretch, name: Range<usize>) -> Option<Range<usize>> {
    let given = given(stretch, name.end)?;
    let rest = &stretch.text[given.rest.clone()];
    let value = &stretch.text[given.value.clone()];
    if is_about(rest) || is_public(stretch.text, &name) {
        return None;
    }
    if given.by == By::Loose && !given.quoted && is_constant(value) {
        return None;
    }
    // `--recv-keys …` names keys and holds none.
    if given.by == By::Position && rest.ends_with('s') {
        return None;
    }
    let word = stretch.text[name.clone()].to_ascii_lowercase();
    // A key alone is anything's; a key of something may be a secret.
    let before = name
        .start
        .checked_sub(1)
        .map(|before| stretch.text.as_bytes()[before]);
    let is_of = before
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    let in_words = matches!(given.by, By::Words | By::Nothing);
    let is_key_of = is_of || is_query_key(value, &given);
    if word == "key" && (!is_key_of || value.len() < 16 || in_words) {
        return None;
    }
    if given.by == By::Nothing && !is_unmistakable(value) {
        return None;
    }
    let telling = [
        "secret",
        "api_key",
        "apikey",
        "api-key",
        "api key",
        "creds",
        "credential",
    ];
    let kind = if telling.contains(&word.as_str()) {
        Name::Telling
    } else if is_of && !in_words && (word == "token" || word == "key") {
        Name::Compound
    } else {
        Name::Vague
    };
    is_secret(value, &given, kind).then_some(given.value)
}

/// `PBKDF2_HMAC_SHA256`: the next name of a list.
fn is_constant(value: &str) -> bool {
    let is_part = |part: &str| {
        part.len() <= 12
            && part.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    value.contains('_') && value.split('_').all(is_part)
}

/// `?key=…` of a request: long, drawn by chance, and no checksum.
fn is_query_key(value: &str, given: &Given) -> bool {
    given.by == By::Mark && !given.quoted && value.len() >= 30 && may_be_query_key(value)
}

/// The same of which the end may not have come yet.
fn may_be_query_key(value: &str) -> bool {
    const LONGEST: usize = 60;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    value.len() <= LONGEST
        && !value.bytes().all(|byte| byte.is_ascii_hexdigit())
        && value.bytes().all(is_part)
        && value::is_random(value)
        && !value::is_readable(value)
}

/// What follows a name without a word between them must leave no doubt.
fn is_unmistakable(value: &str) -> bool {
    let head = &value[..value.floor_char_boundary(MEASURED)];
    let has = |is_class: fn(&u8) -> bool| head.bytes().any(|byte| is_class(&byte));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let hex = head.bytes().all(|byte| byte.is_ascii_hexdigit());
    let plain = head
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    head.len() >= 20 && plain && has(u8::is_ascii_digit) && (mixed || hex && head.len() >= 32)
}

/// `public_key`, `primary_key`, `cache_key`: names that end the same and promise nothing.
fn is_public(text: &str, name: &Range<usize>) -> bool {
    let start = text.floor_char_boundary(name.start.saturating_sub(24));
    let before = text[start..name.start].to_ascii_lowercase();
    let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '.');
    let before = before.rsplit(|letter: char| !is_name(letter)).next();
    let before = before.unwrap_or_default().trim_end_matches(['_', '-', '.']);
    const PUBLIC: &[&str] = &[
        "public",
        "primary",
        "foreign",
        "cache",
        "partition",
        "sort",
        "object",
        "idempotency",
        "translation",
        "group",
        "publishable",
        "lookup",
        "unique",
        "composite",
        "row",
        "csrf",
        "xsrf",
        "page",
        "next",
        "continuation",
        "cancel",
        "cancellation",
        "pub",
        "index",
        "event",
        "site",
        "storage_bucket",
    ];
    let last = before.rsplit(['_', '-', '.']).next().unwrap_or(before);
    PUBLIC.contains(&last) || before.ends_with("publickey") || before.ends_with("public_key")
}

/// How much a name promises: `api_key` more than `auth_token`, and that more than `token`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Telling,
    Compound,
    Vague,
}

/// How much of a value is measured; what is longer is judged by its beginning.
const MEASURED: usize = 256;

fn is_secret(value: &str, given: &Given, name: Name) -> bool {
    is_drawn(value, given, name) && !is_code(value, given) && !value::is_placeholder(value)
}

fn is_drawn(value: &str, given: &Given, name: Name) -> bool {
    let length = value.len();
    let head = &value[..value.floor_char_boundary(MEASURED)];
    if given.quoted && is_salt(head) {
        return true;
    }
    if length < 8 || head.contains(' ') || head.contains("://") || !head.is_ascii() {
        return false;
    }
    let value = head;
    if length > value::SHORT && value::is_wordy(value) {
        return false;
    }
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let (small, large) = (has(u8::is_ascii_lowercase), has(u8::is_ascii_uppercase));
    let digit = has(u8::is_ascii_digit);
    let mark = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*'));
    if value::is_uuid(value) {
        return match name {
            Name::Telling | Name::Compound => !is_code(value, given),
            Name::Vague => false,
        };
    }
    if !digit || !(small || large) {
        let is_long = length >= 24 && value::entropy(value) >= 3.9;
        let is_wild = length >= 14 && value::changes(value) * 3 >= value.len();
        return small && large && (is_long || is_wild) && !value::is_readable(value);
    }
    if value::is_readable(value) || is_version_or_date(value) {
        return false;
    }
    if value
        .bytes()
        .any(|byte| matches!(byte, b'<' | b'>' | b'(' | b')' | b'{' | b'}'))
    {
        return false;
    }
    match length {
        0..=7 => false,
        8..=15 => {
            let is_strong = match name {
                Name::Telling => small && large || mark,
                Name::Compound => small && large && mark,
                Name::Vague => false,
            };
            let is_wild =
                given.by == By::Mark && length >= 10 && value::changes(value) * 2 >= value.len();
            (given.quoted || is_wild) && is_strong && value::entropy(value) >= 2.7
        }
        16..=19 => value::entropy(value) >= 2.9,
        _ => value::entropy(value) >= 3.0,
    }
}

/// As Django and WordPress draw theirs: every letter and mark of the keyboard, spaces too.
fn is_salt(value: &str) -> bool {
    let marks = value.bytes().filter(u8::is_ascii_punctuation).count();
    let spaces = value.bytes().filter(|byte| *byte == b' ').count();
    value.len() >= 32
        && value.is_ascii()
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && marks >= 4
        && marks * 10 >= value.len()
        && spaces * 12 <= value.len()
        && value::entropy(value) >= 4.2
        && !value::is_wordy(value)
        && !value.contains("://")
        && !value.contains("::")
        && !value.contains("()")
}

fn is_version_or_date(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let marks = value
        .bytes()
        .filter(|byte| matches!(byte, b'.' | b':' | b'-' | b'T' | b'Z' | b'/' | b'v'))
        .count();
    digits + marks == value.len()
}
