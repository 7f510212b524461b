//! What the web view receives. It holds no markdown library: text arrives as clean HTML.

use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

use crate::{Event, PromptLook, SessionSummary, Settings};

/// An event and, where it has text to show, the HTML it changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    #[serde(flatten)]
    pub event: Event,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rendered: Option<Rendered>,
    /// What the placeholders in its plain texts stand for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Restored>>")]
    pub restored: Vec<Restored>,
}

/// What a guard took out of a text of the open session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Restored {
    pub placeholder: String,
    /// Absent where it was taken out of a reply: that is shown when the user asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub original: Option<String>,
}

/// A change to one run of text. A run is what reads as one text: neighbouring text blocks of
/// a turn (a provider cuts one paragraph into several when it cites), or one thinking block.
/// Keep the first `from` pieces, put `pieces` after them, and `tail` last. Applying it twice
/// changes nothing; holding fewer than `from` pieces means something was missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rendered {
    /// The `block_index` of the run's first block.
    pub run: u32,
    pub from: u32,
    /// Finished pieces of HTML; they never change again.
    pub pieces: Vec<String>,
    /// The piece that still grows.
    pub tail: String,
}

/// A session as it stands, opened at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub session: SessionSummary,
    /// Frames with the same number continue this snapshot; others belong to an older one.
    pub watch: u32,
    /// The last stored events of the active path, oldest first, starting with a user message or
    /// the session.
    pub events: Vec<Shown>,
    /// Whether the path has stored events before the first one here.
    pub has_earlier: bool,
    /// The session's last sequence number, where it is not the one of the last event here: the
    /// newest events are of another branch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub last_sequence: Option<u64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Branches>>")]
    pub branches: Vec<Branches>,
    /// The chunks of blocks that are still growing, merged, one a block.
    pub growing: Vec<Shown>,
}

/// The turns that stand in one place of a conversation: a prompt, and the same one edited or
/// asked again. Only places with more than one are told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Branches {
    /// The one that is read.
    pub turn: Uuid,
    /// All of them, itself too, in the order they were asked.
    pub turns: Vec<Uuid>,
}

/// Stored events of the active path before the ones the window has, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub events: Vec<Shown>,
    pub has_earlier: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Branches>>")]
    pub branches: Vec<Branches>,
}

/// At most one per animation frame crosses to the web view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Frame {
    pub watch: u32,
    /// Events of the session that the window has open.
    pub events: Vec<Shown>,
    /// Sessions whose line in the list changed.
    pub sessions: Vec<SessionSummary>,
    pub deleted: Vec<Uuid>,
    pub notices: Vec<Notice>,
    /// Prompts that hooks look at, and those that they are done with, in order.
    pub looks: Vec<PromptLook>,
}

/// Something the user should know that belongs to no session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    pub code: String,
    pub message: String,
}

/// What the window needs to draw its first frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Startup {
    pub version: String,
    pub settings: Settings,
    pub sessions: Vec<SessionSummary>,
    pub notices: Vec<Notice>,
}
