//! A helper's messages, told beside the answer of the agent that sent it out.
//!
//! Owns the law that a helper's words are never the answer's: they become status lines, each
//! block one. Its calls are calls, with the call that sent it out as their detail; what it
//! used is part of no answer.

use std::collections::HashMap;

use serde_json::{Value, json};
use weir_protocol::{BlockId, StreamEvent};

use super::lane::Lane;
use crate::source::anthropic::mapper::message::MessageReader;
use crate::source::dialect::ToolUse;

/// Where a helper's calls are opened and closed among the blocks of the answer.
const CALLS: u64 = u64::MAX - 1;

#[derive(Default)]
pub(super) struct Helper {
    pub(super) lane: Lane,
    words: Vec<(BlockId, String)>,
    calls: Vec<(BlockId, ToolUse)>,
}

/// Whom a helper belongs to.
pub(super) struct Parent<'a> {
    /// The call that sent it out.
    pub(super) tool_call_id: &'a str,
    /// What it is called, where that is known.
    pub(super) name: Option<&'a str>,
    pub(super) reader: &'a mut MessageReader,
}

impl Helper {
    /// The helper that this call sent out.
    pub(super) fn of<'a>(
        helpers: &'a mut HashMap<String, Self>,
        tool_call_id: &str,
    ) -> &'a mut Self {
        helpers.entry(tool_call_id.to_owned()).or_insert_with(|| {
            let mut helper = Self::default();
            helper.lane.reader.id_prefix = format!("{tool_call_id}/");
            helper
        })
    }

    /// Tells what its lane said.
    pub(super) fn tell(
        &mut self,
        said: Vec<StreamEvent>,
        parent: &mut Parent<'_>,
        out: &mut Vec<StreamEvent>,
    ) {
        for event in said {
            self.tell_one(event, parent, out);
        }
    }

    fn tell_one(
        &mut self,
        event: StreamEvent,
        parent: &mut Parent<'_>,
        out: &mut Vec<StreamEvent>,
    ) {
        match event {
            StreamEvent::TextStart { id } | StreamEvent::ThinkingStart { id } => {
                self.words.push((id, String::new()));
            }
            StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text } => {
                if let Some((_, words)) = self.words.iter_mut().find(|(block, _)| *block == id) {
                    words.push_str(&text);
                }
            }
            StreamEvent::TextEnd { id, .. } | StreamEvent::ThinkingEnd { id, .. } => {
                if let Some(at) = self.words.iter().position(|(block, _)| *block == id) {
                    let (_, words) = self.words.remove(at);
                    out.extend(parent.line(&words));
                }
            }
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                executed_by,
                ..
            } => {
                let call = ToolUse {
                    tool_call_id,
                    name,
                    executed_by,
                    input: Value::Null,
                    detail: Some(parent.detail()),
                };
                self.calls.push((id, call));
            }
            StreamEvent::ToolUseEnd { id, input, .. } => {
                if let Some(at) = self.calls.iter().position(|(block, _)| *block == id) {
                    let (_, call) = self.calls.remove(at);
                    // Given up half way, nobody asked for it.
                    if !input.is_null() {
                        parent.ask(ToolUse { input, ..call }, out);
                    }
                }
            }
            StreamEvent::ToolResult {
                tool_call_id,
                name,
                result,
                is_error,
                ..
            } => out.push(StreamEvent::ToolResult {
                tool_call_id,
                name,
                result,
                is_error,
                detail: Some(parent.detail()),
            }),
            StreamEvent::Status { message } => out.extend(parent.line(&message)),
            StreamEvent::Error { error } => out.extend(parent.line(&error.message)),
            StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Raw { .. } => out.push(event),
            StreamEvent::Start { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::Citation { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::Done { .. } => {}
        }
    }
}

impl Parent<'_> {
    fn ask(&mut self, call: ToolUse, out: &mut Vec<StreamEvent>) {
        if self.reader.tool_name(&call.tool_call_id).is_none() {
            self.reader.start_tool_use(CALLS, call, out);
            self.reader.blocks.close(&CALLS, out);
        }
    }

    fn line(&self, words: &str) -> Option<StreamEvent> {
        let words = words.trim_ascii();
        if words.is_empty() {
            return None;
        }
        let message = match self.name {
            Some(name) => format!("{name}: {words}"),
            None => words.to_owned(),
        };
        Some(StreamEvent::Status { message })
    }

    fn detail(&self) -> Value {
        json!({ "parent_tool_use_id": self.tool_call_id })
    }
}
