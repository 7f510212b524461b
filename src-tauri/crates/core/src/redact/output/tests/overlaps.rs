//! What several searches find in one place: one replacement, in any split.

use secrecy::SecretString;

use super::*;
use crate::guard::{Guard, GuardConfig};
use crate::redact::vault::Vault;
use crate::secret::SourceSecrets;

const KEY: &str = "Ab3dEf6hIj9kLmN0pQrStUvwXyZ1a2B3";
const ORIGINAL: &str = "quiet harbour 77";

fn checks_with(config: &str) -> Checks {
    let config: GuardConfig = serde_json::from_str(config).unwrap();
    let vault = Vault::new(uuid::Uuid::nil());
    vault.take_out("PLACE", ORIGINAL, TakenFrom::Output);
    Checks::new(Guard::new(&config).unwrap(), vault)
        .with_key(&SourceSecrets::new(Some(&SecretString::from(KEY))))
        .frozen()
}

/// What a text becomes, and what is told of it.
fn passed(config: &str, pieces: &[&str]) -> (String, Vec<(GuardVerdict, String)>, bool) {
    let checks = checks_with(config);
    let mut passing = Passing::new(&checks.guard);
    let mut out = String::new();
    for piece in pieces {
        out.push_str(&passing.push(piece, &checks));
    }
    out.push_str(&passing.finish(&checks));
    let told = passing.found.iter();
    let told = told.map(|(verdict, found)| (*verdict, found.rule.clone()));
    (out, told.collect(), passing.is_blocked)
}

const NOTHING: &str = "{}";
const SIZE: &str = r#"{"limits": {"output": 5}, "rules": {"size": {"output": "warn"}},
    "words": [{"word": "blue heron"}]}"#;
const WARNS: &str = r#"{"words": [{"word": "redactme"}, {"word": "warnme", "output": "warn"},
    {"word": "blockme", "output": "block"}]}"#;

#[test]
fn no_split_changes_what_becomes_of_a_text_or_what_is_told() {
    let texts = [
        (NOTHING, format!("The key {KEY} and {ORIGINAL}, é, end.")),
        (
            NOTHING,
            format!("password={KEY} and password: \"{KEY}x9Qz\" end"),
        ),
        (
            NOTHING,
            format!("https://bob:{KEY}@example.com/a?token={KEY} end"),
        ),
        (
            NOTHING,
            format!("password=\"{ORIGINAL}\" {KEY}{KEY} bob@example.com {ORIGINAL}{KEY}"),
        ),
        (
            SIZE,
            "abc blue heron nests mail bob@example.com, ä end".to_owned(),
        ),
        (SIZE, format!("{KEY} blue heron {ORIGINAL}")),
        (WARNS, "redactme warnme redactme".to_owned()),
        (WARNS, format!("warnme {KEY} warnme blockme warnme {KEY}")),
        (WARNS, format!("é {ORIGINAL} blockme {ORIGINAL}")),
    ];
    for (config, text) in texts {
        let whole = passed(config, &[&text]);
        assert!(
            !whole.0.contains(KEY) && !whole.0.contains(ORIGINAL),
            "{whole:?}"
        );
        for size in [1, 2, 3, 7, 20] {
            let letters: Vec<char> = text.chars().collect();
            let pieces: Vec<String> = letters.chunks(size).map(|it| it.iter().collect()).collect();
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            assert_eq!(passed(config, &pieces), whole, "{text} in pieces of {size}");
        }
    }
}

#[test]
fn a_limit_inside_of_what_is_found_moves_nothing() {
    let (out, told, _) = passed(SIZE, &["abc blue heron and a blue heron, end"]);
    assert_eq!(out, "abc [WORD_1] and a [WORD_1], end");
    assert_eq!(told.len(), 3, "{told:?}");
}

#[test]
fn nothing_is_told_after_a_block() {
    let (out, told, is_blocked) = passed(WARNS, &["warnme blockme warnme"]);
    assert!(is_blocked);
    assert_eq!(out, "warnme ");
    let verdicts: Vec<GuardVerdict> = told.iter().map(|(verdict, _)| *verdict).collect();
    assert_eq!(verdicts, [GuardVerdict::Warn, GuardVerdict::Block]);
}

/// The key of the source is not kept, neither by itself nor as a part of what a rule redacts.
#[test]
fn the_key_reaches_no_vault() {
    for text in [
        format!("password={KEY} end"),
        format!("password=\"{KEY}-and-more-of-it-4711\" end"),
    ] {
        let checks = checks_with(NOTHING);
        let mut passing = Passing::new(&checks.guard);
        let mut out = passing.push(&text, &checks);
        out.push_str(&passing.finish(&checks));
        let known = checks.vault.known();
        assert_eq!(known.find(KEY, Extent::Whole), [], "{out}");
        assert!(!out.contains(KEY), "{out}");
    }
}

/// A call that is cut short is not said, and what ends a reply still ends it.
#[test]
fn a_block_is_not_forgotten() {
    let checks = checks_with(WARNS);
    let mut passing = Passing::new(&checks.guard);
    passing.push("blockme quiet ", &checks);
    passing.forget(&checks);
    assert!(passing.is_blocked);
}
