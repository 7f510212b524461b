//! Opening without following links: from the root's handle down, one name at a time.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, open, openat, statat};

use super::{Entries, Entry, EntryKind};

pub(super) enum Opened {
    File(File),
    Folder,
    Special,
}

pub(super) fn open_file(root: &Path, relative: &Path) -> io::Result<Opened> {
    let parent = relative.parent().unwrap_or(Path::new(""));
    let name = relative
        .file_name()
        .ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let folder = open_folder(root, parent)?;
    // Looked at before it is opened: opening alone can do something to a device.
    match kind(&folder, name)? {
        EntryKind::File { .. } => {}
        EntryKind::Folder => return Ok(Opened::Folder),
        EntryKind::Link | EntryKind::Special => return Ok(Opened::Special),
    }
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(openat(&folder, name, flags, Mode::empty())?);
    let opened = file.metadata()?;
    Ok(if opened.is_file() {
        Opened::File(file)
    } else if opened.is_dir() {
        Opened::Folder
    } else {
        Opened::Special
    })
}

pub(super) fn entries(root: &Path, relative: &Path, most: usize) -> io::Result<Entries> {
    let folder = open_folder(root, relative)?;
    let mut entries = Vec::new();
    for entry in Dir::read_from(&folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        if entries.len() == most {
            return Ok(Entries { entries, cut: true });
        }
        // What was removed in this instant is not there.
        let Ok(kind) = kind(&folder, name) else {
            continue;
        };
        let name = name.to_owned();
        entries.push(Entry { name, kind });
    }
    Ok(Entries {
        entries,
        cut: false,
    })
}

fn open_folder(root: &Path, relative: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = open(root, flags, Mode::empty())?;
    for part in relative.components() {
        let Component::Normal(name) = part else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        folder = openat(&folder, name, flags, Mode::empty())?;
    }
    Ok(folder)
}

fn kind(folder: &OwnedFd, name: &OsStr) -> io::Result<EntryKind> {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    Ok(match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile => EntryKind::File {
            bytes: u64::try_from(found.st_size).unwrap_or(0),
        },
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        FileType::Fifo
        | FileType::Socket
        | FileType::CharacterDevice
        | FileType::BlockDevice
        | FileType::Unknown => EntryKind::Special,
    })
}
