//! What stands at a name on the disk: the bytes of a file, all files below a folder, where a link
//! leads. Blocks on the disk; bounded in files, bytes and names, and no pipe can make it wait.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use serde::Serialize;
use sha2::{Digest, Sha256};

use super::pattern::{escape, has_wildcard, matches, matches_exactly, unescape};
use super::programs::{ENDINGS, SYSTEM_FOLDERS, USER_FOLDERS};

/// Of one hook, and before every run of it.
pub(super) const MOST_FILES: usize = 4_000;
pub(super) const MOST_BYTES: u64 = 256 * 1024 * 1024;
const MOST_LISTED: usize = 50_000;
const MOST_LOOKUPS: usize = 200_000;
/// One that is larger is known by its beginning, its size, and when it was written.
const LARGEST_FILE: u64 = 128 * 1024 * 1024;
/// A folder with more names than this is asked for single names.
const LARGEST_LISTING: usize = 20_000;
const MOST_LINKS: usize = 40;

/// What is known of one name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum State {
    File {
        bytes: u64,
        sha256: String,
        runs: bool,
    },
    Folder {
        files: usize,
        bytes: u64,
        sha256: String,
    },
    Link {
        target: String,
    },
    /// A pipe, a socket, a device.
    Special,
    /// With what is known from outside.
    Unreadable(String),
    /// A folder of which only the `watch` list says what counts.
    TooLarge,
}

/// How much of what stands there counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// A file; a folder is only a place.
    File,
    /// A folder with all that is in it, unless it holds the whole project.
    Below,
    /// The whole project too.
    Tree,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch;

pub(super) enum Found {
    Nothing,
    File(PathBuf),
    Folder(PathBuf),
}

/// The names in a folder, by how they may be asked for.
struct Listing {
    all: Vec<OsString>,
    /// In lower case, since some disks see no difference.
    by_name: HashMap<String, Vec<OsString>>,
    /// Those with an ending that may be left out.
    by_stem: HashMap<String, Vec<OsString>>,
}

