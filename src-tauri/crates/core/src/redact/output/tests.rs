//! Every surface of a stream, at every split; what is held back; what ends a reply.

use serde_json::{Value, json};
use weir_protocol::{ErrorBody, ExecutedBy, StopReason, TodoStatus, Usage};

use crate::store::TakenFrom;

use super::super::checks::tests::checks;
use super::*;

fn pass(events: Vec<StreamEvent>) -> (Vec<StreamEvent>, Guarded) {
    let mut guarded = Guarded::new(checks());
    let mut out = Vec::new();
    for event in events {
        let mut said = vec![event];
        guarded.pass(&mut said);
        out.extend(said);
    }
    guarded.finish(&mut out);
    (out, guarded)
}

fn start(id: BlockId) -> StreamEvent {
    StreamEvent::ToolUseStart {
        id,
        tool_call_id: "call".into(),
        name: "run".into(),
        executed_by: ExecutedBy::Weir,
        detail: None,
    }
}

/// A tool's input that comes in pieces.
fn grown(json: &str, splits: &[usize]) -> Vec<StreamEvent> {
    let mut events = vec![start(1)];
    let mut from = 0;
    for split in splits.iter().copied().chain([json.len()]) {
        let json = json[from..split].to_owned();
        events.push(StreamEvent::ToolUseDelta { id: 1, json });
        from = split;
    }
    events
}

/// The words of the deltas, together.
fn words(events: &[StreamEvent]) -> String {
    let word = |event: &StreamEvent| match event {
        StreamEvent::TextDelta { text, .. } | StreamEvent::ThinkingDelta { text, .. } => {
            text.clone()
        }
        StreamEvent::ToolUseDelta { json, .. } => json.clone(),
        StreamEvent::Start { .. }
        | StreamEvent::Status { .. }
        | StreamEvent::TextStart { .. }
        | StreamEvent::TextEnd { .. }
        | StreamEvent::ThinkingStart { .. }
        | StreamEvent::ThinkingEnd { .. }
        | StreamEvent::ToolUseStart { .. }
        | StreamEvent::ToolUseEnd { .. }
        | StreamEvent::ToolResult { .. }
        | StreamEvent::Citation { .. }
        | StreamEvent::File { .. }
        | StreamEvent::TodoCreate { .. }
        | StreamEvent::TodoUpdate { .. }
        | StreamEvent::TodoDone { .. }
        | StreamEvent::SubagentStart { .. }
        | StreamEvent::SubagentEnd { .. }
        | StreamEvent::Usage { .. }
        | StreamEvent::Result { .. }
        | StreamEvent::Error { .. }
        | StreamEvent::Done { .. }
        | StreamEvent::Raw { .. } => String::new(),
    };
    events.iter().map(word).collect()
}

type Surface = (
    fn(BlockId) -> StreamEvent,
    fn(BlockId, String) -> StreamEvent,
);

const TEXT: Surface = (
    |id| StreamEvent::TextStart { id },
    |id, text| StreamEvent::TextDelta { id, text },
);
const THINKING: Surface = (
    |id| StreamEvent::ThinkingStart { id },
    |id, text| StreamEvent::ThinkingDelta { id, text },
);
const TOOL: Surface = (start, |id, json| StreamEvent::ToolUseDelta { id, json });

#[test]
fn a_growing_block_says_the_same_however_it_is_cut() {
    let prose = "so hideit, and\nhideit again; warnit é";
    let guarded = "so [WORD_1], and\n[WORD_1] again; warnit é";
    let json = r#"{"a": "x hideit", "b": ["\u0068ideit\n", 12, true], "hideit": "y"}"#;
    let guarded_json = r#"{"a": "x [WORD_1]", "b": ["[WORD_1]\n", 12, true], "[WORD_1]": "y"}"#;
    let rows = [
        (TEXT, prose, guarded),
        (THINKING, prose, guarded),
        (TOOL, json, guarded_json),
    ];
    for ((start, delta), text, expected) in rows {
        let borders: Vec<usize> = (0..=text.len())
            .filter(|at| text.is_char_boundary(*at))
            .collect();
        for &first in &borders {
            for &second in borders.iter().filter(|second| **second >= first) {
                let pieces = [&text[..first], &text[first..second], &text[second..]];
                let mut events = vec![start(1)];
                events.extend(pieces.map(|piece| delta(1, piece.to_owned())));
                let (out, mut guarded) = pass(events);
                assert_eq!(words(&out), expected, "cut at {first} and {second}");
                assert_eq!(guarded.told().len(), 1, "one event a block");
                // Nothing of it was let go before it was found.
                assert!(!format!("{out:?}").contains("hide"), "{out:?}");
            }
        }
    }
}

