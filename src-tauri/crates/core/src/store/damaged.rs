//! Reading rows of which some may be damaged: written by a failing disk, or by another program.
//!
//! Invariant: a row that cannot be read keeps no other row from being read. A value that cannot
//! be read is `None` here and never an error; whoever reads many rows leaves the row out or puts
//! something in the place of the value. What continues a session does not go through here: it
//! must not go on from a history with holes.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;
use weir_protocol::{Event, EventBody, PersistenceState};

/// The web view counts no further; no session has so many events.
const LAST_NUMBER: u64 = 1 << 53;

/// Shown where an event is that cannot be read.
const DAMAGED: &str = "An event that was stored here is damaged and cannot be read.";

/// Also what is stored as bytes, or is not UTF-8 to its end.
pub(super) fn text(row: &SqliteRow, column: &str) -> Option<String> {
    let bytes = bytes(row, column)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

pub(super) fn bytes(row: &SqliteRow, column: &str) -> Option<Vec<u8>> {
    row.try_get::<Option<_>, _>(column).ok()?
}

/// A sum of damaged values may come as a fraction.
pub(super) fn integer(row: &SqliteRow, column: &str) -> Option<i64> {
    match row.try_get::<Option<i64>, _>(column) {
        Ok(whole) => whole,
        Err(_) => Some(row.try_get::<Option<f64>, _>(column).ok()?? as i64),
    }
}

/// Nothing is counted below zero.
pub(super) fn count(row: &SqliteRow, column: &str) -> u64 {
    let count = integer(row, column).unwrap_or_default();
    u64::try_from(count).unwrap_or_default()
}

pub(super) fn amount(row: &SqliteRow, column: &str) -> Option<f64> {
    let amount = row.try_get::<Option<f64>, _>(column).ok()??;
    amount.is_finite().then_some(amount)
}

pub(super) fn moment(row: &SqliteRow, column: &str) -> Option<Timestamp> {
    Timestamp::from_millisecond(integer(row, column)?).ok()
}

/// Only as Weir writes ids: under another spelling its rows would not be found.
pub(super) fn id(row: &SqliteRow, column: &str) -> Option<Uuid> {
    let text = text(row, column)?;
    let id = Uuid::parse_str(&text).ok()?;
    (id.to_string() == text).then_some(id)
}

/// The event of a row, if it can be read.
pub(super) fn event(row: &SqliteRow) -> Option<Event> {
    serde_json::from_str(&text(row, "event")?).ok()
}

/// A session's events by the columns `sequence_number` and `event`, with something that says so
/// in the place of each that cannot be read.
pub(super) fn events(session: Uuid, rows: &[SqliteRow]) -> Vec<(u64, Event)> {
    let mut events: Vec<(u64, Event)> = Vec::with_capacity(rows.len());
    for row in rows {
        let number = integer(row, "sequence_number").and_then(|it| u64::try_from(it).ok());
        let Some(number) = number.filter(|number| *number <= LAST_NUMBER) else {
            tracing::warn!(%session, "an event without a usable number is left out");
            continue;
        };
        let event = event(row).unwrap_or_else(|| {
            tracing::warn!(%session, number, "an event cannot be read");
            stand_in(session, number, events.last().map(|(_, event)| event))
        });
        events.push((number, event));
    }
    events
}

/// Whether it was put in the place of an event that cannot be read.
pub(super) fn is_stand_in(event: &Event) -> bool {
    matches!(&event.body, EventBody::Processing { content, .. } if content == DAMAGED)
}

fn stand_in(session: Uuid, number: u64, before: Option<&Event>) -> Event {
    Event {
        // The same one each time, and nobody else's.
        id: Uuid::from_u64_pair(session.as_u64_pair().1, number),
        session_id: session,
        turn_id: before.and_then(|before| before.turn_id),
        body: EventBody::Processing {
            content: DAMAGED.to_owned(),
            duration_ms: 0,
        },
        event_index: before.map_or(0, |before| before.event_index),
        sequence_number: Some(number),
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Persisted,
        timestamp: before.map_or(Timestamp::UNIX_EPOCH, |before| before.timestamp),
    }
}
