//! Streams in the Anthropic dialect, written piece by piece.

use serde_json::{Value, json};

/// One event as its bytes.
pub fn event(data: &Value) -> String {
    let name = data["type"].as_str().expect("an event has a type");
    format!("event: {name}\ndata: {data}\n\n")
}

pub fn message_start() -> String {
    event(&json!({
        "type": "message_start",
        "message": {
            "id": "msg_scripted", "type": "message", "role": "assistant", "content": [],
            "model": "claude-scripted", "stop_reason": null, "stop_sequence": null,
            "usage": {
                "input_tokens": 11, "output_tokens": 1,
                "cache_read_input_tokens": 5, "cache_creation_input_tokens": 7,
            },
        },
    }))
}

/// A whole thinking block in one delta, with its signature.
pub fn thinking(index: u32, text: &str, signature: &str) -> String {
    [
        json!({"type": "content_block_start", "index": index,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "thinking_delta", "thinking": text}}),
        json!({"type": "content_block_delta", "index": index,
            "delta": {"type": "signature_delta", "signature": signature}}),
        json!({"type": "content_block_stop", "index": index}),
    ]
    .iter()
    .map(event)
    .collect()
}

pub fn text_start(index: u32) -> String {
    event(&json!({"type": "content_block_start", "index": index,
        "content_block": {"type": "text", "text": ""}}))
}

pub fn text_delta(index: u32, text: &str) -> String {
    event(&json!({"type": "content_block_delta", "index": index,
        "delta": {"type": "text_delta", "text": text}}))
}

pub fn text(index: u32, text: &str) -> String {
    let stop = event(&json!({"type": "content_block_stop", "index": index}));
    text_start(index) + &text_delta(index, text) + &stop
}

/// The end of the message, with what it used.
pub fn message_stop() -> String {
    event(&json!({"type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": null},
        "usage": {"output_tokens": 23}}))
        + &event(&json!({"type": "message_stop"}))
}

/// A whole reply: thinking, then text.
pub fn reply(thought: &str, signature: &str, answer: &str) -> String {
    message_start() + &thinking(0, thought, signature) + &text(1, answer) + &message_stop()
}

/// A reply that asks for all of these tools at once: id, name and input of each.
pub fn calls(calls: &[(&str, &str, Value)]) -> String {
    let mut said = vec![message_start()];
    for (index, (id, name, input)) in calls.iter().enumerate() {
        let block = json!({"type": "tool_use", "id": id, "name": name, "input": {}});
        let delta = json!({"type": "input_json_delta", "partial_json": input.to_string()});
        said.extend([
            event(&json!({"type": "content_block_start", "index": index, "content_block": block})),
            event(&json!({"type": "content_block_delta", "index": index, "delta": delta})),
            event(&json!({"type": "content_block_stop", "index": index})),
        ]);
    }
    said.push(event(&json!({"type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": null},
        "usage": {"output_tokens": 5}})));
    said.push(event(&json!({"type": "message_stop"})));
    said.concat()
}
