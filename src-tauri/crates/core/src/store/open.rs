//! The one place that opens SQLite.
//!
//! A database that cannot be read is moved aside, byte for byte, and said so; it is never
//! written over. One from a newer Weir is left alone. Both are found out without writing, and
//! one start at a time, so that two Weirs do not do it to each other.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use futures_util::future::try_join_all;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection, SqliteExecutor, SqlitePool};
use weir_protocol::Notice;

use super::files::{DatabaseFiles, FileId, beside};
use super::{StoreError, check, memory_index};
use crate::private::{self, Exposed};

pub const DATABASE_FILE: &str = "weir.db";
/// What the names of rescued copies begin with.
pub(super) const RESCUED: &str = "weir-rescued";
const LOCK_FILE: &str = "opening.lock";

/// Older ones can corrupt a database in WAL mode.
const OLDEST_SQLITE: [u32; 3] = [3, 51, 3];

/// Reading every page is worth it at start only while it takes no noticeable time; larger ones
/// are read while Weir works.
const CHECK_AT_START_UP_TO: u64 = 8 * 1024 * 1024;

/// How long a write waits for other Weirs'. They do not queue: whoever looks at the right moment
/// is next, so one of many may wait for long.
const BUSY: Duration = Duration::from_secs(60);

const READERS: u32 = 4;

static MIGRATIONS: Migrator = sqlx::migrate!();

pub(super) struct Opened {
    pub(super) readers: SqlitePool,
    pub(super) writer: SqliteConnection,
    pub(super) files: DatabaseFiles,
}

pub(super) async fn open(folder: &Path) -> Result<(Opened, Vec<Notice>), StoreError> {
    let mut notices = prepare_folder(folder)?;
    let _alone = wait_for_turn(folder).await?;
    let path = folder.join(DATABASE_FILE);
    match open_file(&path).await {
        Ok(opened) => Ok((opened, notices)),
        Err(OpenError::Corrupt(reason)) => {
            let aside = move_aside(&path)?;
            let opened = open_file(&path).await.map_err(|error| match error {
                OpenError::Corrupt(reason) => StoreError::Database(reason),
                OpenError::Store(error) => error,
            })?;
            notices.push(Notice {
                code: "corrupt_database".into(),
                message: format!(
                    "The database could not be read ({reason}). It was moved to {}, unchanged, and Weir started a new one.",
                    aside.display()
                ),
            });
            Ok((opened, notices))
        }
        Err(OpenError::Store(error)) => Err(error),
    }
}

enum OpenError {
    Corrupt(String),
    Store(StoreError),
}

impl From<StoreError> for OpenError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<sqlx::Error> for OpenError {
    fn from(error: sqlx::Error) -> Self {
        match error.as_database_error() {
            Some(database) if is_corrupt(&error) => Self::Corrupt(database.message().to_owned()),
            Some(_) | None => Self::Store(error.into()),
        }
    }
}

/// Whether SQLite says that the file itself is no good.
pub(super) fn is_corrupt(error: &sqlx::Error) -> bool {
    const SQLITE_CORRUPT: i64 = 11;
    const SQLITE_NOTADB: i64 = 26;
    matches!(primary_code(error), Some(SQLITE_CORRUPT | SQLITE_NOTADB))
}

/// Whether others hold what was asked for.
pub(super) fn is_busy(error: &sqlx::Error) -> bool {
    const SQLITE_BUSY: i64 = 5;
    const SQLITE_LOCKED: i64 = 6;
    matches!(primary_code(error), Some(SQLITE_BUSY | SQLITE_LOCKED))
}

/// Whether SQLite found fault with a row, not with the disk or the file.
pub(super) fn is_about_a_row(error: &sqlx::Error) -> bool {
    const SQLITE_TOOBIG: i64 = 18;
    const SQLITE_CONSTRAINT: i64 = 19;
    const SQLITE_MISMATCH: i64 = 20;
    matches!(
        primary_code(error),
        Some(SQLITE_TOOBIG | SQLITE_CONSTRAINT | SQLITE_MISMATCH)
    )
}

/// What kind of failure SQLite says it was, without the details.
pub(super) fn primary_code(error: &sqlx::Error) -> Option<i64> {
    let extended: i64 = error.as_database_error()?.code()?.parse().ok()?;
    Some(extended & 0xff)
}

