//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod laws;
mod mapping;
mod oddities;

/// The bytes of these events, each with its name.
fn sse(events: &[Value]) -> Vec<u8> {
    let frame = |event: &Value| {
        let name = event["type"].as_str().unwrap_or("message");
        format!("event: {name}\ndata: {event}\n\n")
    };
    events.iter().map(frame).collect::<String>().into_bytes()
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
    read_bytes([sse(events).as_slice()])
}

fn summary(events: &[Value]) -> Summary {
    summarize(&read(events))
}

/// What these events add between a message's start and the end of the bytes.
fn check(events: &[Value], expected: Value) {
    let events = [&[message_start()], events].concat();
    let mut found = read(&events);
    // The start, and that the stream was cut, are the frame around every case.
    assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
    if let Some(StreamEvent::Error { error }) = found.last()
        && error.code == "stream_cut"
    {
        found.pop();
    }
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
}

fn message_start() -> Value {
    json!({ "type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [],
    }})
}

fn start(index: u64, block: Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "content_block": block })
}

fn delta(index: u64, delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

fn text_delta(index: u64, text: &str) -> Value {
    delta(index, json!({ "type": "text_delta", "text": text }))
}

fn stop(index: u64) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

fn message_delta(stop_reason: &str, usage: Value) -> Value {
    let delta = json!({ "stop_reason": stop_reason, "stop_sequence": null });
    json!({ "type": "message_delta", "delta": delta, "usage": usage })
}

fn message_stop() -> Value {
    json!({ "type": "message_stop" })
}
