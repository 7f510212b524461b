//! The environment of a hook: the user's own, without anything that looks like a secret.
//!
//! Invariant: a key in Weir's environment (`ANTHROPIC_API_KEY`) never reaches a hook. A program
//! of the user's needs the rest (paths, language, the display), so what is left out goes by its
//! name, and by a password inside an address.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Names of variables with one of these in them are left out.
const SECRET: [&str; 9] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "PASSCODE",
    "CREDENTIAL",
    "PRIVATE",
];

/// Says whose run a process belongs to, whatever became of its parents.
pub(super) const MARK: &str = "WEIR_HOOK_RUN";

pub(super) fn environment(
    all: impl Iterator<Item = (OsString, OsString)>,
    folder: &Path,
    mark: &str,
) -> Vec<(OsString, OsString)> {
    let mut kept: Vec<_> = all
        .filter(|(name, value)| !is_secret(name, value))
        .filter(|(name, _)| name != MARK && name != "CLAUDE_PROJECT_DIR")
        .collect();
    kept.push(("CLAUDE_PROJECT_DIR".into(), folder.into()));
    kept.push((MARK.into(), mark.into()));
    kept
}

fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let named = SECRET.iter().any(|word| name.contains(word));
    named || name.ends_with("_AUTH") || name.ends_with("_PAT") || has_password(value)
}

/// `scheme://name:password@host`.
fn has_password(value: &OsStr) -> bool {
    let value = value.to_string_lossy();
    value.split("://").skip(1).any(|rest| {
        let place = rest.split(['/', '?', '#', ' ']).next().unwrap_or_default();
        let login = place.rsplit_once('@').map(|(login, _)| login);
        login.is_some_and(|login| login.contains(':'))
    })
}
