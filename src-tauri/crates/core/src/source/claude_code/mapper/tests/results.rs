//! How runs begin and end.

use super::*;

fn init(session: &str) -> Value {
    json!({ "type": "system", "subtype": "init", "session_id": session, "model": "claude",
        "tools": ["Bash"], "claude_code_version": "2" })
}

fn with(mut line: Value, more: Value) -> Value {
    for (field, value) in more.as_object().unwrap() {
        line[field] = value.clone();
    }
    line
}

#[test]
fn init_starts_a_session_once() {
    let start = json!({ "type": "start", "messageId": null, "model": "claude" });
    check(&[init("s"), init("s")], json!([start]));
    check(&[init("s"), init("t")], json!([start, start]));
}

#[test]
fn success_tells_the_total_the_stats_and_done() {
    let line = with(
        result(),
        json!({ "duration_ms": 9, "duration_api_ms": 8, "num_turns": 3, "total_cost_usd": 0.25,
            "result": "Hi", "stop_reason": "end_turn", "usage": { "input_tokens": 4,
            "cache_read_input_tokens": 5, "cache_creation_input_tokens": 6, "output_tokens": 7 } }),
    );
    let found = events(&[assistant("m", json!([text_block("Hi")])), line]);
    let usage = json!({ "inputTokens": 4, "outputTokens": 7, "reasoningTokens": 0,
        "cacheReadTokens": 5, "cacheWriteTokens": 6, "cacheWrite5mTokens": 0,
        "cacheWrite1hTokens": 0 });
    let expected = [
        json!({ "type": "usage", "usage": usage, "isTotal": true }),
        json!({ "type": "result", "sessionId": "s", "durationMs": 9, "turns": 3, "cost": 0.25 }),
        json!({ "type": "done", "stopReason": "end_turn" }),
    ];
    assert_eq!(found[4..], expected);
}

#[test]
fn errors_are_told_with_the_agent_s_word_and_the_run_is_complete() {
    let said = json!(["Reached maximum number of turns (1)"]);
    let table = [
        (
            json!({ "subtype": "error_max_turns", "is_error": true, "errors": said }),
            ("source_failed", "Reached maximum number of turns (1)"),
        ),
        (
            json!({ "subtype": "error_during_execution", "errors": ["a", { "message": "b" }] }),
            ("source_failed", "a\nb"),
        ),
        (
            json!({ "subtype": "error_max_budget_usd", "is_error": true }),
            ("budget", "The agent stopped: error_max_budget_usd."),
        ),
        (
            json!({ "subtype": "success", "is_error": true, "result": "API Error: 529" }),
            ("overloaded", "API Error: 529"),
        ),
        (
            json!({ "subtype": "error", "is_error": true, "result": "", "error": "Rate limit." }),
            ("source_failed", "Rate limit."),
        ),
        (
            json!({ "subtype": "error", "is_error": true, "error": { "message": "Rate limit." } }),
            ("source_failed", "Rate limit."),
        ),
        (
            json!({ "subtype": "error_during_execution",
                "errors": [{ "error": { "message": "a" } }, ["b"], 5, null, { "x": 1 }] }),
            ("source_failed", "a\nb\n5\n{\"x\":1}"),
        ),
        (
            json!({ "subtype": "error_during_execution", "errors": { "message": "a" } }),
            ("source_failed", "a"),
        ),
    ];
    for (more, (code, message)) in table {
        let said = with(
            assistant("m", json!([text_block("API Error: 529")])),
            json!({ "error": "server_error" }),
        );
        let summary = summary(&[said, with(result(), more)]);
        assert!(summary.complete);
        let error = &summary.errors[0];
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            (code, message)
        );
        let reason = serde_json::to_value(summary.stop_reason).unwrap();
        assert_eq!(reason, "error");
    }
}

#[test]
fn what_an_agent_says_in_its_model_s_place_is_no_model_s() {
    let mut line = assistant("m", json!([text_block("Please log in.")]));
    line["message"]["model"] = json!("<synthetic>");
    let summary = summary(&[line]);
    assert_eq!(summary.model, None);
    assert_eq!(summary.text, "Please log in.");
}

