//! What only SQLite knows about memories: the full-text index that finds them, and how what was
//! forgotten leaves the files.
//!
//! The index is derived from the rows and can be made anew. It keeps a copy of the terms, so that
//! an entry can be taken out whatever has become of its row, and takes it out at once (FTS5's
//! `secure-delete`) instead of marking it. Pages that a change frees are written over with zeros
//! (`secure_delete`, for such changes only: the journal's need not be). Then comes the sweep: the
//! copies that rows left behind in their pages go as all is written anew, and what the write-ahead
//! log holds as it is emptied into the database. It waits for nobody for long; what it cannot do
//! now it does at the next start.

use std::time::Duration;

use sqlx::{Connection, FromRow, Row, SqliteConnection};

use super::memories::{Line, MemoryChange};
use super::writer::Change;
use super::{Store, StoreError, open};
use crate::memory::{Candidate, terms};

/// The setting that says that forgotten bytes may still be in the files.
pub(super) const SWEEP: &str = "memory.sweep";

/// How often the log is tried to be emptied while others read it, and how long each try waits.
const SWEEPS: usize = 10;
const SWEEP_WAIT: Duration = Duration::from_millis(100);

/// What becomes of bytes that a change takes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Erasing {
    Zeroed,
    /// They stay until something else is written there.
    Quick,
}

pub(super) async fn set_erasing(
    connection: &mut SqliteConnection,
    erasing: Erasing,
) -> Result<(), StoreError> {
    let statement = match erasing {
        Erasing::Zeroed => "PRAGMA secure_delete = ON",
        Erasing::Quick => "PRAGMA secure_delete = OFF",
    };
    // It takes effect when it is prepared, so it must not be kept prepared.
    sqlx::query(statement)
        .persistent(false)
        .execute(connection)
        .await?;
    Ok(())
}

/// Makes the index if there is none, from the rows that are there.
pub(super) async fn ensure(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let there: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'memory_index'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if there > 0 {
        return Ok(());
    }
    for statement in [
        "CREATE VIRTUAL TABLE memory_index USING fts5(terms, tokenize = 'porter unicode61 remove_diacritics 2')",
        "INSERT INTO memory_index (memory_index, rank) VALUES ('secure-delete', 1)",
    ] {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    let rows: Vec<(i64, String)> = sqlx::query_as("SELECT number, content FROM memories")
        .fetch_all(&mut *connection)
        .await?;
    for (number, content) in rows {
        add(connection, number, &content).await?;
    }
    Ok(())
}

pub(super) async fn rebuild(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query("DROP TABLE IF EXISTS memory_index")
        .execute(&mut *connection)
        .await?;
    ensure(connection).await
}

pub(super) async fn add(
    connection: &mut SqliteConnection,
    number: i64,
    content: &str,
) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO memory_index (rowid, terms) VALUES (?1, ?2)")
        .bind(number)
        .bind(terms(content).join(" "))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn take_out(
    connection: &mut SqliteConnection,
    number: i64,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM memory_index WHERE rowid = ?1")
        .bind(number)
        .execute(connection)
        .await?;
    Ok(())
}

/// The index writes what has changed when a savepoint is made, at the latest with the commit. It
/// shall fail here, where it takes nobody else's changes with it.
pub(super) async fn write_out(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    for statement in ["SAVEPOINT memories", "RELEASE memories"] {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    Ok(())
}

/// The memories of a project that share a term, the best fit first.
pub(super) async fn find(
    reader: &mut SqliteConnection,
    project: &str,
    terms: &[String],
    most: i64,
) -> Result<Vec<Candidate>, StoreError> {
    // A term has letters and digits only; in quotes none of them is an operator.
    let quoted: Vec<String> = terms.iter().map(|term| format!("\"{term}\"")).collect();
    let rows = sqlx::query(
        "SELECT memories.*, bm25(memory_index) AS fit FROM memory_index JOIN memories ON memories.number = memory_index.rowid WHERE memory_index MATCH ?1 AND memories.project = ?2 ORDER BY fit LIMIT ?3",
    )
    .bind(quoted.join(" OR "))
    .bind(project)
    .bind(most)
    .fetch_all(reader)
    .await?;
    let candidate = |row| {
        // bm25 is the better the lower.
        let fit: f64 = Row::try_get(row, "fit")?;
        let memory = Line::from_row(row)?.0;
        Ok(Candidate { memory, fit: -fit })
    };
    rows.iter().map(candidate).collect()
}

/// Whether a check of the database found nothing but an index that does not fit its rows. That
/// is made anew; it is no reason to part with the database.
pub(super) fn is_stale(verdict: &str) -> bool {
    let of_index = ["fts5", "FTS5", "vtable"].iter();
    verdict.contains("memory_index") && of_index.into_iter().any(|word| verdict.contains(word))
}

impl Store {
    /// Sees to it that nothing forgotten is left in the database or its write-ahead log. Says
    /// whether it could: another Weir may be reading. Never waits long.
    pub(super) async fn sweep_memories(&self) -> bool {
        if let Err(error) = self.change_memories(MemoryChange::Rewrite).await {
            tracing::warn!(%error, "what was forgotten could not be swept yet");
            return false;
        }
        for _ in 0..SWEEPS {
            match empty_log(&self.path()).await {
                Ok(true) => {
                    let name = SWEEP.to_owned();
                    let value = String::new();
                    let noted = self.writer.run(Change::Setting { name, value }).await;
                    if let Err(error) = noted {
                        tracing::warn!(%error, "what was forgotten is swept once more at start");
                    }
                    return true;
                }
                Ok(false) => tokio::time::sleep(SWEEP_WAIT).await,
                Err(error) => {
                    tracing::warn!(%error, "what was forgotten could not be swept yet");
                    return false;
                }
            }
        }
        tracing::warn!("another Weir reads: what was forgotten is swept at the next start");
        false
    }

    /// Finishes what an earlier Weir could not.
    pub(super) async fn finish_sweep(&self) -> Result<(), StoreError> {
        let due = self.setting(SWEEP).await?;
        if due.is_some_and(|due| !due.is_empty()) {
            self.sweep_memories().await;
        }
        Ok(())
    }
}

/// On a connection of its own, so that nobody who writes waits for those who read.
async fn empty_log(path: &std::path::Path) -> Result<bool, StoreError> {
    let mut connection = open::patient(path, SWEEP_WAIT).await?;
    let row = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .fetch_one(&mut connection)
        .await;
    let busy: i64 = match row {
        Ok(row) => row.try_get(0)?,
        Err(error) if open::is_busy(&error) => 1,
        Err(error) => return Err(error.into()),
    };
    connection.close().await?;
    Ok(busy == 0)
}
