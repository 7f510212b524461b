//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing;
use crate::source::summary::summarize;

mod calls;
mod laws;
mod mapping;
mod oddities;
mod sources;

fn read(chunks: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, chunks)
}

fn summary(chunks: &[Value]) -> Summary {
    testing::summary(&DIALECT, chunks)
}

/// What these chunks give between the start and the end of the bytes.
fn check(chunks: &[Value], expected: Value) {
    assert_eq!(testing::after_start(read(chunks)), expected);
}

fn chunk(candidate: Value) -> Value {
    json!({ "candidates": [candidate], "modelVersion": "gemini", "responseId": "r1" })
}

fn parts(parts: Value) -> Value {
    chunk(json!({ "content": { "role": "model", "parts": parts }, "index": 0 }))
}

fn part(part: Value) -> Value {
    parts(json!([part]))
}

fn text(text: &str) -> Value {
    part(json!({ "text": text }))
}

fn thought(text: &str) -> Value {
    part(json!({ "text": text, "thought": true }))
}

fn signed(text: &str, signature: &str) -> Value {
    part(json!({ "text": text, "thoughtSignature": signature }))
}

fn call(call: Value) -> Value {
    part(json!({ "functionCall": call }))
}

fn finish(reason: &str) -> Value {
    chunk(json!({ "finishReason": reason }))
}
