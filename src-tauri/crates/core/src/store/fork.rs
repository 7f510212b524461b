//! A fork: a copy of a session's events up to a turn, as a session of its own.
//!
//! Events and turns get ids of their own, so that the two sessions share nothing but what was
//! said. What the steps used, and what a budget had to say to it, stays with the session that
//! paid for it: a fork has spent nothing yet, and all sessions together have spent what was
//! spent.

use std::collections::HashMap;

use uuid::Uuid;
use weir_protocol::{Event, EventBody, Origin, PersistenceState};

/// `events` are those of one branch up to the turn that `origin` names.
pub(super) fn copy(events: Vec<Event>, session: Uuid, origin: Origin) -> Vec<Event> {
    let mut ids: HashMap<Uuid, Uuid> = HashMap::new();
    let mut own = |turn: Uuid| *ids.entry(turn).or_insert_with(crate::clock::new_id);
    let mut copies: Vec<Event> = events
        .into_iter()
        .filter(|event| {
            !matches!(
                event.body,
                EventBody::Usage { .. } | EventBody::Budget { .. }
            )
        })
        .collect();
    for event in &mut copies {
        event.id = crate::clock::new_id();
        event.session_id = session;
        event.turn_id = event.turn_id.map(&mut own);
        event.sequence_number = None;
        event.persistence_state = PersistenceState::Pending;
        if let EventBody::SessionStart { forked_from, .. } = &mut event.body {
            // The session begins now; what was said in it keeps its time.
            *forked_from = Some(origin);
            event.timestamp = crate::clock::now();
        } else if let EventBody::UserMessage { replaces, .. } = &mut event.body {
            // The other branches stay where they are.
            *replaces = None;
        } else if let EventBody::Compaction { keeps_from, .. } = &mut event.body {
            *keeps_from = keeps_from.map(&mut own);
        } else if let EventBody::PermissionDecision { binding, .. } = &mut event.body {
            // An answer for a session holds in that session.
            *binding = None;
        }
    }
    copies
}
