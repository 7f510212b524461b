//! What is remembered: rows, and what changes them. What finds them by their words, and what
//! leaves no byte of a forgotten one behind, is `memory_index.rs`.
//!
//! No event holds a memory's words: the log has ids, so that forgetting a row forgets it
//! everywhere.

use jiff::Timestamp;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row, SqliteConnection};
use uuid::Uuid;
use weir_protocol::{Forget, Forgotten, Memory, MemoryKind};

use super::memory_index::{self, Erasing, apart, words};
use super::writer::Change;
use super::{Store, StoreError, damaged, settings};
use crate::memory::{Candidate, terms};
use crate::tool::permission::answer::sha256;

/// How many memories a project keeps. The least used go first, of those the oldest.
pub(crate) const MOST_MEMORIES: u32 = 2_000;
/// How many are looked at to find the best.
const CANDIDATES: i64 = 50;

/// Something to remember.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    /// Empty: none.
    pub(crate) project: String,
    pub(crate) content: String,
    pub(crate) kind: MemoryKind,
    pub(crate) session: Uuid,
    pub(crate) turn: Uuid,
    pub(crate) at: Timestamp,
}

#[derive(Clone)]
pub(super) enum MemoryChange {
    Keep(Vec<Kept>),
    Use {
        ids: Vec<Uuid>,
        at: Timestamp,
    },
    Edit {
        id: Uuid,
        content: String,
        at: Timestamp,
    },
    Forget(Forget),
}

impl Store {
    /// Keeps what is new; what is known counts as used once more. Answers how many are new.
    pub(crate) async fn remember(&self, kept: Vec<Kept>) -> Result<u32, StoreError> {
        self.change_memories(MemoryChange::Keep(kept)).await
    }

    /// These went with a prompt.
    pub(crate) async fn use_memories(
        &self,
        ids: Vec<Uuid>,
        at: Timestamp,
    ) -> Result<(), StoreError> {
        self.change_memories(MemoryChange::Use { ids, at })
            .await
            .map(drop)
    }

    /// Puts other words in the place of a memory's; the ones before are gone as if forgotten.
    pub(crate) async fn edit_memory(
        &self,
        id: Uuid,
        content: String,
        at: Timestamp,
    ) -> Result<Memory, StoreError> {
        let edit = MemoryChange::Edit { id, content, at };
        if self.change_memories(edit).await? == 0 {
            return Err(StoreError::NoMemory);
        }
        self.sweep_memories().await;
        let edited = self.memories_by_id(&[id]).await?;
        edited.into_iter().next().ok_or(StoreError::NoMemory)
    }

    /// Takes memories out for good: the rows, and what the files still hold of them.
    pub(crate) async fn forget(&self, which: Forget) -> Result<Forgotten, StoreError> {
        let count = self.change_memories(MemoryChange::Forget(which)).await?;
        let swept = count == 0 || self.sweep_memories().await;
        Ok(Forgotten { count, swept })
    }

    async fn change_memories(&self, change: MemoryChange) -> Result<u32, StoreError> {
        self.writer.count(Change::Memory(change)).await
    }

    /// All of a project's, or all that belong to none; newest first.
    pub(crate) async fn memories(&self, project: &str) -> Result<Vec<Memory>, StoreError> {
        let rows: Vec<SqliteRow> = sqlx::query(
            "SELECT * FROM memories WHERE project = ?1 ORDER BY seen_at DESC, number DESC",
        )
        .bind(project)
        .fetch_all(&self.readers)
        .await?;
        Ok(readable(&rows).collect())
    }

    /// Of every project and of none.
    pub(crate) async fn all_memories(&self) -> Result<Vec<Memory>, StoreError> {
        let rows: Vec<SqliteRow> =
            sqlx::query("SELECT * FROM memories ORDER BY project, seen_at DESC, number DESC")
                .fetch_all(&self.readers)
                .await?;
        Ok(readable(&rows).collect())
    }

    /// Those that are still there, in the order asked for.
    pub(crate) async fn memories_by_id(&self, ids: &[Uuid]) -> Result<Vec<Memory>, StoreError> {
        let mut reader = self.readers.acquire().await?;
        let mut found = Vec::with_capacity(ids.len());
        for id in ids {
            let line: Option<Line> = sqlx::query_as("SELECT * FROM memories WHERE id = ?1")
                .bind(id.to_string())
                .fetch_optional(&mut *reader)
                .await?;
            found.extend(line.map(|line| line.0));
        }
        Ok(found)
    }

