//! The lines of the agent's first protocol.

use super::*;

pub(super) fn msg(kind: &str, more: Value) -> Value {
    let mut msg = json!({ "type": kind });
    for (field, value) in more.as_object().unwrap() {
        msg[field] = value.clone();
    }
    json!({ "id": "0", "msg": msg })
}

fn complete() -> Value {
    msg("task_complete", json!({ "last_agent_message": "Hello." }))
}

#[test]
fn a_run_in_deltas() {
    let events = [
        json!({ "model": "gpt", "provider": "openai", "workdir": "/" }),
        json!({ "prompt": "hi" }),
        msg("task_started", json!({})),
        msg("agent_reasoning_delta", json!({ "delta": "h" })),
        msg("agent_reasoning_delta", json!({ "delta": "m" })),
        msg("agent_reasoning", json!({ "text": "hm" })),
        msg("agent_reasoning_section_break", json!({})),
        msg("agent_reasoning_delta", json!({ "delta": "well" })),
        msg("agent_message_delta", json!({ "delta": "Hel" })),
        msg("agent_message_delta", json!({ "delta": "lo." })),
        msg("agent_message", json!({ "message": "Hello." })),
        complete(),
    ];
    let found = read(&events);
    assert!(
        !found
            .iter()
            .any(|event| matches!(event, StreamEvent::Raw { .. }))
    );
    let summary = summarize(&found);
    assert_eq!(summary.model.as_deref(), Some("gpt"));
    assert_eq!(summary.thinking, "hm\n\nwell");
    assert_eq!(summary.text, "Hello.");
    assert!(summary.complete);
}

#[test]
fn a_run_in_whole_messages() {
    let table = [
        vec![
            msg("agent_message", json!({ "message": "Hello." })),
            complete(),
        ],
        vec![complete()],
    ];
    for events in table {
        assert_eq!(summary(&events).text, "Hello.");
    }
}

#[test]
fn tools() {
    let call = |kind: &str, more: Value| {
        let mut event = msg(kind, more);
        event["msg"]["call_id"] = json!("c");
        event
    };
    let invocation = json!({ "server": "s", "tool": "t", "arguments": {} });
    let table = [
        (
            call(
                "exec_command_begin",
                json!({ "command": ["ls"], "cwd": "/" }),
            ),
            call(
                "exec_command_end",
                json!({ "stdout": "a", "stderr": "b", "exit_code": 1 }),
            ),
            "command_execution",
            json!({ "command": ["ls"], "cwd": "/" }),
            (json!("ab"), true),
        ),
        (
            call("patch_apply_begin", json!({ "changes": { "a": {} } })),
            call(
                "patch_apply_end",
                json!({ "stdout": "ok", "success": true }),
            ),
            "file_change",
            json!({ "changes": { "a": {} } }),
            (json!("ok"), false),
        ),
        (
            call("mcp_tool_call_begin", json!({ "invocation": invocation })),
            call(
                "mcp_tool_call_end",
                json!({ "result": { "Ok": { "content": [] } } }),
            ),
            "mcp_tool_call",
            invocation.clone(),
            (json!({ "content": [] }), false),
        ),
        (
            call("web_search_begin", json!({})),
            call("web_search_end", json!({ "query": "q" })),
            "web_search",
            json!({ "query": "q" }),
            (json!(null), false),
        ),
    ];
    for (begin, end, name, input, result) in table {
        let events = read(&[begin, end, complete()]);
        let calls = summarize(&events).tool_calls;
        assert_eq!((&*calls[0].name, &calls[0].input), (name, &input));
        let found = events.into_iter().find_map(|event| {
            let StreamEvent::ToolResult {
                result, is_error, ..
            } = event
            else {
                return None;
            };
            Some((result, is_error))
        });
        assert_eq!(found, Some(result));
    }
}

#[test]
fn tokens_are_counted_in_both_shapes() {
    let usage = json!({ "input_tokens": 10, "cached_input_tokens": 4, "output_tokens": 5,
        "reasoning_output_tokens": 2, "total_tokens": 15 });
    let table = [
        usage.clone(),
        json!({ "info": { "total_token_usage": usage }, "rate_limits": {} }),
    ];
    for more in table {
        let usage = summary(&[msg("token_count", more), complete()])
            .usage
            .unwrap();
        assert_eq!((usage.input_tokens, usage.reasoning_tokens), (6, 2));
        assert_eq!(usage.total_tokens, 15);
    }
    let none = msg("token_count", json!({ "info": null }));
    assert_eq!(summary(&[none, complete()]).usage, None);
}

#[test]
fn plans_errors_and_stops() {
    let plan = json!([{ "step": "look", "status": "in_progress" }]);
    check(
        &[
            msg(
                "session_configured",
                json!({ "session_id": "s", "model": "gpt" }),
            ),
            msg("plan_update", json!({ "plan": plan })),
            msg("stream_error", json!({ "message": "again" })),
            msg(
                "exec_command_output_delta",
                json!({ "call_id": "c", "chunk": [1] }),
            ),
        ],
        json!([
            { "type": "start", "messageId": null, "model": "gpt" },
            { "type": "result", "sessionId": "s" },
            { "type": "todo_create", "todos": [{ "content": "look", "status": "in_progress" }] },
            { "type": "status", "message": "again" },
        ]),
    );
    let failed = summary(&[msg("error", json!({ "message": "No money." }))]);
    assert_eq!(failed.errors[0].message, "No money.");
    let stopped = summary(&[msg("turn_aborted", json!({ "reason": "interrupted" }))]);
    assert_eq!(json!(stopped.stop_reason), "cancelled");
}

#[test]
fn unknown_messages_are_raw_once() {
    let news = msg("turn_diff", json!({ "unified_diff": "" }));
    let raw = StreamEvent::Raw {
        value: news.clone(),
    };
    assert_eq!(read(&[news])[0], raw);
}
