//! Asks on the terminal whether a tool call may run. Without a terminal nobody can say so, and
//! it may not.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use weir_core::app::{App, AppError};
use weir_protocol::{Decision, DecisionScope, Event, EventBody};

use crate::output;

/// A call that waits for the user's word.
struct Question {
    turn: Uuid,
    tool_call_id: String,
    tool_name: String,
    input: Value,
    reason: String,
}

/// Takes the questions of a turn and asks them one after another, beside the printing.
pub(crate) struct Asker(mpsc::UnboundedSender<Question>);

impl Asker {
    pub(crate) fn start(app: &Arc<App>, session: Uuid) -> Self {
        let (questions, mut waiting) = mpsc::unbounded_channel::<Question>();
        let app = Arc::clone(app);
        tokio::spawn(async move {
            while let Some(question) = waiting.recv().await {
                let (turn, id) = (question.turn, question.tool_call_id.clone());
                let (decision, scope) = answer(question).await;
                match app.decide(session, turn, &id, decision, scope).await {
                    // The turn was stopped while the question stood there.
                    Ok(()) | Err(AppError::NotWaiting) => {}
                    Err(error) => output::complain(&error.to_string()),
                }
            }
        });
        Self(questions)
    }

    /// Asks if the event is a question.
    pub(crate) fn hear(&self, event: &Event) {
        if let EventBody::PermissionRequest {
            tool_call_id,
            tool_name,
            input,
            reason,
        } = &event.body
            && let Some(turn) = event.turn_id
        {
            // The task lives as long as the sender does.
            let _ = self.0.send(Question {
                turn,
                tool_call_id: tool_call_id.clone(),
                tool_name: tool_name.clone(),
                input: input.clone(),
                reason: reason.clone(),
            });
        }
    }
}

async fn answer(question: Question) -> (Decision, DecisionScope) {
    let no = (Decision::Deny, DecisionScope::Once);
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        output::complain(&format!(
            "{} needs a permission that only a person at a terminal can give, so it was not run.",
            question.tool_name
        ));
        return no;
    }
    let (typed, line) = oneshot::channel();
    // A thread of its own: nobody waits for it when the turn is stopped instead.
    std::thread::spawn(move || {
        let _ = typed.send(read(&question));
    });
    line.await
        .ok()
        .and_then(|line| meaning(&line))
        .unwrap_or(no)
}

fn read(question: &Question) -> String {
    let mut asked = format!(
        "{} wants to run with {}\n{}\nAllow? y: once, s: this session, p: always in this project, N: no ",
        question.tool_name, question.input, question.reason
    );
    asked = output::plain(&asked).into_owned();
    let mut stderr = io::stderr().lock();
    let mut line = String::new();
    let heard = write!(stderr, "{asked}")
        .and_then(|()| stderr.flush())
        .and_then(|()| io::stdin().lock().read_line(&mut line));
    match heard {
        Ok(_) => line,
        Err(_) => String::new(),
    }
}

/// Whatever is not clearly a yes is a no.
fn meaning(line: &str) -> Option<(Decision, DecisionScope)> {
    let scope = match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => DecisionScope::Once,
        "s" | "session" => DecisionScope::Session,
        "p" | "project" => DecisionScope::Project,
        _ => return None,
    };
    Some((Decision::Allow, scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_yes_allows() {
        let allowed = [
            ("y\n", DecisionScope::Once),
            (" YES \n", DecisionScope::Once),
            ("s", DecisionScope::Session),
            ("project\n", DecisionScope::Project),
        ];
        for (line, scope) in allowed {
            assert_eq!(meaning(line), Some((Decision::Allow, scope)), "{line:?}");
        }
        for line in ["", "\n", "n", "no", "maybe", "yy", "always"] {
            assert_eq!(meaning(line), None, "{line:?}");
        }
    }
}
