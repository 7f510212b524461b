//! What holds for every stream.

use super::*;

fn claude(kind: &str, more: Value) -> Value {
    let mut line = json!({ "type": kind, "index": 0 });
    for (field, value) in more.as_object().unwrap() {
        line[field] = value.clone();
    }
    line
}

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let tool = json!({ "type": "tool_use", "id": "u", "name": "look", "input": {} });
    let block = |block: Value| claude("content_block_start", json!({ "content_block": block }));
    let delta = |delta: Value| claude("content_block_delta", json!({ "delta": delta }));
    let stop = || claude("content_block_stop", json!({}));
    vec![
        line("start", json!({ "model": "m" })),
        line("status", json!({ "message": "grün" })),
        line(
            "todo_create",
            json!({ "items": ["Ä", { "content": "猫" }] }),
        ),
        line(
            "todo_update",
            json!({ "index": 0, "status": "in_progress" }),
        ),
        line("todo_done", json!({ "index": 0 })),
        line("thinking", json!({ "content": "grün " })),
        line("think", json!({ "thought": "猫" })),
        claude("message_start", json!({ "message": { "id": "m" } })),
        block(json!({ "type": "text" })),
        delta(json!({ "type": "text_delta", "text": "ein Wörtchen 🦀" })),
        stop(),
        delta(json!({ "type": "thinking_delta", "thinking": "ä" })),
        stop(),
        block(tool),
        delta(json!({ "type": "input_json_delta", "partial_json": "{}" })),
        stop(),
        claude("message_stop", json!({})),
        line("tool_call_start", json!({ "id": "t", "name": "schau" })),
        line("text", json!({ "content": "ß" })),
        line("text", json!({ "content": "🦀🦀" })),
        line(
            "tool_use",
            json!({ "id": "t", "name": "schau", "input": { "ß": "猫" } }),
        ),
        line("tool_result", json!({ "content": "gesehen" })),
        line(
            "tool_call",
            json!({ "id": "v", "name": "Task", "arguments": "{" }),
        ),
        line(
            "function_call",
            json!({ "name": "TodoWrite", "args": { "todos": ["Ä", null] } }),
        ),
        line(
            "function_response",
            json!({ "name": "TodoWrite", "response": "ü" }),
        ),
        line("search", json!({ "query": "猫" })),
        line("search_result", json!({ "results": [] })),
        line("subagent_spawn", json!({ "agent": "ä", "task": "ö" })),
        line("subagent_start", json!({ "agent": "ä", "task": "ö" })),
        line("subagent_complete", json!({ "agent": "ä", "result": "ü" })),
        line("usage", json!({ "input_tokens": 3, "output_tokens": 9 })),
        line("usage_total", json!({ "usage": { "input_tokens": 3 } })),
        json!({ "type": "news", "value": "🗞" }),
        line("result", json!({ "duration_ms": 5 })),
        json!("kein JSON ß\n"),
        done(),
    ]
}

fn others() -> Vec<Value> {
    let tool = json!({ "type": "tool_use", "id": "t", "name": "look", "input": {} });
    let far = json!({ "index": u64::MAX, "content_block": tool });
    vec![
        claude(
            "message_start",
            json!({ "message": { "id": "n", "content": [tool] } }),
        ),
        claude("content_block_start", far),
        claude("content_block_stop", json!({ "index": u64::MAX })),
        line(
            "todo_update",
            json!({ "index": 9, "items": ["a", { "content": 2 }] }),
        ),
        line("delta", json!("a")),
        line("content", json!({ "text": "a" })),
        line("result", json!({ "is_error": true, "message": "ö" })),
        line("error", json!({ "message": "ö" })),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::laws_of_agents);
}

#[test]
fn all_words_are_heard() {
    assert_eq!(summary(&everything()).text, "ein Wörtchen 🦀ß🦀🦀");
}
