//! Stream events to events: blocks with a place in their turn, and the turn's end.
//!
//! A pure step: the clock comes in as an argument, the numbers come from the store. Chunks of
//! one block that nobody has saved yet grow into one. A tool call is published once, however
//! often the source repeats it. Every stream event costs the same, however many blocks there are.

mod again;
mod ending;
mod open_blocks;

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;
use weir_protocol::{
    BlockId, Citation, ErrorBody, Event, EventBody, ExecutedBy, PersistenceState, StopReason,
    StreamEvent,
};

use super::End;
use super::attempt::Used;
use super::raw::RawRoom;
use crate::source::price::Prices;
use crate::store::KeptRaw;
pub(super) use ending::Call;
use ending::Total;
use open_blocks::{OpenBlock, OpenBlocks};

#[derive(Clone, Copy, Debug)]
pub(crate) struct TurnId {
    pub(crate) session: Uuid,
    pub(crate) turn: Uuid,
    pub(crate) started: Timestamp,
}

impl TurnId {
    /// An event of this turn, without the numbers that the store gives it.
    pub(crate) fn event(self, body: EventBody, timestamp: Timestamp) -> Event {
        Event {
            id: crate::clock::new_id(),
            session_id: self.session,
            turn_id: Some(self.turn),
            body,
            event_index: 0,
            sequence_number: None,
            block_index: None,
            message_id: None,
            persistence_state: PersistenceState::Pending,
            timestamp,
        }
    }
}

pub(crate) struct Assembler {
    id: TurnId,
    source: &'static str,
    asked_model: String,
    /// As asked for, until the source says which one it really is.
    model: String,
    prices: Prices,
    message_id: Option<String>,
    pending: Vec<Event>,
    /// How many of `pending` are raw: nobody is shown those.
    pending_raw: usize,
    raw: RawRoom,
    /// Where the chunk of each block stands in `pending`.
    pending_chunks: HashMap<u32, usize>,
    open: OpenBlocks,
    /// Where the blocks of this step stand in their turn.
    places: HashMap<BlockId, u32>,
    next_index: u32,
    /// The calls of this step, by their ids.
    tools: HashSet<String>,
    /// The calls of the turn's earlier steps.
    earlier: HashSet<String>,
    /// Counts from 1.
    step: u32,
    step_started: Timestamp,
    /// What this step wants Weir to run, each with its whole input.
    calls: Vec<Call>,
    total: Total,
    /// The model that was used last without a known price.
    unpriced: Option<String>,
    /// When each finished request for a tool was made, until its result comes.
    asked: HashMap<String, Timestamp>,
    usage: Option<Used>,
    first_chunk: Option<Timestamp>,
    failure: Option<ErrorBody>,
    done: Option<StopReason>,
    /// How many helpers of the source's came back in this step.
    ended_helpers: u32,
}

enum Kind {
    Text {
        citations: Vec<Citation>,
    },
    Thinking,
    Processing,
    Tool {
        tool_call_id: String,
        tool_name: String,
        executed_by: ExecutedBy,
        detail: Option<Value>,
    },
}

impl Assembler {
    pub(crate) fn new(id: TurnId, source: &'static str, model: &str, prices: Prices) -> Self {
        Self {
            id,
            source,
            asked_model: model.to_owned(),
            model: model.to_owned(),
            prices,
            message_id: None,
            pending: Vec::new(),
            pending_raw: 0,
            raw: RawRoom::new(KeptRaw::default()),
            pending_chunks: HashMap::new(),
            open: OpenBlocks::default(),
            places: HashMap::new(),
            next_index: 0,
            tools: HashSet::new(),
            earlier: HashSet::new(),
            step: 1,
            step_started: id.started,
            calls: Vec::new(),
            total: Total::default(),
            unpriced: None,
            asked: HashMap::new(),
            usage: None,
            first_chunk: None,
            failure: None,
            done: None,
            ended_helpers: 0,
        }
    }

    /// The same, for a session that keeps so much raw already.
    pub(super) fn keeping(self, kept: KeptRaw) -> Self {
        Self {
            raw: RawRoom::new(kept),
            ..self
        }
    }

