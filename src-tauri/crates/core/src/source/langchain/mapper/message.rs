//! What a message of a model says, a piece of it or the whole.
//!
//! Owns the blocks that LangChain passes on as each provider names them, and its own.

use std::borrow::Cow;

use serde_json::Value;
use weir_protocol::{Citation, ExecutedBy, StopReason, StreamEvent};

use super::LangChainMapper;
use super::run::{Index, Key, Slot};
use super::tools::{self, Whose};
use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;
use crate::source::dialect::{Found, Known, ToolUse};
use crate::source::openai_chat::mapper::names;

/// A message without what it is wrapped in: its serialized form, a generation, a dictionary.
pub(super) fn unwrapped(value: &Value) -> &Value {
    let wraps = ["kwargs", "lc_kwargs", "message", "data"];
    let mut value = value;
    // Deeper than this nobody wraps.
    for _ in 0..4 {
        let inner = wraps.map(|field| &value[field]);
        match inner.into_iter().find(|inner| inner.is_object()) {
            Some(inner) if value["content"].is_null() => value = inner,
            Some(_) | None => return value,
        }
    }
    value
}

/// The message in the output of a model, which may be a list of lists of generations.
pub(super) fn of_output(output: &Value) -> &Value {
    let output = unwrapped(output);
    let first = &output["generations"][0];
    let generation = [&first[0], first].into_iter().find(|one| one.is_object());
    generation.map_or(output, unwrapped)
}

