//! `list_folder`: the names in a folder.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{FileError, Folder, Job};
use crate::tool::permission::Effect;
use crate::tool::root::EntryKind;
use crate::tool::visible;

pub(super) const DESCRIPTION: &str = "Lists a folder of the project, sorted by name. A folder \
ends in /, a link in @, a file has its size in bytes behind it.";

const MOST_SHOWN: usize = 1_000;
/// How many names are looked at; sorting needs them all.
const MOST_READ: usize = 50_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    #[serde(default)]
    path: Option<String>,
}

pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "From the project folder on, with /; the project folder by default."},
        },
        "additionalProperties": false,
    })
}

pub(super) fn run(folder: &Folder, input: Input) -> Result<String, FileError> {
    let path = input.path.as_deref().unwrap_or(".");
    let place = folder.resolve(Job::List, path)?;
    let found = folder.root.entries(&place, MOST_READ)?;
    let rules = folder.rules.naming(Job::List.name());
    let mut out = String::new();
    let mut shown = 0;
    let mut held_back = 0;
    let total = found.entries.len();
    for entry in found.entries {
        let rule = rules.holding_back(&place.join(&entry.name).name());
        if rule.is_some_and(|rule| rule.effect == Effect::Deny) {
            held_back += 1;
            continue;
        }
        if shown == MOST_SHOWN {
            continue;
        }
        shown += 1;
        let name = visible::line(&entry.name.to_string_lossy());
        match entry.kind {
            EntryKind::File { bytes } => out.push_str(&format!("{name}  {bytes}\n")),
            EntryKind::Folder => out.push_str(&format!("{name}/\n")),
            EntryKind::Link => out.push_str(&format!("{name}@\n")),
            EntryKind::Special => out.push_str(&format!("{name}  (neither file nor folder)\n")),
        }
    }
    if total == 0 {
        out.push_str("[The folder is empty.]\n");
    }
    if held_back > 0 {
        out.push_str(&format!("[{held_back} left out by a rule.]\n"));
    }
    let unseen = total - shown - held_back;
    if unseen > 0 || found.cut {
        let at_least = if found.cut { "at least " } else { "" };
        out.push_str(&format!("[{at_least}{unseen} more are not shown.]\n"));
    }
    Ok(out)
}
