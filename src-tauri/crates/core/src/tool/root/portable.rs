//! Opening where there are no handles of folders: resolved before and after, and refused when
//! the two differ.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use super::{Entries, Entry, EntryKind};

pub(super) enum Opened {
    File(File),
    Folder,
    Special,
}

pub(super) fn open_file(root: &Path, relative: &Path) -> io::Result<Opened> {
    let path = unlinked(root, relative)?;
    match kind(&fs::symlink_metadata(&path)?) {
        EntryKind::File { .. } => {}
        EntryKind::Folder => return Ok(Opened::Folder),
        EntryKind::Link | EntryKind::Special => return Ok(Opened::Special),
    }
    let file = File::open(&path)?;
    unlinked(root, relative)?;
    Ok(Opened::File(file))
}

pub(super) fn entries(root: &Path, relative: &Path, most: usize) -> io::Result<Entries> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(unlinked(root, relative)?)? {
        let entry = entry?;
        if entries.len() == most {
            return Ok(Entries { entries, cut: true });
        }
        // What was removed in this instant is not there.
        let Ok(found) = entry.metadata() else {
            continue;
        };
        entries.push(Entry {
            name: entry.file_name(),
            kind: kind(&found),
        });
    }
    unlinked(root, relative)?;
    Ok(Entries {
        entries,
        cut: false,
    })
}

/// The path, if no part of it is a link right now.
fn unlinked(root: &Path, relative: &Path) -> io::Result<PathBuf> {
    let path = root.join(relative);
    if path.canonicalize()? == path {
        Ok(path)
    } else {
        Err(io::Error::other("it was swapped for a link"))
    }
}

fn kind(found: &Metadata) -> EntryKind {
    if found.is_symlink() {
        EntryKind::Link
    } else if found.is_dir() {
        EntryKind::Folder
    } else if found.is_file() {
        EntryKind::File { bytes: found.len() }
    } else {
        EntryKind::Special
    }
}
