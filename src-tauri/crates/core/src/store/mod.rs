//! The database: the log, the journal, the sessions projected from them, and settings.
//!
//! Keeps two invariants. *Saved before shown*: a write is answered only after its transaction
//! is committed (WAL, `synchronous=FULL`), and only the writer publishes, after the commit.
//! *Ordered and whole*: sequence numbers are taken inside the same transaction that inserts; so
//! are event indexes, or what they count on from is checked there. Knows nothing of sources or
//! windows.
//!
//! The one place with SQL. It is kept portable: plain statements over plain columns, so that
//! the same log can live in another database. What only SQLite knows (PRAGMA, VACUUM, its own
//! tables, its full-text index) is in `open.rs`, `check.rs`, `backup.rs`, `watcher.rs` and
//! `memory_index.rs`; a test holds both.

mod backup;
mod batch;
mod branch;
#[cfg(test)]
mod branch_tests;
mod check;
mod damaged;
mod destination;
mod files;
mod fork;
mod journal;
mod log;
mod memories;
mod memory_index;
#[cfg(test)]
mod memory_tests;
mod open;
mod originals;
mod owner;
mod page;
pub(crate) mod path;
mod raw;
mod rebuild;
mod recent;
mod recover;
mod rescue;
mod rows;
mod running;
mod sessions;
mod settings;
mod spending;
mod stop_request;
#[cfg(test)]
mod tests;
mod title;
mod turns;
mod watcher;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::SqlitePool;
use uuid::Uuid;
use weir_protocol::{Branches, ErrorBody, Event, Notice, SessionSummary, code, merge_chunks};

use crate::publish::Publisher;
pub use backup::Backup;
use batch::Record;
pub use destination::{Destination, Recipient};
pub(crate) use memories::Kept;
pub use open::DATABASE_FILE;
pub use originals::{SealedAnew, SealedOriginal, TakenFrom};
use owner::Owner;
pub use page::Stretch;
pub use raw::KeptRaw;
pub use rebuild::Rebuilt;
pub(crate) use recover::{Reckon, UsedAt};
pub use rescue::Rescued;
pub use spending::{Spender, Spent};
pub use watcher::Watcher;
use writer::{Change, Writer};

/// How many stored events fill a screen: what opening a session reads, however long it is.
pub const SCREEN: u32 = 20;

/// What a write came to: the new events as they are stored, and the session's line after them.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub events: Arc<[Event]>,
    pub session: Arc<SessionSummary>,
}

/// A session at one instant.
#[derive(Clone, Debug)]
pub struct Latest {
    pub session: SessionSummary,
    /// The index that the session's next event gets: what comes later is not in here.
    pub next_index: u64,
    /// The number of its last stored event, on whatever branch that is.
    pub last_sequence: u64,
    /// The last stored events of the active path, oldest first, from the start of a turn.
    pub events: Vec<Event>,
    /// Whether the path has turns before these.
    pub has_earlier: bool,
    pub branches: Vec<Branches>,
    /// The blocks that still grow: one chunk event each, with all that came.
    pub growing: Vec<Event>,
}

/// Whether a turn's first events open a new session or go on with a stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    New,
    Stored,
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "Weir cannot write to its data folder {}: {reason}. Make it writable, or choose another with --data-dir or WEIR_DATA_DIR.",
        path.display()
    )]
    Folder { path: PathBuf, reason: String },
    #[error(
        "The data folder {} belongs to another user, who could read all that is kept in it. Choose another with --data-dir or WEIR_DATA_DIR.",
        .0.display()
    )]
    NotOurFolder(PathBuf),
    #[error(
        "The database {} was written by a newer Weir (version {found}; this one knows {known}). Update Weir; nothing was changed.",
        path.display()
    )]
    Newer {
        path: PathBuf,
        found: i64,
        known: i64,
    },
    #[error(
        "This build carries SQLite {found}, which can damage a database; {needed} or newer is needed."
    )]
    OldSqlite { found: String, needed: String },
    #[error("There is no session {0}.")]
    NoSession(Uuid),
    #[error("There is no such turn in this session.")]
    NoTurn,
    #[error("There is no such memory.")]
    NoMemory,
    #[error("This session is already answering. Wait until it is done, or stop it.")]
    Busy,
    #[error("Another Weir has ended this turn. What had been shown is kept.")]
    NotOurs,
    #[error(
        "The disk is full: Weir could not save. Free some space; everything shown so far is kept."
    )]
    DiskFull,
    #[error(
        "The disk failed: Weir could not save ({0}). Everything shown so far is kept; make a copy of the data folder soon."
    )]
    DiskFailed(String),
    #[error("{0}")]
    Lost(String),
    #[error("There is a file {} already; nothing is written over.", .0.display())]
    Exists(PathBuf),
    #[error("The backup to {} failed: {reason}.", path.display())]
    Backup { path: PathBuf, reason: String },
    #[error("The database refused: {0}.")]
    Database(String),
    #[error("A stored event could not be read: {0}.")]
    Unreadable(#[from] serde_json::Error),
    #[error("The database is closed.")]
    Closed,
}

