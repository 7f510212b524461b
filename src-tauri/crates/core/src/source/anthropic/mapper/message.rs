//! Anthropic's messages, event by event.
//!
//! Owns what each event of a message means. Must not know what a message is to its stream:
//! the Messages API sends one and is done, an agent sends one after another. So the end of a
//! message and its error are handed back, and whoever reads the stream says what they mean.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{BlockId, Citation, ErrorBody, ExecutedBy, StopReason, StreamEvent, Usage};

use super::usage::UsageSoFar;
use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;
use crate::source::dialect::{Found, Known, OpenBlocks, ToolUse};
use crate::source::fault::Reported;

/// What a frame is, and all of it if it is a delta.
#[derive(Default, Deserialize)]
pub(crate) struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    pub(crate) kind: Cow<'a, str>,
    #[serde(default)]
    pub(crate) index: u64,
    #[serde(borrow, default)]
    pub(crate) delta: Delta<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(borrow)]
    thinking: Cow<'a, str>,
    #[serde(borrow)]
    signature: Cow<'a, str>,
    #[serde(borrow)]
    partial_json: Cow<'a, str>,
}

impl Delta<'_> {
    pub(crate) fn signs(&self) -> bool {
        self.kind == "signature_delta"
    }
}

/// Who sends the messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    /// A model: one message. Another one means that the first was lost.
    Model,
    /// An agent: many messages, whose usage adds up. It runs its tools itself.
    Agent,
}

/// What an event came to.
#[derive(Debug)]
pub(crate) enum EventOutcome {
    Known,
    Unknown,
    /// The message is over.
    Stopped,
    Failed(ErrorBody),
}

impl From<Known> for EventOutcome {
    fn from(known: Known) -> Self {
        match known {
            Known::Yes => Self::Known,
            Known::No => Self::Unknown,
        }
    }
}

pub(crate) struct MessageReader {
    pub(crate) blocks: OpenBlocks<u64>,
    sender: Sender,
    usage: UsageSoFar,
    has_begun: bool,
    message_id: Option<String>,
    stop_reason: Option<StopReason>,
    /// Names of the tools, by call: a result repeats only the id.
    tool_names: HashMap<String, String>,
    /// The calls of the message at hand.
    calls: HashMap<BlockId, String>,
    /// Where each call of a model stood.
    places: HashMap<String, u64>,
    made_ids: u64,
    /// What tells ids that are made here from those made elsewhere in the stream.
    pub(crate) id_prefix: String,
}

impl MessageReader {
    pub(crate) fn new(sender: Sender) -> Self {
        Self {
            blocks: OpenBlocks::default(),
            sender,
            usage: UsageSoFar::default(),
            has_begun: false,
            message_id: None,
            stop_reason: None,
            tool_names: HashMap::new(),
            calls: HashMap::new(),
            places: HashMap::new(),
            made_ids: 0,
            id_prefix: String::new(),
        }
    }

    pub(crate) fn message_id(&self) -> Option<&str> {
        self.message_id.as_deref()
    }

    pub(crate) fn stop_reason(&self) -> Option<StopReason> {
        self.stop_reason
    }

    /// The tool that a call asked for; `None` for a call that never was.
    pub(crate) fn tool_name(&self, tool_call_id: &str) -> Option<&str> {
        self.tool_names.get(tool_call_id).map(String::as_str)
    }

    /// An id for a call that came without one.
    pub(crate) fn make_id(&mut self) -> String {
        loop {
            let id = format!("{}call_{}", self.id_prefix, self.made_ids);
            self.made_ids += 1;
            if self.tool_name(&id).is_none() {
                return id;
            }
        }
    }

    /// All that was used so far, as its source added it up. What follows adds to it.
    pub(crate) fn set_usage(&mut self, total: Usage) {
        self.usage = UsageSoFar::after(total);
    }

