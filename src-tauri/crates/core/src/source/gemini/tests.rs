use serde_json::json;
use weir_protocol::Thinking;

use super::*;
use crate::source::request::{example, example_options};

#[test]
fn sends_the_whole_conversation_with_its_seals() {
    assert_eq!(
        body(&example("gemini-3.8-flash"), &mut Vec::new()),
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "generationConfig": {"thinkingConfig": {
                "includeThoughts": true, "thinkingLevel": "high",
            }},
            "tools": [{"functionDeclarations": [{
                "name": "look", "description": "Looks.", "parametersJsonSchema": {"type": "object"},
            }]}],
            "contents": [
                {"role": "user", "parts": [
                    {"inlineData": {"mimeType": "image/png", "data": "aGk="}},
                    {"text": "one"},
                ]},
                {"role": "model", "parts": [
                    {"text": "hm", "thought": true, "thoughtSignature": "seal"},
                    {"text": "two", "thoughtSignature": "text-seal"},
                    {"functionCall": {"name": "look", "args": {"at": "x"}},
                     "thoughtSignature": "tool-seal"},
                ]},
                {"role": "user", "parts": [
                    {"functionResponse": {"name": "look", "response": {"seen": 1}}},
                    {"text": "three"},
                ]},
            ],
        })
    );
}

#[test]
fn asks_each_model_for_thinking_in_its_own_way() {
    let level =
        |level: &str, shown: bool| json!({"includeThoughts": shown, "thinkingLevel": level});
    let budget =
        |budget: u32, shown: bool| json!({"includeThoughts": shown, "thinkingBudget": budget});
    let cases = [
        ("gemini-2.0-flash", Thinking::High, None),
        ("learnlm", Thinking::High, None),
        ("gemini-2.5-flash", Thinking::Off, Some(budget(0, false))),
        ("gemini-2.5-pro", Thinking::Off, Some(budget(128, false))),
        (
            "gemini-2.5-pro",
            Thinking::Tokens(3_000),
            Some(budget(3_000, true)),
        ),
        (
            "models/gemini-4-carbon",
            Thinking::Off,
            Some(level("low", false)),
        ),
        (
            "gemini-3.6-flash",
            Thinking::Off,
            Some(level("minimal", false)),
        ),
        (
            "gemini-4-hydrogen",
            Thinking::Medium,
            Some(level("medium", true)),
        ),
    ];
    for (model, wanted, expected) in cases {
        let request = StepRequest {
            model: model.into(),
            thinking: wanted,
            ..StepRequest::default()
        };
        let asked = thinking(&request, &mut Vec::new());
        assert_eq!(asked, expected, "{model} {wanted:?}");
    }
}

#[test]
fn a_model_must_be_a_name() {
    assert_eq!(
        plain_name("models/gemini-4-argon").unwrap(),
        "gemini-4-argon"
    );
    for model in ["", "../files", "a/b", "a?key=x", "a:generateContent", "a b"] {
        assert!(plain_name(model).is_err(), "{model}");
    }
}

#[test]
fn options_are_part_of_the_configuration() {
    let mut request = example("gemini-2.0-flash");
    request.options = example_options();
    let sent = body(&request, &mut Vec::new());
    assert_eq!(
        sent["generationConfig"],
        json!({"maxOutputTokens": 500, "temperature": 0.5, "topP": 0.25,
            "stopSequences": ["END"]})
    );
    let look = json!({"mode": "ANY", "allowedFunctionNames": ["look"]});
    assert_eq!(sent["toolConfig"], json!({"functionCallingConfig": look}));
}

/// A reply that a tool of another kind made alone, or of which nothing can be sent.
#[test]
fn no_message_is_without_parts_and_neighbours_of_one_role_are_one() {
    let user = |text: &str| Message {
        role: Role::User,
        blocks: vec![Block::text(text)],
    };
    let request = StepRequest {
        model: "gemini-3.8-flash".into(),
        messages: vec![
            user("one"),
            Message {
                role: Role::Assistant,
                blocks: vec![Block::Reasoning("hm".into()), Block::Redacted("x".into())],
            },
            user("two"),
        ],
        ..StepRequest::default()
    };
    let expected = json!([{"role": "user", "parts": [{"text": "one"}, {"text": "two"}]}]);
    assert_eq!(body(&request, &mut Vec::new())["contents"], expected);
}
