//! One rule: what it does, which tools it means, and for which arguments.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Subject;
use super::argument::{self, BadPattern, PathGlobs, Reach, TextPattern};
use super::names::{self, Kind};
use crate::tool::visible;

/// Longer ones cannot be shown to a person who is asked about them.
const LONGEST_RULE: usize = 300;

/// In the order of their strength.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    Allow,
    Ask,
    Deny,
}

impl Effect {
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    fn reach(self) -> Reach {
        match self {
            Self::Allow => Reach::Exact,
            Self::Ask | Self::Deny => Reach::Wide,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Rule {
    pub effect: Effect,
    /// As it was written.
    pub text: String,
    /// The file it stands in.
    pub origin: String,
    tool: String,
    argument: Argument,
    because: Because,
}

#[derive(Clone, Debug)]
enum Argument {
    Any,
    Given {
        path: Option<PathGlobs>,
        text: TextPattern,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Because {
    Written,
    /// Weir's own rule about files that hold secrets.
    LooksSecret,
    /// What it stands for could not be read.
    Unreadable,
}

impl Rule {
    /// Reads one entry. What is not understood becomes the stricter thing, or nothing when the
    /// rule would allow; the second half of the answer says so.
    pub(super) fn parse(
        effect: Effect,
        text: &str,
        origin: &str,
        project: &Path,
    ) -> (Option<Self>, Option<String>) {
        let rule = |tool: &str, argument: Argument| Self {
            effect,
            text: text.to_owned(),
            origin: origin.to_owned(),
            tool: tool.to_owned(),
            argument,
            because: Because::Written,
        };
        let say = |what: &str| {
            let (effect, text) = (effect.name(), visible::short(text));
            Some(format!("The {effect} rule {text} in {origin} {what}"))
        };
        let Some((tool, argument)) = split(text) else {
            return match effect {
                Effect::Allow => (None, say("could not be read and allows nothing.")),
                Effect::Ask | Effect::Deny => {
                    let name = tool_name(text);
                    let widened = match name {
                        Some(_) => "could not be read and counts for the whole tool.",
                        None => "could not be read and counts for every tool.",
                    };
                    (Some(rule(name.unwrap_or("*"), Argument::Any)), say(widened))
                }
            };
        };
        let kind = names::kind(tool);
        let unknown = kind
            .is_none()
            .then(|| say("names a tool that Weir does not know."))
            .flatten();
        let Some(argument) = argument else {
            return (Some(rule(tool, Argument::Any)), unknown);
        };
        match read_argument(kind.unwrap_or(Kind::Other), argument, effect, project) {
            Ok(argument) => (Some(rule(tool, argument)), unknown),
            Err(BadPattern::Elsewhere) => (
                None,
                say("names a place outside of this project and changes nothing here."),
            ),
            Err(BadPattern::ProgramAlone) => (
                None,
                say("would allow a program whatever it is told to do, and allows nothing."),
            ),
            Err(BadPattern::NotUnderstood) => match effect {
                Effect::Allow => (None, say("is not understood and allows nothing.")),
                Effect::Ask | Effect::Deny => (
                    Some(rule(tool, Argument::Any)),
                    say("is not understood and counts for the whole tool."),
                ),
            },
        }
    }

    /// Stands for rules that could not be read: every call asks.
    pub(super) fn for_unreadable(origin: &str) -> Self {
        Self {
            effect: Effect::Ask,
            text: "*".into(),
            origin: origin.into(),
            tool: "*".into(),
            argument: Argument::Any,
            because: Because::Unreadable,
        }
    }

    /// Reading what looks like a secret asks.
    pub(super) fn for_secrets(patterns: &[&str]) -> Self {
        Self {
            effect: Effect::Ask,
            text: "Read(files that look like they hold secrets)".into(),
            origin: "Weir".into(),
            tool: "Read".into(),
            argument: Argument::Given {
                path: Some(PathGlobs::own(patterns)),
                text: TextPattern::new("", Reach::Wide),
            },
            because: Because::LooksSecret,
        }
    }

    /// Why a call is held back, in a sentence.
    pub fn reason(&self) -> String {
        let text = visible::line(&self.text);
        let origin = &self.origin;
        match (&self.because, self.effect) {
            (Because::Written, Effect::Deny) => format!("The rule {text} in {origin} denies it."),
            (Because::Written, Effect::Ask) => format!("The rule {text} in {origin} asks first."),
            (Because::Written, Effect::Allow) => format!("The rule {text} in {origin} allows it."),
            (Because::LooksSecret, _) => "It looks like a file that holds secrets.".into(),
            (Because::Unreadable, _) => {
                format!("The rules in {origin} could not be read, so every call asks.")
            }
        }
    }

    pub(super) fn names(&self, tool: &str) -> bool {
        let reach = self.effect.reach();
        let server = self.tool.starts_with("mcp__") && !self.tool.contains('*');
        let all_of_server = server.then(|| format!("{}__*", self.tool));
        names::names_of(tool).any(|name| {
            argument::matches(&self.tool, name, reach)
                || all_of_server
                    .as_ref()
                    .is_some_and(|server| argument::matches(server, name, reach))
        })
    }

    pub(super) fn matches(&self, subject: &Subject, input: &Value, project: &Path) -> bool {
        match (&self.argument, subject, self.effect) {
            // Allowing a whole shell would allow everything.
            (Argument::Any, Subject::Command(_), Effect::Allow) => false,
            (Argument::Any, _, _) => true,
            (Argument::Given { path, .. }, Subject::Paths(paths), effect) => {
                let matches = |given: &String| match path {
                    Some(globs) => globs.matches(given, project),
                    // Which paths it means is not known.
                    None => effect != Effect::Allow,
                };
                match effect {
                    Effect::Allow => !paths.is_empty() && paths.iter().all(matches),
                    Effect::Ask | Effect::Deny => paths.iter().any(matches),
                }
            }
            (Argument::Given { text, .. }, Subject::Command(command), Effect::Allow) => {
                !text.is_program_alone() && text.matches_command(command)
            }
            (Argument::Given { text, .. }, Subject::Command(command), _) => {
                text.matches_command(command)
            }
            (Argument::Given { .. }, Subject::Input, Effect::Allow) => false,
            (Argument::Given { path, text }, Subject::Input, _) => strings(input).any(|string| {
                let globs = path.as_ref();
                text.matches_text(string)
                    || globs.is_some_and(|globs| globs.matches(string, project))
            }),
        }
    }
}

/// `Tool` or `Tool(argument)`.
fn split(text: &str) -> Option<(&str, Option<&str>)> {
    let text = text.trim();
    if text.len() > LONGEST_RULE {
        return None;
    }
    let (tool, argument) = match text.split_once('(') {
        Some((tool, rest)) => (tool, Some(rest.strip_suffix(')')?)),
        None => (text, None),
    };
    (tool_name(text) == Some(tool)).then_some((tool, argument))
}

/// The tool that a text starts with, if it looks like one.
fn tool_name(text: &str) -> Option<&str> {
    let name = text.trim().split('(').next().unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "_-*.".contains(letter);
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

fn read_argument(
    kind: Kind,
    argument: &str,
    effect: Effect,
    project: &Path,
) -> Result<Argument, BadPattern> {
    let reach = effect.reach();
    if argument.trim().is_empty() {
        return Err(BadPattern::NotUnderstood);
    }
    let text = TextPattern::new(argument, reach);
    match kind {
        Kind::Address => Err(BadPattern::NotUnderstood),
        Kind::Command if effect == Effect::Allow && text.is_program_alone() => {
            Err(BadPattern::ProgramAlone)
        }
        Kind::Command => Ok(Argument::Given { path: None, text }),
        Kind::Path => Ok(Argument::Given {
            path: Some(PathGlobs::parse(argument, reach, project)?),
            text,
        }),
        Kind::Other => Ok(Argument::Given {
            path: match PathGlobs::parse(argument, reach, project) {
                Ok(globs) => Some(globs),
                Err(BadPattern::Elsewhere) => Some(PathGlobs::nothing()),
                Err(BadPattern::NotUnderstood | BadPattern::ProgramAlone) => None,
            },
            text,
        }),
    }
}

/// Every string in a value, at any depth.
fn strings(value: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match value {
        Value::String(text) => Box::new(std::iter::once(text.as_str())),
        Value::Array(values) => Box::new(values.iter().flat_map(strings)),
        Value::Object(fields) => Box::new(fields.values().flat_map(strings)),
        Value::Null | Value::Bool(_) | Value::Number(_) => Box::new(std::iter::empty()),
    }
}
