//! Events: what is stored, published to the window and printed by the command line.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;
use uuid::Uuid;

use crate::{
    BudgetLevel, BudgetUnit, Detection, ErrorBody, GuardVerdict, HookEvent, HookOutcome, Origin,
    RequestOptions, Thinking, Usage,
};

/// One thing that happened in a session. The same `id` twice is one event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    pub id: Uuid,
    pub session_id: Uuid,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub turn_id: Option<Uuid>,
    #[serde(flatten)]
    pub body: EventBody,
    /// Counts every event of the session, chunks too; never resets.
    pub event_index: u64,
    /// Counts the stored events of the session from 1 without a gap; absent on chunks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub sequence_number: Option<u64>,
    /// The block's place in its turn; a chunk and its finished block share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub block_index: Option<u32>,
    /// The provider's id of the message this belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message_id: Option<String>,
    pub persistence_state: PersistenceState,
    #[ts(type = "string")]
    pub timestamp: Timestamp,
}

/// `transient`: a chunk, kept in the journal until its block is finished. `pending`: on its
/// way to the log, never shown. `persisted`: in the log, with a sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PersistenceState {
    Transient,
    Pending,
    Persisted,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum EventBody {
    SessionStart {
        source: String,
        model: String,
        /// A fork begins with a copy of another session up to one of its turns.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        forked_from: Option<Origin>,
        /// The folder it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        project: Option<String>,
    },
    /// `source` and `model` are what the turn was asked of.
    UserMessage {
        content: String,
        source: String,
        model: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// What the model was told beforehand; later turns tell it the same.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        system: Option<String>,
        /// The turn whose place this one takes: the same prompt asked again, or an edited one.
        /// The other stays in the log, on a branch of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        replaces: Option<Uuid>,
        /// How much the model may think; absent in turns from before this was kept.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        thinking: Option<Thinking>,
        /// What else the user set for the turn.
        #[serde(default, skip_serializing_if = "RequestOptions::is_empty")]
        #[ts(as = "Option<RequestOptions>", optional)]
        options: RequestOptions,
    },
    /// The user went back to another branch: the one that `turn` is on is read from now on.
    BranchChoice {
        turn: Uuid,
    },
    /// `redacted` is the provider's sealed form of thinking it does not show.
    Thinking {
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        redacted: Option<String>,
        duration_ms: u64,
        /// What else the provider says of it, or its own form of it; sent back as it came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        detail: Option<Value>,
    },
    Message {
        content: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<Citation>,
        /// The provider's own seal, sent back with the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        signature: Option<String>,
        /// What else the provider says of the text, and wants back.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        detail: Option<Value>,
    },
    /// Something the model made: a picture, a sound.
    File {
        /// A `data:` address when it came inside the stream.
        url: String,
        media_type: String,
    },
    /// `signature` and `detail` are the provider's own, sent back as they came.
    ToolUse {
        tool_call_id: String,
        tool_name: String,
        #[ts(type = "unknown")]
        input: Value,
        executed_by: ExecutedBy,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        detail: Option<Value>,
    },
    ToolResult {
        tool_call_id: String,
        tool_name: String,
        #[ts(type = "unknown")]
        result: Value,
        is_error: bool,
        /// From the finished request for the tool to its result.
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "unknown")]
        detail: Option<Value>,
    },
    Processing {
        content: String,
        duration_ms: u64,
    },
    /// A tool call waits for the user's word. Without a decision for the same call after it, it
    /// is unanswered.
    PermissionRequest {
        tool_call_id: String,
        tool_name: String,
        #[ts(type = "unknown")]
        input: Value,
        /// Why it asks, in a sentence.
        reason: String,
    },
    PermissionDecision {
        tool_call_id: String,
        tool_name: String,
        decision: Decision,
        scope: DecisionScope,
        decided_by: DecidedBy,
        /// Other calls of the same step still wait for the user's word.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        others_wait: bool,
        /// The very call it was given for, where it reaches further than that call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        binding: Option<String>,
    },
    /// The step failed and is asked again after `delay_ms`.
    Retry {
        /// Counts from 1.
        attempt: u32,
        most_attempts: u32,
        delay_ms: u64,
        error: ErrorBody,
    },
    /// The conversation no longer fitted: from now on `content` is sent in place of what came
    /// before the turn `keeps_from`, or of everything when that is absent.
    Compaction {
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        keeps_from: Option<Uuid>,
        tokens_before: u64,
    },
    /// Guards found something in what is about to be sent: the prompt, or a tool's result.
    GuardrailsTriggered {
        verdict: GuardVerdict,
        /// The kinds of rules that found it.
        plugins: Vec<String>,
        detections: Vec<Detection>,
        count: u32,
        /// The call whose result it was; absent for the prompt.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        tool_call_id: Option<String>,
    },
    /// Guards found something in what the source said, in the block of this `block_index`.
    OutputGuardrailsTriggered {
        verdict: GuardVerdict,
        plugins: Vec<String>,
        detections: Vec<Detection>,
        count: u32,
    },
    /// One of the user's hooks has run.
    Hook {
        hook_event: HookEvent,
        /// What ran, as the user wrote it.
        command: String,
        outcome: HookOutcome,
        duration_ms: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        exit_code: Option<i32>,
        /// Why it blocked or failed, or what it has to say to the user.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        message: Option<String>,
        /// What it has to say to the model; goes with every request from here on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        context: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        tool_call_id: Option<String>,
    },
    /// A budget is nearly spent, or spent, or does not count.
    Budget {
        level: BudgetLevel,
        /// Whose limit it is, in words a person reads.
        name: String,
        /// US dollars or tokens, as `unit` says.
        limit: f64,
        spent: f64,
        unit: BudgetUnit,
        /// What the step that was not begun would have needed alone.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        needed: Option<f64>,
        /// The model that is not counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        model: Option<String>,
        /// Not for its price, but because its provider charges for tools of its own.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        own_tools: bool,
    },
    /// What was remembered and goes with the prompt, by id: what has been forgotten since is
    /// nowhere any more.
    Memories {
        memories: Vec<Uuid>,
    },
    /// What one request to a source used: a step, an attempt that was made again, a summary.
    /// `cost` is in US dollars at the price of that moment, and `saved` what the source's cache
    /// saved against the full price of input; writing to it costs, so it can be below zero.
    Usage {
        usage: Usage,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cost: Option<f64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        saved: Option<f64>,
        model: String,
        /// From the request to the first chunk; absent when nothing came.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        first_chunk_ms: Option<u64>,
        duration_ms: u64,
        /// The source did not tell its last count: this is what it must have been at the least.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(optional, as = "Option<bool>")]
        is_estimate: bool,
    },
    /// The turn is over; `usage` and `cost` are those of all its steps.
    Complete {
        stop_reason: StopReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        usage: Option<Usage>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        cost: Option<f64>,
    },
    /// The turn is over because something failed; what arrived before is kept.
    Error {
        error: ErrorBody,
    },
    /// Something the source said that its dialect does not know, as it came. Kept for whoever
    /// looks for it, never shown in the conversation and never sent back.
    Raw {
        #[ts(type = "unknown")]
        value: Value,
        /// It was too large, or the session keeps no more of these: `value` is the beginning of
        /// its JSON text, or null.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        #[ts(as = "Option<bool>", optional)]
        is_cut: bool,
    },
    ThinkingChunk {
        content: String,
    },
    /// `citations` are those that came with this piece.
    MessageChunk {
        content: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        citations: Vec<Citation>,
    },
    /// `content` is a piece of the input's JSON text.
    ToolUseChunk {
        tool_call_id: String,
        tool_name: String,
        executed_by: ExecutedBy,
        content: String,
    },
    ProcessingChunk {
        content: String,
    },
}

