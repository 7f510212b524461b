//! The scripts and programs of a folder that a hook's words name, as far as the words tell.
//!
//! Counted is what runs: a file that is executable or has a script's ending, the first file that
//! an interpreter is given, what a runner reads by itself (`make` its Makefile), and where a link
//! leads that leads out of the folder. What a command reads or writes besides changes all the time
//! and runs nothing. No shell is asked: a word is looked for in every folder that the words name,
//! whatever variable stands before it, and a pattern stands for all scripts of its folder.

use std::io::Read;

use sha2::{Digest, Sha256};

use crate::hook::{Definition, Handler};
use crate::tool::root::Root;

/// By these names a file is known to be a script, whatever its mode says.
const SCRIPTS: [&str; 20] = [
    "sh", "bash", "zsh", "fish", "py", "js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "rb",
    "pl", "php", "lua", "ps1", "bat", "cmd",
];
/// Programs that run what they are given, without the numbers of their versions.
const INTERPRETERS: [&str; 35] = [
    ".",
    "awk",
    "bash",
    "bun",
    "busybox",
    "dash",
    "deno",
    "env",
    "fish",
    "gawk",
    "go",
    "gmake",
    "java",
    "just",
    "ksh",
    "lua",
    "make",
    "node",
    "nodejs",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "python",
    "rscript",
    "ruby",
    "sed",
    "sh",
    "source",
    "tclsh",
    "ts-node",
    "tsx",
    "uv",
    "zsh",
];
/// Programs that find by themselves what they run.
const RUNNERS: [(&str, &[&str]); 8] = [
    ("make", &["GNUmakefile", "makefile", "Makefile"]),
    ("gmake", &["GNUmakefile", "makefile", "Makefile"]),
    ("just", &["justfile", "Justfile", ".justfile"]),
    ("rake", &["Rakefile", "rakefile"]),
    ("npm", &["package.json"]),
    ("pnpm", &["package.json"]),
    ("yarn", &["package.json"]),
    ("bun", &["package.json"]),
];
/// Files that a command names are read whole, programs too. One that is larger than any program is
/// known by its beginning, its size and when it was written.
const LARGEST_SCRIPT: u64 = 256 * 1024 * 1024;

/// Stands for a blank inside of a word while words are told apart.
const BLANK: &str = "\u{1}";
/// A pattern stands for so many files at most, the first by name; more are no folder of scripts.
const MOST_FILES: usize = 1_000;

/// Each with its name and what is in it.
pub(super) fn scripts(root: &Root, definition: &Definition) -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    let mut folders = vec![String::new()];
    for command in commands(&definition.handler) {
        named(root, &command, &mut folders, &mut scripts);
    }
    scripts.sort();
    scripts.dedup();
    scripts
}

/// The words of each command.
fn commands(handler: &Handler) -> Vec<Vec<String>> {
    if let Some(args) = &handler.args {
        return vec![[std::slice::from_ref(&handler.command), args].concat()];
    }
    // Quotes join what a shell takes for one word: "$CLAUDE_PROJECT_DIR"/check.sh.
    let unquoted = handler.command.replace(['\'', '"'], "");
    let unquoted = unquoted.replace("\\ ", BLANK);
    let ends = |letter: char| "`;|&()\n".contains(letter);
    let words = |command: &str| {
        let spaced = command.replace('>', " > ").replace(['=', '<'], " ");
        let words = spaced.split_whitespace();
        words.map(|word| word.replace(BLANK, " ")).collect()
    };
    unquoted.split(ends).map(words).collect()
}

