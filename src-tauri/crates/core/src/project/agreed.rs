//! A hook as the user agreed to it: enough to hold back what it guards when it is no longer there.
//!
//! Invariant: what a hook that fails closed guards does not go free because the hook changed or
//! vanished; it takes the user's word. So these facts are kept with the trust, and not read from
//! the folder that may have lost them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use weir_protocol::HookEvent;

use super::hooks::ProjectHook;
use crate::hook::{can_hold, guards};
use crate::tool::visible;

/// By fingerprint.
pub(super) type AgreedHooks = BTreeMap<String, AgreedHook>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Kept")]
pub struct AgreedHook {
    pub event: HookEvent,
    /// Empty for all.
    pub matcher: String,
    /// Its words, short, as a person is shown them.
    pub command: String,
    pub fails_closed: bool,
    /// The file that defined it; empty where an older record does not say.
    pub origin: String,
}

impl AgreedHook {
    pub(super) fn of(hook: &ProjectHook) -> Self {
        let definition = &hook.definition;
        Self {
            event: definition.event,
            matcher: definition.matcher.clone(),
            command: visible::short(&definition.handler.words()),
            fails_closed: definition.fails_closed(),
            origin: hook.origin.to_owned(),
        }
    }

    /// What a person knows it by.
    pub(super) fn name(&self) -> String {
        format!("{:?} hook {}", self.event, self.command)
    }

    /// Whether something waits for the user's word while it is not there.
    pub fn holds_back(&self) -> bool {
        self.fails_closed && can_hold(self.event)
    }

    /// What it was, beside its name.
    fn facts(&self) -> String {
        let of = match self.matcher.as_str() {
            "" | "*" => "of everything".to_owned(),
            matcher => format!("of {}", visible::short(matcher)),
        };
        let fails = if self.fails_closed {
            "holds back when it fails"
        } else {
            "lets through when it fails"
        };
        format!("{of}, {fails}")
    }
}

/// An older record has the name alone: `PreToolUse hook check.sh`.
#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Name(String),
    #[serde(rename_all = "camelCase")]
    Facts {
        event: HookEvent,
        matcher: String,
        command: String,
        fails_closed: bool,
        origin: String,
    },
}

impl TryFrom<Kept> for AgreedHook {
    type Error = String;

    fn try_from(kept: Kept) -> Result<Self, String> {
        match kept {
            Kept::Facts {
                event,
                matcher,
                command,
                fails_closed,
                origin,
            } => Ok(Self {
                event,
                matcher,
                command,
                fails_closed,
                origin,
            }),
            Kept::Name(name) => {
                let unknown = || format!("{name} names no hook");
                let (event, command) = name.split_once(" hook ").ok_or_else(unknown)?;
                let event = serde_json::from_value(Value::from(event)).map_err(|_| unknown())?;
                Ok(Self {
                    event,
                    // Nobody knows what it was to look at, so it was everything.
                    matcher: String::new(),
                    command: command.to_owned(),
                    fails_closed: guards(event),
                    origin: String::new(),
                })
            }
        }
    }
}

/// What became of a hook that the user agreed to and that is not there as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// One with the same words is there and differs, or what it uses does.
    Changed,
    Gone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingHook {
    pub fingerprint: String,
    pub agreed: AgreedHook,
    pub fate: Fate,
}

impl MissingHook {
    /// What became of it, as a sentence without its end.
    pub(super) fn told(&self) -> String {
        told(&self.agreed.name(), self.fate)
    }

    /// Before it goes free for good, or starts to run as it is now, the user reads this.
    fn difference(&self) -> String {
        let name = self.agreed.name();
        let facts = self.agreed.facts();
        let loss = if self.agreed.holds_back() {
            "; what it guarded is held back until you agree"
        } else {
            ""
        };
        match self.fate {
            Fate::Changed => format!("changed: {name} (before: {facts}){loss}"),
            Fate::Gone => format!("gone: {name} ({facts}){loss}"),
        }
    }
}

pub(super) fn told(name: &str, fate: Fate) -> String {
    match fate {
        Fate::Changed => format!("The {name} or what it uses has changed since you agreed"),
        Fate::Gone => format!("The {name} is gone"),
    }
}

/// Those of `before` that are not among `now`.
pub(super) fn missing(before: &AgreedHooks, now: &AgreedHooks) -> Vec<MissingHook> {
    let new = |name: &str| {
        let mut new = now.iter().filter(|(print, _)| !before.contains_key(*print));
        new.any(|(_, hook)| hook.name() == name)
    };
    let missing = before.iter().filter(|(print, _)| !now.contains_key(*print));
    let missing = missing.map(|(print, hook)| MissingHook {
        fingerprint: print.clone(),
        agreed: hook.clone(),
        fate: if new(&hook.name()) {
            Fate::Changed
        } else {
            Fate::Gone
        },
    });
    missing.collect()
}

/// A line for every hook that is not as the user agreed to it, for them to read before they agree
/// anew.
pub(super) fn differences(before: &AgreedHooks, now: &AgreedHooks) -> Vec<String> {
    let missing = missing(before, now);
    let was = |name: &str| missing.iter().any(|hook| hook.agreed.name() == name);
    let new = now.iter().filter(|(print, _)| !before.contains_key(*print));
    let new = new.filter(|(_, hook)| !was(&hook.name()));
    let new = new.map(|(_, hook)| format!("new: {}", hook.name()));
    let lines = missing.iter().map(MissingHook::difference);
    lines.chain(new).collect()
}
