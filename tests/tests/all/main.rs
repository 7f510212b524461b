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
mod bedrock;
mod budget;
mod chat;
mod cli;
mod clock;
mod conformance;
mod corrupt;
mod crash;
mod disk_faults;
mod environment;
mod faults;
mod fitting;
mod fuzz;
mod guard;
mod hooks;
mod keychain_restarts;
mod keys;
mod limits;
mod lost_database;
mod memory;
mod moving;
mod originals;
mod project;
mod provider_rules;
mod redaction;
mod requests;
mod sources;
mod stall;
mod steps;
mod tree;
mod upkeep;
mod vertex;
mod window;
mod writers;
