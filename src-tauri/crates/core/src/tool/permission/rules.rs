//! All rules of a project, and which of them decides.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Subject;
use super::rule::{Effect, Rule};

/// Names of files that usually hold secrets: reading one asks, in every project.
const SECRETS: &[&str] = &[
    "**/.env",
    "**/.env.*",
    "**/*.env",
    "**/.envrc",
    "**/*.pem",
    "**/*.key",
    "**/*.p12",
    "**/*.pfx",
    "**/*.jks",
    "**/*.keystore",
    "**/*.kdbx",
    "**/*.ppk",
    "**/id_{rsa,dsa,ecdsa,ed25519}*",
    "**/.{netrc,npmrc,pypirc,pgpass,htpasswd,git-credentials,vault-token}",
    "**/_netrc",
    "**/credentials",
    "**/credentials.*",
    "**/secrets.*",
    "**/*service-account*.json",
    "**/*.tfstate",
    "**/.{ssh,gnupg,aws,azure,kube}/**",
    "**/.docker/config.json",
    "**/.git/config",
];

/// Without a project there are none.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    project: PathBuf,
    rules: Vec<Rule>,
}

impl Rules {
    /// The rules of a project, and Weir's own about secrets.
    pub fn new(project: &Path, mut rules: Vec<Rule>) -> Self {
        rules.push(Rule::for_secrets(SECRETS));
        Self {
            project: project.to_owned(),
            rules,
        }
    }

    /// Those that name a tool, found once for many looks.
    pub fn naming(&self, tool: &str) -> Naming<'_> {
        Naming {
            project: &self.project,
            rules: self.rules.iter().filter(|rule| rule.names(tool)).collect(),
        }
    }
}

/// The rules that name one tool.
pub struct Naming<'a> {
    project: &'a Path,
    rules: Vec<&'a Rule>,
}

impl<'a> Naming<'a> {
    /// The rule that decides over a call, if any does.
    pub(super) fn strongest(&self, subject: &Subject, input: &Value) -> Option<&'a Rule> {
        let matching = self.rules.iter().copied();
        // Of equally strong ones the first, which is the project's own.
        matching
            .filter(|rule| rule.matches(subject, input, self.project))
            .rev()
            .max_by_key(|rule| rule.effect)
    }

    /// Without the rules that ask about a path: the user has had that question for all below it.
    pub fn after_asking_about(mut self, path: &str) -> Self {
        let subject = Subject::Paths(vec![path.to_owned()]);
        let project = self.project;
        self.rules.retain(|rule| match rule.effect {
            Effect::Ask => !rule.matches(&subject, &Value::Null, project),
            Effect::Allow | Effect::Deny => true,
        });
        self
    }

    /// The rule, if one does, that keeps the tool from showing what is at a path without asking.
    pub fn holding_back(&self, path: &str) -> Option<&'a Rule> {
        let subject = Subject::Paths(vec![path.to_owned()]);
        self.strongest(&subject, &Value::Null)
            .filter(|rule| match rule.effect {
                Effect::Allow => false,
                Effect::Ask | Effect::Deny => true,
            })
    }
}
