//! Amazon Bedrock's ConverseStream to stream events.
//!
//! Owns what each message means. Keeps the laws of [`crate::source::dialect`]: pure, no IO, no
//! clock; what it does not know becomes `Raw`, at most once a message. The name of a message is
//! the frame's, its payload is JSON. What was used is told after the stop, so the stream is done
//! when both came, or when nothing more comes.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{Citation, ExecutedBy, StopReason, StreamEvent, Usage};

use crate::source::dialect::json::{self, count, items, some_text, text};
use crate::source::dialect::{
    Dialect, Ending, Found, Known, Mapper, OpenBlocks, Progress, ToolUse,
};
use crate::source::fault::Reported;
use crate::wire::aws_event_stream::EXCEPTION;
use crate::wire::{Frame, Framing};

pub(crate) const DIALECT: Dialect = Dialect {
    name: "bedrock",
    framing: Framing::AwsEventStream,
    mapper: || Box::<BedrockMapper>::default(),
};

#[derive(Default)]
struct BedrockMapper {
    /// By the index of the content block.
    blocks: OpenBlocks<u64>,
    /// Every call by its id, with its tool's name.
    calls: HashMap<String, String>,
    /// Results of tools that the source runs itself, while they arrive.
    results: HashMap<u64, ServerResult>,
    /// Calls whose result was told.
    answered: HashSet<String>,
    /// Set once the source has stopped; what it used is still to come.
    stopped: Option<Stopped>,
    progress: Progress,
}

/// Why the source stopped; `None` inside when Weir has no word for it.
#[derive(Clone, Copy)]
struct Stopped(Option<StopReason>);

struct ServerResult {
    tool_call_id: String,
    is_error: bool,
    pieces: Vec<Value>,
}

/// A delta of text, which is nearly all of a stream.
#[derive(Deserialize)]
struct TextDelta<'a> {
    #[serde(rename = "contentBlockIndex")]
    index: u64,
    #[serde(borrow)]
    delta: TextOnly<'a>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TextOnly<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

impl Mapper for BedrockMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        let is_over = self.progress == Progress::Done;
        if frame.event == "contentBlockDelta"
            && !is_over
            && let Ok(TextDelta { index, delta }) = serde_json::from_str(frame.data)
        {
            self.start(out);
            self.blocks.add_text(index, delta.text, out);
            return;
        }
        if let Some(name) = frame.event.strip_prefix(EXCEPTION)
            && !is_over
        {
            self.fail(name, frame.data, out);
            return;
        }
        if let Some(value) = json::value(frame.data, out)
            && (is_over || self.map_rare(frame.event, &value, out) == Known::No)
        {
            out.push(StreamEvent::Raw { value });
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.blocks.close_all(out);
        if self.progress != Progress::Done && self.stopped.is_some() {
            self.be_done(out);
        }
        self.progress.ending()
    }
}

impl BedrockMapper {
    fn map_rare(&mut self, name: &str, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let index = count(value, "contentBlockIndex");
        match (name, index) {
            ("messageStart", _) => {
                self.start(out);
                Known::Yes
            }
            ("contentBlockStart", Some(index)) => self.start_block(index, &value["start"], out),
            ("contentBlockDelta", Some(index)) => self.add(index, &value["delta"], out),
            ("contentBlockStop", Some(index)) => {
                self.end_block(index, out);
                Known::Yes
            }
            ("messageStop", _) => self.stop(value, out),
            ("metadata", _) => self.take_metadata(value, out),
            ("initial-response", _) => Known::Yes,
            _ => Known::No,
        }
    }

    fn start(&mut self, out: &mut Vec<StreamEvent>) {
        if self.progress == Progress::Waiting {
            self.progress = Progress::Started;
            out.push(StreamEvent::Start {
                message_id: None,
                model: None,
            });
        }
    }

