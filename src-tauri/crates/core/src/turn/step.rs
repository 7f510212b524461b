//! One step: a request to a source, read to its end and saved a frame at a time.
//!
//! Owns the clock of a step: when what came is saved, that the user's stop is heard at any
//! moment, that silence ends it, all attempts together, and that one of which nothing was shown is
//! asked again. Which failures that helps is [`retry`]'s to say. What the source says is counted
//! against the limits and passes the guard before anybody else sees it. What the step said is the
//! assembler's; what follows it is the turn's.

use std::pin::pin;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use jiff::Timestamp;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, StopReason, StreamEvent};

use super::attempt::Attempt;
use super::budget::{self, Purse};
use super::intake::{Intake, PIECE, Stopped};
use super::limits::{Exceeded, Meter};
use super::patience::Patience;
use super::retry::{self, Shown, Verdict};
use super::watchdog::{Moment, Watchdog};
use super::{Assembler, End, LEARNED, Taint};
use crate::clock;
use crate::redact::{Checks, Guarded, Keeper};
use crate::source::fault::{self, Failure};
use crate::source::{ByteStream, Connection, Source, SourceError, StepRequest};
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
    pub(super) meter: &'a mut Meter,
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
    pub(super) checks: &'a Checks,
}

impl Saver<'_> {
    pub(super) async fn save(self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let mut events = assembler.drain();
        if events.is_empty() {
            return Ok(());
        }
        for event in &mut events {
            self.checks.seal_event(event);
        }
        // What a placeholder stands for is kept before the text that has it.
        self.keeper.keep(self.session, &self.checks.vault).await?;
        self.store.record(self.session, events).await?;
        Ok(())
    }
}

