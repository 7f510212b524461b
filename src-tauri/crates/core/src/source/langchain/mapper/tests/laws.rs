//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let called = |calls: Value| {
        let mut message = chunk(json!(""));
        message["tool_call_chunks"] = calls;
        stream(message)
    };
    let mut whole = chunk(json!("a"));
    whole["tool_calls"] = json!([{ "id": "u", "name": "look", "args": { "a": 1 } }]);
    let mut used = stop("tool_use");
    used["usage_metadata"] = json!({ "input_tokens": 3, "output_tokens": 9 });
    let result = json!({ "content": "gefunden 🦀", "tool_call_id": "t1" });
    let executed = json!([{ "id": "v", "name": "look", "args": {}, "result": "ü" }]);
    let thought = |thought: Value| stream(serialized(block(thought)));
    vec![
        run_event("on_chain_start", "root", json!({ "input": "?" })),
        event("on_chat_model_start", json!({})),
        stream(first()),
        thought(json!({ "index": 0, "type": "thinking", "thinking": "grün 猫 🦀" })),
        thought(json!({ "index": 0, "type": "thinking", "signature": "sig" })),
        stream(text(1, "ein Wörtchen\n\n")),
        stream(serialized(text(1, "猫が好き 🦀🦀"))),
        stream(block(
            json!({ "index": 1, "type": "text", "citations": [{ "url": "ü" }] }),
        )),
        called(json!([{ "index": 2, "id": "t1", "name": "look", "args": "" }])),
        called(json!([{ "index": 2, "args": "{\"ß\":\"猫\"}" }])),
        stream(block(
            json!({ "type": "redacted_thinking", "data": "seal", "index": 3 }),
        )),
        stream(block(json!({ "type": "news", "value": "🗞" }))),
        stream(used.clone()),
        event("on_chat_model_end", json!({ "output": used })),
        run_event("on_tool_start", "tool", json!({})),
        run_event("on_tool_end", "tool", json!({ "output": result })),
        run_event("on_chat_model_stream", "other", json!({ "chunk": whole })),
        run_event(
            "on_chat_model_end",
            "other",
            json!({ "output": serialized(whole) }),
        ),
        run_event(
            "on_chain_end",
            "root",
            json!({ "output": { "toolExecutions": executed } }),
        ),
        json!("kein JSON ß"),
    ]
}

fn others() -> Vec<Value> {
    let found = json!({ "type": "x_tool_result", "tool_use_id": "t1", "content": "f" });
    vec![
        stream(chunk(json!([null, "b", { "type": "text", "text": "c" }]))),
        stream(block(
            json!({ "type": "tool_use", "id": "t1", "name": "n", "input": {}, "index": 0 }),
        )),
        stream(block(
            json!({ "type": "input_json_delta", "input": "{", "index": 0 }),
        )),
        stream(block(found)),
        run_event(
            "on_chat_model_stream",
            "other",
            json!({ "chunk": text(0, "a") }),
        ),
        run_event(
            "on_tool_error",
            "tool",
            json!({ "error": "ö", "tool_call_id": "t1" }),
        ),
        run_event("on_chain_error", "root", json!({ "error": "ö" })),
        event("on_news", json!({})),
        json!({ "event": "error", "data": { "message": "ö" } }),
    ]
}

fn calls_are_answered_once(events: &[StreamEvent]) {
    let (mut told, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        if let StreamEvent::ToolUseStart { tool_call_id, .. } = event {
            told.insert(tool_call_id);
        } else if let StreamEvent::ToolResult { tool_call_id, .. } = event {
            assert!(told.contains(tool_call_id), "{event:?}");
            assert!(answered.insert(tool_call_id), "{event:?}");
        }
    }
    testing::laws_of_agents(events);
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), calls_are_answered_once);
}

proptest! {
    /// The two levels of reading must not differ in what they hear.
    #[test]
    fn a_field_more_changes_nothing(mut events in testing::disorder(&everything(), &others())) {
        // Nobody wraps a message and says something beside it.
        let is_twice = |chunk: &Value| chunk["kwargs"].is_object() && !chunk["content"].is_null();
        events.retain(|event| {
            let chunk = Some(&event["data"]["chunk"]);
            !std::iter::successors(chunk, |chunk| chunk.get("kwargs")).any(is_twice)
        });
        let mut forced = events.clone();
        for event in &mut forced {
            if event["event"] == "on_chat_model_stream"
                && let Some(chunk @ Value::Object(_)) = event.pointer_mut("/data/chunk")
            {
                chunk["chunk_position"] = json!("to the other level");
            }
        }
        let words = |events: &[Value]| testing::without_raw(read(events));
        prop_assert_eq!(words(&events), words(&forced));
    }
}
