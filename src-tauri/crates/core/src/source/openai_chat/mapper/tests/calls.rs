//! Tool calls, however a relative tells them apart.

use super::*;

fn calls(pieces: Value) -> Value {
    delta(json!({ "content": null, "tool_calls": pieces }))
}

fn piece(piece: Value) -> Value {
    calls(json!([piece]))
}

/// What the model asked for: id, name and input of each call.
fn check_calls(case: &str, chunks: &[Value], expected: Value) {
    let chunks = [chunks, &[finish("tool_calls")]].concat();
    let found = summary(&chunks).tool_calls;
    let found: Vec<Value> = found
        .into_iter()
        .map(|call| json!([call.id, call.name, call.input]))
        .collect();
    assert_eq!(json!(found), expected, "{case}");
}

#[test]
fn a_call_in_pieces() {
    check(
        &[
            piece(json!({ "index": 0, "id": "t1", "type": "function",
                "function": { "name": "look", "arguments": "" } })),
            piece(json!({ "index": 0, "function": { "arguments": "{\"at\": " } })),
            piece(json!({ "index": 0, "function": { "arguments": "\"猫\"}" } })),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "t1", "name": "look",
              "executedBy": "weir" },
            { "type": "tool_use_delta", "id": 0, "json": "{\"at\": " },
            { "type": "tool_use_delta", "id": 0, "json": "\"猫\"}" },
            { "type": "tool_use_end", "id": 0, "input": { "at": "猫" } },
        ]),
    );
}

#[test]
fn text_and_thinking_end_where_a_call_begins() {
    let call = piece(json!({ "index": 0, "id": "t1", "function": { "name": "look" } }));
    let chunks = [delta(json!({ "reasoning": "hm" })), content("Wait."), call];
    let expected = json!([
        { "type": "tool_use_start", "id": 2, "toolCallId": "t1", "name": "look",
          "executedBy": "weir" },
        { "type": "tool_use_end", "id": 2, "input": {} },
    ]);
    let before = [thinking(0, "hm"), text(1, "Wait.")].concat();
    let expected = [before, expected.as_array().unwrap().clone()].concat();
    check(&chunks, json!(expected));
}

