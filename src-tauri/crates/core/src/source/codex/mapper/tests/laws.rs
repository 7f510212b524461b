//! What holds for every run.

use std::collections::BTreeSet;

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<u8> {
    let search = |query: &str| json!({ "id": "item_4", "type": "web_search", "query": query });
    let mut bytes = lines(&[
        json!({ "type": "thread.started", "thread_id": "t" }),
        json!({ "type": "turn.started" }),
        thought("item_0", "grün 猫 🦀"),
        message("item_2", "Wörtchen"),
        command("started", "", json!(null)),
        command("completed", "猫が好き 🦀🦀\n", json!(0)),
        item("started", search("")),
        item("completed", search("🦀?")),
        json!({ "id": "0", "msg": { "type": "agent_message_delta", "delta": "ß" } }),
        json!({ "type": "news", "value": "🗞" }),
        message("item_5", "猫 🦀"),
    ]);
    bytes.extend_from_slice("kein JSON ß\n".as_bytes());
    bytes.extend(lines(&[turn_completed()]));
    bytes
}

/// Starts, deltas and ends pair up; no id is used twice; nothing stays open; `Done` is last.
fn assert_balanced(events: &[StreamEvent]) {
    let mut seen = BTreeSet::new();
    let mut open = BTreeSet::new();
    for (place, event) in events.iter().enumerate() {
        let event = serde_json::to_value(event).unwrap();
        let kind = event["type"].as_str().unwrap();
        if kind == "done" {
            assert_eq!(place + 1, events.len());
        } else if let Some(id) = event["id"].as_u64() {
            match kind.rsplit_once('_') {
                Some((_, "start")) => assert!(seen.insert(id) && open.insert(id), "{event}"),
                Some((_, "end")) => assert!(open.remove(&id), "{event}"),
                _ => assert!(open.contains(&id), "{event}"),
            }
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

#[test]
fn every_cut_is_told_and_leaves_nothing_open() {
    let bytes = everything();
    for end in 0..bytes.len() {
        let events = read_bytes([&bytes[..end]]);
        assert_balanced(&events);
        let summary = summarize(&events);
        assert_eq!(summary.complete, summary.errors.is_empty(), "cut at {end}");
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

/// Lines of the right kinds in no sensible order, with parts missing or of another type.
fn disorder() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        Just(json!(null)),
        Just(json!("猫a")),
        Just(json!("猫")),
        Just(json!(-7)),
        Just(json!([{ "text": 7 }, "t", null])),
        Just(json!({ "t": { "status": "completed" } })),
    ];
    let kinds = [
        "agent_message",
        "reasoning",
        "command_execution",
        "file_change",
        "mcp_tool_call",
        "web_search",
        "collab_tool_call",
        "todo_list",
        "error",
        "news",
    ];
    let stages = ["started", "updated", "completed"];
    let fields = [
        "text",
        "command",
        "items",
        "receiver_thread_ids",
        "agents_states",
        "result",
        "error",
        "exit_code",
        "message",
    ];
    let items = (
        prop::sample::select(kinds.to_vec()),
        prop::sample::select(stages.to_vec()),
        0..3_u64,
        field.clone(),
    )
        .prop_map(move |(kind, stage, id, field)| {
            let mut content = json!({ "type": kind, "tool": "spawn_agent" });
            for name in fields {
                content[name] = field.clone();
            }
            if id > 0 {
                content["id"] = json!(format!("item_{id}"));
            }
            item(stage, content)
        });
    let old = [
        "agent_message",
        "agent_message_delta",
        "agent_reasoning",
        "agent_reasoning_delta",
        "agent_reasoning_section_break",
        "exec_command_begin",
        "exec_command_end",
        "web_search_begin",
        "mcp_tool_call_end",
        "token_count",
        "plan_update",
        "task_started",
        "task_complete",
        "error",
    ];
    let messages = (prop::sample::select(old.to_vec()), field.clone()).prop_map(|(kind, field)| {
        json!({ "id": "0", "msg": {
                "type": kind, "delta": field, "message": field, "text": field, "plan": field,
                "info": field, "result": field, "last_agent_message": field,
            } })
    });
    prop_oneof![
        8 => items,
        4 => messages,
        1 => field.clone().prop_map(|usage| json!({ "type": "turn.completed", "usage": usage })),
        1 => field.prop_map(|error| json!({ "type": "turn.failed", "error": error })),
        1 => Just(json!({ "type": "thread.started" })),
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
        assert_balanced(&read_bytes([bytes.as_slice()]));
    }

    #[test]
    fn damaged_runs_never_panic(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = everything();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        assert_balanced(&read_bytes([bytes.as_slice()]));
    }
}
