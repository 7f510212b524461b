//! Streams are written here by hand, as small as shows the case.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod cases;
mod laws;
mod oddities;
mod tables;

/// The bytes of these lines.
fn bytes(lines: &[Value]) -> Vec<u8> {
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

fn read(lines: &[Value]) -> Vec<StreamEvent> {
    read_bytes([bytes(lines).as_slice()])
}

fn summary(lines: &[Value]) -> Summary {
    summarize(&read(lines))
}

/// The events as JSON, without the error of a stream that was cut.
fn events(lines: &[Value]) -> Vec<Value> {
    let events = read(lines);
    let mut events: Vec<Value> = events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .collect();
    events.retain(|event| event["error"]["code"] != "stream_cut");
    events
}

fn check(lines: &[Value], expected: Value) {
    assert_eq!(Value::Array(events(lines)), expected);
}

fn line(kind: &str, data: Value) -> Value {
    json!({ "type": kind, "data": data })
}

fn done() -> Value {
    line("done", json!({}))
}

fn usage(input: u64, output: u64) -> Value {
    json!({ "inputTokens": input, "outputTokens": output, "reasoningTokens": 0,
        "cacheReadTokens": 0, "cacheWriteTokens": 0, "cacheWrite5mTokens": 0,
        "cacheWrite1hTokens": 0 })
}

/// A call that came whole.
fn call_events(block: u64, id: &str, name: &str, input: Value) -> [Value; 2] {
    [
        json!({ "type": "tool_use_start", "id": block, "toolCallId": id, "name": name,
            "executedBy": "source" }),
        json!({ "type": "tool_use_end", "id": block, "input": input }),
    ]
}

fn answer_event(id: &str, name: &str, result: Value) -> Value {
    json!({ "type": "tool_result", "toolCallId": id, "name": name, "result": result,
        "isError": false })
}
