//! What `.gitignore` files say, read through the same door as everything else: a pipe or a
//! link out of the project in their place is no ignore file.

use std::io::Read;
use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::tool::root::{ResolvedPath, Root};

const LARGEST: u64 = 256 * 1024;

/// The ignore files of a folder and of those above it, innermost last.
#[derive(Clone, Default)]
pub(super) struct Ignored {
    files: Vec<std::sync::Arc<Gitignore>>,
}

impl Ignored {
    /// With what the folder's own `.gitignore` adds.
    pub(super) fn enter(&self, root: &Root, folder: &ResolvedPath) -> Self {
        let mut entered = self.clone();
        if let Some(file) = read(root, folder) {
            entered.files.push(std::sync::Arc::new(file));
        }
        entered
    }

    /// The innermost file that says something decides.
    pub(super) fn is_ignored(&self, path: &str, kind: Kind) -> bool {
        let matched = self
            .files
            .iter()
            .rev()
            .map(|file| file.matched(Path::new(path), kind == Kind::Folder))
            .find(|matched| !matched.is_none());
        matched.is_some_and(|matched| matched.is_ignore())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

fn read(root: &Root, folder: &ResolvedPath) -> Option<Gitignore> {
    let file = root.file(&folder.join(&".gitignore".into())).ok()?;
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    // Paths are told from the project folder on, so that is where this file's patterns start.
    let name = folder.name();
    let from = if name == "." { "" } else { name.as_str() };
    let mut builder = GitignoreBuilder::new(from);
    for line in String::from_utf8_lossy(&bytes).lines() {
        // A line that cannot be read ignores nothing; more is found, not less.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok()
}