    /// Text and thinking are not announced; calls and their results are.
    fn start_block(&mut self, index: u64, start: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.start(out);
        let (call, result) = (&start["toolUse"], &start["toolResult"]);
        if let (Some(tool_call_id), Some(name)) =
            (some_text(call, "toolUseId"), some_text(call, "name"))
        {
            if tool_call_id.is_empty() || self.calls.contains_key(&tool_call_id) {
                return Known::No;
            }
            self.calls.insert(tool_call_id.clone(), name.clone());
            let executed_by = match text(call, "type") {
                "server_tool_use" => ExecutedBy::Source,
                _ => ExecutedBy::Weir,
            };
            let call = ToolUse {
                tool_call_id,
                name,
                executed_by,
                input: Value::Null,
                detail: None,
            };
            self.blocks.start_tool_use(index, call, out);
            return Known::Yes;
        }
        let Some(tool_call_id) = some_text(result, "toolUseId") else {
            return Known::No;
        };
        let result = ServerResult {
            tool_call_id,
            is_error: text(result, "status") == "error",
            pieces: Vec::new(),
        };
        self.results.insert(index, result);
        Known::Yes
    }

    fn add(&mut self, index: u64, delta: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.start(out);
        if let Some(words) = delta["text"].as_str() {
            self.blocks.add_text(index, words.into(), out);
            return Known::Yes;
        }
        if let Some(input) = delta["toolUse"]["input"].as_str() {
            return match self.blocks.add_input(&index, input.into(), out) {
                Found::There => Known::Yes,
                Found::Missing => Known::No,
            };
        }
        let reasoning = &delta["reasoningContent"];
        if reasoning.is_object() {
            return self.think(index, reasoning, out);
        }
        if let Some(result) = self.results.get_mut(&index)
            && delta["toolResult"].is_array()
        {
            result.pieces.extend_from_slice(items(&delta["toolResult"]));
            return Known::Yes;
        }
        let citation = &delta["citation"];
        if citation.is_object() {
            let id = self.blocks.text_id(index, out);
            let citation = cited(citation);
            out.push(StreamEvent::Citation { id, citation });
            return Known::Yes;
        }
        Known::No
    }

    fn think(&mut self, index: u64, reasoning: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let mut known = Known::No;
        if let Some(words) = reasoning["text"].as_str() {
            self.blocks.add_thinking(index, words.into(), out);
            known = Known::Yes;
        }
        if let Some(seal) = reasoning["signature"].as_str() {
            self.blocks.sign_thinking(index, seal, out);
            known = Known::Yes;
        }
        if let Some(sealed) = some_text(reasoning, "redactedContent") {
            if !self.blocks.is_open(&index) {
                self.blocks.start_thinking(index, out);
            }
            self.blocks.redact_thinking(&index, sealed);
            known = Known::Yes;
        }
        known
    }

    fn end_block(&mut self, index: u64, out: &mut Vec<StreamEvent>) {
        self.blocks.close(&index, out);
        let Some(result) = self.results.remove(&index) else {
            return;
        };
        let Some(name) = self.calls.get(&result.tool_call_id) else {
            let value = Value::Array(result.pieces);
            out.push(StreamEvent::Raw { value });
            return;
        };
        if self.answered.insert(result.tool_call_id.clone()) {
            out.push(StreamEvent::ToolResult {
                name: name.clone(),
                tool_call_id: result.tool_call_id,
                result: Value::Array(result.pieces),
                is_error: result.is_error,
                detail: None,
            });
        }
    }

    fn stop(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if self.stopped.is_some() {
            return Known::No;
        }
        self.start(out);
        self.blocks.close_all(out);
        let (reason, known) = match text(value, "stopReason") {
            "end_turn" => (Some(StopReason::EndTurn), Known::Yes),
            "tool_use" => (Some(StopReason::ToolUse), Known::Yes),
            "max_tokens" | "model_context_window_exceeded" => {
                (Some(StopReason::MaxTokens), Known::Yes)
            }
            "stop_sequence" => (Some(StopReason::StopSequence), Known::Yes),
            "guardrail_intervened" | "content_filtered" => {
                (Some(StopReason::ContentFilter), Known::Yes)
            }
            "refusal" => (Some(StopReason::Refusal), Known::Yes),
            "malformed_model_output" | "malformed_tool_use" => {
                (Some(StopReason::Error), Known::Yes)
            }
            "" => (None, Known::Yes),
            _ => (None, Known::No),
        };
        self.stopped = Some(Stopped(reason));
        known
    }

