//! What the user wants of the guards, everywhere and in one project, and what a project may add
//! to it.
//!
//! The invariant: a project's file makes a guard stricter or leaves it as it is. Whoever wrote
//! the project did not ask the user.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use weir_protocol::{
    ActionOrigin, GuardCategory, GuardConfig, HeldAction, HeldActions, RuleAction, SizeLimits,
    StageActions,
};

use super::rule::{self, Rule};
use super::{GuardError, Stage};

/// The user's own file, in the data folder.
pub const CONFIG_FILE: &str = "guards.json";

/// What a text on its way in may hold when nothing else is said.
pub const INPUT_LIMIT: u64 = super::LONGEST_PROMPT as u64;

const MOST_WORDS: usize = 1_000;
const MOST_PATTERNS: usize = 100;

/// The user's file; without one, the default. A file that cannot be read is an error and never
/// the default: it may have been stricter.
pub fn read_config(data_folder: &Path) -> Result<GuardConfig, GuardError> {
    let path = data_folder.join(CONFIG_FILE);
    let bad = |reason: String| GuardError::BadFile {
        file: path.display().to_string(),
        reason,
    };
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(GuardConfig::default());
        }
        Err(error) => return Err(bad(super::reason(&error))),
    };
    let config = serde_json::from_str(&text).map_err(|error| bad(super::reason(&error)))?;
    check(&config).map_err(|error| bad(super::reason(&error)))?;
    Ok(config)
}

/// Shown where a file has `ask` for what a model says.
pub const ASK_OF_OUTPUT: &str =
    "It has \"ask\" for what a model says, where nobody can be asked; that is read as \"redact\".";

/// Whether the text of a file has `ask` where it is read as `redact`.
pub fn asks_of_output(text: &str) -> bool {
    let Ok(file) = serde_json::from_str::<serde_json::Value>(text) else {
        return false;
    };
    let rules = file["rules"].as_object().into_iter();
    let rules = rules.flat_map(serde_json::Map::values);
    let own = ["words", "patterns"].into_iter();
    let own = own.filter_map(|name| file[name].as_array()).flatten();
    rules.chain(own).any(|row| row["output"] == "ask")
}

/// What in the user's file is not used as it was written, a sentence each.
pub fn config_notices(data_folder: &Path) -> Vec<String> {
    let path = data_folder.join(CONFIG_FILE);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let asks = asks_of_output(&text).then(|| format!("{}: {ASK_OF_OUTPUT}", path.display()));
    asks.into_iter().collect()
}

/// Whether every name in it means something, and it is not too much.
pub(super) fn check(config: &GuardConfig) -> Result<(), GuardError> {
    let is_known = |name: &str| {
        category_named(name).is_some() || rule::all().any(|rule: &Rule| rule.name == name)
    };
    if let Some(name) = config.rules.keys().find(|name| !is_known(name)) {
        return Err(GuardError::UnknownRule(name.clone()));
    }
    for (what, count, most) in [
        ("words", config.words.len(), MOST_WORDS),
        ("patterns", config.patterns.len(), MOST_PATTERNS),
    ] {
        if count > most {
            return Err(GuardError::TooMany { what, most });
        }
    }
    Ok(())
}

/// What the user's choices for one project leave of those for everywhere. What is chosen for the
/// project goes first, be it for a rule or for its category; words and patterns are added.
pub fn chosen(everywhere: &GuardConfig, project: &GuardConfig) -> GuardConfig {
    let limit = |stage: Stage| {
        let asked = own_limit(&project.limits, stage);
        asked.or_else(|| own_limit(&everywhere.limits, stage))
    };
    GuardConfig {
        limits: SizeLimits {
            input: limit(Stage::Input),
            output: limit(Stage::Output),
        },
        ..joined(everywhere, project, |rule, stage| {
            let asked = explicit(project, rule, stage);
            asked.unwrap_or_else(|| action_of(everywhere, rule, stage))
        })
    }
}

