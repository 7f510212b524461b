//! What each event of an agent or a provider comes to, one row each.

use serde_json::{Value, json};

use super::*;

/// The event a source sends, the stream events it is, and the chunks they come to.
type Row = (&'static str, Value, &'static [&'static str]);

#[track_caller]
fn check(rows: Vec<Row>) {
    for (name, events, expected) in rows {
        assert_eq!(briefs(&inside(events)), expected, "{name}");
    }
}

fn todos(kind: &str) -> Value {
    json!({ "type": kind, "todos": [
        { "content": "Research", "status": "completed" },
        { "content": "Write", "status": "pending" },
    ] })
}

fn todo_done() -> Value {
    json!({ "type": "todo_done", "todo": { "content": "Research", "status": "completed" } })
}

fn usage(total: bool) -> Value {
    json!({ "type": "usage", "isTotal": total, "usage": {
        "inputTokens": 10, "outputTokens": 5, "reasoningTokens": 0, "cacheReadTokens": 2,
        "cacheWriteTokens": 0, "cacheWrite5mTokens": 0, "cacheWrite1hTokens": 0,
    } })
}

const USAGE: &[&str] = &[
    r#"data-usage usage {"isTotal":false,"usage":{"cacheReadTokens":2,"cacheWrite1hTokens":0,"cacheWrite5mTokens":0,"cacheWriteTokens":0,"inputTokens":10,"outputTokens":5,"reasoningTokens":0,"totalTokens":17}}"#,
];
const USAGE_TOTAL: &[&str] = &[
    r#"data-usage usage {"isTotal":true,"usage":{"cacheReadTokens":2,"cacheWrite1hTokens":0,"cacheWrite5mTokens":0,"cacheWriteTokens":0,"inputTokens":10,"outputTokens":5,"reasoningTokens":0,"totalTokens":17}}"#,
];
const RESULT: &[&str] = &[r#"data-usage result {"stats":{"durationMs":45000,"turns":12}}"#];
const TEXT: &[&str] = &[
    "text-start text-0",
    "text-delta text-0 Hello",
    "text-end text-0",
];
const THINKING: &[&str] = &[
    "reasoning-start thinking-0 thinking",
    "reasoning-delta thinking-0 Let me think",
    "reasoning-end thinking-0",
];
const PROCESSING: &[&str] = &[
    "reasoning-start processing-0 processing",
    "reasoning-delta processing-0 Analyzing...",
    "reasoning-end processing-0",
];
const TODOS: &[&str] = &[
    "reasoning-start processing-0 processing",
    "reasoning-delta processing-0 ☑ Research\n☐ Write",
    "reasoning-end processing-0",
];
const TODO_DONE: &[&str] = &[
    "reasoning-start processing-0 processing",
    "reasoning-delta processing-0 ☑ Research",
    "reasoning-end processing-0",
];
const SUBAGENT: &[&str] = &[
    "reasoning-start thinking-0 thinking",
    "reasoning-delta thinking-0 researcher: AI safety",
    "reasoning-end thinking-0",
];
const CALL: &[&str] = &[
    "tool-input-start call_1 look",
    r#"tool-input-available call_1 look {"q":1}"#,
];
const OUTPUT: &[&str] = &[
    "tool-input-start call_1 look",
    r#"tool-input-available call_1 look {"q":1}"#,
    r#"tool-output-available call_1 {"found":2}"#,
];
const ERROR: &[&str] = &["error Overloaded"];

fn hello() -> Value {
    json!([text(0, "Hello"), text_end(0)])
}

fn think() -> Value {
    json!([thinking(0, "Let me think"), thinking_end(0)])
}

fn call() -> Value {
    json!([
        call_start(0, "call_1", "source"),
        call_end(0, json!({ "q": 1 }))
    ])
}

fn output() -> Value {
    json!([
        call_start(0, "call_1", "source"),
        call_end(0, json!({ "q": 1 })),
        result("call_1", json!({ "found": 2 })),
    ])
}

fn run_result() -> Value {
    json!([{ "type": "result", "durationMs": 45000, "turns": 12 }])
}

#[test]
fn claude_events_of_the_api() {
    let began = json!([{ "type": "text_start", "id": 0 }]);
    let thought = json!([{ "type": "thinking_start", "id": 0 }]);
    let input = json!([
        call_start(0, "call_1", "weir"),
        { "type": "tool_use_delta", "id": 0, "json": "{\"q\"" },
        { "type": "tool_use_delta", "id": 0, "json": ":1}" },
        call_end(0, json!({ "q": 1 })),
    ]);
    check(vec![
        (
            "content_block_start (text)",
            began,
            &["text-start text-0", "text-end text-0"],
        ),
        ("content_block_delta (text_delta)", hello(), TEXT),
        ("content_block_stop", hello(), TEXT),
        (
            "content_block_start (thinking)",
            thought,
            &[
                "reasoning-start thinking-0 thinking",
                "reasoning-end thinking-0",
            ],
        ),
        ("content_block_delta (thinking_delta)", think(), THINKING),
        ("content_block_start (tool_use)", call(), CALL),
        (
            "content_block_delta (input_json_delta)",
            input,
            &[
                "tool-input-start call_1 look",
                "tool-input-delta call_1",
                "tool-input-delta call_1",
                r#"tool-input-available call_1 look {"q":1}"#,
            ],
        ),
        ("content_block_stop (tool)", call(), CALL),
        ("message_delta (usage)", json!([usage(false)]), USAGE),
        ("error", json!([error("Overloaded")]), ERROR),
    ]);
}

#[test]
fn claude_events_of_the_agent_sdk() {
    check(vec![
        ("status", json!([status("Analyzing...")]), PROCESSING),
        ("text", hello(), TEXT),
        ("thinking", think(), THINKING),
        ("think", think(), THINKING),
        ("tool_use", call(), CALL),
        ("tool_result", output(), OUTPUT),
        ("todo_create", json!([todos("todo_create")]), TODOS),
        ("todo_update", json!([todos("todo_update")]), TODOS),
        ("TodoWrite tool", json!([todos("todo_update")]), TODOS),
        (
            "subagent_spawn",
            json!([status("Analyzing...")]),
            PROCESSING,
        ),
        ("result", run_result(), RESULT),
    ]);
}

#[test]
fn deepagents_events() {
    check(vec![
        ("status", json!([status("Analyzing...")]), PROCESSING),
        ("text", hello(), TEXT),
        ("thinking", think(), THINKING),
        ("think", think(), THINKING),
        ("todos", json!([todos("todo_create")]), TODOS),
        ("todo_create", json!([todos("todo_create")]), TODOS),
        ("todo_update", json!([todos("todo_update")]), TODOS),
        ("todo_done", json!([todo_done()]), TODO_DONE),
        (
            "subagent_start",
            json!([subagent_start("researcher", "AI safety")]),
            SUBAGENT,
        ),
        (
            "subagent_complete",
            json!([subagent_end("researcher", "AI safety")]),
            SUBAGENT,
        ),
        ("search", call(), CALL),
        ("search_result", output(), OUTPUT),
        ("tool_use", call(), CALL),
        ("tool_call_start", call(), CALL),
        ("tool_result", output(), OUTPUT),
        ("usage", json!([usage(false)]), USAGE),
        ("usage_total", json!([usage(true)]), USAGE_TOTAL),
        ("result", run_result(), RESULT),
        ("error", json!([error("Overloaded")]), ERROR),
    ]);
}

#[test]
fn events_of_every_agent() {
    check(vec![
        ("status", json!([status("Analyzing...")]), PROCESSING),
        ("text", hello(), TEXT),
        ("thinking", think(), THINKING),
        ("think", think(), THINKING),
        ("tool_use", call(), CALL),
        ("tool_result", output(), OUTPUT),
        ("error", json!([error("Overloaded")]), ERROR),
    ]);
}

#[test]
fn openai_and_gemini_events() {
    check(vec![
        ("openai delta", hello(), TEXT),
        ("openai tool_call", call(), CALL),
        ("openai tool_result", output(), OUTPUT),
        ("openai done (usage)", json!([usage(false)]), USAGE),
        ("gemini content", hello(), TEXT),
        ("gemini function_call", call(), CALL),
        ("gemini function_response", output(), OUTPUT),
        ("gemini done (usage)", json!([usage(false)]), USAGE),
    ]);
}

/// `message_start` and every `start`; `message_stop` and every `done`.
#[test]
fn the_first_and_the_last_chunks() {
    let events = json!([
        { "type": "start", "messageId": "msg_1", "model": "m" },
        text(0, "Hello"),
        text_end(0),
        usage(false),
        done(json!("end_turn")),
    ]);
    let chunks = read(events);
    let kinds: Vec<&str> = chunks.iter().map(kind).collect();
    let expected = [
        "start",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "data-usage",
        "finish-step",
        "finish",
    ];
    assert_eq!(kinds, expected);
    let start =
        json!({ "type": "start", "messageId": "msg_1", "messageMetadata": { "model": "m" } });
    assert_eq!(chunks[0], start);
    let finish = chunks.last().unwrap();
    assert_eq!(finish["finishReason"], "stop");
    let metadata = &finish["messageMetadata"];
    assert_eq!(metadata["model"], "m");
    assert_eq!(metadata["stopReason"], "end_turn");
    assert_eq!(metadata["usage"]["totalTokens"], 17);
}

/// The block that each event goes to, by its id and its variant.
#[test]
fn where_reasoning_goes() {
    let rows = [
        ("status", status("x"), "processing"),
        ("todos", todos("todo_create"), "processing"),
        ("todo_create", todos("todo_create"), "processing"),
        ("todo_update", todos("todo_update"), "processing"),
        ("todo_done", todo_done(), "processing"),
        ("think", thinking(0, "x"), "thinking"),
        ("thinking", thinking(0, "x"), "thinking"),
        ("subagent_start", subagent_start("a", "x"), "thinking"),
        ("subagent_complete", subagent_end("a", "x"), "thinking"),
    ];
    for (name, event, variant) in rows {
        let chunks = inside(json!([event]));
        let start = json!({
            "type": "reasoning-start", "id": format!("{variant}-0"),
            "providerMetadata": { "weir": { "variant": variant } },
        });
        assert_eq!(chunks[0], start, "{name}");
        assert_eq!(chunks[1]["id"], start["id"], "{name}");
        assert_eq!(chunks.len(), 3, "{name}");
    }
    assert_eq!(inside(hello())[0]["id"], "text-0", "text");
}