#[test]
fn how_relatives_tell_calls_apart() {
    let whole = |mut call: Value, arguments: &str| {
        call["function"] = json!({ "name": "look", "arguments": arguments });
        call
    };
    let more = |mut call: Value, arguments: &str| {
        call["function"] = json!({ "arguments": arguments });
        call
    };
    let two = json!([["a", "look", { "n": 1 }], ["b", "look", { "n": 2 }]]);
    let made = json!([["call_0", "look", { "n": 1 }], ["call_1", "look", { "n": 2 }]]);
    let table = [
        (
            "by index and id, interleaved",
            vec![
                piece(whole(json!({ "index": 0, "id": "a" }), "{\"n\"")),
                piece(whole(json!({ "index": 1, "id": "b" }), "{\"n\"")),
                piece(more(json!({ "index": 0 }), ":1}")),
                piece(more(json!({ "index": 1 }), ":2}")),
            ],
            &two,
        ),
        (
            "both in one chunk",
            vec![calls(json!([
                whole(json!({ "index": 0, "id": "a" }), "{\"n\":1}"),
                whole(json!({ "index": 1, "id": "b" }), "{\"n\":2}"),
            ]))],
            &two,
        ),
        (
            "without an index",
            vec![
                piece(whole(json!({ "id": "a" }), "{\"n\"")),
                piece(more(json!({ "id": "a" }), ":1}")),
                piece(whole(json!({ "id": "b" }), "{\"n\"")),
                piece(more(json!({}), ":2}")),
            ],
            &two,
        ),
        (
            "one index for all",
            vec![
                piece(whole(json!({ "index": 0, "id": "a" }), "{\"n\":1}")),
                piece(whole(json!({ "index": 0, "id": "b" }), "{\"n\":2}")),
            ],
            &two,
        ),
        (
            "id and name on every piece",
            vec![
                piece(whole(json!({ "index": 0, "id": "a" }), "{\"n\"")),
                piece(whole(json!({ "index": 0, "id": "a" }), ":1}")),
                piece(whole(json!({ "index": 1, "id": "b" }), "{\"n\":2}")),
            ],
            &two,
        ),
        (
            "blank, null and new ids on later pieces",
            vec![
                piece(whole(json!({ "index": 0, "id": "a" }), "{")),
                piece(more(json!({ "index": 0, "id": "" }), "\"n\"")),
                piece(more(json!({ "index": 0, "id": null }), ":")),
                piece(more(json!({ "index": 0, "id": "null" }), "1")),
                piece(more(json!({ "index": 0, "id": "other" }), "}")),
                piece(whole(json!({ "index": 1, "id": "b" }), "{\"n\":2}")),
            ],
            &two,
        ),
        (
            "the name after the id",
            vec![
                piece(json!({ "index": 0, "id": "a", "function": {} })),
                piece(whole(json!({ "index": 0 }), "{\"n\":1}")),
                piece(whole(json!({ "index": 1, "id": "b" }), "{\"n\":2}")),
            ],
            &two,
        ),
        (
            "without ids, by index",
            vec![
                piece(whole(json!({ "index": 0 }), "{\"n\"")),
                piece(more(json!({ "index": 0 }), ":1}")),
                piece(whole(json!({ "index": 1 }), "{\"n\":2}")),
            ],
            &made,
        ),
        (
            "without ids and indexes",
            vec![
                piece(whole(json!({}), "{\"n\"")),
                piece(more(json!({}), ":1}")),
                piece(whole(json!({}), "{\"n\":2}")),
            ],
            &made,
        ),
        (
            "by the place in a list of several",
            vec![
                calls(json!([
                    whole(json!({ "id": "a" }), ""),
                    whole(json!({ "id": "b" }), "{"),
                ])),
                calls(json!([
                    more(json!({}), "{\"n\":1}"),
                    more(json!({}), "\"n\":2}")
                ])),
            ],
            &two,
        ),
        (
            "without an index at first, and with one later",
            vec![
                calls(json!([
                    whole(json!({ "id": "a" }), "{\"n\""),
                    whole(json!({ "id": "b" }), "{\"n\""),
                ])),
                calls(json!([
                    more(json!({ "index": 1 }), ":2}"),
                    more(json!({ "index": 0 }), ":1}"),
                ])),
            ],
            &two,
        ),
        (
            "one by one without an index, and with one later",
            vec![
                piece(whole(json!({ "id": "a" }), "{\"n\"")),
                piece(whole(json!({ "id": "b" }), "{\"n\"")),
                piece(more(json!({ "index": 1 }), ":2}")),
                piece(more(json!({ "index": 0 }), ":1}")),
            ],
            &two,
        ),
        (
            "lists of whole calls, one after another",
            vec![
                calls(json!([
                    whole(json!({}), "{\"n\":1}"),
                    whole(json!({}), "{\"n\":2}"),
                ])),
                calls(json!([
                    whole(json!({}), "{\"n\":3}"),
                    whole(json!({}), "{\"n\":4}"),
                ])),
            ],
            &json!([
                ["call_0", "look", { "n": 1 }],
                ["call_1", "look", { "n": 2 }],
                ["call_2", "look", { "n": 3 }],
                ["call_3", "look", { "n": 4 }],
            ]),
        ),
        (
            "the name after the arguments",
            vec![
                piece(more(json!({ "index": 0, "id": "a" }), "{\"n\"")),
                piece(whole(json!({ "index": 0 }), ":1}")),
                piece(whole(json!({ "index": 1, "id": "b" }), "{\"n\":2}")),
            ],
            &two,
        ),
        (
            "no name at all",
            vec![piece(more(json!({ "index": 0, "id": "a" }), "{\"n\":1}"))],
            &json!([["a", "", { "n": 1 }]]),
        ),
    ];
    for (case, chunks, expected) in table {
        check_calls(case, &chunks, expected.clone());
    }
}

