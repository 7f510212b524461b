//! How much of a reply is held back, by kind of text: with the rules, with the source's key and
//! with originals of the session, as in a real turn.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

use secrecy::SecretString;

use super::samples::{self, Kind, kinds};
use super::*;
use crate::guard::corpus::Chance;
use crate::guard::{Guard, GuardConfig};
use crate::redact::vault::Vault;
use crate::secret::SourceSecrets;
use crate::store::TakenFrom;

/// The most characters that are held back beyond where a candidate begins.
const BOUND: usize = 64;

/// What one rule has found waits for another that looks at the same text: as long as it is.
const FOUND: usize = 32;

/// What a real turn searches for: its key, and what was redacted before.
fn real_checks() -> Checks {
    let guard = Guard::new(&GuardConfig::default()).unwrap();
    let mut chance = Chance::new(77);
    let key = format!("sk-{}-{}", "ant", chance.draw("w", 96));
    let vault = Vault::new(uuid::Uuid::nil());
    let originals = [
        ("EMAIL", "someone.else@stone-gate.org".to_owned()),
        ("PHONE", "+49 151 2345 6789".to_owned()),
        ("PASSWORD", chance.draw("a", 18)),
        ("SECRET", chance.draw("h", 64)),
        ("WORD", "water gate".to_owned()),
        ("ID", "4711".to_owned()),
    ];
    for (label, value) in originals {
        vault.take_out(label, &value, TakenFrom::Output);
    }
    Checks::new(guard, vault)
        .with_key(&SourceSecrets::new(Some(&SecretString::from(key))))
        .frozen()
}

type Cut = fn(&str) -> Vec<String>;

/// How a text is cut into deltas.
const CUTS: [(&str, Cut); 3] = [
    ("characters", |text| {
        text.chars().map(String::from).collect()
    }),
    ("words", |text| {
        text.split_inclusive([' ', '\n'])
            .map(str::to_owned)
            .collect()
    }),
    ("tokens", |text| {
        // A token of a model begins with its space, and long words are several.
        let mut tokens: Vec<String> = vec![String::new()];
        for letter in text.chars() {
            let is_full = tokens.last().is_some_and(|it| it.chars().count() >= 5);
            if is_full || letter.is_whitespace() {
                tokens.push(String::new());
            }
            if let Some(last) = tokens.last_mut() {
                last.push(letter);
            }
        }
        tokens
    }),
];

#[derive(Default)]
struct Holds {
    /// How many characters after each delta.
    all: Vec<usize>,
    longest: String,
}

impl Holds {
    fn of(kind: &Kind, cut: fn(&str) -> Vec<String>, checks: &Checks) -> Self {
        let mut holds = Self::default();
        let mut most = 0;
        for seed in 0..2 {
            let text = samples::text(kind, 1_200, &mut Chance::new(seed));
            let mut passing = Passing::new(&checks.guard);
            for delta in cut(&text) {
                passing.push(&delta, checks);
                let held = passing.held().chars().count();
                if held > most {
                    most = held;
                    holds.longest = passing.held().to_owned();
                }
                holds.all.push(held);
            }
        }
        holds.all.sort_unstable();
        holds
    }

    fn at(&self, share: usize) -> usize {
        let last = self.all.len().saturating_sub(1);
        self.all
            .get(last * share / 100)
            .copied()
            .unwrap_or_default()
    }

    fn most(&self) -> usize {
        self.at(100)
    }
}

#[test]
fn no_kind_of_text_is_held_back_beyond_the_bound() {
    let checks = real_checks();
    let mut beyond = Vec::new();
    println!(
        "{:<28}{:>12}{:>6}{:>6}{:>6}",
        "kind", "cut into", "p50", "p95", "max"
    );
    for kind in kinds() {
        for (cut, by) in CUTS {
            let holds = Holds::of(kind, by, &checks);
            let (middle, most) = (holds.at(50), holds.most());
            println!(
                "{:<28}{cut:>12}{middle:>6}{:>6}{most:>6}",
                kind.0,
                holds.at(95),
            );
            if most > BOUND {
                let start: String = holds.longest.chars().take(90).collect();
                beyond.push(format!("{} by {cut}: {most}: {start:?}", kind.0));
            }
        }
    }
    assert!(beyond.is_empty(), "{}", beyond.join("\n"));
}

