//! The names by which rules call tools: Weir's own, and those of `.claude/settings.json`.

/// What the argument of a rule is for a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Path,
    Command,
    /// A whole address, of which Weir reads no part yet.
    Address,
    Other,
}

struct Known {
    name: &'static str,
    kind: Kind,
    /// The tools of Weir's that a rule with this name means.
    ours: &'static [&'static str],
}

/// `Read` means everything that shows what is in files.
const KNOWN: &[Known] = &[
    known(
        "Read",
        Kind::Path,
        &["read_file", "list_folder", "search_text"],
    ),
    known("NotebookRead", Kind::Path, &["read_file"]),
    known("Grep", Kind::Path, &["search_text"]),
    known("Glob", Kind::Path, &["list_folder"]),
    known("LS", Kind::Path, &["list_folder"]),
    known("read_file", Kind::Path, &[]),
    known("list_folder", Kind::Path, &[]),
    known("search_text", Kind::Path, &[]),
    known("Edit", Kind::Path, &[]),
    known("MultiEdit", Kind::Path, &[]),
    known("Write", Kind::Path, &[]),
    known("NotebookEdit", Kind::Path, &[]),
    known("Bash", Kind::Command, &[]),
    known("BashOutput", Kind::Other, &[]),
    known("KillShell", Kind::Other, &[]),
    known("WebFetch", Kind::Address, &[]),
    known("WebSearch", Kind::Other, &[]),
    known("Task", Kind::Other, &[]),
    known("TodoWrite", Kind::Other, &[]),
    known("ExitPlanMode", Kind::Other, &[]),
    known("Skill", Kind::Other, &[]),
    known("SlashCommand", Kind::Other, &[]),
    known("AskUserQuestion", Kind::Other, &[]),
];

const fn known(name: &'static str, kind: Kind, ours: &'static [&'static str]) -> Known {
    Known { name, kind, ours }
}

/// What a rule's argument is, by the tool it names; `None` for a tool nobody knows.
pub(super) fn kind(name: &str) -> Option<Kind> {
    if name.contains('*') || name.starts_with("mcp__") {
        return Some(Kind::Other);
    }
    let found = KNOWN
        .iter()
        .find(|known| known.name.eq_ignore_ascii_case(name));
    found.map(|known| known.kind)
}

/// Every name that a rule may call this tool by.
pub(crate) fn names_of(tool: &str) -> impl Iterator<Item = &str> {
    let others = KNOWN.iter().filter(move |known| known.ours.contains(&tool));
    std::iter::once(tool).chain(others.map(|known| known.name))
}
