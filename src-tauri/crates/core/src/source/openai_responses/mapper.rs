//! The Responses stream to stream events.
//!
//! Owns what each of its events means: OpenAI's own and those of the servers that speak the
//! same. Keeps the laws of [`crate::source::dialect`]: pure, no IO, no clock; what it does not
//! know becomes `Raw`, at most once per frame. Must not know how a request is made or where
//! the bytes come from.
//!
//! A response is a list of items, and what an item says comes up to four times: in deltas, at
//! the end of its part, at the end of the item and at the end of the response. The first that
//! says it counts. The later ones only fill what is still missing, for there are servers that
//! leave the earlier ones out.
//!
//! Three levels. Deltas are nearly all of a stream: those that differ in their words alone are
//! not read again ([`Shape`]), the others through borrowed types, with no tree of values. They
//! allocate nothing but the text they hand on. Everything else is rare, so it is read again as
//! a `Value`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{BlockId, StreamEvent};

use crate::source::dialect::json::text;
use crate::source::dialect::shape::Shape;
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks, Progress};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use call::{Call, Calls, Spelled};
use message::Message;
use open::{AnnouncedItems, At, Key, Open};
use reasoning::{Lane, Thought};
use response::{error_body, has_ended};

mod call;
mod item;
mod message;
mod open;
mod reasoning;
mod response;
mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "openai-responses",
    framing: Framing::Sse,
    mapper: || Box::<ResponsesMapper>::default(),
};

/// What differs from event to event and is not read.
const UNREAD: [&str; 2] = [r#""sequence_number":"#, r#""obfuscation":"#];

#[derive(Default)]
struct ResponsesMapper {
    blocks: OpenBlocks<Key>,
    shape: Shape<Growing>,
    messages: Open<Message>,
    thoughts: Open<Thought>,
    open_calls: Open<Call>,
    seen: AnnouncedItems,
    calls: Calls,
    /// How well the files of a search fitted, by their id: citations name the file only.
    file_scores: HashMap<String, f64>,
    /// Whether any thinking was told: a blank line keeps what follows apart from it.
    has_thought: bool,
    response: response::ResponseState,
    progress: Progress,
}

/// What the words of a delta are added to.
#[derive(Clone, Copy)]
struct Growing {
    block: BlockId,
    delta: Delta,
}

/// What a delta came to.
#[derive(Clone, Copy)]
enum Delta {
    Unknown,
    Said,
    /// Its words were written down as the JSON that they are to become.
    Spelled,
    /// It grew a part of the item of this number.
    Thought(u32, Lane),
}

/// What a frame is, and all of it if it is a delta.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    item_id: Cow<'a, str>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    content_index: u64,
    #[serde(default)]
    summary_index: u64,
    #[serde(default)]
    command_index: u64,
    #[serde(borrow)]
    delta: Cow<'a, str>,
}

impl Mapper for ResponsesMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        self.shape.forget();
        // What is named otherwise may be long, and is no delta.
        if (frame.event.is_empty() || frame.event.ends_with(".delta"))
            && let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(frame.data)
        {
            let from = out.len();
            match self.map_delta(envelope, out) {
                Delta::Unknown => {}
                Delta::Spelled => return,
                delta @ (Delta::Said | Delta::Thought(..)) => {
                    let growing = |block| Growing { block, delta };
                    self.shape.learn(frame, &out[from..], &UNREAD, growing);
                    return;
                }
            }
        }
        match serde_json::from_str::<Value>(frame.data) {
            Ok(value) => {
                // Some servers name the event beside the data only.
                let kind = value["type"].as_str().unwrap_or(frame.event);
                if self.map_rare(kind, &value, out) == Known::No {
                    out.push(StreamEvent::Raw { value });
                }
            }
            Err(_) => self.map_words(frame, out),
        }
    }

    fn repeat(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) -> Known {
        let Some(fit) = self.shape.fit(frame) else {
            return Known::No;
        };
        if let Delta::Thought(number, lane) = fit.target.delta {
            self.count_thought(number, lane, fit.words.len());
        }
        self.blocks.grow(fit.target.block, fit.words, out);
        Known::Yes
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.close_all(out);
        self.progress.ending()
    }
}

