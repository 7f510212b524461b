//! The model's own summary: asked for in one message of plain text, and read as it comes.
//!
//! Invariant: whatever a source says, a summary has an end and is no longer than [`LONGEST`]. Its
//! reply is counted against the limits of the turn and watched for silence as that of a step is.

use std::ops::ControlFlow;
use std::pin::pin;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until, timeout_at};
use weir_protocol::{ErrorBody, StreamEvent, Usage};

use super::transcript::shortened;
use crate::clock;
use crate::source::{
    Block, ByteStream, Connection, Count, Message, Role, SourceError, StepRequest, fault,
};
use crate::turn::attempt::Attempt;
use crate::turn::intake::{Intake, PIECE};
use crate::turn::limits::Meter;
use crate::turn::step::stopped;
use crate::turn::watchdog::{Moment, Watchdog};
use crate::turn::{Assembler, Turn};

/// A summary that takes longer than this is made without the model.
const PATIENCE: Duration = Duration::from_secs(120);
/// Nobody reads on in what is longer.
const LONGEST: usize = 64 * 1024;

const INSTRUCTION: &str = "Below is the beginning of a conversation between a user and an \
assistant, with the tools it used. It no longer fits and your summary will stand in its place. \
Write down what is needed to go on without it: what the user wants and said exactly where it \
matters, what was decided and why, what was found out (names, paths, numbers, code that is still \
needed), what is done and what is open. Answer with the summary alone.";

/// As far as it has come.
#[derive(Default)]
pub(super) struct Summary {
    text: String,
}

/// Why the model made none.
#[derive(Debug, PartialEq, thiserror::Error)]
pub(super) enum NoSummary {
    #[error("the turn was stopped")]
    Stopped,
    #[error("it took longer than {} s", PATIENCE.as_secs())]
    Late,
    #[error("the reply broke off")]
    BrokenOff,
    #[error("{}", .0.message)]
    TooMuch(ErrorBody),
    #[error("the reply was empty")]
    Empty,
    #[error("{message} ({code})", message = .0.message, code = .0.code)]
    Failed(ErrorBody),
}

/// How long a summary may take, all requests for it together.
struct Waiting {
    deadline: Instant,
    watchdog: Watchdog,
}

impl Turn {
    /// A source that says that even this is too long is asked once more, with a quarter of it.
    /// Whatever comes of it, what it used is told.
    pub(super) async fn ask_for_summary(
        &mut self,
        told: &str,
        assembler: &mut Assembler,
    ) -> Result<String, NoSummary> {
        let patience = self.patience.with(self.source.location);
        let mut waiting = Waiting {
            deadline: Instant::now() + PATIENCE,
            watchdog: Watchdog::new(patience, Moment::now()),
        };
        match self.ask_once(told, assembler, &mut waiting).await {
            Err(NoSummary::Failed(error)) if fault::is_too_long(&error) => {
                let now = Moment::now();
                waiting.watchdog.hear_bytes(now);
                waiting.watchdog.ask_again(now.steady, now);
                let quarter = shortened(told, told.len() / 4);
                self.ask_once(&quarter, assembler, &mut waiting).await
            }
            asked => asked,
        }
    }

    async fn ask_once(
        &mut self,
        told: &str,
        assembler: &mut Assembler,
        waiting: &mut Waiting,
    ) -> Result<String, NoSummary> {
        let mut attempt = Attempt::default();
        let connection = Connection {
            sent: attempt.sent.clone(),
            ..self.connection.clone()
        };
        let request = StepRequest {
            model: self.request.model.clone(),
            messages: vec![Message {
                role: Role::User,
                blocks: vec![Block::text(
                    self.checks.seal_text(format!("{INSTRUCTION}\n\n{told}")),
                )],
            }],
            cache_key: self.request.cache_key.clone(),
            ..StepRequest::default()
        };
        let dialect = self.source.dialect_for(&request);
        let opening = self.source.api.open(connection, request);
        self.meter.start_step();
        let reading = Reading {
            intake: Intake::new(dialect, &self.checks),
            meter: &mut self.meter,
            watchdog: &mut waiting.watchdog,
            attempt: &mut attempt,
            stop: self.stop.clone(),
            summary: Summary::default(),
        };
        let asked = tokio::select! {
            biased;
            () = stopped(&mut self.stop) => Err(NoSummary::Stopped),
            read = timeout_at(waiting.deadline, reading.run(opening)) => {
                read.unwrap_or(Err(NoSummary::Late))
            }
        };
        let input = || Usage {
            input_tokens: Count::Likely
                .tokens(INSTRUCTION)
                .saturating_add(Count::Likely.tokens(told)),
            ..Usage::default()
        };
        if let Some(used) = attempt.used(input) {
            assembler.count(used, None, clock::now());
        }
        asked
    }
}

