//! Each chunk, whole.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(events: Value, expected: Value) {
    assert_eq!(json!(inside(events)), expected);
}

#[test]
fn a_call_the_reader_may_run() {
    let events = json!([
        call_start(0, "a", "weir"),
        { "type": "tool_use_delta", "id": 0, "json": "{}" },
        { "type": "tool_use_end", "id": 0, "input": {}, "signature": "seal" },
    ]);
    let sealed = json!({ "weir": { "signature": "seal" } });
    check(
        events,
        json!([
            { "type": "tool-input-start", "toolCallId": "a", "toolName": "look" },
            { "type": "tool-input-delta", "toolCallId": "a", "inputTextDelta": "{}" },
            { "type": "tool-input-available", "toolCallId": "a", "toolName": "look", "input": {},
                "providerMetadata": sealed },
        ]),
    );
}

#[test]
fn a_call_the_source_runs() {
    let mut asked = call_start(0, "a", "source");
    asked["detail"] = json!({ "server": "s" });
    let mut came = result("a", json!([1]));
    came["detail"] = json!("d");
    let said = json!({ "weir": { "detail": { "server": "s" } } });
    check(
        json!([asked, call_end(0, json!("free text")), came]),
        json!([
            { "type": "tool-input-start", "toolCallId": "a", "toolName": "look",
                "providerExecuted": true, "providerMetadata": said },
            { "type": "tool-input-available", "toolCallId": "a", "toolName": "look",
                "providerExecuted": true, "providerMetadata": said, "input": "free text" },
            { "type": "tool-output-available", "toolCallId": "a", "output": [1],
                "providerMetadata": { "weir": { "detail": "d" } } },
        ]),
    );
}

#[test]
fn calls_that_nobody_may_run() {
    let start = json!({ "type": "tool-input-start", "toolCallId": "a", "toolName": "look" });
    let failed = |input: Value, why: &str| {
        json!([start, { "type": "tool-input-error", "toolCallId": "a", "toolName": "look",
            "input": input, "errorText": why }])
    };
    let broken = [
        call_start(0, "a", "weir"),
        call_end(0, json!("{\"q\": \"cut")),
    ];
    let why = "The input of this call is no JSON.";
    check(json!(broken), failed(json!("{\"q\": \"cut"), why));

    let why = "The source gave this call up before its input was whole.";
    let given_up = [call_start(0, "a", "weir"), call_end(0, json!(null))];
    check(json!(given_up), failed(json!(null), why));
    check(
        json!([call_start(0, "a", "weir")]),
        failed(json!(null), why),
    );
}

#[test]
fn a_call_is_told_once_unless_it_was_given_up() {
    let events = json!([
        call_start(0, "a", "weir"),
        call_end(0, json!(null)),
        call_start(1, "a", "weir"),
        call_end(1, json!({ "n": 1 })),
        call_start(2, "a", "weir"),
        { "type": "tool_use_delta", "id": 2, "json": "{" },
        call_end(2, json!({ "n": 2 })),
    ]);
    let expected = [
        "tool-input-start a look",
        "tool-input-error a look null The source gave this call up before its input was whole.",
        "tool-input-start a look",
        r#"tool-input-available a look {"n":1}"#,
    ];
    assert_eq!(briefs(&inside(events)), expected);
}

#[test]
fn a_result_tells_its_call_if_nobody_did_and_waits_for_the_input() {
    let unknown = inside(json!([
        result("a", json!("found")),
        result("a", json!("more"))
    ]));
    let expected = [
        "tool-input-start a look",
        "tool-input-available a look {}",
        "tool-output-available a found",
        "tool-output-available a more",
    ];
    assert_eq!(briefs(&unknown), expected);
    assert_eq!(unknown[1]["providerExecuted"], true);

    let early = json!([
        call_start(0, "a", "source"),
        result("a", json!("found")),
        call_end(0, json!({ "q": 1 })),
    ]);
    let expected = [
        "tool-input-start a look",
        r#"tool-input-available a look {"q":1}"#,
        "tool-output-available a found",
    ];
    assert_eq!(briefs(&inside(early)), expected);
}

