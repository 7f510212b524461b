use serde_json::json;
use uuid::Uuid;
use weir_protocol::{ErrorBody, ExecutedBy, Usage};

use super::*;
use crate::turn::TurnId;

fn path(bodies: Vec<EventBody>) -> Vec<Event> {
    let id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::from_u128(1),
        started: "2026-11-17T12:00:00Z".parse().unwrap(),
    };
    let seconds = (0..).map(jiff::SignedDuration::from_secs);
    let events = bodies.into_iter().zip(seconds);
    let events = events.map(|(body, second)| id.event(body, id.started + second));
    events.collect()
}

fn asked(source: &str, model: &str) -> EventBody {
    EventBody::UserMessage {
        content: "word".repeat(1000),
        source: source.into(),
        model: model.into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    }
}

fn said(content: &str) -> EventBody {
    EventBody::Message {
        detail: None,
        content: content.into(),
        citations: Vec::new(),
        signature: None,
    }
}

fn thought(content: &str) -> EventBody {
    EventBody::Thinking {
        detail: None,
        content: content.into(),
        signature: None,
        redacted: None,
        duration_ms: 1,
    }
}

fn called() -> EventBody {
    EventBody::ToolUse {
        tool_call_id: "a".into(),
        tool_name: "look".into(),
        input: json!({"at": "abc"}),
        executed_by: ExecutedBy::Weir,
        signature: None,
        detail: None,
    }
}

fn answered(result: &str) -> EventBody {
    EventBody::ToolResult {
        tool_call_id: "a".into(),
        tool_name: "look".into(),
        result: json!(result),
        is_error: false,
        duration_ms: 1,
        detail: None,
    }
}

fn counted(input_tokens: u64) -> EventBody {
    EventBody::Usage {
        usage: Usage {
            input_tokens,
            output_tokens: 5,
            ..Usage::default()
        },
        cost: None,
        saved: None,
        model: "m".into(),
        first_chunk_ms: None,
        duration_ms: 1,
        is_estimate: false,
    }
}

#[test]
fn a_step_without_its_usage_is_counted_once() {
    let claude = || asked("anthropic", "claude-sonnet-4-5");
    let own = r#"[{"model":"mine","input":1000,"output":0,"cacheRead":0,"cacheWrite":0}]"#;
    // What the path holds: tokens in and out, the cost, and the second in which it ended.
    let rows = [
        ("nothing said", vec![claude()], None),
        ("counted", vec![claude(), said("word"), counted(9)], None),
        (
            "in a tool",
            vec![claude(), called(), counted(9), answered("yes")],
            None,
        ),
        (
            "cut in the first step",
            vec![claude(), thought("word"), said("word")],
            Some((1000, 2, Some(0.003_03), 2)),
        ),
        (
            "cut in the second step",
            vec![
                claude(),
                called(),
                counted(1500),
                answered("word"),
                said("wordword"),
            ],
            Some((1506, 2, Some(0.004_548), 4)),
        ),
        (
            "here",
            vec![asked("ollama", "llama"), said("word")],
            Some((1000, 1, None, 1)),
        ),
        (
            "at the user's price",
            vec![asked("ollama", "mine"), said("word")],
            Some((1000, 1, Some(1.0), 1)),
        ),
    ];
    for (name, bodies, expected) in rows {
        let found = used(&path(bodies), Some(own)).map(|(body, at)| {
            let EventBody::Usage {
                usage,
                cost,
                is_estimate,
                ..
            } = body
            else {
                panic!("no usage: {body:?}");
            };
            assert!(is_estimate, "{name}");
            let cost = cost.map(|cost| (cost * 1e9).round() / 1e9);
            let at = at.strftime("%-S").to_string().parse().unwrap();
            (usage.input_tokens, usage.output_tokens, cost, at)
        });
        assert_eq!(found, expected, "{name}");
    }
    // A turn that has its end is none that was cut off, and asks nothing of anybody.
    let error = ErrorBody::new("x", "No.");
    assert_eq!(used(&path(vec![EventBody::Error { error }]), None), None);
}
