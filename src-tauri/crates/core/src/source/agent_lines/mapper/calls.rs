//! The calls of an agent's tools, and which result answers which.
//!
//! Owns the ids of calls: each counts once however often it is printed, one that came without
//! gets its own, and a result that names none answers the oldest call of its tool that waits.

use serde_json::{Map, Value};
use weir_protocol::{ExecutedBy, StreamEvent};

use super::fields::{self, any, first};
use crate::source::anthropic::mapper::message::MessageReader;
use crate::source::claude_code::mapper::waiting::Waiting;
use crate::source::dialect::{Found, ToolUse};

/// Where calls that came whole are opened and closed.
const WHOLE: u64 = u64::MAX - 1;
/// Where calls that only began are open: this and those below it.
const BEGUN: u64 = u64::MAX - 2;

#[derive(Default)]
pub(super) struct Calls {
    waiting: Waiting,
    /// Calls whose input is still to come, and where they are open.
    begun: Vec<(String, u64)>,
}

/// What a line says of a call.
pub(super) struct Call {
    pub(super) name: String,
    id: Option<String>,
    /// `null` when it is still to come.
    input: Value,
}

/// What a line says of a result.
pub(super) struct Reply {
    /// Empty when it does not say.
    pub(super) name: String,
    pub(super) result: Value,
    pub(super) is_error: bool,
    id: Option<String>,
}

const SEARCH: &str = "internet_search";
const IDS: [&str; 4] = ["tool_use_id", "tool_call_id", "call_id", "id"];
const NAMES: [&str; 3] = ["name", "tool_name", "tool"];

impl Call {
    pub(super) fn new(data: &Value) -> Self {
        // As OpenAI has it, the call is inside.
        let inner = Some(&data["function"]).filter(|inner| inner.is_object());
        let call = inner.unwrap_or(data);
        let input = any(call, &["input", "arguments", "args"]);
        Self {
            name: first(call, &NAMES).to_owned(),
            id: fields::id(data, &IDS),
            input: input.map_or(Value::Null, parsed),
        }
    }

    pub(super) fn search(data: &Value) -> Self {
        Self {
            name: SEARCH.to_owned(),
            id: fields::id(data, &IDS),
            input: without_id(data),
        }
    }
}

impl Reply {
    pub(super) fn new(data: &Value) -> Self {
        let result = any(data, &["content", "result", "output", "response", "error"]);
        Self {
            name: first(data, &NAMES).to_owned(),
            result: result.map_or_else(|| without_id(data), Value::clone),
            is_error: fields::is_error(data),
            id: fields::id(data, &IDS),
        }
    }

    pub(super) fn search(data: &Value) -> Self {
        Self {
            name: SEARCH.to_owned(),
            result: without_id(data),
            is_error: fields::is_error(data),
            id: fields::id(data, &IDS),
        }
    }
}

impl Calls {
    /// A call: opened, filled or, if it was printed before, passed over.
    pub(super) fn ask(
        &mut self,
        call: Call,
        message: &mut MessageReader,
        out: &mut Vec<StreamEvent>,
    ) {
        let id = call.id.unwrap_or_else(|| message.make_id());
        if message.tool_name(&id).is_some() {
            return self.fill(&id, &call.input, message, out);
        }
        let key = if call.input.is_null() {
            let last = self.begun.last().map(|(_, key)| *key);
            let key = last.map_or(BEGUN, |key| key.saturating_sub(1));
            self.begun.retain(|(begun, _)| *begun != id);
            self.begun.push((id.clone(), key));
            key
        } else {
            WHOLE
        };
        let call = ToolUse {
            tool_call_id: id,
            name: call.name,
            executed_by: ExecutedBy::Source,
            input: call.input,
            detail: None,
        };
        message.start_tool_use(key, call, out);
        message.blocks.close(&WHOLE, out);
    }

    /// A result: answers the id of its call, which ends if it was still open.
    pub(super) fn answer(
        &mut self,
        reply: &Reply,
        message: &mut MessageReader,
        out: &mut Vec<StreamEvent>,
    ) -> String {
        let id = reply.id.clone().or_else(|| self.oldest(reply, message));
        let id = id.unwrap_or_else(|| message.make_id());
        self.waiting.answer(&id);
        self.fill(&id, &Value::Null, message, out);
        id
    }

    /// Takes note of the calls among these events: they wait for a result.
    pub(super) fn note(&mut self, events: &[StreamEvent]) {
        for event in events {
            if let StreamEvent::ToolUseStart { tool_call_id, .. } = event {
                self.waiting.ask(tool_call_id);
            }
        }
    }

    /// The oldest call that waits, of the tool that the reply names if it names one.
    fn oldest(&self, reply: &Reply, message: &MessageReader) -> Option<String> {
        self.waiting.oldest(|id| match message.tool_name(id) {
            Some(name) => reply.name.is_empty() || reply.name == name,
            None => false,
        })
    }

    fn fill(
        &mut self,
        id: &str,
        input: &Value,
        message: &mut MessageReader,
        out: &mut Vec<StreamEvent>,
    ) {
        let Some(at) = self.begun.iter().position(|(begun, _)| begun == id) else {
            return;
        };
        let (_, key) = self.begun.remove(at);
        if !input.is_null() {
            let input = input.to_string();
            let (Found::There | Found::Missing) = message.blocks.add_input(&key, input.into(), out);
        }
        message.blocks.close(&key, out);
    }
}

/// An input that came as text, as the value it spells; the text itself if it spells none.
fn parsed(input: &Value) -> Value {
    match input.as_str() {
        Some("") => Value::Null,
        Some(spelled) => serde_json::from_str(spelled).unwrap_or_else(|_| input.clone()),
        None => input.clone(),
    }
}

/// All that a line says but its kind and which call it belongs to.
fn without_id(data: &Value) -> Value {
    match data {
        Value::Object(fields) => {
            let rest = fields.iter().filter(|(field, _)| {
                let field = field.as_str();
                field != "type" && !IDS.contains(&field)
            });
            let rest: Map<String, Value> = rest
                .map(|(field, value)| (field.clone(), value.clone()))
                .collect();
            Value::Object(rest)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            data.clone()
        }
    }
}
