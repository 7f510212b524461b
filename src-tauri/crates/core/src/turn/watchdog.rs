//! Whether the connection of a step still lives.
//!
//! Pure: both clocks come in as a [`Moment`]. Bytes alone keep a connection alive for longer
//! than silence would, but not for ever; a computer that slept is told by its clocks, for the
//! steady one stands still in a sleep, or the watchdog comes to look far too late.
//!
//! Invariant: one watchdog sees all attempts of a step. An attempt that follows another continues
//! its silence, so a source that says nothing is given up once, after `byte_silence` without a byte
//! or `event_silence` without an event, however often it was asked. Waits that were announced do
//! not count.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::Instant;
use weir_protocol::StreamEvent;

use super::patience::Patience;
use crate::clock;
use crate::source::{Quiet, SourceError};

#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    pub(super) steady: Instant,
    pub(super) wall: Timestamp,
}

impl Moment {
    pub(super) fn now() -> Self {
        Self {
            steady: Instant::now(),
            wall: clock::now(),
        }
    }
}

pub(super) struct Watchdog {
    patience: Patience,
    looked: Moment,
    byte: Instant,
    event: Instant,
    sleep: Sleep,
    attempt: Attempts,
}

/// Whether the step was asked before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempts {
    First,
    /// What begins again is no news any more.
    Again,
}

/// Whether the computer slept since the step began.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sleep {
    None,
    /// It woke then, and nothing has come since.
    Woke(Instant),
    /// Something came after it.
    Over,
}

impl Watchdog {
    pub(super) fn new(patience: Patience, now: Moment) -> Self {
        Self {
            patience,
            looked: now,
            byte: now.steady,
            event: now.steady,
            sleep: Sleep::None,
            attempt: Attempts::First,
        }
    }

    /// The step is asked once more, after a wait that began at `failed`.
    pub(super) fn ask_again(&mut self, failed: Instant, now: Moment) {
        let waited = now.steady.saturating_duration_since(failed);
        self.byte += waited;
        self.event += waited;
        self.looked = now;
        self.sleep = Sleep::None;
        self.attempt = Attempts::Again;
    }

    /// Whether an event shows that the source goes on.
    pub(super) fn is_news(&self, event: &StreamEvent) -> bool {
        match event {
            // What nobody understands, and what says nothing of the answer, may be one more way
            // to keep a line open.
            StreamEvent::Raw { .. }
            | StreamEvent::Start { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Result { .. } => false,
            StreamEvent::TextStart { .. }
            | StreamEvent::ThinkingStart { .. }
            | StreamEvent::ToolUseStart { .. }
            | StreamEvent::TextEnd { .. }
            | StreamEvent::ThinkingEnd { .. } => self.attempt == Attempts::First,
            StreamEvent::TextDelta { .. }
            | StreamEvent::ThinkingDelta { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::ToolUseEnd { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Citation { .. }
            | StreamEvent::File { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. } => true,
        }
    }

    pub(super) fn hear_bytes(&mut self, now: Moment) {
        self.notice_sleep(now);
        self.byte = now.steady;
        if self.sleep != Sleep::None {
            self.sleep = Sleep::Over;
        }
    }

    pub(super) fn hear_event(&mut self, now: Moment) {
        self.event = now.steady;
    }

    /// When to look next, at the latest.
    pub(super) fn next_look(&self) -> Instant {
        let (_, silence) = self.silences();
        (self.looked.steady + self.patience.look_every).min(silence)
    }

    /// Why the connection is given up, if it is.
    pub(super) fn look(&mut self, now: Moment) -> Result<(), SourceError> {
        self.notice_sleep(now);
        let (quiet, until) = self.silences();
        if now.steady < until {
            return Ok(());
        }
        let after = match quiet {
            Quiet::Dead => self.patience.byte_silence,
            Quiet::Idle => self.patience.event_silence,
        };
        Err(self.after_sleep(SourceError::Silent { quiet, after }))
    }

    /// Why a connection that broke did so: it may have been a sleep. An answer is an answer.
    pub(super) fn explain(&mut self, error: SourceError, now: Moment) -> SourceError {
        self.notice_sleep(now);
        self.after_sleep(error)
    }

    fn after_sleep(&self, error: SourceError) -> SourceError {
        let lost = matches!(
            error,
            SourceError::Broken(_) | SourceError::Unreachable { .. } | SourceError::Silent { .. }
        );
        match self.sleep {
            Sleep::Woke(_) | Sleep::Over if lost => SourceError::Slept,
            Sleep::None | Sleep::Woke(_) | Sleep::Over => error,
        }
    }

    /// The silence that is the first to be too long, and when it is.
    fn silences(&self) -> (Quiet, Instant) {
        let woke = match self.sleep {
            Sleep::Woke(at) => Some(at + self.patience.after_sleep),
            Sleep::None | Sleep::Over => None,
        };
        let byte = self.byte + self.patience.byte_silence;
        let byte = woke.map_or(byte, |woke| byte.min(woke));
        let event = self.event + self.patience.event_silence;
        if byte <= event {
            (Quiet::Dead, byte)
        } else {
            (Quiet::Idle, event)
        }
    }

    fn notice_sleep(&mut self, now: Moment) {
        let steady = now.steady.duration_since(self.looked.steady);
        // A wall clock that was put back is no sleep.
        let wall = now.wall.duration_since(self.looked.wall);
        let wall = Duration::try_from(wall).unwrap_or_default();
        self.looked = now;
        let gap = self.patience.sleep_gap;
        let stood_still = wall.saturating_sub(steady) > gap;
        let came_late = steady > self.patience.look_every + gap;
        if stood_still || came_late {
            self.sleep = Sleep::Woke(now.steady);
            // The time asleep is not the source's silence.
            self.byte = self.byte.max(now.steady);
            self.event = self.event.max(now.steady);
        }
    }
}

#[cfg(test)]
mod tests;
