//! What guards, hooks and budgets come to.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a guard makes of a text, from the mildest to the strictest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GuardVerdict {
    Allow,
    /// What was found is replaced by a placeholder.
    Redact,
    Warn,
    /// The user decides before it goes on.
    Ask,
    Block,
}

/// The user's word where a guard asks before a prompt is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GuardChoice {
    #[default]
    Unasked,
    /// What was asked about goes as it is.
    AsItIs,
    /// What was asked about is taken out.
    Redact,
}

/// What kind of thing a rule looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GuardCategory {
    Secret,
    Personal,
    Injection,
    Custom,
}

/// Something a rule found, and where; never what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Detection {
    pub rule: String,
    pub category: GuardCategory,
    /// Offsets in bytes of the text that was checked.
    pub start: u64,
    pub end: u64,
    /// What stands in its place, where it was taken out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub placeholder: Option<String>,
}

/// The points at which hooks run; named as in the users' own files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
pub enum HookEvent {
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    Notification,
    Stop,
    SubagentStop,
    PreCompact,
    SessionStart,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// It ran and had no objection.
    Passed,
    /// It said no.
    Blocked,
    /// It failed; what it was to guard went on, or did not when the hook says so.
    Failed,
    TimedOut,
    /// The turn was stopped first.
    Stopped,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BudgetLevel {
    /// Four fifths are spent.
    Warning,
    Spent,
    /// The user let it go on for once.
    Raised,
    /// What a model costs is not known, so a budget of money could not count it, and nothing more
    /// is sent until the user agrees to that.
    Unpriced,
    /// The user agreed that this session uses such a model without counting it.
    Uncounted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BudgetUnit {
    Dollars,
    Tokens,
}
