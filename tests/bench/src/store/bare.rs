//! SQLite without Weir: prepared once, bound, stepped, committed.

use std::path::Path;

use rusqlite::{Connection, params};
use weir_protocol::{Event, PersistenceState};

use crate::Outcome;

/// A row of the journal, as Weir writes it.
pub(crate) struct Row {
    session: String,
    turn: String,
    block: u32,
    index: i64,
    event: String,
}

impl Row {
    pub(crate) fn of(event: &Event, index: usize) -> Outcome<Self> {
        let mut event = event.clone();
        event.event_index = index as u64;
        event.persistence_state = PersistenceState::Transient;
        Ok(Self {
            session: event.session_id.to_string(),
            turn: event.turn_id.unwrap_or_default().to_string(),
            block: event.block_index.unwrap_or_default(),
            index: index as i64,
            event: serde_json::to_string(&event)?,
        })
    }
}

/// With the pragmas of Weir's writer.
pub(crate) fn open(path: &Path) -> Outcome<Connection> {
    let database = Connection::open(path)?;
    database.pragma_update(None, "journal_mode", "wal")?;
    database.pragma_update(None, "synchronous", "full")?;
    database.pragma_update(None, "foreign_keys", "on")?;
    Ok(database)
}

pub(crate) fn insert(database: &mut Connection, rows: &[Row], commit: usize) -> Outcome<()> {
    for rows in rows.chunks(commit) {
        let transaction =
            database.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO journal (session_id, turn_id, block_index, event_index, event) VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for row in rows {
                insert.execute(params![
                    row.session,
                    row.turn,
                    row.block,
                    row.index,
                    row.event
                ])?;
            }
        }
        transaction.commit()?;
    }
    Ok(())
}

/// Fills the log with `events` events in sessions of `each`, without Weir.
pub(crate) fn fill(path: &Path, events: usize, each: usize) -> Outcome<()> {
    let database = open(path)?;
    database.pragma_update(None, "synchronous", "off")?;
    database.execute_batch(&format!(
        "BEGIN;
         CREATE TEMP TABLE numbers (number INTEGER PRIMARY KEY);
         WITH RECURSIVE count(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM count WHERE number + 1 < {events})
         INSERT INTO numbers SELECT number FROM count;
         INSERT INTO sessions (id, title, source, model, status, turns, last_sequence, next_index, created_at, updated_at)
         SELECT printf('00000000-0000-7000-8000-%012x', number / {each}), 'A session', 'demo', 'demo', 'idle', {each} / 4, {each}, {each}, 1700000000000, 1700000000000 + number
         FROM numbers WHERE number % {each} = 0;
         INSERT INTO events (session_id, sequence_number, id, type, event)
         SELECT printf('00000000-0000-7000-8000-%012x', number / {each}),
                number % {each} + 1,
                printf('10000000-0000-7000-8000-%012x', number),
                CASE number % 4 WHEN 0 THEN 'user_message' WHEN 1 THEN 'message' WHEN 2 THEN 'usage' ELSE 'complete' END,
                json_object('id', printf('10000000-0000-7000-8000-%012x', number),
                    'sessionId', printf('00000000-0000-7000-8000-%012x', number / {each}),
                    'turnId', printf('20000000-0000-7000-8000-%012x', number / 4),
                    'type', CASE number % 4 WHEN 0 THEN 'user_message' WHEN 1 THEN 'message' WHEN 2 THEN 'usage' ELSE 'complete' END,
                    'content', 'Some words that somebody said, as long as most of them are, and a few more of them.',
                    'source', 'demo', 'model', 'demo', 'stopReason', 'end_turn', 'durationMs', 5,
                    'usage', json_object('inputTokens', 1, 'outputTokens', 2, 'reasoningTokens', 0, 'cacheReadTokens', 0, 'cacheWriteTokens', 0, 'cacheWrite5mTokens', 0, 'cacheWrite1hTokens', 0),
                    'eventIndex', number % {each}, 'sequenceNumber', number % {each} + 1,
                    'persistenceState', 'persisted', 'timestamp', '2026-11-16T10:00:00Z')
         FROM numbers;
         INSERT INTO turns (session_id, turn_id, parent, first_sequence, on_path)
         SELECT printf('00000000-0000-7000-8000-%012x', number / {each}),
                printf('20000000-0000-7000-8000-%012x', number / 4),
                CASE WHEN number % {each} = 0 THEN '' ELSE printf('20000000-0000-7000-8000-%012x', number / 4 - 1) END,
                number % {each} + 1,
                1
         FROM numbers WHERE number % 4 = 0;
         COMMIT;
         PRAGMA wal_checkpoint(TRUNCATE);"
    ))?;
    Ok(())
}

/// The session that [`fill`] has made first, second and so on.
pub(crate) fn session(number: u64) -> uuid::Uuid {
    uuid::Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
}
