//! Hooks around a prompt, callbacks of the program's own, and trying a hook out.
//!
//! A prompt that a hook holds back, or that is stopped while one looks at it, leaves no trace and
//! stays the user's; what hooks say of one that is sent is stored with it, in the same write.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use uuid::Uuid;
use weir_protocol::{
    ErrorBody, Event, HookEvent, HookStanding, HookSummary, HookTrial, ProjectSummary, code,
};

use super::sending::{Attempt, Looking};
use super::{App, AppError};
use crate::clock;
use crate::hook::{
    self, CommandHook, Cover, Hook, HookInput, Hooks, Point, PointOutcome, SessionSource,
};
use crate::project::{AgreedHook, Fate, MissingHook, Project, ProjectHook};
use crate::redact::Checks;
use crate::store::Opening;
use crate::tool::visible;
use crate::turn::TurnId;

/// A hook lets a prompt go no further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("A hook held this prompt back: {0}")]
pub struct HeldByHook(pub(super) String);

impl HeldByHook {
    pub fn body(&self) -> ErrorBody {
        ErrorBody::new(code::BLOCKED, self.to_string())
    }
}

/// What the engine keeps for hooks.
#[derive(Default)]
pub(super) struct HookState {
    callbacks: Mutex<Hooks>,
    /// The sessions whose start this Weir's hooks have heard of.
    started: Mutex<HashSet<Uuid>>,
}

impl HookState {
    /// A turn of it began, so what was said at its start is stored.
    pub(super) fn has_started(&self, session: Uuid) {
        lock(&self.started).insert(session);
    }
}

/// The hooks of a turn that is about to start, and what they said of its prompt.
pub(super) struct PromptHooks {
    pub(super) hooks: Hooks,
    pub(super) folder: PathBuf,
    pub(super) said: Vec<PointOutcome>,
}

impl PromptHooks {
    /// What hooks add to the prompt.
    pub(super) fn additions(&self) -> Vec<&str> {
        let runs = self.said.iter().flat_map(|said| &said.runs);
        runs.filter_map(|run| run.reply.context.as_deref())
            .collect()
    }

    /// As events of the turn, which follow its prompt.
    pub(super) fn events(&self, id: TurnId) -> impl Iterator<Item = Event> {
        let runs = self.said.iter().flat_map(|said| &said.runs);
        runs.map(move |run| id.event(hook::event(run, None), clock::now()))
    }
}

impl App {
    /// Adds a callback for all turns from now on.
    pub fn register_hook(&self, event: HookEvent, matcher: &str, hook: Arc<dyn Hook>) {
        let mut callbacks = lock(&self.hooks.callbacks);
        callbacks.register(event, matcher, hook);
    }

    /// Asks the hooks about a prompt, before anything of it is saved.
    pub(super) async fn hear_hooks(
        &self,
        attempt: &Attempt<'_>,
        id: TurnId,
        opening: Opening,
        project: Option<&Project>,
        prompt: &str,
        checks: &Checks,
    ) -> Result<PromptHooks, AppError> {
        let callbacks = lock(&self.hooks.callbacks).clone();
        let (hooks, folder) = match project {
            Some(project) => (project.runnable().and(&callbacks), project.path.clone()),
            None => (callbacks, std::env::current_dir().unwrap_or_default()),
        };
        let cover = checks.clone();
        let cover: Cover = Arc::new(move |text| cover.covered_to_send(text));
        let mut heard = PromptHooks {
            hooks: hooks.covered_by(cover),
            folder,
            said: Vec::new(),
        };
        if heard.hooks.is_empty() {
            return Ok(heard);
        }
        let session = id.session;
        let (source, known) = match opening {
            Opening::New => (SessionSource::Startup, None),
            Opening::Stored => (SessionSource::Resume, Some(session)),
        };
        let is_known = lock(&self.hooks.started).contains(&session);
        let start = (!is_known).then_some(Point::SessionStart { source });
        let prompt = Point::UserPromptSubmit {
            prompt: prompt.to_owned(),
        };
        for point in start.into_iter().chain([prompt]) {
            let looking = Looking::tell(&self.publisher, known, &heard.hooks, &point);
            let input = HookInput {
                session,
                cwd: heard.folder.clone(),
                point,
            };
            let said = heard.hooks.run(input, &mut attempt.stopped.clone()).await;
            drop(looking);
            attempt.goes_on()?;
            if let Some(reason) = said.end_turn.as_ref().or(said.block.as_ref()) {
                return Err(HeldByHook(reason.clone()).into());
            }
            heard.said.push(said);
        }
        Ok(heard)
    }

