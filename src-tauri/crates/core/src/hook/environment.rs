//! The environment of a hook: the user's own, without anything that looks like a secret, and
//! without anything by which the project folder could choose what runs.
//!
//! Invariants: a key in Weir's environment (`ANTHROPIC_API_KEY`) never reaches a hook. A program
//! of the user's needs the rest (paths, language, the display), so what is left out goes by its
//! name, and by a password inside an address. No inherited variable makes a program of the hook's
//! load code from the folder: those that load code are left out ([`LOADERS`]), lists of folders
//! lose what is relative, empty or inside of the folder, and so do all others that point into it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

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

/// A shell, an interpreter or a tool runs what these say before or instead of what it is told.
const LOADERS: [&str; 48] = [
    "BASHOPTS",
    "BASH_ENV",
    "BASH_XTRACEFD",
    "BUN_OPTIONS",
    "CDPATH",
    "ENV",
    "FPATH",
    "GCONV_PATH",
    "GLOBIGNORE",
    "GNUMAKEFLAGS",
    "GOFLAGS",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LESSCLOSE",
    "LESSOPEN",
    "LUA_INIT",
    "MAKEFILES",
    "MAKEFLAGS",
    "MFLAGS",
    "NODE_OPTIONS",
    "NODE_REPL_EXTERNAL_MODULE",
    "OPENSSL_CONF",
    "PERL5DB",
    "PERL5OPT",
    "PHPRC",
    "PHP_INI_SCAN_DIR",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONBREAKPOINT",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPYCACHEPREFIX",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "RUBYOPT",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "R_ENVIRON",
    "R_ENVIRON_USER",
    "R_PROFILE",
    "R_PROFILE_USER",
    "SHELLOPTS",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
];
/// The same for all names that begin so: functions of a shell, programs that git runs.
const LOADER_PREFIXES: [&str; 5] = ["BASH_FUNC_", "DYLD_", "GIT_", "LUA_INIT_", "NPM_CONFIG_"];
const HARMLESS_PREFIXES: [&str; 2] = ["GIT_AUTHOR_", "GIT_COMMITTER_"];

/// Lists of folders in which programs look for code.
const SEARCH_LISTS: [&str; 12] = [
    "CLASSPATH",
    "GEM_HOME",
    "GEM_PATH",
    "LD_LIBRARY_PATH",
    "LUA_CPATH",
    "LUA_PATH",
    "NODE_PATH",
    "PATH",
    "PERL5LIB",
    "PERLLIB",
    "PYTHONPATH",
    "RUBYLIB",
];

/// Where programs are looked for when nothing is left: never in the current folder.
#[cfg(unix)]
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// Nothing can stand there.
#[cfg(unix)]
const NOWHERE: &str = "/dev/null/weir";
#[cfg(not(unix))]
const NOWHERE: &str = "NUL";

pub(super) fn environment(
    all: impl Iterator<Item = (OsString, OsString)>,
    folder: &Path,
    mark: &str,
) -> Vec<(OsString, OsString)> {
    let own = ["CLAUDE_PROJECT_DIR", "PWD", "OLDPWD", MARK];
    let mut kept: Vec<_> = all
        .filter(|(name, value)| !is_secret(name, value))
        .filter(|(name, _)| !own.iter().any(|own| name == own) && !is_loader(name))
        .filter_map(|(name, value)| Some((name.clone(), outside(&name, value, folder)?)))
        .collect();
    #[cfg(unix)]
    if !kept.iter().any(|(name, _)| name == "PATH") {
        kept.push(("PATH".into(), USUAL_PATH.into()));
    }
    // Byte code beside the sources could be other code than the sources that are watched.
    kept.push(("PYTHONPYCACHEPREFIX".into(), python_cache(folder).into()));
    kept.push(("PWD".into(), folder.into()));
    kept.push(("CLAUDE_PROJECT_DIR".into(), folder.into()));
    kept.push((MARK.into(), mark.into()));
    kept
}

/// What a hook in this folder would find now, by name, as far as it is text.
pub fn environment_in(folder: &Path) -> BTreeMap<String, String> {
    let all = environment(std::env::vars_os(), folder, "");
    let texts = all.into_iter().filter_map(|(name, value)| {
        let texts = (name.into_string().ok()?, value.into_string().ok()?);
        (texts.0 != MARK).then_some(texts)
    });
    texts.collect()
}

fn python_cache(folder: &Path) -> PathBuf {
    let caches = directories::BaseDirs::new().map(|folders| folders.cache_dir().to_owned());
    let caches = caches.filter(|caches| caches.is_absolute() && !is_inside(caches, folder));
    caches.map_or(NOWHERE.into(), |caches| caches.join("weir").join("python"))
}

fn is_loader(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    let by_prefix = begins(&LOADER_PREFIXES) && !begins(&HARMLESS_PREFIXES);
    by_prefix || LOADERS.contains(&name.as_str())
}

/// What is left of a value that must not point into the folder.
fn outside(name: &OsStr, value: OsString, folder: &Path) -> Option<OsString> {
    let is_search = SEARCH_LISTS
        .iter()
        .any(|list| name.eq_ignore_ascii_case(list));
    let points_in = |path: &Path| path.is_absolute() && is_inside(path, folder);
    if is_search {
        let entries = std::env::split_paths(&value);
        let kept = entries.filter(|entry| entry.is_absolute() && !is_inside(entry, folder));
        let kept = std::env::join_paths(kept).ok()?;
        return (!kept.is_empty()).then_some(kept);
    }
    // `HOME` stays: without it hardly anything works, and its files are watched instead.
    if name == "HOME" {
        return Some(value);
    }
    let text = value.to_string_lossy();
    let mut parts = text.split([':', ';', ',', '=', ' ', '\n']);
    let is_inside = points_in(Path::new(&value)) || parts.any(|part| points_in(Path::new(part)));
    (!is_inside).then_some(value)
}

/// Whether a path lies in the folder once links are resolved, be it there or not.
fn is_inside(path: &Path, folder: &Path) -> bool {
    if path.starts_with(folder) {
        return true;
    }
    let there = path.ancestors().find_map(|above| above.canonicalize().ok());
    there.is_some_and(|there| there.starts_with(folder))
}

fn is_secret(name: &OsStr, value: &OsStr) -> bool {
    names_a_secret(name) || has_password(value)
}

/// Whether a variable of this name usually holds a secret.
pub(crate) fn names_a_secret(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_ascii_uppercase();
    let named = SECRET.iter().any(|word| name.contains(word));
    let endings = ["_AUTH", "_PAT", "_PWD", "PASS", "COOKIE"];
    named || endings.iter().any(|ending| name.ends_with(ending))
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
