//! One turn: a prompt, the step that answers it, and the events that come of it.
//!
//! Reads the source, lets [`Assembler`] make blocks of what it says and stores them a frame at
//! a time; the store publishes what it has committed. However the turn ends (done, failed,
//! stopped), its open blocks are finished and it gets an end.
//!
//! Cost of a delta: its text is appended to the pending chunk and to its block. Cost of a
//! frame: one row, one commit shared with the other sessions.

mod assemble;
pub(crate) mod prepare;

use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use weir_protocol::{ErrorBody, StopReason, StreamEvent};

use crate::clock;
use crate::source::dialect::Reader;
use crate::source::price::Prices;
use crate::source::{ByteStream, Connection, Source, SourceError, StepRequest, http};
use crate::store::{Store, StoreError};

pub(crate) use assemble::{Assembler, TurnId};

/// Two commits of one session are at least this far apart: what the eye cannot tell apart
/// shares a commit and a message to the window.
const FRAME: Duration = Duration::from_millis(16);

pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) source: &'static Source,
    pub(crate) connection: Connection,
    pub(crate) request: StepRequest,
    pub(crate) prices: Prices,
    pub(crate) store: Store,
    /// Turns true when the user stops the turn.
    pub(crate) stop: watch::Receiver<bool>,
}

/// How a turn came to its end.
enum End {
    Complete(StopReason),
    Failed(ErrorBody),
}

impl Turn {
    /// Runs to the end. A failed save ends it too: nothing is shown that is not kept.
    pub(crate) async fn run(mut self) -> Result<(), StoreError> {
        let mut assembler = Assembler::new(
            self.id,
            self.source.name,
            &self.request.model,
            std::mem::take(&mut self.prices),
        );
        match self.stream(&mut assembler).await? {
            End::Complete(reason) => assembler.complete(reason, clock::now()),
            End::Failed(mut error) => {
                let key = self.connection.key.as_ref();
                // A key must not come back in what a source says of its own failure.
                error.code = http::without(error.code, key);
                error.message = http::without(error.message, key);
                assembler.fail(error, clock::now());
            }
        }
        self.save(&mut assembler).await
    }

    async fn stream(&mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        let opening = self
            .source
            .api
            .open(self.connection.clone(), self.request.clone());
        let mut bytes = tokio::select! {
            biased;
            () = stopped(&mut self.stop) => return Ok(End::Complete(StopReason::Cancelled)),
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
                () = stopped(&mut self.stop) => return Ok(Read::Stopped),
                () = sleep_until(next_save), if assembler.has_pending() => {
                    self.save(assembler).await?;
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

    async fn save(&self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let events = assembler.drain();
        if events.is_empty() {
            return Ok(());
        }
        self.store.record(self.id.session, events).await?;
        Ok(())
    }
}

enum Read {
    Over,
    Stopped,
    Broken(SourceError),
}

/// Ends when the user stops the turn; never, when nobody is left who could.
async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
