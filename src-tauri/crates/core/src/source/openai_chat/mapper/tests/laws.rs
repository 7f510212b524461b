//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let call = |call: Value| delta(json!({ "tool_calls": [call] }));
    let sealed = json!([{ "type": "reasoning.encrypted", "data": "seal", "index": 0 }]);
    let mut listed = content("猫が好き 🦀🦀");
    listed["citations"] = json!(["https://ü"]);
    let mut usage = chunk(json!([]));
    usage["usage"] = json!({ "prompt_tokens": 3, "completion_tokens": 9, "total_tokens": 12 });
    let mut bytes = b": wait\n\n".to_vec();
    bytes.extend(sse(&[
        first(),
        content("\n<thi"),
        content("nk>grün 猫 🦀 </th"),
        content("ink>\n\n"),
        delta(json!({ "reasoning_content": "später 🦀" })),
        delta(json!({ "content": "", "reasoning_details": sealed })),
        content("ein Wörtchen\n\n"),
        listed,
        call(json!({ "index": 0, "id": "t1", "function": { "name": "look", "arguments": "" } })),
        call(json!({ "index": 0, "function": { "arguments": "{\"ß\":" } })),
        call(json!({ "index": 0, "function": { "arguments": "\"猫\"}" } })),
        delta(json!({ "news": "🗞" })),
        chunk(json!([{ "index": 1, "delta": { "content": "zweite" } }])),
        finish("tool_calls"),
        usage,
    ]));
    bytes.extend_from_slice(b"data: [DONE]\n\n");
    bytes.extend_from_slice("data: kein JSON ß".as_bytes());
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; `Done` comes
/// once, and nothing but `Raw` after it.
fn assert_lawful(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut done = false;
    for event in events {
        assert!(
            !done || matches!(event, StreamEvent::Raw { .. }),
            "{event:?}"
        );
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
            | StreamEvent::ToolResult { .. }
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

/// Chunks of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let odd = prop_oneof![
        Just(Value::Null),
        Just(json!("")),
        Just(json!("<think>")),
        Just(json!("</think> b")),
        Just(json!(7)),
        Just(json!([])),
        Just(json!({})),
        Just(json!([null, "a", { "type": "text", "text": 3 }])),
        Just(json!([{ "type": "thinking", "thinking": ["a"] }])),
        Just(json!([{ "index": 0, "id": "t", "function": { "name": "n", "arguments": "{" } }])),
        Just(json!([{ "index": 0, "function": { "arguments": "}" } }, { "id": "t" }])),
        Just(json!([{ "function": { "name": "n", "arguments": [1] } }])),
        Just(json!([{ "type": "reasoning.encrypted", "data": "d", "signature": "s" }])),
        Just(json!([{ "type": "url_citation", "url_citation": { "url": "u" } }])),
    ];
    let field = prop::sample::select(vec![
        "content",
        "reasoning",
        "reasoning_content",
        "reasoning_details",
        "tool_calls",
        "function_call",
        "refusal",
        "annotations",
        "images",
        "audio",
        "role",
        "later",
    ]);
    let words =
        prop::collection::btree_map(field, odd.clone(), 0..4).prop_map(|fields| json!(fields));
    let beside = prop::sample::select(vec!["usage", "error", "citations", "search_results", "id"]);
    let finish = prop_oneof![
        Just(Value::Null),
        Just(json!("stop")),
        Just(json!("odd")),
        Just(json!(4))
    ];
    (words, beside, odd, finish, 0..5_u8).prop_map(|(words, beside, odd, finish, kind)| {
        let mut chunk = match kind {
            0 => chunk(json!([])),
            1 => json!({ beside: odd }),
            2 => chunk(json!([{ "index": 0, "message": words, "finish_reason": finish }])),
            _ => chunk(json!([{ "index": 0, "delta": words, "finish_reason": finish }])),
        };
        if kind == 3 {
            chunk[beside] = odd;
        }
        chunk
    })
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
    fn disorder_stays_lawful(chunks in prop::collection::vec(disorder(), 0..30)) {
        assert_lawful(&read(&chunks));
        assert_lawful(&read_bytes([sse(&chunks).as_slice()]));
    }

    /// The two levels of reading must not differ in what they hear.
    #[test]
    fn a_field_more_changes_nothing(chunks in prop::collection::vec(disorder(), 0..30)) {
        let mut forced = chunks.clone();
        for chunk in &mut forced {
            if let Some(choice) = chunk["choices"].get_mut(0) {
                choice["usage"] = json!(["to the other level"]);
            }
        }
        let words = |chunks: &[Value]| {
            let mut events = read(chunks);
            events.retain(|event| !matches!(event, StreamEvent::Raw { .. }));
            events
        };
        prop_assert_eq!(words(&chunks), words(&forced));
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let framed = [b"data: ".as_slice(), &bytes, b"\n\n"].concat();
        assert_lawful(&read_bytes([bytes.as_slice(), &framed]));
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
