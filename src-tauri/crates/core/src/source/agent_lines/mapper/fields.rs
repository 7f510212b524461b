//! Where simple agent lines keep what they say.
//!
//! The frameworks agree on the events and not on the fields: the first that fits is taken.

use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent};

use crate::source::anthropic::mapper::message;
use crate::source::claude_code::mapper::tools;
use crate::source::dialect::json::{some_text, text};
use crate::source::fault::Reported;

/// The words of a line. A number is said as it is written.
pub(super) fn words(data: &Value) -> Option<String> {
    let places = ["content", "text", "delta", "thought", "thinking", "message"];
    let mut found = places.iter().filter_map(|place| match &data[place] {
        Value::String(words) => Some(words.clone()),
        Value::Number(_) | Value::Bool(_) => Some(data[place].to_string()),
        Value::Array(_) => Some(tools::words(&data[place])).filter(|words| !words.is_empty()),
        Value::Null | Value::Object(_) => None,
    });
    let own = data.as_str().map(str::to_owned);
    own.or_else(|| found.next())
}

pub(super) fn status(data: &Value) -> Option<String> {
    words(data).or_else(|| some_text(data, "status"))
}

/// The line of a list that a change speaks of: all of the data, or one thing in it.
pub(super) fn line(data: &Value) -> &Value {
    let mut places = ["item", "todo"].into_iter();
    let inner = places.find_map(|place| Some(&data[place]).filter(|inner| inner.is_object()));
    inner.unwrap_or(data)
}

pub(super) fn helper_start(data: &Value) -> StreamEvent {
    StreamEvent::SubagentStart {
        subagent_id: id(data, &HELPER_IDS),
        name: first(data, &HELPER_NAMES).to_owned(),
        task: said(data, &HELPER_TASKS),
    }
}

pub(super) fn helper_end(data: &Value) -> StreamEvent {
    StreamEvent::SubagentEnd {
        subagent_id: id(data, &HELPER_IDS),
        name: first(data, &HELPER_NAMES).to_owned(),
        summary: said(data, &["summary", "result", "content", "output", "error"]),
        is_error: is_error(data),
    }
}

/// The first of these that says anything, as words or as it is written.
fn said(data: &Value, places: &[&str]) -> String {
    let mut found = places.iter().map(|place| tools::said(&data[place]));
    found.find(|words| !words.is_empty()).unwrap_or_default()
}

/// What a helper was sent out for, as one line.
pub(super) fn helper_line(data: &Value) -> Option<String> {
    let said = first(data, &["message", "content", "text"]);
    let (name, task) = (first(data, &HELPER_NAMES), first(data, &HELPER_TASKS));
    match (said, name, task) {
        ("", "", "") => data.as_str().map(str::to_owned),
        ("", name, "") => Some(name.to_owned()),
        ("", "", task) => Some(task.to_owned()),
        ("", name, task) => Some(format!("{name}: {task}")),
        (said, _, _) => Some(said.to_owned()),
    }
}

const HELPER_IDS: [&str; 3] = ["subagent_id", "tool_use_id", "id"];
const HELPER_NAMES: [&str; 4] = ["agent", "subagent_type", "agent_name", "name"];
const HELPER_TASKS: [&str; 3] = ["task", "description", "prompt"];

pub(super) fn error(data: &Value) -> ErrorBody {
    let error = &data["error"];
    let places = [
        error,
        &error["message"],
        &data["message"],
        &data["content"],
        &data["result"],
        data,
    ];
    let message = places.into_iter().find_map(Value::as_str);
    let message = message.map_or_else(|| data.to_string(), str::to_owned);
    Reported::new(message).with_fields(data).body()
}

pub(super) fn is_error(data: &Value) -> bool {
    let error = &data["error"];
    let is_said = !text(data, "error").is_empty() || error.is_object();
    data["is_error"] == true || *error == true || is_said || text(data, "status") == "error"
}

pub(super) fn cost(data: &Value) -> Option<f64> {
    let mut places = ["total_cost_usd", "cost_usd", "cost"].into_iter();
    places.find_map(|place| data[place].as_f64())
}

/// Why it ended, in the words of any of the providers.
pub(super) fn stop_reason(data: &Value) -> Option<StopReason> {
    let word = first(data, &["stop_reason", "finish_reason"]).to_ascii_lowercase();
    match word.as_str() {
        "stop" => Some(StopReason::EndTurn),
        "length" => Some(StopReason::MaxTokens),
        "tool_calls" | "function_call" => Some(StopReason::ToolUse),
        "content_filter" | "safety" => Some(StopReason::ContentFilter),
        word => message::stop_reason(word),
    }
}

/// An id under one of these names, be it a word or a number.
pub(super) fn id(data: &Value, places: &[&str]) -> Option<String> {
    places.iter().find_map(|place| match &data[place] {
        Value::Number(id) => Some(id.to_string()),
        Value::String(_) => some_text(data, place).filter(|id| !id.is_empty()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    })
}

/// The first of these that says anything.
pub(super) fn any<'a>(data: &'a Value, places: &[&str]) -> Option<&'a Value> {
    let mut values = places.iter().filter_map(|place| data.get(place));
    values.find(|value| !value.is_null())
}

/// The first of these that has words.
pub(super) fn first<'a>(data: &'a Value, places: &[&str]) -> &'a str {
    let mut words = places.iter().map(|place| text(data, place));
    words.find(|words| !words.is_empty()).unwrap_or_default()
}
