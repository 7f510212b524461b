//! Who takes part, and how one turn is timed.
//!
//! Owns the rules that make turns comparable: everyone reads the same bytes in the same
//! reads, hands every event to somebody who looks at it and drops it, and reports the mean
//! of as many passes as a turn has room for. Time is the processor time of the thread that
//! reads: neighbours on the machine are no part of it, nor is waiting.

use std::time::{Duration, Instant};

use bytes::Bytes;
use rustix::time::{ClockId, clock_gettime};

use crate::streams::{Stream, Told};

/// One stream, cut the way a network might have cut it.
#[derive(Clone, Copy)]
pub struct Reads<'a> {
    pub stream: &'a Stream,
    pub size: usize,
}

impl<'a> Reads<'a> {
    pub fn each(self) -> impl Iterator<Item = &'a [u8]> {
        self.stream.bytes.chunks(self.size)
    }

    /// The same reads as owned bytes that share one buffer: no copy.
    pub fn shared(self) -> impl Iterator<Item = Bytes> {
        let bytes = &self.stream.bytes;
        let starts = (0..bytes.len()).step_by(self.size);
        starts.map(move |start| bytes.slice(start..bytes.len().min(start + self.size)))
    }
}

/// What is compared with what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// Bytes that are there already.
    Memory,
    /// Through reqwest, from a server on loopback.
    Loopback,
    /// What is left of that when the reads themselves are taken off.
    Parsing,
}

/// Whether a contestant turns bytes into events, or only shows what a part of that costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    Weir,
    /// A library in Rust, as it reads.
    RustPeer,
    /// Parts of libraries in Rust that nobody has put together but us.
    RustParts,
    /// A library in another language.
    Peer,
    Floor,
}

pub type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

pub trait Contestant {
    fn name(&self) -> &str;
    fn lane(&self) -> Lane;
    fn role(&self) -> Role;
    fn reads(&self, dialect: &str) -> bool;

    /// What it made of the stream; nothing if it makes no events.
    fn tell(&mut self, reads: Reads<'_>) -> Outcome<Option<Told>>;

    /// Nanoseconds a pass, over as many passes as `turn` has room for.
    fn time(&mut self, reads: Reads<'_>, turn: Duration) -> Outcome<f64>;
}

/// One that runs in this process, over bytes in memory.
pub struct Local {
    pub name: &'static str,
    pub role: Role,
    pub reads: fn(&str) -> bool,
    pub pass: fn(Reads<'_>) -> Outcome<()>,
    pub tell: fn(Reads<'_>) -> Outcome<Option<Told>>,
}

impl Contestant for Local {
    fn name(&self) -> &str {
        self.name
    }

    fn lane(&self) -> Lane {
        Lane::Memory
    }

    fn role(&self) -> Role {
        self.role
    }

    fn reads(&self, dialect: &str) -> bool {
        (self.reads)(dialect)
    }

    fn tell(&mut self, reads: Reads<'_>) -> Outcome<Option<Told>> {
        (self.tell)(reads)
    }

    fn time(&mut self, reads: Reads<'_>, turn: Duration) -> Outcome<f64> {
        repeat(turn, || (self.pass)(reads))
    }
}

/// Passes until the turn is over, at least one; the mean of what they took.
pub fn repeat(turn: Duration, mut pass: impl FnMut() -> Outcome<()>) -> Outcome<f64> {
    let started = Instant::now();
    let before = processor_time();
    let mut passes = 0_u32;
    while passes == 0 || started.elapsed() < turn {
        pass()?;
        passes += 1;
    }
    let taken = processor_time().saturating_sub(before);
    Ok(taken.as_nanos() as f64 / f64::from(passes))
}

/// What this thread has used of a processor.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or_default())
}

/// For a floor: it makes no events.
pub fn nothing(_reads: Reads<'_>) -> Outcome<Option<Told>> {
    Ok(None)
}
