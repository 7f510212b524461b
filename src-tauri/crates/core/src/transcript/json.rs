//! JSON: everything, as it is stored.

use serde::Serialize;
use weir_protocol::{Event, SessionSummary};

use super::{Format, Transcript};

pub(super) const FORMAT: Format = Format {
    name: "json",
    write,
};

/// What a later Weir must be able to read.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Whole<'a> {
    weir: u32,
    session: &'a SessionSummary,
    events: &'a [Event],
}

fn write(transcript: &Transcript) -> Result<String, serde_json::Error> {
    let whole = Whole {
        weir: VERSION,
        session: &transcript.session,
        events: &transcript.events,
    };
    let mut text = serde_json::to_string_pretty(&whole)?;
    text.push('\n');
    Ok(text)
}
