use super::*;

/// As it is sent.
fn body(request: &StepRequest) -> Value {
    let mut request = request.clone();
    fit_call_ids(&mut request);
    super::body(&request, &mut Vec::new())
}

use crate::source::ToolDefinition;
use crate::source::request::{example, example_options};

#[test]
fn claude_gets_everything() {
    let point = json!({"cachePoint": {"type": "default"}});
    assert_eq!(
        body(&example("us.anthropic.claude-sonnet-4-5-20250929-v1:0")),
        json!({
            "system": [{"text": "Be brief."}, point],
            "messages": [
                {"role": "user", "content": [
                    {"image": {"format": "png", "source": {"bytes": "aGk="}}},
                    {"text": "one"},
                    point,
                ]},
                {"role": "assistant", "content": [
                    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "seal"}}},
                    {"reasoningContent": {"redactedContent": "sealed"}},
                    {"text": "two"},
                    {"toolUse": {"toolUseId": "w1", "name": "look", "input": {"at": "x"}}},
                ]},
                {"role": "user", "content": [
                    {"toolResult": {"toolUseId": "w1", "content": [{"text": "{\"seen\":1}"}],
                        "status": "success"}},
                    {"text": "three"},
                    point,
                ]},
            ],
            "toolConfig": {"tools": [{"toolSpec": {
                "name": "look", "description": "Looks.", "inputSchema": {"json": {"type": "object"}},
            }}]},
            "inferenceConfig": {"maxTokens": 40_000},
            "additionalModelRequestFields": {
                "thinking": {"type": "enabled", "budget_tokens": 24_000},
            },
        })
    );
}

