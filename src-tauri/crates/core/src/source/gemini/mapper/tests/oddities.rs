//! What real servers and gateways have sent beside the documentation.

use super::*;

fn with_usage(mut chunk: Value, usage: Value) -> Value {
    chunk["usageMetadata"] = usage;
    chunk
}

#[test]
fn a_model_that_runs_code_may_finish_and_go_on() {
    let mut first = text("a");
    first["candidates"][0]["finishReason"] = json!("STOP");
    let mut second = text("b");
    second["candidates"][0]["finishReason"] = json!("MAX_TOKENS");
    let found = read(&[first, text("…"), second]);
    let summary = summarize(&found);
    assert_eq!(summary.text, "a…b");
    assert_eq!(
        serde_json::to_value(summary.stop_reason).unwrap(),
        "max_tokens"
    );
    let dones = found
        .iter()
        .filter(|event| matches!(event, StreamEvent::Done { .. }));
    assert_eq!(dones.count(), 1);
}

#[test]
fn usage_that_comes_after_the_finish_reason_is_counted() {
    let late = json!({ "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 4 } });
    let found = read(&[text("a"), finish("STOP"), late]);
    assert!(matches!(found.last(), Some(StreamEvent::Done { .. })));
    assert_eq!(summarize(&found).usage.unwrap().total_tokens, 7);
}

#[test]
fn a_report_replaces_the_one_before_unless_it_counts_nothing() {
    let counts = |prompt: u64, thoughts: u64, candidates: Value| {
        json!({ "promptTokenCount": prompt, "thoughtsTokenCount": thoughts,
            "candidatesTokenCount": candidates })
    };
    let chunks = [
        with_usage(text("a"), json!({ "trafficType": "ON_DEMAND" })),
        with_usage(text("b"), counts(9, 35, json!(21))),
        with_usage(text("c"), counts(9, 35, json!(21))),
        with_usage(finish("STOP"), counts(87, 78, json!(null))),
        json!({ "usageMetadata": { "trafficType": "ON_DEMAND" } }),
    ];
    let found = read(&chunks);
    let reports = found
        .iter()
        .filter(|event| matches!(event, StreamEvent::Usage { .. }));
    assert_eq!(reports.count(), 2);
    let usage = summarize(&found).usage.unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (87, 78));
}

#[test]
fn of_several_candidates_the_first_counts() {
    let both = json!({ "candidates": [
        { "index": 1, "content": { "parts": [{ "text": "other" }] } },
        { "index": 0, "content": { "parts": [{ "text": "a" }] } },
    ]});
    let mut other = text("other");
    other["candidates"][0]["index"] = json!(1);
    other["candidates"][0]["finishReason"] = json!("SAFETY");
    let mut plain = text("other");
    plain["candidates"][0]["index"] = json!(1);
    let found = read(&[both, other, plain, finish("STOP")]);
    let summary = summarize(&found);
    assert_eq!(summary.text, "a");
    assert_eq!(
        serde_json::to_value(summary.stop_reason).unwrap(),
        "end_turn"
    );
}

#[test]
fn an_id_that_comes_late_is_told() {
    let bare =
        |text: &str| json!({ "candidates": [{ "content": { "parts": [{ "text": text }] } }] });
    let summary = summary(&[bare("a"), text("b"), bare("c")]);
    assert_eq!(summary.message_ids, ["r1"]);
    assert_eq!(summary.model.as_deref(), Some("gemini"));
    assert_eq!(summary.text, "abc");
}

#[test]
fn the_first_id_counts() {
    let mut other = text("b");
    other["responseId"] = json!("r2");
    assert_eq!(summary(&[text("a"), other]).message_ids, ["r1"]);
}

#[test]
fn chunks_inside_a_response_and_in_a_list() {
    let wrapped = json!({ "response": text("a"), "traceId": "t" });
    let listed = json!([text("b"), finish("STOP")]);
    let summary = summary(&[wrapped, listed]);
    assert_eq!(summary.text, "ab");
    assert!(summary.complete);
}

#[test]
fn a_last_word_that_google_does_not_send() {
    let found = read(&[text("a"), finish("STOP"), json!("[DONE]"), text("late")]);
    let tail = serde_json::to_value(&found[found.len() - 2..]).unwrap();
    assert_eq!(
        tail,
        json!([
            { "type": "done", "stopReason": "end_turn" },
            { "type": "raw", "value": text("late") },
        ])
    );
}

#[test]
fn padded_reordered_and_repeated_keys() {
    let padded =
        r#"   {"responseId":"r1",  "candidates" : [ {"content":{"parts":[{"text":"a"}]}} ]  }   "#;
    let repeated = r#"{"candidates":[{"content":{"parts":[{"text":"x","text":"b"}]}}]}"#;
    assert_eq!(summary(&[json!(padded), json!(repeated)]).text, "ab");
}

#[test]
fn what_is_no_json_is_raw_and_blank_is_nothing() {
    let events = read(&[json!("wait"), json!(""), json!(" "), json!("{\"error\":")]);
    let raw = |text: &str| StreamEvent::Raw { value: text.into() };
    assert_eq!(events[..2], [raw("wait"), raw("{\"error\":")]);
    assert_eq!(events.len(), 3);
}

#[test]
fn what_is_unknown_is_raw_once_and_the_rest_is_not_lost() {
    let news = json!({ "news": 1 });
    let strange = parts(json!([{ "text": "a" }, { "hologram": {} }, { "text": 7 }, "b"]));
    let contents = chunk(json!({ "content": "words" }));
    check(
        &[text("A"), news.clone(), strange.clone(), contents.clone()],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "A" },
            { "type": "raw", "value": news },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "raw", "value": strange },
            { "type": "raw", "value": contents },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn an_unknown_finish_reason_is_kept_raw() {
    let event = finish("BORED");
    check(
        std::slice::from_ref(&event),
        json!([{ "type": "raw", "value": event }, { "type": "done", "stopReason": null }]),
    );
}

#[test]
fn a_finish_reason_that_says_nothing_finishes_nothing() {
    let summary = summary(&[text("a"), finish("FINISH_REASON_UNSPECIFIED")]);
    assert!(!summary.complete);
    assert_eq!(summary.errors[0].code, "stream_cut");
}

#[test]
fn a_draft_picture_is_no_file() {
    let draft = part(json!({ "thought": true,
        "inlineData": { "mimeType": "image/png", "data": "aGk=" } }));
    check(
        std::slice::from_ref(&draft),
        json!([{ "type": "raw", "value": draft }]),
    );
}

#[test]
fn an_outcome_of_nothing_is_still_told() {
    let ran = json!({ "outcome": "OUTCOME_OK", "output": "1" });
    check(
        &[part(json!({ "codeExecutionResult": ran }))],
        json!([{ "type": "tool_result", "toolCallId": "tool_r1_0", "name": "code_execution",
            "result": { "codeExecutionResult": ran }, "isError": false }]),
    );
}

#[test]
fn errors_of_other_shapes() {
    let table = [
        (json!("no"), "source_failed", "no"),
        (
            json!({ "code": 500, "message": "no" }),
            "server_error",
            "no",
        ),
        (json!({}), "source_failed", "{}"),
    ];
    for (error, code, message) in table {
        let summary = summary(&[json!({ "error": error })]);
        assert_eq!(summary.errors.len(), 1);
        assert_eq!(summary.errors[0].code, code);
        assert_eq!(summary.errors[0].message, message);
        assert!(!summary.complete);
    }
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(summary(&[text("a"), finish("STOP")]).usage, None);
    let most = json!({
        "promptTokenCount": 5, "cachedContentTokenCount": u64::MAX, "candidatesTokenCount": 1e300,
        "thoughtsTokenCount": u64::MAX, "toolUsePromptTokenCount": -3,
    });
    let usage = summary(&[with_usage(finish("STOP"), most)]).usage.unwrap();
    assert!(usage.total_tokens > 0);
}

#[test]
fn further_candidates_are_raw() {
    let mut other = text("b");
    other["candidates"][0]["index"] = json!(1);
    let both = json!({ "responseId": "r1", "candidates": [
        { "index": 1, "content": { "parts": [{ "text": "b" }] } },
        { "content": { "parts": [{ "text": "a" }] } },
        { "content": { "parts": [{ "text": "c" }] } },
    ] });
    check(
        &[other.clone(), both.clone()],
        json!([
            { "type": "raw", "value": other },
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "raw", "value": both },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn a_signature_beside_no_text_is_kept() {
    let signed = part(json!({ "text": null, "thoughtSignature": "s" }));
    check(
        &[signed],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_end", "id": 0, "signature": "s" },
        ]),
    );
}
