//! The model's own summary: asked for in one message of plain text, and read as it comes.
//!
//! Invariant: whatever a source says, a summary has an end and is no longer than [`LONGEST`].

use std::ops::ControlFlow;
use std::time::Duration;

use futures_util::StreamExt;
use tokio::time::timeout;
use weir_protocol::{ErrorBody, StreamEvent, Usage};

use super::transcript::shortened;
use crate::clock;
use crate::source::dialect::Reader;
use crate::source::{Block, ByteStream, Connection, Count, Message, Role, StepRequest, fault};
use crate::turn::attempt::Attempt;
use crate::turn::step::stopped;
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
    #[error("the reply was empty")]
    Empty,
    #[error("{message} ({code})", message = .0.message, code = .0.code)]
    Failed(ErrorBody),
}

impl Turn {
    /// A source that says that even this is too long is asked once more, with a quarter of it.
    /// Whatever comes of it, what it used is told.
    pub(super) async fn ask_for_summary(
        &mut self,
        told: &str,
        assembler: &mut Assembler,
    ) -> Result<String, NoSummary> {
        match self.ask_once(told, assembler).await {
            Err(NoSummary::Failed(error)) if fault::is_too_long(&error) => {
                let quarter = shortened(told, told.len() / 4);
                self.ask_once(&quarter, assembler).await
            }
            asked => asked,
        }
    }

    async fn ask_once(
        &mut self,
        told: &str,
        assembler: &mut Assembler,
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
        let reader = Reader::new(self.source.dialect_for(&request));
        let opening = self.source.api.open(connection, request);
        let reading = async {
            match opening.await {
                Ok(bytes) => {
                    attempt.sent.mark();
                    read(bytes, reader, &mut attempt).await
                }
                Err(error) => {
                    attempt.fail(&error);
                    Err(NoSummary::Failed(error.body()))
                }
            }
        };
        let asked = tokio::select! {
            biased;
            () = stopped(&mut self.stop) => Err(NoSummary::Stopped),
            read = timeout(PATIENCE, reading) => read.unwrap_or(Err(NoSummary::Late)),
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

/// Until the source is done or failed: how the connection ends after that is no news.
async fn read(
    mut bytes: ByteStream,
    mut reader: Reader,
    attempt: &mut Attempt,
) -> Result<String, NoSummary> {
    let mut summary = Summary::default();
    let mut said = Vec::new();
    let mut lost = NoSummary::BrokenOff;
    while let Some(read) = bytes.next().await {
        match read {
            Ok(bytes) => reader.push(&bytes, &mut said),
            Err(error) => {
                lost = NoSummary::Failed(error.body());
                break;
            }
        }
        attempt.hear(&said);
        if let ControlFlow::Break(end) = summary.take(&mut said) {
            return end;
        }
    }
    // Not every dialect marks its end.
    reader.finish(&mut said);
    attempt.hear(&said);
    match summary.take(&mut said) {
        ControlFlow::Break(end) => end,
        ControlFlow::Continue(()) => Err(lost),
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
