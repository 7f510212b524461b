use serde_json::json;
use weir_protocol::Thinking;

use super::*;
use crate::source::request::example;

#[test]
fn sends_the_whole_conversation() {
    assert_eq!(
        body(&example("llama")),
        json!({
            "model": "llama",
            "stream": true,
            "tools": [{"type": "function", "function": {
                "name": "look", "description": "Looks.", "parameters": {"type": "object"},
            }}],
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "one", "images": ["aGk="]},
                {"role": "assistant", "content": "two", "tool_calls": [
                    {"function": {"name": "look", "arguments": {"at": "x"}}},
                ]},
                {"role": "tool", "tool_name": "look", "content": "{\"seen\":1}"},
                {"role": "user", "content": "three"},
            ],
        })
    );
}

#[test]
fn thinking_is_only_mentioned_where_that_is_safe() {
    let cases = [
        ("llama", Thinking::High, json!(null)),
        ("llama", Thinking::Off, json!(false)),
        ("gpt-oss:20b", Thinking::Low, json!("low")),
    ];
    for (model, wanted, expected) in cases {
        let mut request = example(model);
        request.thinking = wanted;
        assert_eq!(body(&request)["think"], expected, "{model}");
    }
}
