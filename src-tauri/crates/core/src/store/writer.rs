//! The one writer: it takes the changes of all sessions, groups what waits into one
//! transaction, and publishes and answers each only after the commit.
//!
//! A change that fails alone (its session was deleted) takes nothing else down: it runs inside
//! a savepoint of its own, or, with the records around it, inside one that they share and that
//! is gone through again one by one should it fail. A commit that fails fails all of its group,
//! and nobody publishes.
//!
//! Nearly all groups are frames of chunks, and those are one statement: it checks whose the
//! turns are, inserts all or nothing, and commits by itself. One trip to the connection's thread,
//! and only the journal's pages are written.

mod loss;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use jiff::Timestamp;
use sqlx::{Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use weir_protocol::{Event, SessionChange, SessionSummary};

use crate::publish::{Published, Publisher};
use loss::Loss;

use super::batch::{Batch, Record};
use super::destination::{self, Destination, Recipient};
use super::files::DatabaseFiles;
use super::memories::{self, MemoryChange};
use super::owner::Owner;
use super::recent::Recent;
use super::running::Running;
use super::{
    Opening, Rebuilt, Reckon, Recorded, Rescued, SealedAnew, SealedOriginal, StoreError, journal,
    log, open, originals, rebuild, recover, sessions, settings,
};

/// How many waiting changes share one commit at most.
const GROUP: usize = 256;

pub(super) enum Change {
    StartTurn {
        session: Uuid,
        opening: Opening,
        events: Vec<Event>,
        originals: Vec<SealedOriginal>,
        destination: Destination,
    },
    Originals {
        session: Uuid,
        originals: Vec<SealedOriginal>,
    },
    SealAnew(Vec<SealedAnew>),
    Record(Record),
    Rename {
        session: Uuid,
        title: String,
    },
    /// What the session's next turn is asked of.
    Choose {
        session: Uuid,
        change: SessionChange,
    },
    AllowRecipient {
        session: Uuid,
        recipient: Recipient,
    },
    /// One event outside a turn.
    ChooseBranch {
        event: Box<Event>,
    },
    Fork {
        session: Uuid,
        origin: Uuid,
        title: String,
        events: Vec<Event>,
    },
    Delete {
        session: Uuid,
    },
    Restore {
        session: Uuid,
    },
    Purge {
        before: Timestamp,
    },
    Recover {
        session: Uuid,
        owner: String,
        reason: String,
        reckon: Reckon,
    },
    Setting {
        name: String,
        value: String,
    },
    RemoveSetting {
        name: String,
    },
    UpdateSetting {
        name: String,
        update: settings::Update,
    },
    Memory(MemoryChange),
    Rebuild,
}

/// What a change came to, for whoever asked and for whoever listens.
enum Outcome {
    Recorded(Recorded),
    Deleted(Uuid),
    Rebuilt(Rebuilt),
    Counted(u32),
    Nothing,
}

type Answer = Result<Outcome, StoreError>;

enum Job {
    Change(Change, oneshot::Sender<Answer>),
    LookAfter(oneshot::Sender<Result<(), StoreError>>),
    Rescue(PathBuf, oneshot::Sender<Result<Rescued, StoreError>>),
    Close(oneshot::Sender<()>),
}

#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    owner: String,
}