pub(super) struct Disk {
    root: PathBuf,
    pub(super) watched: BTreeMap<String, State>,
    /// What the definition says is data: patterns from the folder on, each for all below it.
    pub(super) data: Vec<String>,
    /// Whether a folder that is too large ends it.
    pub(super) large_folders: LargeFolders,
    /// A link led to the devices or processes of the system.
    pub(super) found_devices: bool,
    listings: HashMap<PathBuf, Option<Rc<Listing>>>,
    files: usize,
    bytes: u64,
    listed: usize,
    lookups: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LargeFolders {
    Refused,
    Noted,
}

impl Disk {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            watched: BTreeMap::new(),
            data: Vec::new(),
            large_folders: LargeFolders::Refused,
            found_devices: false,
            listings: HashMap::new(),
            files: 0,
            bytes: 0,
            listed: 0,
            lookups: 0,
        }
    }

    /// As the user reads it: from the folder on where it lies inside.
    pub(super) fn name(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.root).unwrap_or(path);
        match inside.to_string_lossy() {
            name if name.is_empty() => ".".into(),
            name => name.into_owned(),
        }
    }

    /// Watches what a name means in a folder, with or without its ending.
    pub(super) fn named(
        &mut self,
        folder: &Path,
        name: &str,
        reach: Reach,
    ) -> Result<Vec<Found>, TooMuch> {
        self.lookups += 1;
        if self.lookups > MOST_LOOKUPS {
            return Err(TooMuch);
        }
        let path = folder.join(name);
        if is_system(&path) && !parts(&path).any(|part| part == Path::new("..")) {
            return Ok(Vec::new());
        }
        let place = match (path.parent(), path.file_name()) {
            (Some(parent), Some(base)) if !name.ends_with("/.") => Some((parent, base)),
            _ => None,
        };
        let listing = place.and_then(|(parent, _)| self.listing(parent));
        let (Some((parent, base)), Some(listing)) = (place, listing) else {
            return Ok(vec![self.look(&path, reach)?]);
        };
        let base = base.to_string_lossy().to_lowercase();
        // A file system may know the name in a form that the listing does not show.
        let mut found = vec![self.look(&path, reach)?];
        for name in listing.by_name.get(&base).into_iter().flatten() {
            found.push(self.look(&parent.join(name), reach)?);
        }
        for name in listing.by_stem.get(&base).into_iter().flatten() {
            found.push(self.look(&parent.join(name), Reach::File)?);
        }
        Ok(found)
    }

    /// Watches what stands there.
    pub(super) fn look(&mut self, path: &Path, reach: Reach) -> Result<Found, TooMuch> {
        let Some(real) = self.resolve(path) else {
            return Ok(Found::Nothing);
        };
        if is_system(&real) || self.is_listed_data(&real) {
            return Ok(Found::Nothing);
        }
        let Ok(about) = real.symlink_metadata() else {
            return Ok(Found::Nothing);
        };
        let name = self.name(&real);
        if about.is_dir() {
            let holds_all = self.root.starts_with(&real);
            let counts = match reach {
                Reach::File => false,
                Reach::Below => !holds_all,
                Reach::Tree => true,
            };
            let key = format!("{name}/");
            if counts && !self.watched.contains_key(&key) {
                let state = self.folder(&real)?;
                self.watched.insert(key, state);
            }
            return Ok(Found::Folder(real));
        }
        if !self.watched.contains_key(&name) {
            let state = self.file(&real, &about)?;
            self.watched.insert(name, state);
            self.python_cache(&real)?;
        }
        Ok(Found::File(real))
    }

    /// The byte code that Python may run in the place of a source.
    fn python_cache(&mut self, source: &Path) -> Result<(), TooMuch> {
        let (Some(folder), Some(stem)) = (source.parent(), source.file_stem()) else {
            return Ok(());
        };
        if source.extension() != Some(OsStr::new("py")) {
            return Ok(());
        }
        let pattern = format!("__pycache__/{}.*", escape(&stem.to_string_lossy()));
        for path in self.glob(folder, &pattern)? {
            self.look(&path, Reach::File)?;
        }
        Ok(())
    }

    /// Where a path leads, and every link of the folder's on the way.
    fn resolve(&mut self, path: &Path) -> Option<PathBuf> {
        let mut real = PathBuf::new();
        let mut rest: VecDeque<PathBuf> = parts(path).collect();
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            match part.components().next()? {
                Component::ParentDir => drop(real.pop()),
                Component::CurDir => {}
                Component::RootDir | Component::Prefix(_) => real.push(&part),
                Component::Normal(name) => {
                    let next = real.join(name);
                    let is_device = next.starts_with("/dev") || next.starts_with("/proc");
                    self.found_devices |= links > 0 && is_device;
                    let about = next.symlink_metadata().ok()?;
                    if !about.is_symlink() {
                        real = next;
                        continue;
                    }
                    links += 1;
                    let target = std::fs::read_link(&next).ok()?;
                    if links > MOST_LINKS {
                        return None;
                    }
                    if next.starts_with(&self.root) && !self.is_listed_data(&next) {
                        let target = target.to_string_lossy().into_owned();
                        self.watched
                            .insert(self.name(&next), State::Link { target });
                    }
                    for part in parts(&target).collect::<Vec<_>>().into_iter().rev() {
                        rest.push_front(part);
                    }
                    if target.is_absolute() {
                        real = PathBuf::new();
                    }
                }
            }
        }
        Some(real)
    }

    fn file(&mut self, path: &Path, about: &Metadata) -> Result<State, TooMuch> {
        if !about.is_file() {
            return Ok(State::Special);
        }
        self.files += 1;
        self.bytes += about.len().min(LARGEST_FILE);
        if self.files > MOST_FILES || self.bytes > MOST_BYTES {
            return Err(TooMuch);
        }
        let read = open(path).and_then(|file| {
            let about = file.metadata()?;
            let (sha256, _) = digest(file)?;
            Ok((about, sha256))
        });
        Ok(match read {
            Ok((about, sha256)) if about.is_file() => State::File {
                bytes: about.len(),
                sha256: match about.len() > LARGEST_FILE {
                    true => format!("{sha256} {}", times(&about)),
                    false => sha256,
                },
                runs: runs(&about),
            },
            Ok(_) => State::Special,
            Err(_) => State::Unreadable(format!("{} bytes, {}", about.len(), times(about))),
        })
    }

    fn folder(&mut self, path: &Path) -> Result<State, TooMuch> {
        let before = (self.files, self.bytes, self.listed);
        let mut below = Below::default();
        let mut visited = HashSet::new();
        let walked = self.walk(path, "", &mut visited, &mut below);
        match (walked, self.large_folders) {
            (Ok(()), _) => Ok(State::Folder {
                files: below.files,
                bytes: below.bytes,
                sha256: hex(&below.digest.finalize()),
            }),
            (Err(TooMuch), LargeFolders::Refused) => Err(TooMuch),
            (Err(TooMuch), LargeFolders::Noted) => {
                (self.files, self.bytes, self.listed) = before;
                Ok(State::TooLarge)
            }
        }
    }

    fn walk(
        &mut self,
        folder: &Path,
        prefix: &str,
        visited: &mut HashSet<PathBuf>,
        below: &mut Below,
    ) -> Result<(), TooMuch> {
        if !visited.insert(folder.to_owned()) {
            return Ok(());
        }
        for name in self.entries(folder)? {
            let path = folder.join(&name);
            let shown = format!("{prefix}{}", name.to_string_lossy());
            let is_git = name == ".git" && folder == self.root;
            if is_git || self.is_data(&path) {
                continue;
            }
            let Ok(mut about) = path.symlink_metadata() else {
                continue;
            };
            let mut real = path;
            if about.is_symlink() {
                let target = std::fs::read_link(&real).unwrap_or_default();
                below.add(&shown, &format!("link {}", target.display()));
                let Ok(leads) = real.canonicalize() else {
                    continue;
                };
                if is_system(&leads) || self.root.starts_with(&leads) {
                    continue;
                }
                let Ok(target) = leads.symlink_metadata() else {
                    continue;
                };
                (real, about) = (leads, target);
            }
            if about.is_dir() {
                below.add(&shown, "folder");
                self.walk(&real, &format!("{shown}/"), visited, below)?;
                continue;
            }
            let state = self.file(&real, &about)?;
            if let State::File { bytes, .. } = &state {
                below.files += 1;
                below.bytes += bytes;
            }
            below.add(&shown, &format!("{state:?}"));
        }
        Ok(())
    }

    /// All paths that a pattern stands for in a folder.
    pub(super) fn glob(&mut self, folder: &Path, pattern: &str) -> Result<Vec<PathBuf>, TooMuch> {
        self.lookups += 1;
        if self.lookups > MOST_LOOKUPS {
            return Err(TooMuch);
        }
        // Other processes come and go; what is behind their folders is looked for by itself.
        if Path::new(pattern).starts_with("/proc") {
            return Ok(Vec::new());
        }
        let mut found = vec![match pattern.starts_with('/') {
            true => PathBuf::from("/"),
            false => folder.to_owned(),
        }];
        for segment in pattern.split('/').filter(|it| !it.is_empty()) {
            let mut next = Vec::new();
            for path in found {
                if segment == "**" {
                    next.push(path.clone());
                    self.folders_below(&path, &mut next)?;
                } else if let Some(listing) = self.listing(&path) {
                    let names = listing.all.iter();
                    let names = names.filter(|name| matches(segment, &name.to_string_lossy()));
                    next.extend(names.map(|name| path.join(name)));
                    if !has_wildcard(segment) {
                        next.push(path.join(unescape(segment)));
                    }
                } else if !has_wildcard(segment) {
                    next.push(path.join(unescape(segment)));
                } else if path.is_dir() {
                    // Too many names to look at.
                    return Err(TooMuch);
                }
            }
            found = next;
        }
        Ok(found)
    }

    fn folders_below(&mut self, folder: &Path, all: &mut Vec<PathBuf>) -> Result<(), TooMuch> {
        for name in self.entries(folder)? {
            let path = folder.join(&name);
            let is_git = name == ".git" && folder == self.root;
            let about = path.symlink_metadata();
            if !is_git && about.is_ok_and(|about| about.is_dir()) {
                all.push(path.clone());
                self.folders_below(&path, all)?;
            }
        }
        Ok(())
    }

    /// The names in a folder, sorted; none where it cannot be listed.
    fn entries(&mut self, folder: &Path) -> Result<Vec<OsString>, TooMuch> {
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(Vec::new());
        };
        let mut names = Vec::new();
        for entry in entries.flatten() {
            self.listed += 1;
            if self.listed > MOST_LISTED {
                return Err(TooMuch);
            }
            names.push(entry.file_name());
        }
        names.sort();
        Ok(names)
    }

    /// Kept: many names are asked for in the same few folders.
    fn listing(&mut self, folder: &Path) -> Option<Rc<Listing>> {
        if let Some(known) = self.listings.get(folder) {
            return known.clone();
        }
        let entries = std::fs::read_dir(folder).ok();
        let names = entries.map(|entries| {
            let entries = entries.flatten().take(LARGEST_LISTING + 1);
            entries.map(|entry| entry.file_name()).collect::<Vec<_>>()
        });
        let names = names.filter(|names| names.len() <= LARGEST_LISTING);
        let listing = names.map(|names| Rc::new(Listing::of(names)));
        self.listings.insert(folder.to_owned(), listing.clone());
        listing
    }

    /// Whether something that only a folder or a pattern names is data.
    pub(super) fn is_data(&self, path: &Path) -> bool {
        let inside = path.strip_prefix(&self.root);
        inside.is_ok_and(|inside| self.data.iter().any(|pattern| covers(pattern, inside)))
    }

    /// What the command names by itself is data only where the list does so too.
    fn is_listed_data(&self, path: &Path) -> bool {
        self.data
            .iter()
            .any(|listed| path == self.root.join(listed))
    }

    /// The first program at a path or below it.
    pub(super) fn program_below(
        &mut self,
        path: &Path,
        visited: &mut HashSet<PathBuf>,
    ) -> Result<Option<PathBuf>, TooMuch> {
        let Ok(about) = path.metadata() else {
            return Ok(None);
        };
        if about.is_file() {
            let is_program = runs(&about) || has_code_ending(path) || names_interpreter(path);
            return Ok(is_program.then(|| path.to_owned()));
        }
        let is_new = path.canonicalize().is_ok_and(|real| visited.insert(real));
        if about.is_dir() && is_new {
            for name in self.entries(path)? {
                let found = self.program_below(&path.join(name), visited)?;
                if found.is_some() {
                    return Ok(found);
                }
            }
        }
        Ok(None)
    }
}

