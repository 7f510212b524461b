//! Secrets: keys, tokens, passwords.

mod tokens;
mod value;

use std::ops::Range;

use super::rule::Rule;
use super::stretch::Stretch;

pub(super) use value::{named, shaped};

pub(super) const PRIVATE_KEY: &str = "private-key";

pub(super) const RULES: &[Rule] = tokens::RULES;

pub(super) fn rest_of_key(_stretch: &Stretch) -> Option<Range<usize>> {
    None
}