impl StoreError {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Newer { .. } => code::NEWER_DATABASE,
            Self::NoSession(_) => code::NO_SESSION,
            Self::NoTurn | Self::NoMemory => code::BAD_INPUT,
            Self::Busy | Self::NotOurs => code::BUSY,
            Self::Lost(_) => code::DATABASE_LOST,
            Self::Folder { .. }
            | Self::NotOurFolder(_)
            | Self::OldSqlite { .. }
            | Self::DiskFull
            | Self::DiskFailed(_)
            | Self::Exists(_)
            | Self::Backup { .. }
            | Self::Database(_)
            | Self::Unreadable(_)
            | Self::Closed => code::STORAGE,
        };
        ErrorBody::new(code, self.to_string())
    }
}

impl StoreError {
    /// Whether the store said no before it had changed anything.
    fn is_refusal(&self) -> bool {
        match self {
            Self::NoSession(_) | Self::NotOurs => true,
            Self::Folder { .. }
            | Self::NotOurFolder(_)
            | Self::Newer { .. }
            | Self::OldSqlite { .. }
            | Self::NoTurn
            | Self::NoMemory
            | Self::Busy
            | Self::DiskFull
            | Self::DiskFailed(_)
            | Self::Lost(_)
            | Self::Exists(_)
            | Self::Backup { .. }
            | Self::Database(_)
            | Self::Unreadable(_)
            | Self::Closed => false,
        }
    }

