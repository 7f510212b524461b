//! `weir trust`: what a folder would bring, and the user's word on it.

use std::io::{BufRead, IsTerminal};
use std::sync::Arc;

use weir_core::app::App;
use weir_protocol::code;

use crate::arguments::Trust;
use crate::{Exit, Failure, output};

pub(crate) async fn run(app: &Arc<App>, asked: Trust) -> Result<Exit, Failure> {
    if asked.forget {
        app.forget_project(&asked.folder).await?;
        output::write("It is no longer trusted.\n")?;
        return Ok(Exit::Done);
    }
    let offer = app.offer_project(&asked.folder).await?;
    output::write(&offer.text())?;
    if !asked.yes && !agreed()? {
        return Err(Failure::failed(code::DECLINED, "It was not trusted."));
    }
    app.trust_project(&offer).await?;
    output::write("It is trusted now.\n")?;
    Ok(Exit::Done)
}

/// The word of a person at a terminal; a pipe cannot give it.
fn agreed() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "Nobody is there to ask: read the above, and agree with --yes.",
        ));
    }
    output::write("\nTrust this folder? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes" | "Yes"))
}
