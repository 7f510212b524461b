//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let call = json!({ "type": "tool_use", "id": "t1", "name": "look", "input": {} });
    let result = json!({ "type": "web_search_tool_result", "tool_use_id": "s1", "content": [] });
    let mut bytes = sse(&[
        message_start(),
        json!({ "type": "ping" }),
        start(
            0,
            json!({ "type": "thinking", "thinking": "", "signature": "" }),
        ),
        delta(
            0,
            json!({ "type": "thinking_delta", "thinking": "grün 猫 🦀" }),
        ),
        delta(0, json!({ "type": "signature_delta", "signature": "sig" })),
        stop(0),
        start(1, json!({ "type": "text", "text": "" })),
        text_delta(1, "ein Wörtchen\n\n"),
        text_delta(1, "猫が好き 🦀🦀"),
        stop(1),
        start(2, call),
        delta(
            2,
            json!({ "type": "input_json_delta", "partial_json": "{\"ß\":" }),
        ),
        delta(
            2,
            json!({ "type": "input_json_delta", "partial_json": "\"猫\"}" }),
        ),
        stop(2),
        start(3, result),
        json!({ "type": "news", "value": "🗞" }),
        message_delta("tool_use", json!({ "input_tokens": 3, "output_tokens": 9 })),
        message_stop(),
    ]);
    bytes.extend_from_slice("data: kein JSON ß".as_bytes());
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open.
fn assert_balanced(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeSet::new();
    for event in events {
        match event {
            StreamEvent::TextStart { id }
            | StreamEvent::ThinkingStart { id }
            | StreamEvent::ToolUseStart { id, .. } => {
                assert!(seen.insert(*id) && open.insert(*id), "{event:?}");
            }
            StreamEvent::TextDelta { id, .. }
            | StreamEvent::ThinkingDelta { id, .. }
            | StreamEvent::ToolUseDelta { id, .. }
            | StreamEvent::Citation { id, .. } => assert!(open.contains(id), "{event:?}"),
            StreamEvent::TextEnd { id, .. }
            | StreamEvent::ThinkingEnd { id, .. }
            | StreamEvent::ToolUseEnd { id, .. } => assert!(open.remove(id), "{event:?}"),
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. }
            | StreamEvent::Raw { .. } => {}
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

#[test]
fn fixed_splits_give_the_same_events() {
    let bytes = everything();
    let whole = read_bytes([bytes.as_slice()]);
    assert_balanced(&whole);
    for split in [1, 2, 3, 7, 64] {
        assert_eq!(read_bytes(bytes.chunks(split)), whole, "split by {split}");
    }
}

#[test]
fn wherever_the_stream_is_cut_blocks_are_closed_and_it_is_said() {
    let bytes = everything();
    for end in 0..bytes.len() {
        let events = read_bytes([&bytes[..end]]);
        assert_balanced(&events);
        let summary = summarize(&events);
        assert_eq!(summary.complete, summary.errors.is_empty(), "cut at {end}");
        assert!(summary.errors.len() <= 1);
    }
}

/// Events of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let index = 0..3_u64;
    let block = prop_oneof![
        Just(json!({ "type": "text", "text": "a" })),
        Just(json!({ "type": "thinking", "thinking": 7 })),
        Just(json!({ "type": "tool_use", "id": "t", "name": "n", "input": null })),
        Just(json!({ "type": "x_tool_result" })),
        Just(json!([])),
    ];
    let piece = prop_oneof![
        Just(json!({ "type": "text_delta", "text": "b" })),
        Just(json!({ "type": "text_delta", "text": null })),
        Just(json!({ "type": "thinking_delta", "thinking": "c" })),
        Just(json!({ "type": "signature_delta", "signature": "d" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{" })),
        Just(json!({ "type": "citations_delta", "citation": {} })),
        Just(json!("e")),
    ];
    prop_oneof![
        Just(message_start()),
        Just(json!({ "type": "message_start" })),
        (index.clone(), block).prop_map(|(index, block)| start(index, block)),
        (index.clone(), piece).prop_map(|(index, piece)| delta(index, piece)),
        index.prop_map(stop),
        Just(message_delta(
            "end_turn",
            json!({ "output_tokens": "many" })
        )),
        Just(json!({ "type": "message_delta" })),
        Just(json!({ "type": "error", "error": "no object" })),
        Just(json!(3)),
    ]
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
    fn disorder_stays_balanced(events in prop::collection::vec(disorder(), 0..30)) {
        assert_balanced(&read(&events));
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let framed = [b"data: ".as_slice(), &bytes, b"\n\n"].concat();
        assert_balanced(&read_bytes([bytes.as_slice(), &framed]));
    }

    #[test]
    fn damaged_streams_never_panic(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = everything();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        assert_balanced(&read_bytes([bytes.as_slice()]));
    }
}
