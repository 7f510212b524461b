//! What a session keeps beside its log: the model chosen for its next turn, an address that was
//! given for it alone, and the recipients its history may be sent to.
//!
//! None of this is in an event, so an imported or damaged log cannot name an address or a
//! recipient: only this Weir's user can.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use sqlx::sqlite::SqliteRow;
use sqlx::{SqliteConnection, SqliteExecutor};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, RequestOptions, SessionChange, SessionSummary, Thinking};

use super::writer::Change;
use super::{Store, StoreError, damaged, sessions};

/// Who receives a session's history.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipient {
    pub source: String,
    /// The host of the address, with its port where that is not the usual one. In rows from
    /// before this was stored: an address, or nothing for the source's own.
    pub host: String,
}

/// What the log does not say about where a turn is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Destination {
    /// Absent where nothing leaves this machine.
    pub recipient: Option<Recipient>,
    /// Where it is not the configured address.
    pub base_url: Option<String>,
    /// The model, where somebody picked it; absent where it is what the server had loaded.
    pub picked: Option<String>,
}

/// What the user picked for a session's next turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Chosen {
    pub(super) model: Option<(String, String)>,
    pub(super) thinking: Option<Thinking>,
    pub(super) options: Option<RequestOptions>,
    /// Source and model of the last turn, where somebody picked the model. No choice for the next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) picked: Option<(String, String)>,
}

impl Chosen {
    /// A choice that cannot be read is no choice: the session goes on as its last turn did.
    pub(super) fn of(row: &SqliteRow) -> Self {
        let stored = damaged::text(row, "chosen");
        stored
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default()
    }

    fn with(self, change: SessionChange) -> Self {
        match change {
            SessionChange::Model { source, model } => Self {
                picked: (!model.is_empty()).then(|| (source.clone(), model.clone())),
                model: Some((source, model)),
                ..self
            },
            SessionChange::Thinking { thinking } => Self {
                thinking: Some(thinking),
                ..self
            },
            SessionChange::Options { options } => Self {
                options: Some(options),
                ..self
            },
        }
    }
}

impl Store {
    /// Changes what a session's next turn is asked of; while a turn runs, too.
    pub async fn choose(
        &self,
        session: Uuid,
        change: SessionChange,
    ) -> Result<SessionSummary, StoreError> {
        let recorded = self.writer.record(Change::Choose { session, change });
        Ok(std::sync::Arc::unwrap_or_clone(recorded.await?.session))
    }

    /// Whether the user picked how much a session's next turn thinks.
    pub async fn has_chosen_thinking(&self, session: Uuid) -> Result<bool, StoreError> {
        let row: Option<SqliteRow> = sqlx::query("SELECT chosen FROM sessions WHERE id = ?1")
            .bind(session.to_string())
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.is_some_and(|row| Chosen::of(&row).thinking.is_some()))
    }

    /// The address that was given for a session alone, while it is asked of the same source.
    pub async fn session_base_url(&self, session: Uuid) -> Result<Option<String>, StoreError> {
        let row: Option<SqliteRow> =
            sqlx::query("SELECT source, chosen, base_url FROM sessions WHERE id = ?1")
                .bind(session.to_string())
                .fetch_optional(&self.readers)
                .await?;
        let Some(row) = row else {
            return Ok(None);
        };
        let last = damaged::text(&row, "source").unwrap_or_default();
        let moved = Chosen::of(&row).model.is_some_and(|(next, _)| next != last);
        Ok(damaged::text(&row, "base_url").filter(|_| !moved))
    }

    /// The source and the model of a session, where somebody picked the model.
    pub async fn picked(&self, session: Uuid) -> Result<Option<(String, String)>, StoreError> {
        let row: Option<SqliteRow> = sqlx::query("SELECT chosen FROM sessions WHERE id = ?1")
            .bind(session.to_string())
            .fetch_optional(&self.readers)
            .await?;
        Ok(row.and_then(|row| Chosen::of(&row).picked))
    }

    /// Everybody who has been sent a session's history, or may be.
    pub async fn recipients(&self, session: Uuid) -> Result<Vec<Recipient>, StoreError> {
        recipients(&self.readers, session).await
    }

    /// From now on a session's history may go there.
    pub async fn allow_recipient(
        &self,
        session: Uuid,
        recipient: Recipient,
    ) -> Result<(), StoreError> {
        self.writer
            .run(Change::AllowRecipient { session, recipient })
            .await
    }
}

