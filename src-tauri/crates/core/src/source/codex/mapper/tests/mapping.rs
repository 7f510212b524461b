//! One case for each kind of line.

use super::*;

#[test]
fn thread_started() {
    for (kind, field) in [
        ("thread.started", "thread_id"),
        ("session.created", "session_id"),
    ] {
        check(
            &[json!({ "type": kind, field: "t" })],
            json!([
                { "type": "start", "messageId": null, "model": null },
                { "type": "result", "sessionId": "t" },
            ]),
        );
    }
}

#[test]
fn the_last_message_of_a_turn_is_the_answer() {
    check(
        &[
            message("item_0", "I look."),
            command("started", "", json!(null)),
            command("completed", "a\n", json!(0)),
            message("item_2", "Nearly there."),
            message("item_3", "One file."),
        ],
        json!([
            { "type": "status", "message": "I look." },
            { "type": "tool_use_start", "id": 0, "toolCallId": "item_1",
                "name": "command_execution", "executedBy": "source" },
            { "type": "tool_use_end", "id": 0, "input": { "command": "ls" } },
            { "type": "tool_result", "toolCallId": "item_1", "name": "command_execution",
                "result": "a\n", "isError": false, "detail": { "exit_code": 0 } },
            { "type": "status", "message": "Nearly there." },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "One file." },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn the_last_message_is_the_answer_even_if_work_followed() {
    let summary = summary(&[
        message("item_0", "Done."),
        command("completed", "", json!(0)),
        turn_completed(),
    ]);
    assert_eq!(summary.text, "Done.");
}

#[test]
fn a_message_that_says_what_it_is() {
    let said = |id: &str, phase: &str| {
        let message = json!({ "id": id, "type": "agent_message", "phase": phase, "text": id });
        item("completed", message)
    };
    check(
        &[said("talk", "commentary"), said("answer", "final_answer")],
        json!([
            { "type": "status", "message": "talk" },
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "answer" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn a_message_that_grows() {
    let grown = |stage: &str, words: &str| {
        item(
            stage,
            json!({ "id": "item_0", "type": "agent_message", "text": words }),
        )
    };
    let events = [
        grown("started", ""),
        grown("updated", "O"),
        grown("updated", "On"),
    ];
    assert_eq!(summary(&events).text, "On");
    let whole = [&events[..], &[grown("completed", "One."), turn_completed()]].concat();
    assert_eq!(summary(&whole).text, "One.");
}

#[test]
fn thoughts_are_blocks_kept_apart_by_a_blank_line() {
    check(
        &[thought("item_0", "one"), thought("item_1", "two")],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "one" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "thinking_start", "id": 1 },
            { "type": "thinking_delta", "id": 1, "text": "\n\n" },
            { "type": "thinking_delta", "id": 1, "text": "two" },
            { "type": "thinking_end", "id": 1, "signature": null, "redacted": null },
        ]),
    );
}

#[test]
fn a_thought_that_grows() {
    let grown = |stage: &str, words: &str| {
        item(
            stage,
            json!({ "id": "item_0", "type": "reasoning", "text": words }),
        )
    };
    let events = [
        grown("started", "h"),
        grown("updated", "hm 🦀"),
        grown("completed", "hm 🦀…"),
        turn_completed(),
    ];
    assert_eq!(summary(&events).thinking, "hm 🦀…");
}

#[test]
fn tools_their_inputs_and_their_results() {
    let table = [
        (
            json!({ "type": "command_execution", "command": "ls", "aggregated_output": "no",
                "exit_code": 2, "status": "failed" }),
            json!({ "command": "ls" }),
            json!("no"),
            true,
        ),
        (
            json!({ "type": "command_execution", "command": "ls", "status": "declined" }),
            json!({ "command": "ls" }),
            json!(null),
            true,
        ),
        (
            json!({ "type": "file_change", "changes": [{ "path": "a", "kind": "add" }],
                "status": "completed" }),
            json!({ "changes": [{ "path": "a", "kind": "add" }] }),
            json!("completed"),
            false,
        ),
        (
            json!({ "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": null,
                "result": { "content": [] }, "error": null, "status": "completed" }),
            json!({ "server": "s", "tool": "t", "arguments": null }),
            json!({ "content": [] }),
            false,
        ),
        (
            json!({ "type": "mcp_tool_call", "server": "s", "tool": "t", "arguments": {},
                "result": null, "error": { "message": "late" }, "status": "failed" }),
            json!({ "server": "s", "tool": "t", "arguments": {} }),
            json!({ "message": "late" }),
            true,
        ),
        (
            json!({ "type": "web_search", "query": "q", "action": { "type": "search" } }),
            json!({ "query": "q", "action": { "type": "search" } }),
            json!(null),
            false,
        ),
    ];
    for (mut call, input, result, is_error) in table {
        call["id"] = json!("item_0");
        let mut early = call.clone();
        // What an unfinished search or change will be is known only at its end.
        for field in ["query", "changes", "action"] {
            if !early[field].is_null() {
                early[field] = json!(null);
            }
        }
        for start in [vec![], vec![item("started", early)]] {
            let events = [
                start,
                vec![item("completed", call.clone()), turn_completed()],
            ]
            .concat();
            let calls = summary(&events).tool_calls;
            assert_eq!(calls.len(), 1);
            assert_eq!(calls[0].name, call["type"].as_str().unwrap());
            assert_eq!(calls[0].input, input, "{call}");
            let results: Vec<_> = read(&events)
                .into_iter()
                .filter_map(|event| {
                    let StreamEvent::ToolResult {
                        result, is_error, ..
                    } = event
                    else {
                        return None;
                    };
                    Some((result, is_error))
                })
                .collect();
            assert_eq!(results, [(result.clone(), is_error)]);
        }
    }
}

#[test]
fn a_call_and_its_result_are_told_once() {
    let end = command("completed", "a", json!(0));
    let summary = summary(&[
        command("started", "", json!(null)),
        command("started", "", json!(null)),
        end.clone(),
        end,
        turn_completed(),
    ]);
    assert_eq!(summary.tool_calls.len(), 1);
    assert_eq!(summary.tool_results, 1);
}

#[test]
fn todo_lists_are_told_when_they_change() {
    let list = |stage: &str, done: bool| {
        let items = json!([{ "text": "look", "completed": done }]);
        item(
            stage,
            json!({ "id": "item_0", "type": "todo_list", "items": items }),
        )
    };
    check(
        &[
            list("started", false),
            list("updated", true),
            list("completed", true),
        ],
        json!([
            { "type": "todo_create", "todos": [{ "content": "look", "status": "pending" }] },
            { "type": "todo_update", "todos": [{ "content": "look", "status": "completed" }] },
        ]),
    );
}

#[test]
fn todo_lists_in_other_shapes() {
    let items = json!(["a", { "text": "b" }, { "content": "c", "status": "in_progress" },
        { "step": "d", "completed": true }, 5]);
    let list = |items: Value| item("completed", json!({ "type": "todo_list", "items": items }));
    let todo = |content: &str, status: &str| json!({ "content": content, "status": status });
    let todos = json!([
        todo("a", "pending"),
        todo("b", "pending"),
        todo("c", "in_progress"),
        todo("d", "completed"),
        todo("5", "pending"),
    ]);
    check(
        &[list(items)],
        json!([{ "type": "todo_create", "todos": todos }]),
    );
    let odd = list(json!("a, b"));
    check(
        std::slice::from_ref(&odd),
        json!([{ "type": "raw", "value": odd }]),
    );
}

#[test]
fn words_of_another_type_are_raw() {
    for kind in ["agent_message", "reasoning"] {
        for words in [json!(5), json!(["a"]), json!({ "text": "a" })] {
            let line = item("completed", json!({ "type": kind, "text": words }));
            check(
                std::slice::from_ref(&line),
                json!([{ "type": "raw", "value": line }]),
            );
        }
    }
}

#[test]
fn the_answer_is_told_once_also_when_a_thought_follows_it() {
    let found = read(&[
        message("item_0", "So."),
        thought("item_1", "hm"),
        turn_completed(),
    ]);
    let is_status = |event: &StreamEvent| matches!(event, StreamEvent::Status { .. });
    assert!(!found.iter().any(is_status));
    assert_eq!(summarize(&found).text, "So.");
}

#[test]
fn a_turn_that_failed_and_does_not_say_why() {
    let errors = summary(&[json!({ "type": "turn.failed" })]).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "The agent failed and did not say why.");
}

#[test]
fn helpers() {
    let call = |tool: &str, id: &str, states: Value| {
        json!({ "id": id, "type": "collab_tool_call", "tool": tool, "prompt": "find it",
            "receiver_thread_ids": ["t"], "agents_states": states, "status": "completed" })
    };
    let running = json!({ "t": { "status": "running", "message": null } });
    let over = json!({ "t": { "status": "completed", "message": "found" } });
    let events = [
        item("started", call("spawn_agent", "item_0", json!({}))),
        item("completed", call("spawn_agent", "item_0", running)),
        item("started", call("wait", "item_1", json!({}))),
        item("completed", call("wait", "item_1", over.clone())),
        item("completed", call("close_agent", "item_2", over)),
        turn_completed(),
    ];
    let found = serde_json::to_value(read(&events)).unwrap();
    let helpers: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["type"].as_str().unwrap().starts_with("subagent"))
        .collect();
    let expected = json!([
        { "type": "subagent_start", "subagentId": "item_0", "name": "agent", "task": "find it" },
        { "type": "subagent_end", "subagentId": "item_0", "name": "agent", "summary": "found",
            "isError": false },
    ]);
    assert_eq!(json!(helpers), expected);
    assert_eq!(summary(&events).tool_calls.len(), 3);
}

#[test]
fn usage_takes_cached_tokens_out_of_the_input() {
    let usage = summary(&[turn_completed()]).usage.unwrap();
    assert_eq!(usage.input_tokens, 6);
    assert_eq!(usage.cache_read_tokens, 4);
    assert_eq!(usage.total_tokens, 15);
    let most = json!({ "input_tokens": 1, "cached_input_tokens": u64::MAX, "output_tokens": -1 });
    let event = json!({ "type": "turn.completed", "usage": most });
    assert_eq!(summary(&[event]).usage.unwrap().input_tokens, 0);
    let event = json!({ "type": "turn.completed" });
    assert_eq!(summary(&[event]).usage, None);
}

#[test]
fn turn_failed() {
    let events = [
        message("item_0", "half"),
        json!({ "type": "error", "message": "No money." }),
        json!({ "type": "turn.failed", "error": { "message": "No money." } }),
    ];
    let summary = summary(&events);
    assert_eq!(summary.text, "half");
    assert_eq!(summary.errors.len(), 1);
    assert_eq!(summary.errors[0].message, "No money.");
    assert_eq!(json!(summary.stop_reason), "error");
    assert!(summary.complete);
}

#[test]
fn an_error_the_agent_got_over_is_a_status() {
    let trouble = json!({ "type": "error", "message": "Reconnecting... 1/5" });
    let minor = item(
        "completed",
        json!({ "id": "item_0", "type": "error", "message": "too long" }),
    );
    check(
        &[trouble.clone(), minor],
        json!([
            { "type": "status", "message": "Reconnecting... 1/5" },
            { "type": "status", "message": "too long" },
        ]),
    );
    let cut = summary(&[trouble]);
    assert_eq!(cut.errors.len(), 1);
    assert_eq!(cut.errors[0].message, "Reconnecting... 1/5");
    assert!(!cut.complete);
}

#[test]
fn several_turns_have_one_end() {
    let started = json!({ "type": "turn.started" });
    let turns = [
        started.clone(),
        message("item_0", "one"),
        turn_completed(),
        started.clone(),
        message("item_1", "two"),
        turn_completed(),
    ];
    let events = read(&turns);
    let ends = events
        .iter()
        .filter(|event| matches!(event, StreamEvent::Done { .. }));
    assert_eq!(ends.count(), 1);
    assert_eq!(summarize(&events).text, "onetwo");
    let cut = summary(&[&turns[..], &[started]].concat());
    assert!(!cut.complete);
    assert_eq!(cut.errors[0].code, "stream_cut");
}

#[test]
fn the_calls_of_two_runs_are_told_apart() {
    let run = |thread: &str| {
        [
            json!({ "type": "thread.started", "thread_id": thread }),
            command("completed", "", json!(0)),
            turn_completed(),
        ]
    };
    let calls = summary(&[run("a"), run("b")].concat()).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["item_1", "b/item_1"]);
}

#[test]
fn unknown_lines_are_raw_once() {
    let future = item(
        "completed",
        json!({ "id": "item_0", "type": "future", "n": 1 }),
    );
    let news = json!({ "type": "news" });
    let odd = item("completed", json!(null));
    let plain = json!("plain words");
    let unknown = [future, news, odd, plain];
    let raw = |value: &Value| json!({ "type": "raw", "value": value });
    let expected: Vec<Value> = unknown.iter().map(raw).collect();
    check(&unknown, json!(expected));
    check(&[json!("")], json!([]));
}

#[test]
fn a_key_twice_is_no_trouble() {
    let line = r#"{"type":"item.completed","item":{"id":"item_0","type":"web_search","id":"ws_1","query":"q"}}"#;
    assert_eq!(summary(&[json!(line)]).tool_calls.len(), 1);
}
