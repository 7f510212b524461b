//! What one step asks: the conversation so far, already in the order it must be sent.
//!
//! Source-neutral. Each source writes it down in its own API's words, and leaves out what its
//! API has no word for.

use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, Thinking};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRequest {
    pub model: String,
    pub system: Option<String>,
    pub thinking: Thinking,
    /// What the model may ask Weir to run.
    pub tools: Vec<ToolDefinition>,
    pub messages: Vec<Message>,
    /// The same for every step of a session, so that a provider finds what it cached of it.
    pub cache_key: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    pub name: String,
    pub description: String,
    /// The JSON Schema of the input.
    pub schema: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: Role,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text {
        text: String,
        /// The provider's own seal, which wants to come back with the text.
        signature: Option<String>,
    },
    /// Thinking that its model signed, and only that: others refuse it.
    Thinking { content: String, signature: String },
    /// Thinking that its model sealed.
    Redacted(String),
    /// Thinking of the turn under way that nobody signed; for those who want it back with the
    /// calls it led to.
    Reasoning(String),
    /// A picture, in base64.
    Image { media_type: String, data: String },
    ToolUse {
        tool_call_id: String,
        name: String,
        input: Value,
        executed_by: ExecutedBy,
        signature: Option<String>,
        detail: Option<Value>,
    },
    ToolResult {
        tool_call_id: String,
        name: String,
        result: Value,
        is_error: bool,
        executed_by: ExecutedBy,
        detail: Option<Value>,
    },
}

impl Block {
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            signature: None,
        }
    }
}

/// A tool's input or result as plain text, for APIs that take nothing else.
pub(crate) fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// A tool, as chat completions and those after it describe one.
pub(crate) fn function(tool: &ToolDefinition) -> Value {
    json!({"type": "function", "function": {
        "name": tool.name, "description": tool.description, "parameters": tool.schema,
    }})
}

/// How hard to think, for APIs that know three words and no number.
pub(crate) fn effort(thinking: Thinking) -> Option<&'static str> {
    match thinking {
        Thinking::Off => None,
        Thinking::Low => Some("low"),
        Thinking::Medium => Some("medium"),
        Thinking::High => Some("high"),
        Thinking::Tokens(tokens) => Some(match tokens {
            0..=4_000 => "low",
            4_001..=16_000 => "medium",
            _ => "high",
        }),
    }
}

/// A conversation with everything in it, for the tests of every source.
#[cfg(test)]
pub(crate) fn example(model: &str) -> StepRequest {
    let call = |executed_by: ExecutedBy, id: &str, detail: Option<Value>| Block::ToolUse {
        tool_call_id: id.into(),
        name: "look".into(),
        input: json!({"at": "x"}),
        executed_by,
        signature: Some("tool-seal".into()),
        detail,
    };
    let result = |executed_by: ExecutedBy, id: &str, detail: Option<Value>| Block::ToolResult {
        tool_call_id: id.into(),
        name: "look".into(),
        result: json!({"seen": 1}),
        is_error: false,
        executed_by,
        detail,
    };
    let message = |role: Role, blocks: Vec<Block>| Message { role, blocks };
    StepRequest {
        model: model.into(),
        system: Some("Be brief.".into()),
        thinking: Thinking::High,
        tools: vec![ToolDefinition {
            name: "look".into(),
            description: "Looks.".into(),
            schema: json!({"type": "object"}),
        }],
        messages: vec![
            message(
                Role::User,
                vec![
                    Block::Image {
                        media_type: "image/png".into(),
                        data: "aGk=".into(),
                    },
                    Block::text("one"),
                ],
            ),
            message(
                Role::Assistant,
                vec![
                    Block::Thinking {
                        content: "hm".into(),
                        signature: "seal".into(),
                    },
                    Block::Redacted("sealed".into()),
                    call(
                        ExecutedBy::Source,
                        "s1",
                        Some(json!({"type": "server_tool_use"})),
                    ),
                    result(
                        ExecutedBy::Source,
                        "s1",
                        Some(json!({"type": "look_tool_result"})),
                    ),
                    Block::Text {
                        text: "two".into(),
                        signature: Some("text-seal".into()),
                    },
                    call(ExecutedBy::Weir, "w1", None),
                ],
            ),
            message(
                Role::User,
                vec![result(ExecutedBy::Weir, "w1", None), Block::text("three")],
            ),
        ],
        cache_key: "session".into(),
    }
}