/// Stored, shown and sent back like words, and a result still finds its call.
#[test]
fn a_key_in_a_name_is_taken_out_and_a_name_stays() {
    let key = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
    let events = |name: &str| {
        vec![
            StreamEvent::Start {
                message_id: Some(name.into()),
                model: Some(name.into()),
            },
            StreamEvent::ToolUseStart {
                id: 1,
                tool_call_id: name.into(),
                name: name.into(),
                executed_by: ExecutedBy::Weir,
                detail: None,
            },
            StreamEvent::ToolResult {
                tool_call_id: name.into(),
                name: name.into(),
                result: Value::Null,
                is_error: false,
                detail: None,
            },
            StreamEvent::Usage {
                usage: Usage {
                    service_tier: Some(name.into()),
                    ..Usage::default()
                },
                is_total: false,
            },
        ]
    };
    let (out, _) = pass(events(&key));
    let said = format!("{out:?}");
    assert!(!said.contains("ghp_"), "{said}");
    assert_eq!(said.matches("[GITHUB_TOKEN_1]").count(), 7, "{said}");
    for name in ["hideit", "toolu_01A09q90qw90lq917835lq9"] {
        assert_eq!(pass(events(name)).0, events(name));
    }
}

#[test]
fn what_comes_whole_is_checked_whole() {
    let citation = Citation {
        url: Some("https://a.b/hideit".into()),
        title: Some("hideit".into()),
        cited_text: Some("x hideit".into()),
        raw: json!({ "title": "hideit" }),
        ..Citation::default()
    };
    let todo = Todo {
        content: "do hideit".into(),
        status: TodoStatus::Pending,
    };
    let events = vec![
        StreamEvent::TextStart { id: 1 },
        StreamEvent::Citation { id: 1, citation },
        StreamEvent::TextEnd {
            detail: None,
            id: 1,
            signature: None,
        },
        StreamEvent::Status {
            message: "hideit".into(),
        },
        StreamEvent::ToolUseStart {
            id: 2,
            tool_call_id: "call".into(),
            name: "search".into(),
            executed_by: ExecutedBy::Source,
            detail: Some(json!({ "q": "hideit" })),
        },
        StreamEvent::ToolUseEnd {
            id: 2,
            input: json!({ "q": "hideit" }),
            signature: None,
        },
        StreamEvent::ToolResult {
            tool_call_id: "call".into(),
            name: "search".into(),
            result: json!(["hideit"]),
            is_error: false,
            detail: Some(json!("hideit")),
        },
        StreamEvent::File {
            url: "https://a.b/hideit".into(),
            media_type: "image/png".into(),
        },
        StreamEvent::TodoCreate {
            todos: vec![todo.clone()],
        },
        StreamEvent::TodoUpdate {
            todos: vec![todo.clone()],
        },
        StreamEvent::TodoDone { todo },
        StreamEvent::SubagentStart {
            subagent_id: None,
            name: "a".into(),
            task: "hideit".into(),
        },
        StreamEvent::SubagentEnd {
            subagent_id: None,
            name: "a".into(),
            summary: "hideit".into(),
            is_error: false,
        },
        StreamEvent::Error {
            error: ErrorBody::new("odd", "no hideit"),
        },
    ];
    let count = events.len();
    let (out, mut guarded) = pass(events);
    assert_eq!(out.len(), count);
    assert!(!format!("{out:?}").contains("hideit"), "{out:?}");
    let told = guarded.told();
    assert!(!format!("{told:?}").contains("hideit"), "{told:?}");
    let of_result = told.iter().filter(|it| {
        matches!(&it.body, EventBody::GuardrailsTriggered { tool_call_id: Some(id), .. } if id == "call")
    });
    assert_eq!(of_result.count(), 1);
}

#[test]
fn a_changed_thought_loses_its_seal_and_an_unchanged_one_keeps_it() {
    let detail = |text: &str| json!([{ "type": "reasoning.text", "text": text, "index": 0 }]);
    let sealed = json!([{ "type": "reasoning.encrypted", "data": "hideit and more" }]);
    let cases = [
        ("hideit", detail("hideit"), None, None),
        (
            "plain",
            detail("plain"),
            Some("seal"),
            Some(detail("plain")),
        ),
        // The source says something else there than in the text beside it.
        ("plain", detail("x hideit"), Some("seal"), None),
        ("plain", sealed.clone(), Some("seal"), Some(sealed)),
    ];
    for (text, detail, kept, kept_detail) in cases {
        let (out, _) = pass(vec![
            StreamEvent::ThinkingStart { id: 1 },
            StreamEvent::ThinkingDelta {
                id: 1,
                text: text.into(),
            },
            StreamEvent::ThinkingEnd {
                detail: Some(detail),
                id: 1,
                signature: Some("seal".into()),
                redacted: None,
            },
        ]);
        let end = StreamEvent::ThinkingEnd {
            detail: kept_detail,
            id: 1,
            signature: kept.map(str::to_owned),
            redacted: None,
        };
        assert_eq!(out.last(), Some(&end), "{text}");
    }
}

#[test]
fn a_call_runs_with_what_the_model_said() {
    let said = json!({ "to": "hideit", "n": [1, "x hideit"] });
    let (out, guarded) = pass(vec![
        start(1),
        StreamEvent::ToolUseEnd {
            id: 1,
            input: said.clone(),
            signature: Some("seal".into()),
        },
    ]);
    let Some(StreamEvent::ToolUseEnd {
        input, signature, ..
    }) = out.last()
    else {
        panic!("{out:?}");
    };
    assert_eq!(*input, json!({ "to": "[WORD_1]", "n": [1, "x [WORD_1]"] }));
    assert_eq!(signature.as_deref(), Some("seal"));
    let mut again = input.clone();
    guarded.checks.vault.restore_value(&mut again);
    assert_eq!(again, said);
}

