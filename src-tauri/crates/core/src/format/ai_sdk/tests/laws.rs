//! What holds for any events in any order.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use serde_json::Value;
use weir_protocol::{
    Citation, ErrorBody, ExecutedBy, StopReason, StreamEvent, Todo, TodoStatus, Usage,
};

use super::*;

fn event() -> impl Strategy<Value = StreamEvent> {
    let id = 0..3_u32;
    let words = "[a\n]{0,2}";
    let call = "[xy]";
    let by = prop_oneof![Just(ExecutedBy::Source), Just(ExecutedBy::Weir)];
    let input = prop_oneof![Just(Value::Null), Just(json!({})), Just(json!("{cut"))];
    let seal = proptest::option::of(Just("seal".to_owned()));
    let todo = Todo {
        content: "a".to_owned(),
        status: TodoStatus::Pending,
    };
    prop_oneof![
        Just(StreamEvent::Start {
            message_id: Some("m".to_owned()),
            model: None
        }),
        words.prop_map(|message| StreamEvent::Status { message }),
        id.clone().prop_map(|id| StreamEvent::TextStart { id }),
        (id.clone(), words).prop_map(|(id, text)| StreamEvent::TextDelta { id, text }),
        (id.clone(), seal.clone()).prop_map(|(id, signature)| StreamEvent::TextEnd {
            detail: None,
            id,
            signature
        }),
        id.clone().prop_map(|id| StreamEvent::ThinkingStart { id }),
        (id.clone(), words).prop_map(|(id, text)| StreamEvent::ThinkingDelta { id, text }),
        (id.clone(), seal.clone()).prop_map(|(id, signature)| StreamEvent::ThinkingEnd {
            detail: None,
            id,
            signature,
            redacted: None
        }),
        (id.clone(), call, by).prop_map(|(id, tool_call_id, executed_by)| {
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name: "look".to_owned(),
                executed_by,
                detail: None,
            }
        }),
        (id.clone(), words).prop_map(|(id, json)| StreamEvent::ToolUseDelta { id, json }),
        (id.clone(), input, seal).prop_map(|(id, input, signature)| StreamEvent::ToolUseEnd {
            id,
            input,
            signature
        }),
        (call, any::<bool>()).prop_map(|(tool_call_id, is_error)| StreamEvent::ToolResult {
            tool_call_id,
            name: "look".to_owned(),
            result: json!(1),
            is_error,
            detail: None,
        }),
        id.prop_map(|id| StreamEvent::Citation {
            id,
            citation: Citation::default()
        }),
        Just(StreamEvent::TodoUpdate { todos: vec![todo] }),
        words.prop_map(|task| StreamEvent::SubagentStart {
            subagent_id: None,
            name: "a".to_owned(),
            task
        }),
        Just(StreamEvent::Usage {
            usage: Usage::default(),
            is_total: false
        }),
        Just(StreamEvent::Error {
            error: ErrorBody::new("code", "message")
        }),
        Just(StreamEvent::Done {
            stop_reason: Some(StopReason::EndTurn)
        }),
        Just(StreamEvent::Raw { value: json!(1) }),
    ]
}

/// The first thing that the SDK's reader, or a front end behind it, would stumble over.
fn misplaced(chunks: &[Value]) -> Option<String> {
    let field = |chunk: &Value, key: &str| chunk[key].as_str().unwrap_or_default().to_owned();
    let (mut open, mut used) = (BTreeSet::new(), BTreeSet::new());
    let mut calls: BTreeMap<String, bool> = BTreeMap::new();
    let (mut started, mut in_step, mut over) = (false, false, false);
    for chunk in chunks {
        let (id, call) = (field(chunk, "id"), field(chunk, "toolCallId"));
        let fine = !over
            && match kind(chunk) {
                "start" => !std::mem::replace(&mut started, true),
                "start-step" => started && !std::mem::replace(&mut in_step, true),
                "finish-step" => open.is_empty() && std::mem::replace(&mut in_step, false),
                "text-start" | "reasoning-start" => {
                    in_step && used.insert(id.clone()) && open.insert(id)
                }
                "text-delta" | "reasoning-delta" => open.contains(&id),
                "text-end" | "reasoning-end" => open.remove(&id),
                // The value says whether the input is still to come.
                "tool-input-start" => in_step && calls.insert(call, true) != Some(true),
                "tool-input-delta" => calls.get(&call) == Some(&true),
                "tool-input-available" | "tool-input-error" => {
                    calls.insert(call, false) == Some(true)
                }
                "tool-output-available" | "tool-output-error" => calls.get(&call) == Some(&false),
                "source-url" | "source-document" => {
                    in_step && used.insert(field(chunk, "sourceId"))
                }
                "file" => in_step,
                "data-usage" => started,
                "data-raw" => true,
                "error" => started && !in_step,
                "finish" | "abort" => {
                    let still = calls.values().any(|waiting| *waiting);
                    over = true;
                    started && !in_step && open.is_empty() && !still
                }
                other => panic!("what is {other}?"),
            };
        if !fine {
            return Some(chunk.to_string());
        }
    }
    (!over).then(|| "no end".to_owned())
}

proptest! {
    #[test]
    fn any_events_make_a_stream_that_can_be_read(events in proptest::collection::vec(event(), 0..40)) {
        let stream = format(&events);
        prop_assert_eq!(misplaced(&chunks(&stream)), None, "{}", stream);
    }

    #[test]
    fn no_word_is_lost(events in proptest::collection::vec(event(), 0..40)) {
        let chunks = chunks(&format(&events));
        let said = |kind_wanted: &str, variant: &str| -> String {
            let parts = chunks.iter().filter(|chunk| {
                kind(chunk) == kind_wanted && chunk["id"].as_str().unwrap().starts_with(variant)
            });
            parts.map(|chunk| chunk["delta"].as_str().unwrap()).collect()
        };
        let mut text = String::new();
        let mut helped = false;
        let mut thinking = String::new();
        for event in &events {
            if let StreamEvent::TextDelta { text: delta, .. } = event {
                text.push_str(delta);
            }
            if let StreamEvent::ThinkingDelta { text: delta, .. } = event {
                thinking.push_str(delta);
            }
            helped |= matches!(event, StreamEvent::SubagentStart { .. });
        }
        prop_assert_eq!(said("text-delta", "text"), text);
        prop_assert!(helped || said("reasoning-delta", "thinking") == thinking);
    }
}

#[test]
fn the_last_chunk_of_a_long_block_costs_what_the_first_did() {
    let mut format = AiSdk::new();
    let delta = StreamEvent::TextDelta {
        id: 0,
        text: "word ".to_owned(),
    };
    let mut out = Vec::new();
    format.write(&delta, &mut out);
    let mut lengths = BTreeSet::new();
    for _ in 0..10_000 {
        out.clear();
        format.write(&delta, &mut out);
        lengths.insert(out.len());
    }
    assert_eq!(lengths.len(), 1);
}

#[test]
fn nothing_follows_the_end() {
    let mut format = AiSdk::new();
    let mut out = Vec::new();
    format.finish(&mut out);
    let length = out.len();
    format.write(
        &StreamEvent::Status {
            message: "late".to_owned(),
        },
        &mut out,
    );
    format.finish(&mut out);
    assert_eq!(out.len(), length);
}
