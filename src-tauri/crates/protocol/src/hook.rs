//! Hooks as the settings show them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::{HookEvent, HookOutcome};

/// A hook of a trusted folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HookSummary {
    /// Another one for every other definition.
    pub id: String,
    /// The folder in its one true spelling.
    pub project: String,
    pub project_name: String,
    /// The file that defines it.
    pub origin: String,
    pub event: HookEvent,
    /// Empty for all.
    pub matcher: String,
    /// What runs, as the user wrote it.
    pub command: String,
    pub timeout_ms: u64,
    /// Whether what it guards is held back when it fails.
    pub fails_closed: bool,
    /// Whether the user agreed to exactly this; it does not run otherwise.
    pub is_agreed: bool,
}

/// What came of a hook that was tried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HookTrial {
    pub outcome: HookOutcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// The beginning of what it wrote.
    pub stdout: String,
    pub stderr: String,
}
