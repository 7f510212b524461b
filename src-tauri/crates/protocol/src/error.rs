//! What an error looks like once it leaves its layer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A code somebody may branch on, and one sentence for a person: what happened, what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// One of [`code`], or the provider's own word for it.
    pub code: String,
    pub message: String,
    /// Seconds after which the provider wants to be asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry_after: Option<u32>,
}

impl ErrorBody {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            retry_after: None,
        }
    }
}

/// The codes of Weir's own that somebody branches on.
pub mod code {
    /// The prompt was refused before anything was saved or sent.
    pub const BAD_INPUT: &str = "bad_input";
    /// No session with that id.
    pub const NO_SESSION: &str = "no_session";
    /// The session is answering already, here or in another Weir.
    pub const BUSY: &str = "busy";
    pub const UNKNOWN_SOURCE: &str = "unknown_source";
    /// The source wants a key and there is none.
    pub const NO_KEY: &str = "no_key";
    /// The keychain is locked, missing or refused.
    pub const KEYCHAIN: &str = "keychain";
    /// The source could not be reached, or the connection broke.
    pub const NETWORK: &str = "network";
    /// The source answered with something that is no stream.
    pub const BAD_RESPONSE: &str = "bad_response";
    /// The stream ended before the source said it was done.
    pub const STREAM_CUT: &str = "stream_cut";
    /// One frame grew past what a reader keeps in memory.
    pub const FRAME_TOO_LARGE: &str = "frame_too_large";
    /// Weir ended in the middle of a reply; what had been shown is kept.
    pub const INTERRUPTED: &str = "interrupted";
    /// The tool call was answered before, or nobody waits for the answer any more.
    pub const NOT_WAITING: &str = "not_waiting";
    /// The database refused a write or a read.
    pub const STORAGE: &str = "storage";
    /// The database belongs to a newer Weir.
    pub const NEWER_DATABASE: &str = "newer_database";
    /// The project folder is not trusted, or its rules allow more than was agreed to.
    pub const UNTRUSTED: &str = "untrusted";
    /// What a project brings has changed since the user agreed to it. Nothing failed.
    pub const PROJECT_CHANGED: &str = "project_changed";
    /// A guard or a hook let the prompt go no further; it is still the user's.
    pub const BLOCKED: &str = "blocked";
    /// A guard wants the user's word before the prompt is sent.
    pub const GUARD_ASKS: &str = "guard_asks";
    /// What guards took out cannot be shown, or not for long. Nothing failed.
    pub const REDACTION: &str = "redaction";
    /// A budget is spent.
    pub const BUDGET: &str = "budget";
    /// What is remembered could not be read or kept. The turn goes on without it.
    pub const MEMORY: &str = "memory";
    /// The user stopped the prompt before it was sent; it is still theirs.
    pub const STOPPED: &str = "stopped";
    /// The user was asked and said no.
    pub const DECLINED: &str = "declined";
}
