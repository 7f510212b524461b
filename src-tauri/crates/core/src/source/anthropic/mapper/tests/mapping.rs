//! One case for each kind of event that the Messages API documents.

use super::*;

#[test]
fn message_start_gives_start_and_the_first_usage() {
    let mut event = message_start();
    event["message"]["usage"] = json!({ "input_tokens": 5, "output_tokens": 1 });
    let found = serde_json::to_value(&read(&[event])[..2]).unwrap();
    assert_eq!(
        found[0],
        json!({ "type": "start", "messageId": "msg_1", "model": "claude" })
    );
    assert_eq!(found[1]["usage"]["inputTokens"], 5);
}

#[test]
fn content_block_start_thinking() {
    check(
        &[start(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        )],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
        ]),
    );
}

#[test]
fn content_block_delta_thinking_delta() {
    check(
        &[
            start(0, json!({ "type": "thinking", "thinking": "" })),
            delta(0, json!({ "type": "thinking_delta", "thinking": "well…" })),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well…" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
        ]),
    );
}

#[test]
fn content_block_delta_signature_delta() {
    check(
        &[
            start(0, json!({ "type": "thinking", "thinking": "" })),
            delta(0, json!({ "type": "signature_delta", "signature": "si" })),
            delta(0, json!({ "type": "signature_delta", "signature": "gn" })),
            stop(0),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_end", "id": 0, "signature": "sign", "redacted": null },
        ]),
    );
}

#[test]
fn content_block_start_redacted_thinking() {
    check(
        &[
            start(0, json!({ "type": "redacted_thinking", "data": "sealed" })),
            stop(0),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": "sealed" },
        ]),
    );
}

#[test]
fn content_block_start_text() {
    check(
        &[start(0, json!({ "type": "text", "text": "" })), stop(0)],
        json!([{ "type": "text_start", "id": 0 }, { "type": "text_end", "id": 0 }]),
    );
}

