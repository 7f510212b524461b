//! What a hook is told: the JSON on its stdin, field for field as users' own hooks expect it.

use std::path::PathBuf;

use serde_json::{Map, Value, json};
use uuid::Uuid;
use weir_protocol::HookEvent;

use crate::tool::permission::names_of;

#[derive(Clone, Debug, PartialEq)]
pub struct HookInput {
    pub session: Uuid,
    /// The project's folder.
    pub cwd: PathBuf,
    pub point: Point,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Point {
    UserPromptSubmit {
        prompt: String,
    },
    PreToolUse {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
    },
    PostToolUse {
        tool_name: String,
        tool_input: Value,
        tool_use_id: String,
        tool_response: Value,
    },
    Notification {
        kind: Notification,
        message: String,
    },
    Stop {
        stop_hook_active: bool,
    },
    SubagentStop {
        stop_hook_active: bool,
    },
    /// Weir makes a conversation shorter by itself only.
    PreCompact,
    SessionStart {
        source: SessionSource,
    },
}

/// What a matcher of notifications is held against; not told to the hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notification {
    PermissionPrompt,
    BudgetWarning,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionSource {
    Startup,
    Resume,
}

impl SessionSource {
    fn name(self) -> &'static str {
        match self {
            Self::Startup => "startup",
            Self::Resume => "resume",
        }
    }
}

const TRIGGER: &str = "auto";

impl Point {
    pub fn event(&self) -> HookEvent {
        match self {
            Self::UserPromptSubmit { .. } => HookEvent::UserPromptSubmit,
            Self::PreToolUse { .. } => HookEvent::PreToolUse,
            Self::PostToolUse { .. } => HookEvent::PostToolUse,
            Self::Notification { .. } => HookEvent::Notification,
            Self::Stop { .. } => HookEvent::Stop,
            Self::SubagentStop { .. } => HookEvent::SubagentStop,
            Self::PreCompact => HookEvent::PreCompact,
            Self::SessionStart { .. } => HookEvent::SessionStart,
        }
    }

    /// What a matcher is held against: any of these. None where there is nothing to tell apart,
    /// so that every hook of the point runs. A tool has its own name and those by which users'
    /// files call it.
    pub(super) fn subjects(&self) -> Option<Vec<&str>> {
        match self {
            Self::PreToolUse { tool_name, .. } | Self::PostToolUse { tool_name, .. } => {
                Some(names_of(tool_name).collect())
            }
            Self::Notification { kind, .. } => Some(vec![match kind {
                Notification::PermissionPrompt => "permission_prompt",
                Notification::BudgetWarning => "budget_warning",
            }]),
            Self::PreCompact => Some(vec![TRIGGER]),
            Self::SessionStart { source } => Some(vec![source.name()]),
            Self::UserPromptSubmit { .. } | Self::Stop { .. } | Self::SubagentStop { .. } => None,
        }
    }

    fn fields(&self) -> Value {
        match self {
            Self::UserPromptSubmit { prompt } => json!({ "prompt": prompt }),
            Self::PreToolUse {
                tool_name,
                tool_input,
                tool_use_id,
            } => json!({
                "tool_name": tool_name,
                "tool_input": tool_input,
                "tool_use_id": tool_use_id,
            }),
            Self::PostToolUse {
                tool_name,
                tool_input,
                tool_use_id,
                tool_response,
            } => json!({
                "tool_name": tool_name,
                "tool_input": tool_input,
                "tool_use_id": tool_use_id,
                "tool_response": tool_response,
            }),
            Self::Notification { message, .. } => json!({ "message": message }),
            Self::Stop { stop_hook_active } | Self::SubagentStop { stop_hook_active } => {
                json!({ "stop_hook_active": stop_hook_active })
            }
            Self::PreCompact => json!({ "trigger": TRIGGER, "custom_instructions": "" }),
            Self::SessionStart { source } => json!({ "source": source.name() }),
        }
    }
}

impl HookInput {
    pub fn json(&self) -> Value {
        let mut all = Map::new();
        all.insert("session_id".into(), self.session.to_string().into());
        // There is no such file: what was said lives in the database, and `weir events` tells it.
        all.insert("transcript_path".into(), "".into());
        all.insert("cwd".into(), self.cwd.to_string_lossy().into());
        let event = json!(self.point.event());
        all.insert("hook_event_name".into(), event);
        if let Value::Object(fields) = self.point.fields() {
            all.extend(fields);
        }
        Value::Object(all)
    }
}