#[test]
fn every_id_is_used_once() {
    let whole = |index: u64, id: &str| {
        piece(json!({ "index": index, "id": id,
            "function": { "name": "look", "arguments": "{}" } }))
    };
    check_calls(
        "",
        &[whole(0, "call_0"), whole(1, ""), whole(2, "call_0")],
        json!([
            ["call_0", "look", {}],
            ["call_1", "look", {}],
            ["call_2", "look", {}]
        ]),
    );
}

#[test]
fn inputs_whole_cut_missing_or_no_text() {
    let call = |arguments: Value| {
        piece(json!({ "index": 0, "id": "a",
            "function": { "name": "look", "arguments": arguments } }))
    };
    let table = [
        (json!("{\"n\":1}"), json!({ "n": 1 })),
        (json!("{\"n\": \"cu"), json!("{\"n\": \"cu")),
        (json!(""), json!({})),
        (Value::Null, json!({})),
        (json!({ "n": 1 }), json!({ "n": 1 })),
    ];
    for (arguments, input) in table {
        check_calls("", &[call(arguments)], json!([["a", "look", input]]));
    }
}

#[test]
fn the_older_function_call() {
    let call = |call: Value| delta(json!({ "content": null, "function_call": call }));
    let chunks = [
        call(json!({ "name": "look", "arguments": "" })),
        call(json!({ "arguments": "{\"n\":" })),
        call(json!({ "arguments": "1}" })),
        finish("function_call"),
    ];
    let summary = summary(&chunks);
    assert_eq!(summary.tool_calls[0].id, "call_0");
    assert_eq!(summary.tool_calls[0].input, json!({ "n": 1 }));
    assert_eq!(
        serde_json::to_value(summary.stop_reason).unwrap(),
        "tool_use"
    );
}

#[test]
fn custom_tools_take_plain_text() {
    let call = |custom: Value| piece(json!({ "index": 0, "id": "a", "custom": custom }));
    check_calls(
        "",
        &[call(json!({ "name": "sql", "input": "select 1" }))],
        json!([["a", "sql", "select 1"]]),
    );
}

#[test]
fn input_that_goes_on_under_another_name() {
    let table = [
        json!([{ "custom": { "name": "f", "input": "{\"x\"" } }, { "custom": { "input": ":1}" } }]),
        json!([{ "name": "f", "arguments": "{\"x\"" }, { "arguments": ":1}" }]),
        json!([
            { "function": { "name": "f", "parameters": "{\"x\"" } },
            { "function": { "parameters": ":1}" } },
        ]),
    ];
    for pieces in table {
        let chunk = |mut call: Value| {
            call["index"] = json!(0);
            piece(call)
        };
        let chunks: Vec<Value> = pieces
            .as_array()
            .unwrap()
            .iter()
            .cloned()
            .map(chunk)
            .collect();
        check_calls("", &chunks, json!([["call_0", "f", { "x": 1 }]]));
    }
}

#[test]
fn the_seal_of_a_call_is_kept() {
    let call = piece(json!({ "index": 0, "id": "a",
        "extra_content": { "google": { "thought_signature": "s" } },
        "function": { "name": "look", "arguments": "{}" } }));
    let events = serde_json::to_value(read(&[call])).unwrap();
    assert_eq!(events[3]["signature"], "s");
}

#[test]
fn input_that_belongs_to_no_call_is_raw() {
    let orphan = piece(json!({ "index": 4, "function": { "arguments": "{}" } }));
    let blank = piece(json!({ "index": 4, "function": { "arguments": "" } }));
    check(&[blank, orphan.clone()], json!([raw(&orphan)]));
}
