//! The journal: chunks of blocks that still grow, kept exactly as they were shown.
//!
//! A frame of a growing block is one row, so its cost does not depend on how long the block
//! already is. The finished block's row and the removal of its chunks commit together.

use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::Event;

use super::StoreError;

pub(super) async fn append(
    connection: &mut SqliteConnection,
    chunk: &Event,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO journal (session_id, turn_id, block_index, event_index, event) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(chunk.session_id.to_string())
    .bind(chunk.turn_id.map(|turn| turn.to_string()).unwrap_or_default())
    .bind(chunk.block_index.unwrap_or_default())
    .bind(chunk.event_index as i64)
    .bind(serde_json::to_string(chunk)?)
    .execute(connection)
    .await?;
    Ok(())
}

/// Takes out the chunks that `block` replaces; events that are no block replace none.
pub(super) async fn clear(
    connection: &mut SqliteConnection,
    block: &Event,
) -> Result<(), StoreError> {
    let (Some(turn), Some(index)) = (block.turn_id, block.block_index) else {
        return Ok(());
    };
    sqlx::query("DELETE FROM journal WHERE session_id = ?1 AND turn_id = ?2 AND block_index = ?3")
        .bind(block.session_id.to_string())
        .bind(turn.to_string())
        .bind(index)
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
