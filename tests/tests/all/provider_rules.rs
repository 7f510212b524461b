//! Rules of providers that no type expresses, each against a server on loopback that refuses the
//! way the provider does.

mod chat_completions;
mod options;
mod others;
mod responses;
mod signatures;

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind};
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Reply, Sandbox, Server};

/// One turn of a source, at a scripted server.
fn chat(sandbox: &Sandbox, source: &str, server: &Server, more: &[&str]) -> Weir {
    let url = server.url();
    let mut arguments = vec!["chat", "--json", "--source", source, "--base-url", &url];
    arguments.extend(more);
    let known = weir_core::source::source(source).unwrap();
    let weir = sandbox.weir(&arguments);
    match known.key.variable() {
        Some(variable) => weir.env(variable, Canary::new().key()),
        None => weir,
    }
}

fn stream(chunks: &[Value]) -> Reply {
    let frames = chunks.iter().map(|chunk| format!("data: {chunk}\n\n"));
    Reply::Stream(vec![Part::Send(frames.collect())])
}

/// A refusal in OpenAI's shape.
fn refused(message: &str, param: &str) -> Reply {
    let error = json!({"message": message, "type": "invalid_request_error", "param": param,
        "code": null});
    Reply::Refusal(400, json!({ "error": error }))
}

/// A folder with tools that the user trusts.
fn project(sandbox: &Sandbox) -> String {
    let folder = sandbox.home().join("project");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.to_str().unwrap().to_owned();
    sandbox.weir(&["trust", "--yes", &path]).run().code(0);
    path
}

/// What Weir itself said about the requests of a turn.
fn notes(events: &[Value]) -> Vec<&str> {
    let said = of_kind(events, "processing").into_iter().map(content);
    said.map(str::trim_end).collect()
}

/// A chunk of chat completions.
fn delta(delta: &Value) -> Value {
    json!({"id": "c1", "model": "scripted", "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(reason: &str) -> Value {
    json!({"id": "c1", "model": "scripted", "choices": [
        {"index": 0, "delta": {}, "finish_reason": reason}]})
}

/// A reply of chat completions that asks for these tools at once.
fn calls(before: &[Value], ids: &[&str]) -> Reply {
    let mut chunks = before.to_vec();
    for (index, id) in ids.iter().enumerate() {
        chunks.push(delta(
            &json!({"tool_calls": [{"index": index, "id": id, "type": "function",
            "function": {"name": "fly", "arguments": "{}"}}]}),
        ));
    }
    chunks.push(finish("tool_calls"));
    stream(&chunks)
}

/// A reply of chat completions that says something.
fn says(before: &[Value], words: &str) -> Reply {
    let mut chunks = before.to_vec();
    chunks.extend([delta(&json!({"content": words})), finish("stop")]);
    stream(&chunks)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
