//! Streams are written here by hand, as small as shows the case.

use proptest::prelude::*;
use serde_json::{Value, json};
use weir_protocol::{StreamEvent, Summary};

use super::DIALECT;
use crate::source::dialect::testing::{self, kinds};
use crate::source::summary::summarize;

mod agents;
mod laws;
mod mapping;
mod providers;

fn read(events: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, events)
}

fn summary(events: &[Value]) -> Summary {
    testing::summary(&DIALECT, events)
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
        assert_eq!(testing::after_start(read(&events)), expected);
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
