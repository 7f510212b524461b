//! One case for each kind of part and of ending that the API documents.

use super::*;

#[test]
fn response_id_and_model_version_give_start_once() {
    let found = serde_json::to_value(read(&[text("a"), text("b")])).unwrap();
    let start = json!({ "type": "start", "messageId": "r1", "model": "gemini" });
    assert_eq!(found[0], start);
    let starts = found.as_array().unwrap().iter();
    assert_eq!(starts.filter(|event| event["type"] == "start").count(), 1);
}

#[test]
fn text_and_thoughts() {
    check(
        &[thought("well"), thought("…"), text("a "), text("word 🦀")],
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
fn several_parts_in_one_chunk() {
    let both = parts(json!([{ "text": "well", "thought": true }, { "text": "a" }]));
    check(
        &[both],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "a" },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn thought_signature_of_a_thought() {
    let seal = json!({ "text": "", "thought": true, "thoughtSignature": "s" });
    let bare = json!({ "thought": true, "thoughtSignature": "s" });
    for last in [seal, bare] {
        check(
            &[thought("well"), part(last)],
            json!([
                { "type": "thinking_start", "id": 0 },
                { "type": "thinking_delta", "id": 0, "text": "well" },
                { "type": "thinking_end", "id": 0, "signature": "s", "redacted": null },
            ]),
        );
    }
}

#[test]
fn thought_signature_of_a_text_whichever_piece_has_it() {
    let bare = part(json!({ "thoughtSignature": "s" }));
    let tables = [
        [signed("a", "s"), text("b"), text("")],
        [text("a"), signed("b", "s"), text("")],
        [text("a"), text("b"), signed("", "s")],
        [text("a"), text("b"), bare],
    ];
    for chunks in tables {
        check(
            &chunks,
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "a" },
                { "type": "text_delta", "id": 0, "text": "b" },
                { "type": "text_end", "id": 0, "signature": "s" },
            ]),
        );
    }
}

#[test]
fn thought_signature_without_any_text_is_not_lost() {
    check(
        &[thought("well"), signed("", "s")],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_end", "id": 1, "signature": "s" },
        ]),
    );
}

#[test]
fn a_second_signature_begins_a_second_block() {
    check(
        &[signed("a", "s"), signed("b", "t")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            { "type": "text_end", "id": 0, "signature": "s" },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "b" },
            { "type": "text_end", "id": 1, "signature": "t" },
        ]),
    );
}

#[test]
fn executable_code_and_its_result() {
    let code = json!({ "language": "PYTHON", "code": "print(1)" });
    for (outcome, is_error) in [("OUTCOME_OK", false), ("OUTCOME_FAILED", true)] {
        let ran = json!({ "outcome": outcome, "output": "1\n" });
        check(
            &[
                text("So:"),
                part(json!({ "executableCode": code })),
                part(json!({ "codeExecutionResult": ran })),
                text("One."),
            ],
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "So:" },
                { "type": "text_end", "id": 0 },
                { "type": "status", "message": "Running code_execution" },
                { "type": "tool_result", "toolCallId": "tool_r1_0", "name": "code_execution",
                  "result": { "executableCode": code, "codeExecutionResult": ran },
                  "isError": is_error },
                { "type": "text_start", "id": 1 },
                { "type": "text_delta", "id": 1, "text": "One." },
                { "type": "text_end", "id": 1 },
            ]),
        );
    }
}

#[test]
fn tool_call_and_tool_response_meet_by_their_id() {
    let asked =
        |id: &str| json!({ "toolType": "GOOGLE_SEARCH_WEB", "id": id, "args": { "q": id } });
    let found = |id: &str| json!({ "toolType": "GOOGLE_SEARCH_WEB", "id": id, "response": {} });
    let result = |id: &str| {
        json!({ "type": "tool_result", "toolCallId": id, "name": "google_search_web",
            "result": { "toolCall": asked(id), "toolResponse": found(id) }, "isError": false,
            "detail": { "signatures": { "toolCall": "s" } } })
    };
    let status = json!({ "type": "status", "message": "Running google_search_web" });
    check(
        &[
            part(json!({ "toolCall": asked("a"), "thoughtSignature": "s" })),
            part(json!({ "toolCall": asked("b"), "thoughtSignature": "s" })),
            part(json!({ "toolResponse": found("b") })),
            part(json!({ "toolResponse": found("a") })),
        ],
        json!([status, status, result("b"), result("a")]),
    );
}

