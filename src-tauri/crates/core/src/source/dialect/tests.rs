use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, StreamEvent, code};

use super::testing::{assert_same_in_full, kinds};
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
            detail: None,
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
            detail: None,
            id: 1,
            signature: None,
            redacted: None,
        },
        StreamEvent::ThinkingEnd {
            detail: None,
            id: 2,
            signature: Some("three".to_owned()),
            redacted: None,
        },
    ];
    assert_eq!(events, expected);
}

/// The keys count how often they are compared.
#[test]
fn many_open_blocks_cost_no_more_than_few() {
    use std::cell::Cell;
    use std::hash::{Hash, Hasher};

    thread_local! {
        static COMPARED: Cell<u64> = const { Cell::new(0) };
    }
    #[derive(Clone, Eq)]
    struct Key(u64);
    impl PartialEq for Key {
        fn eq(&self, other: &Self) -> bool {
            COMPARED.set(COMPARED.get() + 1);
            self.0 == other.0
        }
    }
    impl Hash for Key {
        fn hash<H: Hasher>(&self, state: &mut H) {
            self.0.hash(state);
        }
    }

    const CALLS: u64 = 2_000;
    let mut blocks = OpenBlocks::default();
    let mut events = Vec::new();
    for number in 0..CALLS {
        blocks.start_tool_use(Key(number), call(json!({})), &mut events);
    }
    for number in 0..CALLS {
        let found = blocks.add_input(&Key(number), "{}".into(), &mut events);
        assert_eq!(found, Found::There);
    }
    let before = events.len();
    blocks.close_all(&mut events);
    let ended_in_order = (0..).map(|id| ended(id, json!({})));
    assert!(
        events[before..]
            .iter()
            .cloned()
            .eq(ended_in_order.take(CALLS as usize))
    );
    // Each start and each piece compares with the latest, and where hashes collide.
    let compared = COMPARED.get();
    assert!(compared < CALLS * 16, "{compared} comparisons");
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

/// Frames of one shape, with something beside their words that only the full reading judges.
#[test]
fn alike_frames_are_read_as_if_in_full() {
    let gemini = |usage: &str, words: &str| {
        format!(
            r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{words}"}}],"role":"model"}}}}],"usageMetadata":{{{usage}}},"modelVersion":"g","responseId":"r"}}"#
        )
    };
    let chat = |words: &str, filler: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"content":"{words}"}}}}],"obfuscation":"{filler}"}}"#
        )
    };
    let responses = |words: &str, filler: &str| {
        format!(
            r#"{{"type":"response.output_text.delta","item_id":"i","output_index":0,"content_index":0,"delta":"{words}","obfuscation":"{filler}"}}"#
        )
    };
    let mut cases: Vec<(&str, Vec<String>)> = Vec::new();
    for usage in [
        r#""x":{"promptTokenCount":1},"promptTokenCount":10"#,
        r#""x":{"promptTokenCount":1}"#,
        r#""a\"promptTokenCount":1"#,
        r#""promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3"#,
        r#""promptTokenCount":1,"totalTokenCount":"x""#,
    ] {
        let frames = ["one", "two", "three"].map(|words| gemini(usage, words));
        cases.push(("gemini", frames.to_vec()));
    }
    let escaped = r#""prompt\u0054okenCount":1,"x":{"promptTokenCount":1}"#;
    let grown = r#""prompt\u0054okenCount":1,"x":{"promptTokenCount":7}"#;
    let usages = [escaped, escaped, grown];
    cases.push(("gemini", usages.map(|usage| gemini(usage, "a")).to_vec()));
    for filler in [r"\q", r"\u12", r"x\ud83d", "", "plain"] {
        let pairs = [("a", "x"), ("b", "yy"), ("c", filler), (r"\ude00d", "x")];
        cases.push(("openai-chat", pairs.map(|(a, b)| chat(a, b)).to_vec()));
        let frames = pairs.map(|(a, b)| responses(a, b));
        cases.push(("openai-responses", frames.to_vec()));
    }
    for (dialect, frames) in cases {
        let dialect = crate::source::dialect(dialect).unwrap();
        let framed = frames.iter().map(|data| format!("data: {data}\n\n"));
        assert_same_in_full(dialect, framed.collect::<String>().as_bytes());
    }
}
