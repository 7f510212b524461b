//! What guarding costs: a long stream with its guard and without, and long lines of every shape.
//!
//!   guard [--quick]
//!
//! Both ways read the same bytes in one run and take turns; the best turn counts, in processor
//! time. `read` is bytes to stream events. `path` is what a delta goes through today without
//! the disk: read, gathered into the chunks of a frame, written down as the rows of the journal,
//! rendered. A guard stands between the events and the chunks. No figure fails the run but one
//! that is against the promise: more than 1.5 times the path, or a line that is not linear.
#![allow(
    clippy::print_stdout,
    reason = "a program whose purpose is to print a table"
)]

#[path = "guard/lines.rs"]
mod lines;
#[path = "guard/stream.rs"]
mod stream;

use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

#[allow(
    dead_code,
    reason = "shared with the programs that measure reading, which read other streams"
)]
mod streams;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Clone, Copy)]
struct Plan {
    deltas: usize,
    rounds: usize,
}

fn main() -> Outcome<ExitCode> {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let plan = if quick {
        Plan {
            deltas: 10_000,
            rounds: 2,
        }
    } else {
        Plan {
            deltas: 100_000,
            rounds: 7,
        }
    };
    let kept = stream::run(plan)? & lines::run(plan)?;
    Ok(if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// What this thread used of a processor for it.
fn time(work: impl FnOnce() -> Outcome<()>) -> Outcome<Duration> {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
        Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
    };
    let before = now();
    work()?;
    Ok(now().saturating_sub(before))
}
