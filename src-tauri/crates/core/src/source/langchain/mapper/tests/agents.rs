//! Chains and agents: several models in one stream, and how streams end.

use super::*;

fn child(name: &str, run_id: &str, data: Value) -> Value {
    let mut event = run_event(name, run_id, data);
    event["parent_ids"] = json!(["root"]);
    event
}

fn root(name: &str, data: Value) -> Value {
    let mut event = run_event(name, "root", data);
    event["parent_ids"] = json!([]);
    event
}

/// One model's run with one piece of text, and with what it used.
fn model(run_id: &str, message_id: &str, said: &str) -> [Value; 3] {
    let mut message = text(0, said);
    message["id"] = json!(message_id);
    let mut output = message.clone();
    output["usage_metadata"] = json!({ "input_tokens": 10, "output_tokens": 5 });
    output["additional_kwargs"] = json!({ "stop_reason": "end_turn" });
    [
        child(
            "on_chat_model_start",
            run_id,
            json!({ "input": { "messages": [[]] } }),
        ),
        child("on_chat_model_stream", run_id, json!({ "chunk": message })),
        child("on_chat_model_end", run_id, json!({ "output": output })),
    ]
}

#[test]
fn an_agent_asks_its_model_twice() {
    let [first, second] = [model("r1", "m1", "One."), model("r2", "m2", "Two.")];
    let start = [root("on_chain_start", json!({ "input": "?" }))];
    let end = [root(
        "on_chain_end",
        json!({ "output": { "messages": [] } }),
    )];
    let events = [start.as_slice(), &first, &second, &end].concat();
    let found = read(&events);
    assert_eq!(
        kinds(&found),
        [
            "start",
            "text_start",
            "text_delta",
            "usage",
            "text_end",
            "start",
            "text_start",
            "text_delta",
            "usage",
            "text_end",
            "done",
        ]
    );
    let summary = summarize(&found);
    assert_eq!(summary.message_ids, ["m1", "m2"]);
    assert_eq!(summary.text, "One.Two.");
    let usage = summary.usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (20, 10));
}

#[test]
fn models_that_answer_at_once_keep_apart() {
    let [one_starts, one_says, one_ends] = model("r1", "m1", "One.");
    let [two_starts, two_says, two_ends] = model("r2", "m2", "Two.");
    let events = [
        root("on_chain_start", json!({})),
        one_starts,
        two_starts,
        one_says.clone(),
        two_says,
        one_says,
        one_ends,
        two_ends,
        root("on_chain_end", json!({})),
    ];
    let summary = summary(&events);
    assert_eq!(summary.text, "One.Two.One.");
    assert_eq!(summary.usage.unwrap().input_tokens, 20);
    assert!(summary.complete);
}

#[test]
fn what_chains_prompts_parsers_and_retrievers_do_says_nothing() {
    let mut events = vec![root("on_chain_start", json!({ "input": "?" }))];
    for kind in ["chain", "prompt", "parser", "retriever"] {
        for phase in ["start", "stream", "end"] {
            let data = json!({ "input": 1, "chunk": { "messages": ["a"] }, "output": "b" });
            events.push(child(&format!("on_{kind}_{phase}"), "other", data));
        }
    }
    events.push(root("on_chain_stream", json!({ "chunk": "a" })));
    assert_eq!(kinds(&read(&events)), ["error"]);
    events.push(root("on_chain_end", json!({ "output": "a" })));
    assert_eq!(kinds(&read(&events)), ["done"]);
}

#[test]
fn a_model_that_does_not_stream_is_heard_at_its_end() {
    let [start, _, end] = model("r1", "m1", "Whole.");
    let events = [
        root("on_chain_start", json!({})),
        start,
        end,
        root("on_chain_end", json!({})),
    ];
    let summary = summary(&events);
    assert_eq!(summary.text, "Whole.");
    assert_eq!(summary.message_ids, ["m1"]);
}

#[test]
fn the_end_of_the_outermost_run_is_the_end() {
    let events = model("r1", "m1", "One.");
    let chain = [&[root("on_chain_start", json!({}))], events.as_slice()].concat();
    assert!(!summary(&chain).complete);
    let mut ended = chain.clone();
    ended.push(root("on_chain_end", json!({})));
    assert!(summary(&ended).complete);
    let late = child(
        "on_chat_model_stream",
        "r1",
        json!({ "chunk": text(0, "late") }),
    );
    ended.push(late.clone());
    let found = read(&ended);
    assert_eq!(found.last(), Some(&StreamEvent::Raw { value: late }));
}

#[test]
fn a_model_alone_is_the_outermost_run() {
    let events = model("r1", "m1", "One.").map(|mut event| {
        event["parent_ids"] = json!([]);
        event
    });
    let found = read_bytes([lines(&events).as_slice(), b"{\"status\":\"over\"}\n"]);
    let [.., done, raw] = &found[..] else {
        panic!("{found:?}");
    };
    assert!(matches!(done, StreamEvent::Done { .. }));
    assert!(matches!(raw, StreamEvent::Raw { .. }));
}

#[test]
fn where_the_outermost_run_was_left_out_the_end_of_the_bytes_is_the_end() {
    let [first, second] = [model("r1", "m1", "One."), model("r2", "m2", "Two.")];
    let mut events = [first, second].concat();
    let found = read(&events);
    assert_eq!(summarize(&found).text, "One.Two.");
    assert!(matches!(found.last(), Some(StreamEvent::Done { .. })));
    // The second model was cut off.
    events.pop();
    assert!(!summary(&events).complete);
}

#[test]
fn errors_are_told_once_on_their_way_out() {
    let error = json!({ "error": { "name": "Overloaded", "message": "try later" } });
    let events = [
        root("on_chain_start", json!({})),
        child(
            "on_chat_model_stream",
            "r1",
            json!({ "chunk": text(0, "half") }),
        ),
        child("on_chat_model_error", "r1", error.clone()),
        root("on_chain_error", error),
    ];
    let found = read(&events);
    assert_eq!(
        kinds(&found),
        ["start", "text_start", "text_delta", "text_end", "error"]
    );
    let error = &summarize(&found).errors[0];
    assert_eq!((&*error.code, &*error.message), ("Overloaded", "try later"));
}

#[test]
fn errors_that_a_server_tells_around_the_events() {
    let table = [
        json!({ "error": "gone" }),
        json!({ "event": "error", "data": { "message": "gone" } }),
        json!({ "event": "error", "data": "gone" }),
        json!({ "error": { "message": "gone", "type": "bad_response" } }),
    ];
    for line in table {
        let errors = summary(&[stream(text(0, "half")), line]).errors;
        assert_eq!(errors.len(), 1);
        assert_eq!(
            (&*errors[0].code, &*errors[0].message),
            ("bad_response", "gone")
        );
    }
}

#[test]
fn the_same_id_of_a_call_in_two_runs_is_two_calls() {
    let call = |run_id: &str| {
        let mut message = chunk(json!(""));
        message["tool_call_chunks"] =
            json!([{ "index": 0, "id": "call_0", "name": "look", "args": "{}" }]);
        [
            child("on_chat_model_stream", run_id, json!({ "chunk": message })),
            child(
                "on_chat_model_end",
                run_id,
                json!({ "output": chunk(json!("")) }),
            ),
        ]
    };
    let calls = summary(&[call("r1"), call("r2")].concat()).tool_calls;
    let ids: Vec<&str> = calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_0", "call_1"]);
}
