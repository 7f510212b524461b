//! Anthropic's Messages stream to stream events.
//!
//! Owns what each of its events means. Keeps the laws of [`crate::source::dialect`]: pure, no
//! IO, no clock; what it does not know becomes `Raw`, at most once per frame. Must not know
//! how a request is made or where the bytes come from.
//!
//! Two levels. Deltas are nearly all of a stream: they are read through borrowed types, with
//! no tree of values, and allocate nothing but the text they hand on. Everything else is
//! rare, so it is read again as a `Value`, where odd shapes cost a line and not a type.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{Citation, ErrorBody, ExecutedBy, StopReason, StreamEvent, code};

use crate::source::dialect::{Dialect, Ending, Found, Mapper, OpenBlocks, ToolUse};
use crate::wire::{Frame, Framing};

use usage::UsageSoFar;

mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "anthropic",
    framing: Framing::Sse,
    mapper: || Box::<AnthropicMapper>::default(),
};

#[derive(Default)]
struct AnthropicMapper {
    blocks: OpenBlocks<u64>,
    usage: UsageSoFar,
    message_id: Option<String>,
    stop_reason: Option<StopReason>,
    /// Names of the tools the source runs itself, by call: a result repeats only the id.
    tool_names: HashMap<String, String>,
    progress: Progress,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Waiting,
    Started,
    Failed,
    Done,
}

/// What a frame is, and all of it if it is a delta.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    index: u64,
    #[serde(borrow, default)]
    delta: Delta<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Delta<'a> {
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

/// Whether a step understood what it was given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Yes,
    No,
}

impl Mapper for AnthropicMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(frame.data)
            && self.map_frequent(envelope, out) == Known::Yes
        {
            return;
        }
        match serde_json::from_str::<Value>(frame.data) {
            Ok(value) => {
                if self.map_rare(&value, out) == Known::No {
                    out.push(StreamEvent::Raw { value });
                }
            }
            Err(_) if frame.data.trim_ascii().is_empty() => {}
            Err(_) if frame.event == "error" => self.fail(
                ErrorBody::new(code::BAD_RESPONSE, frame.data.trim_ascii()),
                out,
            ),
            Err(_) => out.push(StreamEvent::Raw {
                value: Value::String(frame.data.to_owned()),
            }),
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.blocks.close_all(out);
        match self.progress {
            Progress::Done | Progress::Failed => Ending::Told,
            Progress::Waiting | Progress::Started => Ending::Cut,
        }
    }
}

impl AnthropicMapper {
    fn map_frequent(&mut self, envelope: Envelope<'_>, out: &mut Vec<StreamEvent>) -> Known {
        if self.progress == Progress::Done {
            return Known::No;
        }
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

    fn map_rare(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return match text(value, "type") {
                "ping" => Known::Yes,
                _ => Known::No,
            };
        }
        let index = value["index"].as_u64().unwrap_or_default();
        match text(value, "type") {
            "message_start" => self.start_message(&value["message"], out),
            "content_block_start" => self.start_block(index, &value["content_block"], out),
            "content_block_delta" => self.map_rare_delta(index, &value["delta"], out),
            "content_block_stop" => {
                self.blocks.close(&index, out);
                Known::Yes
            }
            "message_delta" => self.change_message(value, out),
            "message_stop" => {
                self.blocks.close_all(out);
                self.progress = Progress::Done;
                let stop_reason = self.stop_reason;
                out.push(StreamEvent::Done { stop_reason });
                Known::Yes
            }
            "ping" => Known::Yes,
            "error" => {
                self.fail(error_body(&value["error"]), out);
                Known::Yes
            }
            // Gateways send the error alone.
            "" if value["error"].is_object() => {
                self.fail(error_body(&value["error"]), out);
                Known::Yes
            }
            _ => Known::No,
        }
    }

