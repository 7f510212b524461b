//! Reading events the way a script would: as JSON, by the names design.md gives.

use std::collections::BTreeMap;

use serde_json::Value;

/// Every complete line; a last line cut by a kill was never said.
pub fn parse(lines: &str) -> Vec<Value> {
    lines
        .split_inclusive('\n')
        .filter(|line| line.ends_with('\n'))
        .map(|line| {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in line {line}"))
        })
        .collect()
}

pub fn kind(event: &Value) -> &str {
    event["type"].as_str().unwrap_or_default()
}

pub fn kinds(events: &[Value]) -> Vec<&str> {
    events.iter().map(kind).collect()
}

pub fn is_chunk(event: &Value) -> bool {
    kind(event).ends_with("_chunk")
}

pub fn stored(events: &[Value]) -> Vec<Value> {
    let stored = events.iter().filter(|event| !is_chunk(event));
    stored.cloned().collect()
}

pub fn of_kind<'a>(events: &'a [Value], name: &str) -> Vec<&'a Value> {
    events.iter().filter(|event| kind(event) == name).collect()
}

/// Every kind once, in the order of first appearance.
pub fn order(events: &[Value]) -> Vec<&str> {
    let mut order = Vec::new();
    for kind in kinds(events) {
        if !order.contains(&kind) {
            order.push(kind);
        }
    }
    order
}

pub fn content(event: &Value) -> &str {
    event["content"].as_str().unwrap_or_default()
}

/// What each block came to by its chunks: (turn, block) to (kind of the block, text).
pub fn shown_blocks(events: &[Value]) -> BTreeMap<(String, u64), (String, String)> {
    let mut blocks = BTreeMap::new();
    for event in events.iter().filter(|event| is_chunk(event)) {
        let block = blocks.entry(block_key(event)).or_insert_with(|| {
            let name = kind(event).trim_end_matches("_chunk").to_owned();
            (name, String::new())
        });
        block.1.push_str(content(event));
    }
    blocks
}

pub fn block_key(event: &Value) -> (String, u64) {
    (
        event["turnId"].as_str().unwrap_or_default().to_owned(),
        event["blockIndex"].as_u64().unwrap_or(u64::MAX),
    )
}

/// The session all these events belong to.
pub fn session(events: &[Value]) -> String {
    let id = events.first().and_then(|event| event["sessionId"].as_str());
    let id = id.expect("an event names its session").to_owned();
    for event in events {
        assert_eq!(event["sessionId"], id.as_str(), "one session: {event}");
    }
    id
}

/// Panics unless stored events are numbered 1..n in order.
pub fn check_sequence(stored: &[Value]) {
    for (event, expected) in stored.iter().zip(1_u64..) {
        assert_eq!(event["sequenceNumber"], expected, "in order: {event}");
    }
}

/// Panics when an event comes twice, or when one that was told is left out between two others.
pub fn check_told(told: &[Value]) {
    let mut ids: Vec<&str> = told
        .iter()
        .filter_map(|event| event["id"].as_str())
        .collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!((ids.len(), all), (told.len(), told.len()), "each id once");
    for (event, index) in told.iter().zip(0_u64..) {
        assert_eq!(event["eventIndex"], index, "without a gap: {event}");
    }
}

/// Panics unless all that was told is kept: stored events as they were, and of each block at
/// least the text that had been shown.
pub fn check_kept(told: &[Value], kept: &[Value]) {
    check_sequence(kept);
    let stored = stored(told);
    assert_eq!(kept[..stored.len()], stored, "what was stored stays");
    for (key, (name, text)) in shown_blocks(told) {
        let block = of_kind(kept, &name);
        let block = block.iter().find(|event| block_key(event) == key);
        let block = block.unwrap_or_else(|| panic!("lost: {name} {key:?}"));
        // A tool's finished input is JSON, of which a cut one is kept as the text it was.
        if name != "tool_use" || block["input"].is_string() {
            let whole = block["input"].as_str().unwrap_or(content(block));
            assert!(
                whole.starts_with(&text),
                "lost: {text:?} is no start of {whole:?}"
            );
        }
    }
}
