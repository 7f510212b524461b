//! How streams end: done, failed, cut.

use super::*;

fn reason(chunks: &[Value]) -> Value {
    serde_json::to_value(summary(chunks).stop_reason).unwrap()
}

#[test]
fn finish_reasons() {
    let table = [
        ("stop", "end_turn"),
        ("STOP", "end_turn"),
        ("eos", "end_turn"),
        ("length", "max_tokens"),
        ("model_length", "max_tokens"),
        ("tool_calls", "tool_use"),
        ("function_call", "tool_use"),
        ("content_filter", "content_filter"),
        ("sensitive", "content_filter"),
        ("refusal", "refusal"),
        ("error", "error"),
        ("insufficient_system_resource", "error"),
    ];
    for (word, expected) in table {
        assert_eq!(reason(&[finish(word)]), expected, "{word}");
        check(&[finish(word)], json!([]));
    }
}

#[test]
fn an_unknown_finish_reason_is_kept_raw() {
    let bored = finish("bored");
    check(std::slice::from_ref(&bored), json!([raw(&bored)]));
    assert_eq!(reason(&[bored]), Value::Null);
}

#[test]
fn an_end_after_tool_calls_is_a_call_for_tools() {
    let call = json!([{ "id": "t1", "function": { "name": "look", "arguments": "{}" } }]);
    let call = delta(json!({ "tool_calls": call }));
    assert_eq!(reason(&[call.clone(), finish("stop")]), "tool_use");
    assert_eq!(reason(&[call, finish("length")]), "max_tokens");
}

#[test]
fn a_blank_finish_reason_is_none() {
    let blank = chunk(json!([{ "index": 0, "delta": { "content": "a" }, "finish_reason": "" }]));
    let summary = testing::summary(&DIALECT, &[blank]);
    assert!(!summary.complete);
}

#[test]
fn without_the_last_word_a_finish_reason_is_enough() {
    let chunks = [
        first(),
        content("a"),
        finish("stop"),
        json!({ "choices": [], "usage": { "prompt_tokens": 1, "completion_tokens": 1 } }),
    ];
    let summary = testing::summary(&DIALECT, &chunks);
    assert!(summary.complete && summary.errors.is_empty());
    assert!(summary.usage.is_some());
}

#[test]
fn without_either_the_stream_was_cut() {
    let summary = testing::summary(&DIALECT, &[first(), content("a")]);
    assert!(!summary.complete);
    assert_eq!(summary.errors[0].code, "stream_cut");
    assert_eq!(summary.text, "a");
}

#[test]
fn usage_after_the_finish_reason_comes_before_done() {
    let mut usage = chunk(json!([]));
    usage["usage"] = json!({ "prompt_tokens": 1, "completion_tokens": 1 });
    let events = read(&[content("a"), finish("stop"), finish("stop"), usage]);
    let [.., told, ended, done] = &events[..] else {
        panic!("{events:?}");
    };
    assert!(matches!(told, StreamEvent::Usage { .. }));
    assert!(matches!(ended, StreamEvent::TextEnd { .. }));
    assert!(matches!(done, StreamEvent::Done { .. }));
}

#[test]
fn after_done_nothing_means_anything() {
    let found = read(&[json!("[DONE]"), content("late")]);
    assert_eq!(testing::kinds(&found), ["start", "done", "raw"]);
}

#[test]
fn errors_under_a_good_status() {
    let error = |error: Value| json!({ "error": error });
    let mut beside = finish("error");
    beside["error"] = json!({ "code": 502, "message": "gone" });
    let mut in_choice = chunk(json!([{ "index": 0, "delta": {} }]));
    in_choice["choices"][0]["error"] = json!({ "code": 502, "message": "gone" });
    let table = [
        (
            error(json!({ "message": "gone", "type": "server_error", "code": null })),
            "server_error",
        ),
        (
            error(
                json!({ "message": "gone", "type": "invalid_request_error", "code": "too_long" }),
            ),
            "invalid_request",
        ),
        (error(json!("gone")), "source_failed"),
        (
            json!({ "error": "gone", "error_type": "overloaded" }),
            "overloaded",
        ),
        (
            json!({ "object": "error", "message": "gone", "type": "BadRequest", "code": 400 }),
            "invalid_request",
        ),
        (beside, "server_error"),
        (in_choice, "server_error"),
        (
            json!({ "choices": [], "x_groq": { "error": "gone" } }),
            "source_failed",
        ),
    ];
    for (frame, code) in table {
        let [start, said, end] = text(0, "half");
        let told = json!({ "type": "error", "error": { "code": code, "message": "gone" } });
        check(&[content("half"), frame], json!([start, said, end, told]));
    }
}

#[test]
fn an_event_named_error_is_one_whatever_it_holds() {
    let table = [
        ("upstream timed out", "upstream timed out"),
        ("{\"message\":\"gone\"}", "gone"),
        ("{\"detail\":\"gone\"}", "gone"),
        ("\"gone\"", "gone"),
        ("{\"error\":{\"message\":\"gone\"}}", "gone"),
        ("{\"error\":{\"why\":1}}", "{\"why\":1}"),
    ];
    for (data, message) in table {
        let frame = format!("event: error\ndata: {data}\n\n");
        let begun = testing::bytes(&DIALECT, &[first(), content("half")]);
        let summary = summarize(&testing::read(&DIALECT, [&begun, frame.as_bytes()]));
        assert_eq!(summary.errors.len(), 1, "{data}");
        assert_eq!(summary.errors[0].message, message);
        assert_eq!((&*summary.text, summary.complete), ("half", false));
    }
}

#[test]
fn done_after_an_error_says_that_it_was_one() {
    let frame = json!({ "error": { "message": "gone" } });
    assert_eq!(reason(&[frame]), "error");
}

#[test]
fn an_error_beside_words_is_told_after_them() {
    let mut told = content(" more");
    told["object"] = json!("error");
    told["message"] = json!("gone");
    let mut groq = content(" more");
    groq["x_groq"] = json!({ "error": "gone" });
    for chunk in [told, groq] {
        let summary = summary(&[content("half"), chunk]);
        assert_eq!(summary.text, "half more");
        assert_eq!(summary.errors[0].message, "gone");
    }
    let named = format!("event: error\ndata: {}\n\n", content(" more"));
    let begun = testing::bytes(&DIALECT, &[first(), content("half")]);
    let summary = summarize(&testing::read(&DIALECT, [&begun, named.as_bytes()]));
    assert_eq!(summary.text, "half more");
    assert_eq!(summary.errors[0].code, "source_failed");
}

#[test]
fn the_same_error_again_is_told_once() {
    let error = |words: &str| json!({ "error": { "message": words } });
    let summary = summary(&[error("gone"), error("gone"), error("really")]);
    let messages: Vec<&str> = summary.errors.iter().map(|e| e.message.as_str()).collect();
    assert_eq!(messages, ["gone", "really"]);
}

#[test]
fn what_finishes_after_an_error_is_complete() {
    let error = json!({ "error": { "message": "hiccup" } });
    let mut beside = finish("error");
    beside["error"] = json!({ "message": "gone" });
    let table = [
        (vec![error.clone(), content("a"), finish("stop")], true),
        (vec![content("a"), finish("stop"), error.clone()], false),
        (vec![error], false),
        (vec![beside], false),
    ];
    for (chunks, complete) in table {
        let chunks = [&[first()], &chunks[..]].concat();
        let summary = testing::summary(&DIALECT, &chunks);
        assert_eq!(summary.complete, complete, "{chunks:?}");
        assert_eq!(summary.errors.len(), 1);
    }
}
