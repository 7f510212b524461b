//! Secrets: keys, tokens, passwords, private keys.
//!
//! A vendor's token is a row: its name, what a placeholder calls it, a sentence, and its shapes.
//! Rows that stand first tell more, and win where two say the same.

mod assignment;
mod cloud;
mod code;
mod connection;
mod header;
mod jwt;
mod model;
mod pem;
mod service;
mod value;
mod work;

use super::rule::Rule;

pub(super) use pem::{PRIVATE_KEY, rest_of_key};
pub(super) use value::{named, shaped};

pub(super) const RULES: &[&[Rule]] = &[
    &[pem::RULE],
    model::RULES,
    cloud::RULES,
    code::RULES,
    service::RULES,
    work::RULES,
    &[jwt::RULE],
    connection::RULES,
    header::RULES,
    assignment::RULES,
];
