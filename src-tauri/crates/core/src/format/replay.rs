//! Events back to stream events, so that what is live and what is stored can be written in any
//! format that is written from a source.
//!
//! Owns which blocks are open. A live turn tells a block in chunks and then whole; a stored one
//! tells it whole only: both come to the same stream. Block ids count through all turns, and a
//! tool call whose id an earlier turn had already gets one of its own. Pure; the cost of a chunk
//! is its own length.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use weir_protocol::{BlockId, Citation, Event, EventBody, ExecutedBy, StreamEvent, Usage};

#[derive(Default)]
pub struct Replay {
    turn: Option<Uuid>,
    turns: u64,
    message_id: Option<String>,
    /// The next thing that the model says begins a step.
    is_step_due: bool,
    next_block: BlockId,
    /// The blocks of the turn that are open, by their place in it.
    open: HashMap<u32, Open>,
    /// The calls of the turn, by the ids that the source gave them.
    calls: HashMap<String, String>,
    /// The ids that have been used.
    taken: HashSet<String>,
    used: Usage,
    cost: Option<f64>,
}

struct Open {
    id: BlockId,
    /// How much of it has been said.
    bytes: usize,
    citations: usize,
    /// The start of a line of progress whose end has not come.
    line: String,
}

impl Replay {
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends to `out` what the event says.
    pub fn push(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        self.follow_turn(event, out);
        match &event.body {
            EventBody::MessageChunk { content, citations } => {
                let id = self.text(event, out);
                self.grow_text(event, id, content, out);
                self.cite(event, id, citations, out);
            }
            EventBody::Message {
                content,
                citations,
                signature,
                detail,
            } => {
                let id = self.text(event, out);
                self.grow_text(event, id, self.rest(event, content), out);
                let told = self.open_block(event).map_or(0, |open| open.citations);
                self.cite(event, id, citations.get(told..).unwrap_or_default(), out);
                self.close(event);
                out.push(StreamEvent::TextEnd {
                    id,
                    signature: signature.clone(),
                    detail: detail.clone(),
                });
            }
            EventBody::ThinkingChunk { content } => {
                let id = self.thinking(event, out);
                self.grow_thinking(event, id, content, out);
            }
            EventBody::Thinking {
                content,
                signature,
                redacted,
                detail,
                ..
            } => {
                let id = self.thinking(event, out);
                self.grow_thinking(event, id, self.rest(event, content), out);
                self.close(event);
                out.push(StreamEvent::ThinkingEnd {
                    id,
                    signature: signature.clone(),
                    redacted: redacted.clone(),
                    detail: detail.clone(),
                });
            }
            EventBody::ToolUseChunk {
                tool_call_id,
                tool_name,
                executed_by,
                content,
            } => {
                let id = self.call(event, (tool_call_id, tool_name, *executed_by), None, out);
                let json = content.clone();
                out.push(StreamEvent::ToolUseDelta { id, json });
            }
            EventBody::ToolUse {
                tool_call_id,
                tool_name,
                input,
                executed_by,
                signature,
                detail,
            } => {
                let call = (tool_call_id.as_str(), tool_name.as_str(), *executed_by);
                let id = self.call(event, call, detail.clone(), out);
                self.close(event);
                out.push(StreamEvent::ToolUseEnd {
                    id,
                    input: input.clone(),
                    signature: signature.clone(),
                });
            }
            EventBody::ToolResult {
                tool_call_id,
                tool_name,
                result,
                is_error,
                detail,
                ..
            } => out.push(StreamEvent::ToolResult {
                tool_call_id: self.call_id(tool_call_id),
                name: tool_name.clone(),
                result: result.clone(),
                is_error: *is_error,
                detail: detail.clone(),
            }),
            EventBody::File { url, media_type } => {
                self.enter_step(event, out);
                out.push(StreamEvent::File {
                    url: url.clone(),
                    media_type: media_type.clone(),
                });
            }
            EventBody::ProcessingChunk { content } => self.report(event, content, out),
            EventBody::Processing { content, .. } => {
                let rest = self.rest(event, content).to_owned();
                self.report(event, &rest, out);
                if let Some(open) = self.close(event) {
                    out.extend(status(&open.line));
                }
            }
            EventBody::Retry { error, .. } => out.extend(status(&error.message)),
            EventBody::Compaction { .. } => {
                out.extend(status("The conversation was shortened for the model."));
            }
            EventBody::Raw { value, .. } => out.push(StreamEvent::Raw {
                value: value.clone(),
            }),
            EventBody::Usage { usage, cost, .. } => {
                self.used.add(usage);
                if let Some(cost) = cost {
                    *self.cost.get_or_insert(0.0) += cost;
                }
                self.is_step_due = true;
                out.push(StreamEvent::Usage {
                    usage: self.used.clone(),
                    is_total: true,
                });
            }
            EventBody::Complete { stop_reason, .. } => {
                self.tell_result(event, out);
                out.push(StreamEvent::Done {
                    stop_reason: Some(*stop_reason),
                });
            }
            EventBody::Error { error } => {
                self.tell_result(event, out);
                let error = error.clone();
                out.push(StreamEvent::Error { error });
            }
            EventBody::SessionStart { .. }
            | EventBody::UserMessage { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::PermissionRequest { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::GuardrailsTriggered { .. }
            | EventBody::OutputGuardrailsTriggered { .. }
            | EventBody::Hook { .. }
            | EventBody::Budget { .. }
            | EventBody::Memories { .. } => {}
        }
    }

    fn follow_turn(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        if event.turn_id.is_none() || event.turn_id == self.turn {
            return;
        }
        let is_first = self.turn.is_none();
        self.turn = event.turn_id;
        self.turns += 1;
        self.message_id = None;
        self.open.clear();
        self.calls.clear();
        self.is_step_due = !is_first;
        if is_first {
            out.push(StreamEvent::Start {
                message_id: self.turn.map(|turn| turn.to_string()),
                model: model(&event.body),
            });
        }
    }

    /// Before anything that the model says.
    fn enter_step(&mut self, event: &Event, out: &mut Vec<StreamEvent>) {
        let is_other = |known: &String| event.message_id.as_ref().is_some_and(|it| it != known);
        let is_due = self.is_step_due || self.message_id.as_ref().is_some_and(is_other);
        if event.message_id.is_some() {
            self.message_id.clone_from(&event.message_id);
        }
        if is_due {
            self.is_step_due = false;
            out.push(StreamEvent::Start {
                message_id: event.message_id.clone(),
                model: None,
            });
        }
    }

    fn text(&mut self, event: &Event, out: &mut Vec<StreamEvent>) -> BlockId {
        let (id, is_new) = self.block(event, out);
        if is_new {
            out.push(StreamEvent::TextStart { id });
        }
        id
    }

    fn thinking(&mut self, event: &Event, out: &mut Vec<StreamEvent>) -> BlockId {
        let (id, is_new) = self.block(event, out);
        if is_new {
            out.push(StreamEvent::ThinkingStart { id });
        }
        id
    }

    fn call(
        &mut self,
        event: &Event,
        (id, name, executed_by): (&str, &str, ExecutedBy),
        detail: Option<serde_json::Value>,
        out: &mut Vec<StreamEvent>,
    ) -> BlockId {
        let (block, is_new) = self.block(event, out);
        if is_new {
            out.push(StreamEvent::ToolUseStart {
                id: block,
                tool_call_id: self.call_id(id),
                name: name.to_owned(),
                executed_by,
                detail,
            });
        }
        block
    }

    /// The block that the event belongs to, and whether it begins here.
    fn block(&mut self, event: &Event, out: &mut Vec<StreamEvent>) -> (BlockId, bool) {
        if let Some(open) = self.open_block(event) {
            return (open.id, false);
        }
        self.enter_step(event, out);
        let id = self.next_block;
        self.next_block = self.next_block.wrapping_add(1);
        let open = Open {
            id,
            bytes: 0,
            citations: 0,
            line: String::new(),
        };
        self.open.insert(place(event), open);
        (id, true)
    }

    fn open_block(&mut self, event: &Event) -> Option<&mut Open> {
        self.open.get_mut(&place(event))
    }

    fn close(&mut self, event: &Event) -> Option<Open> {
        self.open.remove(&place(event))
    }

    /// What of a whole block its chunks have not said.
    fn rest<'a>(&self, event: &Event, content: &'a str) -> &'a str {
        let said = self.open.get(&place(event)).map_or(0, |open| open.bytes);
        content.get(said..).unwrap_or_default()
    }