#[test]
fn denials_are_told() {
    let denials = json!([{ "tool_name": "Write", "tool_use_id": "t", "tool_input": {} }]);
    let found = events(&[with(result(), json!({ "permission_denials": denials }))]);
    assert_eq!(found[0]["message"], "Write was not allowed.");
}

#[test]
fn a_result_repeats_the_answer_unless_there_was_none() {
    let line = with(result(), json!({ "result": "Total cost: 0" }));
    assert_eq!(summary(&[init("s"), line.clone()]).text, "Total cost: 0");
    let said = assistant("m", json!([call("t", "StructuredOutput", json!({}))]));
    assert_eq!(summary(&[init("s"), said, line]).text, "");
}

#[test]
fn runs_of_one_session_add_up_and_end_once() {
    let used = |session: &str, output: u64| {
        let usage = json!({ "input_tokens": 10, "output_tokens": output });
        with(result(), json!({ "session_id": session, "usage": usage }))
    };
    let lines = [
        init("s"),
        assistant("m", json!([text_block("It runs. ")])),
        used("s", 1),
        init("s"),
        assistant("n", json!([text_block("It ended.")])),
        used("s", 2),
    ];
    let summary = summary(&lines);
    assert_eq!(summary.text, "It runs. It ended.");
    assert_eq!(summary.usage.unwrap().total_tokens, 23);
    let dones = events(&lines);
    assert_eq!(dones.iter().filter(|e| e["type"] == "done").count(), 1);
    // Another session counts for itself.
    let other = [&lines[..], &[init("t"), used("t", 5)]].concat();
    assert_eq!(super::summary(&other).usage.unwrap().total_tokens, 15);
}

#[test]
fn a_run_that_began_after_a_result_and_was_cut_is_cut() {
    let lines = [result(), assistant("m", json!([text_block("half")]))];
    assert!(!summary(&lines).complete);
    assert_eq!(summary(&lines).errors[0].code, "stream_cut");
    assert!(!summary(&[result(), init("s")]).complete);
    // Lines beside messages begin nothing.
    let aside = json!({ "type": "system", "subtype": "session_state_changed", "state": "idle" });
    assert!(summary(&[result(), aside]).complete);
}

#[test]
fn an_error_of_the_provider_s_is_told_and_counts_if_nothing_follows() {
    let error = json!({ "type": "overloaded_error", "message": "Overloaded" });
    let line = piece(json!({ "type": "error", "error": error }));
    let begun = [message_start("m"), text_delta(0, "half"), line];
    let cut = summary(&begun);
    assert_eq!(cut.errors.len(), 1);
    assert_eq!(cut.errors[0].code, "overloaded");
    assert!(!cut.complete);
    let overcome = summary(&[&begun[..], &[result()]].concat());
    assert!(overcome.complete && overcome.errors.is_empty());
    assert!(events(&begun).contains(&json!({ "type": "status", "message": "Overloaded" })));
}

#[test]
fn the_agent_s_own_error_ends_the_stream_unless_its_result_follows() {
    let error = json!({ "type": "error", "error": { "type": "bad", "message": "No." } });
    let failed = summary(&[text_delta(0, "half"), error.clone()]);
    assert_eq!((failed.errors.len(), failed.complete), (1, false));
    assert!(summary(&[error, result()]).complete);
}

#[test]
fn each_command_that_asks_no_model_is_heard() {
    let line = |words: &str| with(result(), json!({ "result": words }));
    let said = assistant("m", json!([text_block("Hi. ")]));
    let lines = [init("s"), said, line("Hi. "), init("s"), line("Cost: 0")];
    assert_eq!(summary(&lines).text, "Hi. Cost: 0");
    // A head that is told again in the middle of a run begins none.
    let lines = [&lines[..2], &[init("s"), line("Hi. ")]].concat();
    assert_eq!(summary(&lines).text, "Hi. ");
}

#[test]
fn success_without_a_stop_reason_is_the_end_of_the_turn() {
    let reason = |more: Value| {
        let said = assistant("m", json!([text_block("Hi")]));
        serde_json::to_value(summary(&[said, with(result(), more)]).stop_reason).unwrap()
    };
    assert_eq!(reason(json!({})), "end_turn");
    assert_eq!(reason(json!({ "stop_reason": "max_tokens" })), "max_tokens");
    assert_eq!(reason(json!({ "stop_reason": "whim" })), json!(null));
}
