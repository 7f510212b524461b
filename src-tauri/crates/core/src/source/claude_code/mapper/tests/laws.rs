//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let input = json!({ "subagent_type": "Explore", "description": "🦀", "prompt": "ß" });
    let limit = json!({ "status": "allowed_warning", "utilization": 0.5 });
    let piece_of_input = json!({ "type": "input_json_delta", "partial_json": "{\"ß\":\"猫\"}" });
    let mut lines = bytes(&[
        json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "claude" }),
        json!({ "type": "rate_limit_event", "rate_limit_info": limit }),
        message_start("m"),
        delta(
            0,
            json!({ "type": "thinking_delta", "thinking": "grün 猫" }),
        ),
        json!({ "type": "system", "subtype": "thinking_tokens", "estimated_tokens": 3 }),
        delta(0, json!({ "type": "signature_delta", "signature": "sig" })),
        assistant(
            "m",
            json!([{ "type": "thinking", "thinking": "grün 猫", "signature": "sig" }]),
        ),
        stop(0),
        text_delta(1, "ein Wörtchen "),
        text_delta(1, "🦀🦀"),
        assistant("m", json!([text_block("ein Wörtchen 🦀🦀 mehr")])),
        stop(1),
        start(2, call("t", "Bash", json!({}))),
        delta(2, piece_of_input),
        assistant("m", json!([call("t", "Bash", json!({ "ß": "猫" }))])),
        stop(2),
        message_stop(),
        answer("t", json!("gesehen")),
        assistant("n", json!([call("h", "Agent", input)])),
        of_helper("h", assistant("o", json!([text_block("für mich")]))),
        of_helper("h", assistant("o", json!([call("u", "Read", json!({}))]))),
        of_helper("h", answer("u", json!("gelesen"))),
        answer("h", json!("zwei")),
        assistant(
            "p",
            json!([call("w", "TodoWrite", json!({ "todos": ["Ä"] }))]),
        ),
        json!({ "type": "news", "value": "🗞" }),
    ]);
    lines.extend_from_slice("event: message\r\ndata: kein JSON ß\r\n\r\n".as_bytes());
    lines.extend_from_slice(&bytes(&[result()]));
    lines
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; a call counts
/// once, unless it was given up; there is one `Done` at most, and nothing behind it.
fn assert_lawful(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeMap::new();
    let mut calls = BTreeSet::new();
    let mut is_done = false;
    for event in events {
        assert!(!is_done, "after the end: {event:?}");
        let event = serde_json::to_value(event).unwrap();
        let id = event["id"].as_u64();
        match event["type"].as_str().unwrap() {
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
    assert_eq!(summarize(&whole).text, "ein Wörtchen 🦀🦀 mehr");
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
    let block = prop_oneof![
        Just(text_block("a")),
        Just(text_block("ab")),
        Just(json!({ "type": "thinking", "thinking": "a", "signature": "s" })),
        Just(json!({ "type": "redacted_thinking", "data": 7 })),
        Just(call("t", "Bash", json!({ "a": 1 }))),
        Just(call("h", "Task", json!({ "prompt": 3 }))),
        Just(call("w", "TodoWrite", json!({ "todos": [null, "a"] }))),
        Just(call("c", "TaskCreate", json!({}))),
        Just(json!({ "type": "x_tool_result", "tool_use_id": [] })),
        Just(json!([])),
    ];
    let bit = prop_oneof![
        Just(json!({ "type": "text_delta", "text": "a" })),
        Just(json!({ "type": "text_delta", "text": null })),
        Just(json!({ "type": "thinking_delta", "thinking": "a" })),
        Just(json!({ "type": "signature_delta", "signature": "s" })),
        Just(json!({ "type": "input_json_delta", "partial_json": "{" })),
        Just(json!("e")),
    ];
    let id = prop_oneof![Just(json!("m")), Just(json!("n")), Just(json!(null))];
    let line = prop_oneof![
        Just(message_start("m")),
        Just(message_start("n")),
        (0..3_u64, block.clone()).prop_map(|(index, block)| start(index, block)),
        (0..3_u64, bit).prop_map(|(index, bit)| delta(index, bit)),
        (0..3_u64).prop_map(stop),
        Just(message_stop()),
        (id, prop::collection::vec(block, 0..3)).prop_map(|(id, blocks)| {
            let mut line = assistant("", json!(blocks));
            line["message"]["id"] = id;
            line
        }),
        Just(answer("t", json!("x"))),
        Just(answer("h", json!(null))),
        Just(answer("c", json!("#é"))),
        Just(json!({ "type": "system", "subtype": "init", "session_id": 3 })),
        Just(json!({ "type": "system", "subtype": "task_notification", "tool_use_id": "h" })),
        Just(piece(json!({ "type": "error", "error": "no object" }))),
        Just(json!({ "type": "error" })),
        Just(result()),
        Just(json!({ "status": "success", "duration": -1 })),
        Just(json!(3)),
    ];
    (line, any::<bool>()).prop_map(|(line, is_helper)| {
        if is_helper && line.is_object() {
            of_helper("h", line)
        } else {
            line
        }
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
    fn disorder_stays_lawful(lines in prop::collection::vec(disorder(), 0..30)) {
        assert_lawful(&read(&lines));
    }

    /// However a message is cut into pieces, it comes to the same as whole.
    #[test]
    fn pieces_and_whole_blocks_come_to_the_same(
        texts in prop::collection::vec("[ab🦀 ]{0,6}", 1..5),
        size in 1..4_usize,
    ) {
        let whole: Vec<Value> = texts.iter().map(|text| assistant("m", json!([text_block(text)]))).collect();
        let mut both = vec![message_start("m")];
        for (index, (text, line)) in (0..).zip(texts.iter().zip(&whole)) {
            both.push(start(index, text_block("")));
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
            both.extend(pieces.map(|piece| text_delta(index, &piece)));
            both.push(line.clone());
            both.push(stop(index));
        }
        prop_assert_eq!(summary(&both).text, texts.concat());
        prop_assert_eq!(summary(&whole).text, texts.concat());
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
