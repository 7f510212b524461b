//! Everything that needs the built programs or reads the whole tree. `window::` drives the
//! real window and runs on its own; the rest runs in parallel.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints the figures that a person reads"
)]

mod ai_sdk;
mod anthropic;
mod bad_input;
mod budget;
mod chat;
mod conformance;
mod corrupt;
mod crash;
mod disk_faults;
mod faults;
mod fuzz;
mod guard;
mod hooks;
mod keys;
mod memory;
mod project;
mod redaction;
mod sources;
mod steps;
mod tree;
mod upkeep;
mod window;
mod writers;
