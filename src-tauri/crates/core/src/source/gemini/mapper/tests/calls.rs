//! Calls of functions, whole and in pieces.

use super::*;

fn piece(path: &str, value: Value) -> Value {
    let mut piece = json!({ "jsonPath": path });
    for (field, value) in value.as_object().unwrap() {
        piece[field] = value.clone();
    }
    piece
}

/// The input that these pieces come to.
fn input(pieces: &[Value]) -> Value {
    let mut chunks = vec![call(json!({ "name": "look", "willContinue": true }))];
    for piece in pieces {
        chunks.push(call(
            json!({ "partialArgs": [piece], "willContinue": true }),
        ));
    }
    chunks.extend([call(json!({})), finish("STOP")]);
    let summary = summary(&chunks);
    assert_eq!(summary.tool_calls.len(), 1);
    summary.tool_calls[0].input.clone()
}

#[test]
fn function_call_that_is_whole() {
    let whole = json!({ "name": "look", "args": { "at": "猫" } });
    check(
        &[
            thought("well"),
            part(json!({ "functionCall": whole, "thoughtSignature": "s" })),
            finish("STOP"),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "tool_use_start", "id": 1, "toolCallId": "call_r1_0", "name": "look",
              "executedBy": "weir" },
            { "type": "tool_use_end", "id": 1, "input": { "at": "猫" }, "signature": "s" },
            { "type": "done", "stopReason": "tool_use" },
        ]),
    );
}

#[test]
fn function_calls_keep_their_ids_and_get_others() {
    let calls = json!([
        { "functionCall": { "name": "a", "id": "given" } },
        { "functionCall": { "name": "b" } },
        { "functionCall": { "name": "b", "args": {} } },
    ]);
    let summary = summary(&[parts(calls)]);
    let ids: Vec<&str> = summary
        .tool_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(ids, ["given", "call_r1_0", "call_r1_1"]);
    assert!(
        summary
            .tool_calls
            .iter()
            .all(|call| call.input == json!({}))
    );
}

#[test]
fn function_call_in_pieces() {
    let text = |text: &str, more: bool| {
        piece("$.at", json!({ "stringValue": text, "willContinue": more }))
    };
    check(
        &[
            part(
                json!({ "functionCall": { "name": "look", "willContinue": true },
                "thoughtSignature": "s" }),
            ),
            call(json!({ "partialArgs": [text("Bos", true)], "willContinue": true })),
            call(json!({ "partialArgs": [text("ton", false)], "willContinue": true })),
            call(json!({})),
            super::text(""),
            finish("STOP"),
        ],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "call_r1_0", "name": "look",
              "executedBy": "weir" },
            { "type": "tool_use_delta", "id": 0, "json": "{\"at\":\"Boston\"}" },
            { "type": "tool_use_end", "id": 0, "input": { "at": "Boston" }, "signature": "s" },
            { "type": "done", "stopReason": "tool_use" },
        ]),
    );
}

#[test]
fn paths_reach_every_place() {
    let pieces = [
        piece("$.list[0].name", json!({ "stringValue": "a" })),
        piece("$.list[0].price", json!({ "numberValue": 0.5 })),
        piece("$.list[2].on", json!({ "boolValue": true })),
        piece("$.list[0].none", json!({ "nullValue": "NULL_VALUE" })),
        piece("$.grid[0][1]", json!({ "numberValue": 4 })),
        piece("$['a.b']['it\\'s \"q\"']", json!({ "stringValue": "x" })),
        piece("$[\"ü\\u00e4\"]", json!({ "stringValue": "y" })),
        piece("$.list[0].name", json!({ "stringValue": "b" })),
    ];
    let expected = json!({
        "list": [{ "name": "ab", "price": 0.5, "none": null }, null, { "on": true }],
        "grid": [[null, 4]],
        "a.b": { "it's \"q\"": "x" },
        "üä": "y",
    });
    assert_eq!(input(&pieces), expected);
}

