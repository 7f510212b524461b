//! What a request shows to be let in.

use std::ops::Range;

use super::{jwt, value};
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "bearer-token",
        "TOKEN",
        "The token in an authorization header.",
        Finder::Anchored {
            anchors: &[
                "bearer ",
                "authorization: token ",
                "authorization: ",
                "authorization\": \"token ",
            ],
            find: bearer,
        },
    )
    .leads(&[("bearer", 2), ("token", 4)]),
    Rule::secret(
        "basic-auth",
        "PASSWORD",
        "The name and the password in an authorization header.",
        Finder::Anchored {
            anchors: &["basic "],
            find: basic,
        },
    )
    .leads(&[("basic", 1)]),
];

fn bearer(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~' | b'|' | b':'
            )
    };
    let mut found = value::run(stretch, anchor.end, is_part);
    while found.len() > 1 && matches!(stretch.text.as_bytes()[found.end - 1], b'.' | b':' | b'|') {
        found.end -= 1;
    }
    let value = &stretch.text[found.clone()];
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let is_long = value.len() >= 16 && value::entropy(value) >= 3.0;
    let is_token = (is_long || is_in_header(stretch.text, &anchor) && is_short_token(value))
        && has_letter
        && value.bytes().any(|byte| byte.is_ascii_digit())
        && !value::is_placeholder(value)
        && !value::is_readable(value);
    is_token.then_some(found)
}

/// `Authorization: Bearer …`: what stands there is a token, however short.
fn is_in_header(text: &str, anchor: &Range<usize>) -> bool {
    const NAME: &str = "authorization";
    let start = text.floor_char_boundary(anchor.start.saturating_sub(NAME.len() + 8));
    let before = text[start..anchor.end].to_ascii_lowercase();
    before.contains(NAME) && before.ends_with("bearer ")
}

fn is_short_token(value: &str) -> bool {
    let has = |is_class: fn(&u8) -> bool| value.bytes().any(|byte| is_class(&byte));
    let mixed = has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let is_hex = value.len() >= 12 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    value.len() >= 10 && (mixed || is_hex) && value::entropy(value) >= 2.8
}

/// A name, a colon and a password in base64.
fn basic(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let found = value::run(stretch, anchor.end, is_part);
    if found.len() < 8 || found.len() > 512 {
        return None;
    }
    is_login(&stretch.text[found.clone()]).then_some(found)
}

/// Whether it says a name, a colon and a password in base64.
pub(super) fn is_login(value: &str) -> bool {
    let decoded = jwt::decode(value.as_bytes()).and_then(|decoded| String::from_utf8(decoded).ok());
    let Some((name, password)) = decoded
        .as_deref()
        .and_then(|decoded| decoded.split_once(':'))
    else {
        return false;
    };
    let is_plain = |part: &str| part.chars().all(|letter| !letter.is_control());
    is_plain(name) && is_plain(password) && name.len() + password.len() >= 4 && !password.is_empty()
}