impl Writer {
    pub(super) fn start(
        connection: SqliteConnection,
        files: DatabaseFiles,
        owner: Owner,
        publisher: Arc<Publisher>,
    ) -> Self {
        let (jobs, waiting) = mpsc::channel(GROUP);
        let name = owner.name.clone();
        let mut write = Write {
            connection,
            files,
            loss: None,
            looked: Instant::now(),
            owner,
            publisher,
            running: Running::default(),
            recent: Recent::default(),
            #[cfg(test)]
            failpoint: super::tests::Failpoint::of_this_test(),
        };
        tokio::spawn(async move {
            let closing = write.run(waiting).await;
            write.close(closing).await;
        });
        Self { jobs, owner: name }
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    /// A change that leaves the session standing.
    pub(super) async fn record(&self, change: Change) -> Result<Recorded, StoreError> {
        match self.submit(change).await? {
            Outcome::Recorded(recorded) => Ok(recorded),
            Outcome::Deleted(_) | Outcome::Rebuilt(_) | Outcome::Counted(_) | Outcome::Nothing => {
                Err(StoreError::Closed)
            }
        }
    }

    pub(super) async fn rebuild(&self) -> Result<Rebuilt, StoreError> {
        match self.submit(Change::Rebuild).await? {
            Outcome::Rebuilt(rebuilt) => Ok(rebuilt),
            Outcome::Recorded(_) | Outcome::Deleted(_) | Outcome::Counted(_) | Outcome::Nothing => {
                Err(StoreError::Closed)
            }
        }
    }

    /// A change of which one asks how many rows it made or took away.
    pub(super) async fn count(&self, change: Change) -> Result<u32, StoreError> {
        match self.submit(change).await? {
            Outcome::Counted(count) => Ok(count),
            Outcome::Recorded(_) | Outcome::Deleted(_) | Outcome::Rebuilt(_) | Outcome::Nothing => {
                Err(StoreError::Closed)
            }
        }
    }

    pub(super) async fn run(&self, change: Change) -> Result<(), StoreError> {
        self.submit(change).await.map(drop)
    }

    async fn submit(&self, change: Change) -> Answer {
        let (answer, answered) = oneshot::channel();
        self.jobs
            .send(Job::Change(change, answer))
            .await
            .map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) async fn look_after(&self) -> Result<(), StoreError> {
        self.ask(Job::LookAfter).await
    }

    pub(super) async fn rescue(&self, to: PathBuf) -> Result<Rescued, StoreError> {
        self.ask(|answer| Job::Rescue(to, answer)).await
    }

    async fn ask<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let sent = self.jobs.send(job(answer)).await;
        sent.map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    pub(super) async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        if self.jobs.send(Job::Close(answer)).await.is_ok() {
            // The writer answers by ending; either way it is closed.
            let _ = answered.await;
        }
    }
}

struct Write {
    connection: SqliteConnection,
    files: DatabaseFiles,
    /// Once the database is lost nothing is written any more, until Weir starts again.
    loss: Option<Loss>,
    /// When the files were found to be in their places.
    looked: Instant,
    owner: Owner,
    publisher: Arc<Publisher>,
    running: Running,
    recent: Recent,
    /// Where a test lets the writer die, as a kill would.
    #[cfg(test)]
    failpoint: super::tests::Failpoint,
}

impl Write {
    /// Until somebody closes it or nobody is left; answers who wants to know that it is over.
    async fn run(&mut self, mut jobs: mpsc::Receiver<Job>) -> Option<oneshot::Sender<()>> {
        let mut waiting = Vec::with_capacity(GROUP);
        let mut closing = None;
        while closing.is_none() && jobs.recv_many(&mut waiting, GROUP).await > 0 {
            let mut changes = Vec::with_capacity(waiting.len());
            let mut answers = Vec::with_capacity(waiting.len());
            for job in waiting.drain(..) {
                match job {
                    Job::Change(change, answer) => {
                        changes.push(change);
                        answers.push(answer);
                    }
                    Job::LookAfter(answer) => {
                        self.look_after().await;
                        let error = self.loss.as_ref().map(Loss::error);
                        let _ = answer.send(error.map_or(Ok(()), Err));
                    }
                    Job::Rescue(to, answer) => {
                        let _ = answer.send(self.rescue(&to).await);
                    }
                    Job::Close(answer) => closing = Some(answer),
                }
            }
            self.commit_and_tell(changes, answers).await;
            #[cfg(test)]
            if self.failpoint.is_dead() {
                break;
            }
        }
        closing
    }

    async fn close(mut self, closing: Option<oneshot::Sender<()>>) {
        self.rescue_at_close().await;
        if let Err(error) = self.connection.close().await {
            tracing::warn!(%error, "closing the database failed");
        }
        // Only now: closing a file drops the locks that SQLite has on it.
        drop(self.files);
        drop(self.owner);
        if let Some(answer) = closing {
            let _ = answer.send(());
        }
    }

