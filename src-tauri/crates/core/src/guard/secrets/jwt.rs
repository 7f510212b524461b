//! JSON web tokens: three parts in base64, of which the first says how it is signed.

use std::ops::Range;

use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "jwt",
        "JWT",
        "A JSON web token.",
        Finder::Anchored {
            anchors: &["eyj"],
            find,
        },
    ),
    Rule::secret(
        "jwt-in-base64",
        "JWT",
        "A JSON web token that was written in base64 once more.",
        Finder::Anchored {
            anchors: &["zxlk"],
            find: find_wrapped,
        },
    ),
];

/// Longer headers carry whole certificates, and are no session's.
const LONGEST_HEADER: usize = 1024;

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let start = anchor.start;
    if !bytes[start..].starts_with(b"eyJ")
        || start
            .checked_sub(1)
            .is_some_and(|before| bytes[before].is_ascii_alphanumeric())
        || (start == 0 && stretch.joined)
    {
        return None;
    }
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'=');
    let header = value::run(stretch, start, is_part);
    if header.len() > LONGEST_HEADER || bytes.get(header.end) != Some(&b'.') {
        return None;
    }
    let payload = value::run(stretch, header.end + 1, is_part);
    if payload.len() < 4 {
        return None;
    }
    let header: serde_json::Value = serde_json::from_slice(&decode(&bytes[header])?).ok()?;
    if header.get("alg").is_none() && header.get("enc").is_none() && header.get("typ").is_none() {
        return None;
    }
    let mut end = payload.end;
    // A signature, or the four parts more of an encrypted one.
    for _ in 0..3 {
        if bytes.get(end) == Some(&b'.') {
            let part = value::run(stretch, end + 1, is_part);
            if part.is_empty() {
                break;
            }
            end = part.end;
        }
    }
    Some(start..end)
}

/// `eyJ` in base64 is `ZXlK`; what it holds must begin as a token does.
fn find_wrapped(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let bytes = stretch.text.as_bytes();
    let opens = anchor
        .start
        .checked_sub(1)
        .is_none_or(|before| !bytes[before].is_ascii_alphanumeric());
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-' | b'=');
    if !opens {
        return None;
    }
    let found = value::run(stretch, anchor.start, is_part);
    if !bytes[found.clone()].starts_with(b"ZXlK") || found.len() < 80 {
        return None;
    }
    let token = decode(&bytes[found.clone()])?;
    let dots = token.iter().filter(|byte| **byte == b'.').count();
    let is_token = token
        .iter()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'='));
    (dots >= 1 && is_token).then_some(found)
}

/// Base64 of either alphabet, with its padding or without.
pub(super) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len() * 3 / 4);
    let mut bits = 0_u32;
    let mut count = 0;
    for byte in text.iter().filter(|byte| **byte != b'=') {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            decoded.push((bits >> count) as u8);
        }
    }
    Some(decoded)
}
