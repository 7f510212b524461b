//! `weir backup`: the whole database in a new file.

use std::path::Path;
use std::sync::Arc;

use serde_json::json;
use weir_core::app::{App, AppError};

use crate::{Exit, Failure, output};

pub(crate) async fn run(app: &Arc<App>, file: &Path, json: bool) -> Result<Exit, Failure> {
    let backup = app.store().back_up(file).await.map_err(AppError::from)?;
    if json {
        output::line(&json!({
            "path": backup.path,
            "bytes": backup.bytes,
            "sessions": backup.sessions,
            "events": backup.events,
        }))?;
    } else {
        output::write(&format!(
            "Saved {} sessions with {} events to {} ({} bytes).\n",
            backup.sessions,
            backup.events,
            backup.path.display(),
            backup.bytes,
        ))?;
    }
    Ok(Exit::Done)
}
