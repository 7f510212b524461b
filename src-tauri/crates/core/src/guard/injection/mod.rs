//! Hints that a text speaks to the model and not to the reader.
//!
//! Lists of phrases are near chance against whoever knows them: these rules warn and taint, and
//! are never the only gate. What is invisible is another matter: nobody writes it by accident.

mod hidden;
mod invisible;
mod marker;
mod phrase;
mod role;
mod secrecy;

use super::rule::Rule;

pub(super) const RULES: &[&[Rule]] = &[
    invisible::RULES,
    hidden::RULES,
    phrase::RULES,
    role::RULES,
    &[marker::RULE],
    &[secrecy::RULE],
];