    /// Of a project, what shares a term with the prompt, with how well it fits, and the newest
    /// of the kinds that need not.
    pub(crate) async fn memory_candidates(
        &self,
        project: &str,
        terms: &[String],
    ) -> Result<Vec<Candidate>, StoreError> {
        let mut reader = self.readers.acquire().await?;
        let mut candidates = Vec::new();
        if !terms.is_empty() {
            let rows: Vec<SqliteRow> = sqlx::query("SELECT * FROM memories WHERE project = ?1")
                .bind(project)
                .fetch_all(&mut *reader)
                .await?;
            // What cannot be read is not found either; where nothing can, it is said.
            let is_readable = |row: &&SqliteRow| Line::from_row(row).is_ok();
            if let Some(first) = rows
                .first()
                .filter(|_| !rows.iter().any(|it| is_readable(&it)))
            {
                Line::from_row(first)?;
            }
            let rows = rows.iter().filter(is_readable);
            let numbered = |row: &SqliteRow| {
                let number = damaged::integer(row, "number")?;
                Some((number, damaged::text(row, "content")?))
            };
            let contents: Vec<(i64, String)> = rows.filter_map(numbered).collect();
            let found = if contents.is_empty() {
                Vec::new()
            } else {
                memory_index::find(&contents, terms, CANDIDATES).await?
            };
            for (number, fit) in found {
                let line: Option<Line> = sqlx::query_as("SELECT * FROM memories WHERE number = ?1")
                    .bind(number)
                    .fetch_optional(&mut *reader)
                    .await?;
                candidates.extend(line.map(|Line(memory)| Candidate { memory, fit }));
            }
        }
        let lasting: Vec<SqliteRow> = sqlx::query(
            "SELECT * FROM memories WHERE project = ?1 AND kind IN ('note', 'instruction', 'preference') ORDER BY seen_at DESC LIMIT ?2",
        )
        .bind(project)
        .bind(CANDIDATES)
        .fetch_all(&mut *reader)
        .await?;
        let lasting = readable(&lasting).map(|memory| Candidate { memory, fit: 0.0 });
        candidates.extend(lasting);
        Ok(candidates)
    }
}

/// Makes a change. What it takes away is written over with zeros.
pub(super) async fn apply(
    connection: &mut SqliteConnection,
    change: MemoryChange,
) -> Result<u32, StoreError> {
    memory_index::set_erasing(connection, Erasing::Zeroed).await?;
    let changed = change_rows(connection, change).await;
    memory_index::set_erasing(connection, Erasing::Quick).await?;
    changed
}

async fn change_rows(
    connection: &mut SqliteConnection,
    change: MemoryChange,
) -> Result<u32, StoreError> {
    match change {
        MemoryChange::Keep(kept) => keep(connection, kept).await,
        MemoryChange::Use { ids, at } => {
            for id in ids {
                sqlx::query("UPDATE memories SET uses = uses + 1, seen_at = ?2 WHERE id = ?1")
                    .bind(id.to_string())
                    .bind(at.as_millisecond())
                    .execute(&mut *connection)
                    .await?;
            }
            Ok(0)
        }
        MemoryChange::Edit { id, content, at } => edit(connection, id, &content, at).await,
        MemoryChange::Forget(which) => {
            let gone = numbers(connection, &which).await?;
            remove(connection, &gone).await?;
            Ok(u32::try_from(gone.len()).unwrap_or(u32::MAX))
        }
    }
}

async fn keep(connection: &mut SqliteConnection, kept: Vec<Kept>) -> Result<u32, StoreError> {
    let mut new = 0;
    for memory in kept {
        let same = saying(connection, &memory.project, &memory.content).await?;
        if let Some(number) = same.first() {
            sqlx::query("UPDATE memories SET uses = uses + 1, seen_at = ?2 WHERE number = ?1")
                .bind(number)
                .bind(memory.at.as_millisecond())
                .execute(&mut *connection)
                .await?;
            continue;
        }
        sqlx::query(
            "INSERT INTO memories (id, project, mark, kind, session_id, turn_id, created_at, seen_at, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)",
        )
        .bind(crate::clock::new_id().to_string())
        .bind(&memory.project)
        .bind(mark(&memory.content))
        .bind(name_of(memory.kind))
        .bind(memory.session.to_string())
        .bind(memory.turn.to_string())
        .bind(memory.at.as_millisecond())
        .bind(apart(&memory.content))
        .execute(&mut *connection)
        .await?;
        drop_least(connection, &memory.project).await?;
        new += 1;
    }
    Ok(new)
}

/// The memories of a project that say the same, whatever the case of their words.
async fn saying(
    connection: &mut SqliteConnection,
    project: &str,
    content: &str,
) -> Result<Vec<i64>, StoreError> {
    let alike: Vec<(i64, String)> =
        sqlx::query_as("SELECT number, content FROM memories WHERE project = ?1 AND mark = ?2")
            .bind(project)
            .bind(mark(content))
            .fetch_all(connection)
            .await?;
    let said = terms(content);
    let same = alike
        .into_iter()
        .filter(|(_, other)| terms(words(other)) == said);
    Ok(same.map(|(number, _)| number).collect())
}

/// Few share it, so that few are compared; too little of a hash to tell a word by.
fn mark(content: &str) -> String {
    let mut hash = sha256(terms(content).join(" ").as_bytes());
    hash.truncate(2);
    hash
}

