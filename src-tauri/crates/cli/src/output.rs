//! The one place that prints. What a reader has closed (`weir … | head`) ends quietly.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use serde::Serialize;
use weir_protocol::ErrorBody;

/// Text to stdout, at once.
pub(crate) fn write(text: &str) -> io::Result<()> {
    bytes(text.as_bytes())
}

/// What is already in its last form, to stdout, at once.
pub(crate) fn bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// One JSON object on a line of its own.
pub(crate) fn line(value: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_string(value)?;
    text.push('\n');
    write(&text)
}

/// One sentence to stderr. There is nobody left to tell when that fails.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "{}", plain(message));
}

/// Text that somebody else wrote, without what a terminal would obey: a model could rename
/// the window, fill the clipboard or write over what stands there.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let obeyed = |letter: char| letter.is_control() && letter != '\n' && letter != '\t';
    if text.contains(obeyed) {
        Cow::Owned(text.replace(obeyed, ""))
    } else {
        Cow::Borrowed(text)
    }
}

/// How a command failed: a sentence for the person, an `error` event for the script.
pub(crate) fn failure(error: &ErrorBody, json: bool) {
    if json {
        let _ = line(&serde_json::json!({ "type": "error", "error": error }));
    }
    complain(&error.message);
}

/// Whether escape codes mean something to whoever reads stdout.
pub(crate) fn is_terminal() -> bool {
    io::stdout().is_terminal() && wants_colours()
}

/// As the user says: a terminal that is `dumb` prints escape codes as they are.
fn wants_colours() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !is_set("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
