//! What agents print beside the tables.

use super::*;

#[test]
fn fields_beside_the_type() {
    let lines = [
        json!({ "type": "start", "model": "some-model" }),
        json!({ "type": "text", "content": "one " }),
        json!({ "type": "text", "text": "two " }),
        json!({ "type": "delta", "delta": "three" }),
        json!({ "type": "think", "thought": "well" }),
        json!({ "type": "thinking", "thinking": " then" }),
        json!({ "type": "tool_use", "id": "t", "name": "look", "input": { "a": 1 } }),
        json!({ "type": "tool_result", "tool_use_id": "t", "content": "seen" }),
        json!({ "type": "search", "query": "cats" }),
        json!({ "type": "usage", "input_tokens": 1, "output_tokens": 2 }),
        json!({ "type": "done" }),
    ];
    let summary = summary(&lines);
    assert_eq!(summary.model.as_deref(), Some("some-model"));
    assert_eq!(summary.text, "one two three");
    assert_eq!(summary.thinking, "well then");
    assert_eq!(summary.tool_calls[0].input, json!({ "a": 1 }));
    assert_eq!(summary.tool_calls[1].input, json!({ "query": "cats" }));
    assert_eq!(summary.usage.unwrap().total_tokens, 3);
    assert!(summary.complete);
}

#[test]
fn words_are_one_block_until_another_kind_comes() {
    let text = |words: &str| line("text", json!({ "content": words }));
    let between = [
        line("status", json!({ "message": "…" })),
        line("thinking", json!({ "content": "well" })),
        line("tool_use", json!({ "name": "look", "input": {} })),
        line("todo_done", json!({ "item": "a" })),
        line("usage", json!({ "input_tokens": 1 })),
        line("subagent_spawn", json!({ "message": "…" })),
    ];
    for other in between {
        let lines = [text("a"), text("b"), other, text("c"), done()];
        let found = testing::kinds(&read(&lines));
        assert_eq!(
            found[..4],
            ["text_start", "text_delta", "text_delta", "text_end"]
        );
        let starts = found.iter().filter(|kind| *kind == "text_start");
        assert_eq!(starts.count(), 2);
    }
}

#[test]
fn words_of_another_type_are_not_lost() {
    let lines = [
        line("text", json!("plain ")),
        line("text", json!({ "content": 42 })),
        line(
            "text",
            json!({ "content": [{ "type": "text", "text": " blocks" }] }),
        ),
        line("text", json!({ "content": "" })),
        line("text", json!({ "content": null, "text": " and text" })),
    ];
    assert_eq!(summary(&lines).text, "plain 42 blocks and text");
}

#[test]
fn a_call_counts_once_however_often_it_is_printed() {
    let whole = line(
        "tool_use",
        json!({ "id": "t", "name": "look", "input": { "a": 1 } }),
    );
    let begun = line("tool_call_start", json!({ "id": "t", "name": "look" }));
    let claude = json!({ "type": "content_block_start", "index": 0,
        "content_block": { "type": "tool_use", "id": "t", "name": "look", "input": { "a": 1 } } });
    let answer = line(
        "tool_result",
        json!({ "tool_use_id": "t", "content": "seen" }),
    );
    let orders = [
        vec![whole.clone(), whole.clone(), begun.clone(), claude.clone()],
        vec![begun.clone(), whole.clone(), whole.clone()],
        vec![claude.clone(), whole.clone(), claude],
    ];
    for lines in orders {
        let summary = summary(&lines);
        assert_eq!(summary.tool_calls.len(), 1);
        assert_eq!(summary.tool_calls[0].input, json!({ "a": 1 }));
    }
    // A result ends a call whose input never came.
    let found = events(&[begun, answer]);
    let kinds: Vec<&str> = found.iter().map(|e| e["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tool_use_start", "tool_use_end", "tool_result"]);
}

#[test]
fn calls_in_other_shapes() {
    let function = json!({ "name": "look", "arguments": "{\"a\":1}" });
    let table = [
        line("tool_call", json!({ "id": "t", "function": function })),
        line(
            "tool_use",
            json!({ "id": "t", "tool": "look", "input": null, "args": { "a": 1 } }),
        ),
        line(
            "tool_call_start",
            json!({ "tool_call_id": "t", "tool_name": "look",
            "input": { "a": 1 } }),
        ),
    ];
    for line in table {
        check(
            &[line],
            json!(call_events(0, "t", "look", json!({ "a": 1 }))),
        );
    }
}

