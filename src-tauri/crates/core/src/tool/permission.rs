//! Whether a tool call may run: by rule, by an earlier answer, or only after asking.
//!
//! Pure. Deny beats ask beats allow; what no rule names asks, unless the tool only reads.

use serde_json::Value;

use super::{Access, Tool};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Allow,
    /// The user has to say; `reason` tells them why, in a sentence.
    Ask {
        reason: String,
    },
    /// `reason` is for the model and the user alike.
    Deny {
        reason: String,
    },
}

/// The rules of a project and the answers given so far.
#[derive(Clone, Debug, Default)]
pub struct Permissions {}

impl Permissions {
    pub fn verdict(&self, tool: &dyn Tool, _input: &Value) -> Verdict {
        match tool.access() {
            Access::ReadOnly => Verdict::Allow,
            Access::Changes => Verdict::Ask {
                reason: "No rule says whether it may.".to_owned(),
            },
        }
    }
}
