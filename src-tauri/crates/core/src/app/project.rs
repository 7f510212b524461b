//! Projects: which folders the user trusts, and what they said about tool calls there.
//!
//! Both are kept in the database, never in the folder.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Serialize;
use uuid::Uuid;
use weir_protocol::{
    Decision, DecisionScope, ErrorBody, Event, EventBody, MemorySwitch, Notice, ProjectSummary,
    code,
};

use super::{App, AppError, HeldByHook, guarding};
use crate::project::{self, Offer, Project, ProjectError, ProjectGuards, Trust};
use crate::publish::Published;
use crate::store::StoreError;
use crate::tool::permission::answer::{self, Binding};

impl App {
    /// What trusting a folder would bring, for the user to see; and what differs from before,
    /// where they trust it already.
    pub async fn offer_project(&self, path: &Path) -> Result<Offer, AppError> {
        let path = path.to_owned();
        let offer = blocking(move || Offer::read(&path)).await?;
        let before = self.trust_of(Path::new(&offer.trust.path)).await?;
        Ok(match before {
            Some(before) => offer.beside(&before),
            None => offer,
        })
    }

    /// The user has seen the offer and agrees to exactly that.
    pub async fn trust_project(&self, offer: &Offer) -> Result<ProjectSummary, AppError> {
        self.keep_trust(&offer.trust).await?;
        Ok(summary(&offer.trust))
    }

    /// Opens a trusted folder for a turn, with the answers that hold for it. Its notices are
    /// told first; [`Self::acknowledge_project`] then takes them as seen.
    pub async fn open_project(&self, path: &Path) -> Result<Project, AppError> {
        let asked = path.to_owned();
        let path = blocking(move || project::true_path(&asked)).await?;
        let trust = self.trust_of(&path).await?;
        let opened = blocking(move || Project::open(&path, trust.as_ref())).await?;
        let answers = self.project_answers(&opened.path).await?;
        Ok(Project {
            permissions: opened.permissions.with_answers(answers),
            ..opened
        })
    }

    /// The project of a turn: the session's own. A session that has begun keeps the project it
    /// began with, or none, so that what it knows of one folder stays out of another.
    pub(super) async fn project_for(
        &self,
        asked: Option<&Path>,
        history: &[Event],
    ) -> Result<Option<Project>, AppError> {
        let kept = project_of(history);
        let project = match (asked, &kept) {
            (Some(path), None) if history.is_empty() => Some(self.open_project(path).await?),
            (None, None) => None,
            (None, Some(path)) => match self.open_project(path).await {
                // The folder is gone; what was said about it can still be gone on with.
                Err(AppError::Project(gone @ ProjectError::NoFolder(_))) => {
                    let trust = self.trust_of(path).await?;
                    let held = trust.and_then(|trust| project::held_without(path, &trust));
                    if let Some(reason) = held {
                        return Err(HeldByHook(reason).into());
                    }
                    self.publisher.publish(Published::Notice(Notice {
                        code: code::PROJECT_CHANGED.to_owned(),
                        message: format!("{gone} This session goes on without its tools."),
                    }));
                    None
                }
                Ok(opened) if opened.path != *path => {
                    let (began, now) = (path.clone(), opened.path);
                    return Err(ProjectError::Turned { began, now }.into());
                }
                opened => Some(opened?),
            },
            (Some(path), _) => {
                let opened = self.open_project(path).await?;
                if kept.as_ref() != Some(&opened.path) {
                    return Err(ProjectError::OtherSession(opened.path).into());
                }
                Some(opened)
            }
        };
        Ok(project)
    }

    /// The notices of a turn's project are in its log: shows them, and takes them as seen.
    /// The turn runs already, so what fails here is told beside it.
    pub(super) async fn tell_changes(&self, project: &Project) {
        if !project.notices.is_empty() {
            self.publisher.publish(Published::Notice(Notice {
                code: code::PROJECT_CHANGED.to_owned(),
                message: project.notices.join(" "),
            }));
        }
        if let Err(error) = self.acknowledge_project(project).await {
            let ErrorBody { code, message, .. } = error.body();
            self.publisher
                .publish(Published::Notice(Notice { code, message }));
        }
    }

    /// The notices of an opened project have been told: they do not come again. What the user
    /// has said of the folder since it was opened, here or in another Weir, counts for more.
    pub async fn acknowledge_project(&self, project: &Project) -> Result<(), AppError> {
        if project.trust == project.known {
            return Ok(());
        }
        let (known, trust) = (project.known.clone(), written(&project.trust)?);
        let acknowledge = move |kept: Option<String>| {
            let kept = kept.and_then(|kept| serde_json::from_str::<Trust>(&kept).ok());
            Ok((kept.as_ref() == Some(&known)).then_some(trust))
        };
        let name = trust_setting(&project.path);
        self.store.update_setting(&name, acknowledge).await?;
        Ok(())
    }

