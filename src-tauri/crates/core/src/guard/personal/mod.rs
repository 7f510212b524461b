//! Personal data.

mod email;

use super::rule::Rule;

pub(super) const RULES: &[Rule] = &[email::RULE];
