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

    /// The rule that decides over a call, if any names it.
    pub(super) fn strongest(&self, tool: &str, subject: &Subject, input: &Value) -> Option<&Rule> {
        let naming = self.rules.iter().filter(|rule| rule.names(tool));
        // Of equally strong ones the first, which is the project's own.
        naming
            .filter(|rule| rule.matches(subject, input, &self.project))
            .rev()
            .max_by_key(|rule| rule.effect)
    }

    /// The rule, if one does, that keeps a tool from showing what is at a path without asking.
    pub fn holding_back(&self, tool: &str, path: &str) -> Option<&Rule> {
        let subject = Subject::Paths(vec![path.to_owned()]);
        self.strongest(tool, &subject, &Value::Null)
            .filter(|rule| match rule.effect {
                Effect::Allow => false,
                Effect::Ask | Effect::Deny => true,
            })
    }
}