/// What counts at one place, once every layer is counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuardPolicy {
    pub config: GuardConfig,
    /// The rules that redact because one layer wants it, while another one wants a question
    /// before a prompt is sent. Both happen: neither action does what the other one prevents.
    asking: BTreeSet<&'static str>,
}

impl GuardPolicy {
    pub(super) fn also_asks(&self, rule: &Rule) -> bool {
        self.asking.contains(rule.name)
    }
}

impl From<GuardConfig> for GuardPolicy {
    fn from(config: GuardConfig) -> Self {
        Self {
            config,
            asking: BTreeSet::new(),
        }
    }
}

/// What a project's file leaves of the user's wishes: all of them, and what it adds.
pub fn stricter(config: &GuardConfig, project: &GuardConfig) -> GuardPolicy {
    let smaller = |stage: Stage| {
        let limits = [
            limit(&config.limits, stage),
            own_limit(&project.limits, stage),
        ];
        limits.into_iter().flatten().min()
    };
    let asks_too = |rule: &&Rule| {
        let own = action_of(config, rule, Stage::Input);
        match explicit(project, rule, Stage::Input) {
            Some(RuleAction::Ask) => own == RuleAction::Redact,
            Some(RuleAction::Redact) => own == RuleAction::Ask,
            Some(RuleAction::Off | RuleAction::Allow | RuleAction::Warn | RuleAction::Block)
            | None => false,
        }
    };
    GuardPolicy {
        config: GuardConfig {
            limits: SizeLimits {
                input: smaller(Stage::Input),
                output: smaller(Stage::Output),
            },
            ..joined(config, project, |rule, stage| {
                let own = action_of(config, rule, stage);
                demanded(project, rule, stage, own).unwrap_or(own)
            })
        },
        asking: rule::all().filter(asks_too).map(|rule| rule.name).collect(),
    }
}

/// Both, with what `action` says of each rule; the limits are left to whoever asks.
fn joined(
    first: &GuardConfig,
    second: &GuardConfig,
    action: impl Fn(&Rule, Stage) -> RuleAction,
) -> GuardConfig {
    let mut rules: BTreeMap<String, StageActions> = BTreeMap::new();
    for rule in rule::all() {
        let actions = StageActions {
            input: Some(action(rule, Stage::Input)),
            output: Some(action(rule, Stage::Output).of_output()),
        };
        let usual = StageActions {
            input: Some(rule.input),
            output: Some(rule.output),
        };
        if actions != usual {
            rules.insert(rule.name.to_owned(), actions);
        }
    }
    let mut words = first.words.clone();
    words.extend(second.words.iter().cloned());
    let mut patterns = first.patterns.clone();
    patterns.extend(second.patterns.iter().cloned());
    GuardConfig {
        rules,
        words,
        patterns,
        limits: SizeLimits::default(),
    }
}

/// What each rule does, and who said so.
pub fn held(
    everywhere: &GuardConfig,
    project: &GuardConfig,
    file: &GuardConfig,
) -> BTreeMap<String, HeldActions> {
    let at = |rule: &Rule, stage: Stage| {
        let said = [
            (explicit(project, rule, stage), ActionOrigin::Project),
            (explicit(everywhere, rule, stage), ActionOrigin::Everywhere),
        ];
        let said = said
            .into_iter()
            .find_map(|(action, origin)| Some((action?, origin)));
        let (own, origin) = said.unwrap_or((usual(rule, stage), ActionOrigin::Usual));
        match demanded(file, rule, stage, own) {
            Some(action) => HeldAction {
                action,
                origin: ActionOrigin::File,
            },
            None => HeldAction {
                action: own,
                origin,
            },
        }
    };
    let both = |rule: &Rule| HeldActions {
        input: at(rule, Stage::Input),
        output: at(rule, Stage::Output),
    };
    let named = rule::all().map(|rule| (rule.name.to_owned(), both(rule)));
    named.collect()
}

/// What a project's file asks of a rule, where that is stricter.
fn demanded(file: &GuardConfig, rule: &Rule, stage: Stage, own: RuleAction) -> Option<RuleAction> {
    explicit(file, rule, stage).filter(|asked| asked.strength() > own.strength())
}

