//! A project: a folder that the user has opened and trusted.
//!
//! Owns what of a folder is used, and when. Invariant, *trust first*: nothing that a folder
//! contains is read into a request or run before the user has seen what would be used and said
//! yes; [`Project::open`] without trust looks at no file at all. What is used is the instruction
//! file, the rules, the hooks (see [`hooks`]) and what is added to the guards; no other setting
//! of the folder's counts.
//! Knows nothing of turns, windows or the database.

mod agreed;
mod contents;
mod hooks;
mod offer;
#[cfg(test)]
mod tests;
mod trust;
mod watch;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use weir_protocol::{ErrorBody, GuardConfig, HookEvent, code};

use crate::hook::{CommandHook, Hooks};
use crate::tool::permission::{Permissions, Rules};
use crate::tool::root::Root;
use crate::tool::{Tools, file_tools, visible};
pub use agreed::{AgreedHook, Fate, MissingHook};
use contents::Contents;
pub use hooks::ProjectHook;
pub use offer::{Offer, OfferedFile};
pub use trust::Trust;
pub use watch::Watched;

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProjectError {
    #[error(
        "{} is not trusted yet: run `weir trust {}` to see what it would bring and to agree.",
        shown(.0), shell_word(.0)
    )]
    Untrusted(PathBuf),
    #[error(
        "{} now holds back less than you agreed to ({what}): run `weir trust {}` to see it and to agree.",
        shown(path),
        shell_word(path)
    )]
    Looser { path: PathBuf, what: String },
    #[error("{} is no folder that Weir can open.", shown(.0))]
    NoFolder(PathBuf),
    #[error("{} cannot be a project: its name is not UTF-8.", shown(.0))]
    OddName(PathBuf),
    #[error(
        "This session did not begin in {}. A session keeps its project: start a new one.",
        shown(.0)
    )]
    OtherSession(PathBuf),
    #[error(
        "This session began in {}, which now leads to {}. A session keeps its project: start a new one.",
        shown(began),
        shown(now)
    )]
    Turned { began: PathBuf, now: PathBuf },
    #[error("{} is not trusted, so there is nothing to forget.", shown(.0))]
    NotTrusted(PathBuf),
    #[error("The folder could not be read by a mistake in Weir: {0}.")]
    Mistake(String),
}

fn shown(path: &Path) -> String {
    visible::short(&path.to_string_lossy())
}

impl ProjectError {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Untrusted(_) | Self::Looser { .. } => code::UNTRUSTED,
            Self::NoFolder(_)
            | Self::OddName(_)
            | Self::OtherSession(_)
            | Self::Turned { .. }
            | Self::NotTrusted(_)
            | Self::Mistake(_) => code::BAD_INPUT,
        };
        ErrorBody::new(code, self.to_string())
    }
}

