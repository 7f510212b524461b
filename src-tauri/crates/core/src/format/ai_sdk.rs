//! Stream events to the AI SDK's UI message stream: server-sent events that end in `[DONE]`.
//!
//! Owns the order of the chunks: one `start`, steps, one `finish` or `abort`; every part
//! opened before it grows, closed once, its id used once. Whatever events come, in whatever
//! order, the reader of the `ai` package takes the stream without an error, and the tests
//! have that package read it. Pure, and constant in cost for each event: no text is kept.
//!
//! The protocol is the one that package speaks today. Older descriptions differ: a tool's
//! chunks name it by `toolCallId` and `toolName`, an error says `errorText`, usage is inside
//! `data`, and `[DONE]` ends the stream where once there was a chunk `done`, which the reader
//! would refuse. Errors are held back to the end, because a chat of the SDK stops reading at
//! the first one, while a source may go on after it. A second `start` would make the reader
//! throw away what it has, so further messages of one stream are further steps.

mod chunk;
mod reasoning;
mod tools;

use std::fmt::Write as _;

use serde_json::Value;
use weir_protocol::{BlockId, Citation, StopReason, StreamEvent, Todo, Usage};

use chunk::{Chunk, FinishReason, MessageMetadata, PartId, Stats, Tokens, UsageData, Weir};
use reasoning::{Reasoning, Seal};
use tools::{Answer, Asked, Tools};

/// Names the one part that every snapshot of the usage replaces.
const USAGE: &str = "usage";
const RESULT: &str = "result";
/// What a document is called that its source gives no title.
const UNTITLED: &str = "Untitled";
/// What a cited document is taken for; no source says.
const DOCUMENT: &str = "text/plain";

/// Formats one stream.
#[derive(Default)]
pub struct AiSdk {
    progress: Progress,
    step: Step,
    texts: Vec<Text>,
    next_text: u32,
    next_source: u32,
    reasoning: Reasoning,
    tools: Tools,
    model: Option<String>,
    usage: Option<Usage>,
    ending: Ending,
    /// Written already, and told at the end.
    errors: Vec<u8>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Waiting,
    Started,
    Over,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Step {
    #[default]
    Closed,
    Open,
    /// Another message has begun; its step begins when all blocks of this one have ended,
    /// because the reader looks for a tool call in its own step.
    NextIsDue,
}

struct Text {
    block: BlockId,
    number: u32,
}

/// How the source ended, as far as it has said.
#[derive(Clone, Copy, Default)]
enum Ending {
    #[default]
    Untold,
    Failed,
    Done(Option<StopReason>),
}

impl AiSdk {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends to `out` what `event` comes to.
    pub fn write(&mut self, event: &StreamEvent, out: &mut Vec<u8>) {
        if self.progress == Progress::Over {
            return;
        }
        if !matches!(
            event,
            StreamEvent::SubagentStart { .. } | StreamEvent::SubagentEnd { .. }
        ) {
            self.reasoning.settle(out);
        }
        match event {
            StreamEvent::TextDelta { id, text } => self.grow_text(*id, text, out),
            StreamEvent::ThinkingDelta { id, text } => {
                self.enter_step(out);
                self.reasoning.think(*id, text, out);
            }
            StreamEvent::ToolUseDelta { id, json } => self.tools.grow(*id, json, out),
            StreamEvent::Start { message_id, model } => {
                self.start_message(message_id.as_deref(), model.as_deref(), out);
            }
            StreamEvent::TextStart { id } => {
                self.text(*id, out);
            }
            StreamEvent::TextEnd { id, signature, .. } => {
                self.end_text(*id, signature.as_deref(), out);
            }
            StreamEvent::ThinkingStart { id } => {
                self.enter_step(out);
                self.reasoning.start(*id, out);
            }
            StreamEvent::ThinkingEnd {
                id,
                signature,
                redacted,
                ..
            } => {
                let seal = Seal {
                    signature: signature.as_deref(),
                    redacted: redacted.as_deref(),
                };
                self.enter_step(out);
                self.reasoning.end(*id, seal, out);
            }
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                executed_by,
                detail,
            } => {
                let asked = Asked {
                    id: tool_call_id,
                    name,
                    executed_by: *executed_by,
                    detail: detail.as_ref(),
                };
                self.enter_step(out);
                self.reasoning.close_aside(out);
                self.tools.start(*id, &asked, out);
            }
            StreamEvent::ToolUseEnd {
                id,
                input,
                signature,
            } => self.tools.end(*id, input, signature.as_deref(), out),
            StreamEvent::ToolResult {
                tool_call_id,
                name,
                result,
                is_error,
                detail,
            } => {
                let answer = Answer {
                    id: tool_call_id,
                    name,
                    result,
                    is_error: *is_error,
                    detail: detail.as_ref(),
                };
                self.enter_step(out);
                if !self.tools.knows(tool_call_id) {
                    self.reasoning.close_aside(out);
                }
                self.tools.answer(&answer, out);
            }
            StreamEvent::Citation { id, citation } => self.cite(*id, citation, out),
            StreamEvent::File { url, media_type } => {
                self.enter_step(out);
                self.reasoning.close_aside(out);
                Chunk::File { url, media_type }.write(out);
            }
            StreamEvent::Status { message } => self.report(&line(message), out),
            StreamEvent::TodoCreate { todos } | StreamEvent::TodoUpdate { todos } => {
                self.report(&lines(todos), out);
            }
            StreamEvent::TodoDone { todo } => self.report(&line(&todo.to_string()), out),
            StreamEvent::SubagentStart { name, task, .. } => self.mention(name, task, out),
            StreamEvent::SubagentEnd { name, summary, .. } => self.mention(name, summary, out),
            StreamEvent::Usage { usage, is_total } => {
                let data = UsageData::Usage {
                    usage: Tokens::from(usage),
                    is_total: *is_total,
                };
                self.start(None, out);
                Chunk::DataUsage { id: USAGE, data }.write(out);
                self.usage = Some(usage.clone());
            }
            StreamEvent::Result {
                session_id,
                duration_ms,
                turns,
                cost,
            } => {
                let stats = Stats {
                    session_id: session_id.as_deref(),
                    duration_ms: *duration_ms,
                    turns: *turns,
                    cost: *cost,
                };
                let data = UsageData::Result { stats };
                self.start(None, out);
                Chunk::DataUsage { id: RESULT, data }.write(out);
            }
            StreamEvent::Error { error } => {
                let error_text = &error.message;
                Chunk::Error { error_text }.write(&mut self.errors);
                if let Ending::Untold = self.ending {
                    self.ending = Ending::Failed;
                }
            }
            StreamEvent::Done { stop_reason } => {
                self.close(out);
                self.ending = Ending::Done(*stop_reason);
            }
            StreamEvent::Raw { value } => {
                let raw = Chunk::DataRaw {
                    data: chunk::Plain(value),
                    transient: true,
                };
                raw.write(out);
            }
        }
    }

