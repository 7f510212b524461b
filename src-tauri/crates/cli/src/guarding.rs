//! Guards at a terminal: the question before a prompt is sent, and one line for what they found.
//! Without a terminal nobody can answer, and the prompt is not sent.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::{App, AppError, Prompt};
use weir_core::redact::{Choice, HeldBack};
use weir_core::tool::visible;
use weir_protocol::{Detection, GuardVerdict};

use crate::{Failure, moving, output};

/// Sends the prompt, and asks where a guard does, or where the session's history would go to
/// another recipient. A question that was answered is not asked again.
pub(crate) async fn send(app: &Arc<App>, mut prompt: Prompt) -> Result<Uuid, Failure> {
    let mut agreed = Vec::new();
    loop {
        match app.send(prompt.clone()).await {
            Err(AppError::HeldBack(asks @ HeldBack::Asks { .. }))
                if prompt.choice == Choice::default() =>
            {
                match ask(&asks.to_string()).await {
                    Some(choice) => prompt.choice = choice,
                    None => return Err(AppError::HeldBack(asks).into()),
                }
            }
            Err(AppError::MoveAsks(asks)) if !agreed.contains(&asks.recipient) => {
                moving::agree(app, &asks).await?;
                agreed.push(asks.recipient);
            }
            sent => return Ok(sent?),
        }
    }
}

async fn ask(reason: &str) -> Option<Choice> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return None;
    }
    let question = format!(
        "{}\nSend it? r: with that taken out, y: as it is, N: no ",
        visible::line(reason)
    );
    let read = move || {
        let mut line = String::new();
        write!(io::stderr(), "{question}").ok()?;
        io::stderr().flush().ok()?;
        io::stdin().lock().read_line(&mut line).ok()?;
        meaning(&line)
    };
    tokio::task::spawn_blocking(read).await.ok().flatten()
}

/// Whatever is not clearly a yes is a no.
fn meaning(line: &str) -> Option<Choice> {
    match line.trim().to_lowercase().as_str() {
        "r" => Some(Choice::Redact),
        "y" => Some(Choice::AsItIs),
        _ => None,
    }
}

/// What guards found, in one line, and never what it is.
pub(crate) fn sentence(verdict: GuardVerdict, detections: &[Detection], place: &str) -> String {
    let mut rules: Vec<&str> = Vec::new();
    for detection in detections {
        if !rules.contains(&detection.rule.as_str()) {
            rules.push(&detection.rule);
        }
    }
    let rules = rules.join(", ");
    let done = match verdict {
        GuardVerdict::Redact => "took out",
        GuardVerdict::Allow | GuardVerdict::Warn | GuardVerdict::Ask => "found",
        GuardVerdict::Block => "held back",
    };
    let rules = output::plain(&rules).into_owned();
    format!("A guard {done} in {place}: {rules}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clear_word_sends() {
        let rows = [
            ("r\n", Some(Choice::Redact)),
            ("Y\n", Some(Choice::AsItIs)),
            ("\n", None),
            ("yes\n", None),
            ("n\n", None),
        ];
        for (line, choice) in rows {
            assert_eq!(meaning(line), choice, "{line:?}");
        }
    }
}