/// Words, expressions and phrases of the user's own, in every way that they can be written.
#[test]
fn rules_of_the_users_own_hold_back_no_more() {
    let config: GuardConfig = serde_json::from_str(
        r#"{
            "words": [{"word": "falcon"}, {"word": "blue heron of the north"}],
            "patterns": [
                {"name": "ticket", "pattern": "(?i)ticket\\s+#?\\d+"},
                {"name": "rest", "pattern": "internal: .*"},
                {"name": "any", "pattern": "[A-Z]{3}-[0-9a-f]+"}
            ]
        }"#,
    )
    .unwrap();
    let checks = Checks::new(Guard::new(&config).unwrap(), Vault::new(uuid::Uuid::nil())).frozen();
    for kind in kinds() {
        for (cut, by) in CUTS {
            let holds = Holds::of(kind, by, &checks);
            let most = holds.most();
            assert!(
                most <= BOUND + FOUND,
                "{} by {cut}: {most} of {:?}",
                kind.0,
                holds.longest
            );
        }
    }
}

/// What a rule of the user's own matches is redacted to its end, however long that is.
#[test]
fn a_long_match_of_an_expression_is_redacted_to_its_end() {
    let config: GuardConfig =
        serde_json::from_str(r#"{"patterns": [{"name": "rest", "pattern": "internal: .*"}]}"#)
            .unwrap();
    let guard = Guard::new(&config).unwrap();
    for length in [10, 60, 100, 190] {
        let value = "ab cd ".repeat(length / 6);
        let text = format!("before internal: {value}\nafter");
        for size in [1, 7, 1_000] {
            let checks = Checks::new(guard.clone(), Vault::new(uuid::Uuid::nil())).frozen();
            let mut passing = Passing::new(&checks.guard);
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(size).map(|it| it.iter().collect::<String>());
            let mut out: String = pieces.map(|it| passing.push(&it, &checks)).collect();
            out.push_str(&passing.finish(&checks));
            assert!(!out.contains("ab"), "{length} by {size}: {out}");
            assert!(out.starts_with("before [CUSTOM_1]"), "{out}");
            assert!(out.ends_with("\nafter"), "{out}");
        }
    }
}

/// Thinking and the input of a tool grow as well. What stands in JSON is held as its value is.
#[test]
fn every_surface_keeps_the_bound() {
    let guard = Guard::new(&GuardConfig::default()).unwrap();
    let checks = || Checks::new(guard.clone(), Vault::new(uuid::Uuid::nil())).frozen();
    for kind in kinds() {
        let text = samples::text(kind, 600, &mut Chance::new(5));
        let json = format!("{{\"content\": {}", serde_json::to_string(&text).unwrap());
        let rows = [(TEXT, text.as_str()), (THINKING, &text), (TOOL, &json)];
        for ((start, delta), text) in rows {
            let mut guarded = Guarded::new(checks());
            guarded.pass(&mut vec![start(1)]);
            let (mut came, mut said, mut most) = (0, 0, 0);
            for letter in text.chars() {
                let mut events = vec![delta(1, letter.to_string())];
                guarded.pass(&mut events);
                came += 1;
                said += words(&events).chars().count();
                most = most.max(i64::from(came) - said as i64);
            }
            // What was redacted is shorter or longer than it was; an escape is several letters.
            let was_found = !guarded.told().is_empty();
            assert!(was_found || most <= 2 * BOUND as i64, "{}: {most}", kind.0);
        }
    }
}
