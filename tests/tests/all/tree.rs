//! The tree keeps its shape: borders, one place for each thing, and no drift between lists.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

fn root() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    let path = root().join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every file of the project with its path from the root; what is built or fetched is not.
fn files() -> Vec<(String, PathBuf)> {
    let root = root();
    let made = [".git", "target", "node_modules", "ui/dist", "src-tauri/gen"];
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path
                .strip_prefix(&root)
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            if made.iter().any(|made| name.ends_with(made)) {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push((name, path));
            }
        }
    }
    assert!(files.len() > 20, "the walk finds the tree");
    files.sort();
    files
}

/// The project's own source files below `folder` with one of these endings, and their text.
fn sources(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let is_source = |name: &str| {
        name.starts_with(folder) && endings.iter().any(|ending| name.ends_with(ending))
    };
    let found: Vec<_> = files()
        .into_iter()
        .filter(|(name, _)| is_source(name))
        .map(|(name, path)| (name, std::fs::read_to_string(path).unwrap()))
        .collect();
    assert!(!found.is_empty(), "there is source in {folder}");
    found
}

#[test]
fn the_core_knows_nothing_of_tauri() {
    let manifests = sources("src-tauri/crates/", &["Cargo.toml"]);
    assert!(manifests.len() >= 3, "protocol, core, cli");
    for (name, text) in manifests {
        let mentions = text.lines().find(|line| line.trim().starts_with("tauri"));
        assert_eq!(mentions, None, "{name} depends on Tauri");
    }
}

/// Something that one file alone may do, and the words by which one sees it.
struct Rule {
    what: &'static str,
    words: &'static [&'static str],
    folder: &'static str,
    endings: &'static [&'static str],
    file: &'static str,
}

const RUST: &[&str] = &[".rs"];
const SCRIPT: &[&str] = &[".ts", ".tsx", ".js", ".mjs"];

const RULES: [Rule; 9] = [
    Rule {
        what: "has unsafe code",
        words: &[
            "unsafe {",
            "unsafe fn",
            "unsafe extern",
            "unsafe impl",
            "(unsafe_code",
        ],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/startup.rs",
    },
    Rule {
        what: "starts a program",
        words: &["CommandWrap::", "process::Command", "Command::new("],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/hook/process.rs",
    },
    Rule {
        what: "opens SQLite",
        words: &[
            "SqliteConnectOptions",
            "SqlitePoolOptions",
            "SqlitePool::connect",
            "SqliteConnection::connect",
        ],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/store/open.rs",
    },
    Rule {
        what: "makes an HTTP client",
        words: &["Client::new(", "Client::builder(", "ClientBuilder::new("],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/source/http.rs",
    },
    Rule {
        what: "reads the clock",
        words: &["Timestamp::now", "SystemTime::now", "Zoned::now", "now_v7"],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/clock.rs",
    },
    Rule {
        what: "asks the keychain",
        words: &["keyring::", "keyring_core::", "keyring_store::", "zbus::"],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/secret/keychain.rs",
    },
    Rule {
        what: "sanitizes HTML",
        words: &["ammonia::Builder", "ammonia::{Builder", "ammonia::clean"],
        folder: "src-tauri/",
        endings: RUST,
        file: "src-tauri/crates/core/src/render/sanitize.rs",
    },
    Rule {
        what: "talks to Rust",
        words: &["@tauri-apps", "__TAURI"],
        folder: "ui/src/",
        endings: SCRIPT,
        file: "ui/src/host/tauri.ts",
    },
    Rule {
        what: "puts HTML into the page",
        words: &[
            "dangerouslySetInnerHTML",
            ".innerHTML =",
            "insertAdjacentHTML",
        ],
        folder: "ui/src/",
        endings: SCRIPT,
        file: "ui/src/timeline/html.tsx",
    },
];

#[test]
fn each_thing_is_done_in_one_place() {
    for rule in RULES {
        let doing: Vec<String> = sources(rule.folder, rule.endings)
            .into_iter()
            .filter(|(name, _)| !name.contains("test"))
            .filter(|(_, text)| rule.words.iter().any(|word| text.contains(word)))
            .map(|(name, _)| name)
            .collect();
        assert_eq!(doing, [rule.file], "one place {}", rule.what);
    }
}

