//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let mut call = chunk(json!(""));
    call["tool_call_chunks"] = json!([{ "index": 2, "id": "t1", "name": "look", "args": "" }]);
    let mut input = chunk(json!(""));
    input["tool_call_chunks"] = json!([{ "index": 2, "args": "{\"ß\":\"猫\"}" }]);
    let mut used = stop("tool_use");
    used["usage_metadata"] = json!({ "input_tokens": 3, "output_tokens": 9 });
    let result = json!({ "content": "gefunden 🦀", "tool_call_id": "t1" });
    let thought = |thought: Value| stream(serialized(block(thought)));
    let mut bytes = lines(&[
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
        stream(call),
        stream(input),
        stream(block(json!({ "type": "news", "value": "🗞" }))),
        stream(used.clone()),
        event("on_chat_model_end", json!({ "output": used })),
        run_event("on_tool_start", "tool", json!({})),
        run_event("on_tool_end", "tool", json!({ "output": result })),
        run_event("on_chain_end", "root", json!({ "output": "ja" })),
    ]);
    bytes.extend_from_slice("kein JSON ß".as_bytes());
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; `Done` comes
/// once, and nothing but `Raw` after it; every call is told and answered once.
fn assert_lawful(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut calls = BTreeSet::new();
    let mut answered = BTreeSet::new();
    let mut done = false;
    for event in events {
        assert!(
            !done || matches!(event, StreamEvent::Raw { .. }),
            "{event:?}"
        );
        match event {
            StreamEvent::ToolUseStart {
                id, tool_call_id, ..
            } => {
                assert!(seen.insert(*id) && open.insert(*id), "{event:?}");
                assert!(calls.insert(tool_call_id), "{event:?}");
            }
            StreamEvent::ToolResult { tool_call_id, .. } => {
                assert!(calls.contains(tool_call_id), "{event:?}");
                assert!(answered.insert(tool_call_id), "{event:?}");
            }
            StreamEvent::TextStart { id } | StreamEvent::ThinkingStart { id } => {
                assert!(seen.insert(*id) && open.insert(*id), "{event:?}");
            }
            StreamEvent::TextDelta { id, .. }
            | StreamEvent::ThinkingDelta { id, .. }
            | StreamEvent::ToolUseDelta { id, .. }
            | StreamEvent::Citation { id, .. } => assert!(open.contains(id), "{event:?}"),
            StreamEvent::TextEnd { id, .. }
            | StreamEvent::ThinkingEnd { id, .. }
            | StreamEvent::ToolUseEnd { id, .. } => assert!(open.remove(id), "{event:?}"),
            StreamEvent::Done { .. } => {
                assert!(open.is_empty());
                done = true;
            }
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Raw { .. } => {}
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

#[test]
fn fixed_splits_give_the_same_events() {
    let bytes = everything();
    let whole = read_bytes([bytes.as_slice()]);
    assert_lawful(&whole);
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

/// Events of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let name = prop::sample::select(vec![
        "on_chain_start",
        "on_chain_end",
        "on_chain_error",
        "on_chat_model_start",
        "on_chat_model_stream",
        "on_chat_model_stream",
        "on_chat_model_stream",
        "on_chat_model_end",
        "on_tool_end",
        "on_tool_error",
        "on_news",
        "news",
    ]);
    let run_id = prop::sample::select(vec![json!("a"), json!("b"), json!("c"), json!(7)]);
    let content = prop::sample::select(vec![
        Value::Null,
        json!("a"),
        json!(7),
        json!([]),
        json!([null, "b"]),
        json!([{ "type": "text", "text": "c", "index": 0, "citations": [{}, 4] }]),
        json!([{ "type": "text", "text": 4, "index": "x" }]),
        json!([{ "type": "thinking", "thinking": "d", "signature": "s", "index": 0 }]),
        json!([{ "type": "redacted_thinking", "data": "e", "index": 0 }]),
        json!([{ "type": "tool_use", "id": "t", "name": "n", "input": {}, "index": 0 }]),
        json!([{ "type": "input_json_delta", "input": "{", "index": 0 }]),
        json!([{ "type": "x_tool_result", "tool_use_id": "t", "content": "f" }]),
    ]);
    let calls = prop::sample::select(vec![
        Value::Null,
        json!([{ "id": "t", "name": "n", "args": "{", "index": 0 }, { "index": 0, "args": "}" }]),
        json!([{ "id": "u", "name": "n", "args": { "a": 1 } }]),
        json!([{ "name": "n" }, 5]),
        json!({ "id": "t" }),
    ]);
    let which = prop::sample::select(vec!["tool_call_chunks", "tool_calls", "toolExecutions"]);
    let usage = prop::sample::select(vec![
        Value::Null,
        Value::Null,
        json!({ "input_tokens": 1, "output_tokens": "2" }),
    ]);
    (name, run_id, content, calls, which, usage, any::<bool>()).prop_map(
        |(name, run_id, content, calls, which, usage, is_wrapped)| {
            let mut message = json!({ "content": content, "usage_metadata": usage });
            message[which] = calls;
            let mut output = message.clone();
            output["tool_call_id"] = json!("t");
            let form = if is_wrapped { serialized } else { plain };
            json!({ "event": name, "run_id": run_id,
                "data": { "chunk": form(message), "output": form(output), "error": content } })
        },
    )
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
    fn disorder_stays_lawful(events in prop::collection::vec(disorder(), 0..30)) {
        assert_lawful(&read(&events));
    }

    /// The two levels of reading must not differ in what they hear.
    #[test]
    fn a_field_more_changes_nothing(events in prop::collection::vec(disorder(), 0..30)) {
        let mut forced = events.clone();
        let streamed = |event: &&mut Value| event["event"] == "on_chat_model_stream";
        for event in forced.iter_mut().filter(streamed) {
            event["data"]["chunk"]["chunk_position"] = json!("to the other level");
        }
        let words = |events: &[Value]| {
            let mut events = read(events);
            events.retain(|event| !matches!(event, StreamEvent::Raw { .. }));
            events
        };
        prop_assert_eq!(words(&events), words(&forced));
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        assert_lawful(&read_bytes([bytes.as_slice(), b"\n"]));
    }

    #[test]
    fn damaged_streams_never_panic(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = everything();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        assert_lawful(&read_bytes([bytes.as_slice()]));
    }
}
