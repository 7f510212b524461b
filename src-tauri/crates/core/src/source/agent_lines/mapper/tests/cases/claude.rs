//! The events of Claude's own stream.

use super::*;

fn block(block: Value) -> Value {
    json!({ "type": "content_block_start", "index": 0, "content_block": block })
}

fn piece(delta: Value) -> Value {
    json!({ "type": "content_block_delta", "index": 0, "delta": delta })
}

fn stop() -> Value {
    json!({ "type": "content_block_stop", "index": 0 })
}

pub(crate) fn message_start() -> Case {
    Case::new(
        [json!({ "type": "message_start", "message": { "id": "m", "model": "claude" } })],
        json!([{ "type": "start", "messageId": "m", "model": "claude" }]),
    )
}

pub(crate) fn content_block_start_text() -> Case {
    Case::new([block(json!({ "type": "text" }))], words("text", &[]))
}

pub(crate) fn content_block_delta_text_delta() -> Case {
    let delta = piece(json!({ "type": "text_delta", "text": "Hello" }));
    Case::new(
        [block(json!({ "type": "text" })), delta],
        words("text", &["Hello"]),
    )
}

pub(crate) fn content_block_stop() -> Case {
    let delta = piece(json!({ "type": "text_delta", "text": "Hello" }));
    let after = line("status", json!({ "message": "after" }));
    let mut expected = words("text", &["Hello"]);
    let after_event = json!({ "type": "status", "message": "after" });
    expected.as_array_mut().unwrap().push(after_event);
    Case::new([delta, stop(), after], expected)
}

pub(crate) fn content_block_start_thinking() -> Case {
    Case::new(
        [block(json!({ "type": "thinking" }))],
        words("thinking", &[]),
    )
}

pub(crate) fn content_block_delta_thinking_delta() -> Case {
    let delta = piece(json!({ "type": "thinking_delta", "thinking": "Well" }));
    Case::new([delta], words("thinking", &["Well"]))
}

fn tool_block() -> Value {
    block(json!({ "type": "tool_use", "id": "t", "name": "look", "input": {} }))
}

pub(crate) fn content_block_start_tool_use() -> Case {
    Case::new(
        [tool_block()],
        json!(call_events(0, "t", "look", json!({}))),
    )
}

pub(crate) fn content_block_delta_input_json_delta() -> Case {
    let delta = piece(json!({ "type": "input_json_delta", "partial_json": "{\"a\":1}" }));
    let [start, end] = call_events(0, "t", "look", json!({ "a": 1 }));
    let told = json!({ "type": "tool_use_delta", "id": 0, "json": "{\"a\":1}" });
    Case::new([tool_block(), delta], json!([start, told, end]))
}

pub(crate) fn content_block_stop_tool() -> Case {
    let answer = line("tool_result", json!({ "content": "seen" }));
    let asked = call_events(0, "t", "look", json!({}));
    let answered = answer_event("t", "look", json!("seen"));
    Case::new(
        [tool_block(), stop(), answer],
        json!([&asked[..], &[answered]].concat()),
    )
}

pub(crate) fn message_delta_usage() -> Case {
    let used = json!({ "input_tokens": 3, "output_tokens": 9 });
    let delta = json!({ "stop_reason": "end_turn" });
    Case::new(
        [json!({ "type": "message_delta", "delta": delta, "usage": used })],
        json!([{ "type": "usage", "usage": usage(3, 9) }]),
    )
}

pub(crate) fn message_stop() -> Case {
    let delta = json!({ "stop_reason": "end_turn" });
    Case::new(
        [
            json!({ "type": "message_delta", "delta": delta }),
            json!({ "type": "message_stop" }),
        ],
        json!([{ "type": "done", "stopReason": "end_turn" }]),
    )
}

pub(crate) fn error_of_claude() -> Case {
    let error = json!({ "type": "overloaded_error", "message": "Overloaded" });
    Case::new(
        [json!({ "type": "error", "error": error })],
        json!([{ "type": "error",
            "error": { "code": "overloaded", "message": "Overloaded" } }]),
    )
}
