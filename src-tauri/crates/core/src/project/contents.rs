//! The files of a folder that count: which, how large, and what they say.
//!
//! Reads through [`Root`], so a pipe or a device is refused, and a link too: wherever it leads,
//! the rules about that place would not be asked. Must be called only for a folder that is trusted, or to show the user what they would trust.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use crate::guard;
use crate::tool::permission::answer::sha256;
use crate::tool::permission::{Effect, Rule, RuleFile, read_rules, unreadable};
use crate::tool::root::{PathError, ResolvedPath, Root};
use crate::tool::visible;

use super::ProjectGuards;
use super::hooks::{self, ProjectHook};
use super::trust::{Kept, KeptRule, Trust};

/// The first that exists is used.
pub(super) const INSTRUCTIONS: [&str; 2] = ["CLAUDE.md", "AGENTS.md"];
const RULES: [&str; 3] = [
    ".claude/settings.json",
    ".claude/settings.local.json",
    "data/permissions.json",
];
/// Those of the files of rules that may name hooks too.
const HOOKS: [&str; 2] = [".claude/settings.json", ".claude/settings.local.json"];
const GUARDS: &str = ".weir/guards.json";
const LARGEST_INSTRUCTIONS: u64 = 256 * 1024;
const LARGEST_RULES: u64 = 256 * 1024;
/// So many can be shown to a person who is asked about them; more are not used.
const MOST_ALLOWED: usize = 50;

pub(super) struct File {
    pub(super) name: &'static str,
    pub(super) text: String,
    pub(super) kept: Kept,
}

pub(super) struct Contents {
    /// What is used, in the order it is shown.
    pub(super) files: Vec<File>,
    pub(super) instructions: Option<String>,
    pub(super) rules: Vec<Rule>,
    pub(super) hooks: Vec<ProjectHook>,
    pub(super) guards: ProjectGuards,
    pub(super) notices: Vec<String>,
    /// Its file of guards has `ask` where that is read as `redact`.
    pub(super) asks_of_output: bool,
    /// What stands in the place of a file and cannot be used, and why.
    refused: Vec<(&'static str, String)>,
}

enum Found {
    File(File),
    Missing,
    Refused(String),
}

impl Contents {
    pub(super) fn read(root: &Root) -> Self {
        let mut contents = Self {
            files: Vec::new(),
            instructions: None,
            rules: Vec::new(),
            hooks: Vec::new(),
            guards: ProjectGuards::None,
            notices: Vec::new(),
            asks_of_output: false,
            refused: Vec::new(),
        };
        contents.read_instructions(root);
        for name in RULES {
            contents.read_rules(root, name);
        }
        contents.limit_allowed();
        contents.read_guards(root);
        contents
    }

    /// One that stands there and cannot be used keeps the next one out: nobody could tell which
    /// of the two is meant.
    fn read_instructions(&mut self, root: &Root) {
        for name in INSTRUCTIONS {
            match read(root, name, LARGEST_INSTRUCTIONS) {
                Found::File(file) => {
                    self.instructions =
                        Some(file.text.clone()).filter(|text| !text.trim().is_empty());
                    self.files.push(file);
                    return;
                }
                Found::Missing => {}
                // One file under both names: the one that is no link is read under its own.
                Found::Refused(_) if is_second_name(root, name) => {}
                Found::Refused(why) => {
                    self.refused.push((name, why.clone()));
                    self.notices
                        .push(format!("{name} {why}. This project has no instructions."));
                    return;
                }
            }
        }
    }

    fn read_rules(&mut self, root: &Root, name: &'static str) {
        let (rules, notices) = match read(root, name, LARGEST_RULES) {
            Found::Missing => return,
            Found::Refused(why) => {
                let asking = unreadable(name, &why);
                self.refused.push((name, why));
                asking
            }
            Found::File(file) => {
                let mut read = read_rules(RuleFile {
                    name,
                    text: &file.text,
                    project: root.path(),
                });
                if HOOKS.contains(&name) {
                    let (found, notices) = hooks::found(root, name, &file.text);
                    self.hooks.extend(found);
                    read.1.extend(notices);
                }
                self.files.push(file);
                read
            }
        };
        self.rules.extend(rules);
        self.notices.extend(notices);
    }

