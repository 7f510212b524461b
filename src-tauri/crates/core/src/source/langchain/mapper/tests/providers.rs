//! What LangChain passes on as other providers say it.

use super::*;

#[test]
fn content_that_is_plain_text() {
    check(
        &[chunk(json!("")), chunk(json!("a")), chunk(json!("b"))],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "text_delta", "id": 0, "text": "b" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn empty_content_is_skipped() {
    let odd = json!({ "content": null });
    check(&[chunk(json!([])), chunk(json!("")), odd], json!([]));
}

#[test]
fn thinking_as_each_provider_names_it() {
    let extra = |extra: Value| {
        let mut message = chunk(json!(""));
        message["additional_kwargs"] = extra;
        message
    };
    let table = [
        extra(json!({ "reasoning_content": "hm" })),
        extra(json!({ "reasoning": "hm" })),
        extra(json!({ "reasoning": { "summary": [{ "type": "summary_text", "text": "hm" }] } })),
        block(json!({ "type": "reasoning", "reasoning": "hm", "index": "lc_rs_0" })),
        block(json!({ "type": "reasoning", "summary": [{ "text": "hm" }], "index": 0 })),
        block(json!({ "type": "reasoning_content", "reasoning_content": { "text": "hm" } })),
        block(json!({ "type": "reasoning_content", "reasoningText": { "text": "hm" } })),
        block(json!({ "type": "thinking", "thinking": "hm" })),
    ];
    for message in table {
        check(
            &[message],
            json!([
                { "type": "thinking_start", "id": 0 },
                { "type": "thinking_delta", "id": 0, "text": "hm" },
                { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            ]),
        );
    }
}

#[test]
fn sealed_thinking() {
    check(
        &[
            block(json!({ "index": 0, "type": "redacted_thinking", "data": "one" })),
            block(json!({ "index": 1, "type": "redacted_thinking", "data": "two" })),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": "one" },
            { "type": "thinking_start", "id": 1 },
            { "type": "thinking_end", "id": 1, "signature": null, "redacted": "two" },
        ]),
    );
}

#[test]
fn blocks_with_names_instead_of_numbers() {
    let named =
        |name: &str, text: &str| block(json!({ "type": "text", "text": text, "index": name }));
    check(
        &[
            named("lc_txt_0", "a"),
            named("lc_txt_0", "b"),
            named("lc_txt_1", "c"),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "text_delta", "id": 0, "text": "b" },
            { "type": "text_end", "id": 0 },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "c" },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn several_blocks_in_one_chunk() {
    let blocks = json!([
        { "index": 0, "type": "thinking", "thinking": "hm" },
        "plain",
        { "index": 1, "type": "text", "text": "So." },
    ]);
    let summary = summary(&[stream(chunk(blocks))]);
    assert_eq!((&*summary.thinking, &*summary.text), ("hm", "plainSo."));
}

#[test]
fn parallel_calls_by_index_id_and_neither() {
    let calls = |calls: Value| {
        let mut message = chunk(json!(""));
        message["tool_call_chunks"] = calls;
        stream(message)
    };
    let two = json!([["a", { "n": 1 }], ["b", { "n": 2 }]]);
    let made = json!([["call_0", { "n": 1 }], ["call_1", { "n": 2 }]]);
    let table = [
        (
            vec![
                calls(json!([{ "index": 0, "id": "a", "name": "look", "args": "{\"n\"" }])),
                calls(json!([{ "index": 1, "id": "b", "name": "look", "args": "{\"n\"" }])),
                calls(json!([{ "index": 0, "args": ":1}" }, { "index": 1, "args": ":2}" }])),
            ],
            &two,
        ),
        (
            vec![
                calls(json!([{ "id": "a", "name": "look", "args": "{\"n\":1}" }])),
                calls(json!([{ "id": "b", "name": "look", "args": "{\"n\"" }])),
                calls(json!([{ "args": ":2}" }])),
            ],
            &two,
        ),
        (
            vec![calls(json!([
                { "name": "look", "args": "{\"n\":1}", "id": null, "index": null },
                { "name": "look", "args": "{\"n\":2}", "id": null, "index": null },
            ]))],
            &made,
        ),
        (
            vec![
                calls(json!([{ "index": 0, "id": "a", "name": "look", "args": "{\"n\":1}" }])),
                calls(json!([{ "index": 0, "id": "b", "name": "look", "args": "{\"n\":2}" }])),
            ],
            &two,
        ),
    ];
    for (events, expected) in table {
        let calls = summary(&events).tool_calls;
        let calls: Vec<Value> = calls
            .iter()
            .map(|call| json!([call.id, call.input]))
            .collect();
        assert_eq!(json!(calls), *expected);
    }
}

#[test]
fn calls_that_come_whole() {
    let mut message = chunk(json!(""));
    message["tool_calls"] = json!([{ "id": "a", "name": "look", "args": { "n": 1 } }]);
    let end = event("on_chat_model_end", json!({ "output": message }));
    for events in [vec![stream(message.clone()), end.clone()], vec![end]] {
        let calls = summary(&events).tool_calls;
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].input, json!({ "n": 1 }));
    }
}

#[test]
fn tools_of_the_provider_and_their_results() {
    let piece = |json: &str| {
        let mut message = block(json!({ "index": 0, "type": "input_json_delta", "input": json }));
        message["tool_call_chunks"] = json!([{ "index": 0, "args": json }]);
        message
    };
    let call = json!({ "index": 0, "type": "server_tool_use", "id": "s1", "name": "web_search",
        "input": "" });
    let result = json!({ "index": 1, "type": "web_search_tool_result", "tool_use_id": "s1",
        "content": [{ "url": "https://a" }] });
    check(
        &[block(call), piece("{\"query\":\"a\"}"), block(result)],
        json!([
            { "type": "tool_use_start", "id": 0, "toolCallId": "s1", "name": "web_search",
              "executedBy": "source" },
            { "type": "tool_use_delta", "id": 0, "json": "{\"query\":\"a\"}" },
            { "type": "tool_result", "toolCallId": "s1", "name": "web_search",
              "result": [{ "url": "https://a" }], "isError": false },
            { "type": "tool_use_end", "id": 0, "input": { "query": "a" } },
        ]),
    );
}

#[test]
fn usage_of_chunks_adds_up_and_the_end_replaces_it() {
    let used = |input: u64, output: u64| {
        let mut message = chunk(json!([]));
        message["usage_metadata"] = json!({ "input_tokens": input, "output_tokens": output,
            "total_tokens": input + output });
        message
    };
    let totals = |events: &[Value]| {
        let found = serde_json::to_value(read(events)).unwrap();
        let usages = found.as_array().unwrap().iter();
        let usages = usages.filter(|event| event["type"] == "usage");
        usages
            .map(|event| {
                json!([
                    event["usage"]["inputTokens"],
                    event["usage"]["outputTokens"]
                ])
            })
            .collect::<Vec<Value>>()
    };
    let chunks = [stream(used(10, 1)), stream(used(0, 5))];
    assert_eq!(totals(&chunks), [json!([10, 1]), json!([10, 6])]);
    let end = event("on_chat_model_end", json!({ "output": used(10, 5) }));
    let ended = [chunks.as_slice(), &[end]].concat();
    assert_eq!(
        totals(&ended),
        [json!([10, 1]), json!([10, 6]), json!([10, 5])]
    );
}

#[test]
fn usage_as_other_providers_report_it() {
    let details = json!({ "cached_tokens": 4 });
    let table = [
        json!({ "llmOutput": { "tokenUsage": { "promptTokens": 6, "completionTokens": 5 } } }),
        json!({ "llm_output": { "token_usage": { "prompt_tokens": 10, "completion_tokens": 5,
            "prompt_tokens_details": details } } }),
    ];
    for output in table {
        let end = event("on_chat_model_end", json!({ "output": output }));
        let usage = summary(&[stream(text(0, "So.")), end]).usage.unwrap();
        assert_eq!((usage.input_tokens, usage.output_tokens), (6, 5));
    }
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    let end = |usage: Value| {
        let mut output = chunk(json!("So."));
        output["usage_metadata"] = usage;
        event("on_chat_model_end", json!({ "output": output }))
    };
    for nothing in [
        json!(null),
        json!({}),
        json!("many"),
        json!({ "total_tokens": 4 }),
    ] {
        assert_eq!(summary(&[end(nothing)]).usage, None);
    }
    let most = json!({ "input_tokens": u64::MAX, "output_tokens": u64::MAX,
        "input_token_details": { "cache_read": u64::MAX, "cache_creation": -4 } });
    assert!(summary(&[end(most)]).usage.unwrap().total_tokens > 0);
}

#[test]
fn stop_reasons_where_each_provider_puts_them() {
    let table = [
        ("response_metadata", "stop_reason", "end_turn", "end_turn"),
        ("response_metadata", "finish_reason", "length", "max_tokens"),
        ("response_metadata", "finishReason", "STOP", "end_turn"),
        ("response_metadata", "stopReason", "tool_use", "tool_use"),
        ("response_metadata", "done_reason", "stop", "end_turn"),
        ("additional_kwargs", "stop_reason", "refusal", "refusal"),
    ];
    for (object, field, word, expected) in table {
        let mut output = chunk(json!("So."));
        output[object] = json!({ field: word });
        let end = event("on_chat_model_end", json!({ "output": output }));
        let reason = serde_json::to_value(summary(&[end]).stop_reason).unwrap();
        assert_eq!(reason, expected);
    }
}

#[test]
fn an_unknown_stop_reason_is_kept_raw() {
    let bored = stop("bored");
    let found = read(&[stream(first()), stream(bored.clone())]);
    let found = serde_json::to_value(found).unwrap();
    assert_eq!(found[1], raw(&stream(bored)));
}

#[test]
fn models_that_are_no_chat_models() {
    let events = [
        event("on_llm_start", json!({ "input": "?" })),
        event("on_llm_stream", json!({ "chunk": { "text": "a" } })),
        event("on_llm_stream", json!({ "chunk": "b" })),
        event(
            "on_llm_end",
            json!({ "output": { "generations": [[{ "text": "ab" }]] } }),
        ),
    ];
    let summary = summary(&events);
    assert_eq!(summary.text, "ab");
    assert!(summary.complete);
}

#[test]
fn the_other_ways_to_wrap_a_message() {
    let message = json!({ "content": "a" });
    let table = [
        json!({ "type": "AIMessageChunk", "data": message }),
        json!({ "lc_serializable": true, "lc_kwargs": message }),
        json!({ "text": "a", "message": message }),
        json!({ "text": "a", "message": serialized(message.clone()) }),
    ];
    for chunk in table {
        assert_eq!(summary(&[stream(chunk)]).text, "a");
    }
}

#[test]
fn unknown_blocks_and_words_of_the_wrong_type_are_raw_once() {
    let odd = [
        stream(chunk(json!([{ "type": "compaction" }, { "type": "more" }]))),
        stream(chunk(json!(7))),
        stream(chunk(json!([7]))),
        stream(chunk(json!([{ "type": "text", "text": 7 }]))),
        stream(Value::Null),
        stream(chunk(
            json!([{ "type": "input_json_delta", "index": 9, "input": "{" }]),
        )),
        stream(chunk(
            json!([{ "type": "web_search_tool_result", "tool_use_id": "none" }]),
        )),
        event("on_custom_event", json!("progress")),
        json!({ "event": "metadata", "data": {} }),
        json!({ "status": "think" }),
        json!([1]),
        json!("text"),
    ];
    let mut found = read(&[&[stream(first())], odd.as_slice()].concat());
    found.pop();
    found.remove(0);
    let expected: Vec<Value> = odd.iter().map(raw).collect();
    assert_eq!(serde_json::to_value(found).unwrap(), json!(expected));
}
