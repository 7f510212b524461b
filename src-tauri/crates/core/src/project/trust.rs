//! What the user agreed to, and how what is there now differs from it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::agreed::{AgreedHook, AgreedHooks};
use crate::tool::permission::{Effect, Rule};
use crate::tool::visible;

/// Kept in Weir's own database, never in the folder: a folder cannot vouch for itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Trust {
    /// The folder in its one true spelling.
    pub path: String,
    pub trusted_at: Timestamp,
    /// The files that were used, by name.
    pub(super) files: BTreeMap<String, Kept>,
    /// Sorted, each once.
    pub(super) rules: Vec<KeptRule>,
    /// The hooks that may run, by fingerprint.
    #[serde(default)]
    pub(super) hooks: AgreedHooks,
    /// The differences in hooks that the user has been told of.
    #[serde(default)]
    pub(super) told: BTreeSet<String>,
}

/// A file as it was; for one that could not be used, why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct KeptRule {
    pub(super) effect: Effect,
    pub(super) text: String,
}

impl KeptRule {
    pub(super) fn of(rule: &Rule) -> Self {
        Self {
            effect: rule.effect,
            text: rule.text.clone(),
        }
    }
}

impl Trust {
    /// The hooks that hold back while they are not there.
    pub fn guarding(&self) -> impl Iterator<Item = &AgreedHook> {
        self.hooks.values().filter(|hook| hook.holds_back())
    }

    /// What `now` allows beyond this, if it does: a new allow, or a rule that held back and is
    /// gone.
    pub(super) fn looser_in(&self, now: &Self) -> Option<String> {
        let added = now
            .rules
            .iter()
            .filter(|rule| rule.effect == Effect::Allow && !self.rules.contains(rule))
            .map(|rule| format!("new: allow {}", visible::short(&rule.text)));
        let gone = self
            .rules
            .iter()
            .filter(|old| !now.holds_back_as(old))
            .map(|old| format!("gone: {} {}", old.effect.name(), visible::short(&old.text)));
        let all: Vec<_> = added.chain(gone).collect();
        let first = all.first()?;
        Some(match all.len() {
            1 => first.clone(),
            count => format!("{first} and {} more", count - 1),
        })
    }

    /// Whether a rule at least as strict as `old` is still there.
    fn holds_back_as(&self, old: &KeptRule) -> bool {
        match old.effect {
            Effect::Allow => true,
            Effect::Ask | Effect::Deny => self
                .rules
                .iter()
                .any(|rule| rule.effect >= old.effect && rule.text == old.text),
        }
    }

    /// What changed on the way to `now`, a sentence each.
    pub(super) fn changes_to(&self, now: &Self) -> Vec<String> {
        let mut changes = Vec::new();
        for (name, file) in &now.files {
            match self.files.get(name) {
                Some(old) if old == file => {}
                Some(_) => changes.push(format!(
                    "{name} has changed since you agreed; it counts as it is now."
                )),
                None => changes.push(format!("{name} is new since you agreed; it counts.")),
            }
        }
        let gone = self
            .files
            .keys()
            .filter(|name| !now.files.contains_key(*name));
        changes.extend(gone.map(|name| format!("{name} is gone and no longer counts.")));
        changes
    }
}