/// Keeps a project within its bounds.
async fn drop_least(connection: &mut SqliteConnection, project: &str) -> Result<(), StoreError> {
    let count: i64 = sqlx::query_scalar("SELECT count(*) FROM memories WHERE project = ?1")
        .bind(project)
        .fetch_one(&mut *connection)
        .await?;
    let over = count - i64::from(MOST_MEMORIES);
    if over <= 0 {
        return Ok(());
    }
    let least: Vec<i64> = sqlx::query_scalar(
        "SELECT number FROM memories WHERE project = ?1 ORDER BY uses, seen_at, number LIMIT ?2",
    )
    .bind(project)
    .bind(over)
    .fetch_all(&mut *connection)
    .await?;
    remove(connection, &least).await
}

async fn edit(
    connection: &mut SqliteConnection,
    id: Uuid,
    content: &str,
    at: Timestamp,
) -> Result<u32, StoreError> {
    let row: Option<(i64, String)> =
        sqlx::query_as("SELECT number, project FROM memories WHERE id = ?1")
            .bind(id.to_string())
            .fetch_optional(&mut *connection)
            .await?;
    let Some((number, project)) = row else {
        return Ok(0);
    };
    // Another that says the same now gives way: what was edited keeps its id.
    let mut same = saying(connection, &project, content).await?;
    same.retain(|other| *other != number);
    remove(connection, &same).await?;
    sqlx::query("UPDATE memories SET content = ?2, mark = ?3, seen_at = ?4 WHERE number = ?1")
        .bind(number)
        .bind(apart(content))
        .bind(mark(content))
        .bind(at.as_millisecond())
        .execute(&mut *connection)
        .await?;
    note_sweep(connection).await?;
    Ok(1)
}

async fn numbers(
    connection: &mut SqliteConnection,
    which: &Forget,
) -> Result<Vec<i64>, StoreError> {
    let (statement, value) = match which {
        Forget::One { id } => ("SELECT number FROM memories WHERE id = ?1", id.to_string()),
        Forget::Session { session } => (
            "SELECT number FROM memories WHERE session_id = ?1",
            session.to_string(),
        ),
        Forget::Project { project } => (
            "SELECT number FROM memories WHERE project = ?1",
            project.clone().unwrap_or_default(),
        ),
        Forget::Everything => ("SELECT number FROM memories WHERE id <> ?1", String::new()),
    };
    Ok(sqlx::query_scalar(statement)
        .bind(value)
        .fetch_all(connection)
        .await?)
}

async fn remove(connection: &mut SqliteConnection, numbers: &[i64]) -> Result<(), StoreError> {
    if numbers.is_empty() {
        return Ok(());
    }
    for number in numbers {
        sqlx::query("DELETE FROM memories WHERE number = ?1")
            .bind(number)
            .execute(&mut *connection)
            .await?;
    }
    note_sweep(connection).await
}

/// The files still hold what was taken out, until they are swept: now, or at the next start.
async fn note_sweep(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    settings::set(connection, memory_index::SWEEP, "due").await
}

/// Those of the rows that can be read.
fn readable(rows: &[SqliteRow]) -> impl Iterator<Item = Memory> {
    let lines = rows.iter().filter_map(|row| Line::from_row(row).ok());
    lines.map(|line| line.0)
}

pub(super) struct Line(pub(super) Memory);

impl FromRow<'_, SqliteRow> for Line {
    fn from_row(row: &SqliteRow) -> Result<Self, sqlx::Error> {
        let decode = |column: &str, what: String| sqlx::Error::ColumnDecode {
            index: column.to_owned(),
            source: what.into(),
        };
        let id = |column: &str| {
            let text: String = row.try_get(column)?;
            Uuid::parse_str(&text).map_err(|error| decode(column, error.to_string()))
        };
        let moment = |column: &str| {
            Timestamp::from_millisecond(row.try_get(column)?)
                .map_err(|error| decode(column, error.to_string()))
        };
        let kind: String = row.try_get("kind")?;
        let project: String = row.try_get("project")?;
        Ok(Self(Memory {
            id: id("id")?,
            project: (!project.is_empty()).then_some(project),
            content: words(&row.try_get::<String, _>("content")?).to_owned(),
            kind: kind_of(&kind).ok_or_else(|| decode("kind", format!("unknown kind {kind}")))?,
            session_id: id("session_id")?,
            turn_id: id("turn_id")?,
            created_at: moment("created_at")?,
            seen_at: moment("seen_at")?,
            uses: u32::try_from(row.try_get::<i64, _>("uses")?).unwrap_or(u32::MAX),
        }))
    }
}

const KINDS: [MemoryKind; 5] = [
    MemoryKind::Note,
    MemoryKind::Instruction,
    MemoryKind::Preference,
    MemoryKind::Fact,
    MemoryKind::Decision,
];

fn name_of(kind: MemoryKind) -> &'static str {
    match kind {
        MemoryKind::Note => "note",
        MemoryKind::Instruction => "instruction",
        MemoryKind::Preference => "preference",
        MemoryKind::Fact => "fact",
        MemoryKind::Decision => "decision",
    }
}

fn kind_of(name: &str) -> Option<MemoryKind> {
    KINDS.into_iter().find(|kind| name_of(*kind) == name)
}
