//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod calls;
mod laws;
mod mapping;
mod oddities;
mod sources;

/// The bytes of these chunks, with the line ends Google sends.
fn sse(chunks: &[Value]) -> Vec<u8> {
    let frame = |chunk: &Value| format!("data: {chunk}\r\n\r\n");
    chunks.iter().map(frame).collect::<String>().into_bytes()
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

fn read(chunks: &[Value]) -> Vec<StreamEvent> {
    read_bytes([sse(chunks).as_slice()])
}

fn summary(chunks: &[Value]) -> Summary {
    summarize(&read(chunks))
}

/// What these chunks give between the start and the end of the bytes.
fn check(chunks: &[Value], expected: Value) {
    let mut found = read(chunks);
    // The start, and that the stream was cut, are the frame around every case.
    assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
    if let Some(StreamEvent::Error { error }) = found.last()
        && error.code == "stream_cut"
    {
        found.pop();
    }
    assert_eq!(serde_json::to_value(found).unwrap(), expected);
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
