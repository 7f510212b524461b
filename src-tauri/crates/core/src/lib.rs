//! Weir's engine, without a window.
//!
//! The modules stand in the order the data walks: bytes become frames (`wire`), stream events
//! (`source`), are checked (`guard`, `redact`, `value_search`), become blocks and events (`turn`), are made durable
//! (`store`), told (`publish`) and rendered (`render`). `format` writes stream events down for
//! other programs, `transcript` sessions. `app` ties them together. Nothing in here knows of Tauri; a test reads the
//! manifest and holds that.

pub mod wire;

pub mod source;

pub mod guard;
pub mod hook;
pub mod redact;
pub mod value_search;

pub mod project;
pub mod tool;

pub mod memory;
mod turn;

pub mod store;

pub mod publish;

pub mod render;

pub mod format;
pub mod transcript;

pub mod secret;

pub mod app;
pub mod clock;
pub mod confirmation;
pub mod folder;
pub mod private;
pub mod repeated;
pub mod startup;
