//! Whether the database is whole. Looking changes nothing, and nothing is ever deleted.
//!
//! Small databases are read at start (`open.rs`); any can be read while Weir works, on a
//! connection of its own, and closing the store ends that at once.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{Connection, SqliteConnection};

use super::{StoreError, memory_index, open};

/// How many of SQLite's instructions pass between two looks at whether to stop.
const BETWEEN_LOOKS: i32 = 10_000;

/// Reads every page; `None` when all is well. `stop` ends it early.
pub(super) async fn check(
    path: &Path,
    stop: Arc<AtomicBool>,
) -> Result<Option<String>, StoreError> {
    let mut reader = open::reader(path).await?;
    reader
        .lock_handle()
        .await?
        .set_progress_handler(BETWEEN_LOOKS, {
            let stop = Arc::clone(&stop);
            move || !stop.load(Ordering::Relaxed)
        });
    let verdict = quick_check(&mut reader).await;
    // Dropping it would do; an error in closing says nothing about the database.
    let _ = reader.close().await;
    match verdict {
        Err(_) if stop.load(Ordering::Relaxed) => Err(StoreError::Closed),
        Err(error) if open::is_corrupt(&error) => Ok(Some(error.to_string())),
        Err(error) => Err(error.into()),
        Ok(verdict) => {
            let whole = verdict == "ok" || memory_index::is_stale(&verdict);
            Ok((!whole).then_some(verdict))
        }
    }
}

pub(super) async fn quick_check(connection: &mut SqliteConnection) -> Result<String, sqlx::Error> {
    let verdict = sqlx::query_scalar("PRAGMA quick_check(1)")
        .fetch_one(connection)
        .await;
    match verdict {
        // That index is looked at last: all before it was whole.
        Err(error) if memory_index::is_stale(&error.to_string()) => Ok(error.to_string()),
        verdict => verdict,
    }
}