#[test]
fn paths_that_lead_nowhere_are_raw_and_change_nothing() {
    let good = piece("$.a.b", json!({ "stringValue": "x" }));
    let deep = format!("${}", ".a".repeat(100_000));
    let bad = [
        "",
        "a",
        "$.",
        "$..a",
        "$.a[",
        "$.a[x]",
        "$.a[-1]",
        "$.a['b",
        "$.a[*]",
        "$.a.b.c",
        "$.a",
        "$.c[4000000000]",
        "$.c[99999999999999999999]",
        &deep,
    ];
    for path in bad {
        let odd = piece(path, json!({ "stringValue": "y" }));
        let mut found = input(&[good.clone(), odd.clone()]);
        // A list may have been begun for a place that is out of its reach.
        found.as_object_mut().unwrap().remove("c");
        assert_eq!(found, json!({ "a": { "b": "x" } }), "{path:.40}");
        let chunk = call(json!({ "partialArgs": [odd] }));
        let events = read(&[
            call(json!({ "name": "look", "partialArgs": [good], "willContinue": true })),
            chunk.clone(),
        ]);
        let raws = events.iter().filter(|event| {
            **event
                == StreamEvent::Raw {
                    value: chunk.clone(),
                }
        });
        assert_eq!(raws.count(), 1, "{path:.40}");
    }
}

#[test]
fn a_call_ends_when_the_next_begins_or_the_model_stops() {
    let start = |name: &str| {
        let piece = piece("$.a", json!({ "numberValue": 1 }));
        call(json!({ "name": name, "partialArgs": [piece], "willContinue": true }))
    };
    let summary = summary(&[start("one"), start("two"), finish("STOP")]);
    let calls = summary.tool_calls;
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.input == json!({ "a": 1 })));
}

#[test]
fn the_same_id_goes_on_with_the_same_call() {
    let more = |value: u64, more: bool| {
        let piece = piece(&format!("$.a[{value}]"), json!({ "numberValue": value }));
        call(json!({ "name": "look", "id": "x", "partialArgs": [piece], "willContinue": more }))
    };
    let summary = summary(&[more(0, true), more(1, false), finish("STOP")]);
    assert_eq!(summary.tool_calls.len(), 1);
    assert_eq!(summary.tool_calls[0].input, json!({ "a": [0, 1] }));
}

#[test]
fn a_call_that_never_became_whole_is_nobodys_to_run() {
    let piece = piece(
        "$.a",
        json!({ "stringValue": "rm -rf /tm", "willContinue": true }),
    );
    let begun = call(json!({ "name": "look", "partialArgs": [piece], "willContinue": true }));
    let cut = json!([
        { "type": "tool_use_start", "id": 0, "toolCallId": "call_r1_0", "name": "look",
          "executedBy": "weir" },
        { "type": "tool_use_end", "id": 0, "input": null },
    ]);
    check(std::slice::from_ref(&begun), cut.clone());
    let mut stopped = cut.clone();
    let done = json!({ "type": "done", "stopReason": "max_tokens" });
    stopped.as_array_mut().unwrap().push(done);
    check(&[begun.clone(), finish("MAX_TOKENS")], stopped);
    let mut failed = cut;
    let error = json!({ "type": "error", "error": { "code": "overloaded", "message": "no" } });
    failed.as_array_mut().unwrap().push(error);
    let error = json!({ "error": { "code": 503, "message": "no" } });
    check(&[begun, error], failed);
}

#[test]
fn pieces_of_no_call_are_raw_and_an_empty_end_is_nothing() {
    let piece = piece("$.a", json!({ "numberValue": 1 }));
    let orphan = call(json!({ "partialArgs": [piece] }));
    check(
        &[orphan.clone(), call(json!({}))],
        json!([{ "type": "raw", "value": orphan }]),
    );
}

#[test]
fn ids_hold_nothing_odd() {
    let mut chunk = call(json!({ "name": "look" }));
    chunk["responseId"] = json!(format!("a/b c=猫{}", "x".repeat(200)));
    let summary = summary(&[chunk]);
    let expected = format!("call_abc{}_0", "x".repeat(37));
    assert_eq!(summary.tool_calls[0].id, expected);
}

#[test]
fn one_id_for_two_calls_is_given_once() {
    let call = |name: &str, n: u64| {
        let call = json!({ "id": "x", "name": name, "args": { "n": n } });
        json!({ "functionCall": call })
    };
    let parts = parts(json!([
        call("f", 1),
        call("g", 1),
        call("f", 2),
        call("f", 1)
    ]));
    let summary = summary(&[parts, finish("STOP")]);
    let calls: Vec<Value> = summary
        .tool_calls
        .into_iter()
        .map(|call| json!([call.id, call.name, call.input["n"]]))
        .collect();
    let expected = json!([["x", "f", 1], ["call_r1_0", "g", 1], ["call_r1_1", "f", 2]]);
    assert_eq!(json!(calls), expected);
}
