//! Lines are written here by hand, as few as show the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod laws;
mod legacy;
mod mapping;

fn read(events: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, events)
}

fn summary(events: &[Value]) -> Summary {
    testing::summary(&DIALECT, events)
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
