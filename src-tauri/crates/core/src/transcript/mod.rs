//! A session as a file that other programs read.
//!
//! Owns what an export holds: the branch that is read, told in the order it happened, or, for
//! JSON, every stored event as it is. Knows nothing of the database or of where the file goes.
//! A format is one file here and one line in [`FORMATS`].

mod ai_sdk;
mod html;
mod json;
mod markdown;
mod part;
#[cfg(test)]
mod tests;

use weir_protocol::{Event, SessionSummary};

/// What an export is made of.
#[derive(Clone, Debug)]
pub struct Transcript {
    pub session: SessionSummary,
    /// Every stored event, of all branches.
    pub events: Vec<Event>,
}

pub struct Format {
    /// What it goes by, which is also how its files end.
    pub name: &'static str,
    pub write: fn(&Transcript) -> Result<String, serde_json::Error>,
}

pub const FORMATS: &[Format] = &[markdown::FORMAT, html::FORMAT, json::FORMAT, ai_sdk::FORMAT];

pub fn format(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
