//! `weir sessions` and `weir events`: what is stored.

use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::{App, AppError};

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

pub(crate) async fn events(
    app: &Arc<App>,
    session: Uuid,
    since: u64,
    find: Option<&str>,
) -> Result<Exit, Failure> {
    let store = app.store();
    store.session(session).await.map_err(AppError::from)?;
    let events = match find {
        Some(text) => store.find(session, text).await,
        None => store.events_since(session, since).await,
    };
    for event in events.map_err(AppError::from)? {
        if event.sequence_number > Some(since) {
            output::line(&event)?;
        }
    }
    Ok(Exit::Done)
}
