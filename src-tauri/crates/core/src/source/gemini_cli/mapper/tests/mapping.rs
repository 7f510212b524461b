//! One case for each kind of line, and what has been seen beside them.

use super::*;

#[test]
fn init_gives_start() {
    let found = serde_json::to_value(&read(&[init()])[..1]).unwrap();
    assert_eq!(
        found,
        json!([{ "type": "start", "messageId": null, "model": "gemini" }])
    );
}

#[test]
fn message_of_the_assistant_in_pieces_is_one_block() {
    check(
        &[piece("a "), piece(""), piece("word 🦀")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a " },
            { "type": "text_delta", "id": 0, "text": "word 🦀" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn message_of_the_assistant_that_is_whole_stands_alone() {
    let mut whole = piece("whole");
    whole.as_object_mut().unwrap().remove("delta");
    check(
        &[piece("a"), whole, piece("b")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "text_end", "id": 0 },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "whole" },
            { "type": "text_end", "id": 1 },
            { "type": "text_start", "id": 2 },
            { "type": "text_delta", "id": 2, "text": "b" },
            { "type": "text_end", "id": 2 },
        ]),
    );
}

#[test]
fn message_of_the_user_is_not_the_models() {
    check(
        &[json!({ "type": "message", "role": "user", "content": "What is it?" })],
        json!([]),
    );
}

#[test]
fn tool_use_and_tool_result_are_the_agents_own() {
    check(
        &[
            piece("Looking."),
            tool_use("t1"),
            json!({ "type": "tool_result", "tool_id": "t1", "status": "success",
                "output": "a cat" }),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "Looking." },
            { "type": "text_end", "id": 0 },
            { "type": "tool_use_start", "id": 1, "toolCallId": "t1", "name": "look",
              "executedBy": "source" },
            { "type": "tool_use_end", "id": 1, "input": { "at": "猫" } },
            { "type": "tool_result", "toolCallId": "t1", "name": "look", "result": "a cat",
              "isError": false },
        ]),
    );
}

#[test]
fn tool_result_that_failed() {
    let error = json!({ "type": "TOOL_EXECUTION_ERROR", "message": "no such file" });
    let table = [
        (json!(null), json!({ "result": error })),
        (json!("none"), json!({ "result": "none", "detail": error })),
    ];
    for (output, told) in table {
        let mut expected = json!({ "type": "tool_result", "toolCallId": "t9", "name": "",
            "isError": true });
        for (field, value) in told.as_object().unwrap() {
            expected[field] = value.clone();
        }
        check(
            &[
                json!({ "type": "tool_result", "tool_id": "t9", "status": "error",
                "output": output, "error": error }),
            ],
            json!([expected]),
        );
    }
}

#[test]
fn calls_without_an_id_get_one_each() {
    let mut call = tool_use("");
    call.as_object_mut().unwrap().remove("tool_id");
    let calls = summary(&[call.clone(), call]).tool_calls;
    assert_eq!(calls[0].id, "call_0");
    assert_eq!(calls[1].id, "call_1");
}

#[test]
fn errors_are_told_at_the_end_and_the_agent_goes_on() {
    let error = |severity: &str| json!({ "type": "error", "severity": severity, "message": "m" });
    let table = [("warning", "end_turn"), ("error", "error")];
    for (severity, stop) in table {
        let found = read(&[init(), error(severity), piece("on"), result("success")]);
        let summary = summarize(&found);
        assert_eq!(summary.text, "on");
        assert_eq!(summary.errors.len(), 1);
        assert_eq!(summary.errors[0].message, "m");
        assert!(summary.complete);
        assert_eq!(serde_json::to_value(summary.stop_reason).unwrap(), stop);
        assert!(matches!(found.last(), Some(StreamEvent::Done { .. })));
    }
}

