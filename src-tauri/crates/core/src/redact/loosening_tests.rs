//! The law of the guards' changes: what [`guard::looser`] does not report lets nothing pass that
//! was held back before.
//!
//! It is judged by what really passes, place by place, and not by an order of the actions: random
//! settings are changed at random, and texts of the corpus go through both.

use std::sync::OnceLock;

use proptest::prelude::*;
use uuid::Uuid;
use weir_protocol::{
    Detection, GuardCategory, GuardConfig, GuardVerdict, OutputAction, OwnPattern, OwnWord,
    RuleAction, StageActions,
};

use super::checks::{Checks, Noticed, extent};
use super::{Choice, Vault};
use crate::guard::corpus::{self, Chance};
use crate::guard::{self, Guard, GuardPolicy, Stage};
use crate::value_search::Extent;

const ACTIONS: [RuleAction; 6] = [
    RuleAction::Off,
    RuleAction::Allow,
    RuleAction::Warn,
    RuleAction::Ask,
    RuleAction::Redact,
    RuleAction::Block,
];
const CATEGORIES: [&str; 4] = ["secret", "personal", "injection", "custom"];
const PATTERNS: [&str; 7] = [
    "[0-9]+",
    "[a-z]+@[a-z]+",
    ".",
    "sk-.*",
    "[A-Z]{2}[0-9A-Z ]+",
    "(?i)(key|token)\\S*",
    "ignore.*",
];

const RESULT: &str = "a result";

fn names() -> &'static [String] {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    NAMES.get_or_init(|| guard::rules().into_iter().map(|rule| rule.name).collect())
}

fn lines() -> &'static [String] {
    static LINES: OnceLock<Vec<String>> = OnceLock::new();
    let drawn = || corpus::lines(7).into_iter().map(|line| line.text);
    LINES.get_or_init(|| drawn().collect())
}

fn pick<'i, Item>(chance: &mut Chance, items: &'i [Item]) -> &'i Item {
    &items[chance.below(items.len())]
}

fn text(chance: &mut Chance) -> String {
    let mut text = String::new();
    for _ in 0..=chance.below(3) {
        text.push_str(pick(chance, lines()).as_str());
        let apart: [&str; 7] = [" ", "\n", "", ", ", "-", "\"", " 12 "];
        text.push_str(apart[chance.below(apart.len())]);
    }
    if chance.below(24) == 0 {
        // Longer than any stretch.
        let letters = 3_000 + chance.below(9_000);
        let long = chance.draw("a", letters);
        text.push_str("password=");
        text.push_str(&long);
        text.push_str(" end");
    }
    text
}

/// The rules that have something to find in a text, whatever hides them.
fn rules_for(text: &str) -> Vec<String> {
    static GUARDS: OnceLock<Vec<Guard>> = OnceLock::new();
    // Each category alone, since one hides another where they overlap.
    let guards = GUARDS.get_or_init(|| {
        let alone = |shown: &&str| {
            let row = |name: &&str| {
                let action = if name == shown {
                    RuleAction::Redact
                } else {
                    RuleAction::Off
                };
                ((*name).to_owned(), both(action))
            };
            let config = GuardConfig {
                rules: CATEGORIES.iter().map(row).collect(),
                ..GuardConfig::default()
            };
            Guard::new(&config).unwrap()
        };
        CATEGORIES.iter().map(alone).collect()
    });
    let found = guards
        .iter()
        .flat_map(|guard| guard.check(Stage::Input, text));
    found.map(|found| found.rule.to_string()).collect()
}

fn both(action: RuleAction) -> StageActions {
    StageActions {
        input: Some(action),
        output: Some(action.of_output()),
    }
}

/// What a random change is made of: what stands in the texts, so that it matters.
struct Material {
    rules: Vec<String>,
    words: Vec<String>,
}

impl Material {
    fn of(texts: &[String], chance: &mut Chance) -> Self {
        let mut rules: Vec<String> = texts.iter().flat_map(|text| rules_for(text)).collect();
        rules.extend((0..4).map(|_| pick(chance, names()).clone()));
        let mut words = vec!["zebra".to_owned()];
        for text in texts {
            let all: Vec<&str> = text
                .split(|letter: char| !letter.is_alphanumeric())
                .filter(|word| !word.is_empty() && word.len() < 200)
                .collect();
            words.extend((0..4).filter_map(|_| {
                let at = chance.below(all.len().max(1));
                all.get(at).map(|word| (*word).to_owned())
            }));
            // A part that ends where a stretch may.
            words.extend(text.split_whitespace().last().map(str::to_owned));
        }
        Self { rules, words }
    }

    fn name(&self, chance: &mut Chance) -> String {
        match chance.below(8) {
            0 => (*pick(chance, &CATEGORIES)).to_owned(),
            1 => pick(chance, names()).clone(),
            _ => pick(chance, &self.rules).clone(),
        }
    }

