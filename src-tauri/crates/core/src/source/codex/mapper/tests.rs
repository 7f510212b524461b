//! Lines are written here by hand, as few as show the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod laws;
mod legacy;
mod mapping;

fn lines(events: &[Value]) -> Vec<u8> {
    let line = |event: &Value| format!("{event}\n");
    events.iter().map(line).collect::<String>().into_bytes()
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

fn read(events: &[Value]) -> Vec<StreamEvent> {
    read_bytes([lines(events).as_slice()])
}

fn summary(events: &[Value]) -> Summary {
    summarize(&read(events))
}

/// What these lines add to a turn that goes well.
fn check(events: &[Value], expected: Value) {
    let events = [events, &[json!({ "type": "turn.completed" })]].concat();
    let mut found = read(&events);
    assert!(matches!(found.pop(), Some(StreamEvent::Done { .. })));
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
}

fn item(stage: &str, item: Value) -> Value {
    json!({ "type": format!("item.{stage}"), "item": item })
}

fn message(id: &str, words: &str) -> Value {
    item(
        "completed",
        json!({ "id": id, "type": "agent_message", "text": words }),
    )
}

fn thought(id: &str, words: &str) -> Value {
    item(
        "completed",
        json!({ "id": id, "type": "reasoning", "text": words }),
    )
}

fn command(stage: &str, output: &str, exit_code: Value) -> Value {
    let status = match stage {
        "started" => "in_progress",
        _ => "completed",
    };
    let command = json!({ "id": "item_1", "type": "command_execution", "command": "ls",
        "aggregated_output": output, "exit_code": exit_code, "status": status });
    item(stage, command)
}

fn turn_completed() -> Value {
    let usage = json!({ "input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 5 });
    json!({ "type": "turn.completed", "usage": usage })
}
