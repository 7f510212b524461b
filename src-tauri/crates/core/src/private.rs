//! Files and folders that only their user can read.
//!
//! Every file that Weir writes goes through here or through SQLite, which gives its companions
//! the rights of the database. What is there already and open to others is tightened, as long as
//! it is ours and not a place that others share on purpose.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// Creates a file that only its user can read and write; fails where there is one.
pub fn create_new(path: &Path) -> io::Result<File> {
    options().create_new(true).open(path)
}

/// Opens a file for writing, creates it where there is none, and leaves its bytes alone.
pub fn open_or_create(path: &Path) -> io::Result<File> {
    options().create(true).truncate(false).open(path)
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Writes a whole file or nothing: a new file takes the place of an old one, so readers of the
/// old one keep what they opened and its rights do not carry over. Devices and pipes are written
/// to as they are.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = match std::fs::metadata(path) {
        Ok(found) if found.is_file() => path.canonicalize()?,
        Ok(_) => return OpenOptions::new().write(true).open(path)?.write_all(bytes),
        Err(_) => path.to_owned(),
    };
    let mut name = path.clone().into_os_string();
    name.push(format!(".{}.new", Uuid::new_v4().simple()));
    let new = PathBuf::from(name);
    let written = create_new(&new)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| std::fs::rename(&new, &path));
    if written.is_err() {
        // Ours, and half a file at best.
        let _ = std::fs::remove_file(&new);
    }
    written
}

/// A file that other code will write to by its path: exists afterwards, readable by its user
/// alone. `initial` is what it holds if there was none.
pub fn ensure(path: &Path, initial: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        create_folder(folder)?;
    }
    match create_new(path) {
        Ok(mut file) => file.write_all(initial),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            tighten(path);
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Creates a folder with those above it; new ones are their user's alone.
pub fn create_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// What keeps a folder from being the user's alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exposed {
    /// Somebody else owns it and can read all that is put there.
    NotOurs,
    /// Others may look into it, and it is not Weir's to close.
    Shared(String),
}

/// Takes the rights of others away from a folder that is ours.
#[cfg(unix)]
pub fn tighten_folder(folder: &Path) -> io::Result<Result<(), Exposed>> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    const STICKY: u32 = 0o1000;
    // One open folder for looking and changing: nobody can swap it in between.
    let open = File::open(folder)?;
    let found = open.metadata()?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Ok(Err(Exposed::NotOurs));
    }
    if found.mode() & 0o077 == 0 {
        return Ok(Ok(()));
    }
    if found.mode() & STICKY != 0 || holds_more_than_ours(folder) {
        let reason = "it is a folder for more than Weir".to_owned();
        return Ok(Err(Exposed::Shared(reason)));
    }
    // Some file systems have no rights to set.
    match open.set_permissions(std::fs::Permissions::from_mode(found.mode() & 0o700)) {
        Ok(()) => Ok(Ok(())),
        Err(error) => Ok(Err(Exposed::Shared(error.to_string()))),
    }
}

/// Elsewhere a user's folders are closed to others from the start.
#[cfg(not(unix))]
pub fn tighten_folder(_: &Path) -> io::Result<Result<(), Exposed>> {
    Ok(Ok(()))
}

/// Whether the home folder or the whole system lies in this folder: closing it would close those.
#[cfg(unix)]
fn holds_more_than_ours(folder: &Path) -> bool {
    let Ok(folder) = folder.canonicalize() else {
        return true;
    };
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    let home = home.map(|home| home.canonicalize().unwrap_or(home));
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(&folder))
}

/// Takes the rights of others away from a file that is ours. Never opens it: closing a file drops
/// the locks that SQLite holds on it in this process.
#[cfg(unix)]
pub fn tighten(path: &Path) {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    let Ok(found) = std::fs::metadata(path) else {
        return;
    };
    let is_ours = found.uid() == rustix::process::geteuid().as_raw();
    if !is_ours || !found.is_file() || found.mode() & 0o077 == 0 {
        return;
    }
    let private = std::fs::Permissions::from_mode(found.mode() & 0o700);
    if let Err(error) = std::fs::set_permissions(path, private) {
        tracing::warn!(%error, path = %path.display(), "others may read a file");
    }
}

#[cfg(not(unix))]
pub fn tighten(_: &Path) {}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
    }

    fn set_mode(path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn writing_replaces_a_file_and_its_rights() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("export.md");
        std::fs::write(&file, "old").unwrap();
        set_mode(&file, 0o644);
        let reader = File::open(&file).unwrap();
        let link = folder.path().join("link.md");
        symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(mode(&file), 0o600);
        assert!(link.is_symlink(), "the link still leads to the file");
        let old = io::read_to_string(reader).unwrap();
        assert_eq!(old, "old", "who reads the old file reads it whole");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let occupied = folder.path().join("occupied");
        std::fs::create_dir(&occupied).unwrap();
        assert!(write(&occupied, b"new").is_err());
        assert!(write(&folder.path().join("none/file"), b"new").is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn folders_are_closed_unless_others_share_them() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        for (before, after) in [
            (0o755, 0o700),
            (0o777, 0o700),
            (0o1777, 0o1777),
            (0o500, 0o500),
        ] {
            set_mode(path, before);
            let tightened = tighten_folder(path).unwrap();
            assert_eq!(mode(path), after, "{before:o}");
            assert_eq!(tightened.is_ok(), before != 0o1777, "{before:o}");
        }
        assert!(holds_more_than_ours(Path::new("/")));
        assert!(!holds_more_than_ours(path));
    }

    #[test]
    fn files_are_closed_where_they_are_ours() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("weir.db");
        std::fs::write(&file, "").unwrap();
        for (before, after) in [
            (0o644, 0o600),
            (0o666, 0o600),
            (0o600, 0o600),
            (0o400, 0o400),
        ] {
            set_mode(&file, before);
            tighten(&file);
            assert_eq!(mode(&file), after, "{before:o}");
        }
        // A link to somebody else's file changes nothing there.
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        let before = std::fs::metadata("/dev/null").unwrap().mode();
        tighten(&link);
        assert_eq!(std::fs::metadata("/dev/null").unwrap().mode(), before);
    }
}
