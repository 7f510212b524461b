//! `weir sessions` and `weir events`: what is stored.

use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::{App, AppError};
use weir_core::redact::Vault;

use crate::{Exit, Failure, output};

pub(crate) async fn list(app: &Arc<App>, json: bool) -> Result<Exit, Failure> {
    let sessions = app.store().sessions().await.map_err(AppError::from)?;
    for session in &sessions {
        if json {
            output::line(session)?;
        } else {
            let cost = session
                .cost
                .map_or_else(String::new, |cost| format!("  ${cost:.4}"));
            output::write(&format!(
                "{}  {}  {:<11}  {:>3} turns  {:>7} tokens{cost}  {}/{}  {}\n",
                session.id,
                session.updated_at,
                session.status.name(),
                session.turns,
                session.tokens,
                session.source,
                session.model,
                output::plain(&session.title),
            ))?;
        }
    }
    Ok(Exit::Done)
}

/// Which events, and how their texts are written.
pub(crate) struct Wish {
    pub(crate) since: u64,
    pub(crate) find: Option<String>,
    pub(crate) texts: Texts,
}

pub(crate) enum Texts {
    /// With placeholders where guards took something out.
    AsStored,
    /// With what stood there.
    Originals,
}

impl Texts {
    /// As the option `--originals` says.
    pub(crate) fn of(originals: bool) -> Self {
        if originals {
            Self::Originals
        } else {
            Self::AsStored
        }
    }
}

/// Whoever asks for originals should know that they have them.
pub(crate) fn warn_of_originals(vault: &Vault) {
    output::complain(if vault.is_open() {
        "What guards took out is written as it was: handle this output with care."
    } else {
        "What guards took out is written as it was where its key is in the keychain; the rest stays placeholders."
    });
}

pub(crate) async fn events(app: &Arc<App>, session: Uuid, wish: Wish) -> Result<Exit, Failure> {
    let store = app.store();
    store.session(session).await.map_err(AppError::from)?;
    let events = match &wish.find {
        Some(text) => store.find(session, text).await,
        None => store.events_since(session, wish.since).await,
    };
    let vault = match wish.texts {
        Texts::AsStored => None,
        Texts::Originals => {
            let vault = app.vault(session).await?;
            warn_of_originals(&vault);
            Some(vault)
        }
    };
    for event in events.map_err(AppError::from)? {
        if event.sequence_number > Some(wish.since) {
            match &vault {
                Some(vault) => {
                    let mut value = serde_json::to_value(&event).map_err(std::io::Error::from)?;
                    vault.restore_value(&mut value);
                    output::line(&value)?;
                }
                None => output::line(&event)?,
            }
        }
    }
    Ok(Exit::Done)
}