/// What a rule does, by its name, once everything is said; an unknown one does nothing.
pub fn action(config: &GuardConfig, name: &str, stage: Stage) -> RuleAction {
    let Some(rule) = rule::all().find(|rule| rule.name == name) else {
        return RuleAction::Off;
    };
    action_of(config, rule, stage)
}

pub(super) fn action_of(config: &GuardConfig, rule: &Rule, stage: Stage) -> RuleAction {
    explicit(config, rule, stage).unwrap_or_else(|| usual(rule, stage))
}

fn usual(rule: &Rule, stage: Stage) -> RuleAction {
    match stage {
        Stage::Input => rule.input,
        Stage::Output => rule.output.into(),
    }
}

pub(super) fn explicit(config: &GuardConfig, rule: &Rule, stage: Stage) -> Option<RuleAction> {
    let row = |name: &str| {
        let actions = config.rules.get(name)?;
        match stage {
            Stage::Input => actions.input,
            Stage::Output => actions.output.map(RuleAction::from),
        }
    };
    row(rule.name).or_else(|| row(category_name(rule.category)))
}

/// How long a text may be, in bytes.
pub fn limit(limits: &SizeLimits, stage: Stage) -> Option<u64> {
    match stage {
        Stage::Input => Some(limits.input.unwrap_or(INPUT_LIMIT)),
        Stage::Output => limits.output,
    }
}

pub(super) fn own_limit(limits: &SizeLimits, stage: Stage) -> Option<u64> {
    match stage {
        Stage::Input => limits.input,
        Stage::Output => limits.output,
    }
}

fn category_name(category: GuardCategory) -> &'static str {
    match category {
        GuardCategory::Secret => "secret",
        GuardCategory::Personal => "personal",
        GuardCategory::Injection => "injection",
        GuardCategory::Custom => "custom",
    }
}