#[test]
fn a_rule_that_blocks_ends_the_reply_where_it_stands() {
    let usage = StreamEvent::Usage {
        usage: Usage::default(),
        is_total: false,
    };
    let rows: [(Vec<StreamEvent>, &str); 4] = [
        (
            vec![
                StreamEvent::TextStart { id: 1 },
                StreamEvent::TextDelta {
                    id: 1,
                    text: "good sto".into(),
                },
                StreamEvent::TextDelta {
                    id: 1,
                    text: "pit bad hideit".into(),
                },
                StreamEvent::TextEnd {
                    detail: None,
                    id: 1,
                    signature: None,
                },
            ],
            "good ",
        ),
        (
            vec![
                start(1),
                StreamEvent::ToolUseDelta {
                    id: 1,
                    json: r#"{"a": "x stopit y", "b": "z"}"#.into(),
                },
                StreamEvent::ToolUseEnd {
                    id: 1,
                    input: json!({ "a": "x stopit y" }),
                    signature: None,
                },
            ],
            r#"{"a": "x "#,
        ),
        (
            vec![
                start(1),
                StreamEvent::ToolUseEnd {
                    id: 1,
                    input: json!({ "a": "stopit" }),
                    signature: None,
                },
            ],
            "",
        ),
        (
            vec![StreamEvent::Status {
                message: "stopit".into(),
            }],
            "",
        ),
    ];
    for (mut events, kept) in rows {
        events.push(StreamEvent::Done {
            stop_reason: Some(StopReason::EndTurn),
        });
        events.push(usage.clone());
        let (out, mut guarded) = pass(events);
        assert!(guarded.is_blocked());
        assert_eq!(words(&out), kept);
        let text = format!("{out:?}");
        assert!(!text.contains("stopit") && !text.contains("Done"), "{text}");
        assert_eq!(out.last(), Some(&usage));
        let told = guarded.told();
        let verdicts: Vec<_> = told
            .iter()
            .map(|it| serde_json::to_value(&it.body).unwrap()["verdict"].clone())
            .collect();
        assert_eq!(verdicts, [Value::from("block")]);
    }
}

#[test]
fn a_number_that_is_taken_out_becomes_a_string() {
    // Digits that only their name tells to be secret.
    let json = format!(r#"{{"password": {}, "m": 7}}"#, 48_291_337);
    let (out, _) = pass(grown(&json, &[14, 16]));
    assert_eq!(words(&out), r#"{"password": "[PASSWORD_1]", "m": 7}"#);
}

#[test]
fn a_citation_that_a_rule_blocks_is_not_heard() {
    let citation = Citation {
        cited_text: Some("a stopit b".into()),
        ..Citation::default()
    };
    let events = vec![
        StreamEvent::TextStart { id: 1 },
        StreamEvent::Citation { id: 1, citation },
    ];
    let (out, guarded) = pass(events);
    assert!(guarded.is_blocked());
    assert!(!format!("{out:?}").contains("stopit"));
}

mod growing;

/// Nobody is shown it, but it is stored: nothing that a guard redacts or blocks is in it.
#[test]
fn what_a_dialect_does_not_know_is_checked_too() {
    let raw = |value: Value| StreamEvent::Raw { value };
    let (out, mut guarded) = pass(vec![
        raw(json!({ "type": "new", "hideit": ["a hideit b", { "x": "hideit" }] })),
        raw(json!("a line with hideit")),
        raw(json!({ "note": "a stopit b" })),
    ]);
    let held = "A guard held back what was said here.";
    let expected = [
        raw(json!({ "type": "new", "[WORD_1]": ["a [WORD_1] b", { "x": "[WORD_1]" }] })),
        raw(json!("a line with [WORD_1]")),
        raw(json!(held)),
    ];
    assert_eq!(out, expected);
    assert!(!guarded.is_blocked(), "nothing was shown, so nothing ends");
    assert!(guarded.told().is_empty(), "it is no part of the reply");
}

/// A score is a number, and digits can be a secret.
#[test]
fn a_score_that_is_a_known_value_is_left_out() {
    let checks = checks();
    let pin = "9876543210987";
    checks.vault.take_out("PIN", pin, TakenFrom::Input);
    for (score, kept) in [(9_876_543_210_987_f64, None), (0.5, Some(0.5))] {
        let citation = Citation {
            relevance: Some(score),
            confidence: Some(score),
            ..Citation::default()
        };
        let mut said = vec![
            StreamEvent::TextStart { id: 1 },
            StreamEvent::Citation { id: 1, citation },
        ];
        Guarded::new(checks.clone()).pass(&mut said);
        let Some(StreamEvent::Citation { citation, .. }) = said.last() else {
            panic!("{said:?}");
        };
        assert_eq!((citation.relevance, citation.confidence), (kept, kept));
    }
}
mod holding;
mod overlaps;
mod samples;
