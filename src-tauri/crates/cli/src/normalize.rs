//! `weir normalize`: a recorded stream to what it says. Touches no database.

use std::io::Read;

use weir_core::format::ai_sdk::AiSdk;
use weir_core::source::dialect::Reader;
use weir_core::source::summary::summarize;
use weir_core::source::{DIALECTS, dialect};
use weir_protocol::StreamEvent;

use crate::arguments::To;
use crate::{Exit, Failure, output};

const READ: usize = 64 * 1024;

pub(crate) fn run(name: &str, to: To) -> Result<Exit, Failure> {
    let Some(dialect) = dialect(name) else {
        let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        let known = known.join(", ");
        let message = format!("There is no dialect {name:?}. Known: {known}.");
        return Err(Failure::usage(message));
    };
    let mut writer = Writer::new(to);
    let mut reader = Reader::new(dialect);
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; READ];
    let mut events = Vec::new();
    loop {
        let read = stdin.read(&mut buffer)?;
        if read == 0 {
            reader.finish(&mut events);
            writer.write(&mut events)?;
            return writer.finish();
        }
        reader.push(&buffer[..read], &mut events);
        writer.write(&mut events)?;
    }
}

/// What becomes of stream events, one row an output.
enum Writer {
    Events,
    Summary(Vec<StreamEvent>),
    AiSdk(Box<AiSdk>),
}

impl Writer {
    fn new(to: To) -> Self {
        match to {
            To::Events => Self::Events,
            To::Summary => Self::Summary(Vec::new()),
            To::AiSdk => Self::AiSdk(Box::default()),
        }
    }

    /// Leaves `events` empty. What one read brought is written in one go.
    fn write(&mut self, events: &mut Vec<StreamEvent>) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        match self {
            Self::Events => {
                for event in events.drain(..) {
                    serde_json::to_writer(&mut bytes, &event).map_err(std::io::Error::from)?;
                    bytes.push(b'\n');
                }
            }
            Self::Summary(all) => all.append(events),
            Self::AiSdk(format) => {
                for event in events.drain(..) {
                    format.write(&event, &mut bytes);
                }
            }
        }
        Ok(output::bytes(&bytes)?)
    }

    fn finish(self) -> Result<Exit, Failure> {
        match self {
            Self::Events => {}
            Self::Summary(all) => output::line(&summarize(&all))?,
            Self::AiSdk(mut format) => {
                let mut bytes = Vec::new();
                format.finish(&mut bytes);
                output::bytes(&bytes)?;
            }
        }
        Ok(Exit::Done)
    }
}
