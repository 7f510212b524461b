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
        "curl-password",
        "PASSWORD",
        "The password in a call of curl.",
        Finder::Anchored {
            anchors: &[" -u ", " --user ", " --user=", " -u"],
            find: in_call,
        },
    )
    .leads(&[("curl", 12)]),
    Rule::secret(
        "command-password",
        "PASSWORD",
        "The password in a call of mysql, docker login or sshpass.",
        Finder::Anchored {
            anchors: &[" -p"],
            find: in_command,
        },
    )
    .leads(&[
        ("mysql", 10),
        ("mysqldump", 10),
        ("sshpass", 4),
        ("docker", 8),
    ]),
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
    "bar",
];

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

fn is_given(value: &str, user: &str, host: &str) -> bool {
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

fn in_call(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let before = value::near(stretch.text, &(anchor.start..anchor.start), 2048);
    if !before.contains("curl") {
        return None;
    }
    let bytes = stretch.text.as_bytes();
    let quote = bytes
        .get(anchor.end)
        .copied()
        .filter(|byte| matches!(byte, b'"' | b'\''));
    let start = anchor.end + usize::from(quote.is_some());
    let is_part =
        |byte: u8| byte.is_ascii_graphic() && Some(byte) != quote && !matches!(byte, b'"' | b'\'');
    let whole = value::run(stretch, start, is_part);
    let colon = bytes[whole.clone()].iter().position(|byte| *byte == b':')?;
    let value = start + colon + 1..whole.end;
    let user = &stretch.text[start..start + colon];
    let is_password =
        !user.contains(['/', '=', '-']) && is_given(&stretch.text[value.clone()], user, "");
    is_password.then_some(value)
}

/// `mysql -p…` without a space, `docker login -p …` and `sshpass -p …` with one.
fn in_command(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let before = value::near(stretch.text, &(anchor.start..anchor.start), 200);
    let bytes = stretch.text.as_bytes();
    let start = if before.contains("mysql") {
        anchor.end
    } else if before.contains("docker login") || before.contains("sshpass") {
        anchor.end + usize::from(bytes.get(anchor.end) == Some(&b' '))
    } else {
        return None;
    };
    let start = start + usize::from(matches!(bytes.get(start), Some(b'"' | b'\'')));
    let is_part = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'`');
    let value = value::run(stretch, start, is_part);
    let text = &stretch.text[value.clone()];
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    (text.len() >= 5 && !is_number && !text.starts_with('-') && is_given(text, "", ""))
        .then_some(value)
}
