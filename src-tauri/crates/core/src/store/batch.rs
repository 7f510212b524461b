//! What a run of changes puts into log and journal, gathered first and written in a few
//! statements.
//!
//! Keeps *ordered and whole*: what goes into the log takes its numbers from the session's row, in
//! the transaction that will insert, one statement a change. Chunks alone count on from there in
//! memory, and each of their rows is inserted only if the row of the session is as it was. An
//! event whose id is stored already takes no number. A chunk whose finished block is in the same
//! batch is never written: the block has all of its text.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use sqlx::SqliteConnection;
use uuid::Uuid;
use weir_protocol::{Event, PersistenceState, SessionSummary};

use super::running::{Count, Running};
use super::sessions::Numbers;
use super::{StoreError, journal, log, sessions, turns};

#[derive(Default)]
pub(super) struct Batch {
    ids: HashSet<Uuid>,
    counts: HashMap<Uuid, Count>,
    events: Vec<log::Row>,
    chunks: Vec<journal::Row>,
    finished: Vec<journal::Block>,
}

/// Events of one session's turn that wait to be saved.
pub(super) struct Record {
    pub(super) session: Uuid,
    pub(super) events: Vec<Event>,
}

impl Record {
    /// Whether it has chunks alone.
    pub(super) fn is_growing(&self) -> bool {
        self.events.iter().all(|event| event.body.is_chunk())
    }
}

impl Batch {
    /// Numbers the events of the owner's turns, takes out those that are stored already, and
    /// brings the sessions' lines up to date. Answers each record's line, or why it was refused
    /// (no such session, not ours), which leaves everything as it was. Chunks of turns that have
    /// been counted ask nothing of the database.
    pub(super) async fn add(
        &mut self,
        connection: &mut SqliteConnection,
        running: &Running,
        owner: &str,
        records: &mut [Record],
    ) -> Result<Vec<Result<Arc<SessionSummary>, StoreError>>, StoreError> {
        let mut lines = Vec::with_capacity(records.len());
        for record in records {
            self.drop_known(connection, running, &mut record.events)
                .await?;
            let session = record.session;
            if !self.counts.contains_key(&session)
                && let Some(count) = running.count(session)
            {
                self.counts.insert(session, count.clone());
            }
            if record.is_growing()
                && let Some(count) = self.counts.get_mut(&session)
            {
                let first_index = count.next_index;
                count.next_index += record.events.len() as u64;
                let settled_index = Some(count.settled_index);
                lines.push(Ok(Arc::clone(&count.line)));
                for (index, chunk) in (first_index..).zip(&mut record.events) {
                    self.add_chunk(chunk, index, settled_index)?;
                }
                continue;
            }
            let least = self.counts.get(&session).map(|count| count.next_index);
            let advanced =
                sessions::advance(connection, session, owner, &record.events, least).await;
            let (line, numbers) = match advanced {
                Err(error) if error.is_refusal() => {
                    lines.push(Err(error));
                    continue;
                }
                advanced => advanced?,
            };
            let line = Arc::new(line);
            let next_index = numbers.first_index + record.events.len() as u64;
            let count = Count {
                line: Arc::clone(&line),
                settled_index: next_index,
                next_index,
            };
            self.counts.insert(session, count);
            self.settle(session);
            self.number(connection, numbers, &mut record.events).await?;
            lines.push(Ok(line));
        }
        Ok(lines)
    }

    async fn number(
        &mut self,
        connection: &mut SqliteConnection,
        numbers: Numbers,
        events: &mut [Event],
    ) -> Result<(), StoreError> {
        let mut sequence = numbers.first_sequence;
        for (index, event) in (numbers.first_index..).zip(events) {
            if event.body.is_chunk() {
                self.add_chunk(event, index, None)?;
            } else {
                event.event_index = index;
                event.sequence_number = Some(sequence);
                sequence += 1;
                event.persistence_state = PersistenceState::Persisted;
                self.events.push(log::Row::of(event)?);
                turns::advance(connection, event).await?;
                if let Some(block) = journal::Block::finished_by(event) {
                    self.chunks.retain(|chunk| chunk.block != block);
                    self.finished.push(block);
                }
            }
        }
        Ok(())
    }

    fn add_chunk(
        &mut self,
        chunk: &mut Event,
        index: u64,
        settled_index: Option<u64>,
    ) -> Result<(), StoreError> {
        chunk.event_index = index;
        chunk.persistence_state = PersistenceState::Transient;
        self.chunks.push(journal::Row::of(chunk, settled_index)?);
        Ok(())
    }

    /// The session's row was brought up to date, so it is ours, and is no more what it was.
    fn settle(&mut self, session: Uuid) {
        for chunk in &mut self.chunks {
            if chunk.block.session == session {
                chunk.settled_index = None;
            }
        }
    }

    /// The same id twice is one event.
    async fn drop_known(
        &mut self,
        connection: &mut SqliteConnection,
        running: &Running,
        events: &mut Vec<Event>,
    ) -> Result<(), StoreError> {
        let for_log = events.iter().filter(|event| !event.body.is_chunk());
        let for_log: Vec<Uuid> = for_log.map(|event| event.id).collect();
        let stored = log::known(connection, &for_log).await?;
        events.retain(|event| {
            let known = stored.contains(&event.id) || running.has(event);
            !known && self.ids.insert(event.id)
        });
        Ok(())
    }

    pub(super) async fn write(
        self,
        connection: &mut SqliteConnection,
        owner: &str,
    ) -> Result<(), StoreError> {
        for block in self.finished {
            journal::clear(connection, block).await?;
        }
        journal::insert(connection, owner, self.chunks).await?;
        log::insert(connection, self.events).await
    }

    /// The chunks of a batch that has nothing else.
    pub(super) async fn write_chunks(
        self,
        connection: &mut SqliteConnection,
        owner: &str,
    ) -> Result<(), sqlx::Error> {
        journal::insert(connection, owner, self.chunks).await
    }
}
