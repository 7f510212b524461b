//! The part of a rule in brackets, and what it matches.

use std::path::Path;

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
        if pattern.starts_with('!') || pattern.contains('\\') {
            return Err(BadPattern::NotUnderstood);
        }
        if let Some(absolute) = absolute(pattern)? {
            let fixed = absolute
                .split(['*', '?', '[', '{'])
                .next()
                .unwrap_or_default();
            let project = project.to_string_lossy().to_lowercase();
            let fixed = fixed.to_lowercase();
            if !project.starts_with(&fixed) && !fixed.starts_with(&project) {
                return Err(BadPattern::Elsewhere);
            }
            return Ok(Self {
                from: From::Disk,
                globs: globs(&[absolute], reach)?,
            });
        }
        let plain = pattern.trim_start_matches("./");
        let anchored = plain.trim_end_matches('/').contains('/') || pattern.starts_with("./");
        let plain = plain.trim_start_matches('/');
        if plain.split('/').any(|part| part == "..") {
            return Err(BadPattern::Elsewhere);
        }
        let glob = match (plain, anchored) {
            ("" | ".", _) => "**".to_owned(),
            (plain, true) => plain.to_owned(),
            (plain, false) => format!("**/{plain}"),
        };
        Ok(Self {
            from: From::Project,
            globs: globs(&[glob], reach)?,
        })
    }

    /// Several patterns of Weir's own.
    pub(super) fn own(patterns: &[&str]) -> Self {
        let patterns: Vec<_> = patterns.iter().map(|&pattern| pattern.to_owned()).collect();
        Self {
            from: From::Project,
            globs: globs(&patterns, Reach::Wide).unwrap_or_else(|_| GlobSet::empty()),
        }
    }

    pub(super) fn matches(&self, path: &str, project: &Path) -> bool {
        match self.from {
            From::Project => self.globs.is_match(path),
            From::Disk => self.globs.is_match(project.join(path)),
        }
    }
}

/// A pattern that names a place on the disk, as that place: `//etc` and `~/notes`.
fn absolute(pattern: &str) -> Result<Option<String>, BadPattern> {
    if let Some(path) = pattern.strip_prefix("//") {
        return Ok(Some(format!("/{path}")));
    }
    let Some(path) = pattern.strip_prefix("~/") else {
        return Ok(None);
    };
    let folders = directories::BaseDirs::new().ok_or(BadPattern::NotUnderstood)?;
    let home = folders
        .home_dir()
        .to_str()
        .ok_or(BadPattern::NotUnderstood)?;
    Ok(Some(format!("{}/{path}", globset::escape(home))))
}

fn globs(patterns: &[String], reach: Reach) -> Result<GlobSet, BadPattern> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let folder = pattern.strip_suffix('/');
        let inside = format!("{}/**", folder.unwrap_or(pattern));
        let itself = folder.is_none().then(|| pattern.clone());
        for pattern in itself.into_iter().chain([inside]) {
            let glob = GlobBuilder::new(&pattern)
                .literal_separator(true)
                .case_insensitive(reach == Reach::Wide)
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
