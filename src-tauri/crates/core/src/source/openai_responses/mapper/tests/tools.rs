//! Tools: the caller's own, and those the provider runs.

use super::*;

fn names(events: &[Value]) -> Vec<String> {
    let found = serde_json::to_value(read(events)).unwrap();
    let kinds = found.as_array().unwrap().iter();
    kinds
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

/// The call that one finished item makes: who runs it, its name, its input, its result.
fn call(item: Value) -> (Value, Value, Value, Value) {
    let events = [done(0, item.clone()), completed()];
    let found = serde_json::to_value(read(&events)).unwrap();
    let of = |kind: &str| {
        let mut found = found.as_array().unwrap().iter();
        let event = found.find(|event| event["type"] == kind);
        event.cloned().unwrap_or_default()
    };
    let start = of("tool_use_start");
    (
        start["executedBy"].clone(),
        start["name"].clone(),
        of("tool_use_end")["input"].clone(),
        of("tool_result")["result"].clone(),
    )
}

#[test]
fn a_function_call() {
    let delta = |piece: &str| {
        at(
            0,
            "function_call_arguments.delta",
            json!({ "delta": piece }),
        )
    };
    let whole = json!({ "arguments": "{\"a\":1}" });
    check(
        &[
            added(0, function_call(0, "")),
            delta("{\"a\""),
            delta(":1}"),
            at(0, "function_call_arguments.done", whole),
            done(0, function_call(0, "{\"a\":1}")),
            completed(),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "c0", "name": "look",
                "executedBy": "weir" },
            { "type": "tool_use_delta", "id": 0, "json": "{\"a\"" },
            { "type": "tool_use_delta", "id": 0, "json": ":1}" },
            { "type": "tool_use_end", "id": 0, "input": { "a": 1 } },
            { "type": "done", "stopReason": "tool_use" },
        ]),
    );
}

#[test]
fn arguments_come_from_wherever_they_first_are() {
    let whole = "{\"a\":1}";
    let end = at(
        0,
        "function_call_arguments.done",
        json!({ "arguments": whole }),
    );
    let output = json!({ "output": [function_call(0, whole)] });
    let table = [
        vec![added(0, function_call(0, "")), end, completed()],
        vec![
            added(0, function_call(0, "")),
            done(0, function_call(0, whole)),
        ],
        vec![done(0, function_call(0, whole))],
        vec![
            added(0, function_call(0, "")),
            ended("completed", output.clone()),
        ],
        vec![ended("completed", output)],
        vec![added(0, function_call(0, whole))],
    ];
    for events in table {
        let calls = summary(&events).tool_calls;
        assert_eq!(calls.len(), 1, "{events:?}");
        assert_eq!(calls[0].input, json!({ "a": 1 }), "{events:?}");
    }
}

#[test]
fn where_a_function_belongs_is_kept() {
    let mut item = function_call(0, "{}");
    item["namespace"] = json!("weather");
    item["caller"] = json!(null);
    let found = serde_json::to_value(read(&[done(0, item)])).unwrap();
    assert_eq!(found[0]["detail"], json!({ "namespace": "weather" }));
}