#[test]
fn result_with_its_stats() {
    let mut last = result("success");
    last["stats"] = json!({ "total_tokens": 120, "input_tokens": 100, "output_tokens": 5,
        "cached": 30, "input": 70, "duration_ms": 9, "tool_calls": 0, "models": {} });
    check(
        &[last],
        json!([
            { "type": "result", "sessionId": "s1", "durationMs": 9 },
            { "type": "usage", "isTotal": true, "usage": {
                "inputTokens": 70, "outputTokens": 20, "reasoningTokens": 0,
                "cacheReadTokens": 30, "cacheWriteTokens": 0, "cacheWrite5mTokens": 0,
                "cacheWrite1hTokens": 0 } },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn result_that_is_an_error() {
    let mut last = result("error");
    last["error"] = json!({ "type": "FatalTurnLimitedError", "message": "too many" });
    check(
        &[piece("half"), last],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "half" },
            { "type": "text_end", "id": 0 },
            { "type": "result", "sessionId": "s1" },
            { "type": "error",
              "error": { "code": "source_failed", "message": "too many" } },
            { "type": "done", "stopReason": "error" },
        ]),
    );
}

#[test]
fn an_agent_that_could_not_start_says_why() {
    let error = json!({ "type": "FatalAuthenticationError", "message": "Log in.", "code": 41 });
    let summary = summary(&[json!({ "session_id": "s1", "error": error })]);
    assert_eq!(summary.errors.len(), 1);
    assert_eq!(summary.errors[0].code, "invalid_key");
    assert!(!summary.complete);
}

#[test]
fn what_is_unknown_and_what_is_no_json_is_raw_once() {
    let news = json!({ "type": "news", "value": 1 });
    let odd = json!({ "type": "message", "role": "narrator", "content": "…" });
    let number = json!({ "type": "message", "role": "assistant", "content": 7 });
    check(
        &[news.clone(), odd.clone(), number.clone()],
        json!([
            { "type": "raw", "value": news },
            { "type": "raw", "value": odd },
            { "type": "raw", "value": number },
        ]),
    );
    let value = "Loaded cached credentials.";
    check(
        &[json!(value), json!(""), json!("  ")],
        json!([{ "type": "raw", "value": value }]),
    );
}

#[test]
fn after_done_nothing_means_anything() {
    let late = piece("late");
    let found = read(&[init(), result("success"), late.clone(), result("success")]);
    let tail = serde_json::to_value(&found[2..]).unwrap();
    assert_eq!(
        tail,
        json!([
            { "type": "done", "stopReason": "end_turn" },
            { "type": "raw", "value": late },
            { "type": "raw", "value": result("success") },
        ])
    );
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(summary(&[init(), result("success")]).usage, None);
    let mut last = result("success");
    last["stats"] = json!({ "total_tokens": u64::MAX, "input_tokens": -3, "output_tokens": 1e300,
        "cached": u64::MAX, "duration_ms": "soon" });
    assert!(summary(&[last]).usage.unwrap().total_tokens > 0);
}

#[test]
fn a_call_that_comes_twice_is_asked_for_once() {
    let lines = [tool_use("t1"), tool_use("t1")];
    assert_eq!(summary(&lines).tool_calls.len(), 1);
    let again = StreamEvent::Raw {
        value: tool_use("t1"),
    };
    assert!(read(&lines).contains(&again));
}

#[test]
fn calls_and_results_under_other_names() {
    check(
        &[
            json!({ "type": "tool_use", "name": "look", "input": { "at": 1 }, "id": "t1" }),
            json!({ "type": "tool_result", "id": "t1", "output": "a cat" }),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "t1", "name": "look",
              "executedBy": "source" },
            { "type": "tool_use_end", "id": 0, "input": { "at": 1 } },
            { "type": "tool_result", "toolCallId": "t1", "name": "look", "result": "a cat",
              "isError": false },
        ]),
    );
}

#[test]
fn a_result_without_an_id_answers_the_oldest_call_that_waits() {
    let back = |id: Value| json!({ "type": "tool_result", "tool_id": id, "output": "seen" });
    let found = read(&[
        tool_use("t1"),
        tool_use("t2"),
        tool_use("t3"),
        back(json!("t1")),
        back(json!(null)),
        back(json!(null)),
    ]);
    let found = serde_json::to_value(found).unwrap();
    let results = found.as_array().unwrap().iter();
    let results = results.filter(|event| event["type"] == "tool_result");
    let ids: Vec<&Value> = results.map(|event| &event["toolCallId"]).collect();
    assert_eq!(ids, ["t1", "t2", "t3"]);
}

#[test]
fn a_result_that_is_an_error_and_does_not_say_which() {
    let errors = |lines: &[Value]| {
        let summary = summary(lines);
        assert_eq!(json!(summary.stop_reason), "error");
        summary.errors
    };
    assert_eq!(errors(&[result("error")]).len(), 1);
    // It was told before.
    let told = json!({ "type": "error", "severity": "error", "message": "m" });
    let errors = errors(&[told, result("error")]);
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "m");
}
