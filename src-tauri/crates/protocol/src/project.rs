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
    #[ts(type = "string")]
    pub trusted_at: Timestamp,
}
