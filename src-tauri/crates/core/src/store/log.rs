//! The log: stored events in order.

use std::sync::LazyLock;

use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::Event;

use super::batch::{Batch, Record};
use super::rows::{self, Inserts, Values};
use super::running::Running;
use super::{Recorded, StoreError, damaged};

static INSERTS: Inserts = LazyLock::new(|| {
    let columns = ["session_id", "sequence_number", "id", "type", "event"];
    rows::inserts("events", &columns)
});

/// A numbered event on its way into the log.
pub(super) struct Row {
    session: Uuid,
    sequence_number: i64,
    id: Uuid,
    kind: &'static str,
    event: String,
}

impl Row {
    pub(super) fn of(event: &Event) -> Result<Self, StoreError> {
        Ok(Self {
            session: event.session_id,
            sequence_number: event.sequence_number.unwrap_or_default() as i64,
            id: event.id,
            kind: event.body.name(),
            event: serde_json::to_string(event)?,
        })
    }

    fn bind(self, values: &mut Values) -> Result<(), StoreError> {
        values.add(self.session.to_string())?;
        values.add(self.sequence_number)?;
        values.add(self.id.to_string())?;
        values.add(self.kind)?;
        values.add(self.event)
    }
}

pub(super) async fn insert(
    connection: &mut SqliteConnection,
    events: Vec<Row>,
) -> Result<(), StoreError> {
    rows::insert(connection, &INSERTS, events, Row::bind).await
}

/// One change by itself: numbers the events of the owner's turn, stores them and brings the
/// session's line up to date.
pub(super) async fn append(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
    events: Vec<Event>,
) -> Result<Recorded, StoreError> {
    let mut batch = Batch::default();
    let mut record = [Record { session, events }];
    let lines = batch
        .add(connection, &Running::default(), owner, &mut record)
        .await?;
    let line = lines.into_iter().next();
    let session = line.ok_or(StoreError::NoSession(session))??;
    batch.write(connection, owner).await?;
    let [Record { events, .. }] = record;
    Ok(Recorded {
        events: events.into(),
        session,
    })
}

/// Which of these ids the log has already.
pub(super) async fn known(
    connection: &mut SqliteConnection,
    ids: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    let mut known = Vec::new();
    // One statement for any number up to eight: the rest of its places stay NULL.
    for some in ids.chunks(8) {
        let mut query = sqlx::query_scalar(
            "SELECT id FROM events WHERE id IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        );
        for place in 0..8 {
            query = query.bind(some.get(place).map(Uuid::to_string));
        }
        let found: Vec<String> = query.fetch_all(&mut *connection).await?;
        known.extend(found.iter().filter_map(|id| Uuid::parse_str(id).ok()));
    }
    Ok(known)
}

/// What is shown: with something in the place of each event that cannot be read.
pub(super) async fn since(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
    since: u64,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT sequence_number, event FROM events WHERE session_id = ?1 AND sequence_number > ?2 ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .bind(i64::try_from(since).unwrap_or(i64::MAX))
    .fetch_all(executor)
    .await?;
    Ok(without_numbers(damaged::events(session, &rows)))
}

/// What a session goes on from: an error when one of its events cannot be read.
pub(super) async fn whole(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<String> = sqlx::query_scalar(
        "SELECT event FROM events WHERE session_id = ?1 ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .fetch_all(executor)
    .await?;
    rows.iter()
        .map(|row| Ok(serde_json::from_str(row)?))
        .collect()
}

/// The next events after `since` with their numbers, at most `limit`.
pub(super) async fn page_since(
    connection: &mut SqliteConnection,
    session: Uuid,
    since: u64,
    limit: u32,
) -> Result<Vec<(u64, Event)>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT sequence_number, event FROM events WHERE session_id = ?1 AND sequence_number > ?2 ORDER BY sequence_number LIMIT ?3",
    )
    .bind(session.to_string())
    .bind(since as i64)
    .bind(limit)
    .fetch_all(connection)
    .await?;
    Ok(damaged::events(session, &rows))
}

/// Stored events from `start` to before `end`, without what is never shown: choices of branch, and what is raw.
pub(super) async fn between(
    connection: &mut SqliteConnection,
    session: Uuid,
    start: i64,
    end: i64,
) -> Result<Vec<Event>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT sequence_number, event FROM events WHERE session_id = ?1 AND sequence_number >= ?2 AND sequence_number < ?3 AND type NOT IN ('branch_choice', 'raw') ORDER BY sequence_number",
    )
    .bind(session.to_string())
    .bind(start)
    .bind(end)
    .fetch_all(connection)
    .await?;
    Ok(without_numbers(damaged::events(session, &rows)))
}

fn without_numbers(events: Vec<(u64, Event)>) -> Vec<Event> {
    events.into_iter().map(|(_, event)| event).collect()
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
