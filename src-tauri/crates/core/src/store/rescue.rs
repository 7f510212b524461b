//! A copy of what is left of a database that was deleted or replaced while Weir used it.
//!
//! The connection that was open still reads the file that has no name any more, so the copy is
//! whole, as long as nobody wrote over that file. The events of the running turns are in memory
//! too: where the copy cannot be made, or lacks what was on its way, they become a file of their
//! own, one event a line.

use std::io::Write;
use std::path::{Path, PathBuf};

use sqlx::SqliteConnection;

use super::recent::Recent;
use super::{Backup, StoreError, backup, open};
use crate::private;

/// What was rescued, and where it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rescued {
    pub database: Option<Backup>,
    /// Events of the turns that were running.
    pub events: Option<PathBuf>,
}

impl Rescued {
    /// Says where it is.
    pub fn sentence(&self) -> String {
        let events = self.events.as_ref().map(|path| path.display());
        match (&self.database, events) {
            (Some(copy), None) => {
                format!("All that was shown is saved in {}.", copy.path.display())
            }
            (Some(copy), Some(events)) => format!(
                "All that was shown is saved in {}, and what was on its way in {events}.",
                copy.path.display()
            ),
            (None, Some(events)) => {
                format!("What the running turns had said is saved in {events}.")
            }
            (None, None) => "There was nothing left to save.".to_owned(),
        }
    }
}

/// Whether the file that is open can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Left {
    Whole,
    /// Somebody wrote over it.
    Doubtful,
}

pub(super) async fn rescue(
    connection: &mut SqliteConnection,
    left: Left,
    recent: &Recent,
    to: &Path,
) -> Result<Rescued, StoreError> {
    let copied = backup::copy_open(connection, to).await;
    let wants_events = copied.is_err() || left == Left::Doubtful || recent.has_unsaved();
    let mut rescued = Rescued::default();
    if wants_events && recent.events().next().is_some() {
        let path = to.with_extension("jsonl");
        write_events(recent, &path).map_err(|error| StoreError::backup(&path, &error))?;
        rescued.events = Some(path);
    }
    match copied {
        Ok(copy) => rescued.database = Some(copy),
        Err(error @ StoreError::Exists(_)) => return Err(error),
        Err(error) if rescued.events.is_none() => return Err(error),
        Err(error) => tracing::error!(%error, "the database itself could not be copied"),
    }
    Ok(rescued)
}

fn write_events(recent: &Recent, path: &Path) -> std::io::Result<()> {
    let mut file = private::create_new(path)?;
    let mut lines = Vec::new();
    for event in recent.events() {
        serde_json::to_writer(&mut lines, event)?;
        lines.push(b'\n');
    }
    file.write_all(&lines)?;
    file.sync_all()
}

/// A new file beside the database, or as near to where it was as there is still a folder.
pub(super) fn proposed_path(folder: &Path) -> PathBuf {
    let stamp = crate::clock::now().strftime("%Y%m%dT%H%M%S%3f");
    let name = format!("{}-{stamp}.db", open::RESCUED);
    let mut near = folder.ancestors().filter(|folder| folder.is_dir());
    near.next().unwrap_or(folder).join(name)
}
