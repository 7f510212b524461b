//! What the user agreed to, and how what is there now differs from it.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use weir_protocol::GuardConfig;

use super::ProjectGuards;
use super::agreed::{AgreedHook, AgreedHooks};
use crate::guard;
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
    /// What the file of guards said. Nothing where an older record does not say; it does once the
    /// folder has been opened again.
    #[serde(default)]
    pub(crate) guards: Option<ProjectGuards>,
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

    /// What `now` allows beyond this, if it does: a new allow, a rule that held back and is
    /// gone, or milder guards.
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
        let guards = self.looser_guards(now).into_iter();
        let guards = guards.map(|line| format!("guards: {}", visible::short(&line)));
        let all: Vec<_> = added.chain(gone).chain(guards).collect();
        let first = all.first()?;
        Some(match all.len() {
            1 => first.clone(),
            count => format!("{first} and {} more", count - 1),
        })
    }

    /// What the file of guards in `now` holds back less than this one, a line each.
    pub(super) fn looser_guards(&self, now: &Self) -> Vec<String> {
        let nothing = GuardConfig::default();
        let now = match &now.guards {
            Some(ProjectGuards::Config(now)) => now,
            Some(ProjectGuards::None) => &nothing,
            // It blocks, so it holds back all there is.
            Some(ProjectGuards::Unusable(_)) | None => return Vec::new(),
        };
        match &self.guards {
            Some(ProjectGuards::Config(before)) => guard::looser_file(before, now),
            Some(ProjectGuards::Unusable(why)) => {
                vec![format!("{why}, so nothing was sent when you agreed")]
            }
            Some(ProjectGuards::None) | None => Vec::new(),
        }
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
