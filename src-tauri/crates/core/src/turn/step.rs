//! One step: a request to a source, read to its end and saved a frame at a time.
//!
//! Owns the clock of a step: when what came is saved, that the user's stop is heard at any
//! moment, that silence ends it, and that one of which nothing was shown is asked again. Which
//! failures that helps is [`retry`]'s to say. What the source says passes the guard before anybody
//! else sees it. What the step said is the assembler's; what
//! follows it is the turn's.

use std::time::Duration;

use futures_util::StreamExt;
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, StopReason, StreamEvent};

use super::attempt::Attempt;
use super::budget::{self, Purse};
use super::patience::Patience;
use super::retry::{self, Heard, Verdict};
use super::watchdog::{Moment, Watchdog};
use super::{Assembler, End, Taint};
use crate::clock;
use crate::redact::{Checks, Guarded, Keeper, Vault};
use crate::source::dialect::Reader;
use crate::source::fault::Failure;
use crate::source::{ByteStream, Connection, Place, Source, SourceError, StepRequest, http};
use crate::store::{Store, StoreError};

/// Two commits of one session are at least this far apart: what the eye cannot tell apart
/// shares a commit and a message to the window.
const FRAME: Duration = Duration::from_millis(16);

pub(super) struct Step<'a> {
    pub(super) source: &'static Source,
    pub(super) connection: &'a Connection,
    pub(super) request: &'a StepRequest,
    /// What the request was made from.
    pub(super) history: &'a [Event],
    pub(super) purse: &'a Purse,
    pub(super) saver: Saver<'a>,
    pub(super) checks: &'a Checks,
    /// Set where a tool of the source's own brought instructions.
    pub(super) taint: &'a mut Taint,
    pub(super) patience: Patience,
    /// Turns true when the user stops the turn.
    pub(super) stop: &'a mut watch::Receiver<bool>,
}

/// Saves what an assembler has made.
#[derive(Clone, Copy)]
pub(super) struct Saver<'a> {
    pub(super) session: Uuid,
    pub(super) store: &'a Store,
    pub(super) keeper: &'a Keeper,
    pub(super) vault: &'a Vault,
}

impl Saver<'_> {
    pub(super) async fn save(self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let events = assembler.drain();
        if events.is_empty() {
            return Ok(());
        }
        // What a placeholder stands for is kept before the text that has it.
        self.keeper.keep(self.session, self.vault).await?;
        self.store.record(self.session, events).await?;
        Ok(())
    }
}

