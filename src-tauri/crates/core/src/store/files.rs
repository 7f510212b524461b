//! Whether the files that SQLite has open are still the ones at their paths.
//!
//! SQLite goes on writing to a file that was deleted or replaced, and says nothing; what it writes
//! there is gone when the process ends. So before anything is published as saved, the files at
//! the paths are compared with those that were opened. The cost is a few system calls for each
//! commit and does not grow with the database.
//!
//! A copy over the database keeps its file and changes what is in it. That is seen by the times of
//! the last change, unless a checkpoint explains it: SQLite notes in the shared-memory file how
//! far checkpoints got. What only touched the file is told from that by samples of its pages. The
//! time of modification can be set back by anybody (`cp -p`, `rsync -t`), so the time of the last
//! status change, which nobody can set, is compared as well.
//!
//! Windows does not let anybody delete, rename or replace a file that SQLite has open.

use std::path::{Path, PathBuf};

/// What became of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Displaced {
    Missing,
    Replaced,
    Overwritten,
    LogMissing,
    /// SQLite itself cannot use it any more, though the files are in their places.
    Unusable,
}

impl Displaced {
    pub(super) fn sentence(self, path: &Path) -> String {
        let path = path.display();
        let what = match self {
            Self::Missing => {
                format!("The database {path} was deleted, moved or put out of reach")
            }
            Self::Replaced => format!("Another file took the place of the database {path}"),
            Self::Overwritten => {
                format!("Another program wrote over the database {path} or its log")
            }
            Self::LogMissing => format!("The log of the database {path} was deleted or replaced"),
            Self::Unusable => format!("The database {path} was damaged or its disk failed"),
        };
        format!("{what} while Weir was using it, so nothing more is saved there.")
    }
}

/// The path of a file that SQLite keeps beside the database.
pub(super) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

#[cfg(unix)]
pub(super) use unix::{DatabaseFiles, FileId};

#[cfg(not(unix))]
pub(super) use elsewhere::{DatabaseFiles, FileId};

#[cfg(unix)]
mod unix {
    use std::fs::{File, Metadata};
    use std::hash::{DefaultHasher, Hasher};
    use std::io;
    use std::os::unix::fs::{FileExt, MetadataExt};
    use std::path::{Path, PathBuf};

    use super::{Displaced, beside};

