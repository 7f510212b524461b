//! Ollama's own streams, `/api/chat` and `/api/generate`, to stream events.
//!
//! Owns what each line means. Keeps the laws of [`crate::source::dialect`]: pure, no IO, no
//! clock; what it does not know becomes `Raw`, at most once per line. Must not know how a
//! request is made or where the bytes come from. Tags that a model writes into its text are
//! text: a server that knows them sends thinking apart.
//!
//! Two levels. A line with a piece of text is nearly all of a stream: it is read through
//! borrowed types and allocates nothing but the text it hands on. Everything else is read
//! again as a `Value`.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use weir_protocol::{ExecutedBy, StopReason, StreamEvent, Usage};

use crate::source::dialect::json::{self, count, items, some_text, text};
use crate::source::dialect::{
    Dialect, Ending, Found, Known, Mapper, OpenBlocks, Progress, ToolUse,
};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

pub(crate) const DIALECT: Dialect = Dialect {
    name: "ollama",
    framing: Framing::Lines,
    mapper: || Box::<OllamaMapper>::default(),
};

#[derive(Default)]
struct OllamaMapper {
    blocks: OpenBlocks<Key>,
    /// The number of the next.
    calls: u64,
    /// Every call by its id: its name and its input.
    told: HashMap<String, (String, Value)>,
    progress: Progress,
}

/// Lines have no index: one block is open at a time.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Text,
    Thinking,
    Call,
}

/// A line that holds pieces of text and nothing else.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line<'a> {
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow, default)]
    message: Message<'a>,
    #[serde(borrow, default)]
    response: Cow<'a, str>,
    #[serde(borrow, default)]
    thinking: Cow<'a, str>,
    #[serde(default)]
    done: bool,
    #[serde(default, rename = "created_at")]
    _created_at: IgnoredAny,
    #[serde(default, rename = "logprobs")]
    _logprobs: IgnoredAny,
    #[serde(default, rename = "remote_model")]
    _remote_model: IgnoredAny,
    #[serde(default, rename = "remote_host")]
    _remote_host: IgnoredAny,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Message<'a> {
    #[serde(rename = "role")]
    _role: IgnoredAny,
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(borrow)]
    thinking: Cow<'a, str>,
}

impl Mapper for OllamaMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if self.progress != Progress::Done
            && let Ok(line) = serde_json::from_str::<Line<'_>>(frame.data)
            && !line.done
        {
            self.map_frequent(line, out);
            return;
        }
        if let Some(value) = json::value(frame.data, out)
            && self.map_rare(&value, out) == Known::No
        {
            out.push(StreamEvent::Raw { value });
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.blocks.close_all(out);
        self.progress.ending()
    }
}

impl OllamaMapper {
    fn map_frequent(&mut self, line: Line<'_>, out: &mut Vec<StreamEvent>) {
        self.start(&line.model, out);
        self.think(line.message.thinking, out);
        self.think(line.thinking, out);
        self.say(line.message.content, out);
        self.say(line.response, out);
    }

