//! What only SQLite knows about memories: how they are found by their words, and how what was
//! forgotten leaves the files.
//!
//! Nothing about their words is kept but the words. A project has few enough memories that they
//! are indexed when they are searched, in a database that is in memory only: there is nothing to
//! keep in step, to mend or to forget. The words stand at the end of their row behind as many
//! blanks as a page has bytes ([`apart`]), so SQLite puts them into pages of their own. Those are
//! never copied when rows make room for one another, and are written over with zeros once they
//! are free (`secure_delete`, for such changes only: the journal's need not be). Then comes the
//! sweep: what the write-ahead log holds goes as it is emptied into the database. It waits for
//! nobody for long; what it cannot do now it does at the next start. So forgetting costs what is
//! forgotten, however much is remembered.

use std::time::Duration;

use sqlx::{Connection, Row, SqliteConnection};

use super::writer::Change;
use super::{Store, StoreError, open, settings};
use crate::memory::terms;

/// The setting that says that forgotten bytes may still be in the files.
pub(super) const SWEEP: &str = "memory.sweep";

/// The bytes of a page. A row keeps less than that with its neighbours, and the rest apart.
pub(super) const PAGE: usize = 4096;

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

/// The words as they are stored, all of them in pages of their own.
pub(super) fn apart(content: &str) -> String {
    " ".repeat(PAGE) + content
}

/// The words of what is stored.
pub(super) fn words(stored: &str) -> &str {
    stored.get(PAGE..).unwrap_or(stored)
}

/// Of some rows as they are stored, by their numbers, those that share a term, with how well; the best first.
pub(super) async fn find(
    contents: &[(i64, String)],
    terms_asked: &[String],
    most: i64,
) -> Result<Vec<(i64, f64)>, StoreError> {
    let mut scratch = open::scratch().await?;
    sqlx::query("CREATE VIRTUAL TABLE memory_words USING fts5(terms, content = '', tokenize = 'porter unicode61 remove_diacritics 2')")
        .execute(&mut scratch)
        .await?;
    let rows: Vec<(i64, String)> = contents
        .iter()
        .map(|(number, content)| (*number, terms(words(content)).join(" ")))
        .collect();
    sqlx::query("INSERT INTO memory_words (rowid, terms) SELECT value ->> 0, value ->> 1 FROM json_each(?1)")
        .bind(serde_json::to_string(&rows)?)
        .execute(&mut scratch)
        .await?;
    // A term has letters and digits only; in quotes none of them is an operator.
    let quoted: Vec<String> = terms_asked
        .iter()
        .map(|term| format!("\"{term}\""))
        .collect();
    let found: Vec<(i64, f64)> = sqlx::query_as(
        "SELECT rowid, bm25(memory_words) AS fit FROM memory_words WHERE memory_words MATCH ?1 ORDER BY fit LIMIT ?2",
    )
    .bind(quoted.join(" OR "))
    .bind(most)
    .fetch_all(&mut scratch)
    .await?;
    scratch.close().await?;
    // bm25 is the better the lower.
    let fits = found.into_iter().map(|(number, fit)| (number, -fit));
    Ok(fits.collect())
}

/// Earlier Weirs kept an index of the words beside them. Whether a check of the database found
/// nothing but fault with that: it goes, and is no reason to part with the database.
pub(super) fn is_stale(verdict: &str) -> bool {
    let of_index = ["fts5", "FTS5", "vtable"].iter();
    verdict.contains("memory_index") && of_index.into_iter().any(|word| verdict.contains(word))
}

/// Takes that index out, whatever has become of it, with every byte of the words in it.
pub(super) async fn drop_kept(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let there: i64 =
        sqlx::query_scalar("SELECT count(*) FROM sqlite_master WHERE name = 'memory_index'")
            .fetch_one(&mut *connection)
            .await?;
    if there == 0 {
        return Ok(());
    }
    set_erasing(connection, Erasing::Zeroed).await?;
    let dropped = sqlx::query("DROP TABLE memory_index")
        .execute(&mut *connection)
        .await;
    if dropped.is_err() {
        // SQLite parts with no index that it cannot open; its parts are plain tables.
        for statement in [
            "DROP TABLE IF EXISTS memory_index_data",
            "DROP TABLE IF EXISTS memory_index_idx",
            "DROP TABLE IF EXISTS memory_index_content",
            "DROP TABLE IF EXISTS memory_index_docsize",
            "DROP TABLE IF EXISTS memory_index_config",
            "PRAGMA writable_schema = ON",
            "DELETE FROM sqlite_master WHERE name = 'memory_index'",
            "PRAGMA writable_schema = RESET",
        ] {
            sqlx::query(statement)
                .persistent(false)
                .execute(&mut *connection)
                .await?;
        }
    }
    set_erasing(connection, Erasing::Quick).await?;
    settings::set(connection, SWEEP, "due").await
}

impl Store {
    /// Sees to it that nothing forgotten is left in the database or its write-ahead log. Says
    /// whether it could: another Weir may be reading. Never waits long.
    pub(super) async fn sweep_memories(&self) -> bool {
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
