//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;

mod laws;
mod mapping;

fn read(said: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, said)
}

fn summary(said: &[Value]) -> Summary {
    testing::summary(&DIALECT, said)
}

/// What these lines give between the start and the end of the bytes.
fn check(said: &[Value], expected: Value) {
    assert_eq!(testing::after_start(read(said)), expected);
}

fn chat(message: Value) -> Value {
    json!({ "model": "qwen", "created_at": "2026-01-02T03:04:05.6Z", "message": message,
        "done": false })
}

fn text(content: &str) -> Value {
    chat(json!({ "role": "assistant", "content": content }))
}

fn thinking(thinking: &str) -> Value {
    chat(json!({ "role": "assistant", "content": "", "thinking": thinking }))
}

fn call(call: Value) -> Value {
    chat(json!({ "role": "assistant", "content": "", "tool_calls": [call] }))
}

fn done(reason: &str) -> Value {
    let mut line = text("");
    line["done"] = json!(true);
    line["done_reason"] = json!(reason);
    line
}