/// The reading of one reply, which is counted and watched as that of a step is.
struct Reading<'a> {
    intake: Intake,
    meter: &'a mut Meter,
    watchdog: &'a mut Watchdog,
    attempt: &'a mut Attempt,
    stop: watch::Receiver<bool>,
    summary: Summary,
}

impl Reading<'_> {
    async fn run(
        mut self,
        opening: impl Future<Output = Result<ByteStream, SourceError>>,
    ) -> Result<String, NoSummary> {
        let mut opening = pin!(opening);
        let opened = loop {
            tokio::select! {
                biased;
                opened = &mut opening => break opened,
                () = sleep_until(self.watchdog.next_look()) => self.look()?,
            }
        };
        match opened {
            Ok(bytes) => {
                self.attempt.sent.mark();
                self.watchdog.hear_bytes(Moment::now());
                self.read(bytes).await
            }
            Err(error) => {
                self.attempt.fail(&error);
                Err(NoSummary::Failed(error.body()))
            }
        }
    }

    /// Until the source is done or failed: how the connection ends after that is no news.
    async fn read(mut self, mut bytes: ByteStream) -> Result<String, NoSummary> {
        let lost = loop {
            tokio::select! {
                biased;
                read = bytes.next() => match read {
                    Some(Ok(bytes)) => {
                        self.watchdog.hear_bytes(Moment::now());
                        if let ControlFlow::Break(end) = self.take_in(&bytes).await {
                            return end;
                        }
                        // A flood of bytes that say nothing leaves no pause to look in.
                        self.look()?;
                    }
                    Some(Err(error)) => break NoSummary::Failed(error.body()),
                    None => break NoSummary::BrokenOff,
                },
                () = sleep_until(self.watchdog.next_look()) => self.look()?,
            }
        };
        // Not every dialect marks its end.
        let Ok(said) = self.intake.finish_parsing(&mut self.stop).await else {
            return Err(NoSummary::Stopped);
        };
        match self.hear(said) {
            ControlFlow::Break(end) => end,
            ControlFlow::Continue(()) => Err(lost),
        }
    }

    fn look(&mut self) -> Result<(), NoSummary> {
        let looked = self.watchdog.look(Moment::now());
        looked.map_err(|error| NoSummary::Failed(error.body()))
    }

    async fn take_in(&mut self, bytes: &[u8]) -> ControlFlow<Result<String, NoSummary>> {
        if let Err(exceeded) = self.meter.receive(bytes.len()) {
            return ControlFlow::Break(Err(NoSummary::TooMuch(exceeded.body())));
        }
        for piece in bytes.chunks(PIECE) {
            let Ok(said) = self.intake.parse(piece, &mut self.stop).await else {
                return ControlFlow::Break(Err(NoSummary::Stopped));
            };
            self.hear(said)?;
            // Whoever stops the turn may need this very thread.
            tokio::task::yield_now().await;
        }
        ControlFlow::Continue(())
    }

    /// Counts what was said against the limits before any of it is kept.
    fn hear(&mut self, mut said: Vec<StreamEvent>) -> ControlFlow<Result<String, NoSummary>> {
        self.attempt.hear(&said);
        if said.iter().any(|event| self.watchdog.is_news(event)) {
            self.watchdog.hear_event(Moment::now());
        }
        let admitted = self.meter.admit(&mut said);
        self.summary.take(&mut said)?;
        match admitted {
            Ok(()) => ControlFlow::Continue(()),
            Err(exceeded) => ControlFlow::Break(Err(NoSummary::TooMuch(exceeded.body()))),
        }
    }
}

impl Summary {
    /// Takes what the source said and leaves `said` empty; breaks when there is enough.
    pub(super) fn take(
        &mut self,
        said: &mut Vec<StreamEvent>,
    ) -> ControlFlow<Result<String, NoSummary>> {
        for event in said.drain(..) {
            if let StreamEvent::TextDelta { text, .. } = event {
                self.text.push_str(&text);
                if self.text.len() > LONGEST {
                    self.text.truncate(self.text.floor_char_boundary(LONGEST));
                    self.text.push('…');
                    return ControlFlow::Break(self.end());
                }
            } else if let StreamEvent::Done { .. } = event {
                return ControlFlow::Break(self.end());
            } else if let StreamEvent::Error { error } = event {
                return ControlFlow::Break(Err(NoSummary::Failed(error)));
            }
        }
        ControlFlow::Continue(())
    }

    fn end(&self) -> Result<String, NoSummary> {
        match self.text.trim() {
            "" => Err(NoSummary::Empty),
            text => Ok(text.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
