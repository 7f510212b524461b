//! Turns and the active path as rows: a projection of the log, advanced in the transaction that
//! appends to it. A turn that simply comes next costs one row; only an event that changes the
//! path reads the session's turns.

use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::{Branches, Event, EventBody};

use super::path::Path;
use super::{StoreError, damaged};

/// Brings the rows up to date with an event that has its number.
pub(super) async fn advance(
    connection: &mut SqliteConnection,
    event: &Event,
) -> Result<(), StoreError> {
    if let EventBody::UserMessage { replaces: None, .. } = event.body
        && let Some(turn) = event.turn_id
    {
        let parent = head(connection, event.session_id).await?;
        insert(connection, event, turn, parent.unwrap_or_default()).await
    } else if let EventBody::UserMessage { .. } | EventBody::BranchChoice { .. } = event.body {
        change_path(connection, event).await
    } else {
        Ok(())
    }
}

async fn head(
    connection: &mut SqliteConnection,
    session: Uuid,
) -> Result<Option<String>, StoreError> {
    let row: Option<SqliteRow> = sqlx::query(
        "SELECT turn_id FROM turns WHERE session_id = ?1 AND on_path = 1 ORDER BY first_sequence DESC LIMIT 1",
    )
    .bind(session.to_string())
    .fetch_optional(connection)
    .await?;
    Ok(row.and_then(|row| damaged::text(&row, "turn_id")))
}

async fn insert(
    connection: &mut SqliteConnection,
    event: &Event,
    turn: Uuid,
    parent: String,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO turns (session_id, turn_id, parent, first_sequence, on_path) VALUES (?1, ?2, ?3, ?4, 1) ON CONFLICT (session_id, turn_id) DO NOTHING",
    )
    .bind(event.session_id.to_string())
    .bind(turn.to_string())
    .bind(parent)
    .bind(event.sequence_number.map(|number| number as i64))
    .execute(connection)
    .await?;
    Ok(())
}

async fn change_path(connection: &mut SqliteConnection, event: &Event) -> Result<(), StoreError> {
    let session = event.session_id.to_string();
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT turn_id, parent, on_path FROM turns WHERE session_id = ?1 ORDER BY first_sequence",
    )
    .bind(&session)
    .fetch_all(&mut *connection)
    .await?;
    let read = |row: &SqliteRow| {
        let was_active = damaged::integer(row, "on_path") == Some(1);
        let turn = damaged::id(row, "turn_id")?;
        Some((turn, damaged::id(row, "parent"), was_active))
    };
    let rows: Vec<(Uuid, Option<Uuid>, bool)> = rows.iter().filter_map(read).collect();
    let head = rows.iter().rfind(|row| row.2).map(|row| row.0);
    let turns = rows.iter().map(|(turn, parent, _)| (*turn, *parent));
    let mut path = Path::stored(turns, head);
    path.add(event);

    if let Some(turn) = event.turn_id {
        let parent = path.parent(turn).map(|parent| parent.to_string());
        insert(connection, event, turn, parent.unwrap_or_default()).await?;
    }
    let active = path.active();
    for (turn, _, was_active) in &rows {
        let is_active = active.contains(turn);
        if is_active != *was_active {
            sqlx::query("UPDATE turns SET on_path = ?3 WHERE session_id = ?1 AND turn_id = ?2")
                .bind(&session)
                .bind(turn.to_string())
                .bind(is_active)
                .execute(&mut *connection)
                .await?;
        }
    }
    Ok(())
}

/// Projects a session's turns anew from its log.
pub(super) async fn rebuild(
    connection: &mut SqliteConnection,
    session: Uuid,
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM turns WHERE session_id = ?1")
        .bind(session.to_string())
        .execute(&mut *connection)
        .await?;
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT event FROM events WHERE session_id = ?1 AND type IN ('user_message', 'branch_choice') ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .fetch_all(&mut *connection)
    .await?;
    for event in rows.iter().filter_map(damaged::event) {
        advance(connection, &event).await?;
    }
    Ok(())
}

/// The prompt of a turn, and whether the turn is read.
pub(super) async fn asked(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
    turn: Uuid,
) -> Result<(Event, OnPath), StoreError> {
    let row: Option<(String, bool)> = sqlx::query_as(
        "SELECT events.event, turns.on_path FROM turns
         JOIN events ON events.session_id = turns.session_id AND events.sequence_number = turns.first_sequence
         JOIN sessions ON sessions.id = turns.session_id AND sessions.deleted_at IS NULL
         WHERE turns.session_id = ?1 AND turns.turn_id = ?2",
    )
    .bind(session.to_string())
    .bind(turn.to_string())
    .fetch_optional(executor)
    .await?;
    let (event, on_path) = row.ok_or(StoreError::NoTurn)?;
    let on_path = if on_path { OnPath::Yes } else { OnPath::No };
    Ok((serde_json::from_str(&event)?, on_path))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnPath {
    Yes,
    No,
}

/// Where the path's turns from `first` to before `before` stand in a place with others.
pub(super) async fn branches(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
    first: i64,
    before: i64,
) -> Result<Vec<Branches>, StoreError> {
    // The plus keeps the order from choosing the index: by parent only the few others are read.
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT here.turn_id AS here, other.turn_id AS other FROM turns here
         JOIN turns other ON other.session_id = here.session_id AND other.parent = here.parent
         WHERE here.session_id = ?1 AND here.on_path = 1 AND here.first_sequence >= ?2 AND here.first_sequence < ?3
         ORDER BY here.first_sequence, +other.first_sequence",
    )
    .bind(session.to_string())
    .bind(first)
    .bind(before)
    .fetch_all(executor)
    .await?;
    let read = |row: &SqliteRow| Some((damaged::id(row, "here")?, damaged::id(row, "other")?));
    let rows: Vec<(Uuid, Uuid)> = rows.iter().filter_map(read).collect();
    let places = rows
        .chunk_by(|a, b| a.0 == b.0)
        .filter(|place| place.len() > 1);
    Ok(places
        .filter_map(|place| {
            Some(Branches {
                turn: place.first()?.0,
                turns: place.iter().map(|row| row.1).collect(),
            })
        })
        .collect())
}