impl ResponsesMapper {
    fn map_delta(&mut self, envelope: Envelope<'_>, out: &mut Vec<StreamEvent>) -> Delta {
        if self.progress == Progress::Done {
            return Delta::Unknown;
        }
        let delta = envelope.delta;
        let content = envelope.content_index;
        let at = At {
            id: &envelope.item_id,
            index: envelope.output_index,
        };
        match &*envelope.kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                self.add_text(at, content, delta, out);
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_summary.delta" => {
                let part = (Lane::Summary, envelope.summary_index);
                return self.think(at, part, delta, out);
            }
            "response.reasoning_text.delta" | "response.reasoning.delta" => {
                return self.think(at, (Lane::Content, content), delta, out);
            }
            "response.function_call_arguments.delta" | "response.mcp_call_arguments.delta" => {
                return match self.add_arguments(at, delta, out) {
                    Known::Yes => Delta::Said,
                    Known::No => Delta::Unknown,
                };
            }
            kind => {
                let spelled = Spelled::from_event(kind, envelope.command_index);
                let known = spelled.map(|spelled| self.spell(at, spelled, &delta, out));
                return match known {
                    Some(Known::Yes) => Delta::Spelled,
                    Some(Known::No) | None => Delta::Unknown,
                };
            }
        }
        Delta::Said
    }

    /// What is no JSON.
    fn map_words(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        match frame.data.trim_ascii() {
            "" | "[DONE]" => {}
            words if frame.event == "error" && self.progress != Progress::Done => {
                self.fail(Reported::new(words).body(), out);
            }
            _ => out.push(StreamEvent::Raw {
                value: Value::String(frame.data.to_owned()),
            }),
        }
    }

    fn map_rare(&mut self, kind: &str, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if matches!(kind, "ping" | "keepalive") {
            return Known::Yes;
        }
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return Known::No;
        }
        let index = value["output_index"].as_u64();
        let response = &value["response"];
        match kind {
            "response.created" => self.start_response(response, out),
            "response.in_progress" => self.continue_response(response, out),
            "response.queued" => {
                let message = "The request waits in the provider's queue.".to_owned();
                out.push(StreamEvent::Status { message });
                self.continue_response(response, out)
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => self.end_response(kind, response, out),
            // Asked for a stream, a server may still answer with the response in one piece.
            _ if text(value, "object") == "response" && has_ended(value) => {
                self.end_response("", value, out)
            }
            "response.output_item.added" => self.start_item(index, &value["item"], out),
            "response.output_item.done" => self.end_item(index, &value["item"], out),
            "error" => {
                self.fail(error_body(value), out);
                Known::Yes
            }
            // Gateways send the error alone.
            "" | "message" if !value["error"].is_null() => {
                self.fail(error_body(value), out);
                Known::Yes
            }
            _ if kind.ends_with(".delta") => self.map_rare_delta(kind, value, out),
            _ => self.map_part(kind, value, out),
        }
    }

    /// A delta in a shape the borrowed types refuse, such as a key twice or text in an object.
    fn map_rare_delta(&mut self, kind: &str, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        // What a command printed comes whole with the end of its item.
        if kind == "response.shell_call_output_content.delta" {
            return Known::Yes;
        }
        let delta = &value["delta"];
        let Some(words) = delta.as_str().or_else(|| delta["text"].as_str()) else {
            return Known::No;
        };
        let index = |field: &str| value[field].as_u64().unwrap_or_default();
        let envelope = Envelope {
            kind: kind.into(),
            item_id: text(value, "item_id").into(),
            output_index: value["output_index"].as_u64(),
            content_index: index("content_index"),
            summary_index: index("summary_index"),
            command_index: index("command_index"),
            delta: words.into(),
        };
        match self.map_delta(envelope, out) {
            Delta::Said | Delta::Spelled | Delta::Thought(..) => Known::Yes,
            Delta::Unknown => Known::No,
        }
    }

    /// The beginnings and ends of an item's parts.
    fn map_part(&mut self, kind: &str, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let at = At {
            id: text(value, "item_id"),
            index: value["output_index"].as_u64(),
        };
        let content = value["content_index"].as_u64().unwrap_or_default();
        let summary = value["summary_index"].as_u64().unwrap_or_default();
        let part = &value["part"];
        match kind {
            "response.content_part.added" => return self.start_part(at, content, part),
            "response.content_part.done" => return self.end_part(at, content, part, out),
            "response.output_text.annotation.added" | "response.output_text_annotation.added" => {
                return self.cite(at, content, &value["annotation"], out);
            }
            "response.output_text.done" => {
                self.fill_text(at, content, text(value, "text"), out);
            }
            "response.refusal.done" => {
                self.fill_text(at, content, text(value, "refusal"), out);
            }
            "response.reasoning_summary_part.added" | "response.reasoning_part.added" => {}
            "response.reasoning_summary_part.done" => {
                self.fill_thought(at, (Lane::Summary, summary), text(part, "text"), out);
            }
            "response.reasoning_summary_text.done" | "response.reasoning_summary.done" => {
                self.fill_thought(at, (Lane::Summary, summary), text(value, "text"), out);
            }
            "response.reasoning_part.done" => {
                self.fill_thought(at, (Lane::Content, content), text(part, "text"), out);
            }
            "response.reasoning_text.done" | "response.reasoning.done" => {
                self.fill_thought(at, (Lane::Content, content), text(value, "text"), out);
            }
            _ => return self.map_call(kind, at, value, out),
        }
        Known::Yes
    }
}

#[cfg(test)]
mod tests;