    fn map_rare(&mut self, line: &Value, out: &mut Vec<StreamEvent>) -> Known {
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return Known::No;
        }
        let (message, error) = (&line["message"], &line["error"]);
        let says = message.is_object() || line["response"].is_string() || line["done"].is_boolean();
        if !says && error.is_null() {
            return Known::No;
        }
        let mut known = Known::Yes;
        if says {
            self.start(text(line, "model"), out);
            known = if message.is_object() {
                self.map_said(message, "content", line, out)
            } else {
                self.map_said(line, "response", line, out)
            };
        }
        if !error.is_null() {
            self.fail(error, out);
        } else if line["done"] == true && self.finish(line, out) == Known::No {
            known = Known::No;
        }
        known
    }

    /// What the model says: a message, or the line itself where there is no message.
    fn map_said(
        &mut self,
        said: &Value,
        field: &str,
        line: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        self.think(text(said, "thinking").into(), out);
        self.say(text(said, field).into(), out);
        // The chat's pictures are many, those of a generation one.
        let images = items(&said["images"]).iter().chain([&said["image"]]);
        for image in images.filter_map(Value::as_str) {
            self.make_file(image, out);
        }
        let mut known = Known::Yes;
        for call in items(&said["tool_calls"]) {
            if self.add_call(call, text(line, "created_at"), out) == Known::No {
                known = Known::No;
            }
        }
        let is_text = |field: &str| said[field].is_null() || said[field].is_string();
        if is_text("thinking") && is_text(field) {
            known
        } else {
            Known::No
        }
    }

    fn start(&mut self, model: &str, out: &mut Vec<StreamEvent>) {
        if self.progress == Progress::Waiting {
            self.progress = Progress::Started;
            out.push(StreamEvent::Start {
                message_id: None,
                model: (!model.is_empty()).then(|| model.to_owned()),
            });
        }
    }

    fn think(&mut self, thinking: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if !thinking.is_empty() {
            self.blocks.close(&Key::Text, out);
            self.blocks.add_thinking(Key::Thinking, thinking, out);
        }
    }

    fn say(&mut self, said: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if !said.is_empty() {
            self.blocks.close(&Key::Thinking, out);
            self.blocks.add_text(Key::Text, said, out);
        }
    }

    fn make_file(&mut self, image: &str, out: &mut Vec<StreamEvent>) {
        if image.is_empty() {
            return;
        }
        self.blocks.close_all(out);
        let media_type = media_type(image).to_owned();
        let url = format!("data:{media_type};base64,{image}");
        out.push(StreamEvent::File { url, media_type });
    }

    /// Calls come whole. Older servers give them no id.
    fn add_call(&mut self, call: &Value, at: &str, out: &mut Vec<StreamEvent>) -> Known {
        let function = &call["function"];
        let Some(name) = some_text(function, "name") else {
            return Known::No;
        };
        let arguments = &function["arguments"];
        let given = text(call, "id");
        let tool_call_id = match self.told.get(given) {
            // The very same call, told again.
            Some((told, input)) if *told == name && input == arguments => return Known::Yes,
            None if !given.is_empty() => given.to_owned(),
            Some(_) | None => self.next_id(at),
        };
        self.blocks.close_all(out);
        let told = (name.clone(), arguments.clone());
        self.told.insert(tool_call_id.clone(), told);
        self.calls += 1;
        let whole = ToolUse {
            tool_call_id,
            name,
            executed_by: ExecutedBy::Weir,
            input: arguments.clone(),
            detail: None,
        };
        self.blocks.start_tool_use(Key::Call, whole, out);
        // Relatives send the arguments as text, as others do.
        if let Some(spelled) = arguments.as_str() {
            let (Found::There | Found::Missing) =
                self.blocks.add_input(&Key::Call, spelled.into(), out);
        }
        self.blocks.close(&Key::Call, out);
        Known::Yes
    }

    /// The same for the same bytes, and another in every message, for a turn has several: a
    /// message has no id, but its lines have a time.
    fn next_id(&mut self, at: &str) -> String {
        let at: String = at.chars().filter(char::is_ascii_alphanumeric).collect();
        loop {
            let number = self.calls;
            let id = if at.is_empty() {
                format!("call_{number}")
            } else {
                format!("call_{at:.40}_{number}")
            };
            if !self.told.contains_key(&id) {
                return id;
            }
            self.calls += 1;
        }
    }

    fn finish(&mut self, line: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.blocks.close_all(out);
        report_usage(line, out);
        let (stop_reason, known) = match text(line, "done_reason") {
            "stop" | "" if self.calls > 0 => (Some(StopReason::ToolUse), Known::Yes),
            // The model was loaded or put away, and that was all it was asked.
            "stop" | "load" | "unload" => (Some(StopReason::EndTurn), Known::Yes),
            "length" => (Some(StopReason::MaxTokens), Known::Yes),
            "" => (None, Known::Yes),
            _ => (None, Known::No),
        };
        self.progress = Progress::Done;
        out.push(StreamEvent::Done { stop_reason });
        known
    }

    fn fail(&mut self, error: &Value, out: &mut Vec<StreamEvent>) {
        self.blocks.close_all(out);
        self.progress = Progress::Failed;
        let message = error.as_str().map(str::to_owned);
        let message = message
            .or_else(|| some_text(error, "message"))
            .unwrap_or_else(|| error.to_string());
        out.push(StreamEvent::Error {
            error: Reported::new(message).with_fields(error).body(),
        });
    }
}

/// A prompt that was wholly in memory is not counted; then only the output is told.
fn report_usage(line: &Value, out: &mut Vec<StreamEvent>) {
    // Past that it is garbage, and adding garbage up must not overflow.
    let tokens = |field: &str| count(line, field).map(|count| count.min(u64::from(u32::MAX)));
    let (input, output) = (tokens("prompt_eval_count"), tokens("eval_count"));
    if input.is_none() && output.is_none() {
        return;
    }
    let usage = Usage {
        input_tokens: input.unwrap_or_default(),
        output_tokens: output.unwrap_or_default(),
        ..Usage::default()
    };
    let is_total = false;
    out.push(StreamEvent::Usage { usage, is_total });
}

/// Nobody says what a picture is, but its first bytes do.
fn media_type(base64: &str) -> &'static str {
    match base64.as_bytes() {
        [b'/', b'9', b'j', b'/', ..] => "image/jpeg",
        [b'R', b'0', b'l', b'G', ..] => "image/gif",
        [b'U', b'k', b'l', b'G', b'R', ..] => "image/webp",
        _ => "image/png",
    }
}

#[cfg(test)]
mod tests;
