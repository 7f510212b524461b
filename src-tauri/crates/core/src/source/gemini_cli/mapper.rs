//! `gemini --output-format stream-json` to stream events.
//!
//! Owns what each of its lines means. Keeps the laws of [`crate::source::dialect`]: pure, no
//! IO, no clock; what it does not know becomes `Raw`, at most once per line. Must not know
//! how the agent is started.
//!
//! The agent answers its own calls, so one stream holds several requests and their results.
//! Its last line is the result; what it says there of its use is the sum of all requests.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{ErrorBody, ExecutedBy, StopReason, StreamEvent, Usage};

use crate::source::claude_code::mapper::waiting::Waiting;
use crate::source::dialect::json::{self, count, some_text, text};
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks, Progress, ToolUse};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

pub(crate) const DIALECT: Dialect = Dialect {
    name: "gemini-cli",
    framing: Framing::Lines,
    mapper: || Box::<GeminiCliMapper>::default(),
};

#[derive(Default)]
struct GeminiCliMapper {
    blocks: OpenBlocks<Key>,
    session_id: Option<String>,
    /// Names of the tools, by call: a result repeats only the id.
    tool_names: HashMap<String, String>,
    waiting: Waiting,
    numbered: u64,
    /// What went wrong on the way. Told at the end: an error ends a turn, and the agent may
    /// go on after it.
    errors: Vec<ErrorBody>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Text,
    Call,
}

/// What a line is, and all of it if it is a piece of the answer.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Cow<'a, str>,
    #[serde(default)]
    delta: bool,
}

impl Mapper for GeminiCliMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if self.progress != Progress::Done
            && let Ok(line) = serde_json::from_str::<Line<'_>>(frame.data)
            && self.map_frequent(line, out) == Known::Yes
        {
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
        self.tell_errors(out);
        self.progress.ending()
    }
}

impl GeminiCliMapper {
    fn map_frequent(&mut self, line: Line<'_>, out: &mut Vec<StreamEvent>) -> Known {
        match (&*line.kind, &*line.role) {
            ("message", "assistant" | "model") => {
                // A message that is no piece of one stands alone.
                if !line.delta {
                    self.blocks.close(&Key::Text, out);
                }
                self.blocks.add_text(Key::Text, line.content, out);
                if !line.delta {
                    self.blocks.close(&Key::Text, out);
                }
                Known::Yes
            }
            // The prompt, repeated.
            ("message", "user") => Known::Yes,
            _ => Known::No,
        }
    }