/// Whether SQLite cannot use the database any more: its disk fails, or it is damaged.
pub(super) fn is_unusable(error: &sqlx::Error) -> bool {
    const SQLITE_IOERR: i64 = 10;
    const SQLITE_CORRUPT: i64 = 11;
    const SQLITE_NOTADB: i64 = 26;
    matches!(
        primary_code(error),
        Some(SQLITE_IOERR | SQLITE_CORRUPT | SQLITE_NOTADB)
    )
}

/// A connection that changes nothing, for work that takes long.
pub(super) async fn reader(path: &Path) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY)
        .disable_statement_logging()
        .connect()
        .await
}

/// A connection that waits no longer than this for others, for what is not worth waiting for.
pub(super) async fn patient(
    path: &Path,
    patience: Duration,
) -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(patience)
        .disable_statement_logging()
        .connect()
        .await
}

/// Moves all of the log into the database.
pub(super) async fn checkpoint(connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let moved = sqlx::query("PRAGMA wal_checkpoint(FULL)");
    moved.fetch_one(connection).await.map(drop)
}

/// A database of its own that is in memory only, and gone when it is closed.
pub(super) async fn scratch() -> Result<SqliteConnection, sqlx::Error> {
    SqliteConnectOptions::new()
        .filename(":memory:")
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging()
        .connect()
        .await
}

/// Whether opening leaves it to a later check to read every page.
pub(super) fn is_large(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() > CHECK_AT_START_UP_TO)
}

/// Looks at an existing database without changing a byte of it.
async fn inspect(path: &Path) -> Result<(), OpenError> {
    let length = std::fs::metadata(path).map_or(0, |file| file.len());
    if length == 0 {
        return Ok(());
    }
    let mut reader = reader(path).await?;
    refuse_newer(&mut reader, path).await?;
    if length <= CHECK_AT_START_UP_TO {
        let verdict = check::quick_check(&mut reader).await?;
        if verdict != "ok" && !memory_index::is_stale(&verdict) {
            return Err(OpenError::Corrupt(verdict));
        }
    }
    Ok(reader.close().await?)
}

async fn open_file(path: &Path) -> Result<Opened, OpenError> {
    inspect(path).await?;
    make_private(path)?;
    let id = FileId::of(path);
    let options = SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .disable_statement_logging();
    let mut writer = options.connect().await?;
    check_version(&mut writer).await?;
    if let Err(error) = MIGRATIONS.run(&mut writer).await {
        return Err(if let MigrateError::Execute(error) = error {
            error.into()
        } else {
            StoreError::Database(error.to_string()).into()
        });
    }
    let version: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut writer)
        .await?;
    if version != known_version() {
        let raise = format!("PRAGMA user_version = {}", known_version());
        sqlx::query(sqlx::AssertSqlSafe(raise))
            .execute(&mut writer)
            .await?;
    }
    if let Err(error) = memory_index::drop_kept(&mut writer).await {
        tracing::error!(%error, "an earlier index of memories could not be taken out");
    }
    let database = path.to_owned();
    let readers = SqlitePoolOptions::new()
        // All at once and for good: a deleted database can be read through open connections only.
        .min_connections(READERS)
        .max_connections(READERS)
        .idle_timeout(None)
        .max_lifetime(None)
        // One that is opened later must not read another database than the writer writes.
        .after_connect(move |connection, _| {
            let is_same = FileId::of(&database) == id;
            let other = || sqlx::Error::Configuration("the database was replaced".into());
            Box::pin(async move {
                is_same.then_some(()).ok_or_else(other)?;
                // SQLite opens the log only at the first read.
                let read = sqlx::query("SELECT 1 FROM sqlite_schema LIMIT 1");
                read.fetch_optional(connection).await.map(drop)
            })
        })
        .connect_with(options.pragma("query_only", "ON"))
        .await?;
    // The pool opens some of them in the background; whoever has all of them has waited for those.
    let all = (0..READERS).map(|_| readers.acquire());
    drop(try_join_all(all).await?);
    let files = DatabaseFiles::opened(path, id).map_err(|error| folder_error(path, &error))?;
    if !files.is_settled() {
        // A Weir that was killed left a log: how far it got into the database is known after this.
        sqlx::query("PRAGMA wal_checkpoint(PASSIVE)")
            .fetch_one(&mut writer)
            .await?;
    }
    Ok(Opened {
        readers,
        writer,
        files,
    })
}

pub(super) async fn version(executor: impl SqliteExecutor<'_>) -> Result<String, StoreError> {
    Ok(sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(executor)
        .await?)
}