/// Whether a path is anything else than a file of plain text: what only gets output written to it.
pub(super) fn may_be_code(path: &Path) -> bool {
    let about = path.symlink_metadata();
    about.is_ok_and(|about| !about.is_file() || runs(&about) || has_code_ending(path))
}

/// Data is JSON often enough, and no interpreter runs it by its name.
fn has_code_ending(path: &Path) -> bool {
    let ending = path
        .extension()
        .map(|it| it.to_string_lossy().to_lowercase());
    ending.is_some_and(|it| it != "json" && ENDINGS.contains(&it.as_str()))
}

/// `#!`.
fn names_interpreter(path: &Path) -> bool {
    let mut begin = [0; 2];
    let read = open(path).and_then(|mut file| file.read_exact(&mut begin));
    read.is_ok() && begin == *b"#!"
}

/// Whether a pattern is about this path or a folder that holds it.
fn covers(pattern: &str, path: &Path) -> bool {
    let pattern: Vec<_> = pattern.split('/').collect();
    let path: Vec<_> = path.iter().map(OsStr::to_string_lossy).collect();
    fn from(pattern: &[&str], path: &[std::borrow::Cow<'_, str>]) -> bool {
        match (pattern, path) {
            ([], _) => true,
            (["**", rest @ ..], [_, below @ ..]) => from(rest, path) || from(pattern, below),
            ([first, rest @ ..], [name, below @ ..]) => {
                matches_exactly(first, name) && from(rest, below)
            }
            ([_, ..], []) => false,
        }
    }
    from(&pattern, &path)
}

impl Listing {
    fn of(all: Vec<OsString>) -> Self {
        let mut by_name: HashMap<_, Vec<_>> = HashMap::new();
        let mut by_stem: HashMap<_, Vec<_>> = HashMap::new();
        for name in &all {
            let lower = name.to_string_lossy().to_lowercase();
            // `check.cpython-311.so` is `check` too.
            let ending = lower.rsplit_once('.').map(|(_, ending)| ending);
            if ending.is_some_and(|ending| ENDINGS.contains(&ending)) {
                for (at, _) in lower.match_indices('.').filter(|(at, _)| *at > 0) {
                    let stem = lower[..at].to_owned();
                    by_stem.entry(stem).or_default().push(name.clone());
                }
            }
            by_name.entry(lower).or_default().push(name.clone());
        }
        Self {
            all,
            by_name,
            by_stem,
        }
    }
}

#[derive(Default)]
struct Below {
    files: usize,
    bytes: u64,
    digest: Sha256,
}

impl Below {
    fn add(&mut self, name: &str, what: &str) {
        self.digest.update(format!("{name}\0{what}\0"));
    }
}

fn parts(path: &Path) -> impl Iterator<Item = PathBuf> + '_ {
    path.components()
        .map(|part| PathBuf::from(part.as_os_str()))
}

