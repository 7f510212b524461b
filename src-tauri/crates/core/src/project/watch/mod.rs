//! The files and folders that a hook's command names, and what is in them.
//!
//! Owns what "the same hook" means on the disk. Invariant: every file or folder that the words of
//! a command name, in any spelling that can be told without running it and whatever program they
//! are given to, is part of the hook's fingerprint, and so is one that appears where none was. Two
//! things are not: a log, which only an output redirection names ([`Look::outputs`]), and what the
//! definition's `unwatched` list says is data. What those files run or import in turn is not either,
//! unless the `watch` list names it. Watching too much costs a question;
//! watching too little would run code that nobody agreed to. What cannot be watched within bounds
//! does not run.
//!
//! [`shell`] tells words apart, [`analysis`] says which of them may name what runs, [`expand`] and
//! [`names`] say what they may mean, and [`disk`] looks. No shell is asked, and nothing is run.

mod analysis;
mod disk;
mod expand;
mod names;
mod pattern;
mod programs;
mod shell;

use std::collections::{BTreeMap, BTreeSet, HashSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::hook::{Definition, PathList};
use crate::tool::visible;
use analysis::{Analysis, Role};
use disk::{Disk, Found, LargeFolders, MOST_BYTES, MOST_FILES, Reach, State, TooMuch};
use expand::{Assignments, Expansion, TooMany};
use pattern::{UNKNOWN, escape, expand_braces, has_wildcard, unescape};
use programs::{ENTRIES, HOME_FILES, LISTERS, OWN_FILES, OWN_FOLDERS};

/// Commands may be run in so many folders.
const MOST_FOLDERS: usize = 128;

/// What a hook is compared by, beside its definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Watched {
    /// By name: from the folder on where it lies inside, with a `/` at the end of a folder.
    entries: BTreeMap<String, State>,
    /// Why it cannot be watched, and so does not run.
    problem: Option<String>,
}

impl Watched {
    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// A line for each file and folder, for the user to read.
    pub fn lines(&self) -> Vec<String> {
        let entries = self.entries.iter().map(|(name, state)| {
            let what = match state {
                State::File { bytes, sha256, .. } => {
                    let short = sha256.get(..12).unwrap_or(sha256);
                    format!("{}, {short}", size(*bytes))
                }
                State::Folder {
                    files,
                    bytes,
                    sha256,
                } => {
                    let short = sha256.get(..12).unwrap_or(sha256);
                    let s = if *files == 1 { "" } else { "s" };
                    format!("{files} file{s} below it, {}, {short}", size(*bytes))
                }
                State::Link { target } => format!("a link to {target}"),
                State::Special => "a pipe or device: what comes out of it is not watched".into(),
                State::Unreadable(_) => "cannot be read: known by its size and time".into(),
                State::TooLarge => "too large to watch: only the watch list counts".into(),
            };
            format!("{name} ({what})")
        });
        entries.collect()
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        1 => "1 byte".into(),
        bytes => format!("{bytes} bytes"),
    }
}

/// Looks at everything that a hook names. Blocks on the disk.
pub(super) fn watched(
    root: &Path,
    definition: &Definition,
    environment: &BTreeMap<String, String>,
) -> Watched {
    let mut disk = Disk::new(root);
    let looked = Look {
        root,
        environment,
        disk: &mut disk,
    }
    .definition(definition);
    Watched {
        entries: disk.watched,
        problem: looked.err().map(|problem| problem.to_string()),
    }
}

#[derive(Debug, thiserror::Error)]
enum Problem {
    #[error(
        "it names more than can be watched ({MOST_FILES} files, {} MB): list the files and folders that it runs under \"watch\" in its definition",
        MOST_BYTES / 1024 / 1024
    )]
    TooMuch,
    #[error("its watch list covers more than can be watched ({MOST_FILES} files, {} MB)", MOST_BYTES / 1024 / 1024)]
    ListTooMuch,
    #[error("its command is nested too deeply to be watched")]
    TooDeep,
    #[error("its {0} list is no list of texts")]
    NoList(&'static str),
    #[error("its {list} list names {path}, which is not inside of the folder")]
    Outside { list: &'static str, path: String },
    #[error("its unwatched list names {0}, which is a program or a script")]
    Program(String),
}

impl From<TooMuch> for Problem {
    fn from(_: TooMuch) -> Self {
        Self::TooMuch
    }
}

impl From<TooMany> for Problem {
    fn from(_: TooMany) -> Self {
        Self::TooMuch
    }
}

struct Look<'a> {
    root: &'a Path,
    environment: &'a BTreeMap<String, String>,
    disk: &'a mut Disk,
}

