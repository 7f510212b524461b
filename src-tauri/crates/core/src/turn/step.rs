//! One step: a request to a source, read to its end and saved a frame at a time.
//!
//! Owns the clock of a step: when what came is saved, and that the user's stop is heard at any
//! moment. What the step said is the assembler's; what follows it is the turn's.

use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use uuid::Uuid;
use weir_protocol::{StopReason, StreamEvent};

use super::{Assembler, End};
use crate::clock;
use crate::source::dialect::Reader;
use crate::source::{ByteStream, Connection, Source, SourceError, StepRequest};
use crate::store::{Store, StoreError};

/// Two commits of one session are at least this far apart: what the eye cannot tell apart
/// shares a commit and a message to the window.
const FRAME: Duration = Duration::from_millis(16);

pub(super) struct Step<'a> {
    pub(super) source: &'static Source,
    pub(super) connection: &'a Connection,
    pub(super) request: &'a StepRequest,
    pub(super) saver: Saver<'a>,
    /// Turns true when the user stops the turn.
    pub(super) stop: &'a mut watch::Receiver<bool>,
}

/// Saves what an assembler has made.
#[derive(Clone, Copy)]
pub(super) struct Saver<'a> {
    pub(super) session: Uuid,
    pub(super) store: &'a Store,
}

impl Saver<'_> {
    pub(super) async fn save(self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let events = assembler.drain();
        if events.is_empty() {
            return Ok(());
        }
        self.store.record(self.session, events).await?;
        Ok(())
    }
}

impl Step<'_> {
    pub(super) async fn run(mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        let opening = self
            .source
            .api
            .open(self.connection.clone(), self.request.clone());
        let mut bytes = tokio::select! {
            biased;
            () = stopped(self.stop) => return Ok(End::Complete(StopReason::Cancelled)),
            opened = opening => match opened {
                Ok(bytes) => bytes,
                Err(error) => return Ok(End::Failed(error.body())),
            },
        };
        match self.read(assembler, &mut bytes).await? {
            Read::Stopped => Ok(End::Complete(StopReason::Cancelled)),
            Read::Broken(error) => Ok(End::Failed(error.body())),
            Read::Over => Ok(assembler.end()),
        }
    }

    async fn read(
        &mut self,
        assembler: &mut Assembler,
        bytes: &mut ByteStream,
    ) -> Result<Read, StoreError> {
        let mut reader = Reader::new(self.source.dialect);
        let mut said: Vec<StreamEvent> = Vec::new();
        let mut next_save = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = stopped(self.stop) => return Ok(Read::Stopped),
                () = sleep_until(next_save), if assembler.has_pending() => {
                    self.saver.save(assembler).await?;
                    next_save = Instant::now() + FRAME;
                }
                read = bytes.next() => match read {
                    Some(Ok(bytes)) => {
                        reader.push(&bytes, &mut said);
                        assembler.take(&mut said, clock::now());
                        // How the connection ends after that is no news.
                        if assembler.is_over() {
                            return Ok(Read::Over);
                        }
                    }
                    Some(Err(error)) => return Ok(Read::Broken(error)),
                    None => {
                        reader.finish(&mut said);
                        assembler.take(&mut said, clock::now());
                        return Ok(Read::Over);
                    }
                },
            }
        }
    }
}

enum Read {
    Over,
    Stopped,
    Broken(SourceError),
}

/// Ends when the user stops the turn; never, when nobody is left who could.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
