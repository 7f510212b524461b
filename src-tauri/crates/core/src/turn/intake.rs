//! What a source sends, on its way from bytes to stream events that passed the guard.
//!
//! Invariant: no work done here makes a stop wait. Small pieces are handled in place; what may
//! take longer (a frame of megabytes, a large tool result) is handled on a thread of its own and
//! abandoned when the user stops the turn.

use tokio::sync::watch;
use tokio::task::spawn_blocking;
use weir_protocol::StreamEvent;

use super::limits;
use super::step::stopped;
use crate::redact::{Checks, Guarded};
use crate::source::dialect::{Dialect, Reader};

/// So many bytes are parsed between two looks at the stop signal.
pub(super) const PIECE: usize = 16 * 1024;
/// More than this is parsed or checked on another thread.
const HEAVY: usize = 64 * 1024;

/// The user stopped the turn while something was being handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stopped;

pub(super) struct Intake {
    dialect: &'static Dialect,
    checks: Checks,
    reader: Reader,
    guarded: Guarded,
}

impl Intake {
    pub(super) fn new(dialect: &'static Dialect, checks: &Checks) -> Self {
        Self {
            dialect,
            checks: checks.clone(),
            reader: Reader::new(dialect),
            guarded: Guarded::new(checks.clone()),
        }
    }

    pub(super) fn guarded(&mut self) -> &mut Guarded {
        &mut self.guarded
    }

    /// The stream events that these bytes complete.
    pub(super) async fn parse(
        &mut self,
        bytes: &[u8],
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Vec<StreamEvent>, Stopped> {
        let mut said = Vec::new();
        if self.reader.held() + bytes.len() <= HEAVY || !self.reader.completes(bytes) {
            self.reader.push(bytes, &mut said);
            return Ok(said);
        }
        let bytes = bytes.to_vec();
        self.with_reader(stop, move |reader| {
            reader.push(&bytes, &mut said);
            said
        })
        .await
    }

    /// The stream is over: the events that its end completes.
    pub(super) async fn finish_parsing(
        &mut self,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<Vec<StreamEvent>, Stopped> {
        self.with_reader(stop, |reader| {
            let mut said = Vec::new();
            reader.finish(&mut said);
            said
        })
        .await
    }

    /// Leaves in `said` what the guard lets pass.
    pub(super) async fn guard(
        &mut self,
        said: &mut Vec<StreamEvent>,
        stop: &mut watch::Receiver<bool>,
    ) -> Result<(), Stopped> {
        let weight: u64 = said.iter().map(limits::weight).sum();
        if weight <= HEAVY as u64 {
            self.guarded.pass(said);
            return Ok(());
        }
        let fresh = Guarded::new(self.checks.clone());
        let guarded = std::mem::replace(&mut self.guarded, fresh);
        let mut checked = std::mem::take(said);
        let work = move || {
            let mut guarded = guarded;
            guarded.pass(&mut checked);
            (guarded, checked)
        };
        (self.guarded, *said) = offload(stop, work).await?;
        Ok(())
    }

    async fn with_reader(
        &mut self,
        stop: &mut watch::Receiver<bool>,
        work: impl FnOnce(&mut Reader) -> Vec<StreamEvent> + Send + 'static,
    ) -> Result<Vec<StreamEvent>, Stopped> {
        let mut reader = std::mem::replace(&mut self.reader, Reader::new(self.dialect));
        if reader.held() <= HEAVY {
            let said = work(&mut reader);
            self.reader = reader;
            return Ok(said);
        }
        let work = move || {
            let said = work(&mut reader);
            (reader, said)
        };
        let (reader, said) = offload(stop, work).await?;
        self.reader = reader;
        Ok(said)
    }
}

/// Waits for work on another thread, or for the user's stop; the work is then left to itself.
async fn offload<T: Send + 'static>(
    stop: &mut watch::Receiver<bool>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    let working = spawn_blocking(work);
    tokio::select! {
        biased;
        () = stopped(stop) => Err(Stopped),
        done = working => match done {
            Ok(done) => Ok(done),
            // A panic ends the turn as it would have on this thread.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Only a runtime that shuts down cancels it.
                Err(_) => Err(Stopped),
            },
        },
    }
}
