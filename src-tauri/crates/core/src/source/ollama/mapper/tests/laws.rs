//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let function = json!({ "name": "look", "arguments": { "ß": "猫" } });
    let mut last = done("stop");
    last["prompt_eval_count"] = json!(3);
    last["eval_count"] = json!(9);
    vec![
        thinking("grün 猫 🦀"),
        text("ein Wörtchen\n"),
        text("猫が好き 🦀🦀"),
        call(json!({ "function": function })),
        call(json!({ "id": "t", "function": { "name": "look", "arguments": "{\"ß\":1}" } })),
        chat(json!({ "role": "assistant", "images": ["iVBORw0KGgo="] })),
        json!({ "model": "qwen", "response": "ö", "thinking": "ä", "done": false }),
        json!({ "news": "🗞" }),
        text("fertig"),
        last,
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    vec![
        chat(json!({ "content": "a", "thinking": "b", "image": "x" })),
        json!({ "done": true, "done_reason": "odd" }),
        json!({ "error": "ö" }),
        json!({ "error": { "type": "e", "message": "ö" } }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::each_call_once);
}
