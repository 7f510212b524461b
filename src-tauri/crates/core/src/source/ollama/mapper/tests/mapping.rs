//! One case for each thing a line may hold, and what has been seen beside them.

use super::*;

#[test]
fn the_first_line_gives_start() {
    let found = serde_json::to_value(read(&[text("a"), text("b")])).unwrap();
    let start = json!({ "type": "start", "messageId": null, "model": "qwen" });
    let starts = found.as_array().unwrap().iter();
    assert_eq!(starts.filter(|event| **event == start).count(), 1);
    assert_eq!(found[0], start);
}

#[test]
fn message_thinking_and_message_content() {
    check(
        &[thinking("well"), thinking("…"), text("a "), text("word 🦀")],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well" },
            { "type": "thinking_delta", "id": 0, "text": "…" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "a " },
            { "type": "text_delta", "id": 1, "text": "word 🦀" },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn response_and_thinking_of_a_generation() {
    let line = |field: &str, said: &str| json!({ "model": "m", "done": false, field: said });
    let last = json!({ "model": "m", "response": "", "done": true, "done_reason": "stop",
        "context": [1, 2, 3] });
    check(
        &[line("thinking", "well"), line("response", "a"), last],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "a" },
            { "type": "text_end", "id": 1 },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn tags_in_the_text_are_text() {
    let summary = summary(&[text("<think>"), text("hm</think> yes"), done("stop")]);
    assert_eq!(summary.text, "<think>hm</think> yes");
    assert_eq!(summary.thinking, "");
}

#[test]
fn tool_calls_with_and_without_an_id() {
    let function = json!({ "index": 0, "name": "look", "arguments": { "at": "猫" } });
    check(
        &[
            text("Looking."),
            call(json!({ "id": "call_x", "function": function })),
            call(json!({ "function": function })),
            done("stop"),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "Looking." },
            { "type": "text_end", "id": 0 },
            { "type": "tool_use_start", "id": 1, "toolCallId": "call_x", "name": "look",
              "executedBy": "weir" },
            { "type": "tool_use_end", "id": 1, "input": { "at": "猫" } },
            { "type": "tool_use_start", "id": 2, "toolCallId": "call_20260102T0304056Z_1",
              "name": "look", "executedBy": "weir" },
            { "type": "tool_use_end", "id": 2, "input": { "at": "猫" } },
            { "type": "done", "stopReason": "tool_use" },
        ]),
    );
}

#[test]
fn arguments_of_any_shape() {
    let table = [
        (json!(null), json!({})),
        (json!({}), json!({})),
        (json!("{\"a\":1}"), json!({ "a": 1 })),
        (json!("{\"a\":"), json!("{\"a\":")),
        (json!([1]), json!([1])),
    ];
    for (arguments, input) in table {
        let function = json!({ "name": "look", "arguments": arguments });
        let summary = summary(&[call(json!({ "function": function }))]);
        assert_eq!(summary.tool_calls[0].input, input);
    }
}

#[test]
fn images_are_files() {
    let table = [
        ("iVBORw0KGgo=", "image/png"),
        ("/9j/4AAQ", "image/jpeg"),
        ("R0lGODlh", "image/gif"),
        ("UklGRiQA", "image/webp"),
    ];
    for (image, media_type) in table {
        let file = json!({ "type": "file", "mediaType": media_type,
            "url": format!("data:{media_type};base64,{image}") });
        check(
            &[chat(json!({ "role": "assistant", "images": [image] }))],
            json!([file]),
        );
        check(
            &[json!({ "model": "m", "image": image, "done": false })],
            json!([file]),
        );
    }
}

#[test]
fn done_gives_usage_and_the_stop_reason() {
    let table = [
        (json!("stop"), json!("end_turn")),
        (json!("length"), json!("max_tokens")),
        (json!("load"), json!("end_turn")),
        (json!("unload"), json!("end_turn")),
        (json!(null), json!(null)),
    ];
    for (reason, expected) in table {
        let mut last = done("");
        last["done_reason"] = reason;
        last["prompt_eval_count"] = json!(7);
        last["eval_count"] = json!(9);
        check(
            &[last],
            json!([
                { "type": "usage", "usage": {
                    "inputTokens": 7, "outputTokens": 9, "reasoningTokens": 0,
                    "cacheReadTokens": 0, "cacheWriteTokens": 0, "cacheWrite5mTokens": 0,
                    "cacheWrite1hTokens": 0 } },
                { "type": "done", "stopReason": expected },
            ]),
        );
    }
}

#[test]
fn a_call_does_not_hide_that_the_answer_was_cut_short() {
    let function = json!({ "name": "look", "arguments": {} });
    let found = summary(&[call(json!({ "function": function })), done("length")]);
    assert_eq!(
        serde_json::to_value(found.stop_reason).unwrap(),
        "max_tokens"
    );
}

#[test]
fn an_unknown_stop_reason_is_kept_raw() {
    let last = done("bored");
    check(
        std::slice::from_ref(&last),
        json!([{ "type": "done", "stopReason": null }, { "type": "raw", "value": last }]),
    );
}

#[test]
fn a_prompt_in_memory_is_not_counted() {
    let mut last = done("stop");
    last["eval_count"] = json!(9);
    let usage = summary(&[last]).usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (0, 9));
}

