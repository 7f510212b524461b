//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let mut last = result("success");
    last["stats"] = json!({ "input_tokens": 3, "output_tokens": 9, "duration_ms": 1 });
    vec![
        init(),
        json!({ "type": "message", "role": "user", "content": "frage 猫" }),
        piece("ein Wörtchen\n"),
        piece("猫が好き 🦀🦀"),
        tool_use("t1"),
        json!({ "type": "tool_result", "tool_id": "t1", "status": "success", "output": "🐈" }),
        json!({ "type": "message", "role": "assistant", "content": "allein" }),
        json!({ "type": "news", "value": "🗞" }),
        piece("fertig"),
        last,
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    let mut failed = result("error");
    failed["error"] = json!({ "type": "e", "message": "ß" });
    vec![
        failed,
        json!({ "type": "tool_use", "tool_name": "look", "parameters": "p" }),
        json!({ "type": "tool_result", "output": { "a": 1 }, "error": { "message": "ö" } }),
        json!({ "type": "error", "severity": "warning", "message": "ö" }),
        json!({ "type": "error", "severity": "error", "message": "ö" }),
        json!({ "error": { "message": "ö" } }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::each_call_once);
}
