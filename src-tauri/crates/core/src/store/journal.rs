//! The journal: chunks of blocks that still grow, kept exactly as they were shown.
//!
//! A frame of a growing block is one row, so its cost does not depend on how long the block
//! already is. The finished block's row and the removal of its chunks commit together.

use std::sync::LazyLock;

use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::{Event, EventBody};

use super::StoreError;
use super::rows::{self, Inserts, Values};

static INSERTS: Inserts = LazyLock::new(|| {
    let columns = [
        "session_id",
        "turn_id",
        "block_index",
        "event_index",
        "event",
    ];
    rows::inserts("journal", &columns)
});

/// Which chunks belong together.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Block {
    session: Uuid,
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
}

impl Row {
    pub(super) fn of(chunk: &Event) -> Result<Self, StoreError> {
        Ok(Self {
            block: Block::of_chunk(chunk),
            event_index: chunk.event_index as i64,
            event: serde_json::to_string(chunk)?,
        })
    }

    fn bind(self, values: &mut Values) -> Result<(), StoreError> {
        values.add(self.block.session.to_string())?;
        values.add(self.block.turn())?;
        values.add(self.block.index)?;
        values.add(self.event_index)?;
        values.add(self.event)
    }
}

pub(super) async fn insert(
    connection: &mut SqliteConnection,
    chunks: Vec<Row>,
) -> Result<(), StoreError> {
    rows::insert(connection, &INSERTS, chunks, Row::bind).await
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

/// Every chunk of the session, block by block, in the order they came.
pub(super) async fn chunks(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT event FROM journal WHERE session_id = ?1 ORDER BY turn_id, block_index, event_index",
    )
    .bind(session.to_string())
    .fetch_all(executor)
    .await?;
    rows.iter()
        .map(|row| Ok(serde_json::from_str(row)?))
        .collect()
}

/// One above the highest index among the session's chunks.
pub(super) async fn next_index(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<u64, StoreError> {
    let highest: Option<i64> =
        sqlx::query_scalar("SELECT max(event_index) FROM journal WHERE session_id = ?1")
            .bind(session.to_string())
            .fetch_one(executor)
            .await?;
    Ok(highest.map_or(0, |index| index as u64 + 1))
}