    fn actions(chance: &mut Chance) -> (Option<RuleAction>, Option<OutputAction>) {
        let mut action = || (chance.below(4) > 0).then(|| *pick(chance, &ACTIONS));
        (action(), action().map(RuleAction::of_output))
    }

    fn word(&self, chance: &mut Chance) -> OwnWord {
        let (input, output) = Self::actions(chance);
        let word = pick(chance, &self.words).clone();
        OwnWord {
            word,
            input,
            output,
        }
    }

    fn pattern(chance: &mut Chance) -> OwnPattern {
        let (input, output) = Self::actions(chance);
        OwnPattern {
            name: format!("p{}", chance.below(3)),
            pattern: (*pick(chance, &PATTERNS)).to_owned(),
            input,
            output,
        }
    }

    fn limit(chance: &mut Chance) -> Option<u64> {
        (chance.below(3) == 0).then(|| chance.below(400) as u64)
    }

    fn config(&self, chance: &mut Chance) -> GuardConfig {
        let mut config = GuardConfig::default();
        if chance.below(3) == 0 {
            for category in CATEGORIES {
                config
                    .rules
                    .insert(category.to_owned(), both(RuleAction::Off));
            }
        }
        for _ in 0..chance.below(8) {
            self.change(&mut config, chance);
        }
        config
    }

    fn change(&self, config: &mut GuardConfig, chance: &mut Chance) {
        let any = |length: usize, chance: &mut Chance| chance.below(length.max(1));
        match chance.below(16) {
            0 => config.words.push(self.word(chance)),
            1 => config.patterns.push(Self::pattern(chance)),
            2 => config.limits.input = Self::limit(chance),
            3 => config.limits.output = Self::limit(chance),
            4 => {
                let at = any(config.words.len(), chance);
                config.words.truncate(at);
            }
            5 => {
                let at = any(config.patterns.len(), chance);
                config.patterns.truncate(at);
            }
            6 => {
                let name = self.name(chance);
                config.rules.remove(&name);
            }
            7 => {
                let at = any(config.words.len(), chance);
                let (input, output) = Self::actions(chance);
                if let Some(word) = config.words.get_mut(at) {
                    (word.input, word.output) = (input, output);
                }
            }
            8 => config.patterns.reverse(),
            9 => {
                let at = any(config.patterns.len(), chance);
                let (input, output) = Self::actions(chance);
                if let Some(pattern) = config.patterns.get_mut(at) {
                    (pattern.input, pattern.output) = (input, output);
                }
            }
            _ => {
                let (input, output) = Self::actions(chance);
                let name = self.name(chance);
                config.rules.insert(name, StageActions { input, output });
            }
        }
    }

    /// Another config: mostly a few steps from the first, so that often nothing is looser.
    fn changed(&self, config: &GuardConfig, chance: &mut Chance) -> GuardConfig {
        let mut changed = config.clone();
        for _ in 0..=chance.below(3) {
            self.change(&mut changed, chance);
        }
        changed
    }
}

/// What of a text passes at one place.
#[derive(Debug)]
struct Passed {
    place: &'static str,
    /// By the byte.
    bytes: Vec<bool>,
    /// What tried to instruct the model, was reported, and passed.
    instructions: Vec<(usize, usize)>,
}

impl Passed {
    fn nothing(place: &'static str, text: &str) -> Self {
        Self {
            place,
            bytes: vec![false; text.len()],
            instructions: Vec::new(),
        }
    }

    /// By what came out, which must be the text with placeholders in it and nothing else. Values
    /// that were redacted are then looked for in other spellings too (`known.rs`), which lets
    /// less pass and is not what a change of guards is judged by.
    fn of(
        place: &'static str,
        text: &str,
        out: &str,
        detections: &[Detection],
        without_known: impl Fn(String) -> String,
    ) -> Self {
        let mut bytes = vec![true; text.len()];
        let mut rebuilt = String::new();
        let mut from = 0;
        let mut instructions = Vec::new();
        for it in detections {
            let (start, end) = (it.start as usize, it.end as usize);
            if let Some(placeholder) = &it.placeholder {
                rebuilt.push_str(&text[from..start]);
                rebuilt.push_str(placeholder);
                from = end;
                bytes[start..end].fill(false);
            } else if it.category == GuardCategory::Injection {
                instructions.push((start, end));
            }
        }
        rebuilt.push_str(&text[from..]);
        assert_eq!(without_known(rebuilt), out, "{place}: {text}");
        Self {
            place,
            bytes,
            instructions,
        }
    }
}

