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
    assert_eq!(summary.text, "One.One.Two.");
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
    assert_eq!(kinds(&read(&events)), ["stream_cut"]);
    events.push(root("on_chain_end", json!({ "output": { "a": 1 } })));
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
    let [.., raw, StreamEvent::Done { .. }] = &found[..] else {
        panic!("{found:?}");
    };
    assert_eq!(*raw, StreamEvent::Raw { value: late });
}

#[test]
fn a_model_alone_is_the_outermost_run() {
    let events = model("r1", "m1", "One.").map(|mut event| {
        event["parent_ids"] = json!([]);
        event
    });
    let found = read(&[&events[..], &[json!({ "status": "over" })]].concat());
    let [.., raw, done] = &found[..] else {
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
        [
            "start",
            "text_start",
            "text_delta",
            "text_end",
            "status",
            "overloaded"
        ]
    );
    let error = &summarize(&found).errors[0];
    assert_eq!((&*error.code, &*error.message), ("overloaded", "try later"));
}

#[test]
fn errors_that_a_server_tells_around_the_events() {
    let table = [
        json!({ "error": "gone" }),
        json!({ "event": "error", "data": { "message": "gone" } }),
        json!({ "event": "error", "data": "gone" }),
        json!({ "error": { "message": "gone", "type": "source_failed" } }),
    ];
    for line in table {
        let errors = summary(&[stream(text(0, "half")), line]).errors;
        assert_eq!(errors.len(), 1);
        assert_eq!(
            (&*errors[0].code, &*errors[0].message),
            ("source_failed", "gone")
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

#[test]
fn several_outermost_runs_in_one_stream() {
    let alone = |run: [Value; 3]| {
        run.map(|mut event| {
            event["parent_ids"] = json!([]);
            event
        })
    };
    let [first, second] = [model("r1", "m1", "One."), model("r2", "m2", "Two.")].map(alone);
    let chain = [
        root("on_chain_start", json!({})),
        root("on_chain_end", json!({})),
    ];
    let after_chain = [&chain[..], &first].concat();
    let one_by_one = [&first[..], &second].concat();
    let [start, says, end] = second.clone();
    // Both at once: the first ends while the second speaks.
    let [first_starts, first_says, first_ends] = first;
    let at_once = [first_starts, start, first_says, first_ends, says, end];
    for (events, text) in [
        (&one_by_one[..], "One.Two."),
        (&at_once, "One.Two."),
        (&after_chain, "One."),
    ] {
        let found = read(events);
        assert_eq!(summarize(&found).text, text);
        assert!(matches!(found.last(), Some(StreamEvent::Done { .. })));
        let dones = kinds(&found).into_iter().filter(|kind| kind == "done");
        assert_eq!(dones.count(), 1);
    }
    assert!(!summary(&one_by_one[..5]).complete);
}

#[test]
fn a_chain_that_asks_no_model_answers_with_its_output() {
    let human = json!({ "type": "human", "content": "?" });
    let ai = json!({ "type": "ai", "content": "So.", "id": "m1" });
    let wrapped = json!({ "lc": 1, "type": "constructor",
        "id": ["langchain_core", "messages", "AIMessage"], "kwargs": { "content": "So." } });
    let table = [
        (json!("So."), "So."),
        (json!({ "messages": [human, ai, human] }), "So."),
        (json!([human, ai]), "So."),
        (ai, "So."),
        (json!({ "messages": [wrapped] }), "So."),
        (json!({ "input": "?", "output": "So." }), "So."),
        (
            json!({ "messages": [{ "role": "assistant", "content": "So." }] }),
            "So.",
        ),
        (json!({ "messages": [human] }), ""),
        (json!({ "question": "?" }), ""),
    ];
    for (output, text) in table {
        let events = [
            root("on_chain_start", json!({})),
            child("on_chain_end", "inner", json!({ "output": "inside" })),
            root("on_chain_stream", json!({ "chunk": output })),
            root("on_chain_end", json!({ "output": output })),
        ];
        let summary = summary(&events);
        assert_eq!((summary.text.as_str(), summary.complete), (text, true));
    }
    // A model was asked: its words are the answer, and the output repeats them.
    let start = [root("on_chain_start", json!({}))];
    let end = [root("on_chain_end", json!({ "output": "One." }))];
    let events = [&start[..], &model("r1", "m1", "One."), &end].concat();
    assert_eq!(summary(&events).text, "One.");
}

#[test]
fn a_tool_may_be_the_outermost_run() {
    let start = [root("on_tool_start", json!({ "input": {} }))];
    let end = [root("on_tool_end", json!({ "output": "One." }))];
    let events = [&start[..], &model("r1", "m1", "One."), &end].concat();
    let summary = summary(&events);
    assert_eq!((summary.text.as_str(), summary.complete), ("One.", true));
    let failed = [root("on_tool_error", json!({ "error": "broken" }))];
    let errors = super::summary(&[&start[..], &failed].concat()).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].message, "broken");
}

#[test]
fn a_model_that_failed_may_have_a_stand_in() {
    let failed = [
        root("on_chain_start", json!({})),
        child(
            "on_chat_model_stream",
            "r0",
            json!({ "chunk": text(0, "Half") }),
        ),
        child(
            "on_chat_model_error",
            "r0",
            json!({ "error": "overloaded" }),
        ),
    ];
    let stand_in = model("r1", "m1", "Whole.");
    let end = [root("on_chain_end", json!({}))];
    let overcome = read(&[&failed[..], &stand_in, &end].concat());
    let told = summarize(&overcome);
    assert_eq!(told.text, "HalfWhole.");
    assert!(told.complete && told.errors.is_empty());
    assert_eq!(json!(told.stop_reason), "end_turn");
    assert!(kinds(&overcome).contains(&"status".to_owned()));
    // The outermost run was left out.
    let elsewhere = summary(&[&failed[1..], &stand_in].concat());
    assert!(elsewhere.complete && elsewhere.errors.is_empty());
    // Nobody stood in, and the stream ended.
    for events in [&failed[..], &failed[1..]] {
        let cut = summary(events);
        assert_eq!(cut.errors.len(), 1);
        assert_eq!(cut.errors[0].message, "overloaded");
        assert!(!cut.complete);
    }
}
