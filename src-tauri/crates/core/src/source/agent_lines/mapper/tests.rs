//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;

mod cases;
mod laws;
mod oddities;
mod tables;

fn read(lines: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, lines)
}

fn summary(lines: &[Value]) -> Summary {
    testing::summary(&DIALECT, lines)
}

/// The events as JSON, without the error of a stream that was cut.
fn events(lines: &[Value]) -> Vec<Value> {
    testing::without_cut(read(lines))
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
