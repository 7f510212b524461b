//! Secrets: keys, tokens, passwords, private keys.
//!
//! A vendor's token is a row: its name, what a placeholder calls it, a sentence, and its shapes.
//! Rows that stand first tell more, and win where two say the same.

mod assignment;
mod cloud;
mod code;
mod command;
mod connection;
mod doubt;
mod file;
mod given;
mod growing;
mod header;
mod jwt;
mod model;
mod pair;
mod password;
mod pem;
mod service;
mod value;
mod word;
mod work;

use super::rule::Rule;

pub(super) use growing::{growing, may_go_on};
pub(super) use pem::{PRIVATE_KEY, rest_of_key};
pub(super) use value::{end_of_long, named, named_value, shaped};

pub(super) const RULES: &[&[Rule]] = &[
    &[pem::RULE],
    model::RULES,
    cloud::RULES,
    code::RULES,
    service::RULES,
    work::RULES,
    jwt::RULES,
    connection::RULES,
    command::RULES,
    file::RULES,
    header::RULES,
    pair::RULES,
    password::RULES,
    assignment::RULES,
];
