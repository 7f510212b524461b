//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod laws;
mod mapping;

fn read(said: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, said)
}

fn summary(said: &[Value]) -> Summary {
    testing::summary(&DIALECT, said)
}

/// What these lines add between the first line and the end of the bytes.
fn check(said: &[Value], expected: Value) {
    let said = [&[init()], said].concat();
    assert_eq!(testing::after_start(read(&said)), expected);
}

fn init() -> Value {
    json!({ "type": "init", "timestamp": "t", "session_id": "s1", "model": "gemini" })
}

fn piece(content: &str) -> Value {
    json!({ "type": "message", "timestamp": "t", "role": "assistant", "content": content,
        "delta": true })
}

fn tool_use(id: &str) -> Value {
    json!({ "type": "tool_use", "timestamp": "t", "tool_name": "look", "tool_id": id,
        "parameters": { "at": "猫" } })
}

fn result(status: &str) -> Value {
    json!({ "type": "result", "timestamp": "t", "status": status })
}