/// One thing to look for: a text as it stands, or a pattern.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    text: String,
    kind: Kind,
    role: Role,
}

/// Why names are looked for in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// The command names it.
    Named,
    /// The command names something in it. Only files are looked for: folders that lie there by
    /// chance have nothing to do with the command.
    Beside,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Literal,
    Pattern,
}

impl Wanted {
    /// A folder that commands are run in, with all that is in it.
    fn whole(mut self) -> Self {
        if self.role == Role::Folder {
            self.role = Role::Name;
        }
        self
    }
}

impl Look<'_> {
    fn definition(mut self, definition: &Definition) -> Result<(), Problem> {
        let handler = &definition.handler;
        let unwatched = paths("unwatched", &handler.unwatched)?;
        for path in &unwatched {
            self.check_data(path)?;
        }
        self.disk.data = unwatched;
        let watch = paths("watch", &handler.watch)?;
        for pattern in &watch {
            let found = self.disk.glob(self.root, pattern);
            for path in found.map_err(|TooMuch| Problem::ListTooMuch)? {
                let looked = self.disk.look(&path, Reach::Tree);
                looked.map_err(|TooMuch| Problem::ListTooMuch)?;
            }
        }
        if handler.watch != PathList::Unset {
            self.disk.large_folders = LargeFolders::Noted;
        }
        self.command(definition)
    }

    /// Data is no program: an exception for one would hide what runs.
    fn check_data(&mut self, pattern: &str) -> Result<(), Problem> {
        for path in self.disk.glob(self.root, pattern)? {
            if let Some(program) = self.disk.program_below(&path, &mut HashSet::new())? {
                let name = self.disk.name(&program);
                return Err(Problem::Program(visible::short(&name)));
            }
        }
        Ok(())
    }

    fn command(&mut self, definition: &Definition) -> Result<(), Problem> {
        let handler = &definition.handler;
        let analysis = match &handler.args {
            Some(args) => {
                let words = [std::slice::from_ref(&handler.command), args].concat();
                Analysis::of_program(&words)
            }
            None if cfg!(windows) => Analysis::of_shell(&handler.command.replace('\\', "/")),
            None => Analysis::of_shell(&handler.command),
        };
        if analysis.too_deep {
            return Err(Problem::TooDeep);
        }
        let expansion = Expansion {
            assigned: &analysis.assigned,
            environment: self.environment,
            assignments: match analysis.computes {
                true => Assignments::Partial,
                false => Assignments::Complete,
            },
        };
        let mut wanted = BTreeSet::new();
        for (word, role) in &analysis.words {
            let values = expansion.values(word)?;
            self.wants_all(&values, *role, &mut wanted)?;
        }
        let mut outputs = BTreeSet::new();
        for word in &analysis.outputs {
            let values = expansion.values(word)?;
            match values.as_slice() {
                [one] if !has_wildcard(one) && !one.contains(['~', '{']) => {
                    outputs.insert(unescape(one));
                }
                _ => self.wants_all(&values, Role::Name, &mut wanted)?,
            }
        }
        let programs = programs_in(&wanted);
        if analysis.redefines || LISTERS.iter().any(|it| programs.contains(*it)) {
            wanted = wanted.into_iter().map(Wanted::whole).collect();
        }
        let folders = self.everywhere(&wanted, &programs)?;
        self.own_files(&folders, &programs)?;
        self.outputs(&outputs, &folders, &wanted)
    }

    fn wants_all(
        &self,
        values: &[String],
        role: Role,
        wanted: &mut BTreeSet<Wanted>,
    ) -> Result<(), Problem> {
        // `xargs -I{}` and `find` put names there.
        let filled = values.iter().filter(|value| value.contains("{}"));
        let filled = filled.map(|value| value.replace("{}", &UNKNOWN.to_string()));
        for value in values.iter().cloned().chain(filled) {
            for pattern in expand_braces(&value).ok_or(TooMuch)? {
                self.wants(&pattern, role, wanted);
            }
        }
        Ok(())
    }

    /// A file that is named only as the target of an output redirection is a log: it changes with
    /// each run, and nothing that the command names reads it. It counts all the same where it may be
    /// code, where another word has its name, and where a descriptor may lead back to it.
    fn outputs(
        &mut self,
        targets: &BTreeSet<String>,
        folders: &[PathBuf],
        wanted: &BTreeSet<Wanted>,
    ) -> Result<(), Problem> {
        let is_read = self.disk.found_devices
            || folders.iter().any(|folder| folder.parent().is_none())
            || wanted.iter().any(|want| self.may_be_descriptor(want));
        for target in targets {
            let counts = is_read || wanted.iter().any(|want| self.has_name_of(want, target));
            for folder in folders {
                let path = folder.join(target);
                if counts || disk::may_be_code(&path) {
                    self.disk.named(folder, target, Reach::Below)?;
                }
            }
        }
        Ok(())
    }

    /// `/dev/fd/1` and its like, and whatever may be one of them.
    fn may_be_descriptor(&self, want: &Wanted) -> bool {
        let text = want.text.as_str();
        if matches!(text, "/dev/null" | "/dev/stdin" | "/dev/tty") {
            return false;
        }
        let is_elsewhere = (text.starts_with('/') && !self.is_inside(text)) || text.contains("..");
        let mut segments = text.split('/');
        Path::new(text).starts_with("/dev")
            || Path::new(text).starts_with("/proc")
            || segments.any(|it| matches!(it, "fd" | "stdout" | "stderr"))
            || is_elsewhere && want.kind == Kind::Pattern
    }

    /// Copies of a folder have the same names in them.
    fn has_name_of(&self, want: &Wanted, target: &str) -> bool {
        let last = |text: &str| text.rsplit('/').next().unwrap_or_default().to_lowercase();
        match want.kind {
            Kind::Literal => last(&want.text) == last(target),
            Kind::Pattern => {
                let is_elsewhere = want.text.starts_with('/') && !self.is_inside(&want.text);
                is_elsewhere && pattern::matches(&last(&want.text), &last(target))
            }
        }
    }

    fn is_inside(&self, text: &str) -> bool {
        Path::new(&unescape(text)).starts_with(self.root)
    }

    /// The paths that a pattern may mean: with its tilde resolved, without an unknown beginning, and
    /// behind the folders of a process; none where all of it is unknown.
    fn spellings(&self, pattern: &str) -> Vec<String> {
        let mut all = match pattern.strip_prefix('~') {
            None => vec![pattern.to_owned()],
            Some(rest) => self.tilde(rest),
        };
        let behind: Vec<_> = all.iter().flat_map(|path| behind_process(path)).collect();
        all.extend(behind);
        all.iter()
            .filter_map(|path| without_unknown(path))
            .collect()
    }

    /// `~/x`, `~name/x`, `~+/x`; the same from where the command is, since `HOME` and the folder may
    /// be others by then.
    fn tilde(&self, rest: &str) -> Vec<String> {
        let (user, path) = rest.split_once('/').unwrap_or((rest, ""));
        let home = self.environment.get("HOME").map(PathBuf::from);
        let folder = match user {
            "" => home,
            "+" => Some(self.root.to_owned()),
            user => {
                let others = home.as_deref().and_then(Path::parent);
                others.map(|others| others.join(unescape(user)))
            }
        };
        let folder = folder.map(|it| format!("{}/{path}", escape(&it.to_string_lossy())));
        let here = (!user.is_empty() || !path.is_empty()).then(|| format!("./{path}"));
        folder.into_iter().chain(here).collect()
    }

    fn wants(&self, pattern: &str, role: Role, wanted: &mut BTreeSet<Wanted>) {
        let mut want = |text: String, kind| {
            wanted.insert(Wanted { text, kind, role });
        };
        if role == Role::Folder && pattern == "/" {
            want("/".into(), Kind::Literal);
        }
        for spelled in self.spellings(pattern) {
            if has_wildcard(&spelled) {
                want(spelled.clone(), Kind::Pattern);
            }
            want(unescape(&spelled), Kind::Literal);
        }
        let found = match role {
            Role::Name | Role::AnyDepth => names::names(&unescape(pattern)),
            Role::File | Role::Folder | Role::Tree => BTreeSet::new(),
        };
        for name in found {
            if !name.contains(|it: char| it.is_alphanumeric() || matches!(it, '*' | '?' | '_')) {
                continue;
            }
            for spelled in self.spellings(&name) {
                if has_wildcard(&spelled) {
                    want(spelled.clone(), Kind::Pattern);
                }
                if !spelled.contains(UNKNOWN) {
                    want(spelled, Kind::Literal);
                }
            }
        }
    }

    /// Looks for everything in every folder where the command may be by then.
    fn everywhere(
        &mut self,
        wanted: &BTreeSet<Wanted>,
        programs: &BTreeSet<String>,
    ) -> Result<Vec<PathBuf>, Problem> {
        let mut folders = vec![(self.root.to_owned(), Origin::Named)];
        let mut open: VecDeque<_> = folders.iter().cloned().collect();
        let mut is_first = true;
        while let Some((folder, origin)) = open.pop_front() {
            for want in wanted {
                if want.text.starts_with('/') && !is_first {
                    continue;
                }
                let mut next_folders = Vec::new();
                for found in self.find(&folder, origin, want)? {
                    let next = match found {
                        Found::Folder(path) if want.role != Role::File => path,
                        Found::File(path) if is_own_file(&path) => match path.parent() {
                            Some(parent) => parent.to_owned(),
                            None => continue,
                        },
                        Found::Folder(_) | Found::File(_) | Found::Nothing => continue,
                    };
                    next_folders.push((next, origin));
                }
                // `$(dirname h/y)/x` is about the folder of a file, be the file there or not.
                let above = match want.kind {
                    Kind::Literal => want.text.rsplit_once('/'),
                    Kind::Pattern => None,
                };
                if let Some((above, _)) = above.filter(|(above, _)| !above.is_empty())
                    && let Found::Folder(path) = self.disk.look(&folder.join(above), Reach::File)?
                {
                    next_folders.push((path, Origin::Beside));
                }
                for next in next_folders {
                    if folders.contains(&next) || disk::is_system(&next.0) {
                        continue;
                    }
                    if folders.len() >= MOST_FOLDERS {
                        return Err(Problem::TooMuch);
                    }
                    folders.push(next.clone());
                    open.push_back(next);
                }
            }
            is_first = false;
        }
        // Programs only: what lies beside them there is not what the command is about.
        let own = OWN_FOLDERS
            .iter()
            .filter(|(readers, _)| readers.iter().any(|it| programs.contains(*it)));
        let own: Vec<_> = own.flat_map(|(_, folders)| *folders).collect();
        let folders: Vec<_> = folders.into_iter().map(|(folder, _)| folder).collect();
        for folder in &folders {
            for name in &own {
                let folder = folder.join(name);
                for want in wanted.iter().filter(|it| it.kind == Kind::Literal) {
                    if folder.is_dir() && !want.text.starts_with(['/', '.']) {
                        self.disk.named(&folder, &want.text, Reach::Below)?;
                    }
                }
            }
        }
        Ok(folders)
    }

    fn find(
        &mut self,
        folder: &Path,
        origin: Origin,
        want: &Wanted,
    ) -> Result<Vec<Found>, Problem> {
        let reach = match want.role {
            _ if origin == Origin::Beside => Reach::File,
            Role::Name | Role::AnyDepth => Reach::Below,
            Role::File | Role::Folder => Reach::File,
            Role::Tree => Reach::Tree,
        };
        let mut all = match (want.kind, want.role) {
            (Kind::Literal, Role::Name | Role::File | Role::Folder | Role::Tree) => {
                let found = self.disk.named(folder, &want.text, reach)?;
                // A folder that holds the whole project is known by what it would run.
                for place in &found {
                    if let Found::Folder(path) = place
                        && want.role == Role::Name
                        && self.root.starts_with(path)
                    {
                        for entry in ENTRIES {
                            self.disk.named(path, entry, Reach::File)?;
                        }
                    }
                }
                found
            }
            (Kind::Pattern, Role::Name | Role::File | Role::Folder | Role::Tree) => {
                let paths = self.disk.glob(folder, &want.text)?;
                self.matched(paths, reach)?
            }
            (Kind::Literal | Kind::Pattern, Role::AnyDepth) => {
                let pattern = match want.kind {
                    Kind::Literal => escape(&want.text),
                    Kind::Pattern => want.text.clone(),
                };
                let pattern = format!("**/{}", pattern.trim_start_matches("./"));
                let paths = self.disk.glob(folder, &pattern)?;
                drop(self.matched(paths, reach)?);
                Vec::new()
            }
        };
        if want.role == Role::Name && want.kind == Kind::Pattern {
            // Too many to be where commands are run; what is in them counts as it is.
            all.clear();
        }
        Ok(all)
    }

    fn matched(&mut self, paths: Vec<PathBuf>, reach: Reach) -> Result<Vec<Found>, Problem> {
        let mut all = Vec::new();
        for path in paths {
            if self.disk.is_data(&path) {
                continue;
            }
            // `*` at the top of the project is about its files. Above it, folders that only a
            // pattern matches are other projects, as large as they like.
            let place = without_parents(&path);
            let is_top = place
                .parent()
                .is_some_and(|parent| self.root.starts_with(parent));
            let reach = match is_top || !place.starts_with(self.root) {
                true => Reach::File,
                false => reach,
            };
            all.push(self.disk.look(&path, reach)?);
        }
        Ok(all)
    }

    /// What programs read by themselves, where the command is and in every folder above.
    fn own_files(
        &mut self,
        folders: &[PathBuf],
        programs: &BTreeSet<String>,
    ) -> Result<(), Problem> {
        let own = OWN_FILES
            .iter()
            .filter(|(readers, _)| readers.iter().any(|it| programs.contains(*it)));
        let own: BTreeSet<_> = own.flat_map(|(_, names)| *names).collect();
        let root = self.root;
        let inside = folders.iter().flat_map(|folder| {
            let above = folder.ancestors();
            above.take_while(move |above| above.starts_with(root) || above == folder)
        });
        let places: BTreeSet<_> = inside.map(Path::to_owned).collect();
        for place in places {
            for name in &own {
                let reach = match name.ends_with('/') {
                    true => Reach::Below,
                    false => Reach::File,
                };
                self.disk.look(&place.join(name), reach)?;
            }
        }
        let home = self.environment.get("HOME").map(PathBuf::from);
        if let Some(home) = home.filter(|home| home.starts_with(self.root)) {
            for name in HOME_FILES {
                self.disk.look(&home.join(name), Reach::File)?;
            }
        }
        Ok(())
    }
}