    fn backup(path: &Path, reason: &dyn std::fmt::Display) -> Self {
        Self::Backup {
            path: path.to_owned(),
            reason: reason.to_string().trim_end_matches('.').to_owned(),
        }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&sqlx::Error> for StoreError {
    fn from(error: &sqlx::Error) -> Self {
        const SQLITE_IOERR: i64 = 10;
        const SQLITE_FULL: i64 = 13;
        match error.as_database_error() {
            Some(database) => match open::primary_code(error) {
                Some(SQLITE_FULL) => Self::DiskFull,
                Some(SQLITE_IOERR) => Self::DiskFailed(database.message().to_owned()),
                Some(_) | None => Self::Database(database.message().to_owned()),
            },
            None => Self::Database(error.to_string()),
        }
    }
}

/// Says that sessions are left out of the list.
fn damaged_sessions(count: usize) -> Notice {
    let what = match count {
        1 => "One session is damaged and is".to_owned(),
        count => format!("{count} sessions are damaged and are"),
    };
    let message = format!(
        "{what} left out of the list. `weir doctor --rebuild` brings back what can be read of it."
    );
    Notice {
        code: code::STORAGE.to_owned(),
        message,
    }
}

/// One open database. Clones share it.
#[derive(Clone)]
pub struct Store {
    readers: SqlitePool,
    writer: Writer,
    folder: PathBuf,
    closing: Arc<AtomicBool>,
    reckon: Reckon,
}

impl Store {
    /// Opens or creates the database in `folder`, finishes what a killed Weir left behind, and
    /// tells what the user should know about it.
    pub(crate) async fn open(
        folder: &Path,
        publisher: Arc<Publisher>,
    ) -> Result<(Self, Vec<Notice>), StoreError> {
        Self::open_reckoning(folder, publisher, Reckon::NOTHING).await
    }

    /// The same, and what was cut off is counted.
    pub(crate) async fn open_reckoning(
        folder: &Path,
        publisher: Arc<Publisher>,
        reckon: Reckon,
    ) -> Result<(Self, Vec<Notice>), StoreError> {
        let (opened, mut notices) = open::open(folder).await?;
        let owner = Owner::claim(folder)?;
        let store = Self {
            readers: opened.readers,
            writer: Writer::start(opened.writer, opened.files, owner, publisher),
            folder: folder.to_owned(),
            closing: Arc::default(),
            reckon,
        };
        // What cannot be finished now must not keep the user from everything else.
        for failed in [
            store.recover().await,
            store.purge().await,
            store.finish_sweep().await,
        ] {
            if let Err(error) = failed {
                let ErrorBody { code, message, .. } = error.body();
                notices.push(Notice { code, message });
            }
        }
        if let Ok(count @ 1..) = sessions::count_damaged(&store.readers).await {
            notices.push(damaged_sessions(count));
        }
        Ok((store, notices))
    }

    /// With nobody listening: for programs that measure the store or try it.
    pub async fn open_alone(folder: &Path) -> Result<(Self, Vec<Notice>), StoreError> {
        Self::open(folder, Arc::default()).await
    }

    /// Claims the session for one turn and stores the turn's first events.
    pub async fn start_turn(
        &self,
        session: Uuid,
        opening: Opening,
        events: Vec<Event>,
    ) -> Result<Recorded, StoreError> {
        self.start_turn_keeping(session, opening, events, Vec::new(), Destination::default())
            .await
    }

    /// The same, and in the same transaction what was taken out of those events and where they are
    /// sent.
    pub async fn start_turn_keeping(
        &self,
        session: Uuid,
        opening: Opening,
        events: Vec<Event>,
        originals: Vec<SealedOriginal>,
        destination: Destination,
    ) -> Result<Recorded, StoreError> {
        self.writer
            .record(Change::StartTurn {
                session,
                opening,
                events,
                originals,
                destination,
            })
            .await
    }

    /// Keeps what was taken out of a running turn's texts.
    pub async fn keep_originals(
        &self,
        session: Uuid,
        originals: Vec<SealedOriginal>,
    ) -> Result<(), StoreError> {
        self.writer
            .run(Change::Originals { session, originals })
            .await
    }

    /// What was taken out of a session's texts.
    pub async fn originals(&self, session: Uuid) -> Result<Vec<SealedOriginal>, StoreError> {
        originals::of(&self.readers, session).await
    }

    /// All that is bound to a session by its seal, with the sessions that have it.
    pub async fn originals_sealed_for(
        &self,
        session: Uuid,
    ) -> Result<Vec<(Uuid, SealedOriginal)>, StoreError> {
        originals::sealed_for(&self.readers, session).await
    }

    /// Puts other seals in the place of those that were read.
    pub async fn seal_anew(&self, anew: Vec<SealedAnew>) -> Result<(), StoreError> {
        self.writer.run(Change::SealAnew(anew)).await
    }

    /// Stores events in order: chunks into the journal, the rest into the log; a finished
    /// block takes its chunks out of the journal in the same transaction. An event whose id is
    /// stored already is left as it is, and is not among the answer's.
    pub async fn record(&self, session: Uuid, events: Vec<Event>) -> Result<Recorded, StoreError> {
        let record = Record { session, events };
        self.writer.record(Change::Record(record)).await
    }

    pub async fn rename(&self, session: Uuid, title: String) -> Result<SessionSummary, StoreError> {
        let recorded = self
            .writer
            .record(Change::Rename { session, title })
            .await?;
        Ok(Arc::unwrap_or_clone(recorded.session))
    }

    pub async fn sessions(&self) -> Result<Vec<SessionSummary>, StoreError> {
        sessions::all(&self.readers).await
    }

    pub async fn session(&self, session: Uuid) -> Result<SessionSummary, StoreError> {
        Ok(sessions::one(&self.readers, session).await?.line)
    }

    /// Stored events with a sequence number above `since`, oldest first.
    pub async fn events_since(&self, session: Uuid, since: u64) -> Result<Vec<Event>, StoreError> {
        log::since(&self.readers, session, since).await
    }

    /// The stored events of a session whose words hold `text`, in letters of either case, oldest
    /// first. Reads the session page by page: its cost is the session's length, not the store's.
    pub async fn find(&self, session: Uuid, text: &str) -> Result<Vec<Event>, StoreError> {
        const PAGE: u32 = 1000;
        let text = text.to_lowercase();
        let mut reader = self.readers.acquire().await?;
        let mut found = Vec::new();
        let mut since = 0;
        loop {
            let page = log::page_since(&mut reader, session, since, PAGE).await?;
            let Some((last, _)) = page.last() else {
                return Ok(found);
            };
            since = *last;
            let holds = |event: &Event| {
                let words = event.body.words();
                words.is_some_and(|words| words.to_lowercase().contains(&text))
            };
            let events = page.into_iter().map(|(_, event)| event);
            found.extend(events.filter(holds));
        }
    }

    /// Stored events from the start of the turn that holds `since` + 1: what a reader needs to
    /// go on after `since` as if it had read all along.
    pub async fn turn_events_since(
        &self,
        session: Uuid,
        since: u64,
    ) -> Result<Vec<Event>, StoreError> {
        let mut reader = self.readers.acquire().await?;
        let next = i64::try_from(since).unwrap_or(i64::MAX).saturating_add(1);
        let start = log::turn_start(&mut reader, session, next).await?;
        log::since(&mut *reader, session, start.saturating_sub(1) as u64).await
    }

    /// At least `limit` stored events of the active path below `before`, oldest first, if there
    /// are so many; more when the oldest of them stands in the middle of a turn.
    pub async fn events_before(
        &self,
        session: Uuid,
        before: u64,
        limit: u32,
    ) -> Result<Stretch, StoreError> {
        let mut reader = self.readers.acquire().await?;
        page::before(&mut reader, session, before, limit).await
    }

    /// The session as it stands at one instant: its line, the end of its active path and its
    /// growing blocks.
    pub async fn latest(&self, session: Uuid, limit: u32) -> Result<Latest, StoreError> {
        let mut reader = self.readers.begin().await?;
        let standing = sessions::one(&mut *reader, session).await?;
        let end = page::before(&mut reader, session, u64::MAX, limit).await?;
        let chunks = journal::chunks(&mut *reader, session).await?.events;
        reader.commit().await?;
        let counted = chunks.iter().map(|chunk| chunk.event_index + 1).max();
        Ok(Latest {
            session: standing.line,
            next_index: standing.next_index.max(counted.unwrap_or(0)),
            last_sequence: standing.last_sequence,
            events: end.events,
            has_earlier: end.has_earlier,
            branches: end.branches,
            growing: merge_chunks(chunks),
        })
    }

    pub async fn sqlite_version(&self) -> Result<String, StoreError> {
        open::version(&self.readers).await
    }

    /// Notices what other connections commit, another Weir's too.
    pub async fn watch(&self) -> Result<Watcher, StoreError> {
        Watcher::new(self.readers.acquire().await?.detach()).await
    }

    /// Reads every page; `None` when all is well.
    pub async fn check(&self) -> Result<Option<String>, StoreError> {
        check::check(&self.path(), Arc::clone(&self.closing)).await
    }

    /// Whether the database was too large to be read whole at start.
    pub fn is_unchecked(&self) -> bool {
        open::is_large(&self.path())
    }

    /// Copies the whole database, as it is at one instant, into a new file.
    pub async fn back_up(&self, to: &Path) -> Result<Backup, StoreError> {
        // Not a copy of what somebody put in its place.
        self.look_after().await?;
        backup::back_up(&self.path(), to).await
    }

    /// Looks whether the database is still where it was opened, and tells if not. Everything that
    /// is saved looks by itself; this is for a Weir that saves nothing for a while.
    pub async fn look_after(&self) -> Result<(), StoreError> {
        self.writer.look_after().await
    }

    /// Copies what is left of a database that was lost into a new file; without a path, into one
    /// near to where it was.
    pub async fn rescue(&self, to: Option<&Path>) -> Result<Rescued, StoreError> {
        let to = match to {
            Some(to) => to.to_owned(),
            None => rescue::proposed_path(&self.folder),
        };
        self.writer.rescue(to).await
    }

    /// Computes every session's line anew from the log, in one transaction.
    pub async fn rebuild(&self) -> Result<Rebuilt, StoreError> {
        let rebuilt = self.writer.rebuild().await?;
        // A line that had lost its owner may turn out to be a dead Weir's.
        self.recover().await?;
        Ok(rebuilt)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn path(&self) -> PathBuf {
        self.folder.join(DATABASE_FILE)
    }

    /// Ends the turns of Weirs that are gone, keeping all that they had shown. One that cannot
    /// be ended does not keep the others from it; the last such failure is told.
    pub async fn recover(&self) -> Result<(), StoreError> {
        let mut ended = Ok(());
        for (session, owner) in sessions::owned(&self.readers).await? {
            if owner::is_gone(&self.folder, &owner) {
                let reason =
                    "Weir closed in the middle of this reply. Everything that was shown is kept.";
                let end = self.end_interrupted(session, owner, reason.into()).await;
                if let Err(error) = end {
                    tracing::error!(%error, %session, "a turn of a Weir that is gone stays open");
                    ended = Err(error);
                }
            }
        }
        if ended.is_ok() {
            owner::sweep(&self.folder);
        }
        ended
    }

    /// Ends a turn of this Weir that cannot go on, so that the session is free again.
    pub async fn abandon(&self, session: Uuid, reason: String) -> Result<(), StoreError> {
        self.end_interrupted(session, self.writer.owner().to_owned(), reason)
            .await
    }

    async fn end_interrupted(
        &self,
        session: Uuid,
        owner: String,
        reason: String,
    ) -> Result<(), StoreError> {
        let change = Change::Recover {
            session,
            owner,
            reason,
            reckon: self.reckon,
        };
        self.writer.run(change).await
    }

    /// Waits for the writes under way and closes the files.
    pub async fn close(&self) {
        self.closing.store(true, Ordering::Relaxed);
        self.writer.close().await;
        self.readers.close().await;
    }
}
