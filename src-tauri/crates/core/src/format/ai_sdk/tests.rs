//! Events in, chunks out. The real reader of these chunks is asked by the tests of the whole
//! program; here stands what it cannot say: which chunk an event comes to.

mod chunks;
mod laws;
mod rows;
mod transitions;

use serde_json::{Value, json};
use weir_protocol::StreamEvent;

use super::AiSdk;

/// The whole stream that `events` come to.
fn format(events: &[StreamEvent]) -> String {
    let mut format = AiSdk::new();
    let mut out = Vec::new();
    for event in events {
        format.write(event, &mut out);
    }
    format.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// Its chunks; each is one event of one line, and `[DONE]` is the last.
fn chunks(stream: &str) -> Vec<Value> {
    let events = stream.strip_suffix("data: [DONE]\n\n").unwrap();
    let lines = events.split_terminator("\n\n");
    let data = lines.map(|line| line.strip_prefix("data: ").unwrap());
    data.map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

fn read(events: Value) -> Vec<Value> {
    let events: Vec<StreamEvent> = serde_json::from_value(events).unwrap();
    chunks(&format(&events))
}

/// What `events` come to between the stream's own first and last chunks.
fn inside(events: Value) -> Vec<Value> {
    let frame = ["start", "start-step", "finish-step", "finish", "abort"];
    let mut chunks = read(events);
    chunks.retain(|chunk| !frame.contains(&kind(chunk)));
    chunks
}

fn kind(chunk: &Value) -> &str {
    chunk["type"].as_str().unwrap()
}

/// A chunk in one line: its type, and the fields that tell it from others of its type.
fn brief(chunk: &Value) -> String {
    let fields = [
        "/messageId",
        "/id",
        "/toolCallId",
        "/toolName",
        "/input",
        "/output",
        "/delta",
        "/providerMetadata/weir/variant",
        "/data",
        "/errorText",
        "/finishReason",
    ];
    let mut brief = kind(chunk).to_owned();
    for value in fields.iter().filter_map(|field| chunk.pointer(field)) {
        brief.push(' ');
        let text = value.as_str().map(str::trim_end);
        brief.push_str(&text.map_or_else(|| value.to_string(), str::to_owned));
    }
    brief
}

fn briefs(chunks: &[Value]) -> Vec<String> {
    chunks.iter().map(brief).collect()
}

fn text(id: u32, text: &str) -> Value {
    json!({ "type": "text_delta", "id": id, "text": text })
}

fn text_end(id: u32) -> Value {
    json!({ "type": "text_end", "id": id })
}

fn thinking(id: u32, text: &str) -> Value {
    json!({ "type": "thinking_delta", "id": id, "text": text })
}

fn thinking_end(id: u32) -> Value {
    json!({ "type": "thinking_end", "id": id, "signature": null, "redacted": null })
}

fn status(message: &str) -> Value {
    json!({ "type": "status", "message": message })
}

fn subagent_start(name: &str, task: &str) -> Value {
    json!({ "type": "subagent_start", "subagentId": null, "name": name, "task": task })
}

fn subagent_end(name: &str, summary: &str) -> Value {
    json!({ "type": "subagent_end", "subagentId": null, "name": name, "summary": summary,
        "isError": false })
}

fn start(id: &str) -> Value {
    json!({ "type": "start", "messageId": id, "model": null })
}

fn call_start(block: u32, id: &str, by: &str) -> Value {
    json!({ "type": "tool_use_start", "id": block, "toolCallId": id, "name": "look",
        "executedBy": by })
}

fn call_end(block: u32, input: Value) -> Value {
    json!({ "type": "tool_use_end", "id": block, "input": input })
}

fn result(id: &str, result: Value) -> Value {
    json!({ "type": "tool_result", "toolCallId": id, "name": "look", "result": result,
        "isError": false })
}

fn error(message: &str) -> Value {
    json!({ "type": "error", "error": { "code": "overloaded", "message": message } })
}

fn done(stop_reason: Value) -> Value {
    json!({ "type": "done", "stopReason": stop_reason })
}
