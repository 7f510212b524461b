use serde_json::json;
use weir_protocol::Thinking;

use super::*;
use crate::source::request::example;

#[test]
fn sends_the_whole_conversation_and_stores_nothing_there() {
    assert_eq!(
        body(&example("gpt-6.1-terra")),
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
                    {"type": "input_image", "image_url": "data:image/png;base64,aGk="},
                    {"type": "input_text", "text": "one"},
                ]},
                {"type": "reasoning", "encrypted_content": "seal",
                    "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": "two"}]},
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
    let body = body(&request);
    assert_eq!(body["reasoning"], json!(null));
    assert_eq!(body["include"], json!(null));
}