    fn start_message(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if !message.is_object() {
            return Known::No;
        }
        let message_id = some_text(message, "id");
        let again = self.progress != Progress::Waiting;
        // The same message announced twice is announced once. Another one in the middle means
        // that the source lost the first and began anew.
        if !(again && message_id == self.message_id) {
            self.blocks.abandon_all(out);
            self.usage = UsageSoFar::default();
            self.stop_reason = None;
            self.progress = Progress::Started;
            self.message_id.clone_from(&message_id);
            out.push(StreamEvent::Start {
                message_id,
                model: some_text(message, "model"),
            });
        }
        self.report_usage(&message["usage"], out);
        let mut known = self.learn_stop_reason(&message["stop_reason"]);
        for (index, block) in (0..).zip(items(&message["content"])) {
            if self.start_block(index, block, out) == Known::No {
                known = Known::No;
            }
            self.blocks.close(&index, out);
        }
        known
    }

    fn start_block(&mut self, index: u64, block: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match text(block, "type") {
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
            "tool_use" => self.start_tool_use(index, block, ExecutedBy::Weir, out),
            // `server_tool_use`, `mcp_tool_use` and those to come.
            kind if kind.ends_with("_tool_use") => {
                self.start_tool_use(index, block, ExecutedBy::Source, out);
            }
            kind => {
                let Some(tool) = kind.strip_suffix("_tool_result") else {
                    // Whatever the block before it was, it is not this one's to grow.
                    self.blocks.close(&index, out);
                    return Known::No;
                };
                self.take_result(tool, block, out);
            }
        }
        Known::Yes
    }

    fn start_tool_use(
        &mut self,
        index: u64,
        block: &Value,
        executed_by: ExecutedBy,
        out: &mut Vec<StreamEvent>,
    ) {
        let tool_call_id = text(block, "id").to_owned();
        let name = text(block, "name").to_owned();
        self.tool_names.insert(tool_call_id.clone(), name.clone());
        let call = ToolUse {
            tool_call_id,
            name,
            executed_by,
            input: block["input"].clone(),
        };
        self.blocks.start_tool_use(index, call, out);
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
        });
    }

    fn map_rare_delta(&mut self, index: u64, delta: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match text(delta, "type") {
            "citations_delta" if delta["citation"].is_object() => {
                self.cite(index, &delta["citation"], out);
                Known::Yes
            }
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
        if reported.is_object() {
            let usage = self.usage.merge(reported);
            out.push(StreamEvent::Usage { usage });
        }
    }

    fn learn_stop_reason(&mut self, reported: &Value) -> Known {
        let Some(word) = reported.as_str() else {
            return Known::Yes;
        };
        self.stop_reason = match word {
            "end_turn" => Some(StopReason::EndTurn),
            "max_tokens" | "model_context_window_exceeded" => Some(StopReason::MaxTokens),
            "stop_sequence" => Some(StopReason::StopSequence),
            "tool_use" => Some(StopReason::ToolUse),
            "pause_turn" => Some(StopReason::PauseTurn),
            "refusal" => Some(StopReason::Refusal),
            _ => None,
        };
        match self.stop_reason {
            Some(_) => Known::Yes,
            None => Known::No,
        }
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.blocks.close_all(out);
        self.progress = Progress::Failed;
        out.push(StreamEvent::Error { error });
    }
}

fn error_body(error: &Value) -> ErrorBody {
    let code = some_text(error, "type").unwrap_or_else(|| code::BAD_RESPONSE.to_owned());
    let message = some_text(error, "message").unwrap_or_else(|| error.to_string());
    ErrorBody::new(code, message)
}

/// A field's text, empty when it has none.
fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn some_text(value: &Value, field: &str) -> Option<String> {
    value[field].as_str().map(str::to_owned)
}

/// The `source` of a search result the user gave is a link or any name of their own.
fn link(citation: &Value) -> Option<String> {
    some_text(citation, "source").filter(|source| source.starts_with("http"))
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests;