    /// One that cannot be used is not the same as none: it may have been stricter.
    fn read_guards(&mut self, root: &Root) {
        let unusable = |why: String| ProjectGuards::Unusable(format!("{GUARDS} {why}"));
        self.guards = match read(root, GUARDS, LARGEST_RULES) {
            Found::Missing => ProjectGuards::None,
            Found::Refused(why) => {
                self.refused.push((GUARDS, why.clone()));
                unusable(why)
            }
            Found::File(file) => {
                let read = serde_json::from_str(&file.text);
                self.asks_of_output = guard::asks_of_output(&file.text);
                self.files.push(file);
                match read {
                    Ok(config) => ProjectGuards::Config(config),
                    Err(error) => unusable(format!("cannot be read ({error})")),
                }
            }
        };
        if self.asks_of_output {
            self.notices.push(asks_of_output());
        }
        if let ProjectGuards::Unusable(why) = &self.guards {
            self.notices.push(format!(
                "{}. Until it is mended, nothing is sent.",
                visible::line(why)
            ));
        }
    }

    fn limit_allowed(&mut self) {
        let mut allowed = 0;
        self.rules.retain(|rule| match rule.effect {
            Effect::Allow => {
                allowed += 1;
                allowed <= MOST_ALLOWED
            }
            Effect::Ask | Effect::Deny => true,
        });
        if allowed > MOST_ALLOWED {
            let more = allowed - MOST_ALLOWED;
            self.notices.push(format!(
                "There are more than {MOST_ALLOWED} allow rules: the last {more} are not used."
            ));
        }
    }

    /// What the user is told of when they agree to this, and need not be told of again.
    pub(super) fn told(&self) -> BTreeSet<String> {
        let asks = self.asks_of_output.then(asks_of_output);
        asks.into_iter().collect()
    }

    pub(super) fn trust(&self, root: &Root) -> Trust {
        let files = self
            .files
            .iter()
            .map(|file| (file.name.to_owned(), file.kept.clone()));
        let refused = self.refused.iter().map(|(name, why)| {
            let kept = Kept {
                bytes: 0,
                sha256: why.clone(),
            };
            ((*name).to_owned(), kept)
        });
        let mut rules: Vec<_> = self.rules.iter().map(KeptRule::of).collect();
        rules.sort();
        rules.dedup();
        Trust {
            path: root.path().to_string_lossy().into_owned(),
            trusted_at: crate::clock::now(),
            files: files.chain(refused).collect(),
            rules,
            hooks: hooks::agreed(&self.hooks),
            told: self.told(),
            guards: Some(self.guards.clone()),
        }
    }
}

pub(super) fn asks_of_output() -> String {
    format!("{GUARDS}: {}", guard::ASK_OF_OUTPUT)
}

/// Whether a file of instructions is a link to the other one beside it.
fn is_second_name(root: &Root, name: &str) -> bool {
    let target = std::fs::read_link(root.path().join(name));
    target.is_ok_and(|target| {
        let other = target.strip_prefix(".").unwrap_or(&target);
        INSTRUCTIONS
            .iter()
            .any(|it| *it != name && other == Path::new(it))
    })
}

fn read(root: &Root, name: &'static str, largest: u64) -> Found {
    // What is looked at is exactly this file: a link could lead to one that the rules hold back.
    let mut place = ResolvedPath::root();
    for part in name.split('/') {
        place = place.join(&part.into());
        if root.is_link(&place) {
            return Found::Refused("is a link, or lies behind one, and is not followed".into());
        }
    }
    let file = match root.file(&place) {
        Ok(file) => file,
        Err(PathError::Missing(_) | PathError::NotFolder(_)) => return Found::Missing,
        Err(PathError::Special(_)) => return Found::Refused("is not a plain file".into()),
        Err(PathError::Folder(_)) => return Found::Refused("is a folder".into()),
        Err(PathError::Io { reason, .. }) => {
            return Found::Refused(format!("could not be read ({reason})"));
        }
        Err(
            error @ (PathError::Empty
            | PathError::TooLong
            | PathError::Control
            | PathError::Absolute(_)
            | PathError::Outside(_)
            | PathError::Parent(_)
            | PathError::Backslash(_)
            | PathError::Device(_)),
        ) => return Found::Refused(format!("could not be read ({error})")),
    };
    let mut bytes = Vec::new();
    if let Err(error) = file.take(largest + 1).read_to_end(&mut bytes) {
        return Found::Refused(format!("could not be read ({})", visible::reason(&error)));
    }
    if bytes.len() as u64 > largest {
        return Found::Refused(format!("is larger than {} KiB", largest / 1024));
    }
    let kept = Kept {
        bytes: bytes.len() as u64,
        sha256: sha256(&bytes),
    };
    let text = String::from_utf8_lossy(&bytes);
    Found::File(File {
        name,
        text: text.trim_start_matches('\u{FEFF}').to_owned(),
        kept,
    })
}
