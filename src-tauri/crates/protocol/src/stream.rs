//! Stream events: the source-neutral things one step of a source says, in the order it says
//! them. Past `source/`, nothing knows any other form.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Citation, ErrorBody, ExecutedBy, StopReason, Usage};

/// Names a block inside one step; its start, deltas and end share it.
pub type BlockId = u32;

/// Fields marked *delta* add to what came before; *snapshot* ones replace it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum StreamEvent {
    Start {
        message_id: Option<String>,
        model: Option<String>,
    },
    /// One line about what the source is doing, whole.
    Status {
        message: String,
    },
    TextStart {
        id: BlockId,
    },
    /// `text`: delta.
    TextDelta {
        id: BlockId,
        text: String,
    },
    /// `signature`: the source's own seal of the text, whole. `detail`: what else the source
    /// says of the text and wants back.
    TextEnd {
        id: BlockId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<Value>,
    },
    ThinkingStart {
        id: BlockId,
    },
    /// `text`: delta.
    ThinkingDelta {
        id: BlockId,
        text: String,
    },
    /// `signature` and `redacted`: whole, known only now. `detail`: the source's own form of the
    /// thinking, or what else it says of it, and wants back.
    ThinkingEnd {
        id: BlockId,
        signature: Option<String>,
        redacted: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<Value>,
    },
    ToolUseStart {
        id: BlockId,
        tool_call_id: String,
        name: String,
        executed_by: ExecutedBy,
        /// What else the source says of a call it runs itself, and wants back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<Value>,
    },
    /// `json`: delta of the input's text.
    ToolUseDelta {
        id: BlockId,
        json: String,
    },
    /// `input`: whole; a string when what came was no JSON; null when the source gave up the
    /// call half way, so that nobody may run it. `signature`: the source's own seal, whole.
    ToolUseEnd {
        id: BlockId,
        input: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    /// A result that the source itself produced, whole.
    ToolResult {
        tool_call_id: String,
        name: String,
        result: Value,
        is_error: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<Value>,
    },
    /// Belongs to the open text block `id`.
    Citation {
        id: BlockId,
        citation: Citation,
    },
    /// Something made, whole: a picture, a sound. `url` is a `data:` address when it came
    /// inside the stream.
    File {
        url: String,
        media_type: String,
    },
    /// Snapshot: the whole list, new.
    TodoCreate {
        todos: Vec<Todo>,
    },
    /// Snapshot: the whole list, changed.
    TodoUpdate {
        todos: Vec<Todo>,
    },
    /// One of the list is done.
    TodoDone {
        todo: Todo,
    },
    /// A helper began. `subagent_id` is the call that asked for it, where the source says.
    SubagentStart {
        subagent_id: Option<String>,
        name: String,
        task: String,
    },
    SubagentEnd {
        subagent_id: Option<String>,
        name: String,
        /// What it came back with; empty when the source does not say.
        summary: String,
        is_error: bool,
    },
    /// Snapshot: all that the step has used so far. `is_total` when the source itself added
    /// up several requests.
    Usage {
        usage: Usage,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        is_total: bool,
    },
    /// What an agent says of its whole run; each field only where it says so.
    Result {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session_id: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        duration_ms: Option<u64>,
        /// How many requests it made.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turns: Option<u64>,
        /// In US dollars, by the agent's own count.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost: Option<f64>,
    },
    Error {
        error: ErrorBody,
    },
    /// The source said it was done.
    Done {
        stop_reason: Option<StopReason>,
    },
    /// What the dialect does not know, as it came.
    Raw {
        value: Value,
    },
}

/// One line of a list that a source works off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    pub content: String,
    pub status: TodoStatus,
}

impl fmt::Display for Todo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = match self.status {
            TodoStatus::Pending => '☐',
            TodoStatus::InProgress => '◐',
            TodoStatus::Completed => '☑',
            TodoStatus::Cancelled => '☒',
        };
        write!(f, "{mark} {}", self.content)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    #[default]
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// What a whole stream came to: `weir normalize --to summary`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    pub model: Option<String>,
    pub message_ids: Vec<String>,
    pub text: String,
    pub thinking: String,
    pub signatures: usize,
    pub tool_calls: Vec<ToolCallSummary>,
    pub tool_results: usize,
    pub citations: usize,
    pub usage: Option<UsageSummary>,
    pub stop_reason: Option<StopReason>,
    pub complete: bool,
    pub errors: Vec<ErrorBody>,
    pub stream_events: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCallSummary {
    pub id: String,
    pub name: String,
    pub input: Value,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageSummary {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    pub total_tokens: u64,
}

impl From<&Usage> for UsageSummary {
    fn from(usage: &Usage) -> Self {
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            reasoning_tokens: usage.reasoning_tokens,
            cache_read_tokens: usage.cache_read_tokens,
            cache_write_tokens: usage.cache_write_tokens,
            total_tokens: usage.total_tokens(),
        }
    }
}
