//! Streams are written here by hand, as small as shows the case.

use serde_json::{Value, json};
use weir_protocol::StreamEvent;

use super::DIALECT;
use crate::source::dialect::testing;

fn read(said: &[Value]) -> Vec<StreamEvent> {
    testing::read_frames(&DIALECT, said)
}

/// What these messages come to, after the start.
fn check(said: &[Value], expected: Value) {
    let said = [&[begin()], said].concat();
    assert_eq!(testing::after_start(read(&said)), expected);
}

fn begin() -> Value {
    json!({"type": "messageStart", "role": "assistant"})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "contentBlockDelta", "contentBlockIndex": index, "delta": delta, "p": "abc"})
}

fn end(index: u64) -> Value {
    json!({"type": "contentBlockStop", "contentBlockIndex": index})
}

fn call(index: u64, id: &str) -> Value {
    json!({"type": "contentBlockStart", "contentBlockIndex": index,
        "start": {"toolUse": {"toolUseId": id, "name": "look"}}})
}

fn stop(reason: &str) -> Value {
    json!({"type": "messageStop", "stopReason": reason})
}

fn metadata() -> Value {
    json!({"type": "metadata", "metrics": {"latencyMs": 7}, "usage": {
        "inputTokens": 3, "outputTokens": 9, "totalTokens": 112, "cacheReadInputTokens": 60,
        "cacheWriteInputTokens": 40, "cacheDetails": [{"ttl": "1h", "inputTokens": 40}]}})
}

#[test]
fn a_whole_reply() {
    check(
        &[
            delta(0, json!({"reasoningContent": {"text": "hm"}})),
            delta(0, json!({"reasoningContent": {"signature": "se"}})),
            delta(0, json!({"reasoningContent": {"signature": "al"}})),
            end(0),
            delta(1, json!({"text": "Grüße"})),
            delta(1, json!({"text": " 猫"})),
            end(1),
            call(2, "t1"),
            delta(2, json!({"toolUse": {"input": "{\"at\""}})),
            delta(2, json!({"toolUse": {"input": ": 1}"}})),
            end(2),
            stop("tool_use"),
            metadata(),
        ],
        json!([
            {"type": "thinking_start", "id": 0},
            {"type": "thinking_delta", "id": 0, "text": "hm"},
            {"type": "thinking_end", "id": 0, "signature": "seal", "redacted": null},
            {"type": "text_start", "id": 1},
            {"type": "text_delta", "id": 1, "text": "Grüße"},
            {"type": "text_delta", "id": 1, "text": " 猫"},
            {"type": "text_end", "id": 1},
            {"type": "tool_use_start", "id": 2, "toolCallId": "t1", "name": "look",
                "executedBy": "weir"},
            {"type": "tool_use_delta", "id": 2, "json": "{\"at\""},
            {"type": "tool_use_delta", "id": 2, "json": ": 1}"},
            {"type": "tool_use_end", "id": 2, "input": {"at": 1}},
            {"type": "usage", "usage": serde_json::to_value(usage()).unwrap()},
            {"type": "done", "stopReason": "tool_use"},
        ]),
    );
}

fn usage() -> weir_protocol::Usage {
    weir_protocol::Usage {
        input_tokens: 3,
        output_tokens: 9,
        cache_read_tokens: 60,
        cache_write_tokens: 40,
        cache_write1h_tokens: 40,
        ..weir_protocol::Usage::default()
    }
}

#[test]
fn thinking_that_is_sealed_and_a_stop_without_usage() {
    check(
        &[
            delta(
                0,
                json!({"reasoningContent": {"redactedContent": "c2VhbGVk"}}),
            ),
            end(0),
            stop("end_turn"),
        ],
        json!([
            {"type": "thinking_start", "id": 0},
            {"type": "thinking_end", "id": 0, "signature": null, "redacted": "c2VhbGVk"},
            {"type": "done", "stopReason": "end_turn"},
        ]),
    );
}