pub(super) async fn choose(
    connection: &mut SqliteConnection,
    session: Uuid,
    change: SessionChange,
) -> Result<SessionSummary, StoreError> {
    let row: Option<SqliteRow> =
        sqlx::query("SELECT chosen FROM sessions WHERE id = ?1 AND deleted_at IS NULL")
            .bind(session.to_string())
            .fetch_optional(&mut *connection)
            .await?;
    let row = row.ok_or(StoreError::NoSession(session))?;
    let chosen = serde_json::to_string(&Chosen::of(&row).with(change))?;
    sqlx::query("UPDATE sessions SET chosen = ?2 WHERE id = ?1")
        .bind(session.to_string())
        .bind(chosen)
        .execute(&mut *connection)
        .await?;
    Ok(sessions::one(connection, session).await?.line)
}

/// Notes where a turn that starts is sent.
pub(super) async fn set_destination(
    connection: &mut SqliteConnection,
    session: Uuid,
    destination: Destination,
) -> Result<(), StoreError> {
    sqlx::query("UPDATE sessions SET base_url = ?2 WHERE id = ?1")
        .bind(session.to_string())
        .bind(destination.base_url)
        .execute(&mut *connection)
        .await?;
    match destination.recipient {
        Some(recipient) => allow(connection, session, &recipient).await,
        None => Ok(()),
    }
}

/// Notes which model was picked for the turn that has just started.
pub(super) async fn set_picked(
    connection: &mut SqliteConnection,
    session: Uuid,
    model: Option<String>,
) -> Result<(), StoreError> {
    let Some(model) = model else {
        return Ok(());
    };
    let source: Option<SqliteRow> = sqlx::query("SELECT source FROM sessions WHERE id = ?1")
        .bind(session.to_string())
        .fetch_optional(&mut *connection)
        .await?;
    let source = source.and_then(|row| damaged::text(&row, "source"));
    let chosen = Chosen {
        picked: source.map(|source| (source, model)),
        ..Chosen::default()
    };
    sqlx::query("UPDATE sessions SET chosen = ?2 WHERE id = ?1")
        .bind(session.to_string())
        .bind(serde_json::to_string(&chosen)?)
        .execute(connection)
        .await?;
    Ok(())
}

/// A session that was deleted meanwhile has nothing to send.
pub(super) async fn allow(
    connection: &mut SqliteConnection,
    session: Uuid,
    recipient: &Recipient,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO recipients (session_id, source, host) SELECT id, ?2, ?3 FROM sessions WHERE id = ?1 ON CONFLICT DO NOTHING",
    )
    .bind(session.to_string())
    .bind(&recipient.source)
    .bind(&recipient.host)
    .execute(connection)
    .await?;
    Ok(())
}

async fn recipients(
    executor: impl SqliteExecutor<'_>,
    session: Uuid,
) -> Result<Vec<Recipient>, StoreError> {
    let rows: Vec<SqliteRow> = sqlx::query(
        "SELECT source, host FROM recipients WHERE session_id = ?1 ORDER BY source, host",
    )
    .bind(session.to_string())
    .fetch_all(executor)
    .await?;
    let read = |row: &SqliteRow| {
        Some(Recipient {
            source: damaged::text(row, "source")?,
            host: damaged::text(row, "host")?,
        })
    };
    Ok(rows.iter().filter_map(read).collect())
}

/// A fork goes on where the session it comes from was asked: its copied turns went to these
/// recipients. Who was only agreed to, and sent nothing of them, is asked about again.
pub(super) async fn copy(
    connection: &mut SqliteConnection,
    origin: Uuid,
    session: Uuid,
    events: &[Event],
) -> Result<(), StoreError> {
    let sources: BTreeSet<&str> = events.iter().filter_map(asked_source).collect();
    for recipient in recipients(&mut *connection, origin).await? {
        if sources.contains(recipient.source.as_str()) {
            allow(connection, session, &recipient).await?;
        }
    }
    let last = events.iter().rev().find_map(asked_source);
    sqlx::query(
        "UPDATE sessions SET base_url = (SELECT base_url FROM sessions WHERE id = ?2 AND source = ?3) WHERE id = ?1",
    )
    .bind(session.to_string())
    .bind(origin.to_string())
    .bind(last)
    .execute(connection)
    .await?;
    Ok(())
}

fn asked_source(event: &Event) -> Option<&str> {
    if let EventBody::UserMessage { source, .. } = &event.body {
        Some(source)
    } else {
        None
    }
}
