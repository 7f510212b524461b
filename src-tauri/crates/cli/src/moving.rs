//! The question before a session's history goes to another recipient. Without a terminal nobody
//! can answer it, and nothing is sent unless `--move` says so.

use std::io::{self, BufRead, IsTerminal, Write};
use std::sync::Arc;

use weir_core::app::{App, MoveAsks};
use weir_core::tool::visible;
use weir_protocol::code;

use crate::Failure;

/// Asks, and notes the user's agreement with the session.
pub(crate) async fn agree(app: &Arc<App>, asks: &MoveAsks) -> Result<(), Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let message = format!("{asks} Nothing was sent: agree to it with --move.");
        let mut failure = Failure::usage(message);
        failure.error.code = code::MOVE_ASKS.to_owned();
        return Err(failure);
    }
    let question = format!("{}\nSend them? [y/N] ", visible::line(&asks.to_string()));
    let read = move || {
        let mut line = String::new();
        write!(io::stderr(), "{question}").ok()?;
        io::stderr().flush().ok()?;
        io::stdin().lock().read_line(&mut line).ok()?;
        Some(is_yes(&line))
    };
    let agreed = tokio::task::spawn_blocking(read).await.ok().flatten();
    if agreed != Some(true) {
        return Err(Failure::failed(code::DECLINED, "Nothing was sent."));
    }
    Ok(app.allow_move(asks).await?)
}

/// Whatever is not clearly a yes is a no.
fn is_yes(line: &str) -> bool {
    matches!(line.trim(), "y" | "Y" | "yes" | "Yes")
}

#[cfg(test)]
mod tests {
    use super::is_yes;

    #[test]
    fn only_a_clear_yes_sends() {
        for (line, expected) in [("y\n", true), ("Yes\n", true), ("\n", false), ("ok", false)] {
            assert_eq!(is_yes(line), expected, "{line:?}");
        }
    }
}
