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

/// What these lines add between the first line and the end of the bytes.
fn check(said: &[Value], expected: Value) {
    let mut found = read(&[&[init()], said].concat());
    // The start, and that the stream was cut, are the frame around every case.
    assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
    if let Some(StreamEvent::Error { error }) = found.last()
        && error.code == "stream_cut"
    {
        found.pop();
    }
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
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