#[test]
fn others_get_no_cache_points_no_foreign_thinking_and_no_status() {
    let body = self::body(&example("meta.llama4-maverick-17b-instruct-v1:0"));
    let text = body.to_string();
    for word in [
        "cachePoint",
        "reasoningContent",
        "status",
        "additionalModelRequestFields",
    ] {
        assert!(!text.contains(word), "{word}: {text}");
    }
    let effort = |model: &str| self::body(&example(model))["additionalModelRequestFields"].clone();
    assert_eq!(
        effort("openai.gpt-oss-120b-1:0"),
        json!({"reasoning_effort": "high"})
    );
    assert_eq!(
        effort("global.amazon.nova-2-lite-v1:0"),
        json!({"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "high"}})
    );
    assert_eq!(effort("amazon.nova-pro-v1:0"), Value::Null);
}

#[test]
fn options_go_where_the_model_takes_them() {
    let sent = |model: &str, thinking: Thinking| {
        let mut request = example(model);
        request.options = example_options();
        // Room to think in.
        request.options.max_tokens = Some(5_000);
        request.thinking = thinking;
        let mut notes = Vec::new();
        let body = super::body(&request, &mut notes);
        let choice = body["toolConfig"]["toolChoice"].clone();
        (body["inferenceConfig"].clone(), choice, notes.len())
    };
    let all =
        json!({"maxTokens": 5_000, "temperature": 0.5, "topP": 0.25, "stopSequences": ["END"]});
    let choice = json!({"tool": {"name": "look"}});
    let llama = "meta.llama4-maverick-17b-instruct-v1:0";
    let expected = (all.clone(), choice.clone(), 1);
    assert_eq!(sent(llama, Thinking::Medium), expected);
    let expected = (all.clone(), choice.clone(), 0);
    let nova = "global.amazon.nova-2-lite-v1:0";
    assert_eq!(sent(nova, Thinking::Low), expected);
    // It refuses the others beside its highest effort.
    let stops = json!({"stopSequences": ["END"]});
    assert_eq!(sent(nova, Thinking::High), (stops, choice.clone(), 3));
    let claude = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
    let (inference, chosen, _) = sent(claude, Thinking::Off);
    assert_eq!(inference["temperature"], 0.5);
    assert_eq!(inference.get("topP"), None, "one of the two");
    assert_eq!(chosen, choice);
    let (inference, chosen, _) = sent(claude, Thinking::High);
    assert_eq!(inference.get("temperature"), None);
    assert_eq!(
        chosen,
        Value::Null,
        "while it thinks, it decides for itself"
    );
    // The newest decide for themselves always, and so does this one in Converse.
    for model in [
        "global.anthropic.claude-sonnet-5-5",
        "us.anthropic.claude-opus-5-5",
        "global.anthropic.claude-haiku-5-5-v1:0",
        "openai.gpt-oss-120b-1:0",
    ] {
        let (_, chosen, _) = sent(model, Thinking::Off);
        assert_eq!(chosen, Value::Null, "{model}");
    }
}

/// Some models write less at Bedrock than in Anthropic's own API.
#[test]
fn a_limit_of_tokens_is_lowered_to_what_bedrock_allows() {
    let mut request = example("anthropic.claude-sonnet-4-6");
    request.options.max_tokens = Some(100_000);
    let mut notes = Vec::new();
    let body = super::body(&request, &mut notes);
    assert_eq!(body["inferenceConfig"]["maxTokens"], 64_000);
    assert!(notes[0].contains("was lowered"), "{notes:?}");
}

/// What another source left behind: blank texts, odd ids, results before words, tools gone.
#[test]
fn a_session_from_elsewhere_is_made_acceptable() {
    let odd = "call:with spaces and / and more than sixty-four characters, which is too long";
    let call = |id: &str| Block::ToolUse {
        tool_call_id: id.into(),
        name: "mcp.look at".into(),
        input: json!("not an object"),
        executed_by: ExecutedBy::Weir,
        signature: None,
        detail: None,
    };
    let result = |id: &str| Block::ToolResult {
        tool_call_id: id.into(),
        name: "mcp.look at".into(),
        result: json!(""),
        is_error: true,
        executed_by: ExecutedBy::Weir,
        detail: None,
    };
    let message = |role: Role, blocks: Vec<Block>| Message { role, blocks };
    let request = StepRequest {
        model: "anthropic.claude-sonnet-5-5".into(),
        system: Some(" ".into()),
        messages: vec![
            message(Role::User, vec![Block::text("one"), Block::text(" \n")]),
            message(Role::Assistant, vec![Block::Reasoning("hm".into())]),
            message(Role::User, vec![Block::text("two")]),
            message(Role::Assistant, vec![call(odd), call("fine-1")]),
            message(
                Role::User,
                vec![Block::text("so"), result(odd), result("fine-1")],
            ),
        ],
        ..StepRequest::default()
    };
    let body = self::body(&request);
    assert_eq!(body.get("system"), None);
    let roles: Vec<&str> = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let calls = &body["messages"][1]["content"];
    let id = calls[0]["toolUse"]["toolUseId"].as_str().unwrap();
    assert!(id.starts_with("call_") && id.len() <= 64);
    assert_eq!(calls[1]["toolUse"]["toolUseId"], "fine-1");
    assert_eq!(calls[0]["toolUse"]["name"], "mcp_look_at");
    assert_eq!(
        calls[0]["toolUse"]["input"],
        json!({"input": "not an object"})
    );
    let answers = &body["messages"][2]["content"];
    assert_eq!(answers[0]["toolResult"]["toolUseId"], id);
    assert_eq!(
        answers[0]["toolResult"]["content"],
        json!([{"text": "(nothing)"}])
    );
    assert_eq!(answers[2], json!({"text": "so"}));
    let tools = body["toolConfig"]["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1, "the API wants every called tool described");
    assert_eq!(tools[0]["toolSpec"]["name"], "mcp_look_at");
    let with_tools = StepRequest {
        tools: vec![ToolDefinition {
            name: "other".into(),
            description: String::new(),
            schema: json!({"type": "object"}),
        }],
        ..request
    };
    let tools = self::body(&with_tools)["toolConfig"]["tools"].clone();
    assert_eq!(
        tools,
        json!([{"toolSpec": {"name": "other", "inputSchema": {"json": {"type": "object"}}}}])
    );
}