    /// Takes the trust back, and with it every answer and choice for the folder.
    pub async fn forget_project(&self, path: &Path) -> Result<(), AppError> {
        // A folder that is gone can be forgotten too.
        let asked = path.to_owned();
        for path in blocking(move || project::known_paths(&asked)).await? {
            let trust = self.store.setting(&trust_setting(&path)).await?;
            if trust.is_none_or(|trust| trust.is_empty()) {
                continue;
            }
            let answers = answer::stored_names(&path);
            let answers = self.store.settings_starting(&answers).await?;
            self.store
                .set_setting(trust_setting(&path), String::new())
                .await?;
            let own = answers.into_iter().map(|(name, _)| name);
            for name in own.chain([guarding::project_setting(&path)]) {
                self.store.set_setting(name, String::new()).await?;
            }
            // Trusted again one day, it begins as any folder does.
            let known = path.to_string_lossy();
            self.memories.set_switch(&known, MemorySwitch::Off).await?;
            return Ok(());
        }
        Err(ProjectError::NotTrusted(path.to_owned()).into())
    }

    /// The folders the user trusts, newest first.
    pub async fn projects(&self) -> Result<Vec<ProjectSummary>, AppError> {
        let kept = self.store.settings_starting(TRUST).await?;
        let mut projects: Vec<_> = kept
            .iter()
            .filter_map(|(_, value)| serde_json::from_str::<Trust>(value).ok())
            .map(|trust| summary(&trust))
            .collect();
        projects.sort_by(|a, b| b.trusted_at.cmp(&a.trusted_at).then(a.path.cmp(&b.path)));
        Ok(projects)
    }

    /// An opened project, as a list shows it.
    pub fn project_summary(&self, project: &Project) -> ProjectSummary {
        summary(&project.trust)
    }

    /// The project that a stored session belongs to. It need not be trusted any more.
    pub async fn session_project(&self, session: Uuid) -> Result<Option<ProjectSummary>, AppError> {
        let first = self.store.events_before(session, 2, 1).await?;
        let Some(path) = project_of(&first.events) else {
            return Ok(None);
        };
        let known = self.projects().await?;
        let known = known
            .into_iter()
            .find(|project| Path::new(&project.path) == path);
        Ok(Some(known.unwrap_or_else(|| ProjectSummary {
            path: path.to_string_lossy().into_owned(),
            name: name_of(&path),
            trusted_at: None,
        })))
    }

    async fn project_answers(&self, path: &Path) -> Result<Vec<(Binding, Decision)>, StoreError> {
        let names = answer::stored_names(path);
        let kept = self.store.settings_starting(&names).await?;
        Ok(kept
            .iter()
            .filter_map(|(name, value)| answer::read_stored(path, name, value))
            .collect())
    }

    /// What cannot be read counts as no trust.
    async fn trust_of(&self, path: &Path) -> Result<Option<Trust>, StoreError> {
        let kept = self.store.setting(&trust_setting(path)).await?;
        Ok(kept.and_then(|value| serde_json::from_str(&value).ok()))
    }

    /// What the user agreed to of a folder's file of guards; none where nothing is known.
    pub(super) async fn agreed_guards(&self, path: &Path) -> Result<ProjectGuards, StoreError> {
        let guards = self.trust_of(path).await?.and_then(|trust| trust.guards);
        Ok(guards.unwrap_or(ProjectGuards::None))
    }

    pub(super) async fn is_trusted(&self, path: &Path) -> Result<bool, StoreError> {
        Ok(self.trust_of(path).await?.is_some())
    }

    async fn keep_trust(&self, trust: &Trust) -> Result<(), StoreError> {
        let name = trust_setting(Path::new(&trust.path));
        self.store.set_setting(name, written(trust)?).await
    }
}

/// The project that a session belongs to, by its log.
pub fn project_of(history: &[Event]) -> Option<PathBuf> {
    history.iter().find_map(|event| {
        if let EventBody::SessionStart { project, .. } = &event.body {
            project.as_ref().map(PathBuf::from)
        } else {
            None
        }
    })
}

/// The answers that hold for the rest of a session, by its log: each under the binding it was
/// given for, so that a tool that has changed since asks again.
pub fn session_answers(history: &[Event]) -> Vec<(Binding, Decision)> {
    let answers = history.iter().filter_map(|event| {
        let EventBody::PermissionDecision {
            decision,
            scope: DecisionScope::Session,
            binding: Some(binding),
            ..
        } = &event.body
        else {
            return None;
        };
        Some((Binding::kept(binding.as_str()), *decision))
    });
    answers.collect()
}

const TRUST: &str = "project.";

fn trust_setting(path: &Path) -> String {
    format!("{TRUST}{}", path.display())
}

fn summary(trust: &Trust) -> ProjectSummary {
    ProjectSummary {
        path: trust.path.clone(),
        name: name_of(Path::new(&trust.path)),
        trusted_at: Some(trust.trusted_at),
    }
}

/// The folder's own name; a disk has none but its path.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

fn written(value: &impl Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(StoreError::from)
}

/// Looks at the disk where that may take its time.
pub(super) async fn blocking<Answer: Send + 'static>(
    work: impl FnOnce() -> Result<Answer, ProjectError> + Send + 'static,
) -> Result<Answer, ProjectError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| Err(ProjectError::Mistake(panic.to_string())))
}
