//! The user's word on a tool call that waits for it.

use uuid::Uuid;
use weir_protocol::{Decision, DecisionScope};

use super::{App, AppError};
use crate::turn::{About, NotWaiting, Questions, Waiting};

impl App {
    /// Answers a tool call that waits for permission; ends when the answer is stored, before
    /// anything runs. What does not wait, or no longer, cannot be answered.
    pub async fn decide(
        &self,
        session: Uuid,
        turn: Uuid,
        tool_call_id: &str,
        decision: Decision,
        scope: DecisionScope,
    ) -> Result<(), AppError> {
        self.questions(session, turn)?
            .answer(tool_call_id, About::Waiting, decision, scope)
            .await
            .map_err(|NotWaiting| AppError::NotWaiting)
    }

    /// Allows the very call that the user was shown, and no other that took its place.
    pub async fn allow(
        &self,
        session: Uuid,
        turn: Uuid,
        tool_call_id: &str,
        shown: &Waiting,
        scope: DecisionScope,
    ) -> Result<(), AppError> {
        self.questions(session, turn)?
            .answer(tool_call_id, About::Shown(shown), Decision::Allow, scope)
            .await
            .map_err(|NotWaiting| AppError::NotWaiting)
    }

    /// What a call that waits for permission would really do, whatever a page shows of it.
    pub fn waiting(
        &self,
        session: Uuid,
        turn: Uuid,
        tool_call_id: &str,
    ) -> Result<Waiting, AppError> {
        let questions = self.questions(session, turn)?;
        questions.waiting(tool_call_id).ok_or(AppError::NotWaiting)
    }

    /// Those of that turn and no other: the id of a call means something only inside its turn.
    fn questions(&self, session: Uuid, turn: Uuid) -> Result<Questions, AppError> {
        let running = self.running();
        let running = running.get(&session);
        let running = running.filter(|running| running.turn == turn);
        let running = running.ok_or(AppError::NotWaiting)?;
        Ok(running.questions.clone())
    }
}