/// The path as one would type it.
fn shell_word(path: &Path) -> String {
    let text = visible::line(&path.to_string_lossy());
    let plain = |letter: char| letter.is_alphanumeric() || "/._-".contains(letter);
    if text.chars().all(plain) {
        text
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

/// What a project's own file says of the guards. It can only make them stricter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ProjectGuards {
    None,
    Config(GuardConfig),
    /// With the file's name and why.
    Unusable(String),
}

/// What a turn gets from its project. Without one there are no tools and no instructions.
#[derive(Clone)]
pub struct Project {
    /// The folder in its one true spelling.
    pub path: PathBuf,
    /// Appended to the system prompt.
    pub instructions: Option<String>,
    /// The rules, and no answers yet.
    pub permissions: Permissions,
    pub tools: Tools,
    /// Those that the user agreed to.
    pub hooks: Vec<ProjectHook>,
    /// Those that do not run until they do.
    pub waiting_hooks: Vec<ProjectHook>,
    /// Those that the user agreed to and that are not there as they were.
    pub missing_hooks: Vec<MissingHook>,
    /// What its file adds to the guards.
    pub guards: ProjectGuards,
    /// What the user should see before the turn, a sentence each: what changed since they
    /// agreed, what is not used, which rules were not understood.
    pub notices: Vec<String>,
    /// What it was opened with.
    pub known: Trust,
    /// What there is now; kept once the notices have been shown, so that they come once.
    pub trust: Trust,
}

/// The one spelling under which a folder is known. Looks at the folder itself, at nothing in it.
pub fn true_path(path: &Path) -> Result<PathBuf, ProjectError> {
    let root = open_root(path)?;
    match root.path().to_str() {
        Some(_) => Ok(root.path().to_owned()),
        None => Err(ProjectError::OddName(root.path().to_owned())),
    }
}

/// The spellings under which a folder may be known that need not be there any more: as a name
/// where its parent really is, and where it leads now.
pub fn known_paths(path: &Path) -> Result<Vec<PathBuf>, ProjectError> {
    let path = std::path::absolute(path).map_err(|_| ProjectError::NoFolder(path.to_owned()))?;
    let mut missing = Vec::new();
    let mut there = path.as_path();
    let parent = loop {
        let (Some(parent), Some(name)) = (there.parent(), there.file_name()) else {
            break there.canonicalize().ok();
        };
        missing.push(name);
        there = parent;
        if let Ok(parent) = parent.canonicalize() {
            break Some(parent);
        }
    };
    let named = parent.map(|parent| parent.join(missing.into_iter().rev().collect::<PathBuf>()));
    Ok(named.into_iter().chain(path.canonicalize()).collect())
}

fn open_root(path: &Path) -> Result<Root, ProjectError> {
    Root::open(path).map_err(|_| ProjectError::NoFolder(path.to_owned()))
}

impl Project {
    /// Opens a folder that the user trusts. Blocks on the disk.
    ///
    /// Instructions that changed since are used and told; rules that now allow more, and
    /// rules or guards that hold back less, need the user's word again.
    pub fn open(path: &Path, trust: Option<&Trust>) -> Result<Self, ProjectError> {
        let path = true_path(path)?;
        let trust = trust.filter(|trust| Path::new(&trust.path) == path);
        let Some(trust) = trust else {
            return Err(ProjectError::Untrusted(path));
        };
        let root = open_root(&path)?;
        let mut contents = Contents::read(&root);
        let there = hooks::agreed(&contents.hooks);
        let compared = hooks::compare(std::mem::take(&mut contents.hooks), &trust.hooks);
        // An older record knows less of a hook than the hook itself does, while it is there.
        let agreed = trust.hooks.iter().map(|(print, hook)| {
            let known = there.get(print).unwrap_or(hook);
            (print.clone(), known.clone())
        });
        let guards = match &contents.guards {
            // It blocks; what it said before is still what the user agreed to.
            ProjectGuards::Unusable(_) => trust.guards.clone(),
            now @ (ProjectGuards::None | ProjectGuards::Config(_)) => Some(now.clone()),
        };
        let now = Trust {
            trusted_at: trust.trusted_at,
            hooks: agreed.collect(),
            told: compared
                .changes
                .keys()
                .cloned()
                .chain(contents.told())
                .collect(),
            guards,
            ..contents.trust(&root)
        };
        if let Some(what) = trust.looser_in(&now) {
            return Err(ProjectError::Looser { path, what });
        }
        let mut notices = trust.changes_to(&now);
        let untold = compared.changes.into_iter();
        let untold = untold.filter(|(print, _)| !trust.told.contains(print));
        notices.extend(untold.map(|(_, notice)| notice));
        notices.extend(contents.told().difference(&trust.told).cloned());
        if !notices.is_empty() {
            contents.notices.retain(|notice| !notices.contains(notice));
            notices.extend(contents.notices);
        }
        let rules = Arc::new(Rules::new(&path, contents.rules));
        let tools = file_tools(Arc::new(root), Arc::clone(&rules));
        Ok(Self {
            path,
            instructions: contents.instructions,
            permissions: Permissions::new(rules),
            tools: Tools::new(tools),
            hooks: compared.agreed,
            waiting_hooks: compared.waiting,
            missing_hooks: compared.missing,
            guards: contents.guards,
            notices,
            known: trust.clone(),
            trust: now,
        })
    }
}

impl Project {
    /// What may run at its points, and what holds back in the place of what is missing.
    pub fn runnable(&self) -> Hooks {
        hooks::runnable(&self.hooks, &self.missing_hooks, &self.path)
    }

    /// One of its hooks, ready to run.
    pub fn command(&self, hook: &ProjectHook) -> CommandHook {
        hook.command(&self.path)
    }

    /// Whether a hook waits for the user's word: to run, or to be gone.
    pub fn asks_again(&self) -> bool {
        let holds = |missing: &MissingHook| missing.agreed.holds_back();
        !self.waiting_hooks.is_empty() || self.missing_hooks.iter().any(holds)
    }
}

/// Why a prompt about a folder that is gone waits, if a hook of the folder's guarded it.
pub fn held_without(folder: &Path, trust: &Trust) -> Option<String> {
    let mut guarding = trust.guarding();
    let hook = guarding.find(|hook| hook.event == HookEvent::UserPromptSubmit)?;
    Some(format!(
        "{} is gone, and with it the {}. What it guards is held back until the folder is there again, or you forget it: run `weir trust --forget {}`.",
        shown(folder),
        hook.name(),
        shell_word(folder)
    ))
}

const START: &str = "<project_instructions>\n";
const END: &str = "\n</project_instructions>";

/// The system prompt with the instructions behind it. What `system` carries of an earlier turn's
/// instructions gives way to those of now.
pub fn told(system: Option<String>, instructions: Option<&str>) -> Option<String> {
    let own = system.map(|system| match system.split_once(START) {
        Some((own, rest)) if rest.ends_with(END) => own.trim_end().to_owned(),
        Some(_) | None => system,
    });
    let own = own.filter(|own| !own.is_empty());
    let Some(instructions) = instructions else {
        return own;
    };
    let before = own.map_or_else(String::new, |own| format!("{own}\n\n"));
    Some(format!("{before}{START}{}{END}", instructions.trim_end()))
}
