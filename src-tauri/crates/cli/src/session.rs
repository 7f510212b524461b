//! `weir stop`, `rename`, `fork` and `delete`: what the window can do to a session.

use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::{App, AppError};
use weir_protocol::SessionStatus;

use crate::{Exit, Failure, output};

/// Stops the session's turn, whichever Weir runs it.
pub(crate) async fn stop(app: &Arc<App>, session: Uuid) -> Result<Exit, Failure> {
    let status = app.store().session(session).await.map_err(AppError::from)?;
    let was_running = match status.status {
        SessionStatus::Running | SessionStatus::Waiting => true,
        SessionStatus::Idle | SessionStatus::Interrupted | SessionStatus::Failed => false,
    };
    app.stop(session).await?;
    output::write(if was_running {
        "Stopped.\n"
    } else {
        "Nothing was running.\n"
    })?;
    Ok(Exit::Done)
}

pub(crate) async fn rename(app: &Arc<App>, session: Uuid, title: &str) -> Result<Exit, Failure> {
    let session = app.rename(session, title).await?;
    let title = output::plain(&session.title).into_owned();
    output::write(&format!("It is called {title} now.\n"))?;
    Ok(Exit::Done)
}

/// Prints the new session's id, and nothing else: a script goes on with it.
pub(crate) async fn fork(
    app: &Arc<App>,
    session: Uuid,
    turn: Option<Uuid>,
) -> Result<Exit, Failure> {
    let forked = app.fork(session, turn).await?;
    output::write(&format!("{}\n", forked.id))?;
    Ok(Exit::Done)
}

pub(crate) async fn delete(app: &Arc<App>, session: Uuid) -> Result<Exit, Failure> {
    // One that is not there is an error here, whatever deleting it twice means elsewhere.
    app.store().session(session).await.map_err(AppError::from)?;
    app.delete(session).await?;
    output::write("Deleted.\n")?;
    Ok(Exit::Done)
}
