//! Pages of the active path: a stretch of its turns, never a part of one.
//!
//! A page costs what it holds, however long the session is and whatever other branches lie
//! between its turns.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;
use weir_protocol::{Branches, Event};

use super::{StoreError, damaged, log, turns};

/// A stretch of the active path.
#[derive(Clone, Debug, Default)]
pub struct Stretch {
    /// Oldest first, from the start of a turn.
    pub events: Vec<Event>,
    /// Whether the path has turns before these.
    pub has_earlier: bool,
    pub branches: Vec<Branches>,
}

/// The numbers of neighbouring events, the end left out.
struct Range {
    start: i64,
    end: i64,
}

/// At least `limit` events of the path below `before`, if there are so many; more when the
/// oldest of them stands in the middle of a turn.
pub(super) async fn before(
    connection: &mut SqliteConnection,
    session: Uuid,
    before: u64,
    limit: u32,
) -> Result<Stretch, StoreError> {
    let before = i64::try_from(before).unwrap_or(i64::MAX);
    let (mut ranges, has_earlier) = last_turns(connection, session, before, limit).await?;
    let first = ranges.last().map_or(before, |range| range.start);
    if !has_earlier {
        ranges.push(beginning(connection, session, before).await?);
    }
    ranges.reverse();
    let mut events = Vec::new();
    for range in joined(ranges) {
        events.extend(log::between(connection, session, range.start, range.end).await?);
    }
    Ok(Stretch {
        events,
        has_earlier,
        branches: turns::branches(connection, session, first, before).await?,
    })
}

/// How many turns are looked at together: mostly enough for a screen.
const SOME: usize = 8;

/// Where the last turns of the path lie, the newest first, and whether there are more.
async fn last_turns(
    connection: &mut SqliteConnection,
    session: Uuid,
    before: i64,
    limit: u32,
) -> Result<(Vec<Range>, bool), StoreError> {
    let session = session.to_string();
    let mut ranges: Vec<Range> = Vec::new();
    let mut held = 0;
    loop {
        let before = ranges.last().map_or(before, |range| range.start);
        let some: Vec<SqliteRow> = sqlx::query(
            "SELECT first_sequence, coalesce(
                (SELECT min(next.first_sequence) FROM turns next WHERE next.session_id = ?1 AND next.first_sequence > turns.first_sequence),
                (SELECT last_sequence + 1 FROM sessions WHERE id = ?1)) AS next_sequence
             FROM turns WHERE session_id = ?1 AND on_path = 1 AND first_sequence < ?2
             ORDER BY first_sequence DESC LIMIT ?3",
        )
        .bind(&session)
        .bind(before)
        .bind(SOME as i64)
        .fetch_all(&mut *connection)
        .await?;
        let is_last = some.len() < SOME;
        for row in &some {
            // What is damaged ends with what comes after it.
            let start = damaged::integer(row, "first_sequence").unwrap_or_default();
            let end = damaged::integer(row, "next_sequence").unwrap_or(i64::MAX);
            if held >= i64::from(limit) {
                return Ok((ranges, true));
            }
            let end = before.min(end);
            held = end.saturating_sub(start).saturating_add(held);
            ranges.push(Range { start, end });
        }
        if is_last {
            return Ok((ranges, false));
        }
    }
}

/// What came before the session's first turn; everything, when there is none.
async fn beginning(
    connection: &mut SqliteConnection,
    session: Uuid,
    before: i64,
) -> Result<Range, StoreError> {
    let row: SqliteRow =
        sqlx::query("SELECT min(first_sequence) AS first FROM turns WHERE session_id = ?1")
            .bind(session.to_string())
            .fetch_one(connection)
            .await?;
    let first = damaged::integer(&row, "first");
    let end = first.unwrap_or(before).min(before);
    Ok(Range { start: 0, end })
}

/// Neighbours as one: a session without branches is read in one go.
fn joined(ranges: Vec<Range>) -> Vec<Range> {
    let mut joined: Vec<Range> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            Some(_) | None => joined.push(range),
        }
    }
    joined
}