    /// Whether anything waits to be saved that is shown. What is raw waits for the next of
    /// those: it alone makes no frame, and keeps no step from being asked again.
    pub(crate) fn has_pending(&self) -> bool {
        self.pending.len() > self.pending_raw
    }

    pub(crate) fn drain(&mut self) -> Vec<Event> {
        self.pending_chunks.clear();
        self.pending_raw = 0;
        std::mem::take(&mut self.pending)
    }

    /// Takes what the source said, in order, and leaves `said` empty.
    pub(crate) fn take(&mut self, said: &mut Vec<StreamEvent>, now: Timestamp) {
        for event in said.drain(..) {
            self.step(event, now);
        }
    }

    /// Whether the source has said that it was done, or that it failed.
    pub(super) fn is_over(&self) -> bool {
        self.failure.is_some() || self.done.is_some()
    }

    /// How the stream ended, once it is over.
    pub(super) fn end(&mut self) -> End {
        match (self.failure.take(), self.done) {
            (Some(error), _) => End::Failed(error),
            (None, Some(reason)) => End::Complete(reason),
            (None, None) => End::Complete(StopReason::EndTurn),
        }
    }

    fn step(&mut self, event: StreamEvent, now: Timestamp) {
        match event {
            StreamEvent::Start { message_id, model } => {
                self.message_id = message_id.or(self.message_id.take());
                if let Some(model) = model {
                    self.model = model;
                }
            }
            StreamEvent::Status { message } => self.say(SideBlock::Processing, &message, now),
            StreamEvent::TextStart { id } => {
                let citations = Vec::new();
                self.start(Some(id), Kind::Text { citations }, now);
            }
            StreamEvent::ThinkingStart { id } => self.start(Some(id), Kind::Thinking, now),
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                executed_by,
                detail,
            } => {
                let tool_call_id = self.own_id(tool_call_id);
                if self.tools.insert(tool_call_id.clone()) {
                    let kind = Kind::Tool {
                        tool_call_id,
                        tool_name: name,
                        executed_by,
                        detail,
                    };
                    self.start(Some(id), kind, now);
                } else {
                    self.start_again(id, &tool_call_id);
                }
            }
            StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text } => {
                self.grow(Some(id), &text, now);
            }
            StreamEvent::ToolUseDelta { id, json } => self.grow(Some(id), &json, now),
            StreamEvent::Citation { id, citation } => self.cite(id, citation, now),
            StreamEvent::TextEnd {
                id,
                signature,
                detail,
            } => {
                let sealed = Finish {
                    signature,
                    detail,
                    ..Finish::default()
                };
                self.finish(id, sealed, now);
            }
            StreamEvent::ThinkingEnd {
                id,
                signature,
                redacted,
                detail,
            } => {
                let sealed = Finish {
                    signature,
                    redacted,
                    detail,
                    input: None,
                };
                self.finish(id, sealed, now);
            }
            StreamEvent::ToolUseEnd {
                id,
                input: Value::Null,
                ..
            } => self.give_up(id),
            StreamEvent::ToolUseEnd {
                id,
                input,
                signature,
            } => {
                let whole = Finish {
                    input: Some(input),
                    signature,
                    ..Finish::default()
                };
                self.finish(id, whole, now);
            }
            StreamEvent::ToolResult {
                tool_call_id,
                name,
                result,
                is_error,
                detail,
            } => {
                let tool_call_id = self.called_id(tool_call_id);
                let duration_ms = self.since_asked(&tool_call_id, now);
                let body = EventBody::ToolResult {
                    tool_call_id,
                    tool_name: name,
                    result,
                    is_error,
                    duration_ms,
                    detail,
                };
                self.whole(body, now);
            }
            StreamEvent::File { url, media_type } => {
                self.whole(EventBody::File { url, media_type }, now);
            }
            StreamEvent::TodoCreate { todos } | StreamEvent::TodoUpdate { todos } => {
                for todo in todos {
                    self.say(SideBlock::Processing, &todo.to_string(), now);
                }
            }
            StreamEvent::TodoDone { todo } => {
                self.say(SideBlock::Processing, &todo.to_string(), now);
            }
            StreamEvent::SubagentStart { name, task, .. } => {
                self.say(SideBlock::Thinking, &format!("{name}: {task}"), now);
            }
            StreamEvent::SubagentEnd { name, summary, .. } => {
                self.ended_helpers += 1;
                self.say(SideBlock::Thinking, &format!("{name}: {summary}"), now);
            }
            StreamEvent::Usage { usage, .. } => self.usage = Some(Used::told(usage)),
            // What an agent counted itself; the log has its own times and prices.
            StreamEvent::Result { .. } => {}
            StreamEvent::Error { error } => {
                self.failure.get_or_insert(error);
            }
            StreamEvent::Done { stop_reason } => {
                self.done = Some(stop_reason.unwrap_or(StopReason::EndTurn));
            }
            StreamEvent::Raw { value } => {
                if let Some(body) = self.raw.take(value) {
                    self.pending_raw += 1;
                    self.push(body, None, now);
                }
            }
        }
    }

    fn start(&mut self, id: Option<BlockId>, kind: Kind, now: Timestamp) {
        if id.is_some() {
            self.finish_aside(now);
        }
        let index = self.take_index();
        self.places.extend(id.map(|id| (id, index)));
        self.open.insert(OpenBlock {
            id,
            index,
            started: now,
            content: String::new(),
            kind,
        });
    }

    /// The source gave the call up half way. It may begin the same call anew; what has been
    /// shown of it stays, as a block that nobody runs, if it does not.
    fn give_up(&mut self, id: BlockId) {
        self.open.give_up(id);
    }

    fn start_again(&mut self, id: BlockId, again: &str) {
        if let Some(block) = self.open.start_again(id, again) {
            block.content.clear();
        }
    }

    fn take_index(&mut self) -> u32 {
        let index = self.next_index;
        self.next_index += 1;
        index
    }

    fn grow(&mut self, id: Option<BlockId>, text: &str, now: Timestamp) {
        let block = match id {
            Some(id) => self.open.named(id),
            None => self.open.aside(),
        };
        let Some(block) = block else {
            return;
        };
        if text.is_empty() {
            return;
        }
        block.content.push_str(text);
        let content = text.to_owned();
        let body = match &block.kind {
            Kind::Text { .. } => EventBody::MessageChunk {
                content,
                citations: Vec::new(),
            },
            Kind::Thinking => EventBody::ThinkingChunk { content },
            Kind::Processing => EventBody::ProcessingChunk { content },
            Kind::Tool {
                tool_call_id,
                tool_name,
                executed_by,
                ..
            } => EventBody::ToolUseChunk {
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                executed_by: *executed_by,
                content,
            },
        };
        let index = block.index;
        self.first_chunk.get_or_insert(now);
        self.push(body, Some(index), now);
    }

    /// A citation is shown with the piece of text it comes with, and kept with the block.
    fn cite(&mut self, id: BlockId, citation: Citation, now: Timestamp) {
        let Some(block) = self.open.named(id) else {
            return;
        };
        if let Kind::Text { citations } = &mut block.kind {
            citations.push(citation.clone());
            let index = block.index;
            let body = EventBody::MessageChunk {
                content: String::new(),
                citations: vec![citation],
            };
            self.push(body, Some(index), now);
        }
    }

    /// One line aside, in a block of its kind. Another kind begins another block.
    fn say(&mut self, aside: SideBlock, line: &str, now: Timestamp) {
        let kind = match aside {
            SideBlock::Processing => Kind::Processing,
            SideBlock::Thinking => Kind::Thinking,
        };
        let goes_on = self.open.aside().is_some_and(|block| {
            std::mem::discriminant(&block.kind) == std::mem::discriminant(&kind)
        });
        if !goes_on {
            self.finish_aside(now);
            self.start(None, kind, now);
        }
        self.grow(None, &format!("{line}\n"), now);
    }

    fn finish_aside(&mut self, now: Timestamp) {
        if let Some(block) = self.open.take_aside() {
            self.push_finished(block, Finish::default(), now);
        }
    }

    fn finish(&mut self, id: BlockId, finish: Finish, now: Timestamp) {
        if let Some(block) = self.open.take(id) {
            self.push_finished(block, finish, now);
        }
    }

    fn push_finished(&mut self, block: OpenBlock, finish: Finish, now: Timestamp) {
        let OpenBlock {
            index,
            started,
            content,
            kind,
            ..
        } = block;
        let duration_ms = millis_between(started, now);
        let body = match kind {
            Kind::Text { citations } => {
                if content.is_empty() && citations.is_empty() {
                    return;
                }
                EventBody::Message {
                    content,
                    citations,
                    signature: finish.signature,
                    detail: finish.detail,
                }
            }
            Kind::Thinking => {
                let is_sealed = finish.signature.is_some()
                    || finish.redacted.is_some()
                    || finish.detail.is_some();
                if content.is_empty() && !is_sealed {
                    return;
                }
                EventBody::Thinking {
                    content,
                    signature: finish.signature,
                    redacted: finish.redacted,
                    duration_ms,
                    detail: finish.detail,
                }
            }
            Kind::Processing => EventBody::Processing {
                content,
                duration_ms,
            },
            Kind::Tool {
                tool_call_id,
                tool_name,
                executed_by,
                detail,
            } => {
                // The first of two calls with one id is the one that is answered.
                self.asked.entry(tool_call_id.clone()).or_insert(now);
                let whole = finish.input;
                if let (ExecutedBy::Weir, Some(input)) = (executed_by, &whole) {
                    self.calls.push(Call {
                        id: tool_call_id.clone(),
                        name: tool_name.clone(),
                        input: input.clone(),
                        stored: input.clone(),
                        originals: Vec::new(),
                    });
                }
                let input = whole.unwrap_or_else(|| parse_input(content));
                EventBody::ToolUse {
                    tool_call_id,
                    tool_name,
                    input,
                    executed_by,
                    signature: finish.signature,
                    detail,
                }
            }
        };
        self.push(body, Some(index), now);
    }

    /// A block that came in one piece.
    fn whole(&mut self, body: EventBody, now: Timestamp) {
        self.finish_aside(now);
        let index = self.take_index();
        self.push(body, Some(index), now);
    }

    fn since_asked(&self, tool_call_id: &str, now: Timestamp) -> u64 {
        let asked = self.asked.get(tool_call_id);
        asked.map_or(0, |at| millis_between(*at, now))
    }

    /// A chunk grows into the one of its block that nobody has saved yet, so that a save has at
    /// most one chunk a block, however finely the source cut them.
    fn push(&mut self, body: EventBody, block_index: Option<u32>, now: Timestamp) {
        if let Some(index) = block_index.filter(|_| body.is_chunk()) {
            let next = self.pending.len();
            let at = *self.pending_chunks.entry(index).or_insert(next);
            if let Some(before) = self.pending.get_mut(at)
                && before.body.absorb(&body)
            {
                return;
            }
        }
        let mut event = self.id.event(body, now);
        event.block_index = block_index;
        event.message_id.clone_from(&self.message_id);
        self.pending.push(event);
    }
}

/// Where a line goes that belongs to no block of the source's: what an agent does beside
/// its answer, and what its helpers think.
#[derive(Clone, Copy)]
enum SideBlock {
    Processing,
    Thinking,
}

/// What only the end of a block tells.
#[derive(Default)]
struct Finish {
    signature: Option<String>,
    redacted: Option<String>,
    detail: Option<Value>,
    input: Option<Value>,
}

/// The input of a tool call that was cut off: what parses, else the text as it came.
fn parse_input(content: String) -> Value {
    serde_json::from_str(&content).unwrap_or(Value::String(content))
}

fn millis_between(from: Timestamp, to: Timestamp) -> u64 {
    u64::try_from(to.duration_since(from).as_millis()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
