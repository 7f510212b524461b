//! Addresses of mail.

use std::ops::Range;

use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::{Stretch, traits};

pub(super) const RULE: Rule = Rule::personal(
    "email",
    "EMAIL",
    "An address of mail.",
    Finder::Whole {
        traits: traits::AT,
        find,
    },
);

/// No address is longer, by the standard.
const LONGEST_LOCAL: usize = 64;
const LONGEST_DOMAIN: usize = 253;

/// `icon@2x.png` is a picture.
const FILES: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "svg", "webp", "js", "ts", "css", "json", "html",
];

fn find(stretch: &Stretch, found: &mut dyn FnMut(Range<usize>)) {
    let text = stretch.text;
    for (at, _) in text.match_indices('@') {
        if let Some(span) = address(text, at) {
            found(span);
        }
    }
}

fn address(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let is_local = |byte: u8| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'%' | b'+' | b'-' | b'\'')
    };
    let local = bytes[..at].iter().rev().take(LONGEST_LOCAL + 1);
    let local = local.take_while(|byte| is_local(**byte)).count();
    let mut start = at - local;
    while start < at && matches!(bytes[start], b'.' | b'\'' | b'-') {
        start += 1;
    }
    if local > LONGEST_LOCAL || start == at || bytes[at - 1] == b'.' {
        return None;
    }
    let is_domain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let domain = bytes[at + 1..].iter().take(LONGEST_DOMAIN + 1);
    let domain = domain.take_while(|byte| is_domain(**byte)).count();
    let domain = text[at + 1..at + 1 + domain].trim_end_matches(['.', '-']);
    let (name, top) = domain.rsplit_once('.')?;
    let is_top = top.len() >= 2 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_name = name
        .split('.')
        .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'));
    let in_link = text[..start].ends_with([':', '/']) && text[..start].contains("://");
    let is_mail =
        is_top && is_name && !in_link && &text[start..at] != "git" && !FILES.contains(&top);
    is_mail.then(|| start..at + 1 + domain.len())
}