#[test]
fn who_runs_each_tool_and_with_what() {
    let item = |kind: &str, more: Value| {
        let mut item = json!({ "type": kind, "id": "i0", "status": "completed" });
        for (field, value) in more.as_object().unwrap() {
            item[field] = value.clone();
        }
        item
    };
    let table = [
        (
            item(
                "web_search_call",
                json!({ "action": { "type": "search", "query": "q",
                "sources": [{ "url": "u" }] } }),
            ),
            (
                "source",
                "web_search",
                json!({ "type": "search", "query": "q" }),
                json!([{ "url": "u" }]),
            ),
        ),
        (
            item(
                "web_search_call",
                json!({ "name": "browse", "call_id": "", "arguments": "{\"q\":1}" }),
            ),
            ("source", "web_search", json!({ "q": 1 }), json!(null)),
        ),
        (
            item(
                "file_search_call",
                json!({ "queries": ["q"], "results": [{ "file_id": "f" }] }),
            ),
            (
                "source",
                "file_search",
                json!({ "queries": ["q"] }),
                json!([{ "file_id": "f" }]),
            ),
        ),
        (
            item(
                "code_interpreter_call",
                json!({ "code": "1", "container_id": "c", "outputs": [7] }),
            ),
            (
                "source",
                "code_interpreter",
                json!({ "code": "1", "container_id": "c" }),
                json!([7]),
            ),
        ),
        (
            item(
                "mcp_call",
                json!({ "name": "ask", "server_label": "s", "arguments": "{}", "output": "yes" }),
            ),
            ("source", "ask", json!({}), json!("yes")),
        ),
        (
            item(
                "computer_call",
                json!({ "call_id": "c", "action": { "type": "click" } }),
            ),
            ("weir", "computer", json!({ "type": "click" }), json!(null)),
        ),
        (
            item(
                "local_shell_call",
                json!({ "call_id": "c", "action": { "command": ["ls"] } }),
            ),
            (
                "weir",
                "local_shell",
                json!({ "command": ["ls"] }),
                json!(null),
            ),
        ),
        (
            item(
                "shell_call",
                json!({ "call_id": "c", "action": { "commands": ["ls"] } }),
            ),
            ("weir", "shell", json!({ "commands": ["ls"] }), json!(null)),
        ),
        (
            item(
                "apply_patch_call",
                json!({ "call_id": "c", "operation": { "type": "delete_file", "path": "a" } }),
            ),
            (
                "weir",
                "apply_patch",
                json!({ "type": "delete_file", "path": "a" }),
                json!(null),
            ),
        ),
        (
            item(
                "tool_search_call",
                json!({ "call_id": "c", "execution": "client", "arguments": { "goal": "g" } }),
            ),
            ("weir", "tool_search", json!({ "goal": "g" }), json!(null)),
        ),
        (
            item(
                "custom_tool_call",
                json!({ "call_id": "xs_call_1", "name": "x_user_search", "input": "q" }),
            ),
            ("source", "x_user_search", json!("q"), json!(null)),
        ),
        (
            item("moon_phase_call", json!({ "night": 3, "output": "full" })),
            ("source", "moon_phase", json!({ "night": 3 }), json!("full")),
        ),
    ];
    for (item, (runs, name, input, result)) in table {
        let expected = (json!(runs), json!(name), input, result);
        assert_eq!(call(item.clone()), expected, "{item}");
    }
}

#[test]
fn only_a_tool_for_weir_to_run_stops_for_it() {
    let search = json!({ "type": "web_search_call", "id": "i0", "status": "completed" });
    let reason = |item: Value| json!(summary(&[done(0, item), completed()]).stop_reason);
    assert_eq!(reason(search), "end_turn");
    assert_eq!(reason(function_call(0, "{}")), "tool_use");
}

#[test]
fn how_a_tool_gets_on_is_known_and_says_nothing() {
    let quiet = [
        "web_search_call.in_progress",
        "web_search_call.searching",
        "web_search_call.completed",
        "code_interpreter_call.interpreting",
        "image_generation_call.generating",
        "mcp_call.failed",
        "mcp_list_tools.in_progress",
        "moon_phase_call.searching",
    ];
    let events: Vec<Value> = quiet.map(|kind| at(0, kind, json!({}))).to_vec();
    check(&events, json!([]));
}

#[test]
fn a_search_for_tools_and_its_nameless_result() {
    let call = json!({ "type": "tool_search_call", "id": "i0", "call_id": null,
        "execution": "server", "arguments": { "paths": ["a"] } });
    let output = json!({ "type": "tool_search_output", "id": "i1", "call_id": null, "tools": [7] });
    let found = serde_json::to_value(read(&[
        added(0, call.clone()),
        done(0, call),
        added(1, output.clone()),
        done(1, output),
    ]))
    .unwrap();
    assert_eq!(found[3]["toolCallId"], "i0");
    assert_eq!(found[3]["name"], "tool_search");
    assert_eq!(found[3]["result"], json!([7]));
}

