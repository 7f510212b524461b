//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

mod agents;
mod laws;
mod mapping;
mod providers;

/// The bytes of these events, one a line.
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

/// What these chunks of one model come to, after its first and before its end; plain and in
/// the serialized form.
fn check(chunks: &[Value], expected: Value) {
    for form in [plain, serialized] {
        let mut events = vec![event(
            "on_chat_model_stream",
            json!({ "chunk": form(first()) }),
        )];
        events.extend(chunks.iter().map(|chunk| {
            event(
                "on_chat_model_stream",
                json!({ "chunk": form(chunk.clone()) }),
            )
        }));
        let mut found = read(&events);
        // The start, and that the stream was cut, are the frame around every case.
        assert!(matches!(found.remove(0), StreamEvent::Start { .. }));
        assert!(matches!(found.pop(), Some(StreamEvent::Error { .. })));
        assert_eq!(serde_json::to_value(found).unwrap(), expected);
    }
}

fn event(name: &str, data: Value) -> Value {
    run_event(name, "run-1", data)
}

fn run_event(name: &str, run_id: &str, data: Value) -> Value {
    json!({ "event": name, "run_id": run_id, "name": "Model", "tags": [],
        "metadata": { "ls_model_name": "claude" }, "data": data })
}

fn stream(chunk: Value) -> Value {
    event("on_chat_model_stream", json!({ "chunk": chunk }))
}

/// A message as it stands.
fn plain(message: Value) -> Value {
    message
}

/// A message as LangChain writes it down.
fn serialized(message: Value) -> Value {
    json!({ "lc": 1, "type": "constructor",
        "id": ["langchain_core", "messages", "AIMessageChunk"], "kwargs": message })
}

/// A chunk with everything that LangChain fills in.
fn chunk(content: Value) -> Value {
    json!({ "content": content, "additional_kwargs": {},
        "response_metadata": { "model_provider": "anthropic" }, "tool_calls": [],
        "invalid_tool_calls": [], "tool_call_chunks": [] })
}

fn block(block: Value) -> Value {
    chunk(json!([block]))
}

/// The first chunk of a model, which has nothing to say yet.
fn first() -> Value {
    let mut message = chunk(json!([]));
    message["id"] = json!("msg_1");
    message["additional_kwargs"] = json!({ "id": "msg_1", "type": "message", "model": "claude" });
    message
}

fn text(index: u64, text: &str) -> Value {
    block(json!({ "index": index, "type": "text", "text": text }))
}

/// The last chunk of a model, with why it stopped.
fn stop(reason: &str) -> Value {
    let mut message = chunk(json!([]));
    message["additional_kwargs"] = json!({ "stop_reason": reason, "stop_sequence": null });
    message
}

fn raw(value: &Value) -> Value {
    json!({ "type": "raw", "value": value })
}

/// The types of these events.
fn kinds(events: &[StreamEvent]) -> Vec<String> {
    let kind = |event: &StreamEvent| {
        let event = serde_json::to_value(event).unwrap();
        event["type"].as_str().unwrap().to_owned()
    };
    events.iter().map(kind).collect()
}
