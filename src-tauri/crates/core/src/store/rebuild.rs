//! The sessions' lines, their turns and what they spent, computed anew from the log.
//!
//! A line is a projection: everything in it follows from the session's events, by the same
//! fold that keeps it up to date, but for the user's own title and whose turn is streaming,
//! which stay. One transaction: all lines are mended or none is touched.

use sqlx::SqliteConnection;
use uuid::Uuid;
use weir_protocol::{Event, EventBody, Origin};

use super::sessions::{self, Advance};
use super::{StoreError, damaged, log, spending, turns};

/// How many events are in memory at once.
const PAGE: u32 = 1000;

/// What a rebuild came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rebuilt {
    pub sessions: u64,
    /// The lines that said something else than the log.
    pub mended: u64,
    pub events: u64,
    /// The events that could not be read, and count for nothing.
    pub damaged: u64,
}

pub(super) async fn rebuild(connection: &mut SqliteConnection) -> Result<Rebuilt, StoreError> {
    let mut rebuilt = Rebuilt {
        mended: sessions::create_missing(connection).await?
            + sessions::remove_unreadable(connection).await?,
        ..Rebuilt::default()
    };
    for session in sessions::ids(connection).await? {
        let mut projection = Projection::read(connection, session).await?;
        let spent = std::mem::take(&mut projection.spent);
        rebuilt.sessions += 1;
        rebuilt.events += projection.events;
        rebuilt.damaged += projection.damaged;
        turns::rebuild(connection, session).await?;
        if sessions::replace(connection, session, projection).await? {
            rebuilt.mended += 1;
        }
        spending::replace(connection, session, spent).await?;
    }
    Ok(rebuilt)
}

/// A session's events, folded.
#[derive(Default)]
pub(super) struct Projection {
    pub(super) line: Advance,
    pub(super) created_at: Option<i64>,
    pub(super) last_sequence: u64,
    pub(super) next_index: u64,
    pub(super) origin: Option<Origin>,
    pub(super) project: Option<String>,
    spent: Vec<spending::Row>,
    source: String,
    events: u64,
    damaged: u64,
}

impl Projection {
    async fn read(connection: &mut SqliteConnection, session: Uuid) -> Result<Self, StoreError> {
        let mut projection = Self::default();
        loop {
            let since = projection.last_sequence;
            let events = log::page_since(connection, session, since, PAGE).await?;
            if events.is_empty() {
                break;
            }
            for (number, event) in &events {
                projection.add(*number, event);
            }
        }
        Ok(projection)
    }

    fn add(&mut self, number: u64, event: &Event) {
        if damaged::is_stand_in(event) {
            self.damaged += 1;
            self.last_sequence = number;
            return;
        }
        self.line.add(event);
        self.created_at
            .get_or_insert(event.timestamp.as_millisecond());
        if let EventBody::SessionStart {
            forked_from,
            project,
            source,
            ..
        } = &event.body
        {
            self.origin = *forked_from;
            self.project.clone_from(project);
            self.source.clone_from(source);
        } else if let EventBody::UserMessage { source, .. } = &event.body {
            self.source.clone_from(source);
        }
        let spent = spending::Row::of(event);
        self.spent
            .extend(spent.map(|row| row.asked_of(&self.source)));
        self.last_sequence = number;
        self.next_index = self.next_index.max(event.event_index + 1);
        self.events += 1;
    }
}