    /// The events that are nearly all of a stream.
    pub(crate) fn map_frequent(
        &mut self,
        envelope: Envelope<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        match &*envelope.kind {
            "content_block_delta" => self.map_delta(envelope.index, envelope.delta, out),
            "content_block_stop" => {
                self.blocks.close(&envelope.index, out);
                Known::Yes
            }
            "ping" => Known::Yes,
            _ => Known::No,
        }
    }

    /// Any event.
    pub(crate) fn map_value(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> EventOutcome {
        let index = value["index"].as_u64().unwrap_or_default();
        match text(value, "type") {
            "message_start" => self.start_message(&value["message"], out).into(),
            "content_block_start" => self.start_block(index, &value["content_block"], out).into(),
            "content_block_delta" => self.map_rare_delta(index, &value["delta"], out).into(),
            "content_block_stop" => {
                self.blocks.close(&index, out);
                EventOutcome::Known
            }
            "message_delta" => self.change_message(value, out).into(),
            "message_stop" => {
                self.blocks.close_all(out);
                EventOutcome::Stopped
            }
            "ping" => EventOutcome::Known,
            "error" => self.fail(value, out),
            // Gateways send the error alone.
            "" if !value["error"].is_null() => self.fail(value, out),
            _ => EventOutcome::Unknown,
        }
    }

    /// What stands at the head of a message: its id, its model and what it has used. The same
    /// message announced twice is announced once.
    pub(crate) fn begin(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let message_id = some_text(message, "id");
        if !(self.has_begun && message_id == self.message_id) {
            self.give_up(out);
            match self.sender {
                Sender::Model => self.usage = UsageSoFar::default(),
                Sender::Agent => self.usage.next(),
            }
            self.stop_reason = None;
            self.has_begun = true;
            self.message_id.clone_from(&message_id);
            // What an agent says in its model's place is no model's.
            let model = some_text(message, "model").filter(|model| model != "<synthetic>");
            out.push(StreamEvent::Start { message_id, model });
        }
        self.report_usage(&message["usage"], out);
        self.learn_stop_reason(&message["stop_reason"])
    }

    pub(crate) fn start_block(
        &mut self,
        index: u64,
        block: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        match text(block, "type") {
            // Whatever the block before it was, it is not this one's to grow.
            "text" | "thinking" if is_odd(block) => {
                self.blocks.close(&index, out);
                return Known::No;
            }
            "text" => {
                self.blocks.start_text(index, out);
                self.blocks.add_text(index, text(block, "text").into(), out);
                for citation in items(&block["citations"]) {
                    self.cite(index, citation, out);
                }
            }
            "thinking" => {
                self.blocks.start_thinking(index, out);
                let thinking = text(block, "thinking");
                self.blocks.add_thinking(index, thinking.into(), out);
                let signature = text(block, "signature");
                self.blocks.sign_thinking(index, signature, out);
            }
            "redacted_thinking" => {
                self.blocks.start_thinking(index, out);
                let sealed = text(block, "data").to_owned();
                self.blocks.redact_thinking(&index, sealed);
            }
            // An agent may print a call again; it asks for it once.
            kind if kind.ends_with("tool_use") && self.is_repeated(block) => {
                self.blocks.close(&index, out);
            }
            "tool_use" => {
                let executed_by = match self.sender {
                    Sender::Model => ExecutedBy::Weir,
                    Sender::Agent => ExecutedBy::Source,
                };
                self.start_tool_use(index, tool_use(block, executed_by), out);
            }
            // `server_tool_use`, `mcp_tool_use` and those to come.
            kind if kind.ends_with("_tool_use") => {
                let call = ToolUse {
                    detail: Some(detail(block)),
                    ..tool_use(block, ExecutedBy::Source)
                };
                self.start_tool_use(index, call, out);
            }
            kind => {
                let Some(tool) = kind.strip_suffix("_tool_result") else {
                    self.blocks.close(&index, out);
                    return Known::No;
                };
                self.take_result(tool, block, out);
            }
        }
        Known::Yes
    }

    /// Opens a call, and remembers it.
    pub(crate) fn start_tool_use(
        &mut self,
        index: u64,
        mut call: ToolUse,
        out: &mut Vec<StreamEvent>,
    ) {
        if call.tool_call_id.is_empty() || self.is_taken(index, &call) {
            call.tool_call_id = self.make_id();
        }
        if self.sender == Sender::Model {
            self.places.insert(call.tool_call_id.clone(), index);
        }
        let tool_call_id = call.tool_call_id.clone();
        self.tool_names
            .insert(tool_call_id.clone(), call.name.clone());
        let id = self.blocks.start_tool_use(index, call, out);
        self.calls.insert(id, tool_call_id);
    }

    fn start_message(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if !message.is_object() {
            return Known::No;
        }
        let mut known = self.begin(message, out);
        for (index, block) in (0..).zip(items(&message["content"])) {
            if self.start_block(index, block, out) == Known::No {
                known = Known::No;
            }
            self.blocks.close(&index, out);
        }
        known
    }

    fn map_delta(&mut self, index: u64, delta: Delta<'_>, out: &mut Vec<StreamEvent>) -> Known {
        match &*delta.kind {
            "text_delta" => self.blocks.add_text(index, delta.text, out),
            "thinking_delta" => self.blocks.add_thinking(index, delta.thinking, out),
            "signature_delta" => self.blocks.sign_thinking(index, &delta.signature, out),
            "input_json_delta" => {
                return match self.blocks.add_input(&index, delta.partial_json, out) {
                    Found::There => Known::Yes,
                    Found::Missing => Known::No,
                };
            }
            _ => return Known::No,
        }
        Known::Yes
    }

    /// Whether another call of the model goes by this id. The same tool in the same place is
    /// the same call, told again.
    fn is_taken(&self, index: u64, call: &ToolUse) -> bool {
        let id = &call.tool_call_id;
        let is_same = || {
            let name = self.tool_name(id).is_some_and(|name| name == call.name);
            name && self.places.get(id) == Some(&index)
        };
        self.sender == Sender::Model && self.tool_names.contains_key(id) && !is_same()
    }

    fn is_repeated(&self, block: &Value) -> bool {
        let id = text(block, "id");
        self.sender == Sender::Agent && !id.is_empty() && self.tool_name(id).is_some()
    }

    /// What is still open was never said to the end: nobody asked for the calls in it.
    fn give_up(&mut self, out: &mut Vec<StreamEvent>) {
        let from = out.len();
        self.blocks.abandon_all(out);
        let calls = std::mem::take(&mut self.calls);
        for event in &out[from..] {
            if let StreamEvent::ToolUseEnd { id, .. } = event
                && let Some(call) = calls.get(id)
            {
                self.tool_names.remove(call);
            }
        }
    }

    fn take_result(&mut self, tool: &str, block: &Value, out: &mut Vec<StreamEvent>) {
        let tool_call_id = text(block, "tool_use_id").to_owned();
        let content = &block["content"];
        // A result may answer a call of an earlier message; then its own type names the tool.
        let name = self.tool_names.get(&tool_call_id);
        out.push(StreamEvent::ToolResult {
            name: name.map_or(tool, String::as_str).to_owned(),
            tool_call_id,
            result: content.clone(),
            is_error: block["is_error"].as_bool().unwrap_or_default()
                || text(content, "type").ends_with("_error"),
            detail: Some(detail(block)),
        });
    }

    fn map_rare_delta(&mut self, index: u64, delta: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match text(delta, "type") {
            "citations_delta" if delta["citation"].is_object() => {
                self.cite(index, &delta["citation"], out);
                Known::Yes
            }
            _ if is_odd(delta) => Known::No,
            // A frequent delta in a shape the borrowed types refuse, such as a key twice.
            kind => self.map_delta(
                index,
                Delta {
                    kind: kind.into(),
                    text: text(delta, "text").into(),
                    thinking: text(delta, "thinking").into(),
                    signature: text(delta, "signature").into(),
                    partial_json: text(delta, "partial_json").into(),
                },
                out,
            ),
        }
    }

    fn cite(&mut self, index: u64, raw: &Value, out: &mut Vec<StreamEvent>) {
        let id = self.blocks.text_id(index, out);
        let citation = Citation {
            url: some_text(raw, "url").or_else(|| link(raw)),
            title: some_text(raw, "title").or_else(|| some_text(raw, "document_title")),
            cited_text: some_text(raw, "cited_text"),
            relevance: score::relevance(raw),
            confidence: score::confidence(raw),
            raw: raw.clone(),
        };
        out.push(StreamEvent::Citation { id, citation });
    }

    fn change_message(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.report_usage(&value["usage"], out);
        let delta = &value["delta"];
        // Why a source refused is said here and nowhere else.
        if let Some(message) = some_text(&delta["stop_details"], "explanation") {
            out.push(StreamEvent::Status { message });
        }
        self.learn_stop_reason(&delta["stop_reason"])
    }

    fn report_usage(&mut self, reported: &Value, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = self.usage.learn(reported) {
            let is_total = false;
            out.push(StreamEvent::Usage { usage, is_total });
        }
    }

    fn learn_stop_reason(&mut self, reported: &Value) -> Known {
        let Some(word) = reported.as_str() else {
            return Known::Yes;
        };
        self.stop_reason = stop_reason(word);
        match self.stop_reason {
            Some(_) => Known::Yes,
            None => Known::No,
        }
    }

    fn fail(&mut self, event: &Value, out: &mut Vec<StreamEvent>) -> EventOutcome {
        self.blocks.close_all(out);
        EventOutcome::Failed(error_body(event))
    }
}

pub(crate) fn stop_reason(word: &str) -> Option<StopReason> {
    match word {
        "end_turn" => Some(StopReason::EndTurn),
        "max_tokens" | "model_context_window_exceeded" => Some(StopReason::MaxTokens),
        "stop_sequence" => Some(StopReason::StopSequence),
        "tool_use" => Some(StopReason::ToolUse),
        "pause_turn" => Some(StopReason::PauseTurn),
        "refusal" => Some(StopReason::Refusal),
        _ => None,
    }
}

/// Whether something other than text stands where words should.
fn is_odd(words: &Value) -> bool {
    let fields = ["text", "thinking", "signature", "partial_json"].map(|field| &words[field]);
    !fields
        .iter()
        .all(|field| field.is_string() || field.is_null())
}

fn tool_use(block: &Value, executed_by: ExecutedBy) -> ToolUse {
    ToolUse {
        tool_call_id: text(block, "id").to_owned(),
        name: text(block, "name").to_owned(),
        executed_by,
        input: block["input"].clone(),
        detail: None,
    }
}

/// What a block of a tool says beside its call, its input and its content.
fn detail(block: &Value) -> Value {
    const ELSEWHERE: [&str; 6] = ["id", "name", "input", "tool_use_id", "content", "is_error"];
    let mut detail = block.clone();
    if let Value::Object(fields) = &mut detail {
        fields.retain(|field, _| !ELSEWHERE.contains(&field.as_str()));
    }
    detail
}

/// An error stands in a field of its own, as an object or a sentence, or fills the event.
fn error_body(event: &Value) -> ErrorBody {
    let own = &event["error"];
    let error = if own.is_null() { event } else { own };
    let message = some_text(error, "message").or_else(|| error.as_str().map(str::to_owned));
    Reported::new(message.unwrap_or_else(|| error.to_string()))
        .with_fields(error)
        .body()
}

/// The `source` of a search result the user gave is a link or any name of their own.
fn link(citation: &Value) -> Option<String> {
    some_text(citation, "source").filter(|source| source.starts_with("http"))
}
