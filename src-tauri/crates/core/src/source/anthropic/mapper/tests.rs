//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod gateways;
mod laws;
mod mapping;
mod oddities;

fn read(events: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, events)
}

fn summary(events: &[Value]) -> Summary {
    testing::summary(&DIALECT, events)
}

/// What these events add between a message's start and the end of the bytes.
fn check(events: &[Value], expected: Value) {
    let events = [&[message_start()], events].concat();
    assert_eq!(testing::after_start(read(&events)), expected);
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
