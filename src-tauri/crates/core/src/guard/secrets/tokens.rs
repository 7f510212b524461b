//! Tokens that tell by their own looks.

use crate::guard::rule::{Finder, Rule};

pub(super) const RULES: &[Rule] = &[
    Rule::secret(
        "anthropic-key",
        "ANTHROPIC_KEY",
        "A key of Anthropic's.",
        Finder::Shapes(&["sk-ant-{w:40..}"]),
    ),
    Rule::secret(
        "github-token",
        "GITHUB_TOKEN",
        "A token of GitHub's.",
        Finder::Shapes(&["ghp_{a:36}", "gho_{a:36}"]),
    ),
];
