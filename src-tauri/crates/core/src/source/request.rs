//! What one step asks: the conversation so far, already in the order it must be sent.
//!
//! Source-neutral. Each source writes it down in its own API's words, and leaves out what its
//! API has no word for.

use serde_json::{Value, json};
use weir_protocol::{ExecutedBy, RequestOptions, Thinking, ToolChoice};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRequest {
    pub model: String,
    pub system: Option<String>,
    pub thinking: Thinking,
    /// Who chose `thinking`.
    pub thinking_by: ChosenBy,
    /// What the model may ask Weir to run.
    pub tools: Vec<ToolDefinition>,
    pub messages: Vec<Message>,
    /// The same for every step of a session, so that a provider finds what it cached of it.
    pub cache_key: String,
    pub options: RequestOptions,
}

/// Who chose something. What is changed about a choice of the user's is said in the turn; what
/// nobody chose is not spoken of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChosenBy {
    User,
    #[default]
    Nobody,
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
        /// What else the provider said of the text, for that provider alone.
        detail: Option<Value>,
    },
    /// Thinking that its model signed, and only that: others refuse it.
    Thinking { content: String, signature: String },
    /// Thinking that its model sealed.
    Redacted(String),
    /// Thinking that nobody signed; for those who want it back with the calls it led to.
    Reasoning(String),
    /// Thinking as its source writes it down: `detail` is read by that source alone.
    ThinkingItem {
        content: String,
        signature: Option<String>,
        detail: Value,
    },
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
            detail: None,
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

/// What stands in the place of a picture that the model cannot see.
const NO_PICTURE: &str = "[A picture was left out here: this model takes no pictures.]";

/// Puts a sentence in the place of every picture; answers how many there were.
pub(crate) fn replace_images(messages: &mut [Message]) -> usize {
    let mut replaced = 0;
    for block in messages.iter_mut().flat_map(|message| &mut message.blocks) {
        if let Block::Image { .. } = block {
            *block = Block::text(NO_PICTURE);
            replaced += 1;
        }
    }
    replaced
}

/// What the user is told when pictures were left out.
pub(crate) fn images_left_out(model: &str) -> String {
    format!("{model} takes no pictures: it was told that they were left out.")
}

/// The tool choice that goes with a request, where it has tools to choose from.
pub(crate) fn tool_choice<'a>(
    request: &'a StepRequest,
    notes: &mut Vec<String>,
) -> Option<&'a ToolChoice> {
    let choice = request.options.tool_choice.as_ref()?;
    if request.tools.is_empty() {
        notes.push("There is no tool to choose from: the tool choice was left out.".to_owned());
        return None;
    }
    if let ToolChoice::Tool(name) = choice
        && !request.tools.iter().any(|tool| tool.name == *name)
    {
        notes.push(format!(
            "There is no tool {name:?}: the tool choice was left out."
        ));
        return None;
    }
    Some(choice)
}

/// A tool choice as chat completions and those after it write it down.
pub(crate) fn function_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => "auto".into(),
        ToolChoice::None => "none".into(),
        ToolChoice::Required => "required".into(),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
    }
}

/// Says that an option the user set is not sent.
pub(crate) fn note_left_out(model: &str, option: &str, notes: &mut Vec<String>) {
    notes.push(format!(
        "{model} does not take {option} here: it was left out."
    ));
}

/// Every option, for the tests of every source.
#[cfg(test)]
pub(crate) fn example_options() -> RequestOptions {
    RequestOptions {
        max_tokens: Some(500),
        temperature: Some(0.5),
        top_p: Some(0.25),
        stop: vec!["END".into()],
        tool_choice: Some(ToolChoice::Tool("look".into())),
        ..RequestOptions::default()
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
        thinking_by: ChosenBy::User,
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
                        detail: None,
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
        options: RequestOptions::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_choice_needs_its_tool() {
        let with = |choice: ToolChoice| {
            let mut request = example("any");
            request.options.tool_choice = Some(choice);
            request
        };
        let sent = |request: &StepRequest| {
            let mut notes = Vec::new();
            let choice = tool_choice(request, &mut notes).cloned();
            (choice, notes.len())
        };
        let look = ToolChoice::Tool("look".into());
        assert_eq!(sent(&with(look.clone())), (Some(look), 0));
        assert_eq!(sent(&with(ToolChoice::Tool("fly".into()))), (None, 1));
        let mut without = with(ToolChoice::Required);
        without.tools.clear();
        assert_eq!(sent(&without), (None, 1));
        assert_eq!(sent(&example("any")), (None, 0));
    }

    #[test]
    fn options_are_stored_as_they_are_set() {
        let options = example_options();
        let stored = serde_json::to_value(&options).unwrap();
        assert_eq!(
            stored,
            json!({"maxTokens": 500, "temperature": 0.5, "topP": 0.25, "stop": ["END"],
                "toolChoice": {"tool": "look"}})
        );
        let read: RequestOptions = serde_json::from_value(stored).unwrap();
        assert_eq!(read, options);
        let empty: RequestOptions = serde_json::from_value(json!({})).unwrap();
        assert_eq!(empty, RequestOptions::default());
        assert_eq!(json!(empty), json!({}));
    }

    #[test]
    fn pictures_are_replaced_by_a_sentence_each() {
        let mut request = example("any");
        assert_eq!(replace_images(&mut request.messages), 1);
        assert_eq!(replace_images(&mut request.messages), 0);
        assert_eq!(request.messages[0].blocks[0], Block::text(NO_PICTURE));
    }
}
