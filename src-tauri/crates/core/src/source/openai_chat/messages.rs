//! The conversation as chat completions have it.

use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, Thinking};

use super::mapper::details;
use super::{AFTER_RESULTS, ANTHROPIC, AskThinking, ChatCompletions};
use crate::source::dialect::json::{items, text};
use crate::source::request::plain;
use crate::source::{Block, Message, Role, StepRequest};

impl ChatCompletions {
    pub(super) fn write(&self, message: &Message, request: &StepRequest, out: &mut Vec<Value>) {
        match message.role {
            Role::User => write_user(message, out),
            Role::Assistant => out.extend(self.assistant(message, request)),
        }
    }

    pub(super) fn assistant(&self, message: &Message, request: &StepRequest) -> Option<Value> {
        let model = request.model.as_str();
        let mut said = String::new();
        let mut calls = Vec::new();
        // As some sessions have them that were begun before parts were kept whole.
        let mut reasoning = Vec::new();
        let mut kept = None;
        let mut thought = String::new();
        for block in &message.blocks {
            match block {
                Block::Text { text, .. } => said.push_str(text),
                Block::Thinking { content, signature } => reasoning.push(json!({
                    "type": "reasoning.text", "text": content, "signature": signature,
                })),
                Block::Redacted(data) => {
                    reasoning.push(json!({"type": "reasoning.encrypted", "data": data}));
                }
                Block::Reasoning(content) => thought.push_str(content),
                Block::ThinkingItem {
                    content, detail, ..
                } => {
                    thought.push_str(content);
                    for part in items(detail) {
                        details::add(&mut kept, part);
                    }
                }
                Block::ToolUse {
                    tool_call_id,
                    name,
                    input,
                    executed_by: ExecutedBy::Weir,
                    ..
                } => calls.push(json!({
                    "id": tool_call_id,
                    "type": "function",
                    "function": {"name": name, "arguments": plain(input)},
                })),
                Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Image { .. } => {}
            }
        }
        if said.is_empty() && calls.is_empty() {
            return None;
        }
        let mut message = json!({"role": "assistant", "content": said});
        let has_calls = !calls.is_empty();
        if has_calls {
            message["tool_calls"] = calls.into();
        }
        match self.thinking {
            AskThinking::Reasoning => {
                if let Some(kept) = kept {
                    message["reasoning_details"] = kept;
                } else if model.starts_with(ANTHROPIC) && !reasoning.is_empty() {
                    message["reasoning_details"] = reasoning.into();
                }
            }
            // It refuses a message of its own that comes without, even one that had none.
            AskThinking::Switch if request.thinking != Thinking::Off => {
                message["reasoning_content"] = thought.into();
            }
            // It refuses calls without their thoughts, as those of another source are.
            AskThinking::Kimi if thought.is_empty() && has_calls => {
                message["reasoning_content"] = " ".into();
            }
            AskThinking::Kimi | AskThinking::Enable | AskThinking::Glm if !thought.is_empty() => {
                message["reasoning_content"] = thought.into();
            }
            // The others know no thinking in this form, and refuse what they do not know.
            AskThinking::Switch
            | AskThinking::Never
            | AskThinking::Effort
            | AskThinking::Rows(_)
            | AskThinking::Listed(_)
            | AskThinking::OffWord
            | AskThinking::Template
            | AskThinking::Kimi
            | AskThinking::Enable
            | AskThinking::Glm => {}
        }
        Some(message)
    }
}

/// Results of tools are messages of their own and come first: they answer what stands above.
fn write_user(message: &Message, out: &mut Vec<Value>) {
    let mut parts = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, .. } => parts.push(json!({"type": "text", "text": text})),
            Block::Image { media_type, data } => parts.push(json!({
                "type": "image_url",
                "image_url": {"url": format!("data:{media_type};base64,{data}")},
            })),
            Block::ToolResult {
                tool_call_id,
                result,
                ..
            } => out.push(json!({
                "role": "tool",
                "tool_call_id": tool_call_id,
                "content": plain(result),
            })),
            Block::Thinking { .. }
            | Block::ThinkingItem { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. } => {}
        }
    }
    if parts.is_empty() {
        return;
    }
    // Every server takes a string; some take nothing else.
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
    out.push(match texts {
        Some(texts) => json!({"role": "user", "content": texts.join("\n\n")}),
        None => json!({"role": "user", "content": parts}),
    });
}

/// Breakpoints on the system prompt and on the last two messages of the user.
pub(super) fn mark_all(messages: &mut [Value]) {
    let of = |role: &'static str| move |message: &&mut Value| message["role"] == role;
    messages.iter_mut().filter(of("system")).for_each(mark);
    let users = messages.iter_mut().rev().filter(of("user"));
    users.take(2).for_each(mark);
}

/// A breakpoint can only stand on a part, so a plain string becomes one.
fn mark(message: &mut Value) {
    if let Value::String(text) = &message["content"] {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    if let Some(Value::Object(part)) = message["content"]
        .as_array_mut()
        .and_then(|parts| parts.last_mut())
    {
        part.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

/// Puts an answer between results and the message of the user that follows them.
pub(super) fn answer_results(messages: &mut Vec<Value>) {
    let role = |messages: &[Value], at: usize| text(&messages[at], "role").to_owned();
    for at in (1..messages.len()).rev() {
        if role(messages, at) == "user" && role(messages, at - 1) == "tool" {
            let answer = json!({"role": "assistant", "content": AFTER_RESULTS});
            messages.insert(at, answer);
        }
    }
}