    /// The hooks of every trusted folder that is there, and whether they run.
    pub async fn hooks(&self) -> Result<Vec<HookSummary>, AppError> {
        let mut all = Vec::new();
        for known in self.projects().await? {
            let Ok(project) = self.open_project(Path::new(&known.path)).await else {
                continue;
            };
            let described = |hook| summary(&known, hook);
            all.extend(project.hooks.iter().map(described));
            all.extend(project.waiting_hooks.iter().map(|hook| HookSummary {
                standing: HookStanding::Waiting,
                ..summary(&known, hook)
            }));
            let missing = project.missing_hooks.iter();
            let missing = missing.filter(|missing| missing.agreed.holds_back());
            all.extend(missing.map(|missing| missing_summary(&known, missing)));
        }
        Ok(all)
    }

    /// One of a folder's hooks that the user agreed to, ready to be tried out.
    pub async fn hook_to_try(&self, project: &Path, id: &str) -> Result<Trial, AppError> {
        let project = self.open_project(project).await?;
        let found = project.hooks.iter().find(|hook| hook.fingerprint == id);
        let found = found.ok_or(AppError::NoHook)?;
        Ok(Trial {
            hook: project.command(found),
            input: HookInput {
                session: Uuid::nil(),
                cwd: project.path.clone(),
                point: sample(found.definition.event),
            },
        })
    }
}

/// A hook and what it would be told; what is shown of it is what runs.
pub struct Trial {
    hook: CommandHook,
    input: HookInput,
}

impl Trial {
    pub fn argv(&self) -> Vec<String> {
        self.hook.argv()
    }

    pub fn folder(&self) -> &Path {
        &self.input.cwd
    }

    pub async fn run(self) -> HookTrial {
        let sample = self.hook.sample(self.input).await;
        HookTrial {
            outcome: sample.reply.outcome,
            exit_code: sample.reply.exit_code,
            duration_ms: u64::try_from(sample.duration.as_millis()).unwrap_or(u64::MAX),
            message: sample.reply.message,
            stdout: sample.stdout,
            stderr: sample.stderr,
        }
    }
}

/// One that the user agreed to.
fn summary(project: &ProjectSummary, hook: &ProjectHook) -> HookSummary {
    let definition = &hook.definition;
    let patience = hook::patience(definition.event).as_millis() as u64;
    HookSummary {
        id: hook.fingerprint.clone(),
        project: project.path.clone(),
        project_name: project.name.clone(),
        origin: hook.origin.to_owned(),
        event: definition.event,
        matcher: definition.matcher.clone(),
        command: definition.handler.words(),
        timeout_ms: definition.handler.timeout_ms.unwrap_or(patience),
        fails_closed: definition.fails_closed(),
        standing: HookStanding::Agreed,
        watched: hook
            .watched
            .lines()
            .iter()
            .map(|line| visible::line(line))
            .collect(),
        problem: hook.watched.problem().map(str::to_owned),
    }
}

/// One that is not there any more as the user agreed to it.
fn missing_summary(project: &ProjectSummary, missing: &MissingHook) -> HookSummary {
    let AgreedHook {
        event,
        matcher,
        command,
        fails_closed,
        origin,
    } = &missing.agreed;
    HookSummary {
        id: missing.fingerprint.clone(),
        project: project.path.clone(),
        project_name: project.name.clone(),
        origin: origin.clone(),
        event: *event,
        matcher: matcher.clone(),
        command: command.clone(),
        timeout_ms: 0,
        fails_closed: *fails_closed,
        standing: match missing.fate {
            Fate::Changed => HookStanding::Changed,
            Fate::Gone => HookStanding::Gone,
        },
        watched: Vec::new(),
        problem: None,
    }
}

/// What a hook is told when it is tried out.
fn sample(event: HookEvent) -> Point {
    let (tool_name, tool_use_id) = ("read_file".to_owned(), "sample".to_owned());
    let tool_input = serde_json::json!({ "path": "README.md" });
    match event {
        HookEvent::UserPromptSubmit => Point::UserPromptSubmit {
            prompt: "A sample prompt.".to_owned(),
        },
        HookEvent::PreToolUse => Point::PreToolUse {
            tool_name,
            tool_input,
            tool_use_id,
        },
        HookEvent::PostToolUse => Point::PostToolUse {
            tool_name,
            tool_input,
            tool_use_id,
            tool_response: "A sample result.".into(),
        },
        HookEvent::Notification => Point::Notification {
            kind: hook::Notification::PermissionPrompt,
            message: "A sample notification.".to_owned(),
        },
        HookEvent::Stop => Point::Stop {
            stop_hook_active: false,
        },
        HookEvent::SubagentStop => Point::SubagentStop {
            stop_hook_active: false,
        },
        HookEvent::PreCompact => Point::PreCompact,
        HookEvent::SessionStart => Point::SessionStart {
            source: SessionSource::Startup,
        },
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    // What is inside is whole even if somebody panicked while holding it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
