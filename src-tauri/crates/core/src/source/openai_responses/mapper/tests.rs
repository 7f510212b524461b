//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod laws;
mod mapping;
mod oddities;
mod repeats;
mod spelled;
mod tools;

fn read(events: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, events)
}

fn summary(events: &[Value]) -> Summary {
    testing::summary(&DIALECT, events)
}

/// What these events add between a response's start and the end of the bytes.
fn check(events: &[Value], expected: Value) {
    let events = [&[created()], events].concat();
    let read = testing::without_details(read(&events));
    assert_eq!(testing::after_start(read), expected);
}

/// What the ends of texts and of thinking say of them.
fn details(events: &[StreamEvent]) -> Vec<Value> {
    let detail = |event: &StreamEvent| {
        if let StreamEvent::TextEnd { detail, .. } | StreamEvent::ThinkingEnd { detail, .. } = event
        {
            Some(json!(detail))
        } else {
            None
        }
    };
    events.iter().filter_map(detail).collect()
}

fn created() -> Value {
    let response = json!({ "id": "resp_1", "model": "gpt", "status": "in_progress", "output": [] });
    json!({ "type": "response.created", "sequence_number": 0, "response": response })
}

fn added(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.added", "output_index": index, "item": item })
}

fn done(index: u64, item: Value) -> Value {
    json!({ "type": "response.output_item.done", "output_index": index, "item": item })
}

/// An event of the item at this index. Items go by `i` and their index here.
fn at(index: u64, kind: &str, more: Value) -> Value {
    let mut event = json!({
        "type": format!("response.{kind}"), "output_index": index, "item_id": format!("i{index}"),
    });
    for (field, value) in more.as_object().unwrap() {
        event[field] = value.clone();
    }
    event
}

fn message(index: u64, content: Value) -> Value {
    json!({ "type": "message", "id": format!("i{index}"), "role": "assistant",
        "content": content })
}

fn said(words: &str) -> Value {
    json!({ "type": "output_text", "text": words, "annotations": [] })
}

fn text_delta(index: u64, words: &str) -> Value {
    let more = json!({ "content_index": 0, "delta": words });
    at(index, "output_text.delta", more)
}

fn function_call(index: u64, arguments: &str) -> Value {
    json!({ "type": "function_call", "id": format!("i{index}"), "call_id": format!("c{index}"),
        "name": "look", "arguments": arguments, "status": "completed" })
}

fn ended(status: &str, more: Value) -> Value {
    let mut response = json!({ "id": "resp_1", "model": "gpt", "status": status, "output": [] });
    for (field, value) in more.as_object().unwrap() {
        response[field] = value.clone();
    }
    json!({ "type": format!("response.{status}"), "response": response })
}

fn completed() -> Value {
    ended("completed", json!({}))
}