fn passed(guard: &Guard, text: &str) -> Vec<Passed> {
    let checks = || Checks::new(guard.clone(), Vault::new(Uuid::nil()));
    let mut all = Vec::new();
    for (place, choice) in [
        ("a prompt", Choice::Unasked),
        ("a prompt that may go as it is", Choice::AsItIs),
        ("a prompt that is redacted", Choice::Redact),
    ] {
        let checks = checks();
        all.push(match checks.prompt(text.to_owned(), choice) {
            Err(_) => Passed::nothing(place, text),
            Ok((out, noticed)) => {
                let detections = noticed.map_or_else(Vec::new, |noticed| noticed.detections);
                let without_known = |text| checks.without_known(text, Extent::Whole);
                Passed::of(place, text, &out, &detections, without_known)
            }
        });
    }
    for (place, stage) in [(RESULT, Stage::Input), ("a reply", Stage::Output)] {
        let mut noticed = Vec::new();
        let checks = checks();
        let out = checks.whole(text.to_owned(), stage, &mut noticed);
        all.push(match Noticed::of(noticed) {
            Some(noticed) if noticed.verdict == GuardVerdict::Block => Passed::nothing(place, text),
            noticed => {
                let detections = noticed.map_or_else(Vec::new, |noticed| noticed.detections);
                let without_known = |text| checks.without_known(text, extent(stage));
                Passed::of(place, text, &out, &detections, without_known)
            }
        });
    }
    all
}

/// Whether nothing passes after that did not pass before; in words where something does.
fn compare(before: &GuardPolicy, after: &GuardPolicy, texts: &[String]) -> Result<(), String> {
    let (Ok(before), Ok(after)) = (Guard::of(before), Guard::of(after)) else {
        return Ok(());
    };
    for text in texts {
        let pairs = passed(&before, text).into_iter().zip(passed(&after, text));
        for (was, is) in pairs {
            let more = was
                .bytes
                .iter()
                .zip(&is.bytes)
                .position(|(was, is)| *is && !*was);
            if let Some(at) = more {
                let at = text.floor_char_boundary(at);
                return Err(format!(
                    "{} lets more pass from {:?}: {text:?}",
                    was.place,
                    text[at..].chars().take(40).collect::<String>()
                ));
            }
            // A result that tries to instruct the model taints the conversation, still.
            let instructions = was.instructions.iter().filter(|_| was.place == RESULT);
            for (start, end) in instructions.copied() {
                let still = is.bytes[start..end].iter().any(|passes| *passes);
                if still && is.instructions.is_empty() {
                    return Err(format!("{} warns no more: {text:?}", was.place));
                }
            }
        }
    }
    Ok(())
}

fn texts(chance: &mut Chance) -> Vec<String> {
    (0..4).map(|_| text(chance)).collect()
}

/// Each case compares many texts in five places: a few cases a run, other ones every time.
/// `PROPTEST_CASES` asks for more.
fn cases() -> ProptestConfig {
    let usual = ProptestConfig::default();
    ProptestConfig {
        cases: usual.cases.div_ceil(16),
        failure_persistence: None,
        ..usual
    }
}

#[test]
fn what_is_not_reported_as_looser_lets_nothing_more_pass() {
    let judged = std::cell::Cell::new(0);
    proptest!(cases(), |(seed in any::<u64>())| {
        let chance = &mut Chance::new(seed);
        let texts = texts(chance);
        let material = Material::of(&texts, chance);
        for _ in 0..4 {
            let before = material.config(chance);
            let after = material.changed(&before, chance);
            if guard::looser(&before, &after).is_empty() {
                judged.set(judged.get() + 1);
                let policies = (before.clone().into(), after.clone().into());
                let compared = compare(&policies.0, &policies.1, &texts);
                prop_assert!(compared.is_ok(), "{compared:?}\n{before:?}\n{after:?}");
            }
        }
    });
    let judged = judged.get();
    assert!(judged > 8, "most changes are not judged: {judged}");
}

#[test]
fn layers_of_guards_obey_the_same_law() {
    proptest!(cases(), |(seed in any::<u64>())| {
        let chance = &mut Chance::new(seed);
        let texts = texts(chance);
        let material = Material::of(&texts, chance);
        let own = material.config(chance);
        let file = material.config(chance);
        let judge = |before: GuardPolicy, after: GuardPolicy, what: &str| {
            let judged = compare(&before, &after, &texts);
            judged.map_err(|why| format!("{what}: {why}\n{before:?}\n{after:?}"))
        };
        let strict = guard::stricter(&own, &file);
        let judged = judge(own.clone().into(), strict.clone(), "a project's file");
        prop_assert_eq!(judged, Ok(()));

        let other_file = material.changed(&file, chance);
        if guard::looser_file(&file, &other_file).is_empty() {
            let after = guard::stricter(&own, &other_file);
            let judged = judge(strict.clone(), after, "a change of the file");
            prop_assert_eq!(judged, Ok(()));
        }
        let other = material.changed(&own, chance);
        if guard::looser(&own, &other).is_empty() {
            let after = guard::stricter(&other, &file);
            let judged = judge(strict, after, "a change beside the file");
            prop_assert_eq!(judged, Ok(()));

            let project = material.config(chance);
            let before = guard::chosen(&own, &project);
            let after = guard::chosen(&other, &project);
            let judged = judge(before.into(), after.into(), "a change beside a project's");
            prop_assert_eq!(judged, Ok(()));
        }
    });
}
