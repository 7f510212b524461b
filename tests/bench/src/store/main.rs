//! What saving before showing costs: Weir's store and bare SQLite, the same rows, in one run.
//!
//!   store [--quick]
//!
//! Bare SQLite writes the rows that Weir writes, made beforehand, into a file that Weir has
//! made, with its pragmas, and commits as many rows at once. One stream and fifty have frames
//! alike, and the frames of all share a commit, as they do in the program (`chunks.rs` says what
//! a frame is). All take turns, round by round, in real time, for waiting for the disk is what
//! this is about; the best turn counts. No figure fails the run: only text that is missing does.
#![allow(
    clippy::print_stdout,
    reason = "a program whose purpose is to print a table"
)]

mod bare;
mod chunks;
mod openings;
mod starts;
mod streams;

use std::path::Path;
use std::time::Duration;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

#[derive(Clone, Copy)]
struct Plan {
    chunks: usize,
    chunks_alone: usize,
    rounds: usize,
    messages: usize,
    events: usize,
}

impl Plan {
    const WHOLE: Self = Self {
        chunks: 100_000,
        chunks_alone: 1_000,
        rounds: 10,
        messages: 10_000,
        events: 1_000_000,
    };
    const QUICK: Self = Self {
        chunks: 10_000,
        chunks_alone: 100,
        rounds: 3,
        messages: 1_000,
        events: 20_000,
    };
}

/// One ratio and what it should be.
struct Figure {
    name: &'static str,
    ratio: f64,
    goal: Goal,
}

enum Goal {
    AtLeast(f64),
    AtMost(f64),
    /// Told for the reader; nothing was asked of it.
    None,
}

fn main() -> Outcome<()> {
    let mut plan = Plan::WHOLE;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--quick" => plan = Plan::QUICK,
            other => return Err(format!("what is {other}?").into()),
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut figures = Vec::new();
    figures.extend(chunks::measure(&runtime, plan)?);
    figures.extend(openings::measure(&runtime, plan)?);
    figures.extend(starts::measure(&runtime, plan)?);
    println!("\nratios:");
    for Figure { name, ratio, goal } in &figures {
        let goal = match goal {
            Goal::AtLeast(least) => format!("goal: at least {least}"),
            Goal::AtMost(most) => format!("goal: at most {most}"),
            Goal::None => String::new(),
        };
        println!("  {name:<66}{ratio:>8.2}   {goal}");
    }
    let pairs = figures
        .iter()
        .map(|it| (it.name.to_owned(), it.ratio.into()));
    let pairs: serde_json::Map<String, serde_json::Value> = pairs.collect();
    println!("{}", serde_json::Value::Object(pairs));
    Ok(())
}

/// The best of what the same work took.
#[derive(Clone, Copy)]
struct Best(Duration);

impl Best {
    const NONE: Self = Self(Duration::MAX);

    fn take(&mut self, time: Duration) {
        self.0 = self.0.min(time);
    }

    /// What one of `count` took.
    fn take_each(&mut self, time: Duration, count: usize) {
        self.take(time.div_f64(count as f64));
    }

    /// Microseconds for one of `count`.
    fn each(self, count: usize) -> f64 {
        self.0.as_secs_f64() * 1e6 / count as f64
    }
}

/// The database in a folder of Weir's.
fn database(folder: &Path) -> std::path::PathBuf {
    folder.join(weir_core::store::DATABASE_FILE)
}
