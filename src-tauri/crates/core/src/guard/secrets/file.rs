//! Lines of files in which programs keep what they log in with, and the hashes of passwords.

use std::ops::Range;

use super::given::{By, given};
use super::{connection::is_given, header, jwt, value};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "pgpass-password",
        "PASSWORD",
        "The password in a line of a .pgpass file.",
        Finder::Anchored {
            anchors: &[":5432:", ":5433:", ":6432:", ":*:"],
            find: in_pgpass,
        },
    ),
    Rule::secret(
        "stored-login",
        "PASSWORD",
        "A name and a password in base64, as Docker and npm keep them.",
        Finder::Anchored {
            anchors: &["auth\"", "_auth", "auth:", "_password"],
            find: stored,
        },
    ),
    Rule::secret(
        "router-password",
        "PASSWORD",
        "A password that a router keeps so that anybody can read it.",
        Finder::Anchored {
            anchors: &["password 7 ", "key 7 "],
            find: of_router,
        },
    ),
    Rule::secret(
        "password-hash",
        "PASSWORD_HASH",
        "The hash of a password, as htpasswd, shadow files and frameworks keep it.",
        Finder::Anchored {
            anchors: &[
                "$apr1$",
                "$1$",
                "$2a$",
                "$2b$",
                "$2y$",
                "$5$",
                "$6$",
                "$y$",
                "$argon2",
                "pbkdf2_sha256$",
                "{sha}",
                "{ssha}",
            ],
            find: hash,
        },
    ),
];

/// `host:port:database:user:password`.
fn in_pgpass(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let is_host =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'*' | b'_');
    let host = bytes[..anchor.start].iter().rev().take(255);
    if host.take_while(|byte| is_host(byte)).count() == 0 {
        return None;
    }
    let is_part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b':' | b'"' | b'\'' | b'/');
    let database = value::short_run(stretch, anchor.end, is_part);
    if database.is_empty() || bytes.get(database.end) != Some(&b':') {
        return None;
    }
    let user = value::short_run(stretch, database.end + 1, is_part);
    if user.is_empty() || bytes.get(user.end) != Some(&b':') {
        return None;
    }
    let found = value::short_run(stretch, user.end + 1, |byte| byte.is_ascii_graphic());
    let is_password =
        found.len() <= 128 && is_given(&stretch.text[found.clone()], &stretch.text[user], "");
    is_password.then_some(found)
}

fn stored(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    // The quote and the colon belong to what gives.
    let name = stretch.text[anchor.clone()].trim_end_matches(['"', ':']);
    let given = given(stretch, anchor.start + name.len())?;
    let value = &stretch.text[given.value.clone()];
    let is_base64 = value
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='));
    let is_stored = given.by == By::Mark
        && given.rest.is_empty()
        && (8..=512).contains(&value.len())
        && is_base64
        && (header::is_login(value) || name == "_password" && value.ends_with('='));
    is_stored.then_some(given.value)
}

/// Whether it is the beginning of a name and a password in base64, before the colon between them.
pub(super) fn may_be_login(value: &str) -> bool {
    let decoded = jwt::decode(value.as_bytes()).unwrap_or_default();
    let is_text = |byte: &u8| byte.is_ascii_graphic() || *byte >= 0x80;
    !decoded.is_empty() && decoded.iter().all(is_text)
}

/// Two digits that say where it begins, and two for each letter.
fn of_router(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let found = value::short_run(stretch, anchor.end, |byte| byte.is_ascii_hexdigit());
    let bytes = stretch.text.as_bytes();
    let ends = bytes.get(found.end).is_none_or(u8::is_ascii_whitespace);
    let is_even = found.len() % 2 == 0 && (8..=64).contains(&found.len());
    (ends && is_even).then_some(found)
}

fn hash(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(byte, b'$' | b'.' | b'/' | b'+' | b'=' | b',' | b'-')
    };
    let mut found = value::short_run(stretch, anchor.end, is_part);
    while found.end > found.start && matches!(bytes[found.end - 1], b'.' | b',' | b'-') {
        found.end -= 1;
    }
    let mark = stretch.text[anchor.clone()].to_ascii_lowercase();
    let least = match mark.as_str() {
        "{sha}" => 27,
        "$apr1$" | "$1$" | "{ssha}" => 24,
        _ => 43,
    };
    let opens = anchor
        .start
        .checked_sub(1)
        .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    let text = &stretch.text[found.clone()];
    // No hash has more parts than Argon's.
    let is_one = text.bytes().filter(|byte| *byte == b'$').count() <= 5;
    let is_hash = opens && is_one && found.len() >= least && value::is_random(text);
    is_hash.then_some(anchor.start..found.end)
}
