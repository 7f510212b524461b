//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let thought = |seal: &str| {
        json!({ "type": "reasoning", "id": "i0", "summary": [{ "text": "ä" }],
        "content": [{ "type": "reasoning_text", "text": "ö" }], "encrypted_content": seal })
    };
    let code = |code: &str| json!({ "type": "code_interpreter_call", "id": "i3", "code": code, "outputs": [] });
    let custom = json!({ "type": "custom_tool_call", "id": "i4", "call_id": "c4", "name": "say", "input": "ß" });
    let shell = json!({ "type": "shell_call", "id": "i5", "call_id": "c5",
        "environment": { "type": "container" }, "action": { "commands": ["ls", "pwd"] } });
    let printed = json!({ "type": "shell_call_output", "id": "i6", "call_id": "c5",
        "output": [{ "stdout": "ü", "outcome": { "type": "exit", "exit_code": 0 } }] });
    let search = json!({ "type": "tool_search_call", "id": "i7", "arguments": { "query": "猫" } });
    let tools = json!({ "type": "tool_search_output", "id": "i8", "tools": [{ "name": "look" }] });
    let picture = json!({ "type": "image_generation_call", "id": "i9", "result": "aGk=" });
    let listed = json!({ "type": "mcp_list_tools", "id": "i10", "server_label": "s", "tools": [] });
    let delta = |words: &str| json!({ "delta": words });
    let part = |words: &str| json!({ "content_index": 0, "part": said(words) });
    let command = |words: &str| json!({ "command_index": 0, "delta": words, "command": words });
    let annotation =
        json!({ "annotation": { "type": "url_citation", "url": "https://猫.example" } });
    let usage = json!({ "input_tokens": 3, "output_tokens": 9 });
    let output =
        json!([message(1, json!([said("a")])), function_call(2, "{}"), { "type": "news" }]);
    vec![
        created(),
        added(0, thought("")),
        at(
            0,
            "reasoning_summary_text.delta",
            json!({ "summary_index": 0, "delta": "grün 猫 🦀" }),
        ),
        at(
            0,
            "reasoning_text.delta",
            json!({ "content_index": 0, "delta": "und" }),
        ),
        at(
            0,
            "reasoning_text.done",
            json!({ "content_index": 0, "text": "und" }),
        ),
        done(0, thought("seal")),
        added(1, message(1, json!([]))),
        at(1, "content_part.added", part("")),
        text_delta(1, "ein Wörtchen\n\n"),
        text_delta(1, "猫が好き 🦀🦀"),
        at(1, "output_text.annotation.added", annotation),
        at(
            1,
            "output_text.done",
            json!({ "text": "ein Wörtchen\n\n猫が好き 🦀🦀" }),
        ),
        at(
            1,
            "content_part.done",
            part("ein Wörtchen\n\n猫が好き 🦀🦀"),
        ),
        done(
            1,
            message(1, json!([said("ein Wörtchen\n\n猫が好き 🦀🦀")])),
        ),
        added(2, function_call(2, "")),
        at(2, "function_call_arguments.delta", delta("{\"ß\":")),
        at(2, "function_call_arguments.delta", delta("\"猫\"}")),
        at(
            2,
            "function_call_arguments.done",
            json!({ "arguments": "{\"ß\":\"猫\"}" }),
        ),
        done(2, function_call(2, "{\"ß\":\"猫\"}")),
        added(3, code("")),
        at(
            3,
            "code_interpreter_call_code.delta",
            delta("print('🦀\t')"),
        ),
        done(3, code("print('🦀\t')")),
        added(4, custom.clone()),
        at(4, "custom_tool_call_input.delta", delta("ß")),
        done(4, custom),
        added(5, shell.clone()),
        at(5, "shell_call_command.delta", command("ls")),
        at(5, "shell_call_command.done", command("ls")),
        done(5, shell),
        done(6, printed),
        added(7, search.clone()),
        done(7, search),
        done(8, tools),
        added(9, picture.clone()),
        at(
            9,
            "image_generation_call.partial_image",
            json!({ "partial_image_b64": "aGk=" }),
        ),
        done(9, picture),
        added(10, listed.clone()),
        done(10, listed),
        json!({ "type": "news", "value": "🗞" }),
        ended("completed", json!({ "usage": usage, "output": output })),
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    let mut again = created();
    again["response"]["id"] = json!("resp_2");
    vec![
        again,
        text_delta(u64::MAX, "weit"),
        ended(
            "failed",
            json!({ "error": { "code": "c", "message": "ö" } }),
        ),
        ended(
            "incomplete",
            json!({ "incomplete_details": { "reason": "max_output_tokens" } }),
        ),
        json!({ "type": "error", "error": { "message": "ö" } }),
        json!({ "error": "ö" }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), |_| {});
}