    /// Appends what a user asked, of a stream that holds more than one turn.
    pub fn write_prompt(&mut self, id: &str, prompt: &Value, out: &mut Vec<u8>) {
        if self.progress == Progress::Over {
            return;
        }
        self.start(None, out);
        self.close(out);
        let data = chunk::Plain(prompt);
        Chunk::DataPrompt { id, data }.write(out);
    }

    /// No event will follow. Once; a second call says nothing.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.progress == Progress::Over {
            return;
        }
        self.start(None, out);
        self.close(out);
        out.append(&mut self.errors);
        self.last_chunk().write(out);
        out.extend_from_slice(chunk::DONE);
        self.progress = Progress::Over;
    }

    fn start_message(&mut self, id: Option<&str>, model: Option<&str>, out: &mut Vec<u8>) {
        if self.model.is_none() {
            self.model = model.map(str::to_owned);
        }
        self.start(id, out);
        if self.step == Step::Open {
            self.step = Step::NextIsDue;
        }
    }

    /// The stream's first chunk, if it has not been written.
    fn start(&mut self, message_id: Option<&str>, out: &mut Vec<u8>) {
        if self.progress != Progress::Waiting {
            return;
        }
        self.progress = Progress::Started;
        let metadata = MessageMetadata {
            model: self.model.as_deref(),
            stop_reason: None,
            usage: None,
        };
        let start = Chunk::Start {
            message_id,
            message_metadata: metadata.unless_empty(),
        };
        start.write(out);
    }

    /// Before anything that makes a part of the message.
    fn enter_step(&mut self, out: &mut Vec<u8>) {
        if self.step == Step::Open {
            return;
        }
        self.start(None, out);
        if self.step == Step::NextIsDue {
            let is_busy =
                !self.texts.is_empty() || self.reasoning.has_blocks() || self.tools.has_open();
            if is_busy {
                return;
            }
            self.close(out);
        }
        Chunk::StartStep.write(out);
        self.step = Step::Open;
    }

    /// Ends everything that is open, and the step.
    fn close(&mut self, out: &mut Vec<u8>) {
        for text in std::mem::take(&mut self.texts) {
            text.end(None, out);
        }
        self.reasoning.finish(out);
        self.tools.finish(out);
        if self.step != Step::Closed {
            Chunk::FinishStep.write(out);
            self.step = Step::Closed;
        }
    }

    fn last_chunk(&self) -> Chunk<'_> {
        let stop_reason = match self.ending {
            // Whoever reads the source left in the middle, or the user did.
            Ending::Untold | Ending::Done(Some(StopReason::Cancelled)) => return Chunk::Abort,
            Ending::Failed => None,
            Ending::Done(stop_reason) => stop_reason,
        };
        let metadata = MessageMetadata {
            model: self.model.as_deref(),
            stop_reason,
            usage: self.usage.as_ref().map(Tokens::from),
        };
        Chunk::Finish {
            finish_reason: match self.ending {
                Ending::Failed => Some(FinishReason::Error),
                Ending::Untold | Ending::Done(_) => stop_reason.map(finish_reason),
            },
            message_metadata: metadata.unless_empty(),
        }
    }

    fn grow_text(&mut self, block: BlockId, delta: &str, out: &mut Vec<u8>) {
        let id = self.text(block, out);
        if !delta.is_empty() {
            Chunk::TextDelta { id, delta }.write(out);
        }
    }

    /// The part of the source's text block, opened if need be. Text ends all reasoning.
    fn text(&mut self, block: BlockId, out: &mut Vec<u8>) -> PartId {
        self.enter_step(out);
        self.reasoning.close(out);
        if let Some(text) = self.texts.iter().find(|text| text.block == block) {
            return text.id();
        }
        let text = Text {
            block,
            number: self.next_text,
        };
        self.next_text = self.next_text.wrapping_add(1);
        let id = text.id();
        self.texts.push(text);
        Chunk::TextStart { id }.write(out);
        id
    }

    fn end_text(&mut self, block: BlockId, signature: Option<&str>, out: &mut Vec<u8>) {
        if let Some(at) = self.texts.iter().position(|text| text.block == block) {
            self.texts.remove(at).end(signature, out);
        }
    }

    fn cite(&mut self, block: BlockId, citation: &Citation, out: &mut Vec<u8>) {
        let text = self.texts.iter().find(|text| text.block == block);
        let weir = Weir {
            cited_text: citation.cited_text.as_deref(),
            text_id: text.map(Text::id),
            relevance: citation.relevance,
            confidence: citation.confidence,
            ..Weir::default()
        };
        let has_score = weir.relevance.is_some() || weir.confidence.is_some();
        let says = weir.cited_text.is_some() || weir.text_id.is_some() || has_score;
        let provider_metadata = says.then(|| weir.metadata());
        let source_id = PartId::Source(self.next_source);
        self.next_source = self.next_source.wrapping_add(1);
        self.enter_step(out);
        let title = citation.title.as_deref();
        match citation.url.as_deref() {
            Some(url) => Chunk::SourceUrl {
                source_id,
                url,
                title,
                provider_metadata,
            },
            None => Chunk::SourceDocument {
                source_id,
                media_type: DOCUMENT,
                title: title.unwrap_or(UNTITLED),
                provider_metadata,
            },
        }
        .write(out);
    }

    fn report(&mut self, lines: &str, out: &mut Vec<u8>) {
        self.enter_step(out);
        self.reasoning.report(lines, out);
    }

    fn mention(&mut self, name: &str, what: &str, out: &mut Vec<u8>) {
        self.enter_step(out);
        let said = if what.is_empty() {
            line(name)
        } else {
            line(&format!("{name}: {what}"))
        };
        self.reasoning.mention(&said, out);
    }
}

