//! What a user does with sessions besides asking: edit, ask again, go back, fork, export, delete, restore.

use std::sync::Arc;

use uuid::Uuid;
use weir_protocol::{EventBody, Image, SessionSummary};

use super::{App, AppError, Prompt};
use crate::redact::Choice;
use crate::store::StoreError;
use crate::transcript::Transcript;

impl App {
    /// Asks a turn's prompt again, of what its session is asked now; the turn stays on a branch of its
    /// own.
    pub async fn ask_again(self: &Arc<Self>, session: Uuid, turn: Uuid) -> Result<(), AppError> {
        let asked = self.asked(session, turn).await?;
        self.send(asked).await.map(drop)
    }

    /// Asks something else in the place of a turn, which stays on a branch of its own.
    pub async fn edit(
        self: &Arc<Self>,
        session: Uuid,
        turn: Uuid,
        text: String,
        images: Vec<Image>,
        choice: Choice,
    ) -> Result<(), AppError> {
        let asked = self.asked(session, turn).await?;
        let edited = Prompt {
            text,
            images,
            choice,
            ..asked
        };
        self.send(edited).await.map(drop)
    }

    /// All that is stored of a session, for an export.
    pub async fn transcript(&self, session: Uuid) -> Result<Transcript, AppError> {
        Ok(Transcript {
            session: self.store.session(session).await?,
            events: self.store.events_since(session, 0).await?,
        })
    }

    /// What asks for a turn anew, told the same beforehand.
    async fn asked(&self, session: Uuid, turn: Uuid) -> Result<Prompt, AppError> {
        let asked = self.store.prompt(session, turn).await?;
        let EventBody::UserMessage {
            content,
            images,
            system,
            ..
        } = asked.body
        else {
            return Err(StoreError::NoTurn.into());
        };
        Ok(Prompt {
            text: content,
            images,
            system,
            session: Some(session),
            replaces: Some(turn),
            // This very text was sent before.
            choice: Choice::AsItIs,
            ..Prompt::default()
        })
    }

    /// Goes back to the branch that `turn` is on. Not while a turn runs.
    pub async fn choose_branch(&self, session: Uuid, turn: Uuid) -> Result<(), AppError> {
        let chosen = self.store.choose_branch(session, turn).await;
        if matches!(chosen, Err(StoreError::Busy)) && !self.is_running(session) {
            // Its Weir may have been killed since we started.
            self.recover().await?;
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