pub(super) fn is_system(path: &Path) -> bool {
    let lies_in = |folders: &[&str]| folders.iter().any(|folder| path.starts_with(folder));
    lies_in(&SYSTEM_FOLDERS) && !lies_in(&USER_FOLDERS)
}

/// Waits for nobody, should a pipe take the place of a file in this instant.
#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let mut options = File::options();
    options.read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// The hash and the number of bytes that it is of.
fn digest(file: File) -> std::io::Result<(String, u64)> {
    if !file.metadata()?.is_file() {
        return Ok((String::new(), 0));
    }
    let mut file = file.take(LARGEST_FILE);
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => {
                digest.update(&piece[..count]);
                bytes += count as u64;
            }
        }
    }
    Ok((hex(&digest.finalize()), bytes))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(unix)]
pub(super) fn runs(about: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

/// There the name tells.
#[cfg(not(unix))]
pub(super) fn runs(_: &Metadata) -> bool {
    false
}

/// When it was written, by a clock that only the system sets where there is one.
#[cfg(unix)]
fn times(about: &Metadata) -> String {
    use std::os::unix::fs::MetadataExt;
    format!(
        "{}.{} {}.{}",
        about.mtime(),
        about.mtime_nsec(),
        about.ctime(),
        about.ctime_nsec()
    )
}

#[cfg(not(unix))]
fn times(about: &Metadata) -> String {
    format!("{:?}", about.modified().ok())
}
