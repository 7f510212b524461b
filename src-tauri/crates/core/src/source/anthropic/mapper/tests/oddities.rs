//! What real servers and gateways have sent beside the documentation.

use super::*;

#[test]
fn content_already_inside_message_start() {
    let mut event = message_start();
    event["message"]["stop_reason"] = json!("tool_use");
    event["message"]["content"] = json!([
        { "type": "text", "text": "Rolling." },
        { "type": "tool_use", "id": "t1", "name": "roll", "input": { "sides": 6 } },
    ]);
    let summary = summary(&[event, message_stop()]);
    assert_eq!(summary.text, "Rolling.");
    assert_eq!(summary.tool_calls[0].input, json!({ "sides": 6 }));
    assert_eq!(
        serde_json::to_value(summary.stop_reason).unwrap(),
        "tool_use"
    );
    assert!(summary.complete);
}

#[test]
fn the_same_message_start_twice_is_one() {
    let summary = summary(&[
        message_start(),
        message_start(),
        text_delta(0, "a"),
        message_stop(),
    ]);
    assert_eq!(summary.message_ids, ["msg_1"]);
    assert_eq!(summary.text, "a");
}

#[test]
fn another_message_start_in_the_middle_abandons_the_open_call() {
    let mut second = message_start();
    second["message"]["id"] = json!("msg_2");
    let call = |id: &str| json!({ "type": "tool_use", "id": id, "name": "look", "input": {} });
    let piece = json!({ "type": "input_json_delta", "partial_json": "{\"a\":" });
    let events = [
        message_start(),
        start(0, call("first")),
        delta(0, piece),
        second,
        start(0, call("second")),
        stop(0),
        message_stop(),
    ];
    let summary = summary(&events);
    let ids: Vec<&str> = summary
        .tool_calls
        .iter()
        .map(|call| call.id.as_str())
        .collect();
    assert_eq!(ids, ["second"]);
    assert_eq!(summary.message_ids, ["msg_1", "msg_2"]);
}

#[test]
fn padded_reordered_and_repeated_keys() {
    let padded = r#"   {"delta" : {"text":"a","type":"text_delta"},  "index": 0, "type":"content_block_delta"   }   "#;
    let repeated = r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x","text":"b"}}"#;
    assert_eq!(summary(&[json!(padded), json!(repeated)]).text, "ab");
}

#[test]
fn what_is_no_json_is_raw_and_blank_is_nothing() {
    let raw = |text: &str| json!({ "type": "raw", "value": text });
    check(
        &[json!("[DONE]"), json!(""), json!(" "), json!("{\"type\":")],
        json!([raw("[DONE]"), raw("{\"type\":")]),
    );
}

#[test]
fn an_error_that_is_no_json_is_still_an_error() {
    let bytes = b"event: error\ndata: upstream timed out\n\n";
    let errors = summarize(&testing::read(&DIALECT, [&bytes[..]])).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "upstream timed out");
}

#[test]
fn unknown_events_blocks_and_deltas_are_raw_once() {
    let event = json!({ "type": "news", "value": 1 });
    let block = start(0, json!({ "type": "compaction", "content": null }));
    let piece = delta(0, json!({ "type": "compaction_delta", "content": "short" }));
    let orphan = delta(
        3,
        json!({ "type": "input_json_delta", "partial_json": "{" }),
    );
    check(
        &[
            event.clone(),
            block.clone(),
            piece.clone(),
            stop(0),
            orphan.clone(),
        ],
        json!([
            { "type": "raw", "value": event },
            { "type": "raw", "value": block },
            { "type": "raw", "value": piece },
            { "type": "raw", "value": orphan },
        ]),
    );
}

#[test]
fn text_without_a_block_is_not_lost() {
    let summary = summary(&[text_delta(4, "here"), message_stop()]);
    assert_eq!(summary.text, "here");
}

#[test]
fn blocks_that_interleave_keep_their_ids() {
    let text = json!({ "type": "text", "text": "" });
    check(
        &[
            start(0, text.clone()),
            start(1, text),
            text_delta(0, "a"),
            text_delta(1, "b"),
            stop(1),
            message_stop(),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "text_delta", "id": 1, "text": "b" },
            { "type": "text_end", "id": 1 },
            { "type": "text_end", "id": 0 },
            { "type": "done", "stopReason": null },
        ]),
    );
}

#[test]
fn after_done_nothing_means_anything() {
    let late = text_delta(0, "late");
    check(
        &[
            message_stop(),
            json!({ "type": "ping" }),
            late.clone(),
            message_stop(),
        ],
        json!([
            { "type": "done", "stopReason": null },
            { "type": "raw", "value": late },
            { "type": "raw", "value": message_stop() },
        ]),
    );
}

#[test]
fn why_it_refused_is_told() {
    let mut event = message_delta("refusal", Value::Null);
    event["delta"]["stop_details"] = json!({ "type": "refusal", "explanation": "Not this." });
    check(
        &[event, message_stop()],
        json!([
            { "type": "status", "message": "Not this." },
            { "type": "done", "stopReason": "refusal" },
        ]),
    );
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(summary(&[message_start(), message_stop()]).usage, None);
    let most = json!({
        "input_tokens": u64::MAX, "output_tokens": u64::MAX, "cache_read_input_tokens": -3,
        "cache_creation_input_tokens": u64::MAX,
        "cache_creation": { "ephemeral_5m_input_tokens": u64::MAX },
    });
    let summary = summary(&[message_start(), message_delta("end_turn", most)]);
    assert!(summary.usage.unwrap().total_tokens > 0);
}

#[test]
fn calls_without_ids_get_one_each() {
    let call = json!({ "type": "tool_use", "name": "look", "input": {} });
    let named = json!({ "type": "tool_use", "id": "call_1", "name": "look", "input": {} });
    let events = [start(0, call.clone()), start(1, named), start(2, call)];
    let calls = summary(&events).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "call_1", "call_2"]);
}

#[test]
fn words_of_another_type_are_raw() {
    let odd = [
        start(0, json!({ "type": "text", "text": 9 })),
        start(0, json!({ "type": "thinking", "thinking": ["a"] })),
        delta(0, json!({ "type": "text_delta", "text": 9 })),
        delta(0, json!({ "type": "input_json_delta", "partial_json": {} })),
    ];
    for event in odd {
        let raw = StreamEvent::Raw {
            value: event.clone(),
        };
        assert_eq!(read(&[event])[0], raw);
    }
}
