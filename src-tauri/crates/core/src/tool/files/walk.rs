//! Every file below a place, in order, without those that are ignored or held back.

use super::ignored::{Ignored, Kind};
use super::{FileError, Folder, Job, Stop};
use crate::tool::root::{EntryKind, ResolvedPath};

/// More than a project worth searching has.
const MOST_ENTRIES: usize = 200_000;
const MOST_IN_FOLDER: usize = 50_000;

/// What a walk left out.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) held_back: usize,
    /// It gave up before the end.
    pub(super) cut: bool,
}

pub(super) enum Next {
    GoOn,
    Enough,
}

/// Visits the files below `from`, which may be a file itself. Links are not followed, and `.git`
/// is not entered. Starts at the root in any case: its ignore files count below as well.
pub(super) fn walk(
    folder: &Folder,
    from: &ResolvedPath,
    stop: &Stop,
    mut visit: impl FnMut(&ResolvedPath) -> Result<Next, FileError>,
) -> Result<LeftOut, FileError> {
    let mut left_out = LeftOut::default();
    let rules = folder.rules.naming(Job::Search.name());
    // Who let the whole place be searched has said yes to what only asks about it.
    let rules = rules.after_asking_about(&from.name());
    let mut seen = 0;
    // Depth first, in order: the last one is next.
    let mut waiting = vec![(ResolvedPath::root(), Kind::Folder, Ignored::default())];
    while let Some((place, kind, ignored)) = waiting.pop() {
        stop.check()?;
        if kind == Kind::File {
            match visit(&place)? {
                Next::GoOn => continue,
                Next::Enough => break,
            }
        }
        let ignored = ignored.enter(&folder.root, &place);
        let Ok(found) = folder.root.entries(&place, MOST_IN_FOLDER) else {
            // Without the right to read it, or gone since.
            continue;
        };
        left_out.cut |= found.cut;
        for entry in found.entries.into_iter().rev() {
            let inner = place.join(&entry.name);
            let kind = match entry.kind {
                EntryKind::File { .. } => Kind::File,
                EntryKind::Folder if entry.name != ".git" => Kind::Folder,
                EntryKind::Folder | EntryKind::Link | EntryKind::Special => continue,
            };
            // What was named is looked at even if it is ignored; and whoever asked the rules
            // about it has had their answer.
            let named = from.starts_with(&inner);
            let name = inner.name();
            let passed = named || inner.starts_with(from) && !ignored.is_ignored(&name, kind);
            if !passed {
                continue;
            }
            let held_back =
                kind == Kind::File && inner != *from && rules.holding_back(&name).is_some();
            if held_back {
                left_out.held_back += 1;
                continue;
            }
            seen += 1;
            if seen > MOST_ENTRIES {
                left_out.cut = true;
                return Ok(left_out);
            }
            waiting.push((inner, kind, ignored.clone()));
        }
    }
    Ok(left_out)
}
