//! One case for each way in which an event of Anthropic's reaches LangChain's stream.

use super::*;

#[test]
fn message_start_is_the_first_on_chat_model_stream() {
    for form in [plain, serialized] {
        let events = read(&[stream(form(first())), stream(form(first()))]);
        let found = serde_json::to_value(&events[..1]).unwrap();
        assert_eq!(
            found,
            json!([{ "type": "start", "messageId": "msg_1", "model": "claude" }])
        );
        assert_eq!(kinds(&events), ["start", "stream_cut"]);
    }
}

#[test]
fn content_block_start_thinking() {
    check(
        &[block(
            json!({ "index": 0, "type": "thinking", "thinking": "", "signature": "" }),
        )],
        json!([]),
    );
}

#[test]
fn content_block_delta_thinking_delta() {
    for kind in ["thinking", "thinking_delta"] {
        check(
            &[
                block(json!({ "index": 0, "type": kind, "thinking": "well" })),
                block(json!({ "index": 0, "type": kind, "thinking": "…" })),
            ],
            json!([
                { "type": "thinking_start", "id": 0 },
                { "type": "thinking_delta", "id": 0, "text": "well" },
                { "type": "thinking_delta", "id": 0, "text": "…" },
                { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            ]),
        );
    }
}

#[test]
fn content_block_delta_signature_delta() {
    for kind in ["thinking", "signature_delta"] {
        check(
            &[
                block(json!({ "index": 0, "type": "thinking", "thinking": "hm" })),
                block(json!({ "index": 0, "type": kind, "signature": "si" })),
                block(json!({ "index": 0, "type": kind, "signature": "gn" })),
            ],
            json!([
                { "type": "thinking_start", "id": 0 },
                { "type": "thinking_delta", "id": 0, "text": "hm" },
                { "type": "thinking_end", "id": 0, "signature": "sign", "redacted": null },
            ]),
        );
    }
}

#[test]
fn content_block_stop_thinking_is_where_the_next_block_begins() {
    check(
        &[
            block(json!({ "index": 0, "type": "thinking", "thinking": "hm" })),
            text(1, "So."),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "hm" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "So." },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn content_block_start_text() {
    check(&[text(0, "")], json!([]));
}

#[test]
fn content_block_delta_text_delta() {
    for kind in ["text", "text_delta"] {
        check(
            &[
                block(json!({ "index": 0, "type": kind, "text": "a \"quoted\" " })),
                block(json!({ "index": 0, "type": kind, "text": "word 🦀" })),
            ],
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "a \"quoted\" " },
                { "type": "text_delta", "id": 0, "text": "word 🦀" },
                { "type": "text_end", "id": 0 },
            ]),
        );
    }
}

#[test]
fn content_block_delta_citations_delta() {
    let citation = json!({ "type": "page_location", "document_title": "A book",
        "cited_text": "wrote so" });
    let table = [
        json!({ "index": 1, "type": "text", "citations": [citation] }),
        json!({ "index": 1, "type": "citations_delta", "citation": citation }),
    ];
    for cited in table {
        check(
            &[text(0, "Well, "), block(cited), text(1, "so it is.")],
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "Well, " },
                { "type": "text_end", "id": 0 },
                { "type": "text_start", "id": 1 },
                { "type": "citation", "id": 1, "citation": {
                    "title": "A book", "citedText": "wrote so", "raw": citation } },
                { "type": "text_delta", "id": 1, "text": "so it is." },
                { "type": "text_end", "id": 1 },
            ]),
        );
    }
}

#[test]
fn a_source_keeps_how_well_it_fits() {
    let citation = json!({ "url": "https://a", "title": "A", "relevance_score": 0.75,
        "confidence": 0.5 });
    check(
        &[
            block(json!({ "index": 0, "type": "citations_delta", "citation": citation })),
            text(0, "So."),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "citation", "id": 0, "citation": {
                "url": "https://a", "title": "A", "relevance": 0.75, "confidence": 0.5,
                "raw": citation } },
            { "type": "text_delta", "id": 0, "text": "So." },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn content_block_stop_text_is_where_the_model_ends() {
    let end = event(
        "on_chat_model_end",
        json!({ "output": chunk(json!("So.")) }),
    );
    let events = read(&[stream(text(0, "So.")), end]);
    assert_eq!(
        kinds(&events),
        ["start", "text_start", "text_delta", "text_end", "done"]
    );
}

fn tool_use() -> Value {
    let mut message =
        block(json!({ "index": 1, "type": "tool_use", "id": "t1", "name": "look", "input": "" }));
    message["tool_call_chunks"] =
        json!([{ "index": 1, "id": "t1", "name": "look", "args": "", "type": "tool_call_chunk" }]);
    message
}

fn input_json_delta(json: &str) -> Value {
    let mut message = block(json!({ "index": 1, "type": "input_json_delta", "input": json }));
    message["tool_call_chunks"] = json!([{ "index": 1, "args": json }]);
    message
}

/// As they stand without LangChain's own form of them.
fn blocks_only(mut message: Value) -> Value {
    message["tool_call_chunks"] = json!([]);
    message
}

/// As they stand where the content is text.
fn chunks_only(mut message: Value) -> Value {
    message["content"] = json!("");
    message
}

#[test]
fn content_block_start_tool_use() {
    for form in [plain, blocks_only, chunks_only] {
        check(
            &[text(0, "Wait."), form(tool_use())],
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "Wait." },
                { "type": "text_end", "id": 0 },
                { "type": "tool_use_start", "id": 1, "toolCallId": "t1", "name": "look",
                  "executedBy": "source" },
                { "type": "tool_use_end", "id": 1, "input": {} },
            ]),
        );
    }
}