/// A picture that goes with a prompt, in base64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    pub media_type: String,
    pub data: String,
}

/// Who runs a tool: the source on its own side, or Weir.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ExecutedBy {
    Source,
    Weir,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    Allow,
    Deny,
}

/// How far a decision reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DecisionScope {
    Once,
    Session,
    Project,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DecidedBy {
    User,
    /// A rule of the project's, or an answer the user gave before.
    Rule,
    /// One of the user's hooks.
    Hook,
    /// The turn ended before anybody answered.
    Nobody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    MaxTokens,
    StopSequence,
    ToolUse,
    PauseTurn,
    Refusal,
    ContentFilter,
    Error,
    /// The user stopped the turn.
    Cancelled,
    /// The turn had as many steps as it may have.
    MaxTurns,
    /// A guard or a hook let it go no further.
    Blocked,
    /// A budget is spent.
    Budget,
}

/// Where a statement comes from. Which fields are set depends on the provider.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Citation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub cited_text: Option<String>,
    /// How well the source fits what was asked, where the provider says so; mostly from 0 to 1,
    /// by its own measure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub relevance: Option<f64>,
    /// How sure the provider is that the source supports the statement; as above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub confidence: Option<f64>,
    /// The provider's own form, whole: what is sent back is exactly what came.
    #[ts(type = "unknown")]
    pub raw: Value,
}

