//! One case for each kind of message that a proxy of Claude Code tells apart.

use super::*;

#[test]
fn message_start_is_the_stream_s_metadata() {
    check(&[message_start("m")], json!([start_event("m")]));
}

#[test]
fn content_block_start_is_the_block_s_metadata() {
    check(
        &[start(0, text_block("")), stop(0)],
        json!([{ "type": "text_start", "id": 0 }, { "type": "text_end", "id": 0 }]),
    );
}

#[test]
fn content_block_delta_is_a_piece_of_text() {
    // As the proxy's own documentation has it: no index, nothing announced.
    let delta = json!({ "type": "text_delta", "text": "Hello" });
    check(
        &[piece(
            json!({ "type": "content_block_delta", "delta": delta }),
        )],
        json!(text_events(0, &["Hello"])),
    );
}

#[test]
fn content_block_stop_is_the_end_of_a_block() {
    check_last(
        &[start(0, text_block("")), text_delta(0, "a"), stop(0)],
        json!([]),
    );
    check(
        &[text_delta(0, "a"), stop(0), text_delta(0, "b")],
        json!([text_events(0, &["a"]), text_events(1, &["b"])].concat()),
    );
}

#[test]
fn message_delta_is_usage_and_the_stop_reason() {
    let usage = json!({ "input_tokens": 3, "output_tokens": 9 });
    let delta = json!({ "stop_reason": "max_tokens" });
    let line = piece(json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    let summary = summary(&[message_start("m"), line, message_stop(), result()]);
    assert_eq!(summary.usage.unwrap().total_tokens, 12);
    let reason = serde_json::to_value(summary.stop_reason).unwrap();
    assert_eq!(reason, "max_tokens");
}

#[test]
fn message_stop_ends_a_message_and_not_the_run() {
    check(
        &[text_delta(0, "a"), message_stop()],
        json!(text_events(0, &["a"])),
    );
    assert!(!summary(&[text_delta(0, "a"), message_stop()]).complete);
}

#[test]
fn message_in_the_old_format_is_a_complete_message() {
    let line = json!({ "type": "message", "role": "assistant", "content": [
        text_block("Hi"), call("t", "Bash", json!({ "command": "ls" })),
    ]});
    let summary = summary(&[line.clone(), line]);
    assert_eq!(summary.text, "HiHi");
    assert_eq!(summary.tool_calls.len(), 1);
    let plain = json!({ "type": "message", "role": "assistant", "content": "Hello" });
    assert_eq!(super::summary(&[plain]).text, "Hello");
}

#[test]
fn result_in_the_old_format_is_the_stats_of_the_run() {
    let line = json!({ "type": "result", "subtype": "success", "cost_usd": 0.5, "is_error": false,
        "duration_ms": 1200, "num_turns": 2, "result": "Hi", "session_id": "s" });
    check(
        &[assistant("m", json!([text_block("Hi")])), line],
        json!(
            [
                vec![start_event("m")],
                text_events(0, &["Hi"]),
                vec![
                    json!({ "type": "result", "sessionId": "s", "durationMs": 1200, "turns": 2,
                    "cost": 0.5 }),
                    json!({ "type": "done", "stopReason": "end_turn" }),
                ],
            ]
            .concat()
        ),
    );
}

const PROXIED: &str = "event: message\n\
data: {\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"claude\"}}}\n\n\
event: message\n\
data: {\"type\":\"stream_event\",\"event\":{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"Hello\"}}}\n\n\
: still here\n\n\
event: message\n\
data: {\"type\":\"stream_event\",\"event\":{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":5}}}\n\n";

fn proxied(rest: &str) -> Vec<Value> {
    events(&[json!(PROXIED), json!(rest)])
}

#[test]
fn lines_as_a_proxy_sends_them() {
    let found = proxied(
        "event: complete\ndata: {\"status\":\"success\",\"duration\":5000,\"messageCount\":3}\n\n",
    );
    let kinds: Vec<&str> = found.iter().map(|e| e["type"].as_str().unwrap()).collect();
    let expected = [
        "start",
        "text_start",
        "text_delta",
        "usage",
        "text_end",
        "result",
        "done",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(found[5]["durationMs"], 5000);
    assert_eq!(found[6]["stopReason"], "end_turn");
}

#[test]
fn errors_as_a_proxy_sends_them() {
    let table = [
        (
            "event: error\ndata: the agent is gone\n\n",
            "the agent is gone",
        ),
        (
            "event: error\ndata: {\"error\":\"no agent\"}\n\n",
            "no agent",
        ),
        (
            "event: error\ndata: {\"message\":\"no agent\"}\n\n",
            "no agent",
        ),
        (
            "event: complete\ndata: {\"status\":\"error\",\"duration\":1,\"error\":\"exit 1\"}\n\n",
            "exit 1",
        ),
    ];
    for (rest, message) in table {
        let found = proxied(rest);
        let error = found.iter().find(|event| event["type"] == "error");
        assert_eq!(error.unwrap()["error"]["message"], message);
    }
}

#[test]
fn assistant_user_system_error_tool_and_response_messages() {
    let error = json!({ "type": "error", "error": { "type": "overloaded", "message": "No." } });
    let init = json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "claude" });
    let table = [
        (init, "start"),
        (assistant("m", json!([text_block("a")])), "text_delta"),
        (
            assistant("m", json!([call("t", "Read", json!({}))])),
            "tool_use_end",
        ),
        (answer("t", json!("seen")), "tool_result"),
        (error, "error"),
        (result(), "result"),
    ];
    for (line, expected) in table {
        let found = events(std::slice::from_ref(&line));
        assert!(
            found.iter().any(|event| event["type"] == expected),
            "{line}"
        );
    }
}