    fn said(&mut self, event: &Event, bytes: usize) {
        if let Some(open) = self.open_block(event) {
            open.bytes += bytes;
        }
    }

    fn grow_text(&mut self, event: &Event, id: BlockId, text: &str, out: &mut Vec<StreamEvent>) {
        if !text.is_empty() {
            self.said(event, text.len());
            let text = text.to_owned();
            out.push(StreamEvent::TextDelta { id, text });
        }
    }

    fn grow_thinking(
        &mut self,
        event: &Event,
        id: BlockId,
        text: &str,
        out: &mut Vec<StreamEvent>,
    ) {
        if !text.is_empty() {
            self.said(event, text.len());
            let text = text.to_owned();
            out.push(StreamEvent::ThinkingDelta { id, text });
        }
    }

    fn cite(
        &mut self,
        event: &Event,
        id: BlockId,
        citations: &[Citation],
        out: &mut Vec<StreamEvent>,
    ) {
        if let Some(open) = self.open_block(event) {
            open.citations += citations.len();
        }
        let told = citations.iter().cloned();
        out.extend(told.map(|citation| StreamEvent::Citation { id, citation }));
    }

    fn report(&mut self, event: &Event, text: &str, out: &mut Vec<StreamEvent>) {
        self.block(event, out);
        self.said(event, text.len());
        let Some(open) = self.open_block(event) else {
            return;
        };
        for piece in text.split_inclusive('\n') {
            open.line.push_str(piece);
            if piece.ends_with('\n') {
                out.extend(status(&std::mem::take(&mut open.line)));
            }
        }
    }

    /// The call's id in the whole stream.
    fn call_id(&mut self, id: &str) -> String {
        if let Some(own) = self.calls.get(id) {
            return own.clone();
        }
        let mut own = id.to_owned();
        while !self.taken.insert(own.clone()) {
            own = format!("{own}_{}", self.turns);
        }
        self.calls.insert(id.to_owned(), own.clone());
        own
    }

    fn tell_result(&self, event: &Event, out: &mut Vec<StreamEvent>) {
        out.push(StreamEvent::Result {
            session_id: Some(event.session_id.to_string()),
            duration_ms: None,
            turns: Some(self.turns),
            cost: self.cost,
        });
    }
}

/// What belongs to no block is one by itself.
fn place(event: &Event) -> u32 {
    event.block_index.unwrap_or(u32::MAX)
}

fn model(body: &EventBody) -> Option<String> {
    if let EventBody::UserMessage { model, .. } = body {
        Some(model.clone())
    } else {
        None
    }
}

fn status(line: &str) -> Option<StreamEvent> {
    let message = line.trim_end_matches('\n').to_owned();
    (!message.is_empty()).then_some(StreamEvent::Status { message })
}
