//! How much a model takes in: the catalogue knows, or a server on this machine is asked.
//!
//! For any other model the source's own refusal tells.

use std::time::Duration;

use super::{Connection, Location, Source, catalogue};

/// A server on this machine says it at once or not at all; the prompt waits for it.
const ASK_PATIENCE: Duration = Duration::from_secs(5);

/// What is shorter fits every model.
const ALWAYS_FITS: u64 = 2_000;

/// The same for a request of about `tokens`: a server on this machine is asked where no table
/// knows its model.
pub(crate) async fn limit(
    source: &'static Source,
    connection: &Connection,
    model: &str,
    tokens: u64,
) -> Option<u64> {
    match catalogue::context(source.name, model) {
        Some(known) => Some(known),
        None if source.location == Location::Here && tokens > ALWAYS_FITS => {
            let asked = source
                .api
                .context_window(connection.clone(), model.to_owned());
            tokio::time::timeout(ASK_PATIENCE, asked).await.ok()?
        }
        None => None,
    }
}