#[test]
fn a_failed_result_says_why() {
    let failed = |result: Value| {
        json!([{ "type": "tool_result", "toolCallId": "a", "name": "look", "result": result,
            "isError": true }])
    };
    let rows = [
        (json!("No such page."), "No such page."),
        (json!({ "code": 404 }), r#"{"code":404}"#),
    ];
    for (result, text) in rows {
        let chunks = inside(failed(result));
        let expected = json!({ "type": "tool-output-error", "toolCallId": "a", "errorText": text });
        assert_eq!(chunks.last(), Some(&expected));
    }
}

#[test]
fn sealed_thinking_and_sealed_text() {
    let end = |signature: Value, redacted: Value| json!({ "type": "thinking_end", "id": 0, "signature": signature, "redacted": redacted });
    let rows = [
        (
            end(json!("s"), json!(null)),
            json!({ "variant": "thinking", "signature": "s" }),
        ),
        (
            end(json!(null), json!("r")),
            json!({ "variant": "thinking", "redacted": "r" }),
        ),
    ];
    for (end, weir) in rows {
        let chunks = inside(json!([{ "type": "thinking_start", "id": 0 }, end]));
        let expected = json!({ "type": "reasoning-end", "id": "thinking-0",
            "providerMetadata": { "weir": weir } });
        assert_eq!(chunks[1], expected);
    }
    let chunks = inside(json!([text(0, "a"), { "type": "text_end", "id": 0, "signature": "s" }]));
    let expected = json!({ "type": "text-end", "id": "text-0",
        "providerMetadata": { "weir": { "signature": "s" } } });
    assert_eq!(chunks[2], expected);
}

#[test]
fn citations_and_files() {
    let cite = |citation: Value| json!({ "type": "citation", "id": 0, "citation": citation });
    let events = json!([
        { "type": "text_start", "id": 0 },
        cite(json!({ "url": "https://a.example", "title": "A", "citedText": "so", "raw": {} })),
        cite(json!({ "url": "https://b.example", "raw": {} })),
        cite(json!({ "title": "C", "raw": {} })),
        cite(json!({ "raw": {} })),
        text_end(0),
        { "type": "file", "url": "data:image/png;base64,AA==", "mediaType": "image/png" },
    ]);
    let cited = json!({ "weir": { "textId": "text-0" } });
    let expected = json!([
        { "type": "text-start", "id": "text-0" },
        { "type": "source-url", "sourceId": "source-0", "url": "https://a.example", "title": "A",
            "providerMetadata": { "weir": { "citedText": "so", "textId": "text-0" } } },
        { "type": "source-url", "sourceId": "source-1", "url": "https://b.example",
            "providerMetadata": cited },
        { "type": "source-document", "sourceId": "source-2", "mediaType": "text/plain",
            "title": "C", "providerMetadata": cited },
        { "type": "source-document", "sourceId": "source-3", "mediaType": "text/plain",
            "title": "Untitled", "providerMetadata": cited },
        { "type": "text-end", "id": "text-0" },
        { "type": "file", "url": "data:image/png;base64,AA==", "mediaType": "image/png" },
    ]);
    check(events, expected);
}

#[test]
fn what_a_dialect_does_not_know_is_told_and_not_kept() {
    check(
        json!([{ "type": "raw", "value": { "type": "ping" } }]),
        json!([{ "type": "data-raw", "data": { "type": "ping" }, "transient": true }]),
    );
}

#[test]
fn values_that_the_sdk_would_refuse_go_as_text() {
    let refused = [
        json!({ "__proto__": 1 }),
        json!([{ "a": { "__proto__": null } }]),
        json!({ "constructor": { "prototype": {} } }),
    ];
    for value in refused {
        let chunks = inside(json!([{ "type": "raw", "value": value }]));
        assert_eq!(chunks[0]["data"], value.to_string());
    }
    let fine = json!({ "constructor": "prototype", "prototype": {}, "proto": ["__proto__"] });
    let chunks = inside(json!([{ "type": "raw", "value": fine }]));
    assert_eq!(chunks[0]["data"], fine);
}