#[test]
fn exceptions_are_errors_of_the_vocabulary_and_keep_what_came() {
    for (name, code, told, words) in [
        (
            "throttlingException",
            "rate_limited",
            json!({"message": "Slowly."}),
            "Slowly.",
        ),
        (
            "modelStreamErrorException",
            "server_error",
            json!({"message": "It broke.", "originalStatusCode": 500}),
            "It broke.",
        ),
        (
            "somethingNewException",
            "source_failed",
            json!({}),
            "Amazon Bedrock ended the reply without saying why.",
        ),
    ] {
        let mut exception = told;
        exception["exception"] = name.into();
        let events = read(&[begin(), delta(0, json!({"text": "Half"})), exception]);
        let told = events.iter().find_map(|event| {
            if let StreamEvent::Error { error } = event {
                Some((
                    error.code.as_str(),
                    error.message.as_str(),
                    error.details.clone(),
                ))
            } else {
                None
            }
        });
        let (told_code, told_words, details) = told.unwrap();
        assert_eq!((told_code, told_words), (code, words));
        let details = serde_json::to_value(details).unwrap().to_string();
        assert!(details.contains(name), "{details}");
        assert_eq!(
            testing::kinds(&events),
            ["start", "text_start", "text_delta", "text_end", code]
        );
    }
}

#[test]
fn tools_that_run_at_the_source_are_its_own_and_answered_once() {
    let mut server_call = call(0, "s1");
    server_call["start"]["toolUse"]["type"] = "server_tool_use".into();
    let result = json!({"type": "contentBlockStart", "contentBlockIndex": 1,
        "start": {"toolResult": {"toolUseId": "s1", "status": "success"}}});
    let events = read(&[
        begin(),
        server_call,
        end(0),
        result.clone(),
        delta(1, json!({"toolResult": [{"text": "seen"}]})),
        end(1),
        result,
        end(1),
        stop("end_turn"),
        metadata(),
    ]);
    let results: Vec<_> = events
        .iter()
        .filter(|event| matches!(event, StreamEvent::ToolResult { .. }))
        .collect();
    assert_eq!(
        json!(results),
        json!([{"type": "tool_result", "toolCallId": "s1", "name": "look",
            "result": [{"text": "seen"}], "isError": false}])
    );
    assert!(
        json!(events)
            .to_string()
            .contains("\"executedBy\":\"source\"")
    );
}

#[test]
fn citations_belong_to_their_text() {
    let raw = json!({"title": "Cats", "sourceContent": [{"text": "Cats "}, {"text": "purr."}],
        "location": {"web": {"url": "https://example.com/cats", "domain": "example.com"}}});
    let events = read(&[
        begin(),
        delta(0, json!({"text": "They purr."})),
        delta(0, json!({"citation": raw})),
        end(0),
        stop("end_turn"),
        metadata(),
    ]);
    let cited = events
        .iter()
        .find(|event| matches!(event, StreamEvent::Citation { .. }));
    assert_eq!(
        json!(cited),
        json!({"type": "citation", "id": 0, "citation": {"url": "https://example.com/cats",
            "title": "Cats", "citedText": "Cats purr.", "raw": raw}})
    );
}

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    vec![
        begin(),
        delta(0, json!({"reasoningContent": {"text": "ein Gedänke"}})),
        delta(0, json!({"reasoningContent": {"signature": "seal"}})),
        end(0),
        delta(1, json!({"text": "猫が好き 🦀🦀"})),
        delta(1, json!({"citation": {"title": "ö", "source": "s"}})),
        end(1),
        call(2, "t1"),
        delta(2, json!({"toolUse": {"input": "{\"at\": \"猫\"}"}})),
        end(2),
        json!({"type": "news", "value": "🗞"}),
        stop("end_turn"),
        metadata(),
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    vec![
        delta(7, json!({"text": "unannounced"})),
        delta(8, json!({"toolUse": {"input": "{}"}})),
        delta(9, json!({"image": {"source": {"bytes": "aGk="}}})),
        call(2, "t1"),
        json!({"exception": "validationException", "message": "ö"}),
        json!({"type": "contentBlockStart", "contentBlockIndex": 5,
            "start": {"toolResult": {"toolUseId": "t1", "status": "error"}}}),
        delta(5, json!({"toolResult": [{"json": {"a": 1}}]})),
        end(5),
        stop("something_new"),
        json!({"type": "initial-response"}),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::each_call_once);
}
