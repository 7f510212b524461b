//! Asking another Weir to stop a turn.
//!
//! Only the Weir that runs a turn can end it, and nothing but the database connects two of them.
//! So a request is a row that names the turn; the Weir that runs it looks for that row. A request
//! that comes too late names a turn that is over, and stops no other.

use sqlx::sqlite::SqliteRow;
use uuid::Uuid;
use weir_protocol::SessionStatus;

use super::writer::Change;
use super::{Store, StoreError, damaged, settings};

fn name(session: Uuid) -> String {
    format!("stop:{session}")
}

impl Store {
    /// Asks whoever runs the session's turn to stop it. Answers which turn that is; none when
    /// nothing runs.
    pub async fn request_stop(&self, session: Uuid) -> Result<Option<Uuid>, StoreError> {
        let Some(turn) = self.running_turn(session).await? else {
            return Ok(None);
        };
        let (name, value) = (name(session), turn.to_string());
        self.set_setting(name, value).await?;
        Ok(Some(turn))
    }

    pub async fn is_stop_requested(&self, session: Uuid, turn: Uuid) -> Result<bool, StoreError> {
        let asked = settings::get(&self.readers, &name(session)).await?;
        Ok(asked.is_some_and(|asked| asked == turn.to_string()))
    }

    /// The request was heard, or is no longer needed.
    pub async fn withdraw_stop(&self, session: Uuid) -> Result<(), StoreError> {
        let name = name(session);
        self.writer.run(Change::RemoveSetting { name }).await
    }

    /// The turn that a Weir is running in this session, whichever Weir that is.
    pub async fn running_turn(&self, session: Uuid) -> Result<Option<Uuid>, StoreError> {
        match self.session(session).await?.status {
            SessionStatus::Running | SessionStatus::Waiting => {}
            SessionStatus::Idle | SessionStatus::Interrupted | SessionStatus::Failed => {
                return Ok(None);
            }
        }
        let row: Option<SqliteRow> = sqlx::query(
            "SELECT sequence_number, event FROM events WHERE session_id = ?1 AND type = 'user_message' ORDER BY sequence_number DESC LIMIT 1",
        )
        .bind(session.to_string())
        .fetch_optional(&self.readers)
        .await?;
        let event = row.as_ref().and_then(damaged::event);
        Ok(event.and_then(|event| event.turn_id))
    }
}
