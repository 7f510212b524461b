//! What holds for every stream.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let function = json!({ "name": "look", "arguments": { "ß": "猫" } });
    let mut last = done("stop");
    last["prompt_eval_count"] = json!(3);
    last["eval_count"] = json!(9);
    let mut bytes = lines(&[
        thinking("grün 猫 🦀"),
        text("ein Wörtchen\n"),
        text("猫が好き 🦀🦀"),
        call(json!({ "function": function })),
        chat(json!({ "role": "assistant", "images": ["iVBORw0KGgo="] })),
        json!({ "news": "🗞" }),
        text("fertig"),
        last,
    ]);
    bytes.extend_from_slice("kein JSON ß".as_bytes());
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
    }
}

/// Lines of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(text("a")),
        Just(thinking("b")),
        Just(chat(json!({ "content": [], "thinking": 7 }))),
        Just(chat(json!("c"))),
        Just(call(
            json!({ "id": 3, "function": { "name": "n", "arguments": 4 } })
        )),
        Just(call(json!(null))),
        Just(chat(json!({ "images": ["", 5, "x"] }))),
        Just(json!({ "model": 1, "response": "d" })),
        Just(json!({ "done": "yes", "response": {} })),
        Just(json!({ "done": true, "eval_count": "many" })),
        Just(json!({ "error": [] })),
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
    fn disorder_stays_balanced(said in prop::collection::vec(disorder(), 0..30)) {
        let events = read(&said);
        assert_balanced(&events);
        let dones = events.iter().filter(|event| matches!(event, StreamEvent::Done { .. }));
        assert!(dones.count() <= 1);
    }

    #[test]
    fn garbage_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        assert_balanced(&read_bytes([bytes.as_slice()]));
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