#[test]
fn content_block_delta_input_json_delta() {
    for form in [plain, blocks_only, chunks_only] {
        check(
            &[
                form(tool_use()),
                form(input_json_delta("")),
                form(input_json_delta("{\"at\": ")),
                form(input_json_delta("\"猫\"}")),
            ],
            json!([
                { "type": "tool_use_start", "id": 0, "toolCallId": "t1", "name": "look",
                  "executedBy": "source" },
                { "type": "tool_use_delta", "id": 0, "json": "{\"at\": " },
                { "type": "tool_use_delta", "id": 0, "json": "\"猫\"}" },
                { "type": "tool_use_end", "id": 0, "input": { "at": "猫" } },
            ]),
        );
    }
}

#[test]
fn content_block_stop_tool_use_is_where_the_model_ends() {
    let mut output = chunk(json!([]));
    output["tool_calls"] = json!([{ "id": "t1", "name": "look", "args": { "a": 1 } }]);
    let events = [
        stream(tool_use()),
        stream(input_json_delta("{\"a\":1}")),
        event("on_chat_model_end", json!({ "output": output })),
    ];
    assert_eq!(
        kinds(&read(&events)),
        [
            "start",
            "tool_use_start",
            "tool_use_delta",
            "tool_use_end",
            "done"
        ]
    );
}

#[test]
fn on_tool_start_says_nothing() {
    let start = event("on_tool_start", json!({ "input": { "a": 1 } }));
    assert_eq!(kinds(&read(&[start])), ["stream_cut"]);
}

#[test]
fn on_tool_end_says_nothing_without_the_id_of_a_call() {
    let table = [
        event("on_tool_end", json!({ "output": "found" })),
        event("on_tool_end", json!({ "output": { "content": "found" } })),
        event(
            "on_tool_end",
            json!({ "output": { "content": "found", "tool_call_id": "no" } }),
        ),
        event("on_tool_error", json!({ "error": "broken" })),
    ];
    for end in table {
        let events = read(&[stream(tool_use()), end]);
        assert_eq!(
            kinds(&events),
            ["start", "tool_use_start", "tool_use_end", "stream_cut"]
        );
    }
}

#[test]
fn on_tool_error_is_the_result_of_the_call_that_it_names_and_no_error() {
    let failed = event(
        "on_tool_error",
        json!({ "error": "broken", "tool_call_id": "t1" }),
    );
    check_tool_error(&[stream(tool_use()), failed], json!("broken"));
    // Where it names none it says nothing, as `on_tool_end` does.
    let nameless = event("on_tool_error", json!({ "error": "broken" }));
    check_tool_error(&[stream(tool_use()), nameless], json!(null));
}

fn check_tool_error(events: &[Value], result: Value) {
    let found = serde_json::to_value(read(events)).unwrap();
    let events = found.as_array().unwrap();
    let told = events.iter().find(|event| event["type"] == "tool_result");
    assert_eq!(told.map_or(&json!(null), |event| &event["result"]), &result);
    let errors = events.iter().filter(|event| event["type"] == "error");
    let codes: Vec<&Value> = errors.map(|event| &event["error"]["code"]).collect();
    assert_eq!(codes, ["stream_cut"]);
}

#[test]
fn on_tool_end_answers_the_call_that_it_names() {
    let message = json!({ "content": "found", "tool_call_id": "t1", "status": "success" });
    let listed = json!({ "update": { "messages": [message] } });
    let table = [
        (
            "on_tool_end",
            json!({ "output": message }),
            json!("found"),
            false,
        ),
        (
            "on_tool_end",
            json!({ "output": serialized(message.clone()) }),
            json!("found"),
            false,
        ),
        (
            "on_tool_end",
            json!({ "output": [message] }),
            json!("found"),
            false,
        ),
        (
            "on_tool_end",
            json!({ "output": listed }),
            json!("found"),
            false,
        ),
        (
            "on_tool_end",
            json!({ "output": { "content": "no", "tool_call_id": "t1", "status": "error" } }),
            json!("no"),
            true,
        ),
        (
            "on_tool_error",
            json!({ "error": "broken", "tool_call_id": "t1" }),
            json!("broken"),
            true,
        ),
    ];
    for (name, data, result, is_error) in table {
        let again = event(name, data.clone());
        let found = read(&[stream(tool_use()), event(name, data), again]);
        let found = serde_json::to_value(found).unwrap();
        assert_eq!(
            found[2],
            json!({ "type": "tool_result", "toolCallId": "t1", "name": "look",
                "result": result, "isError": is_error })
        );
        assert_eq!(found.as_array().unwrap().len(), 5);
    }
}