#[test]
fn error_in_the_middle() {
    check(
        &[text("half"), json!({ "error": "the runner has stopped" })],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "half" },
            { "type": "text_end", "id": 0 },
            { "type": "error",
              "error": { "code": "source_failed", "message": "the runner has stopped" } },
        ]),
    );
}

#[test]
fn error_as_an_object() {
    let error = json!({ "type": "api_error", "message": "no" });
    let found = summary(&[json!({ "error": error })]);
    assert_eq!(found.errors.len(), 1);
    assert_eq!(found.errors[0].code, "server_error");
    assert_eq!(found.errors[0].message, "no");
}

#[test]
fn logprobs_and_where_it_ran_say_nothing() {
    let mut line = text("a");
    line["logprobs"] = json!([{ "token": "a", "logprob": -0.1 }]);
    line["remote_model"] = json!("big");
    line["remote_host"] = json!("https://example.com");
    let found = summary(&[line, done("stop")]);
    assert_eq!(found.text, "a");
    assert_eq!(found.stream_events, 5);
}

#[test]
fn what_is_unknown_and_what_is_no_json_is_raw_once() {
    let news = json!({ "status": "pulling manifest" });
    let number = chat(json!({ "role": "assistant", "content": 7 }));
    let nameless = call(json!({ "function": {} }));
    check(
        &[text("a"), news.clone(), number.clone(), nameless.clone()],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "raw", "value": news },
            { "type": "raw", "value": number },
            { "type": "raw", "value": nameless },
            { "type": "text_end", "id": 0 },
        ]),
    );
    let value = json!("gateway timed out");
    let events = read(&[value.clone(), json!(""), json!("  ")]);
    assert_eq!(events[0], StreamEvent::Raw { value });
    assert_eq!(events.len(), 2);
}

#[test]
fn null_fields_and_repeated_keys() {
    let null = chat(
        json!({ "role": "assistant", "content": null, "thinking": "hm",
        "tool_calls": null, "images": null }),
    );
    let repeated = r#"{"message":{"content":"x","content":"b"},"model":"m"}"#;
    let found = summary(&[null, json!(repeated)]);
    assert_eq!(found.thinking, "hm");
    assert_eq!(found.text, "b");
}

#[test]
fn after_done_nothing_means_anything() {
    let late = text("late");
    check(
        &[done("stop"), late.clone(), done("stop")],
        json!([
            { "type": "done", "stopReason": "end_turn" },
            { "type": "raw", "value": late },
            { "type": "raw", "value": done("stop") },
        ]),
    );
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(summary(&[text("a"), done("stop")]).usage, None);
    let mut last = done("stop");
    last["prompt_eval_count"] = json!(u64::MAX);
    last["eval_count"] = json!(-1);
    assert!(summary(&[last]).usage.unwrap().total_tokens > 0);
}

#[test]
fn one_id_for_two_calls_is_given_once() {
    let call = |name: &str, n: u64| {
        let function = json!({ "name": name, "arguments": { "n": n } });
        call(json!({ "id": "x", "function": function }))
    };
    let said = [call("f", 1), call("g", 1), call("f", 2), call("f", 1)];
    let calls: Vec<Value> = summary(&said)
        .tool_calls
        .into_iter()
        .map(|call| json!([call.id, call.name, call.input["n"]]))
        .collect();
    let made = |number: u64| format!("call_20260102T0304056Z_{number}");
    let expected = json!([["x", "f", 1], [made(1), "g", 1], [made(2), "f", 2]]);
    assert_eq!(json!(calls), expected);
}
