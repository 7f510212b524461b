//! What a user does with sessions besides asking: ask again, go back, fork, delete, restore.

use std::sync::Arc;

use uuid::Uuid;
use weir_protocol::{EventBody, SessionSummary};

use super::{App, AppError, Prompt};
use crate::store::StoreError;

impl App {
    /// Asks a turn's prompt again, of what is configured now; the turn stays on a branch of its
    /// own.
    pub async fn ask_again(self: &Arc<Self>, session: Uuid, turn: Uuid) -> Result<(), AppError> {
        let asked = self.store.prompt(session, turn).await?;
        let EventBody::UserMessage {
            content, images, ..
        } = asked.body
        else {
            return Err(StoreError::NoTurn.into());
        };
        let prompt = Prompt {
            text: content,
            images,
            session: Some(session),
            replaces: Some(turn),
            ..Prompt::default()
        };
        self.send(prompt).await.map(drop)
    }

    /// Goes back to the branch that `turn` is on. Not while a turn runs.
    pub async fn choose_branch(&self, session: Uuid, turn: Uuid) -> Result<(), AppError> {
        let chosen = self.store.choose_branch(session, turn).await;
        if matches!(chosen, Err(StoreError::Busy)) && !self.is_running(session) {
            // Its Weir may have been killed since we started.
            self.store.recover().await?;
            return Ok(self.store.choose_branch(session, turn).await?);
        }
        Ok(chosen?)
    }

    /// A new session that begins as this one did, up to and with `turn`, or to its end.
    pub async fn fork(
        &self,
        session: Uuid,
        turn: Option<Uuid>,
    ) -> Result<SessionSummary, AppError> {
        Ok(self.store.fork(session, turn).await?)
    }

    /// Deletes a session; a running turn is stopped first. It can be restored for a week.
    pub async fn delete(&self, session: Uuid) -> Result<(), AppError> {
        self.stop(session).await?;
        Ok(self.store.delete(session).await?)
    }

    pub async fn restore(&self, session: Uuid) -> Result<SessionSummary, AppError> {
        Ok(self.store.restore(session).await?)
    }
}