#[test]
fn made_ids_are_never_those_of_another_call() {
    let call = |id: Value| line("tool_use", json!({ "id": id, "name": "look", "input": {} }));
    let lines = [call(json!("call_0")), call(json!(null)), call(json!(7))];
    let calls = summary(&lines).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "call_1", "7"]);
}

#[test]
fn results_that_failed_say_so() {
    let table = [
        (
            json!({ "tool_use_id": "t", "content": "no", "is_error": true }),
            "no",
        ),
        (
            json!({ "tool_use_id": "t", "content": null, "error": "no" }),
            "no",
        ),
        (
            json!({ "tool_use_id": "t", "output": "no", "status": "error" }),
            "no",
        ),
    ];
    for (data, said) in table {
        let found = events(&[line("tool_result", data)]);
        assert_eq!(
            (&found[0]["isError"], &found[0]["result"]),
            (&json!(true), &json!(said))
        );
    }
}

#[test]
fn one_line_of_a_list_changes_the_whole_list() {
    let items = json!([{ "id": 1, "content": "a" }, { "id": 2, "content": "b" }]);
    let table = [
        json!({ "id": 2, "status": "completed" }),
        json!({ "index": 1, "status": "completed" }),
        json!({ "content": "b", "status": "completed" }),
        json!({ "item": { "content": "b", "status": "done" } }),
    ];
    let whole = json!([
        { "content": "a", "status": "pending" },
        { "content": "b", "status": "completed" },
    ]);
    for change in table {
        let create = line("todo_create", json!({ "items": items }));
        let found = events(&[create.clone(), line("todo_update", change.clone())]);
        assert_eq!(found[1], json!({ "type": "todo_update", "todos": whole }));
        let found = events(&[create, line("todo_done", change)]);
        assert_eq!(found[1], json!({ "type": "todo_done", "todo": whole[1] }));
    }
    let found = events(&[line("todo_update", json!({ "content": "new" }))]);
    assert_eq!(
        found[0]["todos"],
        json!([{ "content": "new", "status": "pending" }])
    );
}

#[test]
fn lists_without_words_around_them() {
    let found = events(&[line("todos", json!(["a", "b"]))]);
    assert_eq!(
        found[0]["todos"][1],
        json!({ "content": "b", "status": "pending" })
    );
}

#[test]
fn errors_in_other_shapes() {
    let table = [
        (line("error", json!("no")), "source_failed", "no"),
        (
            line("error", json!({ "error": "no" })),
            "source_failed",
            "no",
        ),
        (
            line("error", json!({ "code": "busy", "message": "no" })),
            "source_failed",
            "no",
        ),
        (
            line(
                "error",
                json!({ "error": { "type": "busy", "message": "no" } }),
            ),
            "source_failed",
            "no",
        ),
        (
            json!({ "type": "error", "message": "no" }),
            "source_failed",
            "no",
        ),
        (
            line("result", json!({ "is_error": true, "result": "no" })),
            "source_failed",
            "no",
        ),
    ];
    for (line, code, message) in table {
        let summary = summary(&[line, done()]);
        let error = &summary.errors[0];
        assert_eq!(
            (error.code.as_str(), error.message.as_str()),
            (code, message)
        );
        let reason = serde_json::to_value(summary.stop_reason).unwrap();
        assert_eq!((summary.complete, reason), (true, json!("error")));
    }
}

#[test]
fn a_message_that_stops_ends_the_stream_unless_the_agent_goes_on() {
    let stop = json!({ "type": "message_stop" });
    assert!(summary(std::slice::from_ref(&stop)).complete);
    let after = line("result", json!({ "num_turns": 1 }));
    assert!(summary(&[stop.clone(), after]).complete);
    let goes_on = [
        line("text", json!({ "content": "more" })),
        line("tool_result", json!({ "content": "seen" })),
        json!({ "type": "message_start", "message": { "id": "n" } }),
    ];
    for line in goes_on {
        let lines = [stop.clone(), line, stop.clone(), done()];
        assert!(!summary(&lines[..2]).complete);
        assert!(summary(&lines[..3]).complete);
        let dones = events(&lines);
        assert_eq!(dones.iter().filter(|e| e["type"] == "done").count(), 1);
    }
}

#[test]
fn usage_of_claude_s_messages_adds_up() {
    let message = |id: &str| {
        json!({ "type": "message_start",
            "message": { "id": id, "usage": { "input_tokens": 10, "output_tokens": 1 } } })
    };
    let usage = summary(&[message("m"), message("n"), done()]).usage;
    assert_eq!(usage.unwrap().total_tokens, 22);
}