    /// Saved first, told second: listeners in the order of the changes, then whoever asked.
    async fn commit_and_tell(
        &mut self,
        changes: Vec<Change>,
        answers: Vec<oneshot::Sender<Answer>>,
    ) {
        if changes.is_empty() {
            return;
        }
        self.look_after_a_rest().await;
        if self.loss.is_some() {
            self.refuse(changes, answers);
            return;
        }
        let committed = self.commit(changes).await;
        if let Err(error) = &committed {
            tracing::error!(%error, "a commit failed");
            // After a full disk or an IO error SQLite may have rolled back by itself.
            let _ = run(&mut self.connection, "ROLLBACK").await;
        }
        // What was written to a file that nobody can open any more is not saved.
        self.look_after().await;
        self.look_at_failure(&committed).await;
        match committed {
            #[cfg(test)]
            Ok(_) if self.failpoint.dies_after_commit() => {}
            Ok(outcomes) if self.loss.is_some() => self.withhold(outcomes, answers),
            Ok(outcomes) => {
                for (outcome, answer) in outcomes.into_iter().zip(answers) {
                    match &outcome {
                        Ok(Outcome::Recorded(recorded)) => {
                            self.running.take_in(recorded);
                            self.recent.published(recorded);
                            self.publisher.recorded(recorded);
                        }
                        Ok(Outcome::Deleted(session)) => {
                            self.publisher.publish(Published::Deleted(*session));
                        }
                        Ok(Outcome::Rebuilt(_) | Outcome::Counted(_) | Outcome::Nothing)
                        | Err(_) => {}
                    }
                    // Whoever asked may be gone; what it asked for is saved all the same.
                    let _ = answer.send(outcome);
                }
            }
            Err(error) => {
                for answer in answers {
                    let loss = self.loss.as_ref().map(Loss::error);
                    let error = loss.unwrap_or_else(|| StoreError::from(&error));
                    let _ = answer.send(Err(error));
                }
            }
        }
    }

    async fn commit(&mut self, changes: Vec<Change>) -> Result<Vec<Answer>, sqlx::Error> {
        let mut changes = match self.counted_frames(changes) {
            Ok(mut frames) => {
                if let Some(lines) = self.commit_frames(&mut frames).await? {
                    return Ok(answers(frames, lines));
                }
                self.forget_counts(&frames);
                frames.into_iter().map(Change::Record).collect()
            }
            Err(changes) => changes,
        };
        if changes.len() == 1
            && let Some(change) = changes.pop()
        {
            return Ok(vec![self.commit_alone(change).await?]);
        }
        let mut outcomes = Vec::with_capacity(changes.len());
        run(&mut self.connection, "BEGIN IMMEDIATE").await?;
        let mut changes = changes.into_iter().peekable();
        let mut records = Vec::new();
        while let Some(change) = changes.next() {
            let Change::Record(record) = change else {
                run(&mut self.connection, "SAVEPOINT change").await?;
                let outcome = apply(&mut self.connection, &self.owner.name, change).await;
                end_savepoint(&mut self.connection, &outcome).await?;
                outcomes.push(outcome);
                continue;
            };
            records.push(record);
            if !matches!(changes.peek(), Some(Change::Record(_))) {
                outcomes.extend(self.save(std::mem::take(&mut records)).await?);
            }
        }
        #[cfg(test)]
        if self.failpoint.dies_before_commit() {
            return Err(sqlx::Error::WorkerCrashed);
        }
        run(&mut self.connection, "COMMIT").await?;
        Ok(outcomes)
    }

    /// The changes as records, if all of them are chunks of turns that have been counted, and
    /// one statement holds them.
    fn counted_frames(&self, changes: Vec<Change>) -> Result<Vec<Record>, Vec<Change>> {
        let mut chunks = 0;
        let are_frames = changes.iter().all(|change| {
            let Change::Record(record) = change else {
                return false;
            };
            chunks += record.events.len();
            record.is_growing() && self.running.count(record.session).is_some()
        });
        if !are_frames || chunks > journal::TOGETHER {
            return Err(changes);
        }
        let record = |change| {
            if let Change::Record(record) = change {
                Some(record)
            } else {
                None
            }
        };
        Ok(changes.into_iter().filter_map(record).collect())
    }

