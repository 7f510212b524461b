//! The hooks in a file of settings: `hooks.<Event>[].{matcher, hooks[]}`. Pure: the text comes
//! from whoever may read it. What is not understood is inert and told, and never runs.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use weir_protocol::HookEvent;

use super::guards;
use super::matcher::Matcher;
use crate::tool::permission::answer::sha256;
use crate::tool::visible;

/// So many can be shown to a person who is asked about them; more do not run.
const MOST_HOOKS: usize = 50;
/// A longer patience than a day is none.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

const EVENTS: [HookEvent; 8] = [
    HookEvent::UserPromptSubmit,
    HookEvent::PreToolUse,
    HookEvent::PostToolUse,
    HookEvent::Notification,
    HookEvent::Stop,
    HookEvent::SubagentStop,
    HookEvent::PreCompact,
    HookEvent::SessionStart,
];

/// One hook, as its file says it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Definition {
    pub event: HookEvent,
    /// Empty for all.
    pub matcher: String,
    pub handler: Handler,
}

/// What is run, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Handler {
    pub command: String,
    /// With them the command is a program; without, a line for the shell.
    pub args: Option<Vec<String>>,
    pub timeout_ms: Option<u64>,
    pub fail_closed: Option<bool>,
    /// Weir's own: what is watched beside what the command names.
    #[serde(default)]
    pub watch: PathList,
    /// Weir's own: data that the command names and that is not watched.
    #[serde(default)]
    pub unwatched: PathList,
}

/// Files, folders and patterns, from the project folder on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PathList {
    #[default]
    Unset,
    Paths(Vec<String>),
    /// Something stands there that is no list of texts. The hook does not run.
    Unusable,
}

impl Handler {
    /// What runs, on one line: a line for the shell as it stands, a program with every argument
    /// in quotes, so that nobody takes one for two.
    pub fn words(&self) -> String {
        match &self.args {
            None => self.command.clone(),
            Some(args) => {
                let words = std::iter::once(&self.command).chain(args);
                let words = words.map(|word| Value::from(word.as_str()).to_string());
                words.collect::<Vec<_>>().join(" ")
            }
        }
    }
}

impl Definition {
    /// Whether failing holds back what the point is about.
    pub fn fails_closed(&self) -> bool {
        self.handler.fail_closed.unwrap_or(guards(self.event))
    }

    /// Another one for every other definition, however small the difference.
    pub fn fingerprint(&self, watched: &impl Serialize) -> String {
        let all = serde_json::json!([self, watched]);
        sha256(all.to_string().as_bytes())
    }
}

/// The hooks of a file, and what the user should know of those that do not run. A file that is
/// no JSON has none; that it is none, whoever reads its rules tells.
pub fn read_hooks(name: &str, text: &str) -> (Vec<Definition>, Vec<String>) {
    let mut reading = Reading {
        name,
        hooks: Vec::new(),
        notices: Vec::new(),
    };
    if let Ok(Value::Object(settings)) = serde_json::from_str(text)
        && let Some(hooks) = settings.get("hooks")
    {
        reading.events(hooks);
    }
    if reading.hooks.len() > MOST_HOOKS {
        let more = reading.hooks.len() - MOST_HOOKS;
        reading.hooks.truncate(MOST_HOOKS);
        reading.notices.push(format!(
            "{name} has more than {MOST_HOOKS} hooks: the last {more} do not run."
        ));
    }
    (reading.hooks, reading.notices)
}

struct Reading<'a> {
    name: &'a str,
    hooks: Vec<Definition>,
    notices: Vec<String>,
}

