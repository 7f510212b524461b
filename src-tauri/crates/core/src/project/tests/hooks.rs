//! Hooks of a folder: shown to the last byte, and run only as they were shown.

use super::{Offer, Project, Trust, folder, open, trusted, write};

const SETTINGS: &str = ".claude/settings.json";

fn settings(command: &str) -> String {
    serde_json::json!({"hooks": {"PreToolUse": [
        {"matcher": "Read", "hooks": [{"type": "command", "command": command}]},
    ]}})
    .to_string()
}

fn commands(hooks: &[super::super::ProjectHook]) -> Vec<&str> {
    let commands = hooks.iter().map(|hook| &hook.definition.handler.command);
    commands.map(String::as_str).collect()
}

/// As before a turn: opened, told, and taken as seen.
fn turn(folder: &std::path::Path, trust: &mut Trust) -> (Project, String) {
    let project = open(folder, trust).unwrap();
    let told = project.notices.join("\n");
    *trust = project.trust.clone();
    (project, told)
}

#[test]
fn the_offer_shows_what_would_run() {
    let text = serde_json::json!({"hooks": {
        "PreToolUse": [{"matcher": "Bash|Read", "hooks": [
            {"type": "command", "command": "python3 .claude/check.py\u{202e} \u{200b}--safe\nrm -rf x", "timeout": 5},
            {"type": "command", "command": "check", "args": ["a b", "c\u{0007}"], "failClosed": false},
        ]}],
        "Stop": [{"hooks": [{"type": "http", "url": "http://127.0.0.1:9"}]}],
    }});
    let folder = folder(&[
        (SETTINGS, &text.to_string()),
        (".claude/check.py", "print(1)"),
    ]);
    let shown = Offer::read(folder.path()).unwrap().text();
    let expected = [
        "Hooks, commands that would run on this machine:",
        "  PreToolUse of Bash|Read (.claude/settings.json)",
        "    shell: python3 .claude/check.py\\u{202e} \\u{200b}--safe\\u{a}rm -rf x",
        "    ended after 5 s",
        "    program: \"check\" \"a b\" \"c\\u0007\"",
        "    lets through when it fails",
        "A hook of Stop has the type http, which Weir does not run.",
    ];
    for line in expected {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

#[test]
fn one_byte_of_a_hook_or_its_script_asks_again() {
    let first = settings("sh .claude/check.sh");
    let folder = folder(&[(SETTINGS, &first), (".claude/check.sh", "exit 0")]);
    let path = folder.path();
    let mut trust = trusted(path);
    let (project, told) = turn(path, &mut trust);
    assert_eq!(commands(&project.hooks), ["sh .claude/check.sh"]);
    assert_eq!(told, "");

    let second = settings("sh .claude/check.sh ");
    let rows: [(&str, &str, &str); 4] = [
        (SETTINGS, &second, "is not what you agreed to"),
        (".claude/check.sh", "exit 1", "has changed since you agreed"),
        (
            SETTINGS,
            &first.replace("Read", "Rea"),
            "has changed since you agreed",
        ),
        (SETTINGS, "{}", "is gone and no longer runs"),
    ];
    for (name, text, notice) in rows {
        let before = std::fs::read_to_string(path.join(name)).unwrap();
        write(path, name, text);
        let (project, told) = turn(path, &mut trust);
        assert_eq!(commands(&project.hooks), Vec::<&str>::new(), "{text}");
        let waits = usize::from(text != "{}");
        assert_eq!(project.waiting_hooks.len(), waits, "{text}");
        assert!(told.contains(notice), "{text}: {told}");
        // Told once; it still does not run.
        let (project, told) = turn(path, &mut trust);
        assert_eq!((commands(&project.hooks).len(), told.as_str()), (0, ""));
        // What the user agreed to is good for as long as they trust the folder.
        write(path, name, &before);
        let (project, _) = turn(path, &mut trust);
        assert_eq!(commands(&project.hooks).len(), 1, "{text}");
    }
    write(path, SETTINGS, &second);
    let mut trust = trusted(path);
    let (project, told) = turn(path, &mut trust);
    assert_eq!(commands(&project.hooks), ["sh .claude/check.sh "]);
    assert_eq!(told, "");
}

/// What a command reads and writes is not what it runs.
#[test]
fn a_file_that_a_hook_writes_does_not_stop_it() {
    let folder = folder(&[(SETTINGS, &settings("cat >> log; cat notes.md"))]);
    let mut trust = trusted(folder.path());
    write(folder.path(), "log", "1");
    write(folder.path(), "notes.md", "new");
    let (project, told) = turn(folder.path(), &mut trust);
    assert_eq!((project.hooks.len(), told.as_str()), (1, ""));
    // The same names, and now they are programs.
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("log"), mode).unwrap();
    let (project, _) = turn(folder.path(), &mut trust);
    assert_eq!(project.hooks.len(), 0);
}

/// What was trusted before there were hooks has agreed to none.
#[test]
fn an_older_trust_covers_no_hook() {
    let folder = folder(&[(SETTINGS, &settings("check"))]);
    let mut kept = serde_json::to_value(trusted(folder.path())).unwrap();
    let fields = kept.as_object_mut().unwrap();
    fields.remove("hooks");
    fields.remove("told");
    let mut older: Trust = serde_json::from_value(kept).unwrap();
    let (project, told) = turn(folder.path(), &mut older);
    assert!(project.hooks.is_empty() && project.waiting_hooks.len() == 1);
    assert!(
        told.contains("PreToolUse hook check is not what you agreed to"),
        "{told}"
    );
}
