//! What a folder would bring, for the user to read before they trust it.
//!
//! A text for the terminal and sections for the confirmation window. Nothing in them can hide:
//! names, rules and lines are written so that every character is seen, allow rules are shown to
//! the last one, the window shows every file whole, and what is agreed to is exactly what was
//! read for this.

use std::path::Path;

use weir_protocol::ConfirmationSection;

use crate::confirmation::{FixedText, code, code_lines, prose, statement, warning};
use crate::tool::permission::Effect;
use crate::tool::visible;

use super::agreed::differences;
use super::contents::{Contents, INSTRUCTIONS};
use super::hooks::ProjectHook;
use super::{ProjectError, Trust, open_root, true_path};

const FIRST_LINES: usize = 5;
const LONGEST_LINE: usize = 100;
/// Rules that hold back are shown up to here; they only make things stricter.
const MOST_STRICT: usize = 20;
/// One row of a file can be about every rule of a kind; the first say what it is about.
const MOST_LOOSER: usize = 20;

/// What a fingerprint does not promise.
const ONLY_THESE: &str = "\
Before each run of a hook, its definition and only the files and folders that are listed with it \
are compared with what you agree to now: those that its command names, whatever program they are \
given to. Not watched are what those files run or import in turn, names that the command computes, \
a log that only a redirection of output names, and the programs of this system. The lists \"watch\" \
and \"unwatched\" in the definition of a hook add files and folders, and leave out data.";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    pub files: Vec<OfferedFile>,
    /// All that allow, then those that ask and deny.
    pub rules: Vec<(Effect, String)>,
    /// What would run on this machine, to the last byte.
    pub hooks: Vec<String>,
    /// What of the hooks is not as the user agreed to it before.
    pub differences: Vec<String>,
    /// What the guards of the folder hold back less than the user agreed to before.
    pub looser_guards: Vec<String>,
    /// What the user must know first, in Weir's own words.
    pub warnings: Vec<&'static str>,
    pub notices: Vec<String>,
    /// What is stored when the user agrees.
    pub trust: Trust,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedFile {
    pub name: &'static str,
    pub bytes: u64,
    pub text: String,
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
            text: file.text.clone(),
        });
        let mut rules = Vec::new();
        for effect in Effect::ALL {
            let mut named: Vec<_> = contents
                .rules
                .iter()
                .filter(|rule| rule.effect == effect)
                .map(|rule| {
                    let text = format!("{} {} ({})", effect.name(), rule.text, rule.origin);
                    (effect, text)
                })
                .collect();
            rules.append(&mut named);
        }
        let hooks = contents.hooks.iter().flat_map(ProjectHook::lines);
        let hooks = hooks.collect();
        let mut warnings = Vec::new();
        if is_wide(&path) {
            let warning = "This is not one project's folder: everything below it could be read.";
            warnings.push(warning);
        }
        Ok(Self {
            files: files.collect(),
            rules,
            hooks,
            differences: Vec::new(),
            looser_guards: Vec::new(),
            warnings,
            notices: contents.notices,
            trust,
        })
    }

    /// With what differs from what the user agreed to before.
    pub fn beside(mut self, before: &Trust) -> Self {
        self.differences = differences(&before.hooks, &self.trust.hooks);
        self.looser_guards = before.looser_guards(&self.trust);
        self
    }

    /// All of it, for the confirmation window: what would run first, every file whole.
    pub fn sections(&self) -> Vec<ConfirmationSection> {
        let mut sections: Vec<_> = self.warnings.iter().map(|it| warning(*it)).collect();
        let rules = self.rules.iter().map(|(_, rule)| rule.clone()).collect();
        let lists = [
            ("Commands that would run on this machine", &self.hooks),
            (
                "Hooks that are not as you agreed to them before",
                &self.differences,
            ),
            (
                "Guards that hold back less than you agreed to before",
                &self.looser_guards,
            ),
            ("Rules", &rules),
        ];
        for (heading, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            sections.push(code_lines(heading, lines.iter().map(String::as_str)));
        }
        if !self.hooks.is_empty() {
            sections.push(statement(ONLY_THESE));
        }
        let access = "A model that you ask about this folder can list, read and search its files.";
        sections.push(statement(access));
        // What has names and words of the folder in it comes after what would happen, and is
        // quoted: it must not push that away or pass for Weir's own words.
        if !self.notices.is_empty() {
            let notices = self.notices.iter().map(String::as_str);
            sections.push(code_lines("Notes about its files", notices));
        }
        for file in &self.files {
            let OfferedFile { name, bytes, text } = file;
            let heading = |what| {
                let named = FixedText::from(what).text(name).text(", ");
                named.number(*bytes).text(" bytes")
            };
            sections.push(if INSTRUCTIONS.contains(name) {
                prose(heading("Instructions sent with every request: "), text)
            } else {
                code(heading("Settings: "), text)
            });
        }
        sections
    }

    /// As it is shown in a terminal before the question, with the beginning of each file.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", visible::line(&self.trust.path));
        text.push_str("\nA model you ask about it could list, read and search the files in it.\n");
        if self.files.is_empty() {
            text.push_str("It has no instructions and no rules.\n");
        }
        for file in &self.files {
            text.push_str(&format!("\n{} ({} bytes)\n", file.name, file.bytes));
            for line in first_lines(&file.text) {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.rules.is_empty() {
            text.push_str("\nRules:\n");
            for effect in Effect::ALL {
                let named = self.rules.iter().filter(|(of, _)| *of == effect);
                let most = match effect {
                    Effect::Allow => usize::MAX,
                    Effect::Ask | Effect::Deny => MOST_STRICT,
                };
                let more = named.clone().count().saturating_sub(most);
                for (_, rule) in named.take(most) {
                    text.push_str(&format!("  {}\n", visible::line(rule)));
                }
                if more > 0 {
                    text.push_str(&format!("  {} … and {more} more\n", effect.name()));
                }
            }
        }
        if !self.hooks.is_empty() {
            text.push_str("\nHooks, commands that would run on this machine:\n");
            for line in &self.hooks {
                text.push_str(&format!("  {}\n", visible::line(line)));
            }
            text.push_str(&format!("\n{ONLY_THESE}\n"));
        }
        if !self.differences.is_empty() {
            text.push_str("\nHooks that are not as you agreed to them before:\n");
            for line in &self.differences {
                text.push_str(&format!("  {line}\n"));
            }
        }
        if !self.looser_guards.is_empty() {
            text.push_str("\nGuards that hold back less than you agreed to before:\n");
            for line in self.looser_guards.iter().take(MOST_LOOSER) {
                text.push_str(&format!("  {}\n", visible::line(line)));
            }
            let more = self.looser_guards.len().saturating_sub(MOST_LOOSER);
            if more > 0 {
                text.push_str(&format!("  … and {more} more\n"));
            }
        }
        if !self.warnings.is_empty() || !self.notices.is_empty() {
            text.push('\n');
            for warning in &self.warnings {
                text.push_str(&format!("{warning}\n"));
            }
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