/// What runs of the files that one command names; `folders` is where commands may be by then.
fn named(
    root: &Root,
    words: &[String],
    folders: &mut Vec<String>,
    scripts: &mut Vec<(String, String)>,
) {
    let mut interprets = false;
    for word in words {
        if word == ">" {
            // What follows is written, not run.
            interprets = false;
            continue;
        }
        let program = program(word);
        for name in places(root, word, folders) {
            if let Some(folder) = folder_of(root, &name) {
                folders.push(folder);
                continue;
            }
            let counts = if interprets {
                Counts::Whatever
            } else {
                Counts::Programs
            };
            if let Some(known) = known(root, &name, counts) {
                interprets = false;
                scripts.push((name, known));
            }
        }
        interprets |= INTERPRETERS.contains(&program.as_str());
        let own = RUNNERS.iter().filter(|(runner, _)| *runner == program);
        for name in own.flat_map(|(_, names)| *names) {
            for folder in folders.iter() {
                let name = format!("{folder}{name}");
                if let Some(known) = known(root, &name, Counts::Whatever) {
                    scripts.push((name, known));
                }
            }
        }
    }
}

/// What a word may name, in each folder where the command may be.
fn places(root: &Root, word: &str, folders: &[String]) -> Vec<String> {
    let Some(word) = in_folder(root, word) else {
        return Vec::new();
    };
    let in_each = folders.iter().map(|folder| format!("{folder}{word}"));
    let is_pattern = word.contains(['*', '?', '[']);
    if !is_pattern {
        return in_each.collect();
    }
    let files = in_each.flat_map(|name| {
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folder = folder.split(['*', '?', '[']).next().unwrap_or_default();
        let folder = folder.trim_end_matches('/').to_owned();
        let place = root.resolve(if folder.is_empty() { "." } else { &folder });
        let entries = place.and_then(|place| root.entries(&place, MOST_FILES));
        let entries = entries.map(|found| found.entries).unwrap_or_default();
        entries.into_iter().filter_map(move |entry| {
            let name = entry.name.into_string().ok()?;
            Some(if folder.is_empty() {
                name
            } else {
                format!("{folder}/{name}")
            })
        })
    });
    files.collect()
}

/// The folder that stands there, ready to be put before a name.
fn folder_of(root: &Root, name: &str) -> Option<String> {
    let is_inside = root.resolve(name).is_ok();
    let is_folder = is_inside && name != "." && root.path().join(name).is_dir();
    is_folder.then(|| format!("{}/", name.trim_end_matches('/')))
}

/// What a program is called, wherever it stands and whatever its version: `/usr/bin/python3.11`.
fn program(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".exe").unwrap_or(&name);
    if name == "." {
        return name.to_owned();
    }
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    name.to_owned()
}

/// Which files count.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counts {
    /// Those that run by themselves.
    Programs,
    /// Any: it is given to what runs it.
    Whatever,
}

/// What is known of a file of the folder, if it counts. Others are not read: a log may be long.
fn known(root: &Root, name: &str, counts: Counts) -> Option<String> {
    let Ok(place) = root.resolve(name) else {
        let target = root.path().join(name).canonicalize().ok()?;
        if let Ok(inside) = target.strip_prefix(root.path()) {
            // Written in a way that a tool may not: `h/../h/check.sh`.
            let inside = inside.to_str().filter(|inside| *inside != name)?;
            return known(root, inside, counts);
        }
        let leads_out = target.is_file();
        return leads_out.then(|| format!("leads to {}", target.display()));
    };
    let file = root.file(&place).ok()?;
    let about = file.metadata().ok()?;
    if counts == Counts::Programs && !is_script(name) && !is_executable(&about) {
        return None;
    }
    let bytes = about.len();
    let mut known = format!("{} {bytes} bytes", digest(file).ok()?);
    if bytes > LARGEST_SCRIPT {
        known.push_str(&format!(" {:?}", about.modified().ok()));
    }
    Some(known)
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

/// A word as a path from the folder on, if it can be one. What a variable before it means is not
/// known: most often the folder itself, or one that is named elsewhere.
fn in_folder(root: &Root, word: &str) -> Option<String> {
    let own = format!("{}/", root.path().display());
    let name = word.strip_prefix(&own).unwrap_or(word);
    let name = match name.strip_prefix('$') {
        Some(variable) => variable.split_once('/').map(|(_, name)| name)?,
        None => name,
    };
    let name = name.trim_start_matches("./");
    let is_path = !name.is_empty() && !name.starts_with(['/', '~', '-']);
    is_path.then(|| name.to_owned())
}