impl Step<'_> {
    pub(super) async fn run(mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        // What waits to be saved from now on is what this step said.
        self.saver.save(assembler).await?;
        let mut retries = 0;
        loop {
            let mut heard = Heard::Nothing;
            let mut attempt = Attempt::default();
            let read = self.ask(assembler, &mut heard, &mut attempt).await?;
            assembler.settle(attempt.used(|| budget::input(self.history)));
            let mut failure = match read {
                Read::Stopped => return Ok(End::Complete(StopReason::Cancelled)),
                Read::Blocked => return Ok(End::Complete(StopReason::Blocked)),
                Read::Broken(error) => Failure::from(error),
                Read::Over => match assembler.end() {
                    End::Failed(error) => Failure::told(error),
                    end @ End::Complete(_) => return Ok(end),
                },
            };
            // A key must not come back in what a source says of its own failure.
            let key = self.connection.key.as_ref();
            failure.error.code = http::without(failure.error.code, key);
            failure.error.message = http::without(failure.error.message, key);
            failure.error.code = self.checks.covered(failure.error.code);
            failure.error.message = self.checks.covered(failure.error.message);
            if assembler.has_pending() {
                heard = Heard::Something;
            }
            let verdict = retry::decide(&failure, heard, retries, chance(), &self.patience);
            let delay = match verdict {
                Verdict::AskAgain { delay } => delay,
                Verdict::GiveUp => return Ok(End::Failed(failure.error)),
            };
            if self.spends_the_rest(assembler).await? {
                return Ok(End::Complete(StopReason::Budget));
            }
            retries += 1;
            let retry = EventBody::Retry {
                attempt: retries,
                most_attempts: self.patience.retries,
                delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
                error: failure.error,
            };
            assembler.ask_again(retry, clock::now());
            self.saver.save(assembler).await?;
            tokio::select! {
                biased;
                () = stopped(self.stop) => return Ok(End::Complete(StopReason::Cancelled)),
                () = sleep(delay) => {}
            }
        }
    }

    /// Whether what a failed attempt used was all that was left. Nothing of it was shown.
    async fn spends_the_rest(&mut self, assembler: &mut Assembler) -> Result<bool, StoreError> {
        if !assembler.has_used() {
            return Ok(false);
        }
        assembler.forget_attempt(clock::now());
        self.saver.save(assembler).await?;
        self.purse.is_empty(self.saver.store).await
    }

    /// Asks once. The connection is closed when this ends, however it does.
    async fn ask(
        &mut self,
        assembler: &mut Assembler,
        heard: &mut Heard,
        attempt: &mut Attempt,
    ) -> Result<Read, StoreError> {
        let patience = match self.source.place {
            Place::Cloud => self.patience,
            Place::Here => self.patience.with_neighbours(),
        };
        let mut watchdog = Watchdog::new(patience, Moment::now());
        let connection = Connection {
            sent: attempt.sent.clone(),
            ..self.connection.clone()
        };
        let mut opening = self.source.api.open(connection, self.request.clone());
        let mut bytes = loop {
            tokio::select! {
                biased;
                () = stopped(self.stop) => return Ok(Read::Stopped),
                opened = &mut opening => match opened {
                    Ok(bytes) => break bytes,
                    Err(error) => {
                        attempt.fail(&error);
                        return Ok(Read::Broken(watchdog.explain(error, Moment::now())));
                    }
                },
                () = sleep_until(watchdog.next_look()) => {
                    if let Err(error) = watchdog.look(Moment::now()) {
                        return Ok(Read::Broken(error));
                    }
                }
            }
        };
        attempt.sent.mark();
        watchdog.hear_bytes(Moment::now());
        let mut guarded = Guarded::new(self.checks.clone());
        let read = self
            .read(
                assembler,
                &mut bytes,
                &mut guarded,
                watchdog,
                heard,
                attempt,
            )
            .await?;
        // However it ended, what the guard held back was said.
        let mut rest = Vec::new();
        guarded.finish(&mut rest);
        self.hear(&mut rest, &mut guarded, assembler, clock::now());
        Ok(if guarded.is_blocked() {
            Read::Blocked
        } else {
            read
        })
    }

    /// Hands on what passed the guard, and what it found.
    fn hear(
        &mut self,
        passed: &mut Vec<StreamEvent>,
        guarded: &mut Guarded,
        assembler: &mut Assembler,
        now: Timestamp,
    ) {
        assembler.take(passed, now);
        assembler.tell_found(guarded.told(), now);
        if guarded.is_tainted() {
            *self.taint = Taint::Tainted;
        }
    }

    async fn read(
        &mut self,
        assembler: &mut Assembler,
        bytes: &mut ByteStream,
        guarded: &mut Guarded,
        mut watchdog: Watchdog,
        heard: &mut Heard,
        attempt: &mut Attempt,
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
                    *heard = Heard::Something;
                    next_save = Instant::now() + FRAME;
                }
                read = bytes.next() => match read {
                    Some(Ok(bytes)) => {
                        let now = Moment::now();
                        watchdog.hear_bytes(now);
                        reader.push(&bytes, &mut said);
                        attempt.hear(&said);
                        if said.iter().any(is_news) {
                            watchdog.hear_event(now);
                        }
                        guarded.pass(&mut said);
                        self.hear(&mut said, guarded, assembler, now.wall);
                        if guarded.is_blocked() {
                            return Ok(Read::Blocked);
                        }
                        // How the connection ends after that is no news.
                        if assembler.is_over() {
                            return Ok(Read::Over);
                        }
                        // A flood of bytes that say nothing leaves no pause to look in.
                        if let Err(error) = watchdog.look(now) {
                            return Ok(self.lost(error, &mut reader, guarded, assembler, attempt));
                        }
                    }
                    Some(Err(error)) => {
                        let error = watchdog.explain(error, Moment::now());
                        return Ok(self.lost(error, &mut reader, guarded, assembler, attempt));
                    }
                    None => {
                        reader.finish(&mut said);
                        attempt.hear(&said);
                        guarded.pass(&mut said);
                        self.hear(&mut said, guarded, assembler, clock::now());
                        return Ok(Read::Over);
                    }
                },
                () = sleep_until(watchdog.next_look()) => {
                    if let Err(error) = watchdog.look(Moment::now()) {
                        return Ok(self.lost(error, &mut reader, guarded, assembler, attempt));
                    }
                }
            }
        }
    }

    /// A connection that is lost after the last word is no loss: not every dialect marks its end.
    fn lost(
        &mut self,
        error: SourceError,
        reader: &mut Reader,
        guarded: &mut Guarded,
        assembler: &mut Assembler,
        attempt: &mut Attempt,
    ) -> Read {
        let mut rest = Vec::new();
        reader.finish(&mut rest);
        attempt.hear(&rest);
        let is_done = |event: &StreamEvent| matches!(event, StreamEvent::Done { .. });
        if rest.iter().any(is_done) {
            guarded.pass(&mut rest);
            self.hear(&mut rest, guarded, assembler, clock::now());
            return Read::Over;
        }
        Read::Broken(error)
    }
}

enum Read {
    Over,
    Stopped,
    /// A guard ended the reply.
    Blocked,
    Broken(SourceError),
}

/// What nobody understands may be one more way to keep a line open.
fn is_news(event: &StreamEvent) -> bool {
    !matches!(event, StreamEvent::Raw { .. })
}

/// Something between 0 and 1, for which the random bits of a UUID are good enough.
fn chance() -> f64 {
    let [first, second, ..] = *Uuid::new_v4().as_bytes();
    f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
}

/// Ends when the user stops the turn; never, when nobody is left who could.
pub(super) async fn stopped(stop: &mut watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}
