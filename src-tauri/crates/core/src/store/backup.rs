//! A copy of the whole database, made while Weir works.
//!
//! The copy is one instant of the database, in one file, checked before it is called good. A
//! file that is there already is never written over.

use std::fs::File;
use std::path::{Path, PathBuf};

use sqlx::{Connection, SqliteConnection};

use super::{StoreError, open};
use crate::private;

/// What a backup came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    pub path: PathBuf,
    pub bytes: u64,
    pub sessions: u64,
    pub events: u64,
}

pub(super) async fn back_up(database: &Path, to: &Path) -> Result<Backup, StoreError> {
    let mut reader = open::reader(database).await?;
    let copied = copy_open(&mut reader, to).await;
    reader.close().await?;
    copied
}

/// The same through a connection that is open, whatever became of its file's name.
pub(super) async fn copy_open(
    connection: &mut SqliteConnection,
    to: &Path,
) -> Result<Backup, StoreError> {
    create(to)?;
    let copied = copy(connection, to).await;
    if copied.is_err() {
        // Ours since `create`; half a copy is worse than none.
        let _ = std::fs::remove_file(to);
    }
    copied
}

/// Makes the file, empty and the user's alone, and takes nobody else's.
fn create(to: &Path) -> Result<(), StoreError> {
    match private::create_new(to) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::Exists(to.to_owned()))
        }
        Err(error) => Err(StoreError::backup(to, &error)),
    }
}

async fn copy(connection: &mut SqliteConnection, to: &Path) -> Result<Backup, StoreError> {
    let path = to.to_str().ok_or_else(|| {
        StoreError::backup(to, &"a path that is no text cannot be told to SQLite")
    })?;
    sqlx::query("VACUUM INTO ?1")
        .bind(path)
        .execute(connection)
        .await
        .map_err(|error| StoreError::backup(to, &StoreError::from(error)))?;
    // SQLite leaves it to the system when the copy reaches the disk. Windows flushes only what
    // is open for writing.
    File::options()
        .write(true)
        .open(to)
        .and_then(|file| file.sync_all())
        .map_err(|error| StoreError::backup(to, &error))?;
    look_at(to)
        .await
        .map_err(|error| StoreError::backup(to, &error))
}

/// Reads the copy from end to end.
async fn look_at(copy: &Path) -> Result<Backup, StoreError> {
    let mut reader = open::reader(copy).await?;
    let verdict: String = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_one(&mut reader)
        .await?;
    if verdict != "ok" {
        return Err(StoreError::Database(verdict));
    }
    let (sessions, events): (i64, i64) =
        sqlx::query_as("SELECT (SELECT count(*) FROM sessions), (SELECT count(*) FROM events)")
            .fetch_one(&mut reader)
            .await?;
    reader.close().await?;
    Ok(Backup {
        path: copy.to_owned(),
        bytes: std::fs::metadata(copy).map_or(0, |file| file.len()),
        sessions: sessions as u64,
        events: events as u64,
    })
}
