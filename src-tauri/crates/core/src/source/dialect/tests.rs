use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, StreamEvent, code};

use super::testing::kinds;
use super::{Found, OpenBlocks, Reader, ToolUse};
use crate::source::{DIALECTS, dialect};
use crate::wire::MAX_FRAME;

const OPEN: &str = "event: message_start\n\
data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"model\":\"x\",\"content\":[]}}\n\n\
event: content_block_delta\n\
data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"half\"}}\n\n";

#[test]
fn dialects_are_found_by_their_own_name_only() {
    for row in DIALECTS {
        assert_eq!(dialect(row.name).unwrap().name, row.name);
        assert_eq!(
            DIALECTS
                .iter()
                .filter(|other| other.name == row.name)
                .count(),
            1
        );
    }
    assert!(dialect("Anthropic").is_none());
}

#[test]
fn every_dialect_calls_an_empty_stream_cut() {
    for dialect in DIALECTS {
        let mut events = Vec::new();
        Reader::new(dialect).finish(&mut events);
        assert_eq!(kinds(&events), [code::STREAM_CUT], "{}", dialect.name);
    }
}

#[test]
fn a_cut_stream_closes_its_blocks_then_says_so_once() {
    let mut reader = Reader::new(dialect("anthropic").unwrap());
    let mut events = Vec::new();
    reader.push(OPEN.as_bytes(), &mut events);
    reader.finish(&mut events);
    reader.finish(&mut events);
    reader.push(OPEN.as_bytes(), &mut events);
    let expected = [
        "start",
        "text_start",
        "text_delta",
        "text_end",
        code::STREAM_CUT,
    ];
    assert_eq!(kinds(&events), expected);
}

#[test]
fn after_a_frame_that_is_too_large_the_reader_is_deaf() {
    let mut reader = Reader::new(dialect("anthropic").unwrap());
    let mut events = Vec::new();
    reader.push(OPEN.as_bytes(), &mut events);
    reader.push(b"data: ", &mut events);
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..=MAX_FRAME / piece.len() {
        reader.push(&piece, &mut events);
    }
    reader.push(b"\n\n", &mut events);
    reader.push(OPEN.as_bytes(), &mut events);
    reader.finish(&mut events);
    let expected = [
        "start",
        "text_start",
        "text_delta",
        "text_end",
        code::FRAME_TOO_LARGE,
    ];
    assert_eq!(kinds(&events), expected);
}

fn call(input: Value) -> ToolUse {
    ToolUse {
        tool_call_id: "t".to_owned(),
        name: "look".to_owned(),
        executed_by: ExecutedBy::Weir,
        input,
        detail: None,
    }
}

fn ended(id: u32, input: Value) -> StreamEvent {
    StreamEvent::ToolUseEnd {
        id,
        input,
        signature: None,
    }
}

#[test]
fn inputs_are_parsed_kept_or_empty() {
    let table = [
        (json!({}), vec!["{\"a\"", ":1}"], json!({ "a": 1 })),
        (json!({}), vec![], json!({})),
        (Value::Null, vec!["", " "], json!({})),
        (json!({ "whole": true }), vec![], json!({ "whole": true })),
        (json!({ "whole": true }), vec!["{}"], json!({})),
        (json!({}), vec!["{\"a\": 1"], json!("{\"a\": 1")),
        (json!({}), vec!["null"], json!({})),
    ];
    for (whole, pieces, expected) in table {
        let mut blocks = OpenBlocks::default();
        let mut events = Vec::new();
        let id = blocks.start_tool_use(0, call(whole), &mut events);
        for piece in pieces {
            assert_eq!(
                blocks.add_input(&0, piece.into(), &mut events),
                Found::There
            );
        }
        blocks.close_all(&mut events);
        let input = expected;
        assert_eq!(events.last(), Some(&ended(id, input)));
    }
}

#[test]
fn a_delta_opens_the_block_nobody_announced() {
    let mut blocks = OpenBlocks::default();
    let mut events = Vec::new();
    blocks.add_text("a", "one".into(), &mut events);
    blocks.add_thinking("a", "two".into(), &mut events);
    blocks.sign_thinking("b", "three", &mut events);
    assert_eq!(
        blocks.add_input(&"c", "{}".into(), &mut events),
        Found::Missing
    );
    blocks.close_all(&mut events);
    blocks.close_all(&mut events);
    let text = "one".to_owned();
    let thought = "two".to_owned();
    let expected = [
        StreamEvent::TextStart { id: 0 },
        StreamEvent::TextDelta { id: 0, text },
        StreamEvent::TextEnd {
            id: 0,
            signature: None,
        },
        StreamEvent::ThinkingStart { id: 1 },
        StreamEvent::ThinkingDelta {
            id: 1,
            text: thought,
        },
        StreamEvent::ThinkingStart { id: 2 },
        StreamEvent::ThinkingEnd {
            id: 1,
            signature: None,
            redacted: None,
        },
        StreamEvent::ThinkingEnd {
            id: 2,
            signature: Some("three".to_owned()),
            redacted: None,
        },
    ];
    assert_eq!(events, expected);
}

#[test]
fn what_is_abandoned_has_no_input() {
    let mut blocks = OpenBlocks::default();
    let mut events = Vec::new();
    blocks.start_tool_use(0, call(json!({})), &mut events);
    blocks.add_input(&0, "{\"a\":1}".into(), &mut events);
    blocks.abandon_all(&mut events);
    let input = Value::Null;
    assert_eq!(events.last(), Some(&ended(0, input)));
}
