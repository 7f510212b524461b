//! What Weir remembers, as the list of it is read.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

/// One thing that is remembered, in the user's own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Memory {
    pub id: Uuid,
    /// The folder it belongs to; absent for what was said outside of any project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub project: Option<String>,
    pub content: String,
    pub kind: MemoryKind,
    /// Where it was said. The session may be gone.
    pub session_id: Uuid,
    pub turn_id: Uuid,
    #[ts(type = "string")]
    pub created_at: Timestamp,
    /// When it was last said, edited or sent along.
    #[ts(type = "string")]
    pub seen_at: Timestamp,
    /// How often it was said again or sent along.
    pub uses: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// The user asked to remember it.
    Note,
    /// What a model shall always or never do.
    Instruction,
    /// Who the user is and what they like.
    Preference,
    /// How things are.
    Fact,
    /// What was settled.
    Decision,
}

/// All that is remembered of one project, or outside of any.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct MemoryList {
    pub switch: MemorySwitch,
    /// Newest first.
    pub memories: Vec<Memory>,
}

/// Whether things are remembered and sent along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemorySwitch {
    On,
    #[default]
    Off,
}

/// What to forget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(
    tag = "forget",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Forget {
    One {
        id: Uuid,
    },
    /// All that was said in a session.
    Session {
        session: Uuid,
    },
    /// All of a project's, or all that belongs to none.
    Project {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        project: Option<String>,
    },
    Everything,
}

/// What forgetting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Forgotten {
    pub count: u32,
    /// Whether every byte of it has left the files. Where another Weir was reading, the last
    /// ones leave a little later, or at the next start.
    pub swept: bool,
}