async fn check_version(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let found = version(connection).await?;
    let parts: Vec<u32> = found
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    if parts.as_slice() < OLDEST_SQLITE.as_slice() {
        let needed = OLDEST_SQLITE.map(|part| part.to_string()).join(".");
        return Err(StoreError::OldSqlite { found, needed }.into());
    }
    Ok(())
}

fn known_version() -> i64 {
    MIGRATIONS
        .iter()
        .map(|migration| migration.version)
        .max()
        .unwrap_or(0)
}

async fn refuse_newer(connection: &mut SqliteConnection, path: &Path) -> Result<(), OpenError> {
    let mut found: i64 = sqlx::query_scalar("PRAGMA user_version")
        .fetch_one(&mut *connection)
        .await?;
    let migrated: i64 = sqlx::query_scalar(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = '_sqlx_migrations'",
    )
    .fetch_one(&mut *connection)
    .await?;
    if migrated > 0 {
        let applied: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&mut *connection)
            .await?;
        found = found.max(applied.unwrap_or(0));
    }
    let known = known_version();
    if found > known {
        let path = path.to_owned();
        return Err(StoreError::Newer { path, found, known }.into());
    }
    Ok(())
}

fn folder_error(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Folder {
        path: path.to_owned(),
        reason: error.to_string(),
    }
}

/// The folder exists, is the user's alone, and takes a file. Says so where others can look into
/// it all the same.
fn prepare_folder(folder: &Path) -> Result<Vec<Notice>, StoreError> {
    let failed = |error: std::io::Error| folder_error(folder, &error);
    private::create_folder(folder).map_err(failed)?;
    let mut notices = Vec::new();
    match private::tighten_folder(folder).map_err(failed)? {
        Ok(()) => {}
        Err(Exposed::NotOurs) => return Err(StoreError::NotOurFolder(folder.to_owned())),
        Err(Exposed::Shared(reason)) => notices.push(Notice {
            code: "open_folder".into(),
            message: format!(
                "Others can look into the data folder {}, and Weir does not close it: {}. Its own files are closed to them.",
                folder.display(),
                reason.trim_end_matches('.')
            ),
        }),
    }
    let probe = folder.join(format!(".probe-{}", uuid::Uuid::new_v4()));
    private::create_new(&probe)
        .and_then(|_| std::fs::remove_file(&probe))
        .map_err(failed)?;
    tighten_files(folder).map_err(failed)?;
    Ok(notices)
}

/// Closes the files that an earlier Weir left open to others: the database, its companions, what
/// was moved aside, and settings.
fn tighten_files(folder: &Path) -> std::io::Result<()> {
    const OURS: [&str; 5] = [
        DATABASE_FILE,
        RESCUED,
        "guards.json",
        "preferences.json",
        LOCK_FILE,
    ];
    for entry in std::fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        let is_ours = |prefix: &&str| name.to_string_lossy().starts_with(prefix);
        if OURS.iter().any(is_ours) {
            private::tighten(&entry.path());
        }
    }
    Ok(())
}

/// Held while one Weir opens the database; the others wait.
async fn wait_for_turn(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK_FILE);
    let locked = tokio::task::spawn_blocking({
        let path = path.clone();
        move || {
            let file = private::open_or_create(&path)?;
            file.lock().map(|()| file)
        }
    });
    locked
        .await
        .map_err(std::io::Error::other)
        .flatten()
        .map_err(|error| folder_error(&path, &error))
}

/// Makes the database file, if there is none, readable by its user alone; SQLite gives its
/// companions the same rights.
fn make_private(path: &Path) -> Result<(), StoreError> {
    match private::open_or_create(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(folder_error(path, &error)),
    }
}

/// Renames the database and its companions; returns where the database went.
fn move_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let stamp = crate::clock::now().strftime("%Y%m%dT%H%M%S%3f");
    let with_suffix = |suffix: &str| beside(path, suffix);
    let aside = with_suffix(&format!(".corrupt-{stamp}"));
    std::fs::rename(path, &aside).map_err(|error| folder_error(path, &error))?;
    for companion in ["-wal", "-shm"] {
        let from = with_suffix(companion);
        if from.exists() {
            let to = with_suffix(&format!(".corrupt-{stamp}{companion}"));
            std::fs::rename(&from, &to).map_err(|error| folder_error(&from, &error))?;
        }
    }
    Ok(aside)
}
