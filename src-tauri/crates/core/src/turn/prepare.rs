//! From what is stored to what is sent: pure functions on a copy.
//!
//! Invariant: natural order stays. The log keeps what was said as it was said; whatever a
//! source needs otherwise is done here and nowhere else.

use std::collections::{HashMap, HashSet};

use uuid::Uuid;
use weir_protocol::{Event, EventBody, ExecutedBy, Image};

use crate::guard::ALL_IMAGES;
use crate::source::{Block, Message, Role};

/// What stands in the place of a picture that is not sent again.
const LEFT_OUT: &str = "[A picture stood here.]";

/// What the model was told beforehand, by the last prompt that told it something.
pub(crate) fn system(events: &[Event]) -> Option<String> {
    let last = |event: &Event| {
        if let EventBody::UserMessage { system, .. } = &event.body {
            system.clone()
        } else {
            None
        }
    };
    events.iter().rev().find_map(last)
}

/// The conversation, as it is sent to whom its last prompt asks. Thinking and seals go back only
/// to the model that made them, told the same beforehand; a source's own tools only to that
/// source. A call without its result, and a result without its call, stay behind: every API
/// refuses them. So do pictures that nobody answered, or that are too many by now.
pub(crate) fn messages(events: &[Event]) -> Vec<Message> {
    let Some(target) = events.iter().rev().find_map(Asked::of) else {
        return Vec::new();
    };
    let calls = answered_calls(events);
    let pictured = pictured(events);
    let mut messages: Vec<(Role, Block)> = Vec::new();
    let mut asked = target;
    for event in events {
        let in_turn = event.turn_id == asked.turn;
        let same_source = in_turn && asked.source == target.source;
        let signed_here =
            same_source && asked.model == target.model && asked.system == target.system;
        match &event.body {
            EventBody::UserMessage {
                content, images, ..
            } => {
                asked = Asked::of(event).unwrap_or(target);
                for Image { media_type, data } in images.iter().cloned() {
                    let block = if pictured.contains(&event.id) {
                        Block::Image { media_type, data }
                    } else {
                        Block::text(LEFT_OUT)
                    };
                    messages.push((Role::User, block));
                }
                messages.push((Role::User, Block::text(content)));
            }
            EventBody::Thinking {
                content,
                signature,
                redacted,
                ..
            } if signed_here => {
                if let Some(data) = redacted {
                    messages.push((Role::Assistant, Block::Redacted(data.clone())));
                } else if let Some(signature) = signature {
                    let block = Block::Thinking {
                        content: content.clone(),
                        signature: signature.clone(),
                    };
                    messages.push((Role::Assistant, block));
                }
            }
            EventBody::Message {
                content, signature, ..
            } if !content.trim().is_empty() => {
                let block = Block::Text {
                    text: content.clone(),
                    signature: signature.clone().filter(|_| signed_here),
                };
                messages.push((Role::Assistant, block));
            }
            EventBody::ToolUse {
                tool_call_id,
                tool_name,
                input,
                executed_by,
                signature,
                detail,
            } if goes_back(*executed_by, same_source)
                && calls.contains_key(tool_call_id.as_str()) =>
            {
                let block = Block::ToolUse {
                    tool_call_id: tool_call_id.clone(),
                    name: tool_name.clone(),
                    input: input.clone(),
                    executed_by: *executed_by,
                    signature: signature.clone().filter(|_| signed_here),
                    detail: detail.clone(),
                };
                messages.push((Role::Assistant, block));
            }
            EventBody::ToolResult {
                tool_call_id,
                tool_name,
                result,
                is_error,
                detail,
                ..
            } => {
                let Some(&executed_by) = calls.get(tool_call_id.as_str()) else {
                    continue;
                };
                if !goes_back(executed_by, same_source) {
                    continue;
                }
                let block = Block::ToolResult {
                    tool_call_id: tool_call_id.clone(),
                    name: tool_name.clone(),
                    result: result.clone(),
                    is_error: *is_error,
                    executed_by,
                    detail: detail.clone(),
                };
                // The source's own result is part of what it said; Weir's is an answer to it.
                let role = match executed_by {
                    ExecutedBy::Source => Role::Assistant,
                    ExecutedBy::Weir => Role::User,
                };
                messages.push((role, block));
            }
            EventBody::Thinking { .. }
            | EventBody::Message { .. }
            | EventBody::File { .. }
            | EventBody::SessionStart { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::PermissionRequest { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::Retry { .. }
            | EventBody::Compaction { .. }
            | EventBody::ToolUse { .. }
            | EventBody::Processing { .. }
            | EventBody::Usage { .. }
            | EventBody::Complete { .. }
            | EventBody::Error { .. }
            | EventBody::ThinkingChunk { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ProcessingChunk { .. } => {}
        }
    }
    joined(messages)
}

/// Whom a prompt asked, and what it told them beforehand.
#[derive(Clone, Copy)]
struct Asked<'a> {
    turn: Option<Uuid>,
    source: &'a str,
    model: &'a str,
    system: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        let EventBody::UserMessage {
            source,
            model,
            system,
            ..
        } = &event.body
        else {
            return None;
        };
        Some(Self {
            turn: event.turn_id,
            source,
            model,
            system: system.as_deref(),
        })
    }
}

/// The prompts whose pictures are sent, the newest first as far as there is room.
fn pictured(events: &[Event]) -> HashSet<Uuid> {
    let answered: HashSet<_> = events
        .iter()
        .filter(|event| matches!(event.body, EventBody::Message { .. }))
        .map(|event| event.turn_id)
        .collect();
    let mut room = ALL_IMAGES;
    let mut pictured = HashSet::new();
    let mut is_last = true;
    for event in events.iter().rev() {
        if let EventBody::UserMessage { images, .. } = &event.body {
            let size: usize = images.iter().map(|image| image.data.len()).sum();
            if (is_last || answered.contains(&event.turn_id)) && size <= room {
                room -= size;
                pictured.insert(event.id);
            }
            is_last = false;
        }
    }
    pictured
}

fn goes_back(executed_by: ExecutedBy, same_source: bool) -> bool {
    match executed_by {
        ExecutedBy::Weir => true,
        ExecutedBy::Source => same_source,
    }
}

/// The calls that have a result, and who ran them.
fn answered_calls(events: &[Event]) -> HashMap<&str, ExecutedBy> {
    let mut asked = HashMap::new();
    let mut answered = HashMap::new();
    for event in events {
        if let EventBody::ToolUse {
            tool_call_id,
            executed_by,
            ..
        } = &event.body
        {
            asked.insert(tool_call_id.as_str(), *executed_by);
        } else if let EventBody::ToolResult { tool_call_id, .. } = &event.body
            && let Some((id, executed_by)) = asked.get_key_value(tool_call_id.as_str())
        {
            answered.insert(*id, *executed_by);
        }
    }
    answered
}

/// Neighbours of one role are one message. One of thinking alone, from a turn that was stopped
/// before its answer, is refused, and stays behind.
fn joined(blocks: Vec<(Role, Block)>) -> Vec<Message> {
    let says = |block: &Block| matches!(block, Block::Text { .. } | Block::ToolUse { .. });
    let mut messages: Vec<Message> = Vec::new();
    for (role, block) in blocks {
        if role == Role::User {
            messages.pop_if(|last| last.role == Role::Assistant && !last.blocks.iter().any(says));
        }
        match messages.last_mut() {
            Some(last) if last.role == role => last.blocks.push(block),
            Some(_) | None => messages.push(Message {
                role,
                blocks: vec![block],
            }),
        }
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::TurnId;

    /// What is stored, in a few letters: `u` asks this model, `o` asks another one, `t` is
    /// signed thinking, `x` sealed thinking, `n` unsigned thinking, `m` and `c` are text, `w`
    /// and `s` are calls that Weir and the source run, `W` and `S` their results.
    fn stored(script: &str) -> Vec<Event> {
        let mut id = TurnId {
            session: Uuid::nil(),
            turn: Uuid::nil(),
            started: crate::clock::now(),
        };
        let thinking = |signature: Option<&str>, redacted: Option<&str>| EventBody::Thinking {
            content: "hm".into(),
            signature: signature.map(str::to_owned),
            redacted: redacted.map(str::to_owned),
            duration_ms: 1,
        };
        let asked = |model: &str| EventBody::UserMessage {
            content: "q".into(),
            source: "anthropic".into(),
            model: model.into(),
            images: Vec::new(),
            system: None,
            replaces: None,
        };
        let tool = |executed_by: ExecutedBy, id: &str| EventBody::ToolUse {
            tool_call_id: id.into(),
            tool_name: "look".into(),
            input: serde_json::json!({}),
            executed_by,
            signature: None,
            detail: None,
        };
        let result = |id: &str| EventBody::ToolResult {
            tool_call_id: id.into(),
            tool_name: "look".into(),
            result: "seen".into(),
            is_error: false,
            duration_ms: 1,
            detail: None,
        };
        let text = |content: &str| EventBody::Message {
            content: content.into(),
            citations: Vec::new(),
            signature: None,
        };
        script
            .chars()
            .map(|letter| {
                let body = match letter {
                    'u' => asked("this"),
                    'o' => asked("other"),
                    't' => thinking(Some("sig"), None),
                    'x' => thinking(None, Some("sealed")),
                    'n' => thinking(None, None),
                    'm' => text("a"),
                    'c' => text("b"),
                    ' ' => text(" "),
                    'w' => tool(ExecutedBy::Weir, "w"),
                    'W' => result("w"),
                    's' => tool(ExecutedBy::Source, "s"),
                    'S' => result("s"),
                    other => panic!("no event is called {other}"),
                };
                if let EventBody::UserMessage { .. } = body {
                    id.turn = Uuid::now_v7();
                }
                id.event(body, id.started)
            })
            .collect()
    }

    /// What is sent, in the same letters, messages apart by a bar.
    fn sent(script: &str) -> String {
        let messages = messages(&stored(script));
        let message = |message: &Message| -> String {
            let blocks = message.blocks.iter().map(|block| match block {
                Block::Text { text, .. } => text.clone(),
                Block::Thinking { .. } => "t".into(),
                Block::Redacted(_) => "x".into(),
                Block::Image { .. } => "i".into(),
                Block::ToolUse { tool_call_id, .. } => tool_call_id.clone(),
                Block::ToolResult { tool_call_id, .. } => tool_call_id.to_uppercase(),
            });
            blocks.collect()
        };
        let all: Vec<String> = messages.iter().map(message).collect();
        all.join("|")
    }

    #[test]
    fn sends_what_the_model_may_see() {
        let cases = [
            ("u", "q"),
            ("utmu", "q|ta|q"),
            ("uxtmu", "q|xta|q"),
            ("unmu", "q|a|q"),
            ("otmu", "q|a|q"),
            ("umcu", "q|ab|q"),
            ("utu", "qq"),
            ("uu", "qq"),
            ("um u", "q|a|q"),
            ("utwWmu", "q|tw|W|a|q"),
            ("owWmu", "q|w|W|a|q"),
            ("usSmu", "q|sSa|q"),
            ("umwu", "q|a|q"),
            ("umWu", "q|a|q"),
        ];
        for (stored, expected) in cases {
            assert_eq!(sent(stored), expected, "{stored}");
        }
    }
}