/// What the output of a chain answers: text, or the last message of a model in it.
pub(super) fn answer(output: &Value) -> Option<&Value> {
    match output {
        Value::String(_) => Some(output),
        Value::Array(messages) => messages.iter().rfind(|message| is_of_model(message)),
        Value::Object(_) if is_of_model(output) => Some(output),
        Value::Object(_) => {
            let places = ["messages", "output"].map(|field| &output[field]);
            places.into_iter().find_map(answer)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

fn is_of_model(message: &Value) -> bool {
    let class = items(&message["id"]).last().and_then(Value::as_str);
    let names = [class.unwrap_or_default(), text(message, "type")];
    let is_named = |name: &str| name == "ai" || name.starts_with("AIMessage");
    names.into_iter().any(is_named) || text(message, "role") == "assistant"
}

/// Why the model stopped: `None` if the message does not say, `Some(None)` if it says it in
/// a word that nobody knows.
pub(super) fn stop_reason(message: &Value) -> Option<Option<StopReason>> {
    const FIELDS: [&str; 5] = [
        "stop_reason",
        "finish_reason",
        "stopReason",
        "finishReason",
        "done_reason",
    ];
    let objects = ["response_metadata", "additional_kwargs"].map(|field| &message[field]);
    let words = objects
        .into_iter()
        .flat_map(|object| FIELDS.map(|field| text(object, field)));
    let word = words.into_iter().find(|word| !word.is_empty())?;
    Some(names::stop_reason(word))
}

impl LangChainMapper {
    pub(super) fn read_message(
        &mut self,
        run: usize,
        message: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let pieces = items(&message["tool_call_chunks"]);
        let calls = items(&message["tool_calls"]);
        let mut known = Known::Yes;
        self.read_reasoning(run, &message["additional_kwargs"], out);
        match &message["content"] {
            Value::String(text) => self.say(run, Index::None, text.into(), out),
            Value::Array(blocks) => {
                // A call that stands beside the blocks is in them too.
                let told = CallPlacement::beside(!pieces.is_empty() || !calls.is_empty());
                for block in blocks {
                    if self.read_block(run, block, told, out) == Known::No {
                        known = Known::No;
                    }
                }
            }
            // A model that is no chat model.
            Value::Null => match message["text"].as_str().or_else(|| message.as_str()) {
                Some(text) => self.say(run, Index::None, text.into(), out),
                None if message.is_object() => {}
                None => known = Known::No,
            },
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => known = Known::No,
        }
        for piece in pieces {
            if self.read_call(run, piece, out) == Known::No {
                known = Known::No;
            }
        }
        // Whoever adds chunks up has filled these in from the pieces.
        if pieces.is_empty() {
            self.take_calls(run, message, out);
        }
        known
    }

    fn read_reasoning(&mut self, run: usize, extra: &Value, out: &mut Vec<StreamEvent>) {
        let reasoning = &extra["reasoning"];
        let said = extra["reasoning_content"].as_str().or(reasoning.as_str());
        self.think(run, Index::None, said.unwrap_or_default().into(), out);
        for part in items(&reasoning["summary"]) {
            self.think(run, Index::None, text(part, "text").into(), out);
        }
    }

    fn read_block(
        &mut self,
        run: usize,
        block: &Value,
        calls: CallPlacement,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        if let Value::String(text) = block {
            self.say(run, Index::None, text.into(), out);
            return Known::Yes;
        }
        let words = ["text", "thinking", "signature"].map(|field| &block[field]);
        if !words.iter().all(|word| word.is_string() || word.is_null()) {
            return Known::No;
        }
        let index = index(block);
        match text(block, "type") {
            "text" | "text_delta" | "output_text" | "citations_delta" => {
                self.say(run, index.clone(), text(block, "text").into(), out);
                let cited = [&block["citations"], &block["annotations"]];
                let one = Some(&block["citation"]).filter(|citation| citation.is_object());
                for citation in cited.into_iter().flat_map(items).chain(one) {
                    self.cite(run, index.clone(), citation, out);
                }
            }
            "thinking" | "thinking_delta" | "signature_delta" => {
                self.think(run, index.clone(), text(block, "thinking").into(), out);
                self.sign(run, index, text(block, "signature"), out);
            }
            "reasoning" => {
                self.think(run, index.clone(), text(block, "reasoning").into(), out);
                for part in items(&block["summary"]) {
                    self.think(run, index.clone(), text(part, "text").into(), out);
                }
                self.sign(run, index, text(&block["extras"], "signature"), out);
            }
            "reasoning_content" => {
                let inner = ["reasoning_content", "reasoningText"].map(|field| &block[field]);
                for part in inner {
                    self.think(run, index.clone(), text(part, "text").into(), out);
                    self.sign(run, index.clone(), text(part, "signature"), out);
                }
            }
            "redacted_thinking" => {
                let slot = Slot::Thinking(index);
                self.turn_to(run, Some(&slot), out);
                let key = Key { run, slot };
                self.blocks.start_thinking(key.clone(), out);
                let sealed = text(block, "data").to_owned();
                self.blocks.redact_thinking(&key, sealed);
            }
            "tool_use" | "tool_call" | "tool_call_chunk" | "function_call" | "functionCall"
            | "input_json_delta"
                if calls == CallPlacement::Beside => {}
            "tool_use"
            | "tool_call"
            | "tool_call_chunk"
            | "input_json_delta"
            | "server_tool_use"
            | "mcp_tool_use"
            | "server_tool_call"
            | "server_tool_call_chunk" => return self.read_call(run, block, out),
            kind if kind.ends_with("_tool_result") => return self.take_result(block, out),
            _ => return Known::No,
        }
        Known::Yes
    }

    /// A piece of a call, from its first to its last.
    fn read_call(&mut self, run: usize, piece: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let whose = Whose {
            run,
            index: index(piece),
            id: text(piece, "id"),
            name: text(piece, "name"),
        };
        let input = ["args", "input", "partial_json"].map(|field| &piece[field]);
        let input = input.into_iter().find(|input| !input.is_null());
        let number = match self.tools.find(&whose) {
            Some(number) => number,
            None if whose.id.is_empty() && whose.name.is_empty() => {
                let is_blank = input.is_none_or(|input| *input == "");
                return if is_blank { Known::Yes } else { Known::No };
            }
            None => self.start_call(whose, input.filter(|input| !input.is_string()), out),
        };
        let slot = Slot::Call(number);
        if let Some(Value::String(piece)) = input
            && self.blocks.add_input(&Key { run, slot }, piece.into(), out) == Found::Missing
        {
            return Known::No;
        }
        Known::Yes
    }

    fn start_call(
        &mut self,
        whose: Whose<'_>,
        input: Option<&Value>,
        out: &mut Vec<StreamEvent>,
    ) -> usize {
        let run = whose.run;
        self.turn_to(run, None, out);
        let call = self.new_call(whose.id, whose.name, input);
        let number = self.tools.open(whose);
        let slot = Slot::Call(number);
        self.blocks.start_tool_use(Key { run, slot }, call, out);
        number
    }

    fn new_call(&mut self, id: &str, name: &str, input: Option<&Value>) -> ToolUse {
        ToolUse {
            tool_call_id: self.tools.add(id, name),
            name: name.to_owned(),
            executed_by: ExecutedBy::Source,
            input: input.cloned().unwrap_or_default(),
            detail: None,
        }
    }

    /// The calls of a message, whole; those that came in pieces are known.
    pub(super) fn take_calls(&mut self, run: usize, message: &Value, out: &mut Vec<StreamEvent>) {
        let has_pieces = self.tools.has_calls(run);
        for call in items(&message["tool_calls"]) {
            let id = text(call, "id");
            let is_known = if id.is_empty() {
                has_pieces
            } else {
                self.tools.is_known(id)
            };
            if !is_known {
                let whose = Whose {
                    run,
                    index: Index::None,
                    id,
                    name: text(call, "name"),
                };
                self.start_call(whose, Some(&call["args"]), out);
            }
        }
    }

    /// What the chain says its tools did, where it says so.
    pub(super) fn take_executions(&mut self, output: &Value, out: &mut Vec<StreamEvent>) {
        for execution in tools::executions(output) {
            let mut id = execution.id.to_owned();
            if !self.tools.is_known(&id) {
                let call = self.new_call(&id, execution.name, Some(execution.input));
                id.clone_from(&call.tool_call_id);
                self.blocks.tool_use(Key::OF_NO_RUN, call, out);
            }
            if let Some(result) = execution.result {
                self.answer(&id, result, execution.is_error, out);
            }
        }
    }

    /// The end of a tool's run, which says something only if it names a call of a model's.
    pub(super) fn take_tool(&mut self, data: &Value, out: &mut Vec<StreamEvent>) {
        for message in tools::results(&data["output"]) {
            self.take_result(message, out);
        }
        if !data["error"].is_null() {
            self.answer(text(data, "tool_call_id"), &data["error"], true, out);
        }
    }

    fn take_result(&mut self, result: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let id = ["tool_use_id", "tool_call_id"].map(|field| text(result, field));
        let id = id.into_iter().find(|id| !id.is_empty()).unwrap_or_default();
        let content = ["content", "output"].map(|field| &result[field]);
        let content = content.into_iter().find(|content| !content.is_null());
        let content = content.unwrap_or(&Value::Null);
        let is_error = text(result, "status") == "error"
            || result["is_error"] == true
            || text(content, "type").ends_with("_error");
        self.answer(id, content, is_error, out)
    }

    /// Each call is answered once, and only what was asked for.
    fn answer(
        &mut self,
        id: &str,
        result: &Value,
        is_error: bool,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let Some(name) = self.tools.name(id).map(str::to_owned) else {
            return Known::No;
        };
        if self.tools.answer(id) {
            out.push(StreamEvent::ToolResult {
                tool_call_id: id.to_owned(),
                name,
                result: result.clone(),
                is_error,
                detail: None,
            });
        }
        Known::Yes
    }

    pub(super) fn say(
        &mut self,
        run: usize,
        index: Index,
        text: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) {
        if !text.is_empty() {
            let slot = Slot::Text(index);
            self.turn_to(run, Some(&slot), out);
            self.blocks.add_text(Key { run, slot }, text, out);
        }
    }

    pub(super) fn think(
        &mut self,
        run: usize,
        index: Index,
        text: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) {
        if !text.is_empty() {
            let slot = Slot::Thinking(index);
            self.turn_to(run, Some(&slot), out);
            self.blocks.add_thinking(Key { run, slot }, text, out);
        }
    }

    fn sign(&mut self, run: usize, index: Index, seal: &str, out: &mut Vec<StreamEvent>) {
        if !seal.is_empty() {
            let slot = Slot::Thinking(index);
            self.turn_to(run, Some(&slot), out);
            self.blocks.sign_thinking(Key { run, slot }, seal, out);
        }
    }

    fn cite(&mut self, run: usize, index: Index, raw: &Value, out: &mut Vec<StreamEvent>) {
        let slot = Slot::Text(index);
        self.turn_to(run, Some(&slot), out);
        let id = self.blocks.text_id(Key { run, slot }, out);
        let citation = Citation {
            url: some_text(raw, "url"),
            title: some_text(raw, "title").or_else(|| some_text(raw, "document_title")),
            cited_text: some_text(raw, "cited_text"),
            relevance: score::relevance(raw),
            confidence: score::confidence(raw),
            raw: raw.clone(),
        };
        out.push(StreamEvent::Citation { id, citation });
    }

    /// Ends the run's block of words unless it is this one.
    fn turn_to(&mut self, run: usize, slot: Option<&Slot>, out: &mut Vec<StreamEvent>) {
        if let Some(slot) = self.runs.turn_to(run, slot) {
            self.blocks.close(&Key { run, slot }, out);
        }
    }
}

/// Whether the calls of a message are told beside its blocks as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CallPlacement {
    Beside,
    InBlocks,
}

impl CallPlacement {
    fn beside(is_beside: bool) -> Self {
        if is_beside {
            Self::Beside
        } else {
            Self::InBlocks
        }
    }
}

fn index(block: &Value) -> Index {
    match &block["index"] {
        Value::Number(number) => number.as_u64().map_or(Index::None, Index::Number),
        Value::String(name) => Index::Name(name.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => Index::None,
    }
}
