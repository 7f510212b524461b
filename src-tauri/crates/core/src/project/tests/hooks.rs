//! Hooks of a folder: shown to the last byte, and run only as they were shown.

use serde_json::{Value, json};
use tokio::sync::watch;
use uuid::Uuid;

use super::{Offer, Project, Trust, folder, open, trusted, write};
use crate::hook::{HookInput, Permission, Point, PointOutcome};

pub(super) const SETTINGS: &str = ".claude/settings.json";

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
pub(super) fn turn(folder: &std::path::Path, trust: &mut Trust) -> (Project, String) {
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
        (SETTINGS, "{}", "is gone: what it guards is held back"),
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

/// A program is known to its last byte, however large.
#[test]
fn the_last_byte_of_a_large_program_asks_again() {
    let mut program = vec![b'x'; 5 * 1024 * 1024];
    let folder = folder(&[(SETTINGS, &settings("./check.sh"))]);
    let file = folder.path().join("check.sh");
    std::fs::write(&file, &program).unwrap();
    let mut trust = trusted(folder.path());
    assert_eq!(turn(folder.path(), &mut trust).0.hooks.len(), 1);
    if let Some(last) = program.last_mut() {
        *last = b'y';
    }
    std::fs::write(&file, &program).unwrap();
    assert_eq!(turn(folder.path(), &mut trust).0.hooks.len(), 0);
}

/// Whatever runs when the hook does is part of what was agreed to.
#[test]
fn another_script_asks_again_however_it_is_named() {
    let rows = [
        ("sh h/guard", "h/guard"),
        ("python3.11 -u h/guard < notes", "h/guard"),
        ("FAST=1 /usr/bin/env bash 'h/guard' > out", "h/guard"),
        ("cd h && sh guard", "h/guard"),
        ("cd h; ./deeper/guard.sh", "h/deeper/guard.sh"),
        ("node h/guard.mts", "h/guard.mts"),
        ("$PWD/h/guard.sh", "h/guard.sh"),
        ("${CLAUDE_PROJECT_DIR:-.}/h/guard.sh", "h/guard.sh"),
        ("./h/guard\\ me.sh", "h/guard me.sh"),
        ("./h/../h/guard.sh", "h/guard.sh"),
        ("./h/g*.sh", "h/guard.sh"),
        ("G=./h; $G/guard.sh", "h/guard.sh"),
        ("exec h//guard.sh", "h/guard.sh"),
        ("make check", "Makefile"),
        ("cd h && npm run check", "h/package.json"),
    ];
    for (command, script) in rows {
        let folder = folder(&[(SETTINGS, &settings(command)), (script, "1")]);
        write(folder.path(), "state.json", "1");
        write(folder.path(), "out", "1");
        let mut trust = trusted(folder.path());
        write(folder.path(), "state.json", "2");
        write(folder.path(), "out", "2");
        let ready = turn(folder.path(), &mut trust).0.hooks.len();
        assert_eq!(
            ready, 1,
            "what it does not name, and its log, may change: {command}"
        );
        write(folder.path(), script, "2");
        let ready = turn(folder.path(), &mut trust).0.hooks.len();
        assert_eq!(ready, 0, "{command}");
    }
}

#[test]
fn a_link_that_leads_elsewhere_asks_again() {
    let elsewhere = folder(&[("first", "exit 2"), ("second", "exit 0")]);
    let folder = folder(&[(SETTINGS, &settings("./guard.sh"))]);
    let link = folder.path().join("guard.sh");
    std::os::unix::fs::symlink(elsewhere.path().join("first"), &link).unwrap();
    let shown = Offer::read(folder.path()).unwrap().text();
    assert!(shown.contains("guard.sh (a link to "), "{shown}");
    let mut trust = trusted(folder.path());
    assert_eq!(turn(folder.path(), &mut trust).0.hooks.len(), 1);
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(elsewhere.path().join("second"), &link).unwrap();
    assert_eq!(turn(folder.path(), &mut trust).0.hooks.len(), 0);
}

/// A log changes with each run.
#[test]
fn a_log_that_a_hook_writes_does_not_stop_it() {
    let folder = folder(&[(SETTINGS, &settings("cat >> log"))]);
    let mut trust = trusted(folder.path());
    write(folder.path(), "log", "1");
    let (project, told) = turn(folder.path(), &mut trust);
    assert_eq!((project.hooks.len(), told.as_str()), (1, ""));
    // The same name, and now it is a program.
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

/// What a file said, and what it says then; what came of it at a prompt, and at calls of a tool
/// that the hook looked at and of one that it did not.
struct Row {
    what: &'static str,
    change: fn(&std::path::Path),
    prompt: bool,
    read: bool,
    list: bool,
}

const LOCAL: &str = ".claude/settings.local.json";

fn guarding() -> Value {
    let hook = |command: &str| json!({"type": "command", "command": command});
    json!({"hooks": {
        "UserPromptSubmit": [{"hooks": [hook("sh .claude/prompt.sh")]}],
        "PreToolUse": [{"matcher": "Read|Grep", "hooks": [hook("sh .claude/call.sh")]}],
        "PostToolUse": [{"hooks": [hook("true")]}],
    }})
}

fn edit(folder: &std::path::Path, name: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(text.contains(from), "{text}");
    write(folder, name, &text.replace(from, to));
}

async fn said(project: &Project, point: Point) -> PointOutcome {
    let (_stop, mut stopped) = watch::channel(false);
    let input = HookInput {
        session: Uuid::nil(),
        cwd: project.path.clone(),
        point,
    };
    project.runnable().run(input, &mut stopped).await
}

async fn at_prompt(project: &Project) -> PointOutcome {
    let prompt = "Hello.".to_owned();
    said(project, Point::UserPromptSubmit { prompt }).await
}

pub(super) async fn at_call(project: &Project, tool: &str) -> PointOutcome {
    let point = Point::PreToolUse {
        tool_name: tool.to_owned(),
        tool_input: json!({"path": "a"}),
        tool_use_id: "a".to_owned(),
    };
    said(project, point).await
}

/// Why a call is denied by hooks; none where it is not.
pub(super) fn denied(said: PointOutcome) -> Option<String> {
    let (permission, reason) = said.permission?;
    assert_eq!(permission, Permission::Deny);
    Some(reason)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_missing_hook_guarded_is_held_back() {
    let row = |what, change, [prompt, read, list]: [bool; 3]| Row {
        what,
        change,
        prompt,
        read,
        list,
    };
    let rows = [
        row("nothing", |_| {}, [false, false, false]),
        row(
            "a new hook beside them",
            |folder| {
                let new = hook_of("UserPromptSubmit", "touch ran");
                write(folder, LOCAL, &new);
            },
            [false, false, false],
        ),
        row(
            "one that guards nothing is gone",
            |folder| edit(folder, SETTINGS, "PostToolUse", "PostToolUsed"),
            [false, false, false],
        ),
        row(
            "a script changed",
            |folder| write(folder, ".claude/call.sh", "touch ran"),
            [false, true, false],
        ),
        row(
            "a script deleted",
            |folder| std::fs::remove_file(folder.join(".claude/call.sh")).unwrap(),
            [false, true, false],
        ),
        row(
            "the other script a link",
            |folder| {
                std::fs::remove_file(folder.join(".claude/prompt.sh")).unwrap();
                std::os::unix::fs::symlink("/bin/true", folder.join(".claude/prompt.sh")).unwrap();
            },
            [true, false, false],
        ),
        row(
            "the settings deleted",
            |folder| std::fs::remove_file(folder.join(SETTINGS)).unwrap(),
            [true, true, false],
        ),
        row(
            "the settings no JSON",
            |folder| write(folder, SETTINGS, "{"),
            [true, true, false],
        ),
        row(
            "the settings a folder",
            |folder| {
                std::fs::remove_file(folder.join(SETTINGS)).unwrap();
                std::fs::create_dir(folder.join(SETTINGS)).unwrap();
            },
            [true, true, false],
        ),
        row(
            "the folder of settings deleted",
            |folder| std::fs::remove_dir_all(folder.join(".claude")).unwrap(),
            [true, true, false],
        ),
        row(
            "one taken out",
            |folder| {
                let mut kept = guarding();
                let events = kept["hooks"].as_object_mut().unwrap();
                events.remove("PreToolUse");
                write(folder, SETTINGS, &kept.to_string());
            },
            [false, true, false],
        ),
        row(
            "the matcher narrower",
            |folder| edit(folder, SETTINGS, "Read|Grep", "Grep"),
            [false, true, false],
        ),
        row(
            "failClosed turned off",
            |folder| {
                let open = "call.sh\",\"failClosed\":false";
                edit(folder, SETTINGS, "call.sh\"", open);
            },
            [false, true, false],
        ),
        row(
            "another event",
            |folder| edit(folder, SETTINGS, "UserPromptSubmit", "Stop"),
            [true, false, false],
        ),
        row(
            "so many before it that it is left out",
            |folder| {
                let more = json!({"type": "command", "command": "touch ran"});
                let mut all = guarding();
                let list = all["hooks"]["PostToolUse"][0]["hooks"].as_array_mut();
                let list = list.unwrap();
                list.splice(0..0, vec![more; 50]);
                write(folder, SETTINGS, &all.to_string());
            },
            [true, true, false],
        ),
    ];
    for Row {
        what,
        change,
        prompt,
        read,
        list,
    } in rows
    {
        let folder = folder(&[
            (SETTINGS, &guarding().to_string()),
            (".claude/call.sh", "exit 0"),
            (".claude/prompt.sh", "exit 0"),
        ]);
        let path = folder.path();
        let mut trust = trusted(path);
        change(path);
        // What is told once holds every time.
        for _ in 0..2 {
            let (project, _) = turn(path, &mut trust);
            let held = at_prompt(&project).await.block;
            assert_eq!(held.is_some(), prompt, "{what}: {held:?}");
            let read_denied = denied(at_call(&project, "read_file").await);
            assert_eq!(read_denied.is_some(), read, "{what}: {read_denied:?}");
            let list_denied = denied(at_call(&project, "list_files").await);
            assert_eq!(list_denied.is_some(), list, "{what}: {list_denied:?}");
            for reason in [held, read_denied].into_iter().flatten() {
                assert!(reason.contains("weir trust "), "{what}: {reason}");
            }
            assert_eq!(project.asks_again(), prompt || read || what.contains("new"));
        }
        assert!(!path.join("ran").exists(), "{what}");
        // Trusted as it is, nothing is held back any more.
        let (project, told) = turn(path, &mut trusted(path));
        assert!(project.missing_hooks.is_empty(), "{what}");
        assert!(!told.contains("hook"), "{what}: {told}");
    }
}

fn hook_of(event: &str, command: &str) -> String {
    json!({"hooks": {event: [{"hooks": [{"type": "command", "command": command}]}]}}).to_string()
}

/// Opened before the change: a turn that is under way, or a dialog that waits.
#[tokio::test(flavor = "multi_thread")]
async fn a_script_that_changes_after_the_look_is_not_run() {
    let folder = folder(&[
        (SETTINGS, &guarding().to_string()),
        (".claude/call.sh", "touch first"),
        (".claude/prompt.sh", "exit 0"),
    ]);
    let path = folder.path();
    let (project, _) = turn(path, &mut trusted(path));
    assert_eq!(denied(at_call(&project, "read_file").await), None);
    assert!(path.join("first").exists());
    write(path, ".claude/call.sh", "touch second");
    let reason = denied(at_call(&project, "read_file").await).unwrap();
    assert!(reason.contains("has changed since you agreed"), "{reason}");
    assert!(!path.join("second").exists());
    // Back as it was, it runs again.
    write(path, ".claude/call.sh", "touch first");
    assert_eq!(denied(at_call(&project, "read_file").await), None);
}

/// A record that has only names: the event tells, and the matcher is everything. Where the hook
/// is there, the record learns the rest.
#[tokio::test(flavor = "multi_thread")]
async fn an_older_record_holds_back_by_its_names() {
    let folder = folder(&[
        (SETTINGS, &guarding().to_string()),
        (".claude/call.sh", "exit 0"),
        (".claude/prompt.sh", "exit 0"),
    ]);
    let path = folder.path();
    let new = trusted(path);
    let mut kept = serde_json::to_value(&new).unwrap();
    let hooks = kept["hooks"].as_object_mut().unwrap();
    for hook in hooks.values_mut() {
        let (event, command) = (hook["event"].as_str(), hook["command"].as_str());
        *hook = format!("{} hook {}", event.unwrap(), command.unwrap()).into();
    }
    let older: Trust = serde_json::from_value(kept.clone()).unwrap();
    // Learned while the hooks were there.
    let (_, told) = turn(path, &mut older.clone());
    assert_eq!(told, "");
    assert_eq!(open(path, &older).unwrap().trust.hooks, new.hooks);

    std::fs::remove_file(path.join(SETTINGS)).unwrap();
    let (project, told) = turn(path, &mut older.clone());
    assert!(told.contains("UserPromptSubmit hook sh .claude/prompt.sh is gone: what it"));
    assert!(told.contains("PostToolUse hook true is gone and no longer runs."));
    assert!(at_prompt(&project).await.block.is_some());
    for tool in ["read_file", "list_files"] {
        assert!(denied(at_call(&project, tool).await).is_some(), "{tool}");
    }
    // What names no hook is no record that anybody could keep to.
    kept["hooks"]["x"] = "nonsense".into();
    assert!(serde_json::from_value::<Trust>(kept).is_err());
}

#[test]
fn trusting_again_shows_what_is_not_as_it_was() {
    let folder = folder(&[
        (SETTINGS, &guarding().to_string()),
        (".claude/call.sh", "exit 0"),
        (".claude/prompt.sh", "exit 0"),
    ]);
    let path = folder.path();
    let before = trusted(path);
    let same = Offer::read(path).unwrap().beside(&before);
    assert_eq!(same.differences, Vec::<String>::new());
    edit(path, SETTINGS, "Read|Grep", "Grep");
    edit(path, SETTINGS, "UserPromptSubmit", "Stop");
    let shown = Offer::read(path).unwrap().beside(&before).text();
    for line in [
        "Hooks that are not as you agreed to them before:",
        "  changed: PreToolUse hook sh .claude/call.sh (before: of Read|Grep, holds back when it fails); what it guarded is held back until you agree",
        "  gone: UserPromptSubmit hook sh .claude/prompt.sh (of everything, holds back when it fails); what it guarded is held back until you agree",
        "  new: Stop hook sh .claude/prompt.sh",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}
