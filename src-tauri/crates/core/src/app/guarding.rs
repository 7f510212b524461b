//! Guards around a turn and outside of one: which ones count, what they find in a prompt, and
//! what stands behind a placeholder.
//!
//! What counts is the user's own file, then the user's choices for the project, then the
//! project's file, which can only make it stricter. It is read for every turn. What cannot be
//! read blocks.

mod looser;

use std::path::Path;

use uuid::Uuid;
use weir_protocol::{Detection, Event, EventBody, GuardSettings, GuardStage, GuardTrial};

use super::{App, AppError};
use crate::guard::{self, Guard, GuardConfig, GuardError, GuardVerdict, Stage};
use crate::project::{Project, ProjectGuards};
use crate::redact::{Checks, HeldBack, Noticed, Vault};
use crate::store::{StoreError, TakenFrom};
use crate::transcript::Transcript;
use crate::turn::{TurnId, keep_literal};

impl App {
    /// The checks of a turn of this session.
    pub(super) async fn checks(
        &self,
        session: Uuid,
        project: Option<&Project>,
        history: &[Event],
    ) -> Result<Checks, AppError> {
        let config = self.guard_config(project).await?;
        let guard = Guard::new(&config).map_err(HeldBack::from)?;
        let vault = self.keeper.vault(session).await?;
        keep_literal(&vault, history);
        Ok(Checks::new(guard, vault))
    }

    /// What counts, of all that is said about the guards.
    pub(super) async fn guard_config(
        &self,
        project: Option<&Project>,
    ) -> Result<GuardConfig, AppError> {
        let folder = self.store.folder().to_owned();
        let own = tokio::task::spawn_blocking(move || guard::read_config(&folder)).await;
        let own = own.unwrap_or_else(|panic| Err(GuardError::Broken(panic.to_string())));
        let mut config = own.map_err(HeldBack::from)?;
        let Some(project) = project else {
            return Ok(config);
        };
        let chosen = self.project_guards(&project.path).await?;
        config.rules.extend(chosen.rules);
        config.words.extend(chosen.words);
        config.patterns.extend(chosen.patterns);
        match &project.guards {
            ProjectGuards::None => Ok(config),
            ProjectGuards::Config(added) => Ok(guard::stricter(&config, added)),
            ProjectGuards::Unusable(why) => {
                let file = project.path.display().to_string();
                let reason = why.clone();
                Err(HeldBack::from(GuardError::BadFile { file, reason }).into())
            }
        }
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

    /// Keeps what the user chose for a project alone, once it can be used.
    pub async fn set_project_guards(
        &self,
        path: &Path,
        config: &GuardConfig,
    ) -> Result<(), AppError> {
        Guard::new(config).map_err(HeldBack::from)?;
        let text = serde_json::to_string(config).map_err(StoreError::from)?;
        Ok(self.store.set_setting(project_setting(path), text).await?)
    }

    /// All rules and what the user wants of them.
    pub async fn guards(&self) -> GuardSettings {
        let (config, trouble) = match self.guard_config(None).await {
            Ok(config) => (config, None),
            Err(error) => (GuardConfig::default(), Some(error.to_string())),
        };
        GuardSettings {
            rules: guard::rules(),
            config,
            trouble,
        }
    }

    /// What a change would hold back less than now, in words. A file that cannot be used holds
    /// back everything.
    pub async fn looser_guards(&self, config: &GuardConfig) -> Vec<String> {
        match self.guard_config(None).await {
            Ok(before) => looser::looser(&before, config),
            Err(error) => vec![error.to_string()],
        }
    }

    /// Writes the user's file, once it can be used.
    pub async fn set_guards(&self, config: &GuardConfig) -> Result<(), AppError> {
        Guard::new(config).map_err(HeldBack::from)?;
        let path = self.store.folder().join(guard::CONFIG_FILE);
        let text = serde_json::to_string_pretty(config).map_err(StoreError::from)?;
        let write = || {
            // Whole or not at all: half a file would block everything.
            let new = path.with_extension("json.new");
            std::fs::write(&new, text + "\n")?;
            std::fs::rename(&new, &path)
        };
        write().map_err(|error| {
            let reason = error.to_string();
            let path = path.clone();
            StoreError::Folder { path, reason }.into()
        })
    }

    /// What the guards would make of a text. Nothing of it is kept.
    pub async fn try_guards(
        &self,
        stage: GuardStage,
        text: String,
    ) -> Result<GuardTrial, AppError> {
        let config = self.guard_config(None).await?;
        let guard = Guard::new(&config).map_err(HeldBack::from)?;
        let stage = match stage {
            GuardStage::Input => Stage::Input,
            GuardStage::Output => Stage::Output,
        };
        let vault = Vault::new(Uuid::nil());
        let found = guard.check(stage, &text);
        let mut tried = String::with_capacity(text.len());
        let mut from = 0;
        let mut detections = Vec::with_capacity(found.len());
        for it in &found {
            let placeholder =
                (it.action == GuardVerdict::Redact && !it.span.is_empty()).then(|| {
                    let value = &text[it.span.clone()];
                    vault.take_out(&it.label, value, TakenFrom::Input)
                });
            if let Some(placeholder) = &placeholder {
                tried.push_str(&text[from..it.span.start]);
                tried.push_str(placeholder);
                from = it.span.end;
            }
            detections.push(Detection {
                rule: it.rule.to_string(),
                category: it.category,
                start: it.span.start as u64,
                end: it.span.end as u64,
                placeholder,
            });
        }
        tried.push_str(&text[from..]);
        Ok(GuardTrial {
            verdict: guard::verdict(&found),
            text: tried,
            detections,
        })
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

fn project_setting(path: &Path) -> String {
    format!("guards.{}", path.display())
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
