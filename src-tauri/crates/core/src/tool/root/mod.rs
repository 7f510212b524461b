//! A folder that nothing leads out of.
//!
//! Owns how a path that a model wrote becomes an open file or a list of names. Invariant: what
//! is read lies inside the folder once every link is resolved. A path is resolved first, and
//! then opened step by step from the folder down without following any link, so that swapping
//! a folder for a link in between gains nothing. Only plain files are opened: no pipe and no
//! device can make a reader wait.

mod path;
#[cfg(not(unix))]
mod portable;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;

use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

#[cfg(not(unix))]
use portable as system;
#[cfg(unix)]
use unix as system;

use super::visible;

/// Why a path was not followed, in a sentence for the model. Names are whole here, however long:
/// whoever shows the sentence shortens it once it has been checked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    #[error("The path is empty. Name something inside the project folder.")]
    Empty,
    #[error("The path is too long.")]
    TooLong,
    #[error("The path holds a control character.")]
    Control,
    #[error("{0} is an absolute path. Name paths from the project folder on, such as src/main.rs.")]
    Absolute(String),
    #[error("{0} holds \"..\". Name paths from the project folder on, without it.")]
    Parent(String),
    #[error("{0} holds a backslash. Write paths with \"/\".")]
    Backslash(String),
    #[error("{0} is a name that the system keeps for a device.")]
    Device(String),
    #[error("{0} leads out of the project folder.")]
    Outside(String),
    #[error("There is no {0} in the project folder.")]
    Missing(String),
    #[error("{0} is a folder, not a file.")]
    Folder(String),
    #[error("{0} is not a folder.")]
    NotFolder(String),
    #[error("{0} is neither a file nor a folder, so it is not opened.")]
    Special(String),
    #[error("{path} could not be opened: {reason}.")]
    Io { path: String, reason: String },
}

impl PathError {
    fn io(path: &str, error: &std::io::Error) -> Self {
        let path = visible::line(path);
        if error.kind() == ErrorKind::NotFound {
            Self::Missing(path)
        } else if error.kind() == ErrorKind::NotADirectory {
            Self::NotFolder(path)
        } else {
            let reason = visible::reason(error);
            Self::Io { path, reason }
        }
    }
}

/// The folder, in its one true spelling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
}

/// Where a path really leads: from the root on, without links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedPath {
    relative: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: OsString,
    pub kind: EntryKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File {
        bytes: u64,
    },
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

/// The names in a folder, sorted, and whether there were more than were asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Entries {
    pub entries: Vec<Entry>,
    pub cut: bool,
}

impl Root {
    /// Resolves links once; reads nothing of what is inside.
    pub fn open(path: &Path) -> Result<Self, PathError> {
        let shown = path.to_string_lossy();
        let path = path
            .canonicalize()
            .map_err(|error| PathError::io(&shown, &error))?;
        if path.is_dir() {
            Ok(Self { path })
        } else {
            Err(PathError::NotFolder(visible::line(&shown)))
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a path that somebody wrote leads, if it leads to something inside.
    pub fn resolve(&self, text: &str) -> Result<ResolvedPath, PathError> {
        let written = path::relative(text)?;
        let found = self
            .path
            .join(written)
            .canonicalize()
            .map_err(|error| PathError::io(text, &error))?;
        match found.strip_prefix(&self.path) {
            Ok(relative) => Ok(ResolvedPath {
                relative: relative.to_owned(),
            }),
            Err(_) => Err(PathError::Outside(visible::line(text))),
        }
    }

    /// Whether a link stands here.
    pub fn is_link(&self, place: &ResolvedPath) -> bool {
        let found = self.path.join(&place.relative).symlink_metadata();
        found.is_ok_and(|found| found.is_symlink())
    }

    /// A plain file, opened for reading. Follows no link.
    pub fn file(&self, place: &ResolvedPath) -> Result<File, PathError> {
        let name = || visible::line(&place.name());
        if place.relative.as_os_str().is_empty() {
            return Err(PathError::Folder(name()));
        }
        match system::open_file(&self.path, &place.relative) {
            Ok(system::Opened::File(file)) => Ok(file),
            Ok(system::Opened::Folder) => Err(PathError::Folder(name())),
            Ok(system::Opened::Special) => Err(PathError::Special(name())),
            Err(error) => Err(PathError::io(&place.name(), &error)),
        }
    }

    /// What stands in a folder: at most `most` names, sorted.
    pub fn entries(&self, place: &ResolvedPath, most: usize) -> Result<Entries, PathError> {
        let mut entries = system::entries(&self.path, &place.relative, most)
            .map_err(|error| PathError::io(&place.name(), &error))?;
        entries.entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }
}

impl ResolvedPath {
    /// The root itself.
    pub fn root() -> Self {
        Self {
            relative: PathBuf::new(),
        }
    }

    /// Something of this name in here. The name is one that [`Root::entries`] told.
    pub fn join(&self, name: &OsString) -> Self {
        Self {
            relative: self.relative.join(name),
        }
    }

    /// As it is written everywhere: with `/`, and `.` for the root.
    pub fn name(&self) -> String {
        let parts = self.relative.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy()),
            Component::Prefix(_)
            | Component::RootDir
            | Component::CurDir
            | Component::ParentDir => None,
        });
        let name = parts.collect::<Vec<_>>().join("/");
        if name.is_empty() { ".".into() } else { name }
    }

    pub fn starts_with(&self, other: &Self) -> bool {
        self.relative.starts_with(&other.relative)
    }
}
