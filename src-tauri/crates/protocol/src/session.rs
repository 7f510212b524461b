//! A session as a list shows it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

use crate::{RequestOptions, Thinking};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    pub id: Uuid,
    pub title: String,
    /// What the session's next turn is asked of: the choice made for this session, else what its
    /// last turn was asked of.
    pub source: String,
    pub model: String,
    /// Absent for a session from before this was kept; it follows the default then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub thinking: Option<Thinking>,
    #[serde(default, skip_serializing_if = "RequestOptions::is_empty")]
    #[ts(as = "Option<RequestOptions>", optional)]
    pub options: RequestOptions,
    pub status: SessionStatus,
    pub turns: u64,
    pub tokens: u64,
    /// US dollars, of the steps whose price was known; absent when none was.
    pub cost: Option<f64>,
    #[ts(type = "string")]
    pub created_at: Timestamp,
    #[ts(type = "string")]
    pub updated_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub forked_from: Option<Origin>,
}

/// A change to what a session's next turn is asked of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(
    tag = "set",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum SessionChange {
    Model { source: String, model: String },
    Thinking { thinking: Thinking },
    Options { options: RequestOptions },
}

/// What a new session begins with; a session that is there keeps its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct NewSession {
    /// The folder it is about.
    #[ts(optional)]
    pub project: Option<String>,
    #[ts(optional)]
    pub options: Option<RequestOptions>,
}

/// Where a fork comes from. The session it names may have been deleted since.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    pub session: Uuid,
    /// The last turn that was copied.
    pub turn: Uuid,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SessionStatus {
    Idle,
    /// A turn is streaming, here or in another Weir on the same database.
    Running,
    /// A turn waits for the user's word on a tool call.
    Waiting,
    /// Weir ended in the middle of the last turn.
    Interrupted,
    /// The last turn ended in an error.
    Failed,
}

impl SessionStatus {
    pub fn name(self) -> &'static str {
        match self {
            Self::Idle => "idle",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
        }
    }

    /// The inverse of [`Self::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        [
            Self::Idle,
            Self::Running,
            Self::Waiting,
            Self::Interrupted,
            Self::Failed,
        ]
        .into_iter()
        .find(|status| status.name() == name)
    }
}
