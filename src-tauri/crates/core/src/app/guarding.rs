//! Guards around a turn: which ones count, what they find in a prompt, and what stands behind a
//! placeholder. What a user changes about them is in `page`.
//!
//! What counts is the user's own file, then the user's choices for the project, then the
//! project's file, which can only make it stricter. It is read for every turn. What cannot be
//! read blocks.

mod page;

use std::path::{Path, PathBuf};

use serde_json::Value;
use uuid::Uuid;
use weir_protocol::{Event, EventBody, RequestOptions};

use super::project::project_of;
use super::{App, AppError};
use crate::guard::{self, Guard, GuardConfig, GuardError, GuardPolicy};
use crate::project::{Project, ProjectGuards};
use crate::redact::{Checks, HeldBack, Noticed, Vault};
use crate::store::StoreError;
use crate::transcript::Transcript;
use crate::turn::{TurnId, keep_literal};

/// Where a text is guarded.
pub(super) enum GuardScope<'a> {
    /// In no project.
    Everywhere,
    Project(&'a Project),
    /// In a project whose folder cannot be opened any more: what the user chose for it holds, and
    /// what they agreed to of its file.
    Gone(PathBuf),
}

impl<'a> GuardScope<'a> {
    /// Of a turn: its project, or the one that its session began with.
    pub(super) fn of(project: Option<&'a Project>, history: &[Event]) -> Self {
        match (project, project_of(history)) {
            (Some(project), _) => Self::Project(project),
            (None, Some(path)) => Self::Gone(path),
            (None, None) => Self::Everywhere,
        }
    }
}

/// Options are sent and saved with a prompt, and redacted like one.
pub(super) fn options(checks: &Checks, options: RequestOptions) -> RequestOptions {
    let covered = |texts: Vec<String>| {
        let covered = texts.into_iter().map(|it| checks.covered_to_send(it));
        covered.collect()
    };
    // What a guard holds back whole is no schema any more.
    let schema = options.schema.map(|schema| checks.covered_value(schema));
    RequestOptions {
        stop: covered(options.stop),
        file_stores: covered(options.file_stores),
        schema: schema.filter(Value::is_object),
        ..options
    }
}

impl App {
    /// The checks of a turn of this session.
    pub(super) async fn checks(
        &self,
        session: Uuid,
        project: Option<&Project>,
        history: &[Event],
    ) -> Result<Checks, AppError> {
        let config = self.guard_config(GuardScope::of(project, history)).await?;
        let guard = Guard::of(&config).map_err(HeldBack::from)?;
        let vault = self.keeper.vault(session).await?;
        keep_literal(&vault, history);
        Ok(Checks::new(guard, vault))
    }

    /// What counts, of all that is said about the guards.
    pub(super) async fn guard_config(
        &self,
        place: GuardScope<'_>,
    ) -> Result<GuardPolicy, AppError> {
        let everywhere = self.guards_everywhere().await?;
        let (path, file) = match &place {
            GuardScope::Everywhere => return Ok(everywhere.into()),
            GuardScope::Project(project) => (project.path.as_path(), project.guards.clone()),
            GuardScope::Gone(path) => (path.as_path(), self.agreed_guards(path).await?),
        };
        let config = guard::chosen(&everywhere, &self.project_guards(path).await?);
        match file {
            ProjectGuards::None => Ok(config.into()),
            ProjectGuards::Config(added) => Ok(guard::stricter(&config, &added)),
            ProjectGuards::Unusable(why) => Err(unusable(path, &why).into()),
        }
    }

    /// The user's own file.
    async fn guards_everywhere(&self) -> Result<GuardConfig, AppError> {
        let folder = self.store.folder().to_owned();
        let own = tokio::task::spawn_blocking(move || guard::read_config(&folder)).await;
        let own = own.unwrap_or_else(|panic| Err(GuardError::Broken(panic.to_string())));
        Ok(own.map_err(HeldBack::from)?)
    }

    /// What the user chose for a project alone.
    pub async fn project_guards(&self, path: &Path) -> Result<GuardConfig, AppError> {
        let name = project_setting(path);
        let Some(text) = self.store.setting(&name).await?.filter(|it| !it.is_empty()) else {
            return Ok(GuardConfig::default());
        };
        serde_json::from_str(&text).map_err(|error| {
            let file = format!("the choices for {}", path.display());
            let reason = error.to_string();
            HeldBack::from(GuardError::BadFile { file, reason }).into()
        })
    }

    /// The guards of a folder that the user trusts, for a text outside of a turn.
    pub async fn guard_of(&self, path: &Path) -> Result<Guard, AppError> {
        let project = self.open_project(path).await?;
        let config = self.guard_config(GuardScope::Project(&project)).await?;
        Ok(Guard::of(&config).map_err(HeldBack::from)?)
    }

    /// The same with what guards took out, where placeholders stand; as far as keys are there.
    pub async fn with_originals(&self, transcript: Transcript) -> Result<Transcript, AppError> {
        let vault = self.vault(transcript.session.id).await?;
        let restored = |event: &Event| {
            let mut value = serde_json::to_value(event)?;
            vault.restore_value(&mut value);
            serde_json::from_value(value)
        };
        let events: Result<Vec<Event>, serde_json::Error> =
            transcript.events.iter().map(restored).collect();
        let mut session = transcript.session;
        session.title = vault.restore(&session.title).into_owned();
        Ok(Transcript {
            session,
            events: events.map_err(StoreError::from)?,
        })
    }

    /// What stands behind the placeholders of a session, for whoever shows it to the user.
    pub async fn vault(&self, session: Uuid) -> Result<Vault, AppError> {
        Ok(self.keeper.vault(session).await?)
    }
}

/// What the user chose for a project alone is kept under this name.
pub(super) fn project_setting(path: &Path) -> String {
    format!("guards.{}", path.display())
}

fn unusable(path: &Path, why: &str) -> HeldBack {
    let file = path.display().to_string();
    let reason = why.to_owned();
    HeldBack::from(GuardError::BadFile { file, reason })
}

/// What the model is told beforehand, checked. What it was told before with the same words is
/// not told to the user again.
pub(super) fn system(
    checks: &Checks,
    system: Option<String>,
    history: &[Event],
) -> Result<(Option<String>, Option<Noticed>), HeldBack> {
    let Some(text) = system else {
        return Ok((None, None));
    };
    let (text, noticed) = checks.system(text, "what the model is told beforehand")?;
    let before = crate::turn::prepare::system(history);
    let noticed = noticed.filter(|_| before.as_ref() != Some(&text));
    Ok((Some(text), noticed))
}

/// Puts what guards found right after the prompt.
pub(super) fn add_found(events: &mut Vec<Event>, id: TurnId, found: [Option<Noticed>; 2]) {
    let prompt = events
        .iter()
        .position(|event| matches!(event.body, EventBody::UserMessage { .. }));
    let after = prompt.map_or(events.len(), |at| at + 1);
    let told = found.into_iter().flatten().map(|noticed| {
        let body = noticed.input_event(None);
        id.event(body, id.started)
    });
    events.splice(after..after, told);
}
