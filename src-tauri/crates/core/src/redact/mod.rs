//! What becomes of what a guard finds: taken out of a text, kept, and put back where the user
//! reads it.
//!
//! Owns *guarded before anything* for a turn: [`Checks`] looks at what is about to be sent (the
//! prompt, instructions, tool results), [`Guarded`] at what a source says, before either is
//! stored, shown or logged. `known` looks for what was redacted before, and for the source's key,
//! in whatever form they come back. [`vault`] knows what stands behind a placeholder, [`Keeper`] keeps
//! that encrypted. Which rules there are and how they look is [`crate::guard`]'s to know.
//!
//! A guard that cannot be made blocks: no text passes a guard that is not there.

mod checks;
mod json;
mod keeper;
mod known;
#[cfg(test)]
mod loosening_tests;
mod output;
pub mod placeholder;
mod structure;
pub mod vault;

pub use checks::HeldBack;
pub(crate) use checks::{Checks, Noticed};
pub(crate) use keeper::Keeper;
pub(crate) use output::{FoundEvent, Guarded};
pub use vault::Vault;
pub use weir_protocol::GuardChoice as Choice;