fn category_named(name: &str) -> Option<GuardCategory> {
    [
        GuardCategory::Secret,
        GuardCategory::Personal,
        GuardCategory::Injection,
        GuardCategory::Custom,
    ]
    .into_iter()
    .find(|category| category_name(*category) == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::{Guard, GuardVerdict, OwnPattern, verdict};

    fn config(text: &str) -> GuardConfig {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn a_project_makes_a_guard_stricter_and_never_milder() {
        use RuleAction::{Allow, Block, Off, Redact, Warn};
        // The user's, the project's, what holds.
        let cases = [
            (r#"{}"#, r#"{"rules":{"email":{"input":"off"}}}"#, Redact),
            (r#"{}"#, r#"{"rules":{"email":{"input":"allow"}}}"#, Redact),
            (r#"{}"#, r#"{"rules":{"email":{"input":"warn"}}}"#, Redact),
            (r#"{}"#, r#"{"rules":{"email":{"input":"ask"}}}"#, Redact),
            (r#"{}"#, r#"{"rules":{"email":{"input":"block"}}}"#, Block),
            (r#"{}"#, r#"{"rules":{"personal":{"input":"off"}}}"#, Redact),
            (
                r#"{}"#,
                r#"{"rules":{"personal":{"input":"block"}}}"#,
                Block,
            ),
            (r#"{"rules":{"email":{"input":"off"}}}"#, r#"{}"#, Off),
            (
                r#"{"rules":{"email":{"input":"off"}}}"#,
                r#"{"rules":{"email":{"input":"redact"}}}"#,
                Redact,
            ),
            (
                r#"{"rules":{"personal":{"input":"allow"}}}"#,
                r#"{"rules":{"email":{"input":"warn"}}}"#,
                Warn,
            ),
            (
                r#"{"rules":{"email":{"input":"ask"}}}"#,
                r#"{"rules":{"email":{"input":"redact"}}}"#,
                Redact,
            ),
            (
                r#"{"rules":{"personal":{"input":"block"},"email":{"input":"allow"}}}"#,
                r#"{}"#,
                Allow,
            ),
        ];
        for (own, project, expected) in cases {
            let held = stricter(&config(own), &config(project)).config;
            let action = action(&held, "email", Stage::Input);
            assert_eq!(action, expected, "{own} {project}");
        }
    }

    /// Neither does what the other prevents, so both happen.
    #[test]
    fn where_one_wants_a_question_and_the_other_redaction_both_happen() {
        let of = |action: &str| {
            config(&format!(
                r#"{{"rules":{{"email":{{"input":"{action}"}}}}}}"#
            ))
        };
        for (own, project) in [("ask", "redact"), ("redact", "ask")] {
            let policy = stricter(&of(own), &of(project));
            let found = Guard::of(&policy).unwrap();
            let found = found.check(Stage::Input, "to anna@mail.de");
            assert_eq!(verdict(&found), GuardVerdict::Redact, "{own} {project}");
            assert!(found[0].asks(), "{own} {project}");
        }
    }

    #[test]
    fn ask_for_what_is_said_is_read_as_redact() {
        for text in [
            r#"{"rules":{"email":{"output":"ask"}}}"#,
            r#"{"rules":{"personal":{"input":"ask","output":"ask"}}}"#,
            r#"{"words":[{"word":"anna","output":"ask"}]}"#,
            r#"{"patterns":[{"name":"p","pattern":"[a-z]+@","output":"ask"}]}"#,
        ] {
            assert!(asks_of_output(text), "{text}");
            let guard = Guard::new(&config(text)).unwrap();
            let found = guard.check(Stage::Output, "to anna@mail.de");
            assert_eq!(verdict(&found), GuardVerdict::Redact, "{text}");
        }
        for text in ["{", "[]", "{}", r#"{"rules":{"email":{"input":"ask"}}}"#] {
            assert!(!asks_of_output(text), "{text}");
        }
        // A text that is too long has nothing to redact, so it is held back.
        for size in ["redact", "ask"] {
            let rules = format!(r#"{{"size":{{"output":"{size}"}}}}"#);
            let text = format!(r#"{{"rules":{rules},"limits":{{"output":3}}}}"#);
            let found = Guard::new(&config(&text)).unwrap();
            let found = found.check(Stage::Output, "more than three");
            assert_eq!(verdict(&found), GuardVerdict::Block, "{text}");
        }
    }

    #[test]
    fn a_choice_for_a_project_goes_before_one_for_everywhere() {
        use RuleAction::{Allow, Block, Off, Redact, Warn};
        // For everywhere, for the project, what holds of emails when sent and when said.
        let rows = [
            ("{}", "{}", [Redact, Allow]),
            (r#"{"email":{"input":"block"}}"#, "{}", [Block, Allow]),
            // One stage of a row leaves the other as it is everywhere.
            (
                r#"{"email":{"input":"block","output":"redact"}}"#,
                r#"{"email":{"input":"off"}}"#,
                [Off, Redact],
            ),
            // The project's category goes before a rule's own row for everywhere,
            (
                r#"{"email":{"input":"off"}}"#,
                r#"{"personal":{"input":"block"}}"#,
                [Block, Allow],
            ),
            // and the project's own row before its category.
            (
                r#"{"personal":{"input":"off"}}"#,
                r#"{"personal":{"input":"block"},"email":{"input":"warn"}}"#,
                [Warn, Allow],
            ),
        ];
        for (everywhere, project, expected) in rows {
            let rules = |rules: &str| config(&format!(r#"{{"rules":{rules}}}"#));
            let (own, project) = (rules(everywhere), rules(project));
            let held = chosen(&own, &project);
            let stages = [Stage::Input, Stage::Output];
            let found = stages.map(|stage| action(&held, "email", stage));
            assert_eq!(found, expected, "{everywhere} {project:?}");
            let shown = super::held(&own, &project, &GuardConfig::default());
            let shown = shown["email"];
            assert_eq!([shown.input.action, shown.output.action], expected);
        }
    }

    #[test]
    fn a_choice_for_a_project_adds_words_and_has_limits_of_its_own() {
        let own = config(r#"{"words":[{"word":"a"}],"limits":{"input":100,"output":7}}"#);
        let project = config(r#"{"words":[{"word":"b"}],"limits":{"input":500}}"#);
        let held = chosen(&own, &project);
        let words: Vec<&str> = held.words.iter().map(|own| own.word.as_str()).collect();
        assert_eq!(words, ["a", "b"]);
        let limits = (held.limits.input, held.limits.output);
        assert_eq!(
            limits,
            (Some(500), Some(7)),
            "the project's own, then everywhere's"
        );
        // Its file may still lower them.
        let lower = stricter(&held, &config(r#"{"limits":{"input":50,"output":9}}"#)).config;
        assert_eq!(
            (lower.limits.input, lower.limits.output),
            (Some(50), Some(7))
        );
    }

    #[test]
    fn it_is_told_who_said_what_a_rule_does() {
        use ActionOrigin::{Everywhere, File, Project, Usual};
        let own = config(r#"{"rules":{"email":{"input":"warn"},"phone":{"output":"redact"}}}"#);
        let project = config(r#"{"rules":{"email":{"input":"off","output":"block"}}}"#);
        let file = config(r#"{"rules":{"personal":{"input":"redact","output":"redact"}}}"#);
        let held = held(&own, &project, &file);
        let of = |rule: &str| {
            let held = held[rule];
            [held.input, held.output].map(|held| (held.action, held.origin))
        };
        // The file is told of only where it is stricter than what was chosen.
        assert_eq!(
            of("email"),
            [(RuleAction::Redact, File), (RuleAction::Block, Project)]
        );
        assert_eq!(
            of("phone"),
            [
                (RuleAction::Redact, Usual),
                (RuleAction::Redact, Everywhere)
            ]
        );
        assert_eq!(held.len(), rule::all().count());
    }

    #[test]
    fn a_project_adds_words_and_lowers_limits() {
        let own = config(r#"{"words":[{"word":"a"}],"limits":{"input":100}}"#);
        let project = config(
            r#"{"words":[{"word":"b","input":"block"}],"patterns":[{"name":"n","pattern":"c+"}],"limits":{"input":50,"output":9}}"#,
        );
        let held = stricter(&own, &project).config;
        assert_eq!((held.words.len(), held.patterns.len()), (2, 1));
        assert_eq!((held.limits.input, held.limits.output), (Some(50), Some(9)));
        let looser = stricter(&own, &config(r#"{"limits":{"input":5000}}"#)).config;
        assert_eq!(looser.limits.input, Some(100));
        let again = stricter(&held, &GuardConfig::default()).config;
        assert_eq!(again, held, "nothing asked, nothing changed");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(CONFIG_FILE);
        assert_eq!(read_config(folder.path()).unwrap(), GuardConfig::default());
        for bad in [
            "{",
            r#"{"rule":{}}"#,
            r#"{"rules":{"no-such-rule":{"input":"off"}}}"#,
            r#"{"rules":{"email":{"input":"delete"}}}"#,
            r#"{"rules":{"email":{"inptu":"off"}}}"#,
            r#"{"words":[{"wrod":"x"}]}"#,
        ] {
            std::fs::write(&path, bad).unwrap();
            assert!(read_config(folder.path()).is_err(), "{bad}");
        }
        std::fs::write(&path, r#"{"rules":{"email":{"input":"block"}}}"#).unwrap();
        let guard = Guard::new(&read_config(folder.path()).unwrap()).unwrap();
        let found = guard.check(Stage::Input, "to anna@mail.de");
        assert_eq!(verdict(&found), GuardVerdict::Block);
    }

    #[test]
    fn a_bad_pattern_is_named() {
        let mut wrong = GuardConfig::default();
        wrong.patterns.push(OwnPattern {
            name: "tickets".to_owned(),
            pattern: "(".to_owned(),
            input: None,
            output: None,
        });
        let error = Guard::new(&wrong).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("tickets")));
        wrong.patterns[0].pattern = "(a{1000}){1000}".to_owned();
        assert!(Guard::new(&wrong).is_err(), "too large");
    }
}
