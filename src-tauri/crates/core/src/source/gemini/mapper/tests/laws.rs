//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let piece = json!({ "jsonPath": "$.ß", "stringValue": "猫", "willContinue": true });
    let code = json!({ "language": "PYTHON", "code": "print('🐍')" });
    let mut last = finish("STOP");
    last["usageMetadata"] = json!({ "promptTokenCount": 3, "candidatesTokenCount": 9 });
    last["candidates"][0]["groundingMetadata"] =
        json!({ "groundingChunks": [{ "web": { "uri": "ö" } }] });
    let mut bytes = sse(&[
        thought("grün 猫 🦀"),
        part(json!({ "text": "", "thought": true, "thoughtSignature": "sig" })),
        text("ein Wörtchen\n\n"),
        signed("猫が好き 🦀🦀", "sig"),
        part(json!({ "executableCode": code })),
        part(json!({ "codeExecutionResult": { "outcome": "OUTCOME_OK", "output": "🐍" } })),
        part(json!({ "inlineData": { "mimeType": "image/png", "data": "aGk=" } })),
        call(json!({ "name": "look", "args": { "ß": "猫" } })),
        call(json!({ "name": "look", "willContinue": true })),
        call(json!({ "partialArgs": [piece], "willContinue": true })),
        call(json!({})),
        json!({ "news": "🗞" }),
        text("fertig"),
        last,
    ]);
    bytes.extend_from_slice("data: kein JSON ß".as_bytes());
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open.
fn assert_balanced(events: &[StreamEvent]) {
    let (mut seen, mut open) = (BTreeSet::new(), BTreeSet::new());
    for event in events {
        let event = serde_json::to_value(event).unwrap();
        let (kind, id) = (event["type"].as_str().unwrap(), event["id"].as_u64());
        match (kind.rsplit('_').next(), id) {
            (Some("start"), Some(id)) => assert!(seen.insert(id) && open.insert(id), "{event}"),
            (Some("end"), Some(id)) => assert!(open.remove(&id), "{event}"),
            (_, Some(id)) => assert!(open.contains(&id), "{event}"),
            (_, None) => {}
        }
        assert!(
            kind != "done" || open.is_empty(),
            "open when done: {open:?}"
        );
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

/// Chunks of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let piece = json!({ "jsonPath": "$.a[1].b", "numberValue": 1 });
    let odd = json!({ "jsonPath": 7, "stringValue": [] });
    let said = prop_oneof![
        Just(text("a")),
        Just(thought("b")),
        Just(signed("", "s")),
        Just(part(
            json!({ "text": "c", "thought": "yes", "thoughtSignature": 3 })
        )),
        Just(part(json!({ "functionCall": 7 }))),
        Just(call(json!({ "name": "n", "args": null, "id": 5 }))),
        Just(call(json!({ "name": "n", "willContinue": true }))),
        Just(call(
            json!({ "partialArgs": [piece, odd], "willContinue": true })
        )),
        Just(call(json!({ "partialArgs": {} }))),
    ];
    let rest = prop_oneof![
        Just(part(json!({ "executableCode": {} }))),
        Just(part(
            json!({ "toolResponse": { "id": 4 }, "thoughtSignature": [] })
        )),
        Just(part(
            json!({ "inlineData": { "data": "x" }, "thoughtSignature": "s" })
        )),
        Just(part(json!({ "fileData": null }))),
        Just(json!({ "candidates": { "content": 3 } })),
        Just(chunk(json!({ "groundingMetadata": {
            "groundingChunks": [3, {}], "groundingSupports": [{ "groundingChunkIndices": [0] }],
        }}))),
        Just(finish("STOP")),
        Just(finish("OTHER")),
        Just(json!({ "promptFeedback": { "blockReason": 3 }, "usageMetadata": [] })),
        Just(json!({ "error": 3 })),
        Just(json!({ "response": { "response": {} } })),
        Just(json!([[3], {}])),
        Just(json!(3)),
    ];
    prop_oneof![said, rest]
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
    fn disorder_stays_balanced(chunks in prop::collection::vec(disorder(), 0..30)) {
        let events = read(&chunks);
        assert_balanced(&events);
        let dones = events.iter().filter(|event| matches!(event, StreamEvent::Done { .. }));
        assert!(dones.count() <= 1);
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
