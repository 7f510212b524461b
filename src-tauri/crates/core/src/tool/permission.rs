//! Whether a tool call may run: by rule, by an earlier answer, or only after asking.
//!
//! Pure. Deny beats ask beats allow; what no rule names asks, unless the tool only reads.

use std::collections::HashMap;

use serde_json::Value;
use weir_protocol::{Decision, DecisionScope};

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
pub struct Permissions {
    answers: HashMap<(String, String), Decision>,
}

impl Permissions {
    pub fn remember(
        &mut self,
        tool: &dyn Tool,
        input: &Value,
        decision: Decision,
        scope: DecisionScope,
    ) {
        if scope != DecisionScope::Once {
            let key = (tool.definition().name, input.to_string());
            self.answers.insert(key, decision);
        }
    }

    pub fn verdict(&self, tool: &dyn Tool, input: &Value) -> Verdict {
        let key = (tool.definition().name, input.to_string());
        match self.answers.get(&key) {
            Some(Decision::Allow) => return Verdict::Allow,
            Some(Decision::Deny) => {
                return Verdict::Deny {
                    reason: "The user said no to exactly this before.".into(),
                };
            }
            None => {}
        }
        match tool.access() {
            Access::ReadOnly => Verdict::Allow,
            Access::Changes => Verdict::Ask {
                reason: "No rule says whether it may.".to_owned(),
            },
        }
    }
}