/// Changing the environment is sound only while there is one thread.
#[test]
fn programs_clean_their_environment_first() {
    for program in ["src-tauri/src/main.rs", "src-tauri/crates/cli/src/main.rs"] {
        let text = read(program);
        let body = between(&text, "\nfn main()", "\n}");
        let first = body.lines().nth(1).unwrap_or_default().trim();
        assert_eq!(
            first, "let begun = weir_core::startup::begin();",
            "{program}"
        );
        assert!(
            !text.contains("tokio::main"),
            "{program} starts threads before"
        );
    }
}

/// Statements over plain columns can move to another database; what only SQLite knows cannot.
#[test]
fn sql_stays_in_the_store_and_sqlite_in_few_files() {
    let store = "src-tauri/crates/core/src/store/";
    let only_sqlite = [
        "backup.rs",
        "check.rs",
        "memory_index.rs",
        "open.rs",
        "watcher.rs",
    ];
    let sources = sources("src-tauri/", RUST).into_iter();
    for (name, text) in sources.filter(|(name, _)| !name.contains("test")) {
        let in_store = name.strip_prefix(store);
        assert!(
            in_store.is_some() || !text.contains("sqlx"),
            "{name} has SQL"
        );
        let may = in_store.is_some_and(|file| only_sqlite.contains(&file));
        for word in [
            "\"PRAGMA",
            "\"VACUUM",
            "sqlite_master",
            "SELECT sqlite_",
            "USING fts5",
            " MATCH ?",
            "bm25(",
        ] {
            assert!(may || !text.contains(word), "{name} says {word}");
        }
    }
}

#[test]
fn every_lint_has_its_reason() {
    let manifest = read("Cargo.toml");
    let mut lints = 0;
    let mut in_lints = false;
    let mut explained = false;
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            in_lints = line.starts_with("[workspace.lints");
            explained = false;
        } else if line.starts_with('#') {
            explained = true;
        } else if line.is_empty() {
            explained = false;
        } else if in_lints {
            lints += 1;
            assert!(explained, "no reason above {line}");
        }
    }
    assert!(lints > 5, "the lints are found");
    for (name, text) in sources("", &["Cargo.toml"]) {
        let inherits = text.contains("[lints]\nworkspace = true");
        assert!(name == "Cargo.toml" || inherits, "{name} takes the lints");
    }
}

#[test]
fn the_lists_of_commands_agree() {
    let quoted = |text: &str| -> BTreeSet<String> {
        let odd = text.split('"').skip(1).step_by(2);
        odd.map(str::to_owned).collect()
    };
    let build = read("src-tauri/build.rs");
    let listed = quoted(between(&build, "const COMMANDS: &[&str] = &[", "]"));
    assert!(
        listed.contains("send_prompt"),
        "found in build.rs: {listed:?}"
    );

    let shell = sources("src-tauri/src/", &[".rs"]);
    let handler = shell
        .iter()
        .find(|(_, text)| text.contains("generate_handler!"));
    let handled = between(&handler.unwrap().1, "generate_handler![", "]").split(',');
    let handled: BTreeSet<String> = handled
        .map(|path| path.rsplit("::").next().unwrap_or(path).trim().to_owned())
        .filter(|name| !name.is_empty())
        .collect();
    assert_eq!(handled, listed, "generate_handler! and build.rs");

    let mut granted = BTreeSet::new();
    for (name, text) in sources("src-tauri/capabilities/", &[".json"]) {
        let capability: Value = serde_json::from_str(&text).unwrap();
        for permission in capability["permissions"].as_array().unwrap() {
            let permission = permission.as_str();
            let permission = permission.unwrap_or_else(|| panic!("{name}: a plain name"));
            // Nothing of Tauri's own, such as core:default.
            let command = permission.strip_prefix("allow-");
            let command = command.unwrap_or_else(|| panic!("{name} grants {permission}"));
            granted.insert(command.replace('-', "_"));
        }
    }
    assert_eq!(granted, listed, "the capability and build.rs");
}

/// Each window may call what is granted to it and nothing of the other's.
#[test]
fn only_the_confirmation_window_may_answer() {
    let granted = |name: &str| -> Value {
        let text = read(&format!("src-tauri/capabilities/{name}.json"));
        serde_json::from_str(&text).unwrap()
    };
    let (main, confirm) = (granted("main"), granted("confirm"));
    let answer = "allow-answer-confirmation";
    assert_eq!(confirm["permissions"], serde_json::json!([answer]));
    assert_eq!(confirm["windows"], serde_json::json!(["confirm-*"]));
    assert_eq!(main["windows"], serde_json::json!(["main"]));
    let permissions = main["permissions"].as_array().unwrap();
    assert!(!permissions.iter().any(|permission| permission == answer));
}

