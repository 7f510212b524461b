//! The journal: chunks of blocks that still grow, kept exactly as they were shown.
//!
//! A frame of a growing block is one row, so its cost does not depend on how long the block
//! already is. The finished block's row and the removal of its chunks commit together.

use std::sync::LazyLock;

use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{Arguments, SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::{Event, EventBody};

use super::{StoreError, damaged};

/// How many chunks one statement takes at most.
pub(super) const TOGETHER: usize = 512;

/// A statement for each power of two, so that each is prepared once and kept; what is left of
/// its places stays NULL. A row that counts on from what its session's row said finds no session
/// where that has changed hands or says something else, and a chunk without one is refused.
static INSERTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let sizes = (0..=TOGETHER.ilog2()).map(|power| 1 << power);
    sizes.map(insert_statement).collect()
});

fn insert_statement(size: usize) -> String {
    let rows = vec!["(?, ?, ?, ?, ?, ?)"; size].join(", ");
    format!(
        "WITH chunks (session_id, turn_id, block_index, event_index, event, settled_index) AS (VALUES {rows})
         INSERT INTO journal (session_id, turn_id, block_index, event_index, event)
         SELECT sessions.id, chunks.turn_id, chunks.block_index, chunks.event_index, chunks.event
         FROM chunks LEFT JOIN sessions ON sessions.id = chunks.session_id
            AND (chunks.settled_index IS NULL OR (sessions.next_index = chunks.settled_index AND sessions.owner = ?))
         WHERE chunks.session_id IS NOT NULL"
    )
}

/// Which chunks belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) session: Uuid,
    turn: Option<Uuid>,
    index: u32,
}

impl Block {
    fn of_chunk(chunk: &Event) -> Self {
        Self {
            session: chunk.session_id,
            turn: chunk.turn_id,
            index: chunk.block_index.unwrap_or_default(),
        }
    }

    /// The block whose chunks `event` replaces; an event that is no block replaces none.
    pub(super) fn finished_by(event: &Event) -> Option<Self> {
        if let EventBody::OutputGuardrailsTriggered { .. } = event.body {
            // It tells of a block, which may still grow.
            return None;
        }
        Some(Self {
            session: event.session_id,
            turn: Some(event.turn_id?),
            index: event.block_index?,
        })
    }

    fn turn(self) -> String {
        self.turn.map(|turn| turn.to_string()).unwrap_or_default()
    }
}

/// A chunk on its way into the journal.
pub(super) struct Row {
    pub(super) block: Block,
    event_index: i64,
    event: String,
    /// What the session's row must still say, if that has not been checked.
    pub(super) settled_index: Option<u64>,
}

impl Row {
    pub(super) fn of(chunk: &Event, settled_index: Option<u64>) -> Result<Self, StoreError> {
        Ok(Self {
            block: Block::of_chunk(chunk),
            event_index: chunk.event_index as i64,
            event: serde_json::to_string(chunk)?,
            settled_index,
        })
    }
}

/// Puts all chunks in, in order. Up to [`TOGETHER`] of them are one statement: all or none.
pub(super) async fn insert(
    connection: &mut SqliteConnection,
    owner: &str,
    chunks: Vec<Row>,
) -> Result<(), sqlx::Error> {
    let mut chunks = chunks.into_iter();
    while chunks.len() > 0 {
        let size = chunks.len().min(TOGETHER).next_power_of_two();
        let Some(statement) = INSERTS.get(size.ilog2() as usize) else {
            return Err(sqlx::Error::WorkerCrashed);
        };
        let values = bind(chunks.by_ref().take(size), size, owner).map_err(sqlx::Error::Encode)?;
        sqlx::query_with(statement.as_str(), values)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

fn bind(
    chunks: impl Iterator<Item = Row>,
    size: usize,
    owner: &str,
) -> Result<SqliteArguments, sqlx::error::BoxDynError> {
    let mut values = SqliteArguments::default();
    let mut left = size;
    for chunk in chunks {
        values.add(chunk.block.session.to_string())?;
        values.add(chunk.block.turn())?;
        values.add(chunk.block.index)?;
        values.add(chunk.event_index)?;
        values.add(chunk.event)?;
        values.add(chunk.settled_index.map(|index| index as i64))?;
        left -= 1;
    }
    for _ in 0..left * 6 {
        values.add(None::<i64>)?;
    }
    values.add(owner)?;
    Ok(values)
}

/// Takes out the chunks of a block.
pub(super) async fn clear(
    connection: &mut SqliteConnection,
    block: Block,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM journal WHERE session_id = ?1 AND turn_id = ?2 AND block_index = ?3")
        .bind(block.session.to_string())
        .bind(block.turn())
        .bind(block.index)
        .execute(connection)
        .await?;
    Ok(())
}

/// The chunks of a session that can be read, and how many cannot.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Chunks {
    /// Block by block, in the order they came.
    pub(super) events: Vec<Event>,
    pub(super) damaged: usize,
}

/// Every chunk of the session. One that cannot be read leaves a gap in its block, and the rest of
/// it is kept.
pub(super) async fn chunks(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<Chunks, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT event FROM journal WHERE session_id = ?1 ORDER BY turn_id, block_index, event_index",
    )
    .bind(session.to_string())
    .fetch_all(executor)
    .await?;
    let events: Vec<Event> = rows.iter().filter_map(damaged::event).collect();
    Ok(Chunks {
        damaged: rows.len() - events.len(),
        events,
    })
}

/// One above the highest index among the session's chunks.
pub(super) async fn next_index(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<u64, StoreError> {
    let row: SqliteRow =
        sqlx::query("SELECT max(event_index) AS highest FROM journal WHERE session_id = ?1")
            .bind(session.to_string())
            .fetch_one(executor)
            .await?;
    let highest = damaged::integer(&row, "highest");
    let next = highest.map_or(0, |index| index.saturating_add(1));
    Ok(u64::try_from(next).unwrap_or_default())
}
