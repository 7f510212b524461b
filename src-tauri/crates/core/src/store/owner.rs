//! Which running Weir a streaming turn belongs to.
//!
//! The window and the command line may share one database, so a session that says `running`
//! is either streaming next door or was cut off by a kill. Each Weir holds a lock on a file of
//! its own; the system lets go of it however the process ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use uuid::Uuid;

use super::StoreError;
use crate::private;

const FOLDER: &str = "owners";
const SETTLED: Duration = Duration::from_secs(60);

pub(super) struct Owner {
    pub(super) name: String,
    path: PathBuf,
    _lock: File,
}

impl Owner {
    pub(super) fn claim(folder: &Path) -> Result<Self, StoreError> {
        let name = Uuid::new_v4().to_string();
        let path = file(folder, &name);
        let lock = private::create_folder(&folder.join(FOLDER))
            .and_then(|()| private::create_new(&path))
            .and_then(|file| file.lock().map(|()| file))
            .map_err(|error| StoreError::Folder {
                path: path.clone(),
                reason: error.to_string(),
            })?;
        Ok(Self {
            name,
            path,
            _lock: lock,
        })
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        // A file left behind is swept by the next start; there is nothing to tell anyone.
        let _ = std::fs::remove_file(&self.path);
    }
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join(FOLDER).join(name)
}

/// Whether no process holds the owner's lock any more.
pub(super) fn is_gone(folder: &Path, name: &str) -> bool {
    match File::open(file(folder, name)) {
        Ok(file) => is_unlocked(&file),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

fn is_unlocked(file: &File) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

/// Removes the files of owners that are gone.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder.join(FOLDER)) else {
        return;
    };
    for entry in entries.flatten() {
        // A Weir that is just starting has made its file but may not have locked it yet.
        let settled = entry
            .metadata()
            .and_then(|file| file.modified())
            .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > SETTLED));
        if settled && File::open(entry.path()).is_ok_and(|file| is_unlocked(&file)) {
            // Somebody else may have swept it first.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