impl Reading<'_> {
    fn events(&mut self, hooks: &Value) {
        let Value::Object(events) = hooks else {
            return self.tell("Its hooks are no object, so none runs");
        };
        for (name, groups) in events {
            let event = EVENTS.into_iter().find(|event| is_named(*event, name));
            let Some(event) = event else {
                let name = visible::short(name);
                self.tell(&format!("Weir has no point {name}: its hooks do not run"));
                continue;
            };
            let Value::Array(groups) = groups else {
                self.tell(&format!("What it has for {name} is no list, so none runs"));
                continue;
            };
            for group in groups {
                self.group(event, name, group);
            }
        }
    }

    fn group(&mut self, event: HookEvent, name: &str, group: &Value) {
        let Value::Object(group) = group else {
            return self.tell(&format!("An entry of {name} is no object and does not run"));
        };
        self.unknown(group, &["matcher", "hooks"], name);
        let matcher = match group.get("matcher") {
            None | Some(Value::Null) => "",
            Some(Value::String(matcher)) => matcher,
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return self.tell(&format!(
                    "An entry of {name} has a matcher that is no text and does not run"
                ));
            }
        };
        if let Some(why) = Matcher::read(matcher).broken() {
            let so = if guards(event) {
                "where it was to guard, everything is held back"
            } else {
                "it does not run"
            };
            self.tell(&format!("A hook of {name} cannot run, {why}: {so}"));
        }
        let Some(Value::Array(handlers)) = group.get("hooks") else {
            return self.tell(&format!("An entry of {name} has no list of hooks"));
        };
        for handler in handlers {
            if let Some(handler) = self.handler(name, handler) {
                self.hooks.push(Definition {
                    event,
                    matcher: matcher.to_owned(),
                    handler,
                });
            }
        }
    }

    fn handler(&mut self, name: &str, handler: &Value) -> Option<Handler> {
        let Value::Object(handler) = handler else {
            self.tell(&format!("A hook of {name} is no object and does not run"));
            return None;
        };
        let kind = handler.get("type").and_then(Value::as_str);
        if kind != Some("command") {
            let kind = visible::short(kind.unwrap_or("none"));
            self.tell(&format!(
                "A hook of {name} has the type {kind}, which Weir does not run"
            ));
            return None;
        }
        let known = [
            "type",
            "command",
            "args",
            "timeout",
            "failClosed",
            "watch",
            "unwatched",
        ];
        self.unknown(handler, &known, name);
        let command = handler.get("command").and_then(Value::as_str);
        let Some(command) = command.filter(|command| is_word(command)) else {
            self.tell(&format!("A hook of {name} has no command and does not run"));
            return None;
        };
        let args = match handler.get("args") {
            None | Some(Value::Null) => None,
            Some(args) => {
                let Some(args) = texts(args) else {
                    self.tell(&format!(
                        "A hook of {name} has args that are no list of texts and does not run"
                    ));
                    return None;
                };
                Some(args)
            }
        };
        Some(Handler {
            command: command.to_owned(),
            args,
            timeout_ms: self.timeout(name, handler.get("timeout")),
            fail_closed: self.fail_closed(name, handler.get("failClosed")),
            watch: self.paths(name, "watch", handler.get("watch")),
            unwatched: self.paths(name, "unwatched", handler.get("unwatched")),
        })
    }

    /// In seconds. One that makes no sense is as good as none.
    fn timeout(&mut self, name: &str, timeout: Option<&Value>) -> Option<u64> {
        let timeout = timeout.filter(|timeout| !timeout.is_null())?;
        let seconds = timeout.as_f64().filter(|seconds| *seconds > 0.0);
        if seconds.is_none() {
            self.tell(&format!(
                "A hook of {name} has a timeout that is no number of seconds; the usual one holds"
            ));
        }
        seconds.map(|seconds| ((seconds * 1000.0) as u64).clamp(1, LONGEST_MS))
    }

    /// Whoever wrote something there wanted it closed.
    fn fail_closed(&mut self, name: &str, flag: Option<&Value>) -> Option<bool> {
        let flag = flag.filter(|flag| !flag.is_null())?;
        let known = flag.as_bool();
        if known.is_none() {
            self.tell(&format!(
                "A hook of {name} has a failClosed that is neither true nor false; it counts as true"
            ));
        }
        Some(known.unwrap_or(true))
    }

    /// One that cannot be read is not the same as none: it may have covered what runs.
    fn paths(&mut self, name: &str, field: &str, list: Option<&Value>) -> PathList {
        let Some(list) = list.filter(|list| !list.is_null()) else {
            return PathList::Unset;
        };
        match texts(list) {
            Some(paths) => PathList::Paths(paths),
            None => {
                self.tell(&format!(
                    "A hook of {name} has a list {field} that is no list of texts, so it does not run; what it guards is held back"
                ));
                PathList::Unusable
            }
        }
    }

    fn unknown(&mut self, fields: &Map<String, Value>, known: &[&str], name: &str) {
        for field in fields.keys() {
            if !known.contains(&field.as_str()) {
                let field = visible::short(field);
                self.tell(&format!("Weir does not use {field} of a hook of {name}"));
            }
        }
    }

    fn tell(&mut self, what: &str) {
        let notice = format!("{}: {what}.", self.name);
        if !self.notices.contains(&notice) {
            self.notices.push(notice);
        }
    }
}

fn is_named(event: HookEvent, name: &str) -> bool {
    serde_json::to_value(event).is_ok_and(|it| it == name)
}

/// No system starts a program whose name or argument holds a zero.
fn is_word(text: &str) -> bool {
    !text.trim().is_empty() && !text.contains('\0')
}

fn texts(list: &Value) -> Option<Vec<String>> {
    let list = list.as_array()?;
    let text = |item: &Value| {
        let text = item.as_str().filter(|text| !text.contains('\0'));
        text.map(str::to_owned)
    };
    list.iter().map(text).collect()
}
