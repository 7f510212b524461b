//! What holds for every stream.

use super::*;

fn claude(kind: &str, more: Value) -> Value {
    let mut line = json!({ "type": kind, "index": 0 });
    for (field, value) in more.as_object().unwrap() {
        line[field] = value.clone();
    }
    line
}

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let delta = json!({ "type": "text_delta", "text": "ein Wörtchen 🦀" });
    let mut lines = bytes(&[
        line("start", json!({ "model": "m" })),
        line("status", json!({ "message": "grün" })),
        line(
            "todo_create",
            json!({ "items": ["Ä", { "content": "猫" }] }),
        ),
        line("thinking", json!({ "content": "grün " })),
        line("think", json!({ "thought": "猫" })),
        claude("message_start", json!({ "message": { "id": "m" } })),
        claude("content_block_delta", json!({ "delta": delta })),
        claude("content_block_stop", json!({})),
        claude("message_stop", json!({})),
        line("tool_call_start", json!({ "id": "t", "name": "schau" })),
        line("text", json!({ "content": "ß" })),
        line("text", json!({ "content": "🦀🦀" })),
        line(
            "tool_use",
            json!({ "id": "t", "name": "schau", "input": { "ß": "猫" } }),
        ),
        line("tool_result", json!({ "content": "gesehen" })),
        line("search", json!({ "query": "猫" })),
        line("search_result", json!({ "results": [] })),
        line("subagent_start", json!({ "agent": "ä", "task": "ö" })),
        line("usage", json!({ "input_tokens": 3, "output_tokens": 9 })),
        json!({ "type": "news", "value": "🗞" }),
        line("result", json!({ "duration_ms": 5 })),
    ]);
    lines.extend_from_slice("kein JSON ß\r\n\r\n".as_bytes());
    lines.extend_from_slice(&bytes(&[done()]));
    lines
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; a call counts
/// once, unless it was given up; there is one `Done` at most, and only `Raw` behind it.
fn assert_lawful(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeMap::new();
    let mut calls = BTreeSet::new();
    let mut is_done = false;
    for event in events {
        let event = serde_json::to_value(event).unwrap();
        let id = event["id"].as_u64();
        let kind = event["type"].as_str().unwrap();
        assert!(!is_done || kind == "raw", "after the end: {event}");
        match kind {
            "text_start" | "thinking_start" | "tool_use_start" => {
                let call = event["toolCallId"].as_str().unwrap_or_default();
                assert!(call.is_empty() || calls.insert(call.to_owned()), "{event}");
                assert!(seen.insert(id), "{event}");
                open.insert(id, call.to_owned());
            }
            "text_delta" | "thinking_delta" | "tool_use_delta" | "citation" => {
                assert!(open.contains_key(&id), "{event}");
            }
            "text_end" | "thinking_end" => assert!(open.remove(&id).is_some(), "{event}"),
            "tool_use_end" => {
                let call = open.remove(&id).unwrap();
                if event["input"].is_null() {
                    calls.remove(&call);
                }
            }
            "done" => {
                assert!(open.is_empty(), "open at the end: {open:?}");
                is_done = true;
            }
            _ => {}
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

#[test]
fn fixed_splits_give_the_same_events() {
    let bytes = everything();
    let whole = read_bytes([bytes.as_slice()]);
    assert_lawful(&whole);
    assert_eq!(summarize(&whole).text, "ein Wörtchen 🦀ß🦀🦀");
    for split in [1, 2, 3, 7, 64] {
        assert_eq!(read_bytes(bytes.chunks(split)), whole, "split by {split}");
    }
}

#[test]
fn wherever_the_stream_is_cut_blocks_are_closed_and_it_is_said() {
    let bytes = everything();
    for end in 0..bytes.len() {
        let events = read_bytes([&bytes[..end]]);
        assert_lawful(&events);
        let summary = summarize(&events);
        assert_eq!(summary.complete, summary.errors.is_empty(), "cut at {end}");
        assert!(summary.errors.len() <= 1);
    }
}

/// Lines of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let kinds = [
        "start",
        "status",
        "text",
        "thinking",
        "think",
        "delta",
        "content",
        "tool_use",
        "tool_call",
        "tool_call_start",
        "function_call",
        "tool_result",
        "function_response",
        "search",
        "search_result",
        "todos",
        "todo_update",
        "todo_done",
        "subagent_start",
        "subagent_complete",
        "subagent_spawn",
        "usage",
        "usage_total",
        "result",
        "error",
        "done",
        "message_stop",
    ];
    let data = prop_oneof![
        Just(json!({ "content": "a", "message": "b", "thought": "c" })),
        Just(json!({ "id": "t", "name": "look", "input": { "a": 1 } })),
        Just(json!({ "id": "t", "name": "look" })),
        Just(json!({ "id": 3, "name": "Task", "arguments": "{" })),
        Just(json!({ "name": "TodoWrite", "args": { "todos": [null] } })),
        Just(json!({ "items": [1, "a", { "content": 2 }], "index": 9 })),
        Just(json!({ "usage": { "input_tokens": 1 }, "duration_ms": -1 })),
        Just(json!({ "input_tokens": 1.5, "output_tokens": "2" })),
        Just(json!(["a"])),
        Just(json!("a")),
        Just(json!(null)),
        Just(json!(7)),
    ];
    let simple =
        (prop::sample::select(kinds.to_vec()), data).prop_map(|(kind, data)| line(kind, data));
    let tool = json!({ "type": "tool_use", "id": "t", "name": "look", "input": {} });
    let piece = |delta: Value| claude("content_block_delta", json!({ "delta": delta }));
    let of_claude = prop_oneof![
        Just(claude("message_start", json!({ "message": { "id": "m" } }))),
        Just(claude(
            "message_start",
            json!({ "message": { "id": "n", "content": [tool] } })
        )),
        Just(claude(
            "content_block_start",
            json!({ "content_block": tool })
        )),
        Just(claude(
            "content_block_start",
            json!({ "content_block": { "type": "text" } })
        )),
        Just(piece(json!({ "type": "text_delta", "text": "a" }))),
        Just(piece(json!({ "type": "thinking_delta", "thinking": "a" }))),
        Just(piece(
            json!({ "type": "input_json_delta", "partial_json": "{" })
        )),
        Just(claude("content_block_stop", json!({}))),
        Just(claude("content_block_stop", json!({ "index": u64::MAX }))),
        Just(claude(
            "content_block_start",
            json!({ "index": u64::MAX, "content_block": tool })
        )),
        Just(json!(3)),
    ];
    prop_oneof![3 => simple, 2 => of_claude]
}

proptest! {
    #[test]
    fn random_splits_give_the_same_events(
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
    ) {
        let bytes = everything();
        let mut places: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        places.extend([0, bytes.len()]);
        places.sort_unstable();
        let pieces = places.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(read_bytes(pieces), read_bytes([bytes.as_slice()]));
    }

    #[test]
    fn disorder_stays_lawful(lines in prop::collection::vec(disorder(), 0..30)) {
        assert_lawful(&read(&lines));
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        assert_lawful(&read_bytes([bytes.as_slice()]));
    }

    #[test]
    fn damaged_streams_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = everything();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        assert_lawful(&read_bytes([bytes.as_slice()]));
    }
}
