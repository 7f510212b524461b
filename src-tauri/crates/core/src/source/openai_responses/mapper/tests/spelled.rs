//! Inputs that come as plain words.

use super::*;

#[test]
fn a_custom_tool_has_one_text_even_if_it_looks_like_json() {
    let item = |input: &str| {
        json!({ "type": "custom_tool_call", "id": "i0", "call_id": "c0", "name": "run",
        "input": input })
    };
    let delta = |piece: &str| at(0, "custom_tool_call_input.delta", json!({ "delta": piece }));
    check(
        &[
            added(0, item("")),
            delta("[\"4"),
            delta("\n2\"]"),
            at(
                0,
                "custom_tool_call_input.done",
                json!({ "input": "[\"4\n2\"]" }),
            ),
            done(0, item("[\"4\n2\"]")),
            completed(),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "c0", "name": "run",
                "executedBy": "weir", "detail": { "id": "i0", "type": "custom_tool_call" } },
            { "type": "tool_use_delta", "id": 0, "json": "\"[\\\"4" },
            { "type": "tool_use_delta", "id": 0, "json": "\\n2\\\"]" },
            { "type": "tool_use_delta", "id": 0, "json": "\"" },
            { "type": "tool_use_end", "id": 0, "input": "[\"4\n2\"]" },
            { "type": "done", "stopReason": "tool_use" },
        ]),
    );
    let calls = summary(&[added(0, item("")), delta("cut")]).tool_calls;
    assert_eq!(calls[0].input, "cut");
    let calls = summary(&[done(0, item("7"))]).tool_calls;
    assert_eq!(calls[0].input, "7");
}

#[test]
fn code_is_told_as_the_json_it_will_be() {
    let item = |code: &str, outputs: Value| {
        json!({ "type": "code_interpreter_call", "id": "i0", "code": code, "container_id": "k",
            "outputs": outputs, "status": "completed" })
    };
    let delta = |piece: &str| {
        at(
            0,
            "code_interpreter_call_code.delta",
            json!({ "delta": piece }),
        )
    };
    let logs = json!([{ "type": "logs", "logs": "1" }]);
    let detail = json!({ "id": "i0", "type": "code_interpreter_call", "container_id": "k" });
    check(
        &[
            added(0, item("", json!([]))),
            delta("print("),
            delta("\"1\")"),
            at(
                0,
                "code_interpreter_call_code.done",
                json!({ "code": "print(\"1\")" }),
            ),
            done(0, item("print(\"1\")", logs.clone())),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "i0", "name": "code_interpreter",
                "executedBy": "source", "detail": detail },
            { "type": "tool_use_delta", "id": 0, "json": "{\"code\":\"print(" },
            { "type": "tool_use_delta", "id": 0, "json": "\\\"1\\\")" },
            { "type": "tool_use_delta", "id": 0, "json": "\",\"container_id\":\"k\"}" },
            { "type": "tool_use_end", "id": 0,
                "input": { "code": "print(\"1\")", "container_id": "k" } },
            { "type": "tool_result", "toolCallId": "i0", "name": "code_interpreter",
                "result": logs, "isError": false, "detail": detail },
        ]),
    );
}

#[test]
fn a_patch_that_was_cut_is_no_patch() {
    let item = |diff: &str, status: &str| {
        json!({ "type": "apply_patch_call", "id": "i0", "call_id": "c0", "status": status,
            "operation": { "type": "create_file", "path": "a", "diff": diff } })
    };
    let delta = |piece: &str| {
        let kind = "apply_patch_call_operation_diff.delta";
        at(0, kind, json!({ "delta": piece }))
    };
    let input = |end: &[Value]| {
        let start = [added(0, item("", "in_progress")), delta("+a"), delta("\n")];
        let calls = summary(&[&start, end].concat()).tool_calls;
        calls[0].input.clone()
    };
    assert_eq!(
        input(&[done(0, item("+a\n", "completed"))]),
        json!({ "type": "create_file", "path": "a", "diff": "+a\n" })
    );
    let half = json!("{\"diff\":\"+a\\n");
    assert_eq!(input(&[done(0, item("+a\n", "incomplete"))]), half);
    assert_eq!(input(&[]), half);
}

#[test]
fn commands_of_a_container_and_what_they_printed() {
    let item = |commands: Value| {
        json!({ "type": "shell_call", "id": "i0", "call_id": "c0", "status": "completed",
            "action": { "commands": commands, "timeout_ms": 9 },
            "environment": { "type": "container_reference", "container_id": "k" } })
    };
    let piece = |kind: &str, nth: u64, more: Value| {
        let mut event = json!({ "type": format!("response.shell_call_command.{kind}"),
            "output_index": 0, "command_index": nth });
        for (field, value) in more.as_object().unwrap() {
            event[field] = value.clone();
        }
        event
    };
    let printed =
        json!([{ "stdout": "", "stderr": "no", "outcome": { "type": "exit", "exit_code": 1 } }]);
    let output = |printed: &Value| {
        json!({ "type": "shell_call_output", "id": "i1", "call_id": "c0", "status": "completed",
            "output": printed })
    };
    let events = [
        created(),
        added(0, item(json!([]))),
        piece("added", 0, json!({ "command": "" })),
        piece("delta", 0, json!({ "delta": "l" })),
        piece("delta", 0, json!({ "delta": "s" })),
        piece("done", 0, json!({ "command": "ls" })),
        piece("done", 1, json!({ "command": "pwd" })),
        done(0, item(json!(["ls", "pwd"]))),
        added(1, output(&json!([]))),
        at(
            1,
            "shell_call_output_content.delta",
            json!({ "delta": { "stderr": "no" } }),
        ),
        at(
            1,
            "shell_call_output_content.done",
            json!({ "output": printed }),
        ),
        done(1, output(&printed)),
        completed(),
    ];
    let calls = summary(&events).tool_calls;
    assert_eq!(
        calls[0].input,
        json!({ "commands": ["ls", "pwd"], "timeout_ms": 9 })
    );
    let found = read(&events);
    let result = found.iter().find_map(|event| {
        let StreamEvent::ToolResult {
            tool_call_id,
            name,
            result,
            is_error,
            ..
        } = event
        else {
            return None;
        };
        Some((tool_call_id.as_str(), name.as_str(), result, *is_error))
    });
    assert_eq!(result, Some(("c0", "shell", &printed, true)));
    assert!(
        !found
            .iter()
            .any(|event| matches!(event, StreamEvent::Raw { .. }))
    );
}
