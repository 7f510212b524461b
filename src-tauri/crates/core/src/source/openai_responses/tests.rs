use serde_json::json;
use weir_protocol::Thinking;

use super::*;
use crate::source::request::{example, example_options};

#[test]
fn sends_the_whole_conversation_and_stores_nothing_there() {
    assert_eq!(
        body(&example("gpt-6.1-terra"), &mut Vec::new()),
        json!({
            "model": "gpt-6.1-terra",
            "stream": true,
            "store": false,
            "instructions": "Be brief.",
            "prompt_cache_key": "session",
            "reasoning": {"effort": "high", "summary": "auto"},
            "include": ["reasoning.encrypted_content"],
            "tools": [{"type": "function", "name": "look", "description": "Looks.",
                "parameters": {"type": "object"}, "strict": false}],
            "input": [
                {"type": "message", "role": "user", "content": [
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk=",
                        "detail": "auto"},
                    {"type": "input_text", "text": "one"},
                ]},
                {"type": "message", "role": "assistant", "content": "two"},
                {"type": "function_call", "call_id": "w1", "name": "look",
                    "arguments": "{\"at\":\"x\"}"},
                {"type": "function_call_output", "call_id": "w1", "output": "{\"seen\":1}"},
                {"type": "message", "role": "user",
                    "content": [{"type": "input_text", "text": "three"}]},
            ],
        })
    );
}

#[test]
fn models_that_cannot_reason_are_not_asked_to() {
    let mut request = example("gpt-4.1");
    request.thinking = Thinking::High;
    let body = body(&request, &mut Vec::new());
    assert_eq!(body["reasoning"], json!(null));
    assert_eq!(body["include"], json!(null));
}

#[test]
fn options_go_where_the_model_takes_them() {
    let fields = [
        "max_output_tokens",
        "temperature",
        "top_p",
        "stop",
        "tool_choice",
    ];
    let choice = json!({"type": "function", "name": "look"});
    let cases = [
        (
            "gpt-4.1",
            Thinking::Medium,
            json!([500, 0.5, 0.25, null, choice]),
            2,
        ),
        (
            "gpt-6-astra",
            Thinking::Off,
            json!([500, null, null, null, choice]),
            4,
        ),
        (
            "gpt-6.1-terra",
            Thinking::Off,
            json!([500, 0.5, 0.25, null, choice]),
            1,
        ),
        (
            "gpt-6.1-terra",
            Thinking::High,
            json!([500, null, null, null, choice]),
            3,
        ),
        (
            "gpt-5",
            Thinking::Off,
            json!([500, null, null, null, choice]),
            3,
        ),
    ];
    for (model, thinking, expected, count) in cases {
        let mut request = example(model);
        request.thinking = thinking;
        request.options = example_options();
        let mut notes = Vec::new();
        let body = body(&request, &mut notes);
        let sent: Vec<&Value> = fields.iter().map(|field| &body[*field]).collect();
        assert_eq!(json!(sent), expected, "{model} {thinking:?}");
        assert_eq!(notes.len(), count, "{model} {thinking:?}: {notes:?}");
    }
}

#[test]
fn items_of_its_own_go_back_under_their_names() {
    let thought = |detail: Value, signature: Option<&str>| Block::ThinkingItem {
        content: "hm".into(),
        signature: signature.map(str::to_owned),
        detail,
    };
    let said = |text: &str, detail: Value| Block::Text {
        text: text.into(),
        signature: None,
        detail: Some(detail),
    };
    let message = Message {
        role: Role::Assistant,
        blocks: vec![
            thought(json!({"id": "rs_1"}), Some("sealed")),
            said("a", json!({"id": "msg_1", "phase": "commentary"})),
            said("b", json!({"id": "msg_1", "phase": "commentary"})),
            said("c", json!({"id": "msg_2"})),
            Block::text("another's"),
            // What no id or no seal came with cannot go back as an item.
            thought(json!({"id": "rs_2"}), None),
            thought(json!({}), Some("sealed")),
            said("odd", json!({"id": "no id, but a sentence"})),
        ],
    };
    let part = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    assert_eq!(
        json!(items(&message)),
        json!([
            {"type": "reasoning", "id": "rs_1", "encrypted_content": "sealed",
                "summary": [{"type": "summary_text", "text": "hm"}]},
            {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant",
                "phase": "commentary", "content": [part("a"), part("b")]},
            {"type": "message", "id": "msg_2", "status": "completed", "role": "assistant",
                "content": [part("c")]},
            {"type": "message", "role": "assistant", "content": "another's"},
            {"type": "message", "role": "assistant", "content": "odd"},
        ])
    );
}
