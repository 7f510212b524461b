use serde_json::json;
use weir_protocol::Thinking;

use super::*;
use crate::source::request::{example, example_options};

#[test]
fn sends_the_whole_conversation() {
    assert_eq!(
        body(&example("llama"), &Shown::default(), &mut Vec::new()),
        json!({
            "model": "llama",
            "stream": true,
            "options": {"num_ctx": 8192},
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
        assert_eq!(
            body(&request, &Shown::default(), &mut Vec::new())["think"],
            expected,
            "{model}"
        );
    }
}

#[test]
fn options_are_named_as_the_server_names_them() {
    let mut request = example("llama");
    request.options = example_options();
    let mut notes = Vec::new();
    let sent = body(&request, &Shown::default(), &mut notes);
    assert_eq!(
        sent["options"],
        json!({"num_ctx": 8_192, "num_predict": 500, "temperature": 0.5, "top_p": 0.25,
            "stop": ["END"]})
    );
    assert_eq!(sent["tool_choice"], json!(null));
    assert_eq!(notes.len(), 2, "the level and the choice: {notes:?}");
}