#[test]
fn what_weir_must_run_waits_for_its_final_id() {
    let item = |id: &str| {
        json!({ "type": "tool_search_call", "id": "i0", "call_id": id, "execution": "client",
            "arguments": { "goal": id } })
    };
    let calls = summary(&[added(0, item("early")), done(0, item("late"))]).tool_calls;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].id, "late");
}

#[test]
fn a_picture_is_a_file_and_its_last_sketch_if_it_never_came() {
    let item = |more: Value| {
        let mut item =
            json!({ "type": "image_generation_call", "id": "i0", "status": "completed" });
        for (field, value) in more.as_object().unwrap() {
            item[field] = value.clone();
        }
        item
    };
    let sketch = |base64: &str| {
        let more = json!({ "partial_image_b64": base64, "output_format": "webp" });
        at(0, "image_generation_call.partial_image", more)
    };
    let files = |events: &[Value]| -> Vec<String> {
        let found = read(events).into_iter();
        found
            .filter_map(|event| {
                let StreamEvent::File { url, .. } = event else {
                    return None;
                };
                Some(url)
            })
            .collect()
    };
    let start = [added(0, item(json!({}))), sketch("AA"), sketch("BB")];
    let made = done(0, item(json!({ "result": "CC", "output_format": "jpeg" })));
    assert_eq!(
        files(&[&start[..], &[made]].concat()),
        ["data:image/jpeg;base64,CC"]
    );
    assert_eq!(files(&start), ["data:image/webp;base64,BB"]);
}

#[test]
fn an_mcp_call_that_failed() {
    let item = json!({ "type": "mcp_call", "id": "i0", "name": "ask", "server_label": "s",
        "arguments": "{}", "output": null, "error": "no such page" });
    let found = serde_json::to_value(read(&[done(0, item)])).unwrap();
    let result = &found.as_array().unwrap()[3];
    assert_eq!(result["result"], "no such page");
    assert_eq!(result["isError"], true);
    assert_eq!(result["detail"]["server_label"], "s");
}

#[test]
fn what_an_mcp_server_offers_or_asks_is_no_call() {
    let list = json!({ "type": "mcp_list_tools", "id": "i0", "server_label": "s", "tools": [] });
    let asks = json!({ "type": "mcp_approval_request", "id": "i1", "server_label": "s",
        "name": "ask", "arguments": "{}" });
    let whole = ended("completed", json!({ "output": [list, asks] }));
    check(
        &[
            added(0, list.clone()),
            done(0, list.clone()),
            added(1, asks.clone()),
            done(1, asks.clone()),
            whole,
        ],
        json!([
            { "type": "status", "message": "Asking s for its tools." },
            { "type": "raw", "value": done(0, list) },
            { "type": "status", "message": "s asks for leave to run ask." },
            { "type": "raw", "value": done(1, asks) },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn a_call_is_told_once_whatever_repeats_it() {
    let mut again = function_call(0, "{}");
    again["id"] = json!("another");
    let whole = ended("completed", json!({ "output": [again, again] }));
    let events = [
        added(0, function_call(0, "")),
        done(0, function_call(0, "{}")),
        done(0, function_call(0, "{}")),
        added(1, again.clone()),
        done(1, again),
        whole,
    ];
    let starts = names(&events);
    let starts = starts.iter().filter(|name| *name == "tool_use_start");
    assert_eq!(starts.count(), 1);
}

#[test]
fn calls_without_ids_get_their_own() {
    let item = json!({ "type": "function_call", "name": "look", "arguments": "{}" });
    let mut named = item.clone();
    named["call_id"] = json!("call_1");
    let calls = summary(&[done(0, named), done(1, item.clone()), done(2, item)]).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_1", "call_2", "call_3"]);
}