/// Why script in the page may call it, or what stands in its way, is written where it is declared.
#[test]
fn every_command_says_what_a_script_in_the_page_can_do_with_it() {
    let commands = read("src-tauri/src/commands.rs");
    let declared: Vec<_> = commands.split("#[tauri::command]").collect();
    assert!(declared.len() > 30, "the commands are found");
    for pair in declared.windows(2) {
        let name = pair[1].lines().nth(1).unwrap_or_default();
        let above = pair[0].lines().rev().take_while(|line| !line.is_empty());
        let said = above
            .clone()
            .any(|line| line.starts_with("/// From the page: "));
        assert!(said, "{name} does not say");
    }
}

#[test]
fn the_content_security_policy_is_strict() {
    let config: Value = serde_json::from_str(&read("src-tauri/tauri.conf.json")).unwrap();
    let security = &config["app"]["security"];
    let policy = security["csp"].as_str().expect("a policy is set");
    assert!(policy.contains("default-src"), "{policy}");
    for word in policy.split([' ', ';']) {
        let loose = word.contains("unsafe") || word == "*";
        let abroad = ["http", "ws"].iter().any(|scheme| word.starts_with(scheme));
        let fine = !loose && (!abroad || word == "http://ipc.localhost");
        assert!(fine, "{word} in {policy}");
    }
    let scripts = policy.split(';').map(str::trim);
    let scripts = scripts.filter(|part| part.starts_with("script-src"));
    assert_eq!(scripts.collect::<Vec<_>>(), ["script-src 'self'"]);
    assert_ne!(config["app"]["withGlobalTauri"], true);
    assert!(
        !security["dangerousDisableAssetCspModification"]
            .as_bool()
            .unwrap_or(false)
    );
}

#[test]
fn no_file_is_too_long() {
    for (name, text) in sources("", &[".rs", ".ts", ".tsx"]) {
        let lines = text.lines().count();
        let generated = name == "ui/src/host/protocol.ts";
        assert!(lines <= 800 || generated, "{name} has {lines} lines");
    }
}

#[test]
fn the_top_level_holds_what_the_design_names() {
    let allowed = [
        "Cargo.toml",
        "Cargo.lock",
        "Makefile",
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "LICENSE-APACHE",
        "LICENSE-MIT",
        "SECURITY.md",
        "rustfmt.toml",
        "icons",
        "src-tauri",
        "tests",
        "ui",
        // Made by cargo, unknown to git.
        "target",
    ];
    for entry in std::fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let fine = name.starts_with('.') || allowed.contains(&name.as_str());
        assert!(fine, "{name} at the top level");
    }
}

#[test]
fn documents_name_files_that_exist() {
    let files = files();
    for document in ["README.md", "CONTRIBUTING.md", "src-tauri/DECISIONS.md"] {
        for line in read(document).lines() {
            let named = line.split('`').skip(1).step_by(2);
            for named in named.filter(|it| it.ends_with(".rs") && !it.contains(['*', ' '])) {
                let exists = files.iter().any(|(name, _)| name.ends_with(named));
                assert!(exists, "{document} names {named}");
            }
        }
    }
}

#[test]
fn no_file_names_a_machine() {
    // Put together here, so that this file does not find itself.
    let folders = ["root", "work", "home"].map(|name| format!("/{name}/"));
    for (name, path) in files() {
        // Pictures and fonts are no text.
        let Ok(text) = std::fs::read_to_string(path) else {
            continue;
        };
        for folder in &folders {
            // Part of a longer path or address is another thing: only its start counts.
            let named = text.match_indices(folder).any(|(at, _)| {
                let before = text[..at].chars().next_back();
                before.is_none_or(|letter| !letter.is_alphanumeric() && !"._-/}".contains(letter))
            });
            assert!(!named, "{name} names {folder}");
        }
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let after = text.split_once(start).map_or("", |(_, after)| after);
    after.split_once(end).map_or(after, |(inside, _)| inside)
}
