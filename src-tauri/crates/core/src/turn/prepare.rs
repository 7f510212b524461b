//! From what is stored to what is sent: pure functions on a copy.
//!
//! Invariant: natural order stays. The log keeps what was said as it was said; whatever a
//! source needs otherwise is done here and nowhere else.

use std::collections::HashMap;

use uuid::Uuid;
use weir_protocol::{Event, EventBody, ExecutedBy, Image};

use crate::source::{Block, Message, Role};

/// The conversation, as it is sent to `source` and `model`. Thinking and seals go back only to
/// the model that made them, a source's own tools only to that source. A call without its
/// result, and a result without its call, stay behind: every API refuses them.
pub(crate) fn messages(events: &[Event], source: &str, model: &str) -> Vec<Message> {
    let calls = answered_calls(events);
    let mut messages: Vec<Message> = Vec::new();
    let mut asked_here = Asked::default();
    for event in events {
        let signed_here = asked_here.same_model && event.turn_id == asked_here.turn;
        let same_source = asked_here.same_source && event.turn_id == asked_here.turn;
        match &event.body {
            EventBody::UserMessage {
                content,
                source: asked_source,
                model: asked_model,
                images,
            } => {
                asked_here = Asked {
                    turn: event.turn_id,
                    same_source: asked_source == source,
                    same_model: asked_source == source && asked_model == model,
                };
                for Image { media_type, data } in images.iter().cloned() {
                    push(&mut messages, Role::User, Block::Image { media_type, data });
                }
                push(&mut messages, Role::User, Block::text(content));
            }
            EventBody::Thinking {
                content,
                signature,
                redacted,
                ..
            } if signed_here => {
                if let Some(data) = redacted {
                    push(
                        &mut messages,
                        Role::Assistant,
                        Block::Redacted(data.clone()),
                    );
                } else if let Some(signature) = signature {
                    let block = Block::Thinking {
                        content: content.clone(),
                        signature: signature.clone(),
                    };
                    push(&mut messages, Role::Assistant, block);
                }
            }
            EventBody::Message {
                content, signature, ..
            } if !content.trim().is_empty() => {
                let signature = signature.clone().filter(|_| signed_here);
                push_text(&mut messages, content, signature);
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
                push(&mut messages, Role::Assistant, block);
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
                push(&mut messages, role, block);
            }
            EventBody::Thinking { .. }
            | EventBody::Message { .. }
            | EventBody::File { .. }
            | EventBody::SessionStart { .. }
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
    messages.retain(|message| message.role == Role::User || says_something(message));
    messages
}

/// Who was asked in the turn that is being read.
#[derive(Default)]
struct Asked {
    turn: Option<Uuid>,
    same_source: bool,
    same_model: bool,
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

/// A message of thinking alone, from a turn that was stopped before its answer, is refused.
fn says_something(message: &Message) -> bool {
    let says = |block: &Block| matches!(block, Block::Text { .. } | Block::ToolUse { .. });
    message.blocks.iter().any(says)
}

/// Neighbours of one role are one message.
fn push(messages: &mut Vec<Message>, role: Role, block: Block) {
    match messages.last_mut() {
        Some(last) if last.role == role => last.blocks.push(block),
        Some(_) | None => messages.push(Message {
            role,
            blocks: vec![block],
        }),
    }
}

/// Text blocks that a source cut apart to cite are one text; a sealed one stays as it is.
fn push_text(messages: &mut Vec<Message>, text: &str, signature: Option<String>) {
    if let Some(last) = messages.last_mut()
        && last.role == Role::Assistant
        && let Some(Block::Text {
            text: grown,
            signature: None,
        }) = last.blocks.last_mut()
        && signature.is_none()
    {
        grown.push_str(text);
    } else {
        let text = text.to_owned();
        push(messages, Role::Assistant, Block::Text { text, signature });
    }
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
        let messages = messages(&stored(script), "anthropic", "this");
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
            ("utu", "q|q"),
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
