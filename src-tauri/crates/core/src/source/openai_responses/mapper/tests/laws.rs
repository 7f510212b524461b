//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let thought = |more: &str| json!({ "type": "reasoning", "id": "i0", "summary": [], "encrypted_content": more });
    let code = |code: &str| json!({ "type": "code_interpreter_call", "id": "i3", "code": code, "outputs": [] });
    let delta = |words: &str| json!({ "delta": words });
    let annotation =
        json!({ "annotation": { "type": "url_citation", "url": "https://猫.example" } });
    let usage = json!({ "usage": { "input_tokens": 3, "output_tokens": 9 } });
    let mut bytes = sse(&[
        created(),
        added(0, thought("")),
        at(0, "reasoning_summary_text.delta", delta("grün 猫 🦀")),
        done(0, thought("seal")),
        added(1, message(1, json!([]))),
        text_delta(1, "ein Wörtchen\n\n"),
        text_delta(1, "猫が好き 🦀🦀"),
        at(1, "output_text.annotation.added", annotation),
        done(
            1,
            message(1, json!([said("ein Wörtchen\n\n猫が好き 🦀🦀")])),
        ),
        added(2, function_call(2, "")),
        at(2, "function_call_arguments.delta", delta("{\"ß\":")),
        at(2, "function_call_arguments.delta", delta("\"猫\"}")),
        done(2, function_call(2, "{\"ß\":\"猫\"}")),
        added(3, code("")),
        at(
            3,
            "code_interpreter_call_code.delta",
            delta("print('🦀\t')"),
        ),
        done(3, code("print('🦀\t')")),
        json!({ "type": "news", "value": "🗞" }),
        ended("completed", usage),
    ]);
    bytes.extend_from_slice("data: kein JSON ß".as_bytes());
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; one `Done`.
fn assert_balanced(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeSet::new();
    let mut ends = 0;
    for event in events {
        let event = serde_json::to_value(event).unwrap();
        let kind = event["type"].as_str().unwrap();
        let id = event["id"].as_u64();
        if kind == "done" {
            ends += 1;
            assert!(open.is_empty(), "{event}");
        } else if let Some(id) = id {
            match kind.rsplit_once('_') {
                Some((_, "start")) => assert!(seen.insert(id) && open.insert(id), "{event}"),
                Some((_, "end")) => assert!(open.remove(&id), "{event}"),
                _ => assert!(open.contains(&id), "{event}"),
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    assert!(ends <= 1);
}

#[test]
fn every_cut_is_told_and_leaves_nothing_open() {
    let bytes = everything();
    for end in 0..bytes.len() {
        let events = read_bytes([&bytes[..end]]);
        assert_balanced(&events);
        let summary = summarize(&events);
        assert_eq!(summary.complete, summary.errors.is_empty(), "cut at {end}");
        assert!(summary.errors.len() <= 1);
    }
}

#[test]
fn every_piece_size_gives_the_same_events() {
    let bytes = everything();
    let whole = read_bytes([bytes.as_slice()]);
    assert_balanced(&whole);
    for size in [1, 2, 3, 7, 64] {
        assert_eq!(read_bytes(bytes.chunks(size)), whole, "pieces of {size}");
    }
}

/// Events of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let kinds = [
        "message",
        "reasoning",
        "function_call",
        "custom_tool_call",
        "shell_call",
        "tool_search_call",
        "image_generation_call",
        "shell_call_output",
        "tool_search_output",
        "mcp_list_tools",
        "news",
    ];
    let field = prop_oneof![
        Just(json!(null)),
        Just(json!("a\"b")),
        Just(json!(7)),
        Just(json!([])),
        Just(json!([{ "type": "output_text", "text": "w", "annotations": [{}] }])),
        Just(json!({ "text": 7 })),
        Just(json!({ "commands": ["a"], "type": "container" })),
    ];
    let item = (
        prop::sample::select(kinds.to_vec()),
        0..4_u64,
        field.clone(),
    )
        .prop_map(|(kind, id, field)| {
            let mut item = json!({ "type": kind });
            for name in [
                "content",
                "summary",
                "arguments",
                "input",
                "action",
                "output",
                "result",
            ] {
                item[name] = field.clone();
            }
            if id > 0 {
                item["id"] = json!(format!("i{id}"));
                item["call_id"] = json!(format!("c{id}"));
            }
            item
        });
    let events = [
        "output_text.delta",
        "output_text.done",
        "content_part.added",
        "content_part.done",
        "output_text.annotation.added",
        "reasoning_summary_text.delta",
        "reasoning_text.delta",
        "reasoning_text.done",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "custom_tool_call_input.delta",
        "shell_call_command.delta",
        "shell_call_command.done",
        "image_generation_call.partial_image",
    ];
    let event = (
        prop::sample::select(events.to_vec()),
        0..4_u64,
        field.clone(),
    )
        .prop_map(|(kind, index, field)| {
            let index_too = if index == 3 { u64::MAX } else { index };
            let more = json!({
                "delta": field, "text": field, "part": field, "annotation": field,
                "arguments": field, "command": field, "partial_image_b64": field,
                "content_index": index_too, "summary_index": index, "command_index": index,
            });
            at(index, kind, more)
        });
    let end = (prop::collection::vec(item.clone(), 0..4), field).prop_map(|(output, field)| {
        ended(
            "completed",
            json!({ "output": output, "usage": field, "status": field }),
        )
    });
    prop_oneof![
        1 => Just(created()),
        4 => (0..4_u64, item.clone()).prop_map(|(index, item)| added(index, item)),
        4 => (0..4_u64, item).prop_map(|(index, item)| done(index, item)),
        8 => event,
        1 => end,
        1 => Just(json!({ "type": "error", "error": 7 })),
        1 => Just(json!([3])),
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
