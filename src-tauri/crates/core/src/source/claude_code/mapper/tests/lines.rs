//! Lines beside messages and results.

use super::*;

fn status(message: &str) -> Value {
    json!([{ "type": "status", "message": message }])
}

fn system(subtype: &str, more: Value) -> Value {
    let mut line = json!({ "type": "system", "subtype": subtype, "session_id": "s" });
    for (field, value) in more.as_object().unwrap() {
        line[field] = value.clone();
    }
    line
}

#[test]
fn system_lines_a_person_wants_to_read() {
    let table = [
        (
            system("status", json!({ "status": "compacting" })),
            "compacting",
        ),
        (
            system(
                "status",
                json!({ "status": null, "compact_error": "too long" }),
            ),
            "too long",
        ),
        (
            system(
                "api_retry",
                json!({ "attempt": 1, "max_retries": 10, "error": "overloaded" }),
            ),
            "Asking again, 1 of 10: overloaded.",
        ),
        (
            system("api_retry", json!({ "attempt": 2, "max_retries": 10 })),
            "Asking again, 2 of 10.",
        ),
        (
            system(
                "compact_boundary",
                json!({ "compact_metadata": { "pre_tokens": 152 } }),
            ),
            "The conversation was compacted from 152 tokens.",
        ),
        (
            system(
                "compact_boundary",
                json!({ "compact_metadata": { "pre_tokens": 152, "post_tokens": 31 } }),
            ),
            "The conversation was compacted from 152 to 31 tokens.",
        ),
        (
            system("compact_boundary", json!({})),
            "The conversation was compacted.",
        ),
        (
            system(
                "hook_response",
                json!({ "hook_name": "lint", "outcome": "error",
                "stderr": "not found\n" }),
            ),
            "lint: not found",
        ),
        (
            system(
                "hook_response",
                json!({ "hook_event": "Stop", "exit_code": 2 }),
            ),
            "Stop: failed",
        ),
        (
            system(
                "permission_denied",
                json!({ "tool_name": "Bash", "message": "Not Bash." }),
            ),
            "Not Bash.",
        ),
        (
            system("local_command_output", json!({ "content": "cost: 0" })),
            "cost: 0",
        ),
        (
            system("notification", json!({ "text": "Done soon." })),
            "Done soon.",
        ),
        (
            system("model_refusal_fallback", json!({ "content": "Retried." })),
            "Retried.",
        ),
    ];
    for (line, expected) in table {
        check(&[line], status(expected));
    }
}

#[test]
fn system_lines_nobody_needs_to_read() {
    let table = [
        system("status", json!({ "status": "requesting" })),
        system("status", json!({ "status": null })),
        system("thinking_tokens", json!({ "estimated_tokens": 5 })),
        system("hook_started", json!({ "hook_name": "lint" })),
        system("hook_progress", json!({ "stdout": "…" })),
        system(
            "hook_response",
            json!({ "hook_name": "lint", "outcome": "success" }),
        ),
        system(
            "hook_response",
            json!({ "hook_name": "lint", "exit_code": 0, "stdout": "ok" }),
        ),
        system("session_state_changed", json!({ "state": "idle" })),
        json!({ "type": "tool_progress", "tool_name": "Bash", "elapsed_time_seconds": 30 }),
        json!({ "type": "keep_alive" }),
    ];
    for line in table {
        check(&[line], json!([]));
    }
}

#[test]
fn a_limit_is_news_when_it_is_near() {
    let limit = |info: Value| json!({ "type": "rate_limit_event", "rate_limit_info": info });
    check(&[limit(json!({ "status": "allowed" }))], json!([]));
    check(
        &[limit(
            json!({ "status": "allowed_warning", "rateLimitType": "seven_day",
            "utilization": 0.75 }),
        )],
        status("75 % of the seven-day limit is used."),
    );
    check(
        &[limit(
            json!({ "status": "rejected", "rateLimitType": "five_hour" }),
        )],
        status("The five-hour limit is reached."),
    );
}