#[test]
fn after_done_only_what_was_used_and_how_it_went_counts() {
    let late = line("text", json!({ "content": "late" }));
    let used = json!({ "input_tokens": 20, "output_tokens": 9 });
    check(
        &[
            done(),
            late.clone(),
            line("usage_total", used),
            line("result", json!({ "duration_ms": 5 })),
            done(),
        ],
        json!([
            { "type": "raw", "value": late },
            { "type": "usage", "usage": usage(20, 9), "isTotal": true },
            { "type": "result", "durationMs": 5 },
            { "type": "raw", "value": done() },
            { "type": "done", "stopReason": null },
        ]),
    );
}

#[test]
fn errors_are_told_at_the_end_and_the_agent_goes_on() {
    let text = |words: &str| line("text", json!({ "content": words }));
    let lines = [
        text("x"),
        line("error", json!({ "message": "bad" })),
        text("y"),
        done(),
    ];
    let found = events(&lines);
    let error = json!({ "code": "source_failed", "message": "bad" });
    let expected = [
        json!({ "type": "error", "error": error }),
        json!({ "type": "done", "stopReason": "error" }),
    ];
    assert_eq!(found[found.len() - 2..], expected);
    assert_eq!(summary(&lines).text, "xy");
    // Without an end the error is the end.
    let cut = summary(&lines[..3]);
    assert_eq!((cut.text.as_str(), cut.complete), ("xy", false));
    assert_eq!(cut.errors.len(), 1);
}

#[test]
fn each_think_is_a_thought_of_its_own() {
    let think = |words: &str| line("think", json!({ "thought": words }));
    let lines = [
        line("thinking", json!({ "content": "well" })),
        think("one"),
        think("two"),
        line("status", json!({ "message": "…" })),
        think("three"),
    ];
    assert_eq!(summary(&lines).thinking, "well\none\ntwothree");
}

#[test]
fn what_a_helper_does_and_brings_back_in_other_shapes() {
    let helper = |kind: &str, field: &str, value: Value| {
        let found = events(&[line(kind, json!({ "agent": "a", field: value }))]);
        let said = ["task", "summary"].map(|field| &found[0][field]);
        said.into_iter().find_map(Value::as_str).unwrap().to_owned()
    };
    let table = [
        (json!("words"), "words"),
        (json!({ "k": "words" }), "{\"k\":\"words\"}"),
        (json!(["a", "b"]), "[\"a\",\"b\"]"),
        (json!([{ "type": "text", "text": "words" }]), "words"),
        (json!(7), "7"),
        (json!({}), ""),
        (json!(false), ""),
    ];
    for (value, expected) in table {
        assert_eq!(helper("subagent_start", "task", value.clone()), expected);
        assert_eq!(helper("subagent_complete", "result", value), expected);
    }
}

#[test]
fn what_is_unknown_or_odd_is_raw_once() {
    let table = [
        line("news", json!({ "value": 1 })),
        line("text", json!({})),
        line("text", json!({ "content": { "no": "words" } })),
        line("tool_use", json!({ "id": "t" })),
        line("todo_create", json!({ "items": 3 })),
        line("todo_update", json!({ "status": "completed" })),
        line("todo_done", json!({})),
        line("usage", json!({ "input_tokens": "many" })),
        line("status", json!({})),
        json!({ "type": 7 }),
        json!({}),
        json!([]),
        json!("text"),
    ];
    for line in table {
        let raw = json!([{ "type": "raw", "value": line }]);
        check(&[line], raw);
    }
}

#[test]
fn what_is_no_json_is_raw() {
    let raw = |text: &str| json!({ "type": "raw", "value": text });
    check(
        &[json!("Traceback:"), json!(""), json!("{\"type\":")],
        json!([raw("Traceback:"), raw("{\"type\":")]),
    );
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    let text = line("text", json!({ "content": "a" }));
    assert_eq!(summary(&[text, done()]).usage, None);
    let most = json!({ "input_tokens": u64::MAX, "output_tokens": 1e300,
        "thoughtsTokenCount": u64::MAX, "cache_read_input_tokens": -3 });
    let lines = [
        line("usage", most.clone()),
        line("usage", most.clone()),
        line("done", most),
    ];
    assert!(summary(&lines).usage.unwrap().total_tokens > 0);
}