impl Step<'_> {
    pub(super) async fn run(mut self, assembler: &mut Assembler) -> Result<End, StoreError> {
        // What waits to be saved from now on is what this step said.
        self.saver.save(assembler).await?;
        let mut retries = 0;
        let patience = self.patience.with(self.source.location);
        // One for all attempts: asking again does not make a silence shorter.
        let mut watchdog = Watchdog::new(patience, Moment::now());
        loop {
            let mut heard = Shown::Nothing;
            let mut attempt = Attempt::default();
            self.meter.start_step();
            let read = self
                .ask(assembler, &mut watchdog, &mut heard, &mut attempt)
                .await?;
            let failed = Instant::now();
            let mut used = attempt.used(|| budget::input(self.history));
            // It was heard before the guard, and its tier is whatever the source wrote there.
            if let Some(tier) = used.as_mut().and_then(|it| it.usage.service_tier.as_mut()) {
                *tier = self.checks.covered_name(std::mem::take(tier));
            }
            assembler.settle(used);
            let mut failure = match read {
                Read::Stopped => return Ok(End::Complete(StopReason::Cancelled)),
                Read::Blocked => return Ok(End::Complete(StopReason::Blocked)),
                Read::TooLong(exceeded) => return Ok(End::Failed(exceeded.body())),
                Read::Broken(error) => Failure::from(error),
                Read::Over => match assembler.end() {
                    End::Failed(error) => Failure::told(error),
                    end @ End::Complete(_) => return Ok(end),
                },
            };
            // Neither a key nor an original must come back in what a source says of its failure.
            // It is cut afterwards: half of one looks like none.
            fault::check(&mut failure.error, &|text| self.checks.covered(text));
            fault::clip(&mut failure.error);
            if assembler.has_pending() {
                heard = Shown::Something;
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
            watchdog.ask_again(failed, Moment::now());
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
        watchdog: &mut Watchdog,
        heard: &mut Shown,
        attempt: &mut Attempt,
    ) -> Result<Read, StoreError> {
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
                        if let SourceError::Refused { .. } = &error {
                            watchdog.hear_bytes(Moment::now());
                        }
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
        self.tell_notes(assembler).await?;
        let mut intake = Intake::new(self.source.dialect_for(self.request), self.checks);
        let mut reading = Reading {
            intake: &mut intake,
            watchdog,
            attempt,
        };
        let read = self
            .read(assembler, &mut bytes, &mut reading, heard)
            .await?;
        drop(bytes);
        // However it ended, what the guard held back was said.
        let mut rest = Vec::new();
        intake.guarded().finish(&mut rest);
        self.hear(&mut rest, intake.guarded(), assembler, clock::now());
        Ok(if intake.guarded().is_blocked() {
            Read::Blocked
        } else {
            read
        })
    }

    /// Says what the user is to know of the request, each sentence once a session, and keeps what
    /// was learned of the server. Saved at once: it is nothing that the source said, so the step
    /// may still be asked again.
    async fn tell_notes(&mut self, assembler: &mut Assembler) -> Result<(), StoreError> {
        let exchange = &self.connection.exchange;
        for note in exchange.take_notes() {
            let is_said = |event: &Event| matches!(&event.body, EventBody::Processing { content, .. } if content.trim_end() == note);
            if !self.history.iter().any(is_said) {
                assembler.note(&note, clock::now());
            }
        }
        if let Some(learned) = exchange.take_changed() {
            let store = self.saver.store;
            store.set_setting(LEARNED.to_owned(), learned).await?;
        }
        self.saver.save(assembler).await
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
        reading: &mut Reading<'_>,
        heard: &mut Shown,
    ) -> Result<Read, StoreError> {
        let mut next_save = Instant::now();
        loop {
            tokio::select! {
                biased;
                () = stopped(self.stop) => return Ok(Read::Stopped),
                () = sleep_until(next_save), if assembler.has_pending() => {
                    *heard = Shown::Something;
                    if let Err(Stopped) = self.save(assembler, bytes).await? {
                        return Ok(Read::Stopped);
                    }
                    next_save = Instant::now() + FRAME;
                }
                read = bytes.next() => match read {
                    Some(Ok(bytes)) => {
                        let now = Moment::now();
                        reading.watchdog.hear_bytes(now);
                        if let Some(read) = self.take_in(&bytes, reading, assembler).await {
                            return Ok(read);
                        }
                        // A flood of bytes that say nothing leaves no pause to look in.
                        if let Err(error) = reading.watchdog.look(Moment::now()) {
                            return Ok(self.lost(error, reading, assembler).await);
                        }
                    }
                    Some(Err(error)) => {
                        let error = reading.watchdog.explain(error, Moment::now());
                        return Ok(self.lost(error, reading, assembler).await);
                    }
                    None => {
                        let Ok(said) = reading.intake.finish_parsing(self.stop).await else {
                            return Ok(Read::Stopped);
                        };
                        reading.attempt.hear(&said);
                        let read = self.accept(said, reading, assembler).await;
                        return Ok(read.unwrap_or(Read::Over));
                    }
                },
                () = sleep_until(reading.watchdog.next_look()) => {
                    if let Err(error) = reading.watchdog.look(Moment::now()) {
                        return Ok(self.lost(error, reading, assembler).await);
                    }
                }
            }
        }
    }

    /// Saves what came. A stop closes the connection at once, however long saving takes.
    async fn save(
        &mut self,
        assembler: &mut Assembler,
        bytes: &mut ByteStream,
    ) -> Result<Result<(), Stopped>, StoreError> {
        let mut saving = pin!(self.saver.save(assembler));
        tokio::select! {
            biased;
            saved = &mut saving => saved.map(Ok),
            () = stopped(self.stop) => {
                *bytes = stream::empty().boxed();
                saving.await.map(|()| Err(Stopped))
            }
        }
    }

    /// Takes in what was received, piece by piece; answers how the reading ends, if it does.
    async fn take_in(
        &mut self,
        bytes: &[u8],
        reading: &mut Reading<'_>,
        assembler: &mut Assembler,
    ) -> Option<Read> {
        if let Err(exceeded) = self.meter.receive(bytes.len()) {
            return Some(Read::TooLong(exceeded));
        }
        let mut pieces = bytes.chunks(PIECE).peekable();
        while let Some(piece) = pieces.next() {
            if *self.stop.borrow() {
                return Some(Read::Stopped);
            }
            let Ok(said) = reading.intake.parse(piece, self.stop).await else {
                return Some(Read::Stopped);
            };
            reading.attempt.hear(&said);
            if said.iter().any(|event| reading.watchdog.is_news(event)) {
                reading.watchdog.hear_event(Moment::now());
            }
            if let Some(read) = self.accept(said, reading, assembler).await {
                return Some(read);
            }
            // Whoever stops the turn may need this very thread.
            if pieces.peek().is_some() {
                tokio::task::yield_now().await;
            }
        }
        None
    }

    /// Hands on what the limits allow and the guard lets pass; answers how the reading ends, if it
    /// does.
    async fn accept(
        &mut self,
        mut said: Vec<StreamEvent>,
        reading: &mut Reading<'_>,
        assembler: &mut Assembler,
    ) -> Option<Read> {
        let admitted = self.meter.admit(&mut said);
        if let Err(Stopped) = reading.intake.guard(&mut said, self.stop).await {
            return Some(Read::Stopped);
        }
        let guarded = reading.intake.guarded();
        self.hear(&mut said, guarded, assembler, clock::now());
        if guarded.is_blocked() {
            return Some(Read::Blocked);
        }
        if let Err(exceeded) = admitted {
            return Some(Read::TooLong(exceeded));
        }
        // How the connection ends after that is no news.
        assembler.is_over().then_some(Read::Over)
    }

    /// A connection that is lost after the last word is no loss: not every dialect marks its end.
    async fn lost(
        &mut self,
        error: SourceError,
        reading: &mut Reading<'_>,
        assembler: &mut Assembler,
    ) -> Read {
        let Ok(rest) = reading.intake.finish_parsing(self.stop).await else {
            return Read::Stopped;
        };
        reading.attempt.hear(&rest);
        let is_done = |event: &StreamEvent| matches!(event, StreamEvent::Done { .. });
        if !rest.iter().any(is_done) {
            return Read::Broken(error);
        }
        let read = self.accept(rest, reading, assembler).await;
        read.unwrap_or(Read::Over)
    }
}

/// What goes along with the reading of one attempt.
struct Reading<'a> {
    intake: &'a mut Intake,
    watchdog: &'a mut Watchdog,
    attempt: &'a mut Attempt,
}

enum Read {
    Over,
    Stopped,
    /// A guard ended the reply.
    Blocked,
    /// It reached a limit on its size.
    TooLong(Exceeded),
    Broken(SourceError),
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