#[test]
fn content_block_delta_text_delta() {
    check(
        &[
            start(0, json!({ "type": "text", "text": "" })),
            text_delta(0, "a \"quoted\" "),
            text_delta(0, "word 🦀"),
            stop(0),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a \"quoted\" " },
            { "type": "text_delta", "id": 0, "text": "word 🦀" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn content_block_delta_citations_delta() {
    let web = json!({
        "type": "web_search_result_location", "url": "https://example.com", "title": "A page",
        "encrypted_index": "x", "cited_text": "said so",
    });
    let page = json!({
        "type": "page_location", "document_index": 0, "document_title": "A book",
        "start_page_number": 1, "end_page_number": 2, "cited_text": "wrote so",
    });
    let given = json!({
        "type": "search_result_location", "source": "my notes", "title": null,
        "cited_text": "noted so",
    });
    let cited = |citation: &Value| json!({ "type": "citations_delta", "citation": citation });
    check(
        &[
            start(
                0,
                json!({ "type": "text", "text": "", "citations": [page] }),
            ),
            delta(0, cited(&web)),
            delta(0, cited(&given)),
            text_delta(0, "So it is."),
            stop(0),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "citation", "id": 0,
              "citation": { "title": "A book", "citedText": "wrote so", "raw": page } },
            { "type": "citation", "id": 0, "citation": {
                "url": "https://example.com", "title": "A page", "citedText": "said so",
                "raw": web } },
            { "type": "citation", "id": 0,
              "citation": { "citedText": "noted so", "raw": given } },
            { "type": "text_delta", "id": 0, "text": "So it is." },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn content_block_start_tool_use() {
    check(
        &[start(
            0,
            json!({ "type": "tool_use", "id": "t1", "name": "look", "input": {} }),
        )],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "t1", "name": "look",
              "executedBy": "weir" },
            { "type": "tool_use_end", "id": 0, "input": {} },
        ]),
    );
}

#[test]
fn content_block_delta_input_json_delta() {
    let piece = |json: &str| {
        delta(
            1,
            json!({ "type": "input_json_delta", "partial_json": json }),
        )
    };
    check(
        &[
            start(
                1,
                json!({ "type": "tool_use", "id": "t1", "name": "look", "input": {} }),
            ),
            piece(""),
            piece("{\"at\": "),
            piece("\"猫\"}"),
            stop(1),
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

/// A block ends where its stop comes, and not with the stream: another begins behind it.
fn check_stop(block: Value, piece: Value, ended: Value) {
    let events = [
        start(0, block),
        delta(0, piece),
        stop(0),
        text_delta(1, "after"),
    ];
    let found = serde_json::to_value(read(&events)).unwrap();
    let types = |event: &Value| event["type"].as_str().unwrap().to_owned();
    let kinds: Vec<String> = found.as_array().unwrap().iter().map(types).collect();
    assert_eq!(found[2], ended);
    assert_eq!(kinds[3], "text_start");
}

#[test]
fn content_block_stop_thinking() {
    check_stop(
        json!({ "type": "thinking", "thinking": "" }),
        json!({ "type": "thinking_delta", "thinking": "well" }),
        json!({ "type": "thinking_end", "id": 0, "signature": null, "redacted": null }),
    );
}

#[test]
fn content_block_stop_text() {
    check_stop(
        json!({ "type": "text", "text": "" }),
        json!({ "type": "text_delta", "text": "So." }),
        json!({ "type": "text_end", "id": 0 }),
    );
}

#[test]
fn content_block_stop_tool_use() {
    check_stop(
        json!({ "type": "tool_use", "id": "t1", "name": "look", "input": {} }),
        json!({ "type": "input_json_delta", "partial_json": "{\"at\":1}" }),
        json!({ "type": "tool_use_end", "id": 0, "input": { "at": 1 } }),
    );
}

#[test]
fn tools_of_the_source_and_their_results() {
    let table = [
        ("server_tool_use", "web_search", "web_search_tool_result"),
        ("server_tool_use", "web_fetch", "web_fetch_tool_result"),
        (
            "server_tool_use",
            "code_execution",
            "code_execution_tool_result",
        ),
        (
            "server_tool_use",
            "bash_code_execution",
            "bash_code_execution_tool_result",
        ),
        (
            "server_tool_use",
            "tool_search_tool_regex",
            "tool_search_tool_result",
        ),
        ("server_tool_use", "advisor", "advisor_tool_result"),
        ("mcp_tool_use", "ask", "mcp_tool_result"),
        ("later_tool_use", "later", "later_tool_result"),
    ];
    for (call, name, result) in table {
        let content = json!({ "type": "anything", "value": [1, 2] });
        check(
            &[
                start(
                    0,
                    json!({ "type": call, "id": "s1", "name": name, "input": { "a": 1 } }),
                ),
                stop(0),
                start(
                    1,
                    json!({ "type": result, "tool_use_id": "s1", "content": content,
                        "caller": { "type": "direct" } }),
                ),
                stop(1),
            ],
            json!([
                { "type": "tool_use_start", "id": 0, "toolCallId": "s1", "name": name,
                  "executedBy": "source", "detail": { "type": call } },
                { "type": "tool_use_end", "id": 0, "input": { "a": 1 } },
                { "type": "tool_result", "toolCallId": "s1", "name": name, "result": content,
                  "isError": false, "detail": { "type": result, "caller": { "type": "direct" } } },
            ]),
        );
    }
}

#[test]
fn failed_results_say_so() {
    let by_content = json!({ "type": "web_search_tool_result", "tool_use_id": "s1",
        "content": { "type": "web_search_tool_result_error", "error_code": "unavailable" } });
    let by_flag = json!({ "type": "mcp_tool_result", "tool_use_id": "s1", "is_error": true,
        "content": [{ "type": "text", "text": "no" }] });
    for block in [by_content, by_flag] {
        check(
            &[start(0, block.clone())],
            json!([{ "type": "tool_result", "toolCallId": "s1", "isError": true,
                "name": block["type"].as_str().unwrap().replace("_tool_result", ""),
                "result": block["content"], "detail": { "type": block["type"] } }]),
        );
    }
}

#[test]
fn message_delta_usage_is_cumulative_and_merged() {
    let mut first = message_start();
    first["message"]["usage"] = json!({
        "input_tokens": 10, "output_tokens": 1, "service_tier": "standard",
        "cache_read_input_tokens": 7, "cache_creation_input_tokens": 30,
        "cache_creation": { "ephemeral_5m_input_tokens": 20, "ephemeral_1h_input_tokens": 10 },
    });
    let events = read(&[
        first,
        message_delta(
            "end_turn",
            json!({
                "input_tokens": 12, "output_tokens": 50, "cache_read_input_tokens": null,
                "output_tokens_details": { "thinking_tokens": 40 },
            }),
        ),
        message_stop(),
    ]);
    let mut reports = events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap());
    let last = reports.rfind(|event| event["type"] == "usage");
    let expected = json!({
        "inputTokens": 12, "outputTokens": 50, "reasoningTokens": 40, "cacheReadTokens": 7,
        "cacheWriteTokens": 30, "cacheWrite5mTokens": 20, "cacheWrite1hTokens": 10,
        "serviceTier": "standard",
    });
    assert_eq!(last.unwrap()["usage"], expected);
    assert_eq!(
        summarize(&events).usage.unwrap().total_tokens,
        12 + 7 + 30 + 50
    );
}

#[test]
fn message_stop_gives_done_with_the_stop_reason() {
    let table = [
        ("end_turn", Some("end_turn")),
        ("max_tokens", Some("max_tokens")),
        ("model_context_window_exceeded", Some("max_tokens")),
        ("stop_sequence", Some("stop_sequence")),
        ("tool_use", Some("tool_use")),
        ("pause_turn", Some("pause_turn")),
        ("refusal", Some("refusal")),
    ];
    for (word, expected) in table {
        check(
            &[message_delta(word, Value::Null), message_stop()],
            json!([{ "type": "done", "stopReason": expected }]),
        );
    }
}

#[test]
fn an_unknown_stop_reason_is_kept_raw() {
    let event = message_delta("bored", Value::Null);
    check(
        &[event.clone(), message_stop()],
        json!([{ "type": "raw", "value": event }, { "type": "done", "stopReason": null }]),
    );
}

#[test]
fn ping_says_nothing() {
    check(&[json!({ "type": "ping" })], json!([]));
}

#[test]
fn error_under_a_good_status() {
    let error = json!({ "type": "overloaded_error", "message": "Overloaded" });
    let expected = json!([
        { "type": "text_start", "id": 0 },
        { "type": "text_delta", "id": 0, "text": "half" },
        { "type": "text_end", "id": 0 },
        { "type": "error", "error": { "code": "overloaded", "message": "Overloaded" } },
    ]);
    check(
        &[
            text_delta(0, "half"),
            json!({ "type": "error", "error": error }),
        ],
        expected.clone(),
    );
    // As gateways send it.
    check(
        &[text_delta(0, "half"), json!({ "error": error })],
        expected,
    );
}
