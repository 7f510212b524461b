//! What gateways make of the stream.

use super::*;

fn stop_reason(summary: &Summary) -> Value {
    serde_json::to_value(summary.stop_reason).unwrap()
}

#[test]
fn a_message_in_one_piece() {
    let message = json!({
        "id": "m", "type": "message", "role": "assistant", "model": "claude",
        "content": [{ "type": "text", "text": "hi" }, { "type": "news" }],
        "stop_reason": "end_turn", "usage": { "input_tokens": 1, "output_tokens": 2 },
    });
    let events = read(&[message]);
    let raws = events
        .iter()
        .filter(|event| matches!(event, StreamEvent::Raw { .. }));
    assert_eq!(raws.count(), 1);
    let summary = summarize(&events);
    assert_eq!(summary.text, "hi");
    assert_eq!(stop_reason(&summary), "end_turn");
    assert_eq!(summary.usage.unwrap().output_tokens, 2);
    assert!(summary.complete);
}

#[test]
fn events_that_are_named_beside_the_data_only() {
    let bytes = b"event: message_start\ndata: {\"message\":{\"id\":\"m\"}}\n\n\
event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n\
event: message_stop\ndata: {}\n\n";
    let summary = summarize(&testing::read(&DIALECT, [&bytes[..]]));
    assert_eq!((&*summary.text, summary.complete), ("hi", true));
    assert_eq!(summary.message_ids, ["m"]);
}

#[test]
fn done_in_place_of_message_stop() {
    let ended = |events: &[Value]| summary(&[events, &[json!("[DONE]")]].concat());
    let said = [message_start(), text_delta(0, "a")];
    assert!(!ended(&said).complete);
    let stopped = message_delta("end_turn", Value::Null);
    let summary = ended(&[&said[..], &[stopped]].concat());
    assert_eq!((&*summary.text, summary.complete), ("a", true));
    assert_eq!(stop_reason(&summary), "end_turn");
}

#[test]
fn errors_of_any_shape() {
    let table = [
        json!({ "type": "error", "error": "gone" }),
        json!({ "type": "error", "message": "gone" }),
        json!({ "error": "gone" }),
        json!({ "error": { "message": "gone" } }),
    ];
    for event in table {
        let error = json!({ "code": "source_failed", "message": "gone" });
        check(&[event], json!([{ "type": "error", "error": error }]));
    }
}

#[test]
fn a_report_without_a_count_is_none() {
    for usage in [json!({}), json!({ "output_tokens": null }), json!([1])] {
        let events = [message_start(), message_delta("end_turn", usage)];
        assert_eq!(summary(&events).usage, None);
    }
}

#[test]
fn counts_as_fractions_and_as_text() {
    let mut first = message_start();
    first["message"]["usage"] = json!({ "input_tokens": 10.0, "output_tokens": "3" });
    let events = [
        first,
        message_delta("end_turn", json!({ "output_tokens": 7.0 })),
    ];
    let usage = summary(&events).usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (10, 7));
}

#[test]
fn one_id_for_two_calls_is_given_once() {
    let call = |index: u64, name: &str, n: u64| {
        let block = json!({ "type": "tool_use", "id": "x", "name": name, "input": { "n": n } });
        [start(index, block), stop(index)]
    };
    let events = [
        call(0, "f", 1),
        call(1, "g", 1),
        call(2, "f", 2),
        call(0, "f", 1),
    ]
    .concat();
    let calls: Vec<Value> = summary(&events)
        .tool_calls
        .into_iter()
        .map(|call| json!([call.id, call.name, call.input["n"]]))
        .collect();
    let expected = json!([["x", "f", 1], ["call_0", "g", 1], ["call_1", "f", 2]]);
    assert_eq!(json!(calls), expected);
}
