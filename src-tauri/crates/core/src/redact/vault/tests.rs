use serde_json::json;

use super::*;
use crate::secret::{MemoryKeychain, Secrets};

async fn key() -> SealKey {
    let secrets = Secrets::new(Arc::new(MemoryKeychain::default()));
    secrets.redaction_key().await.key
}

#[test]
fn one_placeholder_a_value_and_one_value_a_placeholder() {
    let vault = Vault::new(Uuid::now_v7());
    vault.keep_literal("somebody wrote [EMAIL_2] and [NOTE_1]");
    let mut taken = Vec::new();
    for (label, value) in [
        ("EMAIL", "a"),
        ("EMAIL", "b"),
        ("EMAIL", "a"),
        ("PHONE", "a"),
        ("NOTE", "c"),
    ] {
        taken.push(vault.take_out(label, value, TakenFrom::Input));
    }
    assert_eq!(
        taken,
        [
            "[EMAIL_1]",
            "[EMAIL_3]",
            "[EMAIL_1]",
            "[PHONE_1]",
            "[NOTE_2]"
        ]
    );
    assert_eq!(
        vault.restore("[EMAIL_1] [EMAIL_2] [EMAIL_3] [X_1]"),
        "a [EMAIL_2] b [X_1]"
    );
    // A placeholder that is known is no literal, whoever writes it.
    vault.keep_literal("[EMAIL_1]");
    assert_eq!(vault.take_out("EMAIL", "a", TakenFrom::Input), "[EMAIL_1]");
}

#[tokio::test]
async fn comes_back_with_its_key_and_stays_a_placeholder_without() {
    let (session, key, other) = (Uuid::now_v7(), key().await, key().await);
    let vault = Vault::new(session);
    vault.take_out("EMAIL", "canary", TakenFrom::Output);
    assert!(vault.has_unsaved());
    let stored = vault.seal_unsaved(&key);
    assert_eq!(vault.seal_unsaved(&key).len(), 1, "until they are stored");
    vault.saved(&stored);
    assert!(!vault.has_unsaved());
    assert_eq!(stored.len(), 1);
    assert!(!format!("{stored:?}{vault:?}").contains("canary"));

    let opened = Vault::new(session);
    opened.take_in(stored.clone(), std::slice::from_ref(&key));
    assert!(opened.is_open());
    assert_eq!(opened.restore("x[EMAIL_1]"), "xcanary");
    assert_eq!(
        opened.take_out("EMAIL", "canary", TakenFrom::Output),
        "[EMAIL_1]"
    );
    assert!(!opened.has_unsaved());

    let lost = Vault::new(session);
    lost.take_in(stored.clone(), &[other]);
    assert!(!lost.is_open());
    assert_eq!(lost.restore("x[EMAIL_1]"), "x[EMAIL_1]");
    assert_eq!(
        lost.take_out("EMAIL", "canary", TakenFrom::Output),
        "[EMAIL_2]"
    );
    // The key is there again.
    lost.take_in(stored, &[key]);
    assert_eq!(lost.restore("[EMAIL_1][EMAIL_2]"), "canarycanary");
}

#[tokio::test]
async fn what_the_user_types_later_counts_as_input() {
    let (session, key) = (Uuid::now_v7(), key().await);
    let vault = Vault::new(session);
    vault.take_out("EMAIL", "canary", TakenFrom::Output);
    vault.saved(&vault.seal_unsaved(&key));
    vault.take_out("EMAIL", "canary", TakenFrom::Input);
    let stored = vault.seal_unsaved(&key);
    vault.saved(&stored);
    assert_eq!(stored[0].taken_from, TakenFrom::Input);
    vault.take_out("EMAIL", "canary", TakenFrom::Output);
    assert!(!vault.has_unsaved());
    let original = vault.original("[EMAIL_1]").unwrap();
    assert_eq!(original.taken_from, TakenFrom::Input);
}

#[test]
fn restores_every_string_of_a_value() {
    let vault = Vault::new(Uuid::now_v7());
    vault.take_out("EMAIL", "a", TakenFrom::Input);
    let mut value = json!({ "[EMAIL_1]": ["to [EMAIL_1]", 1, null], "x": { "y": "[EMAIL_2]" } });
    vault.restore_value(&mut value);
    assert_eq!(
        value,
        json!({ "a": ["to a", 1, null], "x": { "y": "[EMAIL_2]" } })
    );
}

/// A tool names a file as the disk does: in its own case, and with single slashes.
#[test]
fn another_spelling_of_a_path_is_known() {
    let vault = Vault::new(Uuid::now_v7());
    let word = vault.take_out("WORD", "Anna", TakenFrom::Input);
    let path = vault.take_out("PATH", "p//ss", TakenFrom::Input);
    vault.note_spelling("anna", &word);
    vault.note_spelling("p/ss", &path);
    vault.note_spelling("elsewhere/b", &word);
    let redacted = vault.known().redact(
        "anna is a folder, p/ss too, elsewhere/b is not".to_owned(),
        Extent::Whole,
    );
    assert_eq!(
        redacted,
        "[WORD_1] is a folder, [PATH_1] too, elsewhere/b is not"
    );
}
