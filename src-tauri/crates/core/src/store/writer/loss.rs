//! What the writer does once the database is lost: it writes and publishes nothing more, ends the
//! running turns with an error that is shown and not saved, and copies what is left where the
//! user wants it.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::SqliteConnection;
use tokio::sync::oneshot;
use uuid::Uuid;
use weir_protocol::{
    ErrorBody, Event, EventBody, Notice, PersistenceState, SessionStatus, SessionSummary, code,
};

use super::super::files::Displaced;
use super::super::recent::Standing;
use super::super::rescue::{self, Left, Rescued};
use super::super::{StoreError, open};
use super::{Answer, Change, Outcome, Write};
use crate::clock;
use crate::publish::Published;

pub(super) struct Loss {
    what: Displaced,
    sentence: String,
    /// Reads what is left. It is never closed: SQLite deletes the log by its name when the last
    /// connection closes, and by now another database may have a log of that name.
    connection: Option<&'static mut SqliteConnection>,
    is_rescued: bool,
}

impl Loss {
    pub(super) fn error(&self) -> StoreError {
        StoreError::Lost(self.sentence.clone())
    }
}

/// A file that was in its place so long ago is still taken to be there when a write begins; what
/// the write came to is published only after another look.
const REST: Duration = Duration::from_millis(100);

impl Write {
    /// Before a write: keeps most of them from going to the wrong place, at no cost in a stream.
    pub(super) async fn look_after_a_rest(&mut self) {
        if self.looked.elapsed() > REST {
            self.look_after().await;
        }
    }

    /// Looks whether the database is still the one that was opened; tells if not.
    pub(super) async fn look_after(&mut self) {
        if self.loss.is_some() {
            return;
        }
        match self.files.check() {
            Ok(()) => self.looked = Instant::now(),
            Err(what) => self.lose(what).await,
        }
    }

    /// A turn cannot go on where SQLite cannot read or write the database any more; what it had
    /// shown is in memory and can be saved elsewhere.
    pub(super) async fn look_at_failure(&mut self, committed: &Result<Vec<Answer>, sqlx::Error>) {
        let is_unusable = match committed {
            Ok(outcomes) => outcomes.iter().any(is_disk_failure),
            Err(error) => open::is_unusable(error),
        };
        if is_unusable && self.loss.is_none() && self.recent.standings().next().is_some() {
            self.lose(Displaced::Unusable).await;
        }
    }

    async fn lose(&mut self, what: Displaced) {
        match what {
            Displaced::Replaced | Displaced::Overwritten => self.files.set_log_aside(),
            // Everything can still go into the database itself, if nobody else writes there.
            Displaced::LogMissing if self.files.has_no_other_log() => {
                if let Err(error) = open::checkpoint(&mut self.connection).await {
                    tracing::error!(%error, "the log could not be saved");
                }
            }
            Displaced::Missing | Displaced::LogMissing | Displaced::Unusable => {}
        }
        let connection = match open::scratch().await {
            Ok(scratch) => {
                let lost = std::mem::replace(&mut self.connection, scratch);
                Some(Box::leak(Box::new(lost)))
            }
            Err(error) => {
                tracing::error!(%error, "the lost database stays open for writing");
                None
            }
        };
        let sentence = what.sentence(self.files.path());
        tracing::error!(sentence, "the database is lost");
        self.tell_loss(&sentence);
        self.loss = Some(Loss {
            what,
            sentence,
            connection,
            is_rescued: false,
        });
    }

    fn tell_loss(&self, sentence: &str) {
        self.publisher.publish(Published::Notice(Notice {
            code: code::DATABASE_LOST.to_owned(),
            message: sentence.to_owned(),
        }));
        for (session, standing) in self.recent.standings() {
            let ended = not_saved_error(session, standing, sentence);
            let events = Arc::from(vec![ended]);
            self.publisher.publish(Published::Events(events));
            let line = SessionSummary {
                status: SessionStatus::Failed,
                ..SessionSummary::clone(&standing.line)
            };
            self.publisher.publish(Published::Session(Arc::new(line)));
        }
    }

    /// Nothing is written any more. What turns still had to say is kept for a rescue.
    pub(super) fn refuse(&mut self, changes: Vec<Change>, answers: Vec<oneshot::Sender<Answer>>) {
        for change in changes {
            if let Change::Record(record) = change {
                self.recent.not_saved(record.events);
            }
        }
        self.answer_lost(answers);
    }

    /// What was committed to a file that is lost is not published.
    pub(super) fn withhold(
        &mut self,
        outcomes: Vec<Answer>,
        answers: Vec<oneshot::Sender<Answer>>,
    ) {
        for outcome in outcomes {
            if let Ok(Outcome::Recorded(recorded)) = outcome {
                self.recent.not_saved(recorded.events.iter().cloned());
            }
        }
        self.answer_lost(answers);
    }

    fn answer_lost(&self, answers: Vec<oneshot::Sender<Answer>>) {
        for answer in answers {
            let error = self.loss.as_ref().map_or(StoreError::Closed, Loss::error);
            // Whoever asked may be gone.
            let _ = answer.send(Err(error));
        }
    }

    /// A copy of what the open connection reads, and of what is in memory where that lacks it.
    pub(super) async fn rescue(&mut self, to: &Path) -> Result<Rescued, StoreError> {
        let Some(loss) = &mut self.loss else {
            return rescue::rescue(&mut self.connection, Left::Whole, &self.recent, to).await;
        };
        let left = match loss.what {
            Displaced::Missing | Displaced::Replaced | Displaced::LogMissing => Left::Whole,
            Displaced::Overwritten | Displaced::Unusable => Left::Doubtful,
        };
        let connection = match &mut loss.connection {
            Some(connection) => &mut **connection,
            None => &mut self.connection,
        };
        let rescued = rescue::rescue(connection, left, &self.recent, to).await?;
        loss.is_rescued = true;
        Ok(rescued)
    }

    /// The last chance: with the process goes what only it can read.
    pub(super) async fn rescue_at_close(&mut self) {
        if self.loss.as_ref().is_none_or(|loss| loss.is_rescued) {
            return;
        }
        let folder = self.files.path().parent().unwrap_or(Path::new("."));
        let to = rescue::proposed_path(folder);
        match self.rescue(&to).await {
            Ok(rescued) => tracing::warn!("{}", rescued.sentence()),
            Err(error) => tracing::error!(%error, "what was left could not be saved"),
        }
    }
}

fn is_disk_failure(outcome: &Answer) -> bool {
    matches!(outcome, Err(StoreError::DiskFailed(_)))
}

/// Says of itself that it is not in the log.
fn not_saved_error(session: Uuid, standing: &Standing, sentence: &str) -> Event {
    Event {
        id: crate::clock::new_id(),
        session_id: session,
        turn_id: standing.turn,
        body: EventBody::Error {
            error: ErrorBody::new(code::DATABASE_LOST, sentence),
        },
        event_index: standing.next_index,
        sequence_number: None,
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp: clock::now(),
    }
}
