//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod calls;
mod ending;
mod laws;
mod mapping;
mod reasoning;
mod usage;

/// What these chunks come to after a first one, with `[DONE]` at the end.
fn read(chunks: &[Value]) -> Vec<StreamEvent> {
    let chunks = [&[first()], chunks, &[json!("[DONE]")]].concat();
    testing::read_frames(&DIALECT, &chunks)
}

fn summary(chunks: &[Value]) -> Summary {
    summarize(&read(chunks))
}

/// What these chunks add between the stream's start and its `[DONE]`.
fn check(chunks: &[Value], expected: Value) {
    let mut found = testing::without_details(read(chunks));
    assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
    let done = found
        .iter()
        .rposition(|event| matches!(event, StreamEvent::Done { .. }));
    found.remove(done.expect("every case ends"));
    assert_eq!(json!(testing::without_cut(found)), expected);
}

fn chunk(choices: Value) -> Value {
    json!({ "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": choices })
}

/// A chunk of the first choice.
fn delta(delta: Value) -> Value {
    chunk(json!([{ "index": 0, "delta": delta, "logprobs": null, "finish_reason": null }]))
}

fn first() -> Value {
    delta(json!({ "role": "assistant", "content": "" }))
}

fn content(text: &str) -> Value {
    delta(json!({ "content": text }))
}

fn finish(reason: &str) -> Value {
    chunk(json!([{ "index": 0, "delta": {}, "finish_reason": reason }]))
}

/// One block of text in one piece.
fn text(id: u32, text: &str) -> [Value; 3] {
    [
        json!({ "type": "text_start", "id": id }),
        json!({ "type": "text_delta", "id": id, "text": text }),
        json!({ "type": "text_end", "id": id }),
    ]
}

/// One block of thinking in one piece.
fn thinking(id: u32, text: &str) -> [Value; 3] {
    [
        json!({ "type": "thinking_start", "id": id }),
        json!({ "type": "thinking_delta", "id": id, "text": text }),
        json!({ "type": "thinking_end", "id": id, "signature": null, "redacted": null }),
    ]
}

fn raw(value: &Value) -> Value {
    json!({ "type": "raw", "value": value })
}
