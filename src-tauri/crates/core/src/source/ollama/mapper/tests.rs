//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod laws;
mod mapping;

fn lines(lines: &[Value]) -> Vec<u8> {
    let line = |line: &Value| format!("{line}\n");
    lines.iter().map(line).collect::<String>().into_bytes()
}

fn read_bytes<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<StreamEvent> {
    let mut reader = Reader::new(&DIALECT);
    let mut events = Vec::new();
    for piece in pieces {
        reader.push(piece, &mut events);
    }
    reader.finish(&mut events);
    events
}

fn read(said: &[Value]) -> Vec<StreamEvent> {
    read_bytes([lines(said).as_slice()])
}

fn summary(said: &[Value]) -> Summary {
    summarize(&read(said))
}

/// What these lines give between the start and the end of the bytes.
fn check(said: &[Value], expected: Value) {
    let mut found = read(said);
    assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
    if let Some(StreamEvent::Error { error }) = found.last()
        && error.code == "stream_cut"
    {
        found.pop();
    }
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
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
