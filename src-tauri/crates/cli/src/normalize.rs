//! `weir normalize`: a recorded stream to what it says. Touches no database.

use std::io::Read;

use weir_core::source::dialect::{self, DIALECTS, Reader};
use weir_core::source::summary::summarize;

use crate::arguments::To;
use crate::{Exit, Failure, output};

const READ: usize = 64 * 1024;

pub(crate) fn run(name: &str, to: To) -> Result<Exit, Failure> {
    let Some(dialect) = dialect::dialect(name) else {
        let known: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        let known = known.join(", ");
        let message = format!("There is no dialect {name:?}. Known: {known}.");
        return Err(Failure::usage(message));
    };
    let mut reader = Reader::new(dialect);
    let mut stdin = std::io::stdin().lock();
    let mut buffer = vec![0; READ];
    let mut events = Vec::new();
    let mut all = Vec::new();
    loop {
        let read = stdin.read(&mut buffer)?;
        if read == 0 {
            reader.finish(&mut events);
        } else {
            reader.push(&buffer[..read], &mut events);
        }
        match to {
            To::Events => {
                for event in events.drain(..) {
                    output::line(&event)?;
                }
            }
            To::Summary => all.append(&mut events),
            To::AiSdk => {
                return Err(Failure::usage(
                    "The AI SDK stream is not written yet; use --to events or --to summary.",
                ));
            }
        }
        if read == 0 {
            break;
        }
    }
    if let To::Summary = to {
        output::line(&summarize(&all))?;
    }
    Ok(Exit::Done)
}