    fn take_metadata(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.start(out);
        let known = match used(&value["usage"]) {
            Some(usage) => {
                let is_total = false;
                out.push(StreamEvent::Usage { usage, is_total });
                Known::Yes
            }
            None => Known::No,
        };
        if self.stopped.is_some() {
            self.be_done(out);
        }
        known
    }

    fn be_done(&mut self, out: &mut Vec<StreamEvent>) {
        self.blocks.close_all(out);
        self.progress = Progress::Done;
        let stop_reason = self.stopped.and_then(|Stopped(reason)| reason);
        out.push(StreamEvent::Done { stop_reason });
    }

    /// An exception ends the stream: nothing that follows one counts as a reply.
    fn fail(&mut self, name: &str, data: &str, out: &mut Vec<StreamEvent>) {
        self.blocks.close_all(out);
        self.stopped = None;
        self.progress = Progress::Failed;
        let told: Value = serde_json::from_str(data).unwrap_or_default();
        let words = ["message", "Message", "originalMessage"]
            .iter()
            .find_map(|field| some_text(&told, field))
            .filter(|words| !words.is_empty());
        let message = match words {
            Some(words) => words,
            None if data.trim_ascii().is_empty() || told.is_object() => {
                "Amazon Bedrock ended the reply without saying why.".to_owned()
            }
            None => data.to_owned(),
        };
        let status = count(&told, "originalStatusCode");
        let status = status.and_then(|status| u16::try_from(status).ok());
        let reported = Reported::new(message)
            .with_code(name)
            .with_status(status.unwrap_or_default());
        out.push(StreamEvent::Error {
            error: reported.body(),
        });
    }
}

fn cited(raw: &Value) -> Citation {
    let said = |field: &str| some_text(raw, field).filter(|text| !text.is_empty());
    let place = &raw["location"]["web"];
    let url = some_text(place, "url").or_else(|| {
        let source = said("source");
        source.filter(|source| source.starts_with("https://") || source.starts_with("http://"))
    });
    let words = items(&raw["sourceContent"]).iter();
    let words: Vec<&str> = words.map(|piece| text(piece, "text")).collect();
    Citation {
        url,
        title: said("title"),
        cited_text: Some(words.concat()).filter(|words| !words.is_empty()),
        relevance: None,
        confidence: None,
        raw: raw.clone(),
    }
}

/// Input is told without what came from the cache or went there, which is Weir's way too.
fn used(usage: &Value) -> Option<Usage> {
    // Past that it is garbage, and adding garbage up must not overflow.
    let tokens = |field: &str| count(usage, field).map(|count| count.min(u64::from(u32::MAX)));
    let (input, output) = (tokens("inputTokens"), tokens("outputTokens"));
    if input.is_none() && output.is_none() {
        return None;
    }
    let written = |ttl: &str| -> u64 {
        let details = items(&usage["cacheDetails"]).iter();
        let details = details.filter(|detail| text(detail, "ttl") == ttl);
        let counts = details.filter_map(|detail| count(detail, "inputTokens"));
        counts
            .fold(0, |sum: u64, it| sum.saturating_add(it))
            .min(u64::from(u32::MAX))
    };
    Some(Usage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
        cache_read_tokens: tokens("cacheReadInputTokens").unwrap_or_default(),
        cache_write_tokens: tokens("cacheWriteInputTokens").unwrap_or_default(),
        cache_write5m_tokens: written("5m"),
        cache_write1h_tokens: written("1h"),
        ..Usage::default()
    })
}

#[cfg(test)]
mod tests;
