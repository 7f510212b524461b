//! Rules out of the files of a project: `.claude/settings.json`, its local twin, and
//! `data/permissions.json`. Pure: the text comes from whoever may read it.

use std::path::Path;

use serde_json::Value;

use super::rule::{Effect, Rule};

/// A file of rules, already read.
#[derive(Clone, Copy, Debug)]
pub struct RuleFile<'a> {
    /// Its name, for a person.
    pub name: &'a str,
    pub text: &'a str,
    /// The folder that its paths start from.
    pub project: &'a Path,
}

/// The rules of a file, and what the user should know of those that were not understood.
///
/// Takes `{ "permissions": { "allow": [..], "ask": [..], "deny": [..] } }`, the same without
/// the outer word, and a plain list of tools that are allowed. What is neither asks for all.
pub fn read_rules(file: RuleFile<'_>) -> (Vec<Rule>, Vec<String>) {
    let text = file.text.trim_start_matches('\u{FEFF}');
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return unreadable(file.name, "is not JSON");
    };
    let mut reading = Reading {
        file,
        rules: Vec::new(),
        notices: Vec::new(),
    };
    match &value {
        Value::Array(_) => reading.list(Effect::Allow, &value),
        Value::Object(fields) => {
            let mut inner = fields.iter().filter(|(name, _)| is_permissions(name));
            if inner.clone().next().is_none() {
                // Settings without permissions have nothing to say here.
                if fields.keys().any(|name| effect_of(name).is_some()) {
                    reading.fields(fields.iter());
                }
            } else if inner.any(|(_, value)| !value.is_object() && !value.is_array()) {
                return unreadable(
                    file.name,
                    "has permissions of a shape that Weir does not know",
                );
            } else {
                for (name, value) in fields {
                    match value.as_object() {
                        Some(fields) if is_permissions(name) => reading.fields(fields.iter()),
                        None if is_permissions(name) => reading.list(Effect::Allow, value),
                        Some(_) | None if effect_of(name).is_some() => reading.field(name, value),
                        Some(_) | None => {}
                    }
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            return unreadable(file.name, "is neither an object nor a list");
        }
    }
    (reading.rules, reading.notices)
}

fn is_permissions(name: &str) -> bool {
    name.trim().eq_ignore_ascii_case("permissions")
}

/// However it is spelled: a deny in capitals is still meant as one.
fn effect_of(name: &str) -> Option<Effect> {
    let is_it = |effect: &Effect| effect.name().eq_ignore_ascii_case(name.trim());
    Effect::ALL.into_iter().find(is_it)
}

/// For a file whose rules are unknown: there may be a deny among them, so every call asks.
pub fn unreadable(name: &str, why: &str) -> (Vec<Rule>, Vec<String>) {
    let notice = format!("{name} {why}. Its rules are unknown, so every tool call asks.");
    (vec![Rule::for_unreadable(name)], vec![notice])
}

struct Reading<'a> {
    file: RuleFile<'a>,
    rules: Vec<Rule>,
    notices: Vec<String>,
}

impl Reading<'_> {
    fn fields<'a>(&mut self, fields: impl Iterator<Item = (&'a String, &'a Value)>) {
        for (name, value) in fields {
            self.field(name, value);
        }
    }

    /// What only looks like allow allows nothing.
    fn field(&mut self, name: &str, value: &Value) {
        match effect_of(name) {
            Some(effect @ (Effect::Ask | Effect::Deny)) => self.list(effect, value),
            Some(Effect::Allow) if name == Effect::Allow.name() => {
                self.list(Effect::Allow, value);
            }
            Some(Effect::Allow) | None => self.notices.push(format!(
                "{} in {} is not used.",
                crate::tool::visible::short(name),
                self.file.name
            )),
        }
    }

    fn list(&mut self, effect: Effect, value: &Value) {
        match value {
            Value::Array(entries) => {
                for entry in entries {
                    match entry {
                        Value::String(text) => self.rule(effect, text),
                        Value::Null
                        | Value::Bool(_)
                        | Value::Number(_)
                        | Value::Array(_)
                        | Value::Object(_) => self.no_rule(effect, entry),
                    }
                }
            }
            Value::String(text) => self.rule(effect, text),
            Value::Null => {}
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => self.no_rule(effect, value),
        }
    }

    /// Something else than text where a rule should be.
    fn no_rule(&mut self, effect: Effect, value: &Value) {
        let (effect_name, name) = (effect.name(), self.file.name);
        let value = crate::tool::visible::short(&value.to_string());
        let so = match effect {
            Effect::Allow => "It allows nothing.",
            Effect::Ask | Effect::Deny => {
                self.rules.push(Rule::for_unreadable(name));
                "So every tool call asks."
            }
        };
        self.notices
            .push(format!("{value} in {name} is no {effect_name} rule. {so}"));
    }

    fn rule(&mut self, effect: Effect, text: &str) {
        let (rule, notice) = Rule::parse(effect, text, self.file.name, self.file.project);
        self.rules.extend(rule);
        self.notices.extend(notice);
    }
}