/// What may follow a folder of a process: `/proc/self/cwd/check.sh`, however that is spelled.
fn behind_process(path: &str) -> Vec<String> {
    let segments = path.split('/').filter(|it| !matches!(*it, "" | "."));
    let segments: Vec<_> = segments.collect();
    let is_process = |it: &&str| matches!(*it, "cwd" | "dev" | "proc" | "root" | "self");
    if !segments.iter().any(is_process) {
        return Vec::new();
    }
    let mut all = Vec::new();
    for at in 1..segments.len() {
        let end = segments[at..].join("/");
        if pattern::matches(segments[at - 1], "root") {
            all.push(format!("/{end}"));
        }
        all.push(end);
    }
    if segments.last() == Some(&"cwd") {
        all.push(".".into());
    }
    all
}

/// Unknown is most often the folder itself: `"$(pwd)"/check.sh`.
fn without_unknown(pattern: &str) -> Option<String> {
    let known = pattern.trim_start_matches(UNKNOWN);
    let pattern = match known.strip_prefix('/') {
        Some(path) if known.len() < pattern.len() => path,
        _ => pattern,
    };
    let is_known = pattern.chars().any(|it| !matches!(it, UNKNOWN | '/'));
    is_known.then(|| pattern.to_owned())
}

/// Every word may be a program, whatever runs it.
fn programs_in(wanted: &BTreeSet<Wanted>) -> BTreeSet<String> {
    let literal = wanted.iter().filter(|want| want.kind == Kind::Literal);
    literal.map(|want| programs::program(&want.text)).collect()
}

fn is_own_file(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let mut all = OWN_FILES.iter().flat_map(|(_, names)| *names);
    name.is_some_and(|name| all.any(|it| **it == *name))
}

/// Patterns from the folder on.
fn paths(list: &'static str, paths: &PathList) -> Result<Vec<String>, Problem> {
    let paths = match paths {
        PathList::Unset => return Ok(Vec::new()),
        PathList::Unusable => return Err(Problem::NoList(list)),
        PathList::Paths(paths) => paths,
    };
    let mut all = Vec::new();
    for path in paths {
        let parts = path.split('/').filter(|part| !matches!(*part, "" | "."));
        let parts: Vec<_> = parts.collect();
        let is_outside = Path::new(path).is_absolute()
            || path.trim().is_empty()
            || path.starts_with(['~', '/'])
            || parts.contains(&"..");
        if is_outside {
            let path = visible::short(path);
            return Err(Problem::Outside { list, path });
        }
        all.extend(expand_braces(&parts.join("/")).ok_or(Problem::ListTooMuch)?);
    }
    Ok(all)
}

/// The path with each `..` taken together with what stands before it.
fn without_parents(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(part),
        }
    }
    plain
}
