//! `weir export`: a session as a file.

use std::path::Path;
use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::App;
use weir_core::transcript;

use crate::{Exit, Failure, output};

pub(crate) async fn run(
    app: &Arc<App>,
    session: Uuid,
    to: &str,
    file: Option<&Path>,
) -> Result<Exit, Failure> {
    let format = transcript::format(to).ok_or_else(|| Failure::usage("No such format."))?;
    let transcript = app.transcript(session).await?;
    let text = (format.write)(&transcript).map_err(std::io::Error::from)?;
    match file {
        None => output::write(&text)?,
        Some(file) => std::fs::write(file, text).map_err(|error| {
            let message = format!("{} could not be written: {error}.", file.display());
            Failure::failed("io", message)
        })?,
    }
    Ok(Exit::Done)
}
