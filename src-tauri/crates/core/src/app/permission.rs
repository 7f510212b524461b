//! The user's word on a tool call that waits for it.

use uuid::Uuid;
use weir_protocol::{Decision, DecisionScope};

use super::{App, AppError};
use crate::turn::NotWaiting;

impl App {
    /// Answers a tool call that waits for permission; ends when the answer is stored, before
    /// anything runs. What does not wait, or no longer, cannot be answered.
    pub async fn decide(
        &self,
        session: Uuid,
        tool_call_id: &str,
        decision: Decision,
        scope: DecisionScope,
    ) -> Result<(), AppError> {
        let questions = self
            .running()
            .get(&session)
            .map(|running| running.questions.clone());
        let Some(questions) = questions else {
            return Err(AppError::NotWaiting);
        };
        questions
            .answer(tool_call_id, decision, scope)
            .await
            .map_err(|NotWaiting| AppError::NotWaiting)
    }
}
