//! The part of a rule in brackets, and what it matches.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// How closely a rule looks. Rules that hold back also match what only differs in case: on some
/// disks that is the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// For rules that allow.
    Exact,
    /// For rules that ask or deny.
    Wide,
}

/// Globs on paths, by the rules of `.gitignore`: a pattern without a slash matches at any
/// depth, a folder stands for all that is in it.
#[derive(Clone, Debug)]
pub(super) struct PathGlobs {
    from: From,
    reach: Reach,
    globs: GlobSet,
}

/// Where the paths start that a glob is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum From {
    Project,
    Disk,
}

/// Why a pattern cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadPattern {
    NotUnderstood,
    /// It would allow a program whatever it is told to do.
    ProgramAlone,
    /// It is fine, and nothing of this project can match it.
    Elsewhere,
}

impl PathGlobs {
    /// `project` is the project folder, for the patterns that name a place on the disk.
    pub(super) fn parse(pattern: &str, reach: Reach, project: &Path) -> Result<Self, BadPattern> {
        let pattern = pattern.trim();
        if pattern.starts_with('!') || pattern.contains('\\') {
            return Err(BadPattern::NotUnderstood);
        }
        if pattern.split(['/', '{', '}', ',']).any(|part| part == "..") {
            return Err(match reach {
                Reach::Exact => BadPattern::Elsewhere,
                // It may lead back in.
                Reach::Wide => BadPattern::NotUnderstood,
            });
        }
        let pattern = match reach {
            Reach::Exact => pattern.to_owned(),
            Reach::Wide => widened(pattern)?,
        };
        if let Some(places) = places(&pattern, reach)? {
            let project = folded(&project.to_string_lossy(), Reach::Wide);
            let is_near = |place: &String| {
                let fixed = folded(&fixed(place), Reach::Wide);
                project.starts_with(&fixed) || fixed.starts_with(&project)
            };
            if !places.iter().any(is_near) {
                return Err(BadPattern::Elsewhere);
            }
            return Self::new(From::Disk, &places, reach);
        }
        let plain = tidy(&pattern);
        let from_here = pattern.starts_with('/') || pattern.starts_with("./");
        let anchored = from_here || plain.contains('/');
        let folder = if pattern.ends_with('/') { "/" } else { "" };
        let glob = match (plain.as_str(), anchored) {
            ("", _) => "**".to_owned(),
            (plain, true) => format!("{plain}{folder}"),
            (plain, false) => format!("**/{plain}{folder}"),
        };
        Self::new(From::Project, &[glob], reach)
    }

    /// Several patterns of Weir's own.
    pub(super) fn own(patterns: &[&str]) -> Self {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Self::new(From::Project, &patterns, Reach::Wide).unwrap_or_else(|_| Self::nothing())
    }

    pub(super) fn nothing() -> Self {
        Self {
            from: From::Project,
            reach: Reach::Wide,
            globs: GlobSet::empty(),
        }
    }

    fn new(from: From, patterns: &[String], reach: Reach) -> Result<Self, BadPattern> {
        let globs = globs(patterns, reach)?;
        Ok(Self { from, reach, globs })
    }

    pub(super) fn matches(&self, path: &str, project: &Path) -> bool {
        let path = match self.from {
            From::Project => folded(path, self.reach),
            From::Disk => folded(&project.join(path).to_string_lossy(), self.reach),
        };
        self.globs.is_match(path)
    }
}

/// In one case for the rules that hold back, letter by letter and in every script: the globs
/// know only that of ASCII.
fn folded(text: &str, reach: Reach) -> String {
    match reach {
        Reach::Exact => text.to_owned(),
        Reach::Wide => text.chars().flat_map(char::to_lowercase).collect(),
    }
}

/// A path without its empty parts: `./a//b/./` is `a/b`.
fn tidy(path: &str) -> String {
    let parts = path.split('/');
    let parts: Vec<_> = parts
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    parts.join("/")
}

/// The globs count bytes, so what stands for one letter misses every letter beyond ASCII: for
/// a rule that holds back it stands for any number of them.
fn widened(pattern: &str) -> Result<String, BadPattern> {
    let mut wide = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(['?', '[']) {
        let (before, one) = rest.split_at(at);
        wide.push_str(before);
        let length = if let Some(letters) = one.strip_prefix('[') {
            let first = 1 + usize::from(letters.starts_with(['!', '^']));
            // A bracket in the first place is one of the letters.
            let letters = one.get(first + 1..).and_then(|letters| letters.find(']'));
            first + 1 + letters.ok_or(BadPattern::NotUnderstood)? + 1
        } else {
            1
        };
        let (one, after) = one.split_at(length);
        let is_plain = one.len() > 1 && one.is_ascii() && !one[1..].starts_with(['!', '^']);
        wide.push_str(if is_plain { one } else { "*" });
        rest = after;
    }
    wide.push_str(rest);
    Ok(wide)
}

/// What letters of a glob mean something, and where a path of plain names ends.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

/// The beginning of a pattern that names one place, as plain text.
fn fixed(pattern: &str) -> String {
    // What was escaped is plain text: `[*]` is `*`.
    let mut plain = String::new();
    let mut rest = pattern;
    while let Some(at) = rest.find(GLOB) {
        let (before, glob) = rest.split_at(at);
        plain.push_str(before);
        let mut letters = glob.chars();
        match (letters.next(), letters.next(), letters.next()) {
            (Some('['), Some(letter), Some(']')) => plain.push(letter),
            _ => return plain,
        }
        rest = letters.as_str();
    }
    plain.push_str(rest);
    plain
}

