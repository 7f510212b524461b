//! What a user does with whole sessions and their branches: go back, fork, delete, restore.

use std::sync::Arc;

use jiff::SignedDuration;
use uuid::Uuid;
use weir_protocol::{Event, EventBody, Origin, PersistenceState, SessionSummary};

use super::turns::OnPath;
use super::writer::Change;
use super::{Store, StoreError, fork, log, path, sessions, title, turns};
use crate::clock;

/// How long a deleted session can still be brought back; then a start takes it out for good.
const GRACE: SignedDuration = SignedDuration::from_hours(7 * 24);

impl Store {
    /// The prompt that began a turn, on whatever branch the turn is.
    pub async fn prompt(&self, session: Uuid, turn: Uuid) -> Result<Event, StoreError> {
        let (event, _) = turns::asked(&self.readers, session, turn).await?;
        Ok(event)
    }

    /// The stored events that a new turn goes on from, where it comes last or takes the place of
    /// `replaces`.
    pub async fn continued(
        &self,
        session: Uuid,
        replaces: Option<Uuid>,
    ) -> Result<Vec<Event>, StoreError> {
        let events = log::whole(&self.readers, session).await?;
        path::continued(events, replaces).ok_or(StoreError::NoTurn)
    }

    /// Makes the branch that `turn` is on the one that is read. Nothing to do when it is.
    pub async fn choose_branch(&self, session: Uuid, turn: Uuid) -> Result<(), StoreError> {
        let (_, on_path) = turns::asked(&self.readers, session, turn).await?;
        if on_path == OnPath::Yes {
            return Ok(());
        }
        let event = Box::new(Event {
            id: clock::new_id(),
            session_id: session,
            turn_id: None,
            body: EventBody::BranchChoice { turn },
            event_index: 0,
            sequence_number: None,
            block_index: None,
            message_id: None,
            persistence_state: PersistenceState::Pending,
            timestamp: clock::now(),
        });
        self.writer
            .record(Change::ChooseBranch { event })
            .await
            .map(drop)
    }

    /// A new session that begins as this one did, up to and with `turn`, or the last turn of the
    /// active path. A turn that still runs cannot be copied.
    pub async fn fork(
        &self,
        session: Uuid,
        turn: Option<Uuid>,
    ) -> Result<SessionSummary, StoreError> {
        let line = self.session(session).await?;
        let events = log::whole(&self.readers, session).await?;
        let (events, turn) = path::up_to(events, turn).ok_or(StoreError::NoTurn)?;
        let ended = events.iter().any(|event| {
            event.turn_id == Some(turn)
                && matches!(
                    event.body,
                    EventBody::Complete { .. } | EventBody::Error { .. }
                )
        });
        if !ended {
            return Err(StoreError::Busy);
        }
        let new = clock::new_id();
        let recorded = self
            .writer
            .record(Change::Fork {
                session: new,
                origin: session,
                title: title::of_fork(&line.title),
                events: fork::copy(events, new, Origin { session, turn }),
            })
            .await?;
        Ok(Arc::unwrap_or_clone(recorded.session))
    }

    /// Hides the session. It can be restored for a week.
    pub async fn delete(&self, session: Uuid) -> Result<(), StoreError> {
        self.writer.run(Change::Delete { session }).await
    }

    pub async fn restore(&self, session: Uuid) -> Result<SessionSummary, StoreError> {
        let recorded = self.writer.record(Change::Restore { session }).await?;
        Ok(Arc::unwrap_or_clone(recorded.session))
    }

    /// Takes out for good what was deleted long enough ago.
    pub(super) async fn purge(&self) -> Result<(), StoreError> {
        let before = clock::now() - GRACE;
        if sessions::count_deleted(&self.readers, before).await? > 0 {
            self.writer.run(Change::Purge { before }).await?;
        }
        Ok(())
    }
}
