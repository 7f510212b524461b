//! The one writer: it takes the changes of all sessions, groups what waits into one
//! transaction, and answers each only after the commit.
//!
//! Every change runs inside a savepoint, so one that fails (its session was deleted) takes
//! nothing else down; a commit that fails fails all of its group, and nobody publishes.

use sqlx::{Connection, Executor, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use weir_protocol::Event;

use super::owner::Owner;
use super::{Opening, Recorded, StoreError, log, recover, sessions, settings};

/// How many waiting changes share one commit at most.
const GROUP: usize = 256;

pub(super) enum Change {
    StartTurn {
        session: Uuid,
        opening: Opening,
        events: Vec<Event>,
    },
    Record {
        session: Uuid,
        events: Vec<Event>,
    },
    Rename {
        session: Uuid,
        title: String,
    },
    Delete {
        session: Uuid,
    },
    Recover {
        session: Uuid,
        owner: String,
    },
    Setting {
        name: String,
        value: String,
    },
}

type Answer = Result<Option<Recorded>, StoreError>;

enum Job {
    Change(Change, oneshot::Sender<Answer>),
    Close(oneshot::Sender<()>),
}

#[derive(Clone)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
    owner: String,
}

impl Writer {
    pub(super) fn start(connection: SqliteConnection, owner: Owner) -> Self {
        let (jobs, waiting) = mpsc::channel(GROUP);
        let name = owner.name.clone();
        tokio::spawn(write(connection, owner, waiting));
        Self { jobs, owner: name }
    }

    pub(super) fn owner(&self) -> &str {
        &self.owner
    }

    /// A change that leaves the session standing.
    pub(super) async fn record(&self, change: Change) -> Result<Recorded, StoreError> {
        self.submit(change).await?.ok_or(StoreError::Closed)
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

    pub(super) async fn close(&self) {
        let (answer, answered) = oneshot::channel();
        if self.jobs.send(Job::Close(answer)).await.is_ok() {
            // The writer answers by ending; either way it is closed.
            let _ = answered.await;
        }
    }
}

async fn write(mut connection: SqliteConnection, owner: Owner, mut jobs: mpsc::Receiver<Job>) {
    let mut waiting = Vec::with_capacity(GROUP);
    let mut closing = None;
    while closing.is_none() && jobs.recv_many(&mut waiting, GROUP).await > 0 {
        let mut changes = Vec::with_capacity(waiting.len());
        for job in waiting.drain(..) {
            match job {
                Job::Change(change, answer) => changes.push((change, answer)),
                Job::Close(answer) => closing = Some(answer),
            }
        }
        commit_group(&mut connection, &owner.name, changes).await;
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "closing the database failed");
    }
    drop(owner);
    if let Some(answer) = closing {
        let _ = answer.send(());
    }
}

async fn commit_group(
    connection: &mut SqliteConnection,
    owner: &str,
    changes: Vec<(Change, oneshot::Sender<Answer>)>,
) {
    if changes.is_empty() {
        return;
    }
    let mut answers = Vec::with_capacity(changes.len());
    let committed = async {
        connection.execute("BEGIN IMMEDIATE").await?;
        for (change, answer) in changes {
            connection.execute("SAVEPOINT change").await?;
            let outcome = apply(connection, owner, change).await;
            if outcome.is_err() {
                connection.execute("ROLLBACK TO change").await?;
            }
            connection.execute("RELEASE change").await?;
            answers.push((outcome, answer));
        }
        connection.execute("COMMIT").await
    }
    .await;
    let failure = match committed {
        Ok(_) => None,
        Err(error) => {
            tracing::error!(%error, "a commit failed");
            // After a full disk or an IO error SQLite may have rolled back by itself already.
            let _ = connection.execute("ROLLBACK").await;
            Some(error)
        }
    };
    for (outcome, answer) in answers {
        let outcome = match &failure {
            None => outcome,
            Some(error) => Err(StoreError::from(error)),
        };
        // Whoever asked may be gone; what it asked for is saved all the same.
        let _ = answer.send(outcome);
    }
}

async fn apply(connection: &mut SqliteConnection, owner: &str, change: Change) -> Answer {
    match change {
        Change::StartTurn {
            session,
            opening,
            events,
        } => {
            if opening == Opening::New {
                sessions::create(connection, session, &events).await?;
            }
            sessions::claim(connection, session, owner).await?;
            log::append(connection, session, events).await.map(Some)
        }
        Change::Record { session, events } => {
            log::append(connection, session, events).await.map(Some)
        }
        Change::Rename { session, title } => {
            let session = sessions::rename(connection, session, &title).await?;
            Ok(Some(Recorded {
                events: Vec::new(),
                session,
            }))
        }
        Change::Delete { session } => {
            sessions::delete(connection, session).await?;
            Ok(None)
        }
        Change::Recover { session, owner } => {
            recover::end_interrupted(connection, session, &owner).await?;
            Ok(None)
        }
        Change::Setting { name, value } => {
            settings::set(connection, &name, &value).await?;
            Ok(None)
        }
    }
}
