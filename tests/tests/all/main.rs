//! Everything that needs the built programs or reads the whole tree. `window::` drives the
//! real window and runs on its own; the rest runs in parallel.
#![allow(
    clippy::print_stdout,
    reason = "figures that a person reads are printed by the test that finds them"
)]

mod anthropic;
mod bad_input;
mod chat;
mod conformance;
mod corrupt;
mod crash;
mod keys;
mod tree;
mod window;
