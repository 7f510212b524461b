//! What a run of changes puts into log and journal, gathered first and written in a few
//! statements.
//!
//! Keeps *ordered and whole*: the numbers are taken in the transaction that will insert, one
//! statement a change, and an event whose id is stored already takes none. A chunk whose
//! finished block is in the same batch is never written: the block has all of its text.

use std::collections::{HashMap, HashSet};

use sqlx::SqliteConnection;
use uuid::Uuid;
use weir_protocol::{Event, PersistenceState, SessionStatus, SessionSummary};

use super::sessions::Numbers;
use super::{Recorded, StoreError, journal, log, sessions, turns};

/// The ids of the chunks that the running turns of this Weir have in the journal. Nobody else
/// writes those, so nothing needs to be looked up.
#[derive(Default)]
pub(super) struct Shown(HashMap<Uuid, HashSet<Uuid>>);

impl Shown {
    /// Takes in what is durable now.
    pub(super) fn take_in(&mut self, recorded: &Recorded) {
        match recorded.session.status {
            SessionStatus::Running | SessionStatus::Waiting => {
                let chunks = recorded.events.iter().filter(|event| event.body.is_chunk());
                let ids = self.0.entry(recorded.session.id).or_default();
                ids.extend(chunks.map(|chunk| chunk.id));
            }
            SessionStatus::Idle | SessionStatus::Interrupted | SessionStatus::Failed => {
                self.0.remove(&recorded.session.id);
            }
        }
    }

    fn has(&self, event: &Event) -> bool {
        let ids = self.0.get(&event.session_id);
        ids.is_some_and(|ids| ids.contains(&event.id))
    }
}

#[derive(Default)]
pub(super) struct Batch {
    ids: HashSet<Uuid>,
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
    fn is_growing(&self) -> bool {
        self.events.iter().all(|event| event.body.is_chunk())
    }
}

impl Batch {
    /// Numbers the events of the owner's turns, takes out those that are stored already, and
    /// brings the sessions' lines up to date. Answers each record's line, or why it was refused
    /// (no such session, not ours), which leaves everything as it was.
    pub(super) async fn add(
        &mut self,
        connection: &mut SqliteConnection,
        shown: &Shown,
        owner: &str,
        records: &mut [Record],
    ) -> Result<Vec<Result<SessionSummary, StoreError>>, StoreError> {
        for record in records.iter_mut() {
            self.drop_known(connection, shown, &mut record.events)
                .await?;
        }
        let mut advanced = sessions::advance_growing(connection, owner, &growing(records)).await?;
        let mut lines = Vec::with_capacity(records.len());
        for Record { session, events } in records {
            let (line, numbers) = match advanced.get_mut(session) {
                Some((line, next_index)) => {
                    let numbers = Numbers {
                        first_index: *next_index,
                        first_sequence: 0,
                    };
                    *next_index += events.len() as u64;
                    (line.clone(), numbers)
                }
                None => match sessions::advance(connection, *session, owner, events).await {
                    Err(error) if error.is_refusal() => {
                        lines.push(Err(error));
                        continue;
                    }
                    advanced => advanced?,
                },
            };
            self.number(connection, numbers, events).await?;
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
            event.event_index = index;
            if event.body.is_chunk() {
                event.persistence_state = PersistenceState::Transient;
                self.chunks.push(journal::Row::of(event)?);
            } else {
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

    /// The same id twice is one event.
    async fn drop_known(
        &mut self,
        connection: &mut SqliteConnection,
        shown: &Shown,
        events: &mut Vec<Event>,
    ) -> Result<(), StoreError> {
        let for_log = events.iter().filter(|event| !event.body.is_chunk());
        let for_log: Vec<Uuid> = for_log.map(|event| event.id).collect();
        let stored = log::known(connection, &for_log).await?;
        events.retain(|event| {
            let known = stored.contains(&event.id) || shown.has(event);
            !known && self.ids.insert(event.id)
        });
        Ok(())
    }

    pub(super) async fn write(self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        for block in self.finished {
            journal::clear(connection, block).await?;
        }
        journal::insert(connection, self.chunks).await?;
        log::insert(connection, self.events).await
    }
}

/// How many chunks each session has that has nothing else, if there are several such sessions.
fn growing(records: &[Record]) -> Vec<(Uuid, u64)> {
    let mut chunks: HashMap<Uuid, Option<u64>> = HashMap::with_capacity(records.len());
    for record in records {
        let count = chunks.entry(record.session).or_insert(Some(0));
        *count = match (*count, record.is_growing()) {
            (Some(count), true) => Some(count + record.events.len() as u64),
            (Some(_) | None, false) | (None, true) => None,
        };
    }
    let growing = chunks.into_iter();
    let growing: Vec<_> = growing
        .filter_map(|(session, count)| Some((session, count?)))
        .collect();
    match growing.len() {
        0 | 1 => Vec::new(),
        _ => growing,
    }
}
