//! What real servers and gateways have sent beside the documentation.

use super::*;

#[test]
fn text_comes_from_wherever_it_first_is() {
    let whole = message(0, json!([said("word")]));
    let output = ended("completed", json!({ "output": [whole] }));
    let table = [
        vec![text_delta(0, "word"), completed()],
        vec![text_delta(0, "word"), output.clone()],
        vec![
            at(0, "output_text.done", json!({ "text": "word" })),
            output.clone(),
        ],
        vec![
            at(0, "content_part.done", json!({ "part": said("word") })),
            output.clone(),
        ],
        vec![added(0, message(0, json!([]))), done(0, whole.clone())],
        vec![
            done(0, whole.clone()),
            done(0, whole.clone()),
            output.clone(),
        ],
        vec![added(0, message(0, json!([]))), output.clone()],
        vec![output],
        vec![done(0, message(0, json!("word")))],
        vec![json!({ "object": "response", "status": "completed", "output": [whole] })],
    ];
    for events in table {
        assert_eq!(summary(&events).text, "word", "{events:?}");
    }
}

#[test]
fn deltas_win_over_what_comes_after_them() {
    let whole = message(0, json!([said("Got it, and more")]));
    let output = ended("completed", json!({ "output": [whole] }));
    let summary = summary(&[text_delta(0, "Got it"), done(0, whole), output]);
    assert_eq!(summary.text, "Got it");
}

#[test]
fn thinking_comes_from_wherever_it_first_is() {
    let content = json!([{ "type": "reasoning_text", "text": "hm" }]);
    let whole = json!({ "type": "reasoning", "id": "i0", "content": content, "summary": [] });
    let short = json!({ "type": "reasoning", "id": "i0",
        "summary": [{ "type": "summary_text", "text": "hm" }] });
    let part = json!({ "part": { "type": "reasoning_text", "text": "hm" } });
    let table = [
        vec![done(0, whole.clone())],
        vec![done(0, short.clone())],
        vec![
            at(0, "reasoning_text.done", json!({ "text": "hm" })),
            done(0, whole.clone()),
        ],
        vec![
            at(0, "reasoning_part.done", part.clone()),
            done(0, whole.clone()),
        ],
        vec![at(0, "content_part.done", part), done(0, whole.clone())],
        vec![
            at(0, "reasoning.delta", json!({ "delta": { "text": "hm" } })),
            done(0, short),
        ],
        vec![ended("completed", json!({ "output": [whole] }))],
    ];
    for events in table {
        assert_eq!(summary(&events).thinking, "hm", "{events:?}");
    }
}

#[test]
fn items_under_another_id_in_each_event() {
    let renamed = |mut value: Value, path: &str, id: &str| {
        *value.pointer_mut(path).unwrap() = json!(id);
        value
    };
    let whole = message(0, json!([said("word")]));
    let thought = json!({ "type": "reasoning", "id": "x", "summary": [{ "text": "hm" }] });
    let output = json!({ "output": [
        renamed(thought.clone(), "/id", "y"), renamed(whole.clone(), "/id", "f"),
    ] });
    let summary = summary(&[
        created(),
        done(0, thought),
        renamed(added(1, message(1, json!([]))), "/item/id", "a"),
        renamed(text_delta(1, "wo"), "/item_id", "b"),
        renamed(text_delta(1, "rd"), "/item_id", "c"),
        renamed(done(1, whole), "/item/id", "d"),
        ended("completed", output),
    ]);
    assert_eq!(summary.text, "word");
    assert_eq!(summary.thinking, "hm");
}

#[test]
fn items_without_an_index_or_without_either() {
    let bare = |mut event: Value, fields: &[&str]| {
        for field in fields {
            event.as_object_mut().unwrap().remove(*field);
        }
        event
    };
    for fields in [&["output_index"][..], &["output_index", "item_id"]] {
        let delta = json!({ "delta": "{\"a\":1}" });
        let events = [
            bare(added(0, message(0, json!([]))), fields),
            bare(text_delta(0, "word"), fields),
            bare(done(0, message(0, json!([said("word")]))), fields),
            bare(added(1, function_call(1, "")), fields),
            bare(at(1, "function_call_arguments.delta", delta), fields),
            bare(done(1, function_call(1, "{\"a\":1}")), fields),
            completed(),
        ];
        let summary = summary(&events);
        assert_eq!(summary.text, "word");
        assert_eq!(summary.tool_calls[0].input, json!({ "a": 1 }));
    }
}

