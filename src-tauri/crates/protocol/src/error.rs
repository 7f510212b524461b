//! What an error looks like once it leaves its layer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A code somebody may branch on, and one sentence for a person: what happened, what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ErrorBody {
    /// One of [`code`].
    pub code: String,
    pub message: String,
    /// Seconds after which the provider wants to be asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub retry_after: Option<u32>,
    /// What the provider itself said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub details: Option<Box<ErrorDetails>>,
}

/// A provider's own words for an error, bounded and checked like every other text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ErrorDetails {
    /// Its code or type: `insufficient_quota`, `overloaded_error`, `RESOURCE_EXHAUSTED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub code: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub message: Option<String>,
    /// The HTTP status, of the answer or as the error names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub status: Option<u16>,
    /// Which part of the request it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub param: Option<String>,
}

impl ErrorBody {
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            retry_after: None,
            details: None,
        }
    }

    /// Whether it tells a reader the same; a stream may repeat an error with fewer details.
    pub fn says_the_same(&self, other: &Self) -> bool {
        self.code == other.code && self.message == other.message
    }

    /// Every text in it, for whoever checks or shortens them.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let details = self.details.as_deref_mut().map(|details| {
            let ErrorDetails {
                code,
                message,
                status: _,
                param,
            } = details;
            [code, message, param].into_iter().flatten()
        });
        [&mut self.code, &mut self.message]
            .into_iter()
            .chain(details.into_iter().flatten())
    }
}

/// Every code of an error. The first group is what becomes of a provider's own codes and
/// statuses, whichever provider it is.
pub mod code {
    /// Too many requests or tokens for now.
    pub const RATE_LIMITED: &str = "rate_limited";
    /// The provider has too much to do just now.
    pub const OVERLOADED: &str = "overloaded";
    /// The key is wrong, revoked, or may not do this.
    pub const INVALID_KEY: &str = "invalid_key";
    /// The account has no money or no plan for this.
    pub const NO_CREDIT: &str = "no_credit";
    /// The conversation is longer than the model takes.
    pub const CONTEXT_TOO_LONG: &str = "context_too_long";
    pub const MODEL_NOT_FOUND: &str = "model_not_found";
    /// The provider does not answer this for reasons of policy, safety or place.
    pub const REFUSED: &str = "refused";
    /// The provider does not accept the request as it was built.
    pub const INVALID_REQUEST: &str = "invalid_request";
    /// Something broke at the provider's.
    pub const SERVER_ERROR: &str = "server_error";
    /// It took too long, by the provider's clock or by Weir's.
    pub const TIMEOUT: &str = "timeout";
    /// The source failed, and its words fit none of the others; see the details.
    pub const SOURCE_FAILED: &str = "source_failed";

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
    /// The reply reached a limit on its size; what arrived is kept.
    pub const REPLY_TOO_LONG: &str = "reply_too_long";
    /// Weir ended in the middle of a reply; what had been shown is kept.
    pub const INTERRUPTED: &str = "interrupted";
    /// The tool call was answered before, or nobody waits for the answer any more.
    pub const NOT_WAITING: &str = "not_waiting";
    /// The database refused a write or a read.
    pub const STORAGE: &str = "storage";
    /// The database was deleted or replaced while it was in use: nothing more is saved.
    pub const DATABASE_LOST: &str = "database_lost";
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
    /// The session's history would go to a recipient it has not been sent to, and the user has not
    /// agreed to that yet.
    pub const MOVE_ASKS: &str = "move_asks";
    /// The prompt, with what has to go with it, is more than the model takes. It was not sent.
    pub const PROMPT_TOO_LONG: &str = "prompt_too_long";
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