    /// What tells one file from another, whatever its name.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::store) struct FileId {
        device: u64,
        inode: u64,
    }

    impl FileId {
        /// `None` where there is no file.
        pub(in crate::store) fn of(path: &Path) -> Option<Self> {
            std::fs::metadata(path).ok().map(|found| Self::from(&found))
        }
    }

    impl From<&Metadata> for FileId {
        fn from(found: &Metadata) -> Self {
            Self {
                device: found.dev(),
                inode: found.ino(),
            }
        }
    }

    /// How many pieces of the database are compared, and how long each is: enough that no other
    /// database, older copy or cut one has the same, and no more to read however large it is.
    const SAMPLES: u64 = 64;
    const SAMPLE: u64 = 4096;

    /// The size of a file and a hash of pieces spread over it, the first and the last among them.
    fn sample(file: &File, size: u64) -> io::Result<(u64, u64)> {
        let mut hasher = DefaultHasher::new();
        let mut piece = [0; SAMPLE as usize];
        let last = size.saturating_sub(SAMPLE);
        let step = (last / (SAMPLES - 1)).max(SAMPLE);
        let mut offset = 0;
        loop {
            file.read_exact_at(&mut piece, offset)?;
            hasher.write(&piece);
            if offset == last {
                return Ok((size, hasher.finish()));
            }
            offset = (offset + step).min(last);
        }
    }

    /// What SQLite notes of the log for all who use the database: which log it is, how long it
    /// is, and how far checkpoints got.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Noted {
        /// In units of pages, each with a header of its own.
        log_length: u32,
        page_size: u64,
        checkpoints: Checkpoints,
    }

    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Checkpoints {
        salts: [u8; 8],
        done: [u8; 4],
        attempted: [u8; 4],
    }

    /// The beginning of a log, up to the salts that tell it from another.
    const LOG_HEADER: u64 = 32;
    const LOG_SALTS: u64 = 16;
    const LOG_PAGE_HEADER: u64 = 24;

    impl Noted {
        /// Where the file format of the shared memory has them.
        const PAGE_SIZE: usize = 14;
        const LOG_LENGTH: usize = 16;
        const SALTS: usize = 32;
        const DONE: usize = 96;
        const ATTEMPTED: usize = 128;

        fn read(shared: &File) -> io::Result<Self> {
            let mut bytes = [0; Self::ATTEMPTED + 4];
            shared.read_exact_at(&mut bytes, 0)?;
            let page_size = u16::from_ne_bytes(at(&bytes, Self::PAGE_SIZE));
            Ok(Self {
                log_length: u32::from_ne_bytes(at(&bytes, Self::LOG_LENGTH)),
                // The largest size does not fit and is written as one.
                page_size: if page_size == 1 {
                    65_536
                } else {
                    u64::from(page_size)
                },
                checkpoints: Checkpoints {
                    salts: at(&bytes, Self::SALTS),
                    done: at(&bytes, Self::DONE),
                    attempted: at(&bytes, Self::ATTEMPTED),
                },
            })
        }

        /// Whether the log is the one that is noted, and as long as it should be.
        fn is_true_of(&self, log: &File, size: u64) -> io::Result<bool> {
            if self.log_length == 0 {
                return Ok(true);
            }
            let page = self.page_size + LOG_PAGE_HEADER;
            if size < LOG_HEADER + u64::from(self.log_length) * page {
                return Ok(false);
            }
            let mut salts = [0; 8];
            log.read_exact_at(&mut salts, LOG_SALTS)?;
            Ok(salts == self.checkpoints.salts)
        }
    }

    fn at<const N: usize>(bytes: &[u8], offset: usize) -> [u8; N] {
        let mut found = [0; N];
        found.copy_from_slice(&bytes[offset..offset + N]);
        found
    }

    impl Checkpoints {
        fn is_under_way(&self) -> bool {
            self.done != self.attempted
        }
    }

    /// When a file was changed last, in seconds and nanoseconds.
    #[derive(Clone, Copy, PartialEq, Eq)]
    struct Changed {
        content: (i64, i64),
        status: (i64, i64),
    }

    impl From<&Metadata> for Changed {
        fn from(found: &Metadata) -> Self {
            Self {
                content: (found.mtime(), found.mtime_nsec()),
                status: (found.ctime(), found.ctime_nsec()),
            }
        }
    }

    /// What the database looked like after the last checkpoint that is known.
    struct Seen {
        checkpoints: Checkpoints,
        changed: Changed,
        sample: (u64, u64),
    }

    /// The files as they were opened.
    ///
    /// They are held open, to be read. They must not be closed while a connection is
    /// open: closing any handle of a file drops all the locks that this process has on it.
    pub(in crate::store) struct DatabaseFiles {
        path: PathBuf,
        log: PathBuf,
        shared: PathBuf,
        ids: [FileId; 3],
        database_file: File,
        shared_file: File,
        log_file: File,
        seen: Option<Seen>,
    }

    impl DatabaseFiles {
        /// After SQLite has opened all three. Fails where one of them is another one already.
        pub(in crate::store) fn opened(path: &Path, id: Option<FileId>) -> io::Result<Self> {
            let (log, shared) = (beside(path, "-wal"), beside(path, "-shm"));
            let database_file = File::open(path)?;
            let shared_file = File::open(&shared)?;
            let log_file = File::open(&log)?;
            let ids = [
                FileId::from(&database_file.metadata()?),
                FileId::from(&log_file.metadata()?),
                FileId::from(&shared_file.metadata()?),
            ];
            if Some(ids[0]) != id {
                return Err(io::Error::other("it was replaced while it was opened"));
            }
            let mut files = Self {
                path: path.to_owned(),
                log,
                shared,
                ids,
                database_file,
                shared_file,
                log_file,
                seen: None,
            };
            files.seen = files.look()?;
            Ok(files)
        }

        pub(in crate::store) fn path(&self) -> &Path {
            &self.path
        }

        /// Whether it is known how far checkpoints got.
        pub(in crate::store) fn is_settled(&self) -> bool {
            self.seen.is_some()
        }

        pub(in crate::store) fn check(&mut self) -> Result<(), Displaced> {
            let [database, log, shared] = self.ids;
            let noted = Noted::read(&self.shared_file);
            let Ok(found) = std::fs::metadata(&self.path) else {
                return Err(Displaced::Missing);
            };
            if FileId::from(&found) != database {
                return Err(Displaced::Replaced);
            }
            let found_log = std::fs::metadata(&self.log).ok();
            let Some(found_log) = found_log.filter(|found| FileId::from(found) == log) else {
                return Err(Displaced::LogMissing);
            };
            if FileId::of(&self.shared) != Some(shared) {
                return Err(Displaced::LogMissing);
            }
            let is_log_whole = |noted: &io::Result<Noted>, size| match noted {
                Ok(noted) => noted.is_true_of(&self.log_file, size).unwrap_or(false),
                Err(_) => false,
            };
            if !is_log_whole(&noted, found_log.len()) {
                // Another process may have begun a new log between the two looks.
                let again = Noted::read(&self.shared_file);
                let size = self.log_file.metadata().map_or(0, |found| found.len());
                if !is_log_whole(&again, size) {
                    return Err(Displaced::Overwritten);
                }
            }
            let changed = Changed::from(&found);
            if let Some(seen) = &mut self.seen
                && seen.changed == changed
            {
                // A new log begins without a change of the database.
                if let Ok(noted) = noted
                    && !noted.checkpoints.is_under_way()
                {
                    seen.checkpoints = noted.checkpoints;
                }
                return Ok(());
            }
            // A file that cannot be read any more was cut short.
            let Ok(now) = self.look() else {
                return Err(Displaced::Overwritten);
            };
            match (&self.seen, now) {
                // Somebody moves pages right now; the next look will find it done.
                (_, None) => Ok(()),
                (Some(before), Some(now))
                    if before.checkpoints == now.checkpoints && before.sample != now.sample =>
                {
                    Err(Displaced::Overwritten)
                }
                (_, now) => {
                    self.seen = now;
                    Ok(())
                }
            }
        }

        /// `None` while a checkpoint is under way.
        fn look(&self) -> io::Result<Option<Seen>> {
            let checkpoints = Noted::read(&self.shared_file)?.checkpoints;
            let found = self.database_file.metadata()?;
            let sample = sample(&self.database_file, found.len())?;
            let after = Noted::read(&self.shared_file)?.checkpoints;
            if checkpoints.is_under_way() || checkpoints != after {
                return Ok(None);
            }
            Ok(Some(Seen {
                checkpoints,
                changed: Changed::from(&found),
                sample,
            }))
        }

        /// Whether nobody made a new log in the place of the one that is open, and nobody else
        /// wrote to the database.
        pub(in crate::store) fn has_no_other_log(&self) -> bool {
            let [database, log, shared] = self.ids;
            let is_ours = |path, id| FileId::of(path).is_none_or(|found| found == id);
            let found = std::fs::metadata(&self.path).ok();
            let unchanged = found.as_ref().is_some_and(|found| {
                let seen = self.seen.as_ref();
                FileId::from(found) == database
                    && seen.is_some_and(|seen| seen.changed == Changed::from(found))
            });
            unchanged && is_ours(&self.log, log) && is_ours(&self.shared, shared)
        }

        /// Renames the log that belongs to a database that was replaced or written over: SQLite
        /// would play it into what took its place.
        pub(in crate::store) fn set_log_aside(&self) {
            let stamp = crate::clock::now().strftime("%Y%m%dT%H%M%S%3f");
            for (path, id) in [(&self.log, self.ids[1]), (&self.shared, self.ids[2])] {
                if FileId::of(path) != Some(id) {
                    continue;
                }
                if let Err(error) = std::fs::rename(path, beside(path, &format!(".old-{stamp}"))) {
                    tracing::warn!(%error, path = %path.display(), "a log may be played into another database");
                }
            }
        }
    }
}

#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::path::{Path, PathBuf};

    use super::Displaced;

    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(in crate::store) struct FileId;

    impl FileId {
        pub(in crate::store) fn of(path: &Path) -> Option<Self> {
            path.exists().then_some(Self)
        }
    }

    pub(in crate::store) struct DatabaseFiles(PathBuf);

    impl DatabaseFiles {
        pub(in crate::store) fn opened(path: &Path, _: Option<FileId>) -> io::Result<Self> {
            Ok(Self(path.to_owned()))
        }

        pub(in crate::store) fn path(&self) -> &Path {
            &self.0
        }

        pub(in crate::store) fn is_settled(&self) -> bool {
            true
        }

        pub(in crate::store) fn check(&mut self) -> Result<(), Displaced> {
            if self.0.exists() {
                Ok(())
            } else {
                Err(Displaced::Missing)
            }
        }

        pub(in crate::store) fn has_no_other_log(&self) -> bool {
            true
        }

        pub(in crate::store) fn set_log_aside(&self) {}
    }
}
