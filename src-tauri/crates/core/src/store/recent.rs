//! The events of the turns that are running, as they were published: what is left of them should
//! the database be lost.
//!
//! Holds no more than the running turns say: chunks are dropped when their block is finished, and
//! all of a turn when it ends.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use uuid::Uuid;
use weir_protocol::{Event, SessionStatus, SessionSummary};

use super::Recorded;

#[derive(Default)]
pub(super) struct Recent {
    turns: BTreeMap<Uuid, Turn>,
    /// What was on its way to the database when it was lost. Never published.
    unsaved: Vec<Event>,
}

/// How far a running turn got.
pub(super) struct Standing {
    pub(super) line: Arc<SessionSummary>,
    pub(super) turn: Option<Uuid>,
    pub(super) next_index: u64,
}

struct Turn {
    standing: Standing,
    events: Vec<Event>,
    /// Chunks of blocks that still grow.
    chunks: Vec<Event>,
}

impl Recent {
    pub(super) fn published(&mut self, recorded: &Recorded) {
        let session = recorded.session.id;
        match recorded.session.status {
            SessionStatus::Running | SessionStatus::Waiting => {}
            SessionStatus::Idle | SessionStatus::Interrupted | SessionStatus::Failed => {
                self.turns.remove(&session);
                return;
            }
        }
        let Some(last) = recorded.events.last() else {
            return;
        };
        let standing = Standing {
            line: Arc::clone(&recorded.session),
            turn: last.turn_id,
            next_index: last.event_index + 1,
        };
        let turn = match self.turns.entry(session) {
            Entry::Occupied(known) => {
                let turn = known.into_mut();
                turn.standing = standing;
                turn
            }
            Entry::Vacant(free) => free.insert(Turn {
                standing,
                events: Vec::new(),
                chunks: Vec::new(),
            }),
        };
        for event in recorded.events.iter() {
            if event.body.is_chunk() {
                turn.chunks.push(event.clone());
                continue;
            }
            if event.block_index.is_some() {
                let grows = |chunk: &Event| chunk.block_index != event.block_index;
                turn.chunks.retain(grows);
            }
            turn.events.push(event.clone());
        }
    }

    pub(super) fn not_saved(&mut self, events: impl IntoIterator<Item = Event>) {
        self.unsaved.extend(events);
    }

    pub(super) fn has_unsaved(&self) -> bool {
        !self.unsaved.is_empty()
    }

    /// The sessions whose turns are running, and how far those got.
    pub(super) fn standings(&self) -> impl Iterator<Item = (Uuid, &Standing)> {
        let standing = |(session, turn)| {
            let (session, turn): (&Uuid, &Turn) = (session, turn);
            (*session, &turn.standing)
        };
        self.turns.iter().map(standing)
    }

    /// All that is held, each session's events in their order.
    pub(super) fn events(&self) -> impl Iterator<Item = &Event> {
        let turns = self.turns.values();
        let published = turns.flat_map(|turn| turn.events.iter().chain(&turn.chunks));
        published.chain(&self.unsaved)
    }
}
