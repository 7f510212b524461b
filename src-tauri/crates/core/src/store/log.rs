//! The log: stored events in order, and the numbers they get.

use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::{Event, PersistenceState};

use super::{Recorded, StoreError, journal, sessions, turns};

/// Numbers the events of the owner's turn, stores them and brings the session's line up to date. One statement
/// takes the numbers and updates the line; each event is serialized once.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
    mut events: Vec<Event>,
) -> Result<Recorded, StoreError> {
    let (line, numbers) = sessions::advance(connection, session, owner, &events).await?;
    let mut sequence = numbers.first_sequence;
    for (index, event) in (numbers.first_index..).zip(&mut events) {
        event.event_index = index;
        if event.body.is_chunk() {
            event.persistence_state = PersistenceState::Transient;
            journal::append(connection, event).await?;
        } else {
            event.sequence_number = Some(sequence);
            sequence += 1;
            event.persistence_state = PersistenceState::Persisted;
            insert(connection, event).await?;
            journal::clear(connection, event).await?;
            turns::advance(connection, event).await?;
        }
    }
    Ok(Recorded {
        events: events.into(),
        session: line,
    })
}

async fn insert(connection: &mut SqliteConnection, event: &Event) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO events (session_id, sequence_number, id, type, event) VALUES (?1, ?2, ?3, ?4, ?5)",
    )
    .bind(event.session_id.to_string())
    .bind(event.sequence_number.map(|number| number as i64))
    .bind(event.id.to_string())
    .bind(event.body.name())
    .bind(serde_json::to_string(event)?)
    .execute(connection)
    .await?;
    Ok(())
}

pub(super) async fn since(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
    since: u64,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT event FROM events WHERE session_id = ?1 AND sequence_number > ?2 ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .bind(i64::try_from(since).unwrap_or(i64::MAX))
    .fetch_all(executor)
    .await?;
    read(&rows)
}

/// Stored events from `start` to before `end`, without the choices of branch between them.
pub(super) async fn between(
    connection: &mut SqliteConnection,
    session: Uuid,
    start: i64,
    end: i64,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT event FROM events WHERE session_id = ?1 AND sequence_number >= ?2 AND sequence_number < ?3 AND type <> 'branch_choice' ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .bind(start)
    .bind(end)
    .fetch_all(connection)
    .await?;
    read(&rows)
}

pub(super) fn read(rows: &[String]) -> Result<Vec<Event>, StoreError> {
    rows.iter()
        .map(|row| Ok(serde_json::from_str(row)?))
        .collect()
}

/// The sequence number at which the turn that holds `sequence` starts.
pub(super) async fn turn_start(
    connection: &mut SqliteConnection,
    session: Uuid,
    sequence: i64,
) -> Result<i64, StoreError> {
    let start: Option<i64> = sqlx::query_scalar(
        "SELECT sequence_number FROM events WHERE session_id = ?1 AND sequence_number <= ?2 AND type = 'user_message' ORDER BY sequence_number DESC LIMIT 1",
    )
    .bind(session.to_string())
    .bind(sequence)
    .fetch_optional(connection)
    .await?;
    Ok(start.unwrap_or(sequence).min(sequence))
}
