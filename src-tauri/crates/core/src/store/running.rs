//! The running turns of this Weir: which chunks they have in the journal, and how far they have
//! counted.
//!
//! Only the Weir that owns a turn writes it, so a frame of chunks need not look anything up, and
//! leaves the session's row as it is. That the turn is still ours and the row still says what it
//! said is checked by the statement that inserts the chunks, never taken for granted.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use uuid::Uuid;
use weir_protocol::{Event, SessionStatus, SessionSummary};

use super::Recorded;

#[derive(Default)]
pub(super) struct Running(HashMap<Uuid, Turn>);

#[derive(Default)]
struct Turn {
    chunks: HashSet<Uuid>,
    /// Absent until the session's row has been read or written.
    count: Option<Count>,
}

/// Where a session's numbers stand.
#[derive(Clone)]
pub(super) struct Count {
    pub(super) line: Arc<SessionSummary>,
    /// What the session's row says: one above the last index that it has been told of.
    pub(super) settled_index: u64,
    /// The same, and the chunks after it.
    pub(super) next_index: u64,
}

impl Running {
    /// Takes in what is durable now.
    pub(super) fn take_in(&mut self, recorded: &Recorded) {
        let line = &recorded.session;
        match line.status {
            SessionStatus::Running | SessionStatus::Waiting => {}
            SessionStatus::Idle | SessionStatus::Interrupted | SessionStatus::Failed => {
                self.0.remove(&line.id);
                return;
            }
        }
        let Some(last) = recorded.events.last() else {
            if let Some(count) = self.0.get_mut(&line.id).and_then(|it| it.count.as_mut()) {
                count.line = Arc::clone(line);
            }
            return;
        };
        let turn = self.0.entry(line.id).or_default();
        let chunks = recorded.events.iter().filter(|event| event.body.is_chunk());
        turn.chunks.extend(chunks.map(|chunk| chunk.id));
        let only_chunks = recorded.events.iter().all(|event| event.body.is_chunk());
        let next_index = last.event_index + 1;
        match &mut turn.count {
            Some(count) if only_chunks => count.next_index = next_index,
            count => {
                *count = Some(Count {
                    line: Arc::clone(line),
                    settled_index: next_index,
                    next_index,
                });
            }
        }
    }

    /// Whether the journal has this chunk already.
    pub(super) fn has(&self, event: &Event) -> bool {
        let turn = self.0.get(&event.session_id);
        turn.is_some_and(|turn| turn.chunks.contains(&event.id))
    }

    pub(super) fn count(&self, session: Uuid) -> Option<&Count> {
        self.0.get(&session)?.count.as_ref()
    }

    /// From here on the session's row is asked again.
    pub(super) fn forget_count(&mut self, session: Uuid) {
        if let Some(turn) = self.0.get_mut(&session) {
            turn.count = None;
        }
    }
}