impl EventBody {
    /// The name it goes by in JSON and in the database.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "session_start",
            Self::UserMessage { .. } => "user_message",
            Self::Thinking { .. } => "thinking",
            Self::Message { .. } => "message",
            Self::File { .. } => "file",
            Self::ToolUse { .. } => "tool_use",
            Self::ToolResult { .. } => "tool_result",
            Self::BranchChoice { .. } => "branch_choice",
            Self::Processing { .. } => "processing",
            Self::PermissionRequest { .. } => "permission_request",
            Self::PermissionDecision { .. } => "permission_decision",
            Self::Retry { .. } => "retry",
            Self::Compaction { .. } => "compaction",
            Self::GuardrailsTriggered { .. } => "guardrails_triggered",
            Self::OutputGuardrailsTriggered { .. } => "output_guardrails_triggered",
            Self::Hook { .. } => "hook",
            Self::Budget { .. } => "budget",
            Self::Memories { .. } => "memories",
            Self::Usage { .. } => "usage",
            Self::Complete { .. } => "complete",
            Self::Error { .. } => "error",
            Self::Raw { .. } => "raw",
            Self::ThinkingChunk { .. } => "thinking_chunk",
            Self::MessageChunk { .. } => "message_chunk",
            Self::ToolUseChunk { .. } => "tool_use_chunk",
            Self::ProcessingChunk { .. } => "processing_chunk",
        }
    }

    /// Chunks live in the journal and are replaced by their finished block.
    pub fn is_chunk(&self) -> bool {
        self.chunk().is_some()
    }

    /// The piece of text that a chunk adds; `None` for what is stored in the log.
    pub fn chunk(&self) -> Option<&str> {
        match self {
            Self::ThinkingChunk { content }
            | Self::MessageChunk { content, .. }
            | Self::ToolUseChunk { content, .. }
            | Self::ProcessingChunk { content } => Some(content),
            Self::SessionStart { .. }
            | Self::UserMessage { .. }
            | Self::Thinking { .. }
            | Self::Message { .. }
            | Self::File { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::BranchChoice { .. }
            | Self::Processing { .. }
            | Self::PermissionRequest { .. }
            | Self::PermissionDecision { .. }
            | Self::Retry { .. }
            | Self::Compaction { .. }
            | Self::GuardrailsTriggered { .. }
            | Self::OutputGuardrailsTriggered { .. }
            | Self::Hook { .. }
            | Self::Budget { .. }
            | Self::Memories { .. }
            | Self::Usage { .. }
            | Self::Complete { .. }
            | Self::Error { .. }
            | Self::Raw { .. } => None,
        }
    }

    /// The words of what is stored whole: what a search looks in.
    pub fn words(&self) -> Option<&str> {
        match self {
            Self::UserMessage { content, .. }
            | Self::Thinking { content, .. }
            | Self::Message { content, .. }
            | Self::Processing { content, .. }
            | Self::Compaction { content, .. } => Some(content),
            Self::SessionStart { .. }
            | Self::BranchChoice { .. }
            | Self::File { .. }
            | Self::ToolUse { .. }
            | Self::ToolResult { .. }
            | Self::PermissionRequest { .. }
            | Self::PermissionDecision { .. }
            | Self::Retry { .. }
            | Self::GuardrailsTriggered { .. }
            | Self::OutputGuardrailsTriggered { .. }
            | Self::Hook { .. }
            | Self::Budget { .. }
            | Self::Memories { .. }
            | Self::Usage { .. }
            | Self::Complete { .. }
            | Self::Error { .. }
            | Self::Raw { .. }
            | Self::ThinkingChunk { .. }
            | Self::MessageChunk { .. }
            | Self::ToolUseChunk { .. }
            | Self::ProcessingChunk { .. } => None,
        }
    }

    /// Takes in the chunk that follows in the same block; says whether both are chunks.
    pub fn absorb(&mut self, more: &Self) -> bool {
        match (self, more) {
            (
                Self::MessageChunk { content, citations },
                Self::MessageChunk {
                    content: more,
                    citations: also,
                },
            ) => {
                content.push_str(more);
                citations.extend_from_slice(also);
            }
            (Self::ThinkingChunk { content }, Self::ThinkingChunk { content: more })
            | (Self::ProcessingChunk { content }, Self::ProcessingChunk { content: more })
            | (Self::ToolUseChunk { content, .. }, Self::ToolUseChunk { content: more, .. }) => {
                content.push_str(more);
            }
            _ => return false,
        }
        true
    }
}

/// Joins neighbouring chunks of one block into the first of them; the rest stays as it is.
pub fn merge_chunks(events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut merged: Vec<Event> = Vec::new();
    for event in events {
        if let Some(last) = merged.last_mut()
            && last.session_id == event.session_id
            && last.turn_id == event.turn_id
            && last.block_index == event.block_index
            && last.body.absorb(&event.body)
        {
            continue;
        }
        merged.push(event);
    }
    merged
}
