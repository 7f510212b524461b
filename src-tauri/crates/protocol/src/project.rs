//! A project as a list shows it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProjectSummary {
    /// The folder in its one true spelling.
    pub path: String,
    /// The folder's own name.
    pub name: String,
    /// Absent when it is not trusted, or no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "string")]
    pub trusted_at: Option<Timestamp>,
}