#[test]
fn summaries_of_tools_are_told() {
    let line = json!({ "type": "tool_use_summary", "summary": "Read 3 files" });
    check(&[line], status("Read 3 files"));
}

#[test]
fn what_the_user_said_is_not_the_model_s() {
    let echo = |content: Value| {
        json!({ "type": "user", "isReplay": true,
            "message": { "role": "user", "content": content } })
    };
    check(&[echo(json!("Do it."))], json!([]));
    check(
        &[echo(json!([text_block("Do it."), { "type": "image" }]))],
        json!([]),
    );
    check(
        &[json!({ "type": "message", "role": "user", "content": "Do it." })],
        json!([]),
    );
}

#[test]
fn a_result_that_failed_says_so() {
    let mut line = answer("t", json!("Exit code 3"));
    line["message"]["content"][0]["is_error"] = json!(true);
    check(
        &[line],
        json!([{ "type": "tool_result", "toolCallId": "t", "name": "", "result": "Exit code 3",
            "isError": true }]),
    );
}

#[test]
fn several_results_in_one_line() {
    let block = |id: &str| json!({ "type": "tool_result", "tool_use_id": id, "content": id });
    let line = json!({ "type": "user",
        "message": { "role": "user", "content": [block("t"), block("u")] } });
    assert_eq!(summary(&[line]).tool_results, 2);
}

#[test]
fn events_of_a_message_without_the_line_around_them() {
    let lines = [
        json!({ "type": "message_start", "message": { "id": "m", "model": "claude" } }),
        json!({ "type": "content_block_delta", "index": 0,
            "delta": { "type": "text_delta", "text": "bare" } }),
        json!({ "type": "ping" }),
        assistant("m", json!([text_block("bare")])),
        json!({ "type": "message_stop" }),
    ];
    let found = [vec![start_event("m")], text_events(0, &["bare"])].concat();
    check(&lines, json!(found));
}

#[test]
fn questions_to_whoever_started_it_are_handed_on() {
    let request = json!({ "type": "control_request", "request_id": "r",
        "request": { "subtype": "can_use_tool", "tool_name": "Bash", "input": {} } });
    let raw = json!([{ "type": "raw", "value": request }]);
    check(&[request], raw);
}

#[test]
fn what_is_unknown_or_odd_is_raw_once() {
    let table = [
        json!({ "type": "news", "value": 1 }),
        json!({ "type": "assistant", "message": null }),
        json!({ "type": "assistant", "message": { "id": 7, "content": 3 } }),
        json!({ "type": "user", "message": [] }),
        json!({ "type": "system" }),
        json!({ "type": "system", "subtype": "news" }),
        json!({ "type": "stream_event", "event": null }),
        json!({ "type": "stream_event", "event": { "type": "news" } }),
        json!({ "type": "rate_limit_event" }),
        json!({ "type": 7 }),
        json!({}),
        json!([]),
        json!("text"),
    ];
    for line in table {
        let found = events(std::slice::from_ref(&line));
        let raws: Vec<&Value> = found.iter().filter(|e| e["type"] == "raw").collect();
        assert_eq!(raws, [&json!({ "type": "raw", "value": line })]);
    }
}

#[test]
fn what_is_no_json_is_raw() {
    let raw = |text: &str| json!({ "type": "raw", "value": text });
    check(
        &[json!("Warning: no colour"), json!(""), json!("{\"type\":")],
        json!([raw("Warning: no colour"), raw("{\"type\":")]),
    );
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(
        summary(&[assistant("m", json!([text_block("a")])), result()]).usage,
        None
    );
    let most = json!({ "input_tokens": u64::MAX, "output_tokens": u64::MAX,
        "cache_read_input_tokens": -3 });
    let mut line = result();
    line["usage"] = most;
    line["duration_ms"] = json!(-1);
    line["total_cost_usd"] = json!("much");
    let summary = summary(&[line.clone(), line.clone(), line]);
    assert!(summary.usage.unwrap().total_tokens > 0);
}
