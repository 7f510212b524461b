//! The hooks that a folder brings, and whether they are the ones the user agreed to.
//!
//! Invariant, *trust first*: a hook runs only if every byte of its definition, and of the files and
//! folders that its words or its `watch` list name ([`super::watch`]), is what the user saw and
//! agreed to, looked at again right before it runs. One that is new or changed does not run, and the user is told; what one that
//! fails closed guarded is held back until they agree again ([`super::agreed`]).

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::agreed::{self, AgreedHook, AgreedHooks, Fate, MissingHook};
use super::watch::{Watched, watched};
use super::{open_root, shell_word};
use crate::hook::{CommandHook, Definition, DenyStub, Hooks, PathList, environment_in, read_hooks};
use crate::tool::root::Root;

/// A hook as it stands in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectHook {
    pub definition: Definition,
    /// The file that defines it.
    pub origin: &'static str,
    /// What it names on the disk.
    pub watched: Watched,
    /// Another one for every other definition, and for every other byte of what it names.
    pub fingerprint: String,
}

impl ProjectHook {
    /// All of it on a few lines, as it is written: whoever shows them makes hidden characters seen.
    pub(super) fn lines(&self) -> Vec<String> {
        let Definition {
            event,
            matcher,
            handler,
        } = &self.definition;
        let of = match matcher.as_str() {
            "" | "*" => String::new(),
            matcher => format!(" of {matcher}"),
        };
        let mut lines = vec![format!("{event:?}{of} ({})", self.origin)];
        let how = match handler.args {
            Some(_) => "program",
            None => "shell",
        };
        lines.push(format!("  {how}: {}", handler.words()));
        if let Some(milliseconds) = handler.timeout_ms {
            lines.push(format!("  ended after {} s", milliseconds as f64 / 1000.0));
        }
        match handler.fail_closed {
            Some(true) => lines.push("  holds back when it fails".into()),
            Some(false) => lines.push("  lets through when it fails".into()),
            None => {}
        }
        let watched = self.watched.lines();
        lines.push(match watched.len() {
            0 => "  watches no file: its words name none".into(),
            _ => "  watches:".into(),
        });
        lines.extend(watched.iter().map(|line| format!("    {line}")));
        if let PathList::Paths(paths) = &handler.unwatched {
            let paths = paths.join(", ");
            lines.push(format!("  does not watch, as its definition says: {paths}"));
        }
        if let Some(problem) = self.watched.problem() {
            lines.push(format!("  does not run: {problem}"));
        }
        lines
    }

    /// Ready to run in its folder, where it still is what it was when this was read.
    pub(super) fn command(&self, folder: &Path) -> CommandHook {
        let (hook, place) = (self.clone(), folder.to_owned());
        let vouch = move || {
            let environment = environment_in(&place);
            let now =
                open_root(&place).map(|root| watched(root.path(), &hook.definition, &environment));
            match now {
                Ok(now) if hook.definition.fingerprint(&now) == hook.fingerprint => {
                    match now.problem() {
                        None => Ok(()),
                        Some(problem) => Err(unwatchable(&AgreedHook::of(&hook), problem)),
                    }
                }
                Ok(_) | Err(_) => Err(refusal(&AgreedHook::of(&hook), Fate::Changed, &place)),
            }
        };
        CommandHook::new(&self.definition, folder).vouched_for(Arc::new(vouch))
    }
}

/// Why one does not run that nobody could watch.
fn unwatchable(hook: &AgreedHook, problem: &str) -> String {
    let what = match hook.holds_back() {
        true => "What it guards is held back",
        false => "It does not run",
    };
    format!("The {} cannot be watched: {problem}. {what}.", hook.name())
}

/// Why one does not run, what that holds back, and what to do about it.
fn refusal(hook: &AgreedHook, fate: Fate, folder: &Path) -> String {
    let what = if hook.holds_back() {
        "What it guards is held back"
    } else {
        "It does not run"
    };
    format!(
        "{}. {what} until you trust the folder again: run `weir trust {}`, or review it in the settings.",
        agreed::told(&hook.name(), fate),
        shell_word(folder)
    )
}

/// What may run, and what holds back in the place of those that are missing.
pub(super) fn runnable(hooks: &[ProjectHook], missing: &[MissingHook], folder: &Path) -> Hooks {
    let mut all = Hooks::default();
    for hook in hooks {
        all.add(&hook.definition, hook.command(folder));
    }
    for missing in missing.iter().filter(|it| it.agreed.holds_back()) {
        let agreed = &missing.agreed;
        all.hold(DenyStub {
            event: agreed.event,
            matcher: agreed.matcher.clone(),
            name: agreed.command.clone(),
            reason: refusal(agreed, missing.fate, folder),
        });
    }
    all
}

pub(super) fn found(
    root: &Root,
    origin: &'static str,
    text: &str,
) -> (Vec<ProjectHook>, Vec<String>) {
    let (definitions, mut notices) = read_hooks(origin, text);
    let environment = environment_in(root.path());
    let mut hooks = Vec::new();
    for definition in definitions {
        let watched = watched(root.path(), &definition, &environment);
        let hook = ProjectHook {
            origin,
            fingerprint: definition.fingerprint(&watched),
            watched,
            definition,
        };
        if let Some(problem) = hook.watched.problem() {
            let notice = unwatchable(&AgreedHook::of(&hook), problem);
            notices.push(format!("{origin}: {notice}"));
        }
        hooks.push(hook);
    }
    (hooks, notices)
}

/// What is agreed to, by fingerprint.
pub(super) fn agreed(hooks: &[ProjectHook]) -> AgreedHooks {
    let kept = hooks
        .iter()
        .map(|hook| (hook.fingerprint.clone(), AgreedHook::of(hook)));
    kept.collect()
}

/// The hooks of now, against what was agreed to.
pub(super) struct Compared {
    pub(super) agreed: Vec<ProjectHook>,
    pub(super) waiting: Vec<ProjectHook>,
    pub(super) missing: Vec<MissingHook>,
    /// A sentence for each difference, with what it is about.
    pub(super) changes: BTreeMap<String, String>,
}

pub(super) fn compare(hooks: Vec<ProjectHook>, before: &AgreedHooks) -> Compared {
    let missing = agreed::missing(before, &agreed(&hooks));
    let mut changes = BTreeMap::new();
    for hook in missing.iter().filter(|hook| hook.fate == Fate::Gone) {
        let then = if hook.agreed.holds_back() {
            ": what it guards is held back until you trust this folder again (weir trust)."
        } else {
            " and no longer runs."
        };
        changes.insert(hook.fingerprint.clone(), format!("{}{then}", hook.told()));
    }
    let (kept, waiting): (Vec<_>, Vec<_>) = hooks
        .into_iter()
        .partition(|hook| before.contains_key(&hook.fingerprint));
    for hook in &waiting {
        let name = AgreedHook::of(hook).name();
        let old: Vec<_> = missing
            .iter()
            .filter(|old| old.agreed.name() == name)
            .collect();
        let how = match old.first() {
            Some(old) => old.told(),
            None => format!("The {name} is not what you agreed to"),
        };
        let held = if old.iter().any(|old| old.agreed.holds_back()) {
            "it does not run, and what it guards is held back,"
        } else {
            "it does not run"
        };
        let notice = format!("{how}: {held} until you trust this folder again (weir trust).");
        changes.insert(hook.fingerprint.clone(), notice);
    }
    Compared {
        agreed: kept,
        waiting,
        missing,
        changes,
    }
}
