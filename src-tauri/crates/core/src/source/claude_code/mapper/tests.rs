//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::Summary;

use super::DIALECT;
use crate::source::dialect::testing;

mod helpers;
mod laws;
mod lines;
mod plans;
mod results;
mod taxonomy;
mod words;
mod wrapped;

fn summary(lines: &[Value]) -> Summary {
    testing::summary(&DIALECT, lines)
}

/// The events as JSON, without the error of a stream that was cut.
fn events(lines: &[Value]) -> Vec<Value> {
    testing::without_cut(testing::read_frames(&DIALECT, lines))
}

fn check(lines: &[Value], expected: Value) {
    assert_eq!(Value::Array(events(lines)), expected);
}

/// What the last of these lines adds.
fn check_last(lines: &[Value], expected: Value) {
    let before = events(&lines[..lines.len() - 1]).len();
    let mut found = events(lines);
    found.retain(|event| event["type"] != "done");
    assert_eq!(Value::Array(found.split_off(before)), expected);
}

fn piece(event: Value) -> Value {
    json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null })
}

fn message_start(id: &str) -> Value {
    piece(json!({ "type": "message_start", "message": {
        "id": id, "type": "message", "role": "assistant", "model": "claude", "content": [],
    }}))
}

fn start(index: u64, block: Value) -> Value {
    piece(json!({ "type": "content_block_start", "index": index, "content_block": block }))
}

fn delta(index: u64, delta: Value) -> Value {
    piece(json!({ "type": "content_block_delta", "index": index, "delta": delta }))
}

fn text_delta(index: u64, text: &str) -> Value {
    delta(index, json!({ "type": "text_delta", "text": text }))
}

fn stop(index: u64) -> Value {
    piece(json!({ "type": "content_block_stop", "index": index }))
}

fn message_stop() -> Value {
    piece(json!({ "type": "message_stop" }))
}

/// Blocks of a message, whole.
fn assistant(id: &str, content: Value) -> Value {
    json!({ "type": "assistant", "parent_tool_use_id": null, "message": {
        "id": id, "type": "message", "role": "assistant", "model": "claude",
        "content": content, "stop_reason": null,
    }})
}

fn text_block(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn answer(id: &str, content: Value) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": id, "content": content });
    json!({ "type": "user", "parent_tool_use_id": null,
        "message": { "role": "user", "content": [block] } })
}

/// The same line, from a helper that this call sent out.
fn of_helper(parent: &str, mut line: Value) -> Value {
    line["parent_tool_use_id"] = json!(parent);
    line
}

fn result() -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "session_id": "s" })
}

fn start_event(id: &str) -> Value {
    json!({ "type": "start", "messageId": id, "model": "claude" })
}

/// A text block that came in these pieces.
fn text_events(id: u64, pieces: &[&str]) -> Vec<Value> {
    let mut events = vec![json!({ "type": "text_start", "id": id })];
    let delta = |text: &&str| json!({ "type": "text_delta", "id": id, "text": text });
    events.extend(pieces.iter().map(delta));
    events.push(json!({ "type": "text_end", "id": id }));
    events
}
