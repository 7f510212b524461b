//! The hooks that a folder brings, and whether they are the ones the user agreed to.
//!
//! Invariant, *trust first*: a hook runs only if every byte of its definition, and of the scripts
//! in the folder that its words name, is what the user saw and agreed to, looked at again right
//! before it runs. One that is new or changed does not run, and the user is told; what one that
//! fails closed guarded is held back until they agree again ([`super::agreed`]).

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::agreed::{self, AgreedHook, AgreedHooks, Fate, MissingHook};
use super::{open_root, shell_word};
use crate::hook::{CommandHook, Definition, Hooks, Place, read_hooks};
use crate::tool::root::Root;
use crate::tool::visible;

/// By these names a file is known to be a script, whatever its mode says.
const SCRIPTS: [&str; 16] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "lua", "ps1",
    "bat", "cmd",
];
/// Files that a command names are read whole, programs too. One that is larger than any program is
/// known by its beginning, its size and when it was written.
const LARGEST_SCRIPT: u64 = 256 * 1024 * 1024;

/// A hook as it stands in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectHook {
    pub definition: Definition,
    /// The file that defines it.
    pub origin: &'static str,
    /// The files of the folder that it names, with what is in them.
    pub scripts: Vec<(String, String)>,
    /// Another one for every other definition, and for every other byte of its scripts.
    pub fingerprint: String,
}

impl ProjectHook {
    /// All of it on a few lines, with nothing hidden.
    pub(super) fn lines(&self) -> Vec<String> {
        let Definition {
            event,
            matcher,
            handler,
        } = &self.definition;
        let of = match matcher.as_str() {
            "" | "*" => String::new(),
            matcher => format!(" of {}", visible::line(matcher)),
        };
        let mut lines = vec![format!("{event:?}{of} ({})", self.origin)];
        let how = match handler.args {
            Some(_) => "program",
            None => "shell",
        };
        lines.push(format!("  {how}: {}", visible::line(&handler.words())));
        if let Some(milliseconds) = handler.timeout_ms {
            lines.push(format!("  ended after {} s", milliseconds as f64 / 1000.0));
        }
        match handler.fail_closed {
            Some(true) => lines.push("  holds back when it fails".into()),
            Some(false) => lines.push("  lets through when it fails".into()),
            None => {}
        }
        for (name, sha256) in &self.scripts {
            let short = sha256.get(..12).unwrap_or(sha256);
            lines.push(format!("  uses {} ({short})", visible::line(name)));
        }
        lines
    }

    /// Ready to run in its folder, where it still is what it was when this was read.
    pub(super) fn command(&self, folder: &Path) -> CommandHook {
        let (hook, place) = (self.clone(), folder.to_owned());
        let vouch = move || {
            let scripts = open_root(&place).map(|root| scripts(&root, &hook.definition));
            match scripts {
                Ok(now) if hook.definition.fingerprint(&now) == hook.fingerprint => Ok(()),
                Ok(_) | Err(_) => Err(refusal(&AgreedHook::of(&hook), Fate::Changed, &place)),
            }
        };
        CommandHook::new(&self.definition, folder).vouched_for(Arc::new(vouch))
    }
}

/// Why one does not run, what that holds back, and what to do about it.
fn refusal(hook: &AgreedHook, fate: Fate, folder: &Path) -> String {
    let what = if hook.holds_back() {
        "What it guards is held back"
    } else {
        "It does not run"
    };
    format!(
        "{}. {what} until you trust the folder again: run `weir trust {}`, or review it in the settings.",
        agreed::told(&hook.name(), fate),
        shell_word(folder)
    )
}

/// What may run, and what holds back in the place of those that are missing.
pub(super) fn runnable(hooks: &[ProjectHook], missing: &[MissingHook], folder: &Path) -> Hooks {
    let mut all = Hooks::default();
    for hook in hooks {
        all.add(&hook.definition, hook.command(folder));
    }
    for missing in missing.iter().filter(|it| it.agreed.holds_back()) {
        let agreed = &missing.agreed;
        all.hold(Place {
            event: agreed.event,
            matcher: agreed.matcher.clone(),
            name: agreed.command.clone(),
            reason: refusal(agreed, missing.fate, folder),
        });
    }
    all
}

pub(super) fn found(
    root: &Root,
    origin: &'static str,
    text: &str,
) -> (Vec<ProjectHook>, Vec<String>) {
    let (definitions, notices) = read_hooks(origin, text);
    let hooks = definitions.into_iter().map(|definition| {
        let scripts = scripts(root, &definition);
        ProjectHook {
            origin,
            fingerprint: definition.fingerprint(&scripts),
            scripts,
            definition,
        }
    });
    (hooks.collect(), notices)
}

