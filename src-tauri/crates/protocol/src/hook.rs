//! Hooks as the settings show them.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

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
    /// How long it may take; zero for one that is not there.
    pub timeout_ms: u64,
    /// Whether what it guards is held back when it fails.
    pub fails_closed: bool,
    pub standing: HookStanding,
    /// The files and folders that are compared before each run, a line each with its size.
    pub watched: Vec<String>,
    /// Why it cannot be watched, and so does not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<String>,
}

/// How a hook stands to what the user agreed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HookStanding {
    /// To exactly this, so it runs.
    Agreed,
    /// Not to this: it does not run.
    Waiting,
    /// To this, and it is there with another byte: what it guards is held back.
    Changed,
    /// To this, and it is gone: what it guards is held back.
    Gone,
}

/// Hooks look at a prompt that is not saved yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptLook {
    /// The session it is for; none for a new one.
    pub session: Option<Uuid>,
    /// What they are known by; empty when they are done.
    pub hooks: Vec<String>,
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