#[test]
fn code_that_was_never_run_is_told_at_the_end() {
    let code = json!({ "language": "PYTHON", "code": "print(1)" });
    check(
        &[part(json!({ "executableCode": code })), finish("STOP")],
        json!([
            { "type": "status", "message": "Running code_execution" },
            { "type": "tool_result", "toolCallId": "tool_r1_0", "name": "code_execution",
              "result": { "executableCode": code }, "isError": true },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn inline_data_and_file_data() {
    let inline = json!({ "inlineData": { "mimeType": "image/png", "data": "aGk=" } });
    let stored = json!({ "fileData": { "mimeType": "video/mp4", "fileUri": "gs://b/f" } });
    check(
        &[text("Here:"), part(inline), part(stored)],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "Here:" },
            { "type": "text_end", "id": 0 },
            { "type": "file", "url": "data:image/png;base64,aGk=", "mediaType": "image/png" },
            { "type": "file", "url": "gs://b/f", "mediaType": "video/mp4" },
        ]),
    );
}

#[test]
fn the_signature_of_a_file_follows_it() {
    let inline = json!({ "mimeType": "image/png", "data": "aGk=" });
    check(
        &[
            part(json!({ "inlineData": inline, "thoughtSignature": "s" })),
            text("a"),
        ],
        json!([
            { "type": "file", "url": "data:image/png;base64,aGk=", "mediaType": "image/png" },
            { "type": "text_start", "id": 0 },
            { "type": "text_end", "id": 0, "signature": "s" },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "a" },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn finish_reason_gives_done_when_the_stream_is_over() {
    let table = [
        ("STOP", "end_turn"),
        ("MAX_TOKENS", "max_tokens"),
        ("SAFETY", "content_filter"),
        ("RECITATION", "content_filter"),
        ("LANGUAGE", "content_filter"),
        ("BLOCKLIST", "content_filter"),
        ("PROHIBITED_CONTENT", "content_filter"),
        ("SPII", "content_filter"),
        ("MODEL_ARMOR", "content_filter"),
        ("IMAGE_SAFETY", "content_filter"),
        ("IMAGE_PROHIBITED_CONTENT", "content_filter"),
        ("IMAGE_RECITATION", "content_filter"),
    ];
    for (reason, expected) in table {
        check(
            &[finish(reason)],
            json!([{ "type": "done", "stopReason": expected }]),
        );
    }
}

#[test]
fn finish_reason_that_is_an_error() {
    let words = [
        "OTHER",
        "MALFORMED_FUNCTION_CALL",
        "MALFORMED_RESPONSE",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "NO_IMAGE",
        "IMAGE_OTHER",
    ];
    for word in words {
        let said = json!({ "finishReason": word, "finishMessage": "print(look())" });
        check(
            &[text("half"), chunk(said)],
            json!([
                { "type": "text_start", "id": 0 },
                { "type": "text_delta", "id": 0, "text": "half" },
                { "type": "text_end", "id": 0 },
                { "type": "error", "error": { "code": "source_failed", "message": "print(look())" } },
                { "type": "done", "stopReason": "error" },
            ]),
        );
    }
}

#[test]
fn why_it_was_filtered_is_told() {
    let said = json!({ "finishReason": "SAFETY", "finishMessage": "Not this." });
    check(
        &[chunk(said)],
        json!([
            { "type": "status", "message": "Not this." },
            { "type": "done", "stopReason": "content_filter" },
        ]),
    );
}

#[test]
fn prompt_feedback_that_blocks() {
    let table = [
        (
            json!({ "blockReason": "SAFETY" }),
            "The prompt was blocked: SAFETY.",
        ),
        (
            json!({ "blockReason": "OTHER", "blockReasonMessage": "Not this." }),
            "Not this.",
        ),
    ];
    for (feedback, message) in table {
        check(
            &[json!({ "promptFeedback": feedback })],
            json!([
                { "type": "status", "message": message },
                { "type": "done", "stopReason": "content_filter" },
            ]),
        );
    }
}

#[test]
fn prompt_feedback_that_blocks_nothing() {
    let mut last = finish("STOP");
    last["promptFeedback"] = json!({ "safetyRatings": [] });
    check(
        &[last],
        json!([{ "type": "done", "stopReason": "end_turn" }]),
    );
}

#[test]
fn usage_metadata_counted_our_way() {
    let mut last = finish("STOP");
    last["usageMetadata"] = json!({
        "promptTokenCount": 100, "cachedContentTokenCount": 30, "toolUsePromptTokenCount": 5,
        "candidatesTokenCount": 7, "thoughtsTokenCount": 11, "totalTokenCount": 123,
        "trafficType": "ON_DEMAND",
    });
    check(
        &[last],
        json!([
            { "type": "usage", "usage": {
                "inputTokens": 75, "outputTokens": 18, "reasoningTokens": 11,
                "cacheReadTokens": 30, "cacheWriteTokens": 0, "cacheWrite5mTokens": 0,
                "cacheWrite1hTokens": 0, "serviceTier": "ON_DEMAND" } },
            { "type": "done", "stopReason": "end_turn" },
        ]),
    );
}

#[test]
fn error_in_the_stream() {
    let error = json!({ "code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED",
        "details": [{ "@type": "x/google.rpc.RetryInfo", "retryDelay": "33.2s" }] });
    let expected = json!([
        { "type": "text_start", "id": 0 },
        { "type": "text_delta", "id": 0, "text": "half" },
        { "type": "text_end", "id": 0 },
        { "type": "error", "error": { "code": "rate_limited", "message": "Slow down.",
            "retryAfter": 34 } },
    ]);
    let alone = json!({ "error": error });
    // As the address without `alt=sse` answers.
    let listed = json!([{ "error": error }]);
    for last in [alone, listed] {
        check(&[text("half"), last], expected.clone());
    }
}
