//! What is told twice, under one name for two, or only at the end.

use super::*;

/// Ids, names and inputs of the calls.
fn calls(events: &[Value]) -> Value {
    let calls = summary(events).tool_calls.into_iter();
    let calls: Vec<Value> = calls
        .map(|call| json!([call.id, call.name, call.input]))
        .collect();
    json!(calls)
}

/// Who runs the first call.
fn runner(events: &[Value]) -> Value {
    let found = serde_json::to_value(read(events)).unwrap();
    let mut found = found.as_array().unwrap().iter();
    let start = found.find(|event| event["type"] == "tool_use_start");
    start.unwrap()["executedBy"].clone()
}

fn named(mut value: Value, path: &str) -> Value {
    *value.pointer_mut(path).unwrap() = json!("x");
    value
}

#[test]
fn one_id_for_all_items() {
    let text = |index: u64, words: &str| message(index, json!([said(words)]));
    let piece = json!({ "delta": "{\"a\":1}" });
    let piece = at(2, "function_call_arguments.delta", piece);
    let list = [text(0, "a"), text(1, "b"), function_call(2, "{\"a\":1}")];
    let list = list.map(|item| named(item, "/id"));
    let output = ended("completed", json!({ "output": list }));
    let streamed = vec![
        named(added(0, message(0, json!([]))), "/item/id"),
        named(text_delta(0, "a"), "/item_id"),
        named(done(0, text(0, "a")), "/item/id"),
        named(added(1, message(1, json!([]))), "/item/id"),
        named(done(1, text(1, "b")), "/item/id"),
        named(added(2, function_call(2, "")), "/item/id"),
        named(piece, "/item_id"),
        named(done(2, function_call(2, "{\"a\":1}")), "/item/id"),
        output.clone(),
    ];
    let ends = vec![
        named(done(0, text(0, "a")), "/item/id"),
        named(done(1, text(1, "b")), "/item/id"),
        named(done(2, function_call(2, "{\"a\":1}")), "/item/id"),
        output.clone(),
    ];
    for events in [streamed, ends, vec![output]] {
        assert_eq!(summary(&events).text, "ab", "{events:?}");
        assert_eq!(calls(&events), json!([["c2", "look", { "a": 1 }]]));
    }
}

#[test]
fn another_call_id_is_another_call() {
    let whole = |index: u64| named(done(0, function_call(index, "{}")), "/item/id");
    let events = [whole(1), whole(2), whole(1), completed()];
    assert_eq!(
        calls(&events),
        json!([["c1", "look", {}], ["c2", "look", {}]])
    );
}

#[test]
fn a_list_that_counts_otherwise_tells_nothing_twice() {
    let whole = message(7, json!([said("a")]));
    let events = [
        text_delta(7, "a"),
        done(7, whole.clone()),
        ended("completed", json!({ "output": [whole] })),
    ];
    assert_eq!(summary(&events).text, "a");
}

#[test]
fn a_call_that_the_provider_has_run_is_its_own() {
    let results = json!({ "type": "search_results", "results": [{ "url": "u" }] });
    let whole = message(1, json!([said("a")]));
    let output = ended("completed", json!({ "output": [results, whole] }));
    let call = added(0, function_call(0, "{\"q\":1}"));
    let answered = vec![call.clone(), done(0, results.clone()), output.clone()];
    for events in [answered, vec![call.clone(), output]] {
        assert_eq!(runner(&events), "source");
        let summary = summary(&events);
        assert_eq!(summary.tool_results, 1);
        assert_eq!(
            serde_json::to_value(summary.stop_reason).unwrap(),
            "end_turn"
        );
    }
    let missing = ended("completed", json!({ "output": [message(1, json!([]))] }));
    assert_eq!(runner(&[call.clone(), missing]), "source");
    for rest in [done(0, function_call(0, "{\"q\":1}")), completed()] {
        let events = [call.clone(), rest];
        assert_eq!(runner(&events), "weir");
        assert_eq!(calls(&events), json!([["c0", "look", { "q": 1 }]]));
    }
}

#[test]
fn text_of_a_custom_tool_that_is_json() {
    let item = |call_id: &str, input: &str| {
        json!({ "type": "custom_tool_call", "id": "i0", "call_id": call_id, "name": "n",
            "input": input })
    };
    let table = [
        ("{\"a\":1}", json!({ "a": 1 })),
        ("[1]", json!([1])),
        ("1", json!("1")),
        ("\"a\"", json!("\"a\"")),
        ("say {", json!("say {")),
    ];
    for (words, input) in table {
        for id in ["c", "xs_c"] {
            let begun = added(0, item(id, ""));
            let (start, end) = words.split_at(1);
            let piece = |words: &str| {
                let words = json!({ "delta": words });
                at(0, "custom_tool_call_input.delta", words)
            };
            let streamed = vec![begun, piece(start), piece(end)];
            let ended = [&streamed[..], &[done(0, item(id, words))]].concat();
            for events in [streamed, ended, vec![done(0, item(id, words))]] {
                assert_eq!(calls(&events), json!([[id, "n", input]]), "{events:?}");
            }
        }
    }
}

#[test]
fn the_whole_input_wins_over_pieces_that_are_no_json() {
    let piece = json!({ "delta": "{\"a\":" });
    let events = |whole: &str| {
        let piece = at(0, "function_call_arguments.delta", piece.clone());
        [
            added(0, function_call(0, "")),
            piece,
            done(0, function_call(0, whole)),
        ]
    };
    assert_eq!(
        calls(&events("{\"a\":1}")),
        json!([["c0", "look", { "a": 1 }]])
    );
    assert_eq!(
        calls(&events("{\"a\":2")),
        json!([["c0", "look", "{\"a\":"]])
    );
}

#[test]
fn thoughts_that_come_only_at_the_end() {
    let whole = |parts: &[&str]| {
        let parts: Vec<Value> = parts.iter().map(|part| json!({ "text": part })).collect();
        done(
            0,
            json!({ "type": "reasoning", "id": "i0", "summary": parts }),
        )
    };
    let delta = |part: u64, words: &str| {
        let more = json!({ "summary_index": part, "delta": words });
        at(0, "reasoning_summary_text.delta", more)
    };
    let table = [
        ("one of two", vec![delta(0, "a"), whole(&["a", "b"])]),
        (
            "both",
            vec![delta(0, "a"), delta(1, "b"), whole(&["a", "b"])],
        ),
        (
            "both, counted from one",
            vec![delta(1, "a"), delta(2, "b"), whole(&["a", "b"])],
        ),
        ("both as one", vec![delta(0, "a\n\nb"), whole(&["a", "b"])]),
    ];
    for (case, events) in table {
        assert_eq!(summary(&events).thinking, "a\n\nb", "{case}");
    }
}

#[test]
fn a_report_without_a_count_is_none() {
    for usage in [json!({}), json!({ "input_tokens": null }), json!([])] {
        let events = [ended("completed", json!({ "usage": usage }))];
        assert_eq!(summary(&events).usage, None);
    }
}
