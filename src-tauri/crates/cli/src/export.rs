//! `weir export`: a session as a file.

use std::path::PathBuf;
use std::sync::Arc;

use uuid::Uuid;
use weir_core::app::App;
use weir_core::private;
use weir_core::transcript;

use crate::sessions::{self, Texts};
use crate::{Exit, Failure, output};

pub(crate) struct Wish {
    pub(crate) to: String,
    pub(crate) file: Option<PathBuf>,
    pub(crate) texts: Texts,
}

pub(crate) async fn run(app: &Arc<App>, session: Uuid, wish: Wish) -> Result<Exit, Failure> {
    let Wish { to, file, texts } = wish;
    let format = transcript::format(&to).ok_or_else(|| Failure::usage("No such format."))?;
    let mut transcript = app.transcript(session).await?;
    match texts {
        Texts::AsStored => {}
        Texts::Originals => {
            transcript = app.with_originals(transcript).await?;
            sessions::warn_of_originals(&app.vault(session).await?);
        }
    }
    let text = (format.write)(&transcript).map_err(std::io::Error::from)?;
    match file {
        None => output::write(&text)?,
        Some(file) => private::write(&file, text.as_bytes()).map_err(|error| {
            let message = format!("{} could not be written: {error}.", file.display());
            Failure::failed("io", message)
        })?,
    }
    Ok(Exit::Done)
}