    fn map_rare(&mut self, line: &Value, out: &mut Vec<StreamEvent>) -> Known {
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return Known::No;
        }
        match text(line, "type") {
            "init" => self.start(line, out),
            "tool_use" => return self.use_tool(line, out),
            "tool_result" => self.take_result(line, out),
            "error" => self.learn_error(line),
            "result" => self.finish(line, out),
            // As the agent says it when it could not start.
            "" if line["error"].is_object() => self.fail(error_body(&line["error"])),
            _ => return Known::No,
        }
        Known::Yes
    }

    fn start(&mut self, line: &Value, out: &mut Vec<StreamEvent>) {
        self.session_id = some_text(line, "session_id");
        if self.progress == Progress::Waiting {
            self.progress = Progress::Started;
        }
        out.push(StreamEvent::Start {
            message_id: None,
            model: some_text(line, "model"),
        });
    }

    /// A call. One that comes twice is asked for once.
    fn use_tool(&mut self, line: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.blocks.close(&Key::Text, out);
        let id = first(line, &IDS).as_str().map(str::to_owned);
        let tool_call_id = id.unwrap_or_else(|| self.make_id());
        if self.tool_names.contains_key(&tool_call_id) {
            return Known::No;
        }
        let name = first(line, &["tool_name", "name"]).as_str();
        let name = name.unwrap_or_default().to_owned();
        self.tool_names.insert(tool_call_id.clone(), name.clone());
        self.waiting.ask(&tool_call_id);
        let call = ToolUse {
            tool_call_id,
            name,
            executed_by: ExecutedBy::Source,
            input: first(line, &["parameters", "input", "args"]).clone(),
            detail: None,
        };
        self.blocks.tool_use(Key::Call, call, out);
        Known::Yes
    }

    fn make_id(&mut self) -> String {
        loop {
            let id = format!("call_{}", self.numbered);
            self.numbered += 1;
            if !self.tool_names.contains_key(&id) {
                return id;
            }
        }
    }

    /// A result. One that names no call answers the oldest that waits.
    fn take_result(&mut self, line: &Value, out: &mut Vec<StreamEvent>) {
        self.blocks.close(&Key::Text, out);
        let id = first(line, &IDS).as_str().map(str::to_owned);
        let id = id.or_else(|| self.waiting.oldest(|_| true));
        let tool_call_id = id.unwrap_or_else(|| self.make_id());
        self.waiting.answer(&tool_call_id);
        let name = self.tool_names.get(&tool_call_id).cloned();
        let (output, error) = (&line["output"], &line["error"]);
        // A tool that failed may say so in both, for a reader and for the model.
        let (result, detail) = match (output, error) {
            (Value::Null, error) => (error, None),
            (output, Value::Null) => (output, None),
            (output, error) => (output, Some(error.clone())),
        };
        out.push(StreamEvent::ToolResult {
            tool_call_id,
            name: name.unwrap_or_default(),
            result: result.clone(),
            is_error: text(line, "status") == "error" || !error.is_null(),
            detail,
        });
    }

    fn learn_error(&mut self, line: &Value) {
        let severity = some_text(line, "severity").unwrap_or_else(|| "error".to_owned());
        let message = some_text(line, "message").unwrap_or_else(|| line.to_string());
        let error = Reported::new(message).with_fields(line).body();
        if severity == "warning" {
            self.errors.push(error);
        } else {
            self.fail(error);
        }
    }

    fn finish(&mut self, line: &Value, out: &mut Vec<StreamEvent>) {
        self.blocks.close_all(out);
        let stats = &line["stats"];
        let duration_ms = count(stats, "duration_ms");
        if self.session_id.is_some() || duration_ms.is_some() {
            out.push(StreamEvent::Result {
                session_id: self.session_id.take(),
                duration_ms,
                turns: None,
                cost: None,
            });
        }
        report_usage(stats, out);
        let status = text(line, "status");
        if !line["error"].is_null() {
            self.fail(error_body(&line["error"]));
        } else if status == "error" && self.progress != Progress::Failed {
            let message = "The agent failed and did not say why.";
            self.fail(Reported::new(message).body());
        }
        self.tell_errors(out);
        let failed = self.progress == Progress::Failed;
        self.progress = Progress::Done;
        out.push(StreamEvent::Done {
            stop_reason: Some(if failed {
                StopReason::Error
            } else {
                StopReason::EndTurn
            }),
        });
    }

    fn tell_errors(&mut self, out: &mut Vec<StreamEvent>) {
        let tell = |error| StreamEvent::Error { error };
        out.extend(self.errors.drain(..).map(tell));
    }

    fn fail(&mut self, error: ErrorBody) {
        self.progress = Progress::Failed;
        self.errors.push(error);
    }
}

/// `input_tokens` is the whole prompt and `input` what of it was not cached. Thinking is part
/// of the total and of nothing else.
fn report_usage(stats: &Value, out: &mut Vec<StreamEvent>) {
    // Past that it is garbage, and adding garbage up must not overflow.
    let tokens = |field: &str| count(stats, field).map(|count| count.min(u64::from(u32::MAX)));
    let (prompt, output) = (tokens("input_tokens"), tokens("output_tokens"));
    if prompt.is_none() && output.is_none() {
        return;
    }
    let (prompt, output) = (prompt.unwrap_or_default(), output.unwrap_or_default());
    let cached = tokens("cached").unwrap_or_default();
    let total = tokens("total_tokens").unwrap_or_default();
    let usage = Usage {
        input_tokens: tokens("input").unwrap_or(prompt.saturating_sub(cached)),
        output_tokens: output.max(total.saturating_sub(prompt)),
        cache_read_tokens: cached,
        ..Usage::default()
    };
    let is_total = true;
    out.push(StreamEvent::Usage { usage, is_total });
}

const IDS: [&str; 3] = ["tool_id", "id", "call_id"];

/// The first of these fields that says anything.
fn first<'a>(line: &'a Value, fields: &[&str]) -> &'a Value {
    let mut found = fields.iter().map(|field| &line[field]);
    found.find(|value| !value.is_null()).unwrap_or(&Value::Null)
}

fn error_body(error: &Value) -> ErrorBody {
    let message = some_text(error, "message")
        .or_else(|| error.as_str().map(str::to_owned))
        .unwrap_or_else(|| error.to_string());
    Reported::new(message).with_fields(error).body()
}

#[cfg(test)]
mod tests;