    /// One statement, which is a transaction of its own. `None` where one of the frames cannot
    /// be saved as it was counted: nothing was, and whose fault it is must be found out.
    async fn commit_frames(
        &mut self,
        frames: &mut [Record],
    ) -> Result<Option<Vec<Line>>, sqlx::Error> {
        let (connection, owner) = (&mut self.connection, &self.owner.name);
        let mut batch = Batch::default();
        let Ok(lines) = batch.add(connection, &self.running, owner, frames).await else {
            return Ok(None);
        };
        #[cfg(test)]
        if self.failpoint.dies_before_commit() {
            return Err(sqlx::Error::WorkerCrashed);
        }
        match batch.write_chunks(connection, owner).await {
            Ok(()) => Ok(Some(lines)),
            Err(error) if open::is_about_a_row(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A change that shares its transaction with no other needs no savepoint.
    async fn commit_alone(&mut self, change: Change) -> Result<Answer, sqlx::Error> {
        run(&mut self.connection, "BEGIN IMMEDIATE").await?;
        let outcome = if let Change::Record(record) = change {
            self.save_alone(record).await
        } else {
            apply(&mut self.connection, &self.owner.name, change).await
        };
        if outcome.is_err() {
            // After a full disk or an IO error SQLite may have rolled back by itself.
            let _ = run(&mut self.connection, "ROLLBACK").await;
            return Ok(outcome);
        }
        #[cfg(test)]
        if self.failpoint.dies_before_commit() {
            return Err(sqlx::Error::WorkerCrashed);
        }
        run(&mut self.connection, "COMMIT").await?;
        Ok(outcome)
    }

    /// Takes its numbers from the session's row, which says whether there is one that is ours.
    async fn save_alone(&mut self, mut record: Record) -> Answer {
        if record.is_growing() {
            self.running.forget_count(record.session);
        }
        let lines = self
            .save_together(std::slice::from_mut(&mut record))
            .await?;
        let answer = answers(vec![record], lines).pop();
        answer.unwrap_or(Err(StoreError::Closed))
    }

    /// Saves neighbouring records together; should that fail, one by one.
    async fn save(&mut self, mut records: Vec<Record>) -> Result<Vec<Answer>, sqlx::Error> {
        run(&mut self.connection, "SAVEPOINT change").await?;
        let together = self.save_together(&mut records).await;
        end_savepoint(&mut self.connection, &together).await?;
        let lines = match together {
            Ok(lines) => lines,
            Err(_) => {
                self.forget_counts(&records);
                let mut lines = Vec::with_capacity(records.len());
                for record in &mut records {
                    run(&mut self.connection, "SAVEPOINT change").await?;
                    let alone = self.save_together(std::slice::from_mut(record)).await;
                    end_savepoint(&mut self.connection, &alone).await?;
                    match alone {
                        Ok(line) => lines.extend(line),
                        Err(error) => lines.push(Err(error)),
                    }
                }
                lines
            }
        };
        Ok(answers(records, lines))
    }

    /// The session's line after each record, or why it was refused. Fails where a refusal
    /// would leave something behind.
    async fn save_together(&mut self, records: &mut [Record]) -> Result<Vec<Line>, StoreError> {
        let (connection, owner) = (&mut self.connection, &self.owner.name);
        let mut batch = Batch::default();
        let lines = batch.add(connection, &self.running, owner, records).await?;
        batch.write(connection, owner).await?;
        Ok(lines)
    }

    fn forget_counts(&mut self, records: &[Record]) {
        for record in records {
            self.running.forget_count(record.session);
        }
    }
}

/// A session's line after a record, or why there is none.
type Line = Result<Arc<SessionSummary>, StoreError>;

fn answers(records: Vec<Record>, lines: Vec<Line>) -> Vec<Answer> {
    let answer = |(record, line): (Record, Line)| {
        line.map(|session| {
            Outcome::Recorded(Recorded {
                events: record.events.into(),
                session,
            })
        })
    };
    records.into_iter().zip(lines).map(answer).collect()
}

/// Ends the savepoint of a change, which leaves nothing behind when it has failed.
async fn end_savepoint<T>(
    connection: &mut SqliteConnection,
    outcome: &Result<T, StoreError>,
) -> Result<(), sqlx::Error> {
    if outcome.is_err() {
        run(connection, "ROLLBACK TO change").await?;
    }
    run(connection, "RELEASE change").await
}

/// A statement without values, prepared once like the others.
async fn run(
    connection: &mut SqliteConnection,
    statement: &'static str,
) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(drop)
}

fn line_changed(session: SessionSummary) -> Outcome {
    Outcome::Recorded(Recorded {
        events: Arc::default(),
        session: Arc::new(session),
    })
}

async fn apply(connection: &mut SqliteConnection, owner: &str, change: Change) -> Answer {
    match change {
        Change::StartTurn {
            session,
            opening,
            events,
            originals,
            destination,
        } => {
            if opening == Opening::New {
                sessions::create(connection, session, &events).await?;
            }
            sessions::claim(connection, session, owner).await?;
            originals::insert(connection, session, &originals).await?;
            let picked = destination.picked.clone();
            destination::set_destination(connection, session, destination).await?;
            let recorded = log::append(connection, session, owner, events).await?;
            // A choice for this turn is over now; that it was one is kept.
            destination::set_picked(connection, session, picked).await?;
            Ok(Outcome::Recorded(recorded))
        }
        Change::Originals { session, originals } => {
            originals::insert(connection, session, &originals).await?;
            Ok(Outcome::Nothing)
        }
        Change::SealAnew(anew) => {
            originals::seal_anew(connection, &anew).await?;
            Ok(Outcome::Nothing)
        }
        Change::Record(Record { session, events }) => {
            let recorded = log::append(connection, session, owner, events).await?;
            Ok(Outcome::Recorded(recorded))
        }
        Change::Rename { session, title } => {
            let session = sessions::rename(connection, session, &title).await?;
            Ok(line_changed(session))
        }
        Change::Choose { session, change } => {
            let session = destination::choose(connection, session, change).await?;
            Ok(line_changed(session))
        }
        Change::AllowRecipient { session, recipient } => {
            destination::allow(connection, session, &recipient).await?;
            Ok(Outcome::Nothing)
        }
        Change::ChooseBranch { event } => {
            let session = event.session_id;
            sessions::claim(connection, session, owner).await?;
            let recorded = log::append(connection, session, owner, vec![*event]).await?;
            Ok(Outcome::Recorded(recorded))
        }
        Change::Fork {
            session,
            origin,
            title,
            events,
        } => {
            sessions::create(connection, session, &events).await?;
            sessions::rename(connection, session, &title).await?;
            sessions::claim(connection, session, owner).await?;
            originals::copy(connection, origin, session).await?;
            destination::copy(connection, origin, session, &events).await?;
            let recorded = log::append(connection, session, owner, events).await?;
            Ok(Outcome::Recorded(recorded))
        }
        Change::Delete { session } => {
            sessions::delete(connection, session).await?;
            Ok(Outcome::Deleted(session))
        }
        Change::Restore { session } => {
            let session = sessions::restore(connection, session).await?;
            Ok(line_changed(session))
        }
        Change::Purge { before } => {
            sessions::purge(connection, before).await?;
            Ok(Outcome::Nothing)
        }
        Change::Recover {
            session,
            owner,
            reason,
            reckon,
        } => {
            let ending = recover::end_interrupted(connection, session, &owner, reason, reckon);
            let recorded = ending.await?;
            Ok(recorded.map_or(Outcome::Nothing, Outcome::Recorded))
        }
        Change::Setting { name, value } => {
            settings::set(connection, &name, &value).await?;
            Ok(Outcome::Nothing)
        }
        Change::RemoveSetting { name } => {
            settings::remove(connection, &name).await?;
            Ok(Outcome::Nothing)
        }
        Change::UpdateSetting { name, update } => {
            let count = settings::update(connection, &name, update).await?;
            Ok(Outcome::Counted(count))
        }
        Change::Memory(change) => {
            let count = memories::apply(connection, change).await?;
            Ok(Outcome::Counted(count))
        }
        Change::Rebuild => Ok(Outcome::Rebuilt(rebuild::rebuild(connection).await?)),
    }
}