#[test]
fn one_index_for_all_items() {
    let thought = json!({ "type": "reasoning", "id": "r", "summary": [] });
    let mut delta = text_delta(0, "word");
    delta["item_id"] = json!("m");
    let mut whole = message(0, json!([said("word")]));
    whole["id"] = json!("m");
    let events = [
        added(0, thought.clone()),
        added(0, whole.clone()),
        delta,
        done(0, thought),
        done(0, whole),
        completed(),
    ];
    assert_eq!(summary(&events).text, "word");
}

#[test]
fn parts_counted_from_one() {
    let delta = json!({ "content_index": 1, "delta": "word" });
    let whole = message(0, json!([said("word")]));
    let summary = summary(&[at(0, "output_text.delta", delta), done(0, whole)]);
    assert_eq!(summary.text, "word");
}

#[test]
fn the_stream_taken_up_in_the_middle() {
    let summary = summary(&[text_delta(0, "rest"), completed()]);
    assert_eq!(summary.model.as_deref(), Some("gpt"));
    assert_eq!(summary.message_ids, ["resp_1"]);
    assert_eq!(summary.text, "rest");
}

#[test]
fn another_response_in_the_middle_abandons_the_open_call() {
    let mut second = created();
    second["response"]["id"] = json!("resp_2");
    let delta = json!({ "delta": "{\"a\":" });
    let summary = summary(&[
        created(),
        added(0, function_call(0, "")),
        at(0, "function_call_arguments.delta", delta),
        second,
        done(0, function_call(1, "{}")),
        completed(),
    ]);
    assert_eq!(summary.tool_calls.len(), 1);
    assert_eq!(summary.tool_calls[0].id, "c1");
    assert_eq!(summary.message_ids, ["resp_1", "resp_2"]);
}

#[test]
fn completed_that_is_incomplete() {
    let response = json!({ "status": "incomplete",
        "incomplete_details": { "reason": "max_output_tokens" } });
    let event = json!({ "type": "response.completed", "response": response });
    assert_eq!(json!(summary(&[event]).stop_reason), "max_tokens");
}

#[test]
fn padded_reordered_and_repeated_keys() {
    let bytes = b"data:    {\"delta\" : \"a\",  \"output_index\": 0, \"type\":\"response.output_text.delta\"   }   \n\n\
data: {\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"x\",\"delta\":\"b\"}\n\n\
event: response.output_text.delta\ndata: {\"output_index\":0,\"delta\":\"c\"}\n\n";
    let summary = summarize(&testing::read(&DIALECT, [&bytes[..]]));
    assert_eq!(summary.text, "abc");
}

#[test]
fn pings_and_the_end_mark_say_nothing() {
    let bytes = b": OPENROUTER PROCESSING\n\ndata: {\"type\":\"ping\"}\n\ndata: {\"type\":\"keepalive\",\"sequence_number\":3}\n\ndata:\n\ndata: [DONE]\n\n";
    assert_eq!(testing::read(&DIALECT, [&bytes[..]]).len(), 1);
}

#[test]
fn an_error_that_is_no_json_is_still_an_error() {
    let bytes = b"event: error\ndata: upstream timed out\n\n";
    let errors = summarize(&testing::read(&DIALECT, [&bytes[..]])).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "upstream timed out");
}

#[test]
fn unknown_events_items_and_parts_are_raw_once() {
    let item = json!({ "type": "compaction", "id": "i0", "encrypted_content": "x" });
    let part = at(
        1,
        "content_part.added",
        json!({ "part": { "type": "smell" } }),
    );
    let orphan = at(7, "function_call_arguments.delta", json!({ "delta": "{" }));
    let odd = at(0, "output_text.delta", json!({ "delta": 7 }));
    let unknown = [
        json!({ "type": "response.smell.delta", "delta": "x" }),
        json!({ "type": "codex.rate_limits" }),
        added(0, item.clone()),
        done(0, item.clone()),
        part,
        orphan,
        odd,
        json!(3),
        json!({ "type": "response.created" }),
    ];
    let raw = |value: &Value| json!({ "type": "raw", "value": value });
    let mut expected: Vec<Value> = unknown.iter().map(raw).collect();
    expected.push(json!({ "type": "done", "stopReason": "end_turn" }));
    let whole = ended("completed", json!({ "output": [item] }));
    check(&[&unknown[..], &[whole]].concat(), json!(expected));
}

#[test]
fn after_done_nothing_means_anything() {
    let late = text_delta(0, "late");
    check(
        &[
            completed(),
            json!({ "type": "ping" }),
            late.clone(),
            completed(),
        ],
        json!([
            { "type": "done", "stopReason": "end_turn" },
            { "type": "raw", "value": late },
            { "type": "raw", "value": completed() },
        ]),
    );
}