impl Text {
    fn id(&self) -> PartId {
        PartId::Text(self.number)
    }

    fn end(self, signature: Option<&str>, out: &mut Vec<u8>) {
        let sealed = signature.map(|signature| {
            Weir {
                signature: Some(signature),
                ..Weir::default()
            }
            .metadata()
        });
        let end = Chunk::TextEnd {
            id: self.id(),
            provider_metadata: sealed,
        };
        end.write(out);
    }
}

fn line(text: &str) -> String {
    format!("{text}\n")
}

fn lines(todos: &[Todo]) -> String {
    let mut lines = String::new();
    for todo in todos {
        // A string takes whatever is written to it.
        let _ = writeln!(lines, "{todo}");
    }
    lines
}

/// As the SDK's own sources translate theirs.
fn finish_reason(stop_reason: StopReason) -> FinishReason {
    match stop_reason {
        StopReason::EndTurn | StopReason::StopSequence | StopReason::PauseTurn => {
            FinishReason::Stop
        }
        StopReason::MaxTokens => FinishReason::Length,
        StopReason::ToolUse => FinishReason::ToolCalls,
        StopReason::Refusal | StopReason::ContentFilter => FinishReason::ContentFilter,
        StopReason::Error => FinishReason::Error,
        StopReason::Cancelled | StopReason::MaxTurns | StopReason::Blocked | StopReason::Budget => {
            FinishReason::Other
        }
    }
}

#[cfg(test)]
mod tests;