/// What is agreed to, by fingerprint.
pub(super) fn agreed(hooks: &[ProjectHook]) -> AgreedHooks {
    let kept = hooks
        .iter()
        .map(|hook| (hook.fingerprint.clone(), AgreedHook::of(hook)));
    kept.collect()
}

/// The hooks of now, against what was agreed to.
pub(super) struct Compared {
    pub(super) agreed: Vec<ProjectHook>,
    pub(super) waiting: Vec<ProjectHook>,
    pub(super) missing: Vec<MissingHook>,
    /// A sentence for each difference, with what it is about.
    pub(super) changes: BTreeMap<String, String>,
}

pub(super) fn compare(hooks: Vec<ProjectHook>, before: &AgreedHooks) -> Compared {
    let missing = agreed::missing(before, &agreed(&hooks));
    let mut changes = BTreeMap::new();
    for hook in missing.iter().filter(|hook| hook.fate == Fate::Gone) {
        let then = if hook.agreed.holds_back() {
            ": what it guards is held back until you trust this folder again (weir trust)."
        } else {
            " and no longer runs."
        };
        changes.insert(hook.fingerprint.clone(), format!("{}{then}", hook.told()));
    }
    let (kept, waiting): (Vec<_>, Vec<_>) = hooks
        .into_iter()
        .partition(|hook| before.contains_key(&hook.fingerprint));
    for hook in &waiting {
        let name = AgreedHook::of(hook).name();
        let old: Vec<_> = missing
            .iter()
            .filter(|old| old.agreed.name() == name)
            .collect();
        let how = match old.first() {
            Some(old) => old.told(),
            None => format!("The {name} is not what you agreed to"),
        };
        let held = if old.iter().any(|old| old.agreed.holds_back()) {
            "it does not run, and what it guards is held back,"
        } else {
            "it does not run"
        };
        let notice = format!("{how}: {held} until you trust this folder again (weir trust).");
        changes.insert(hook.fingerprint.clone(), notice);
    }
    Compared {
        agreed: kept,
        waiting,
        missing,
        changes,
    }
}

/// The scripts and programs in the folder that a command names, as far as one can tell from its
/// words. What it names besides, to read or to write, changes all the time and runs nothing.
fn scripts(root: &Root, definition: &Definition) -> Vec<(String, String)> {
    let handler = &definition.handler;
    // Quotes join what a shell takes for one word: "$CLAUDE_PROJECT_DIR"/check.sh.
    let unquoted = handler.command.replace(['\'', '"'], "");
    let mut words: Vec<&str> = Vec::new();
    match &handler.args {
        Some(args) => {
            words.push(&handler.command);
            words.extend(args.iter().map(String::as_str));
        }
        None => {
            let apart = |letter: char| letter.is_whitespace() || "`;|&()<>=".contains(letter);
            words.extend(unquoted.split(apart));
        }
    }
    let mut scripts: Vec<_> = words
        .into_iter()
        .filter_map(|word| {
            let name = in_folder(root, word)?;
            let place = root.resolve(&name).ok()?;
            let file = root.file(&place).ok()?;
            let about = file.metadata().ok()?;
            if !is_script(&name) && !is_executable(&about) {
                return None;
            }
            let bytes = about.len();
            let mut known = format!("{} {bytes} bytes", digest(file).ok()?);
            if bytes > LARGEST_SCRIPT {
                known.push_str(&format!(" {:?}", about.modified().ok()));
            }
            Some((name, known))
        })
        .collect();
    scripts.sort();
    scripts.dedup();
    scripts
}

/// The same as of the whole text, which may be more than one wants to hold.
fn digest(file: std::fs::File) -> std::io::Result<String> {
    let mut file = file.take(LARGEST_SCRIPT);
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        match file.read(&mut piece)? {
            0 => break,
            count => digest.update(&piece[..count]),
        }
    }
    let bytes = digest.finalize();
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_script(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending);
    ending.is_some_and(|ending| SCRIPTS.iter().any(|it| it.eq_ignore_ascii_case(ending)))
}

#[cfg(unix)]
fn is_executable(about: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

/// There the name tells.
#[cfg(not(unix))]
fn is_executable(_: &std::fs::Metadata) -> bool {
    false
}

/// A word as a path from the folder on, if it can be one.
fn in_folder(root: &Root, word: &str) -> Option<String> {
    let own = format!("{}/", root.path().display());
    let starts = ["$CLAUDE_PROJECT_DIR/", "${CLAUDE_PROJECT_DIR}/", &own, "./"];
    let name = starts.iter().find_map(|start| word.strip_prefix(start));
    let name = name.unwrap_or(word);
    (!name.is_empty()).then(|| name.to_owned())
}
