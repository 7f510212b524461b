//! Personal data that tells by its form: names and addresses do not, and are left alone.
//!
//! What has a checksum is checked by it; what has none, or a weak one, needs a word beside it
//! that says what it is.

mod birth;
mod card;
mod code;
mod crypto;
mod document;
mod email;
mod iban;
mod national;
mod network;
mod number;
mod passport;
mod phone;
mod registry;

use super::rule::Rule;

pub(super) use code::{Code, each as each_code};
#[cfg(test)]
pub(super) use national::verhoeff;
pub(super) use number::{MOST_DIGITS, Number, each as each_number};

pub(super) const RULES: &[&[Rule]] = &[
    &[email::RULE, iban::RULE, card::RULE],
    national::RULES,
    registry::RULES,
    code::RULES,
    document::RULES,
    crypto::RULES,
    &[birth::RULE, passport::RULE],
    &[phone::RULE],
    network::RULES,
];
