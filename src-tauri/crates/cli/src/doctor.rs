//! `weir doctor`: what works here, and what to do about what does not.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use weir_core::app::{App, AppError};
use weir_core::secret::SystemKeychain;
use weir_core::store::Rebuilt;
use weir_protocol::KeyState;

use crate::{Exit, Failure, keys, output};

/// How the doctor is asked.
pub(crate) struct Wish {
    pub(crate) json: bool,
    pub(crate) rebuild: bool,
}

pub(crate) async fn run(folder: PathBuf, wish: Wish) -> Result<Exit, Failure> {
    let (app, notices) = App::open(folder.clone(), Arc::new(SystemKeychain)).await?;
    let store = app.store();
    let rebuilt = match wish.rebuild {
        true => Some(store.rebuild().await.map_err(AppError::from)?),
        false => None,
    };
    let sqlite = store.sqlite_version().await.map_err(AppError::from)?;
    let damage = store.check().await.map_err(AppError::from)?;
    let sessions = store.sessions().await.map_err(AppError::from)?.len();
    let settings = app.settings(weir_protocol::Theme::default()).await?;

    let keychain = settings
        .sources
        .iter()
        .find_map(|source| match &source.key {
            KeyState::Unavailable { reason } => Some(reason.clone()),
            KeyState::NotNeeded
            | KeyState::Missing
            | KeyState::Optional
            | KeyState::Stored
            | KeyState::ThisRunOnly { .. }
            | KeyState::Environment { .. } => None,
        });
    let found = app.found_here().await?;
    let healthy = damage.is_none() && notices.is_empty();

    if wish.json {
        let sources: Vec<_> = settings
            .sources
            .iter()
            .map(|source| {
                json!({
                    "name": source.name,
                    "model": source.model,
                    "baseUrl": source.base_url,
                    "key": source.key,
                    "configured": source.name == settings.source,
                })
            })
            .collect();
        output::line(&json!({
            "version": env!("CARGO_PKG_VERSION"),
            "ok": healthy,
            "dataFolder": folder,
            "database": { "path": folder.join(weir_core::store::DATABASE_FILE), "sqlite": sqlite, "sessions": sessions, "damage": damage },
            "rebuilt": rebuilt.map(|it| json!({ "sessions": it.sessions, "mended": it.mended, "events": it.events, "damagedEvents": it.damaged })),
            "keychain": { "ok": keychain.is_none(), "reason": keychain },
            "sources": sources,
            "foundHere": found,
            "pricesAsOf": settings.prices_as_of,
            "notices": notices,
        }))?;
    } else {
        output::write(&format!(
            "Weir {}\ndata folder  {}\nSQLite       {sqlite}\ndatabase     {}, {sessions} sessions\nkeychain     {}\n",
            env!("CARGO_PKG_VERSION"),
            folder.display(),
            damage.as_deref().unwrap_or("whole"),
            keychain.as_deref().unwrap_or("answers"),
        ))?;
        if let Some(Rebuilt {
            sessions,
            mended,
            events,
            damaged,
        }) = rebuilt
        {
            output::write(&format!(
                "rebuilt      {sessions} sessions from {events} events, {mended} of them said something else\n"
            ))?;
            if damaged > 0 {
                output::write(&format!(
                    "             {damaged} events are damaged and were left out\n"
                ))?;
            }
        }
        for source in &settings.sources {
            let configured = if source.name == settings.source {
                ", configured"
            } else {
                ""
            };
            let running = found.iter().find(|found| found.name == source.name);
            let here = match running {
                Some(found) => format!(", running here with {} models", found.models.len()),
                None if source.local => ", not running here".to_owned(),
                None => String::new(),
            };
            let model = if source.model.is_empty() {
                "whatever it has loaded"
            } else {
                &source.model
            };
            output::write(&format!(
                "{:<18} {model}, {}{here}{configured}\n",
                source.name,
                keys::describe(&source.key)
            ))?;
        }
        for notice in &notices {
            output::complain(&notice.message);
        }
    }
    Ok(if healthy { Exit::Done } else { Exit::Failed })
}