fn executions() -> Value {
    json!({ "toolExecutions": [
        { "toolCall": { "id": "t1", "name": "look", "args": { "a": 1 } }, "result": "found" },
        { "toolCall": { "id": "t2", "name": "ask", "args": { "b": 2 } }, "error": "nobody" },
        { "toolCall": { "id": "t2", "name": "ask", "args": { "b": 2 } }, "error": "nobody" },
    ]})
}

#[test]
fn tool_executions_of_the_final_output_are_the_calls() {
    let end = run_event("on_chain_end", "root", json!({ "output": executions() }));
    let events = [
        run_event("on_chain_start", "root", json!({})),
        stream(tool_use()),
        stream(input_json_delta("{\"a\":1}")),
        event("on_chat_model_end", json!({ "output": chunk(json!([])) })),
        end,
    ];
    let summary = summary(&events);
    let calls: Vec<Value> = summary
        .tool_calls
        .iter()
        .map(|call| json!([call.id, call.name, call.input]))
        .collect();
    assert_eq!(
        json!(calls),
        json!([["t1", "look", { "a": 1 }], ["t2", "ask", { "b": 2 }]])
    );
    assert!(summary.complete);
}

#[test]
fn after_tool_execution_each_call_has_one_result() {
    let message = json!({ "content": "found", "tool_call_id": "t1" });
    let events = [
        run_event("on_chain_start", "root", json!({})),
        stream(tool_use()),
        event("on_chat_model_end", json!({ "output": chunk(json!([])) })),
        event("on_tool_end", json!({ "output": message })),
        run_event("on_chain_end", "root", json!({ "output": executions() })),
    ];
    let found = serde_json::to_value(read(&events)).unwrap();
    let results: Vec<&Value> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|event| event["type"] == "tool_result")
        .collect();
    assert_eq!(
        json!(results),
        json!([
            { "type": "tool_result", "toolCallId": "t1", "name": "look", "result": "found",
              "isError": false },
            { "type": "tool_result", "toolCallId": "t2", "name": "ask", "result": "nobody",
              "isError": true },
        ])
    );
}

#[test]
fn message_delta_is_the_usage_of_on_chat_model_end() {
    let raw = json!({ "input_tokens": 10, "output_tokens": 5, "cache_read_input_tokens": 4,
        "cache_creation_input_tokens": 3 });
    let own = json!({ "input_tokens": 17, "output_tokens": 5, "total_tokens": 22,
        "input_token_details": { "cache_read": 4, "cache_creation": 3 },
        "output_token_details": { "reasoning": 2 } });
    let message = json!({ "content": "So.", "usage_metadata": own });
    let table = [
        (json!({ "llmOutput": { "usage": raw } }), 0),
        (
            json!({ "llm_output": { "usage": raw }, "generations": [[{ "message": message }]] }),
            0,
        ),
        (message.clone(), 2),
        (serialized(message.clone()), 2),
        (
            json!({ "generations": [[{ "text": "So.", "message": serialized(message) }]] }),
            2,
        ),
    ];
    for (output, reasoning) in table {
        let end = event("on_chat_model_end", json!({ "output": output }));
        let usage = summary(&[stream(text(0, "So.")), end]).usage.unwrap();
        let counts = (
            usage.input_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.output_tokens,
            usage.reasoning_tokens,
        );
        assert_eq!(counts, (10, 4, 3, 5, reasoning), "{output}");
    }
}

#[test]
fn message_stop_is_on_chat_model_end_with_the_stop_reason() {
    let table = [
        ("end_turn", "end_turn"),
        ("max_tokens", "max_tokens"),
        ("stop_sequence", "stop_sequence"),
        ("tool_use", "tool_use"),
        ("pause_turn", "pause_turn"),
        ("refusal", "refusal"),
    ];
    for (word, expected) in table {
        let end = event("on_chat_model_end", json!({ "output": chunk(json!("")) }));
        let events = read(&[stream(first()), stream(stop(word)), end]);
        let last = serde_json::to_value(events.last()).unwrap();
        assert_eq!(last, json!({ "type": "done", "stopReason": expected }));
    }
}
