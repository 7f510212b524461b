//! Whether a tool call may run: by rule, by an earlier answer, or only after asking.
//!
//! Deny beats ask beats allow, whatever file a rule comes from; what no rule names asks, unless
//! the tool only reads. An answer of the user's settles an ask, never a deny, and only for
//! exactly the call it was given for: see [`answer`]. A call that gives a tool originals which a
//! guard redacted asks, unless the tool is local; no rule, hook or answer to the same call without
//! originals settles that. What cannot be understood is read as the
//! stricter thing and told; nothing here fails open.

pub mod answer;
mod argument;
mod names;
mod rule;
mod rules;
mod settings;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use weir_protocol::{Decision, DecisionScope};

use super::{Access, Reach, Tool};
pub use answer::{Binding, Covered};
pub(crate) use names::names_of;
pub use rule::{Effect, Rule};
pub use rules::{Naming, Rules};
pub use settings::{RuleFile, read_rules, unreadable};

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

/// What a call is about, for the rules that name an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Every string of the input counts.
    Input,
    /// The same place in all its spellings: as given, and where it really leads. From the
    /// project folder on, with `/`.
    Paths(Vec<String>),
    /// A command.
    Command(String),
}

/// A call at the moment it was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    pub verdict: Verdict,
    pub binding: Binding,
    pub subject: Subject,
    pub originals: Originals,
}

/// Whether a call gives a tool that is not local what guards redacted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Originals {
    #[default]
    Withheld,
    /// The originals of these placeholders.
    Passed(Vec<String>),
}

impl Originals {
    /// What a tool would be given by an input that holds the originals of these placeholders.
    pub fn given(tool: &dyn Tool, placeholders: &[String]) -> Self {
        match tool.reach() {
            Reach::Elsewhere if !placeholders.is_empty() => Self::Passed(placeholders.to_vec()),
            Reach::Elsewhere | Reach::Local => Self::Withheld,
        }
    }

    pub fn placeholders(&self) -> &[String] {
        match self {
            Self::Withheld => &[],
            Self::Passed(placeholders) => placeholders,
        }
    }

    /// A yes to a call is no yes to the same call with originals.
    pub(crate) fn bind(&self, binding: Binding) -> Binding {
        match self {
            Self::Withheld => binding,
            Self::Passed(_) => binding.with_originals(),
        }
    }

    fn reason(&self, other: &str) -> String {
        match self {
            Self::Withheld => other.to_owned(),
            Self::Passed(placeholders) => {
                let passed = format!(
                    "It would be given what a guard redacted: the originals of {}.",
                    placeholders.join(", ")
                );
                format!("{passed} {other}").trim_end().to_owned()
            }
        }
    }
}

/// What is looked at to judge a call.
#[derive(Clone, Copy)]
struct Judging<'a> {
    tool: &'a dyn Tool,
    input: &'a Value,
    subject: &'a Subject,
    binding: &'a Binding,
    originals: &'a Originals,
}

/// The rules of a project and the answers given so far.
#[derive(Clone, Debug, Default)]
pub struct Permissions {
    rules: Arc<Rules>,
    answers: HashMap<Binding, Decision>,
}

impl Permissions {
    pub fn new(rules: Arc<Rules>) -> Self {
        Self {
            rules,
            answers: HashMap::new(),
        }
    }

    /// With answers of before: the project's, or a session's from its log. Of two on the same
    /// call a no counts, whichever came first.
    pub fn with_answers(mut self, answers: impl IntoIterator<Item = (Binding, Decision)>) -> Self {
        for (binding, decision) in answers {
            let kept = self.answers.entry(binding).or_insert(decision);
            if decision == Decision::Deny {
                *kept = decision;
            }
        }
        self
    }

    pub fn verdict(&self, tool: &dyn Tool, input: &Value) -> Verdict {
        self.judge(tool, input, Originals::Withheld, None).verdict
    }

    /// Whether a rule, or an answer to exactly this, has anything to say about the call.
    pub fn rules_on(&self, tool: &dyn Tool, input: &Value, judged: &Judged) -> bool {
        let Judged {
            subject, binding, ..
        } = judged;
        let name = tool.definition().name;
        let naming = self.rules.naming(&name);
        naming.strongest(subject, input).is_some() || self.answers.contains_key(binding)
    }

    /// Looks once at where the call leads, so that all it says is about the same.
    /// `covered` is how the call is spelled where its input holds originals.
    pub fn judge(
        &self,
        tool: &dyn Tool,
        input: &Value,
        originals: Originals,
        covered: Option<&Covered>,
    ) -> Judged {
        let subject = tool.subject(input);
        let binding = Binding::spelled_about(tool, input, &subject, covered);
        let binding = originals.bind(binding);
        let call = Judging {
            tool,
            input,
            subject: &subject,
            binding: &binding,
            originals: &originals,
        };
        Judged {
            verdict: self.verdict_on(&call),
            binding,
            subject,
            originals,
        }
    }

    fn verdict_on(&self, call: &Judging) -> Verdict {
        let Judging {
            tool,
            input,
            subject,
            binding,
            originals,
        } = *call;
        let name = tool.definition().name;
        let naming = self.rules.naming(&name);
        let matched = naming.strongest(subject, input);
        let answer = self.answers.get(binding);
        if let Some(rule) = matched.filter(|rule| rule.effect == Effect::Deny) {
            return Verdict::Deny {
                reason: rule.reason(),
            };
        }
        match answer {
            Some(Decision::Allow) => return Verdict::Allow,
            Some(Decision::Deny) => {
                return Verdict::Deny {
                    reason: "The user said no to exactly this before.".into(),
                };
            }
            None => {}
        }
        match matched.map(|rule| (rule.effect, rule)) {
            Some((Effect::Deny | Effect::Ask, rule)) => Verdict::Ask {
                reason: originals.reason(&rule.reason()),
            },
            // No rule speaks for originals.
            Some((Effect::Allow, _)) | None if *originals != Originals::Withheld => Verdict::Ask {
                reason: originals.reason(""),
            },
            Some((Effect::Allow, _)) => Verdict::Allow,
            None => match tool.access() {
                Access::ReadOnly => Verdict::Allow,
                Access::Changes => Verdict::Ask {
                    reason: "No rule says whether it may.".to_owned(),
                },
            },
        }
    }

    /// Keeps what the user said as far as it reaches beyond this call. The binding it is kept
    /// under goes into the log, or into the database for the whole project; none for `Once`.
    pub fn remember(
        &mut self,
        binding: &Binding,
        decision: Decision,
        scope: DecisionScope,
    ) -> Option<Binding> {
        match scope {
            DecisionScope::Once => None,
            DecisionScope::Session | DecisionScope::Project => {
                self.answers.insert(binding.clone(), decision);
                Some(binding.clone())
            }
        }
    }
}
