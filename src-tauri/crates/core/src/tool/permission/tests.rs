//! Rules and answers, as tables.

mod answers;
mod commands;
mod paths;

use std::path::Path;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use super::{Permissions, RuleFile, Rules, Subject, Verdict, read_rules};
use crate::source::ToolDefinition;
use crate::tool::{Access, Tool, ToolOutcome};

pub(super) const PROJECT: &str = "/projects/one";

/// A tool that is only looked at.
#[derive(Clone)]
pub(super) struct Fake {
    pub(super) name: &'static str,
    pub(super) description: &'static str,
    pub(super) schema: Value,
    pub(super) access: Access,
    /// What the path `link` leads to.
    pub(super) leads_to: &'static str,
}

pub(super) fn fake(name: &'static str) -> Fake {
    let reads = ["read_file", "list_folder", "search_text"].contains(&name);
    Fake {
        name,
        description: "Does something.",
        schema: json!({"type": "object"}),
        access: if reads {
            Access::ReadOnly
        } else {
            Access::Changes
        },
        leads_to: "secrets/a",
    }
}

impl Tool for Fake {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: self.name.into(),
            description: self.description.into(),
            schema: self.schema.clone(),
        }
    }

    fn access(&self) -> Access {
        self.access
    }

    fn subject(&self, input: &Value) -> Subject {
        let field = |name: &str| input.get(name).and_then(Value::as_str);
        match (field("path"), field("command")) {
            (Some("link"), _) => Subject::Paths(vec!["link".into(), self.leads_to.into()]),
            (Some(path), _) => Subject::Paths(vec![path.into()]),
            (None, Some(command)) => Subject::Command(command.into()),
            (None, None) => Subject::Input,
        }
    }

    fn run(&self, _input: Value) -> BoxFuture<'static, ToolOutcome> {
        async { ToolOutcome::text("") }.boxed()
    }
}

/// The permissions of files with these texts, and what is said about them.
pub(super) fn permissions(files: &[&str]) -> (Permissions, Vec<String>) {
    let project = Path::new(PROJECT);
    let mut all = Vec::new();
    let mut said = Vec::new();
    for (name, text) in ["settings", "permissions"].iter().zip(files) {
        let (rules, notices) = read_rules(RuleFile {
            name,
            text,
            project,
        });
        all.extend(rules);
        said.extend(notices);
    }
    (Permissions::new(Arc::new(Rules::new(project, all))), said)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Is {
    Allowed,
    Asked,
    Denied,
}

pub(super) fn verdict(files: &[&str], tool: &'static str, input: &Value) -> Is {
    match permissions(files).0.verdict(&fake(tool), input) {
        Verdict::Allow => Is::Allowed,
        Verdict::Ask { .. } => Is::Asked,
        Verdict::Deny { .. } => Is::Denied,
    }
}

pub(super) fn path(path: &str) -> Value {
    json!({ "path": path })
}

pub(super) fn command(command: &str) -> Value {
    json!({ "command": command })
}

/// Rules in the first file, rules in the second, the call, what comes of it.
pub(super) type Row = (&'static str, &'static str, &'static str, Value, Is);

pub(super) fn check(rows: &[Row]) {
    for (settings, second, tool, input, expected) in rows {
        let settings = format!("{{\"permissions\": {settings}}}");
        let is = verdict(&[&settings, second], tool, input);
        assert_eq!(is, *expected, "{settings} {second} {tool} {input}");
    }
}

pub(super) const NONE: &str = "[]";
