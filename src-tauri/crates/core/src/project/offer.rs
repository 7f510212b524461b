//! What a folder would bring, for the user to read before they trust it.
//!
//! One text for the terminal and the native dialog. Nothing in it can hide: names, rules and
//! lines are written so that every character is seen, allow rules are shown to the last one,
//! and what is agreed to is exactly what was read for this.

use std::path::Path;

use crate::tool::permission::Effect;
use crate::tool::visible;

use super::agreed::differences;
use super::contents::Contents;
use super::hooks::ProjectHook;
use super::{ProjectError, Trust, open_root, true_path};

const FIRST_LINES: usize = 5;
const LONGEST_LINE: usize = 100;
/// Rules that hold back are shown up to here; they only make things stricter.
const MOST_STRICT: usize = 20;
/// One row of a file can be about every rule of a kind; the first say what it is about.
const MOST_LOOSER: usize = 20;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub files: Vec<OfferedFile>,
    /// All that allow, then those that ask and deny.
    pub rules: Vec<String>,
    /// What would run on this machine, to the last byte.
    pub hooks: Vec<String>,
    /// What of the hooks is not as the user agreed to it before.
    pub differences: Vec<String>,
    /// What the guards of the folder hold back less than the user agreed to before.
    pub looser_guards: Vec<String>,
    pub notices: Vec<String>,
    /// What is stored when the user agrees.
    pub trust: Trust,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedFile {
    pub name: &'static str,
    pub bytes: u64,
    pub first_lines: Vec<String>,
}

impl Offer {
    /// Reads what would be used. Blocks on the disk.
    pub fn read(path: &Path) -> Result<Self, ProjectError> {
        let path = true_path(path)?;
        let root = open_root(&path)?;
        let contents = Contents::read(&root);
        let trust = contents.trust(&root);
        let files = contents.files.iter().map(|file| OfferedFile {
            name: file.name,
            bytes: file.kept.bytes,
            first_lines: first_lines(&file.text),
        });
        let mut rules = Vec::new();
        for effect in Effect::ALL {
            let mut named: Vec<_> = contents
                .rules
                .iter()
                .filter(|rule| rule.effect == effect)
                .map(|rule| {
                    let text = visible::line(&rule.text);
                    format!("{} {text} ({})", effect.name(), rule.origin)
                })
                .collect();
            let more = named.len().saturating_sub(MOST_STRICT);
            if effect != Effect::Allow && more > 0 {
                named.truncate(MOST_STRICT);
                named.push(format!("{} … and {more} more", effect.name()));
            }
            rules.extend(named);
        }
        let hooks = contents.hooks.iter().flat_map(ProjectHook::lines);
        let hooks = hooks.collect();
        let mut notices = contents.notices;
        if is_wide(&path) {
            let warning = "This is not one project's folder: everything below it could be read.";
            notices.insert(0, warning.into());
        }
        Ok(Self {
            files: files.collect(),
            rules,
            hooks,
            differences: Vec::new(),
            looser_guards: Vec::new(),
            notices,
            trust,
        })
    }

    /// With what differs from what the user agreed to before.
    pub fn beside(mut self, before: &Trust) -> Self {
        self.differences = differences(&before.hooks, &self.trust.hooks);
        let looser = before.looser_guards(&self.trust);
        let more = looser.len().saturating_sub(MOST_LOOSER);
        let shown = looser.iter().take(MOST_LOOSER);
        self.looser_guards = shown.map(|line| visible::line(line)).collect();
        if more > 0 {
            self.looser_guards.push(format!("… and {more} more"));
        }
        self
    }

    /// All of it, as it is shown before the question.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", visible::line(&self.trust.path));
        text.push_str("\nA model you ask about it could list, read and search the files in it.\n");
        if self.files.is_empty() {
            text.push_str("It has no instructions and no rules.\n");
        }
        for file in &self.files {
            text.push_str(&format!("\n{} ({} bytes)\n", file.name, file.bytes));
            for line in &file.first_lines {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.rules.is_empty() {
            text.push_str("\nRules:\n");
            for rule in &self.rules {
                text.push_str(&format!("  {rule}\n"));
            }
        }
        if !self.hooks.is_empty() {
            text.push_str("\nHooks, commands that would run on this machine:\n");
            for line in &self.hooks {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.differences.is_empty() {
            text.push_str("\nHooks that are not as you agreed to them before:\n");
            for line in &self.differences {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.looser_guards.is_empty() {
            text.push_str("\nGuards that hold back less than you agreed to before:\n");
            for line in &self.looser_guards {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.notices.is_empty() {
            text.push('\n');
            for notice in &self.notices {
                text.push_str(&format!("{notice}\n"));
            }
        }
        text
    }
}

fn first_lines(text: &str) -> Vec<String> {
    let lines = text
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty());
    let mut lines: Vec<_> = lines
        .map(|line| visible::cut(&visible::line(line), LONGEST_LINE))
        .take(FIRST_LINES + 1)
        .collect();
    if lines.len() > FIRST_LINES {
        lines.truncate(FIRST_LINES);
        lines.push("…".into());
    }
    lines
}

/// The whole disk, or all that is the user's.
fn is_wide(path: &Path) -> bool {
    let home = directories::BaseDirs::new().map(|folders| folders.home_dir().to_owned());
    let home = home.and_then(|home| home.canonicalize().ok());
    path.parent().is_none() || home.is_some_and(|home| home.starts_with(path))
}
