//! Asks on the terminal whether a tool call may run. Without a terminal nobody can say so, and
//! it may not.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;
use weir_core::app::{App, AppError};
use weir_core::tool::visible;
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

impl Question {
    /// Whether a person sees all of it at once.
    fn fits(&self) -> bool {
        visible::whole(&self.input.to_string()).is_some()
    }
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
        let _ = typed.send(meaning(&read(&question), &question));
    });
    line.await.ok().flatten().unwrap_or(no)
}

fn read(question: &Question) -> String {
    let mut line = String::new();
    // The lock on stderr is let go before waiting: others may have something to say meanwhile.
    let heard = write!(io::stderr(), "{}", asked(question))
        .and_then(|()| io::stderr().flush())
        .and_then(|()| io::stdin().lock().read_line(&mut line));
    match heard {
        Ok(_) => line,
        Err(_) => String::new(),
    }
}

/// The question, with everything in it spelled out that hides or reorders.
fn asked(question: &Question) -> String {
    let always = if question.fits() {
        "p: always in this project, "
    } else {
        "(too long to allow for good) "
    };
    format!(
        "{} wants to run with {}\n{}\nAllow? y: once, s: this session, {always}N: no ",
        visible::line(&question.tool_name),
        visible::line(&question.input.to_string()),
        visible::line(&question.reason),
    )
}

/// Whatever is not clearly a yes is a no; and nobody says yes for good to what they cannot see
/// at once.
fn meaning(line: &str, question: &Question) -> Option<(Decision, DecisionScope)> {
    let scope = match line.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => DecisionScope::Once,
        "s" | "session" => DecisionScope::Session,
        "p" | "project" if question.fits() => DecisionScope::Project,
        _ => return None,
    };
    Some((Decision::Allow, scope))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn question(input: Value) -> Question {
        Question {
            turn: Uuid::nil(),
            tool_call_id: "a".into(),
            tool_name: "read_file".into(),
            input,
            reason: "A rule asks.".into(),
        }
    }

    #[test]
    fn what_cannot_be_seen_is_not_allowed_for_good() {
        let short = question(json!({"path": "a\u{202e}b\u{200b}"}));
        let shown = asked(&short);
        assert!(shown.contains(r"a\u{202e}b\u{200b}"), "{shown}");
        assert!(shown.contains("p: always"), "{shown}");
        let long = question(json!({"a": "x".repeat(2_000), "path": ".env"}));
        let shown = asked(&long);
        assert!(!shown.contains("p: always"), "{shown}");
        assert_eq!(meaning("p", &long), None);
        let once = Some((Decision::Allow, DecisionScope::Once));
        assert_eq!(meaning("y", &long), once);
    }

    #[test]
    fn only_a_clear_yes_allows() {
        let short = question(json!({"path": "a"}));
        let allowed = [
            ("y\n", DecisionScope::Once),
            (" YES \n", DecisionScope::Once),
            ("s", DecisionScope::Session),
            ("project\n", DecisionScope::Project),
        ];
        for (line, scope) in allowed {
            assert_eq!(
                meaning(line, &short),
                Some((Decision::Allow, scope)),
                "{line:?}"
            );
        }
        for line in ["", "\n", "n", "no", "maybe", "yy", "always"] {
            assert_eq!(meaning(line, &short), None, "{line:?}");
        }
    }
}
