//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let call =
        |kind: &str, id: &str| json!({ "type": kind, "id": id, "name": "look", "input": {} });
    let found = json!({ "type": "web_search_result", "url": "https://ü" });
    let result =
        json!({ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [found] });
    let citation = json!({ "type": "web_search_result_location", "cited_text": "猫" });
    let thinking = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let input = |piece: &str| json!({ "type": "input_json_delta", "partial_json": piece });
    vec![
        message_start(),
        json!({ "type": "ping" }),
        start(0, thinking),
        delta(
            0,
            json!({ "type": "thinking_delta", "thinking": "grün 猫 🦀" }),
        ),
        delta(0, json!({ "type": "signature_delta", "signature": "sig" })),
        stop(0),
        start(1, json!({ "type": "text", "text": "" })),
        text_delta(1, "ein Wörtchen\n\n"),
        text_delta(1, "猫が好き 🦀🦀"),
        delta(
            1,
            json!({ "type": "citations_delta", "citation": citation }),
        ),
        stop(1),
        start(2, call("tool_use", "t1")),
        delta(2, input("{\"ß\":")),
        delta(2, input("\"猫\"}")),
        stop(2),
        start(3, call("server_tool_use", "s1")),
        stop(3),
        start(4, result),
        start(5, json!({ "type": "redacted_thinking", "data": "seal" })),
        json!({ "type": "news", "value": "🗞" }),
        message_delta("tool_use", json!({ "input_tokens": 3, "output_tokens": 9 })),
        message_stop(),
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    let mut again = message_start();
    again["message"]["id"] = json!("msg_2");
    again["message"]["content"] = json!([{ "type": "text", "text": "a" }]);
    let error = json!({ "type": "overloaded_error", "message": "ö" });
    vec![
        again,
        start(0, json!({ "type": "text", "text": "a", "citations": [{}] })),
        start(
            0,
            json!({ "type": "tool_use", "id": "t", "name": "n", "input": { "a": 1 } }),
        ),
        json!({ "type": "error", "error": error }),
        json!({ "error": error }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), |_| {});
}