/// A pattern that names a place on the disk (`//etc`, `~/notes`), as that place; for a rule that
/// holds back also as where its links lead.
fn places(pattern: &str, reach: Reach) -> Result<Option<Vec<String>>, BadPattern> {
    let (start, path) = if let Some(path) = pattern.strip_prefix("//") {
        (PathBuf::from("/"), path)
    } else if let Some(path) = pattern.strip_prefix("~/") {
        let folders = directories::BaseDirs::new().ok_or(BadPattern::NotUnderstood)?;
        (folders.home_dir().to_owned(), path)
    } else if pattern == "~" {
        return places("~/", reach);
    } else {
        return Ok(None);
    };
    let path = tidy(path);
    let parts: Vec<_> = path.split('/').filter(|part| !part.is_empty()).collect();
    let names = parts.iter().take_while(|part| !part.contains(GLOB));
    let names = names.count();
    let here = names_on(&true_place(&start)?, &parts[..names]);
    let mut places = vec![here.clone()];
    if reach == Reach::Wide {
        places.push(true_place(&here)?);
    }
    let patterns = places.iter().map(|place| {
        let place = place.to_str().ok_or(BadPattern::NotUnderstood)?;
        let mut pattern = globset::escape(place);
        for part in &parts[names..] {
            pattern = format!("{}/{part}", pattern.trim_end_matches('/'));
        }
        Ok(pattern)
    });
    Ok(Some(patterns.collect::<Result<_, _>>()?))
}

fn names_on(start: &Path, names: &[&str]) -> PathBuf {
    names
        .iter()
        .fold(start.to_owned(), |path, name| path.join(name))
}

/// Where a place really is, even if nothing is there yet. One that cannot be followed could be
/// anywhere.
fn true_place(path: &Path) -> Result<PathBuf, BadPattern> {
    match path.canonicalize() {
        Ok(place) => Ok(place),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
                return Err(BadPattern::NotUnderstood);
            };
            Ok(true_place(parent)?.join(name))
        }
        Err(_) => Err(BadPattern::NotUnderstood),
    }
}

fn globs(patterns: &[String], reach: Reach) -> Result<GlobSet, BadPattern> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let pattern = folded(pattern, reach);
        let folder = pattern.strip_suffix('/');
        let inside = format!("{}/**", folder.unwrap_or(&pattern));
        let itself = folder.is_none().then(|| pattern.clone());
        for pattern in itself.into_iter().chain([inside]) {
            let glob = GlobBuilder::new(&pattern)
                .literal_separator(true)
                .build()
                .map_err(|_| BadPattern::NotUnderstood)?;
            set.add(glob);
        }
    }
    set.build().map_err(|_| BadPattern::NotUnderstood)
}

/// A text with `*` for anything; `:*` at the end is the older way to write a beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPattern {
    text: String,
    reach: Reach,
}

/// What joins commands into one line, or hides one in another.
const JOINTS: &[char] = &[
    ';', '&', '|', '\n', '\r', '`', '$', '(', ')', '<', '>', '{', '}',
];

impl TextPattern {
    pub(super) fn new(text: &str, reach: Reach) -> Self {
        let text = match text.strip_suffix(":*") {
            Some(beginning) => format!("{beginning} *"),
            None => text.to_owned(),
        };
        Self { text, reach }
    }

    /// Whether it would allow a program whatever it is told to do.
    pub(super) fn is_program_alone(&self) -> bool {
        let Some((fixed, _)) = self.text.split_once('*') else {
            return false;
        };
        let mut words = fixed.split_whitespace();
        let cut = !fixed.ends_with(char::is_whitespace);
        let second = words.nth(1);
        second.is_none_or(|word| word.starts_with('-')) || (cut && words.next().is_none())
    }

    pub(super) fn matches_command(&self, command: &str) -> bool {
        match self.reach {
            Reach::Exact if !self.text.contains('*') => self.text == command,
            Reach::Exact => !command.contains(JOINTS) && self.matches_text(command),
            Reach::Wide => {
                let parts = command.split(JOINTS).map(str::trim);
                self.matches_text(command) || parts.into_iter().any(|part| self.matches_text(part))
            }
        }
    }

    pub(super) fn matches_text(&self, text: &str) -> bool {
        let bare = self
            .text
            .strip_suffix(" *")
            .filter(|_| self.reach == Reach::Wide);
        matches(&self.text, text, self.reach)
            || bare.is_some_and(|bare| matches(bare, text, self.reach))
    }
}

/// Whether `text` is `pattern` with something in place of each `*`. Linear in both: a `*` that
/// matched too little is the only one tried again.
pub(super) fn matches(pattern: &str, text: &str, reach: Reach) -> bool {
    let fold = |text: &str| match reach {
        Reach::Exact => text.to_owned(),
        Reach::Wide => text.to_lowercase(),
    };
    let (pattern, text) = (fold(pattern), fold(text));
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = pieces.next_back() else {
        return rest.is_empty();
    };
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = rest.get(at + piece.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}
