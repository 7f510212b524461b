//! One turn: a prompt, the step that answers it, and the events that come of it.
//!
//! Reads the source, lets [`Assembler`] make blocks of what it says, stores them a frame at
//! a time and publishes only what the store answered. However the turn ends (done, failed,
//! stopped), its open blocks are finished and it gets an end.
//!
//! Cost of a delta: its text is appended to the pending chunk and to its block. Cost of a
//! frame: one row, one commit shared with the other sessions.

mod assemble;
pub(crate) mod prepare;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use weir_protocol::{ErrorBody, Notice, StopReason, StreamEvent};

use crate::clock;
use crate::publish::{Published, Publisher};
use crate::source::dialect::Reader;
use crate::source::{ByteStream, Connection, Source, SourceError, StepRequest};
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
    pub(crate) store: Store,
    pub(crate) publisher: Arc<Publisher>,
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
    pub(crate) async fn run(mut self) {
        let mut assembler = Assembler::new(self.id, &self.request.model);
        let ended = match self.stream(&mut assembler).await {
            Ok(end) => {
                match end {
                    End::Complete(reason) => assembler.complete(reason, clock::now()),
                    End::Failed(error) => assembler.fail(error, clock::now()),
                }
                self.save(&mut assembler).await
            }
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            self.give_up(&error).await;
        }
    }

    async fn stream(&mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        // A key must not come back in what a source says of its own failure.
        let key = self.connection.key.clone();
        let failed = |error: SourceError| {
            let mut body = error.body();
            body.message = crate::source::http::without(body.message, key.as_ref());
            End::Failed(body)
        };
        let connection = Connection {
            http: self.connection.http.clone(),
            base_url: std::mem::take(&mut self.connection.base_url),
            key: self.connection.key.take(),
        };
        let opening = (self.source.open)(connection, self.request.clone());
        let mut bytes = tokio::select! {
            biased;
            () = stopped(&mut self.stop) => return Ok(End::Complete(StopReason::Cancelled)),
            opened = opening => match opened {
                Ok(bytes) => bytes,
                Err(error) => return Ok(failed(error)),
            },
        };
        match self.read(assembler, &mut bytes).await? {
            Read::Stopped => Ok(End::Complete(StopReason::Cancelled)),
            Read::Broken(error) => Ok(failed(error)),
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

    /// Saved first, shown second.
    async fn save(&self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let events = assembler.drain();
        if events.is_empty() {
            return Ok(());
        }
        let recorded = self.store.record(self.id.session, events).await?;
        self.publisher.recorded(recorded);
        Ok(())
    }

    /// The store refused. Says so outside the session, and ends the turn in the log if the
    /// store takes that much; else the next start does.
    async fn give_up(&self, error: &StoreError) {
        tracing::error!(%error, session = %self.id.session, "a turn could not be saved");
        let body = error.body();
        self.publisher.publish(Published::Notice(Notice {
            code: body.code,
            message: body.message,
        }));
        let freed = async {
            self.store.abandon(self.id.session).await?;
            self.store.session(self.id.session).await
        };
        match freed.await {
            Ok(line) => self.publisher.publish(Published::Session(line)),
            Err(error) => tracing::error!(%error, "the turn stays open until the next start"),
        }
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
