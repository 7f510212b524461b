//! From what is stored to what is sent: pure functions on a copy.
//!
//! Invariant: natural order stays. The log keeps what was said as it was said; whatever a
//! source needs otherwise is done here and nowhere else.

use uuid::Uuid;
use weir_protocol::{Event, EventBody};

use crate::source::{Block, Message, Role};

/// The conversation, as it is sent to `source` and `model`. Thinking goes back only to the
/// model that signed it. Text that a source cited from its own tools goes back as plain
/// text, without the tools' traffic.
pub(crate) fn messages(events: &[Event], source: &str, model: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut signed_here: Option<Uuid> = None;
    for event in events {
        match &event.body {
            EventBody::UserMessage {
                content,
                source: asked_source,
                model: asked_model,
            } => {
                let same = asked_source == source && asked_model == model;
                signed_here = event.turn_id.filter(|_| same);
                push(&mut messages, Role::User, Block::Text(content.clone()));
            }
            EventBody::Thinking {
                content,
                signature,
                redacted,
                ..
            } if signed_here.is_some() && event.turn_id == signed_here => {
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
            EventBody::Message { content, .. } if !content.trim().is_empty() => {
                push_text(&mut messages, content);
            }
            EventBody::Thinking { .. }
            | EventBody::Message { .. }
            | EventBody::SessionStart { .. }
            | EventBody::ToolUse { .. }
            | EventBody::ToolResult { .. }
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

/// A message of thinking alone, from a turn that was stopped before its answer, is refused.
fn says_something(message: &Message) -> bool {
    message
        .blocks
        .iter()
        .any(|block| matches!(block, Block::Text(_)))
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

/// Text blocks that a source cut apart to cite are one text.
fn push_text(messages: &mut Vec<Message>, text: &str) {
    if let Some(last) = messages.last_mut()
        && last.role == Role::Assistant
        && let Some(Block::Text(grown)) = last.blocks.last_mut()
    {
        grown.push_str(text);
    } else {
        push(messages, Role::Assistant, Block::Text(text.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::TurnId;

    /// What is stored, in a few letters: `u` asks this model, `o` asks another one, `t` is
    /// signed thinking, `x` sealed thinking, `n` unsigned thinking, `m` and `c` are text.
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
        };
        let text = |content: &str| EventBody::Message {
            content: content.into(),
            citations: Vec::new(),
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
                Block::Text(text) => text.clone(),
                Block::Thinking { .. } => "t".into(),
                Block::Redacted(_) => "x".into(),
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
        ];
        for (stored, expected) in cases {
            assert_eq!(sent(stored), expected, "{stored}");
        }
    }
}
