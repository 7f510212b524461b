//! The questions of one turn that wait for the user's word.
//!
//! Whoever answers hears only after the answer is stored; a question is answered once. What
//! nobody waits for any more cannot be answered.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::sync::oneshot;
use weir_protocol::{Decision, DecisionScope};

/// What the user said.
pub(super) struct Answer {
    pub(super) decision: Decision,
    pub(super) scope: DecisionScope,
    /// Told once the answer is stored.
    pub(super) stored: oneshot::Sender<()>,
}

/// Nobody waits for this answer: it was given before, or the turn has gone on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotWaiting;

/// A call that waits for the user's word.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    /// The project's, for which an answer may hold for good.
    pub folder: Option<PathBuf>,
    pub tool_name: String,
    pub input: Value,
    /// The placeholders whose originals the tool would be given, where it is not local.
    pub originals: Vec<String>,
}

struct Question {
    waiting: Waiting,
    answer: oneshot::Sender<Answer>,
}

#[derive(Clone, Default)]
pub(crate) struct Questions(Arc<Mutex<HashMap<String, Question>>>);

impl Questions {
    /// Waits for the word on a call; whoever stops listening takes the question back.
    pub(super) fn ask(&self, tool_call_id: &str, waiting: Waiting) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        let question = Question { waiting, answer };
        self.open().insert(tool_call_id.to_owned(), question);
        answered
    }

    /// What a question is about.
    pub(crate) fn waiting(&self, tool_call_id: &str) -> Option<Waiting> {
        let open = self.open();
        open.get(tool_call_id).map(|asked| asked.waiting.clone())
    }

    /// Ends when the answer is stored.
    pub(crate) async fn answer(
        &self,
        tool_call_id: &str,
        decision: Decision,
        scope: DecisionScope,
    ) -> Result<(), NotWaiting> {
        let asked = self.open().remove(tool_call_id).ok_or(NotWaiting)?;
        let (stored, is_stored) = oneshot::channel();
        let answer = Answer {
            decision,
            scope,
            stored,
        };
        asked.answer.send(answer).map_err(|_| NotWaiting)?;
        is_stored.await.map_err(|_| NotWaiting)
    }

    pub(super) fn take_back(&self) {
        self.open().clear();
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Question>> {
        // The map is whole even if somebody panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
