//! Addresses that carry a password: `postgres://user:password@host`.

use std::ops::Range;

use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "connection-password",
        "PASSWORD",
        "The password in the address of a database, a queue or a server.",
        Finder::Anchored {
            anchors: &["://"],
            find: in_address,
        },
    ),
    Rule::secret(
        "address-token",
        "TOKEN",
        "A token that stands for the user in an address.",
        Finder::Anchored {
            anchors: &["://"],
            find: as_user,
        },
    ),
    Rule::secret(
        "dsn-password",
        "PASSWORD",
        "The password before the address of a database, as drivers for Go take it.",
        Finder::Anchored {
            anchors: &["@tcp(", "@unix("],
            find: before_host,
        },
    ),
    Rule::secret(
        "oracle-password",
        "PASSWORD",
        "The password in the address of an Oracle database.",
        Finder::Anchored {
            anchors: &["thin:", "sqlplus "],
            find: for_oracle,
        },
    )
    .leads(&[("sqlplus", 3)]),
];

const LONGEST_PART: usize = 256;

/// Passwords that manuals use.
const USUAL: &[&str] = &[
    "password",
    "pass",
    "passwd",
    "pwd",
    "pw",
    "secret",
    "user",
    "username",
    "postgres",
    "root",
    "admin",
    "guest",
    "test",
    "token",
    "mypassword",
    "pswd",
    "foo",
    "foobar",
    "bar",
];

/// Forges take a token for a name, with a word or nothing for the password.
fn as_user(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let user = value::short_run(stretch, anchor.end, is_part);
    let rest = &stretch.text[user.end..];
    let is_alone = rest.starts_with('@') && !rest.contains("sentry.io")
        || rest.starts_with(":x-oauth-basic@")
        || rest.starts_with(":@");
    let value = &stretch.text[user.clone()];
    let is_token = (20..=255).contains(&value.len())
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && value::is_random(value)
        && !value::is_readable(value);
    (is_alone && is_token).then_some(user)
}

/// `user:password@tcp(host)`.
fn before_host(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let is_part =
        |byte: &&u8| byte.is_ascii_graphic() && !matches!(byte, b':' | b'"' | b'\'' | b'`' | b'/');
    let back = |end: usize| {
        let part = bytes[..end].iter().rev().take(LONGEST_PART);
        end - part.take_while(is_part).count()
    };
    let start = back(anchor.start);
    let colon = start.checked_sub(1).filter(|at| bytes[*at] == b':')?;
    let user = back(colon)..colon;
    let value = stretch.text.get(start..anchor.start)?;
    (!user.is_empty() && is_given(value, &stretch.text[user], "")).then_some(start..anchor.start)
}

/// `jdbc:oracle:thin:scott/tiger@…`.
fn for_oracle(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'/' | b'@' | b'"' | b'\'');
    let user = value::short_run(stretch, anchor.end, is_part);
    let bytes = stretch.text.as_bytes();
    if user.is_empty() || bytes.get(user.end) != Some(&b'/') {
        return None;
    }
    let value = value::short_run(stretch, user.end + 1, is_part);
    let is_closed = bytes.get(value.end) == Some(&b'@');
    (is_closed && is_given(&stretch.text[value.clone()], &stretch.text[user], "")).then_some(value)
}

fn in_address(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    if anchor.start == 0 || !bytes[anchor.start - 1].is_ascii_alphanumeric() {
        return None;
    }
    let is_user = |byte: u8| {
        byte.is_ascii_graphic()
            && !matches!(
                byte,
                b':' | b'@' | b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`'
            )
    };
    let user = value::run(stretch, anchor.end, is_user);
    if user.len() > LONGEST_PART || bytes.get(user.end) != Some(&b':') {
        return None;
    }
    let is_password = |byte: u8| {
        (byte.is_ascii_graphic() || byte >= 0x80)
            && !matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\')
    };
    let start = user.end + 1;
    let rest = bytes[start..].iter().take(LONGEST_PART);
    let rest = start + rest.take_while(|byte| is_password(**byte)).count();
    // Up to the last `@` before the path: a password may hold one.
    let path = bytes[start..rest]
        .iter()
        .position(|byte| matches!(byte, b'/' | b'?' | b','));
    let first_at = bytes[start..rest].iter().position(|byte| *byte == b'@')?;
    let authority = match path {
        Some(path) if path > first_at => start + path,
        Some(_) | None => rest,
    };
    let at = start
        + bytes[start..authority]
            .iter()
            .rposition(|byte| *byte == b'@')?;
    let value = &stretch.text.get(start..at)?;
    let host = &stretch.text[at + 1..authority.max(at + 1)];
    is_given(value, &stretch.text[user], host).then_some(start..at)
}

pub(super) fn is_given(value: &str, user: &str, host: &str) -> bool {
    let small = value.to_ascii_lowercase();
    let is_local = [
        "localhost",
        "127.0.0.1",
        "example.",
        "host",
        "db",
        "0.0.0.0",
    ]
    .iter()
    .any(|local| host.starts_with(local) || host.contains("example.com"));
    let is_usual = USUAL.contains(&small.as_str()) || small == user.to_ascii_lowercase();
    let is_number = value.len() <= 5 && value.bytes().all(|byte| byte.is_ascii_digit());
    let is_masked = value.bytes().all(|byte| matches!(byte, b'x' | b'X' | b'*'));
    let is_filled_in = value.starts_with(['$', '{', '[', '%', '(']) || value::is_placeholder(value);
    let least = if is_local { 6 } else { 3 };
    let is_no_password = is_usual || is_number || is_masked || is_filled_in;
    value.len() >= least && !is_no_password
}
