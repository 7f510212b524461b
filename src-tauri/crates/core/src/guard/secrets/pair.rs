//! A name and a password side by side, as people write them to each other: `creds: ann / …`.

use std::ops::Range;

use super::value;
use crate::guard::rule::{Finder, Rule};
use crate::guard::stretch::Stretch;

pub(super) const RULES: &[Rule] = &[Rule::secret(
    "login-pair",
    "PASSWORD",
    "The password that stands beside a name after a word such as login or credentials.",
    Finder::Anchored {
        anchors: &["creds", "credentials", "login", "log in"],
        find,
    },
)
.leads(&[("creds", 6), ("credentials", 6)])];

/// How far the two may stand from the word that tells.
const REACH: usize = 64;

fn find(stretch: &Stretch, anchor: Range<usize>) -> Option<Range<usize>> {
    let text = stretch.text;
    let end = text.floor_char_boundary((anchor.end + REACH).min(text.len()));
    let near = &text[anchor.end..end];
    let near = near.split('\n').next().unwrap_or(near);
    let slash = near.find(" / ")?;
    let is_quote = |byte: &u8| matches!(byte, b'`' | b'"' | b'\'');
    let from = anchor.end + slash + " / ".len();
    let from = from + usize::from(text.as_bytes().get(from).is_some_and(is_quote));
    let found = value::short_run(stretch, from, |byte| {
        byte.is_ascii_graphic() && !is_quote(&byte)
    });
    let bare = text[found.clone()].trim_end_matches(['.', ',', ';', ')']);
    let has = |is_class: fn(&u8) -> bool| bare.bytes().any(|byte| is_class(&byte));
    let is_strong = has(u8::is_ascii_uppercase) || has(u8::is_ascii_punctuation);
    let is_password = (6..=64).contains(&bare.len())
        && has(u8::is_ascii_digit)
        && has(u8::is_ascii_lowercase)
        && is_strong
        && !bare.contains(['/', '(', '='])
        && !value::is_readable(bare)
        && !value::is_placeholder(bare);
    is_password.then(|| found.start..found.start + bare.len())
}
