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
    /// How many calls of the same id asked before in this turn. With the id it tells this question
    /// from every other; a source that gives no ids, or a hostile one, uses one more than once.
    pub asked_before: usize,
}

/// Which question of an id an answer is about.
#[derive(Clone, Copy)]
pub(crate) enum About<'a> {
    /// The one that waits now.
    Waiting,
    /// The very one that the user was shown.
    Shown(&'a Waiting),
}

struct Question {
    waiting: Waiting,
    answer: oneshot::Sender<Answer>,
}

#[derive(Clone, Default)]
pub(crate) struct Questions(Arc<Mutex<Asked>>);

#[derive(Default)]
struct Asked {
    open: HashMap<String, Question>,
    /// How often each id asked.
    times: HashMap<String, usize>,
}

impl Questions {
    /// Waits for the word on a call; whoever stops listening takes the question back.
    pub(super) fn ask(
        &self,
        tool_call_id: &str,
        mut waiting: Waiting,
    ) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        let mut asked = self.asked();
        let times = asked.times.entry(tool_call_id.to_owned()).or_default();
        waiting.asked_before = *times;
        *times += 1;
        let question = Question { waiting, answer };
        asked.open.insert(tool_call_id.to_owned(), question);
        answered
    }

    /// What a question is about.
    pub(crate) fn waiting(&self, tool_call_id: &str) -> Option<Waiting> {
        let asked = self.asked();
        let question = asked.open.get(tool_call_id);
        question.map(|question| question.waiting.clone())
    }

    /// Ends when the answer is stored. Where the user was shown a question, the answer is for that
    /// one and no other.
    pub(crate) async fn answer(
        &self,
        tool_call_id: &str,
        about: About<'_>,
        decision: Decision,
        scope: DecisionScope,
    ) -> Result<(), NotWaiting> {
        let asked = self.take(tool_call_id, about).ok_or(NotWaiting)?;
        let (stored, is_stored) = oneshot::channel();
        let answer = Answer {
            decision,
            scope,
            stored,
        };
        asked.answer.send(answer).map_err(|_| NotWaiting)?;
        is_stored.await.map_err(|_| NotWaiting)
    }

    fn take(&self, tool_call_id: &str, about: About<'_>) -> Option<Question> {
        let mut asked = self.asked();
        let question = asked.open.get(tool_call_id)?;
        match about {
            About::Shown(shown) if *shown != question.waiting => None,
            About::Shown(_) | About::Waiting => asked.open.remove(tool_call_id),
        }
    }

    pub(super) fn take_back(&self) {
        self.asked().open.clear();
    }

    fn asked(&self) -> MutexGuard<'_, Asked> {
        // The map is whole even if somebody panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use weir_protocol::{Decision, DecisionScope};

    use super::{About, NotWaiting, Questions, Waiting};

    fn read(path: &str) -> Waiting {
        Waiting {
            folder: None,
            tool_name: "read_file".into(),
            input: json!({ "path": path }),
            originals: Vec::new(),
            asked_before: 0,
        }
    }

    #[tokio::test]
    async fn an_answer_is_for_the_call_that_was_shown() {
        let (allow, session) = (Decision::Allow, DecisionScope::Session);
        // The same id again in a turn: with another input, and with the very same one.
        for later in ["/etc/shadow", "notes.txt"] {
            let questions = Questions::default();
            drop(questions.ask("call_0", read("notes.txt")));
            let shown = questions.waiting("call_0").unwrap();
            let mut answered = questions.ask("call_0", read(later));
            let about = About::Shown(&shown);
            let refused = questions.answer("call_0", about, allow, session).await;
            assert_eq!(refused, Err(NotWaiting), "{later}");
            assert!(answered.try_recv().is_err(), "{later} was not allowed");

            let shown = questions.waiting("call_0").unwrap();
            assert_eq!(shown.asked_before, 1);
            let about = About::Shown(&shown);
            let answering = questions.answer("call_0", about, allow, session);
            let (answer, stored) = tokio::join!(
                async { answered.await.map(|answer| answer.stored.send(())).is_ok() },
                answering
            );
            assert!(answer && stored.is_ok(), "{later}");
        }
    }
}
