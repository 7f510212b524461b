//! What a user sees and changes of the guards, everywhere or in one project, and tries on a text.
//!
//! What would hold back less is compared here, of all that is stored and not of what a page says
//! was there: whoever shows the page asks the user about it first.

use std::path::Path;

use uuid::Uuid;
use weir_protocol::{Detection, GuardSettings, GuardStage, GuardTrial, SizeLimits};

use super::{GuardScope, project_setting, unusable};
use crate::app::{App, AppError};
use crate::guard::{self, Guard, GuardConfig, GuardVerdict, Stage};
use crate::private;
use crate::project::ProjectGuards;
use crate::redact::{HeldBack, Vault};
use crate::store::{StoreError, TakenFrom};

impl App {
    /// All rules, and what the user wants of them: everywhere, or in a project they trust.
    pub async fn guards(&self, project: Option<&Path>) -> Result<GuardSettings, AppError> {
        let mut trouble: Option<String> = None;
        let everywhere = self.guards_everywhere().await.unwrap_or_else(|error| {
            trouble = Some(error.to_string());
            GuardConfig::default()
        });
        let nothing = GuardConfig::default();
        let mut notices = guard::config_notices(self.store.folder());
        let Some(path) = project else {
            return Ok(GuardSettings {
                rules: guard::rules(),
                held: guard::held(&everywhere, &nothing, &nothing),
                limits: limits(&everywhere),
                config: everywhere,
                everywhere: None,
                file: None,
                notices,
                trouble,
            });
        };
        let project = self.open_project(path).await?;
        let setting = self.store.setting(&project_setting(&project.path)).await?;
        if setting.is_some_and(|text| guard::asks_of_output(&text)) {
            let choices = "Your choices for this project";
            notices.push(format!("{choices}: {}", guard::ASK_OF_OUTPUT));
        }
        let config = match self.project_guards(&project.path).await {
            Ok(config) => config,
            Err(error) => {
                trouble = trouble.or_else(|| Some(error.to_string()));
                nothing.clone()
            }
        };
        let file = match project.guards {
            ProjectGuards::None => None,
            ProjectGuards::Config(file) => Some(file),
            ProjectGuards::Unusable(why) => {
                let why = unusable(&project.path, &why);
                trouble = trouble.or_else(|| Some(why.to_string()));
                None
            }
        };
        let demanded = file.as_ref().unwrap_or(&nothing);
        let held = guard::stricter(&guard::chosen(&everywhere, &config), demanded).config;
        Ok(GuardSettings {
            rules: guard::rules(),
            held: guard::held(&everywhere, &config, demanded),
            limits: limits(&held),
            config,
            everywhere: Some(everywhere),
            file,
            notices,
            trouble,
        })
    }

    /// What a change would hold back less than now, in words. What cannot be used holds back
    /// everything. A project's file is left aside: it is not the user's, and may be gone tomorrow.
    pub async fn looser_guards(
        &self,
        project: Option<&Path>,
        config: &GuardConfig,
    ) -> Result<Vec<String>, AppError> {
        let everywhere = self.guards_everywhere().await;
        let Some(path) = project else {
            return Ok(match everywhere {
                Ok(before) => guard::looser(&before, config),
                Err(error) => vec![error.to_string()],
            });
        };
        let path = self.open_project(path).await?.path;
        Ok(match (everywhere, self.project_guards(&path).await) {
            (Ok(everywhere), Ok(before)) => {
                let before = guard::chosen(&everywhere, &before);
                guard::looser(&before, &guard::chosen(&everywhere, config))
            }
            (Err(error), _) | (Ok(_), Err(error)) => vec![error.to_string()],
        })
    }

    /// Keeps what the user chose, once it can be used: in their file, or beside the trust in a
    /// project.
    pub async fn set_guards(
        &self,
        project: Option<&Path>,
        config: &GuardConfig,
    ) -> Result<(), AppError> {
        let Some(path) = project else {
            Guard::new(config).map_err(HeldBack::from)?;
            return self.write_guards(config);
        };
        let path = self.open_project(path).await?.path;
        let everywhere = self.guards_everywhere().await?;
        for config in [config, &guard::chosen(&everywhere, config)] {
            Guard::new(config).map_err(HeldBack::from)?;
        }
        let text = if config == &GuardConfig::default() {
            String::new()
        } else {
            serde_json::to_string(config).map_err(StoreError::from)?
        };
        Ok(self.store.set_setting(project_setting(&path), text).await?)
    }

    fn write_guards(&self, config: &GuardConfig) -> Result<(), AppError> {
        let path = self.store.folder().join(guard::CONFIG_FILE);
        let text = serde_json::to_string_pretty(config).map_err(StoreError::from)?;
        // Whole or not at all, whoever else writes it: half a file would block everything.
        private::write(&path, (text + "\n").as_bytes()).map_err(|error| {
            let reason = error.to_string();
            let path = path.clone();
            StoreError::Folder { path, reason }.into()
        })
    }

    /// What the guards would make of a text. Nothing of it is kept.
    pub async fn try_guards(
        &self,
        project: Option<&Path>,
        stage: GuardStage,
        text: String,
    ) -> Result<GuardTrial, AppError> {
        let guard = match project {
            Some(path) => self.guard_of(path).await?,
            None => {
                let config = self.guard_config(GuardScope::Everywhere).await?;
                Guard::of(&config).map_err(HeldBack::from)?
            }
        };
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
}

fn limits(config: &GuardConfig) -> SizeLimits {
    SizeLimits {
        input: guard::limit(&config.limits, Stage::Input),
        output: guard::limit(&config.limits, Stage::Output),
    }
}
