//! What the user wants of the guards: a file, and a page of the settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use ts_rs::TS;

use crate::{Detection, GuardCategory, GuardVerdict};

/// What a rule does to what it finds in a text that is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    /// It is not looked for.
    Off,
    /// It is reported by `weir guard`, and passes.
    Allow,
    Redact,
    Warn,
    /// A prompt waits for the user's answer. Any other text has nobody to ask, and what was
    /// found in it is redacted.
    Ask,
    Block,
}

/// What a rule does to what it finds in a reply. There is no `ask`: the text is arriving, and
/// would be shown before anybody could answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OutputAction {
    Off,
    Allow,
    Redact,
    Warn,
    Block,
}

/// A file that has `ask` here, as older ones may, is read as the stricter `redact`.
impl<'de> Deserialize<'de> for OutputAction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        RuleAction::deserialize(deserializer).map(RuleAction::of_output)
    }
}

impl From<OutputAction> for RuleAction {
    fn from(action: OutputAction) -> Self {
        match action {
            OutputAction::Off => Self::Off,
            OutputAction::Allow => Self::Allow,
            OutputAction::Redact => Self::Redact,
            OutputAction::Warn => Self::Warn,
            OutputAction::Block => Self::Block,
        }
    }
}

impl RuleAction {
    /// The same for a reply, where nobody can be asked.
    pub fn of_output(self) -> OutputAction {
        match self {
            Self::Off => OutputAction::Off,
            Self::Allow => OutputAction::Allow,
            Self::Redact | Self::Ask => OutputAction::Redact,
            Self::Warn => OutputAction::Warn,
            Self::Block => OutputAction::Block,
        }
    }

    pub fn verdict(self) -> Option<GuardVerdict> {
        match self {
            Self::Off => None,
            Self::Allow => Some(GuardVerdict::Allow),
            Self::Redact => Some(GuardVerdict::Redact),
            Self::Warn => Some(GuardVerdict::Warn),
            Self::Ask => Some(GuardVerdict::Ask),
            Self::Block => Some(GuardVerdict::Block),
        }
    }

    /// How well it keeps what was found from leaving. Not the order of verdicts: what is only
    /// warned of still leaves, and what is asked about may leave.
    pub fn strength(self) -> u8 {
        match self {
            Self::Off => 0,
            Self::Allow => 1,
            Self::Warn => 2,
            Self::Ask => 3,
            Self::Redact => 4,
            Self::Block => 5,
        }
    }

    /// Whether replacing `before` with this lets something pass that did not: what was found, or
    /// the text around it without the question that was asked before.
    pub fn is_looser_than(self, before: Self) -> bool {
        self.strength() < before.strength() || before == Self::Ask && self == Self::Redact
    }
}

/// What a rule does at each stage; what is left out stays as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StageActions {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<RuleAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<OutputAction>,
}

/// A word or a phrase of the user's own: whole words, in letters of either case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnWord {
    pub word: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<RuleAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<OutputAction>,
}

/// A regular expression of the user's own; it looks at one line at a time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OwnPattern {
    /// What it is called where it is told that it found something.
    pub name: String,
    pub pattern: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<RuleAction>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<OutputAction>,
}

/// The most a text may hold, in bytes; without one there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SizeLimits {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub output: Option<u64>,
}

/// What the user wants of the guards. Empty is the default of every rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GuardConfig {
    /// By the name of a rule, or of a category (`secret`, `personal`, `injection`); the rule's
    /// own row beats its category's.
    pub rules: BTreeMap<String, StageActions>,
    pub words: Vec<OwnWord>,
    pub patterns: Vec<OwnPattern>,
    pub limits: SizeLimits,
}

/// A rule, as the settings list it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GuardRule {
    pub name: String,
    pub category: GuardCategory,
    /// What stands in a placeholder: `EMAIL` of `[EMAIL_1]`.
    pub label: String,
    /// One sentence that says what it looks for.
    pub about: String,
    /// What it does when nothing else is said.
    pub input: RuleAction,
    pub output: OutputAction,
}

/// Who said what a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ActionOrigin {
    /// Nobody: it is the rule's own.
    Usual,
    /// The user, for everywhere.
    Everywhere,
    /// The user, for the project.
    Project,
    /// The project's file, which is stricter than the user.
    File,
}

/// What a rule does at one stage once everything is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HeldAction {
    pub action: RuleAction,
    pub origin: ActionOrigin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HeldActions {
    pub input: HeldAction,
    pub output: HeldAction,
}

/// The guards, as their page of the settings shows them: everywhere, or in one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GuardSettings {
    pub rules: Vec<GuardRule>,
    /// What the user chose, for everywhere or for the project alone.
    pub config: GuardConfig,
    /// What each rule does there, by its name.
    pub held: BTreeMap<String, HeldActions>,
    /// How long a text may be there.
    pub limits: SizeLimits,
    /// In a project: what the user chose for everywhere, which holds there where nothing else is
    /// chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub everywhere: Option<GuardConfig>,
    /// In a project: what its own file says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub file: Option<GuardConfig>,
    /// What in these files is not used as it was written, a sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// Why what was chosen cannot be used; until it is mended nothing is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub trouble: Option<String>,
}

/// Which way a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GuardStage {
    Input,
    Output,
}

/// What the guards would make of a text. Nothing of it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct GuardTrial {
    pub verdict: GuardVerdict,
    pub text: String,
    pub detections: Vec<Detection>,
}
