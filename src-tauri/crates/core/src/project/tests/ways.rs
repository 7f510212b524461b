//! Ways to change what a hook runs. Each is tried for real: the changed code does not run until
//! the folder is trusted again, and then it does, so the way is one.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

mod commands;

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use serde_json::{Value, json};

use super::hooks::{SETTINGS, at_call, denied, turn};
use super::{Offer, folder, trusted, write};
use commands::{
    INDIRECT, INVENTED, LANGUAGES, MK, PACKAGE, PL, PY, REVIEWED, RUNNERS, SH, SPELLINGS, TOOL,
    UNUSUAL, Way,
};

/// What stands in a file before: nothing that any of the languages minds.
fn harmless(code: &str) -> &'static str {
    match code {
        MK => "all:\n\t@true\n",
        PACKAGE => r#"{"scripts": {"check": "true"}}"#,
        PL => "1;\n",
        _ if code.starts_with("#!") => "#!/bin/sh\n",
        _ => "",
    }
}

fn settings(handler: &Value) -> String {
    json!({"hooks": {"PreToolUse": [{"hooks": [handler]}]}}).to_string()
}

fn shell(command: &str) -> Value {
    json!({"type": "command", "command": command})
}

fn executable(folder: &Path, name: &str) {
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join(name), mode).unwrap();
}

fn ran(folder: &Path) -> bool {
    folder.join("ran").exists()
}

/// Trusts, runs, changes: nothing runs, be the project opened before the change or after; trusted
/// again, it does. Says what went wrong, if anything did.
async fn notices(project: &Path, change: impl FnOnce()) -> Option<String> {
    let mut trust = trusted(project);
    let (before, _) = turn(project, &mut trust);
    // What it writes itself is no reason to ask: it runs as often as it likes.
    for _ in 0..2 {
        let held = denied(at_call(&before, "read_file").await);
        if held.is_some_and(|it| it.contains("has changed")) || before.hooks.len() != 1 {
            return Some("asks again by itself".to_owned());
        }
        if ran(project) {
            return Some("runs it too early".to_owned());
        }
    }
    change();
    denied(at_call(&before, "read_file").await);
    if ran(project) {
        return Some("runs what has changed since the project was opened".to_owned());
    }
    let (after, _) = turn(project, &mut trust);
    denied(at_call(&after, "read_file").await);
    if ran(project) || !after.hooks.is_empty() {
        return Some("runs what has changed".to_owned());
    }
    let (again, _) = turn(project, &mut trusted(project));
    let held = denied(at_call(&again, "read_file").await);
    (!ran(project)).then(|| format!("never runs it: {held:?}"))
}

async fn try_all(ways: &[Way]) -> usize {
    let mut wrong = Vec::new();
    for (command, file, code) in ways {
        let folder = folder(&[(SETTINGS, &settings(&shell(command)))]);
        let path = folder.path();
        // A name with "new" in it appears only with the change.
        write(path, "h/deep/keep", "");
        write(path, "h/deep/list", "new\n");
        if !file.contains("new") {
            write(path, file, harmless(code));
            if code.starts_with("#!") {
                executable(path, file);
            }
        }
        let change = || {
            write(path, file, code);
            if code.starts_with("#!") {
                executable(path, file);
            }
        };
        let what = notices(path, change).await;
        wrong.extend(what.map(|what| format!("{command}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    ways.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_in_every_spelling() {
    let count = try_all(&SPELLINGS).await;
    println!("{count} spellings, each noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_behind_other_programs() {
    let count = try_all(&INDIRECT).await;
    println!("{count} ways through other programs, each noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_in_every_language() {
    let mut count = try_all(&LANGUAGES).await;
    count += try_all(&RUNNERS).await;
    println!("{count} ways through interpreters and runners, each noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_in_unusual_commands() {
    let count = try_all(&UNUSUAL).await;
    println!("{count} unusual ways, each noticed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_whoever_reads_or_writes_it() {
    let mut count = try_all(REVIEWED).await;
    count += try_all(INVENTED).await;
    println!("{count} ways through readers, writers and redefined words, each noticed");
}

/// Programs with arguments, without a shell.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_among_arguments() {
    let rows: [(&str, &[&str], &str, &str); 8] = [
        ("sh", &["h/x"], "h/x", SH),
        ("/bin/sh", &["h/a b"], "h/a b", SH),
        ("sh", &["-c", "sh 'h/a b'"], "h/a b", SH),
        ("env", &["BASH_ENV=h/x", "bash", "-c", "true"], "h/x", SH),
        ("python3", &["-m", "h.x"], "h/x.py", PY),
        ("python3", &["-c", "exec(open('h/x').read())"], "h/x", PY),
        ("h/tool", &[], "h/tool", TOOL),
        ("./h/a b", &["x"], "h/a b", TOOL),
    ];
    for (command, args, file, code) in rows {
        let handler = json!({"type": "command", "command": command, "args": args});
        let folder = folder(&[(SETTINGS, &settings(&handler)), (file, harmless(code))]);
        executable(folder.path(), file);
        let change = || write(folder.path(), file, code);
        let wrong = notices(folder.path(), change).await;
        assert_eq!(wrong, None, "{handler}");
    }
}

/// What lies beside the project is other people's, and may be large.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_folder_beside_the_project_is_no_reason_to_refuse() {
    let around = tempfile::tempdir().unwrap();
    let project = around.path().join("project");
    let handler = shell("cd h/deep && sh ../../$(basename h)/x");
    write(&project, SETTINGS, &settings(&handler));
    write(&project, "h/deep/keep", "");
    write(&project, "h/x", harmless(SH));
    for number in 0..4_001 {
        write(&around.path().join("other/x"), &number.to_string(), "");
    }
    let wrong = notices(&project, || write(&project, "h/x", SH)).await;
    assert_eq!(wrong, None);
}

/// What a link is, where it leads, and what stands there; what may run.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_link_or_mode_is_noticed() {
    type Step = fn(&Path, &Path);
    let rows: [(&str, &str, Step, Step); 9] = [
        (
            "the target",
            "sh h/x",
            |folder, out| symlink(out.join("one"), folder.join("h/x")).unwrap(),
            |_, out| write(out, "one", SH),
        ),
        (
            "another target",
            "sh h/x",
            |folder, out| symlink(out.join("one"), folder.join("h/x")).unwrap(),
            |folder, out| {
                write(out, "two", SH);
                std::fs::remove_file(folder.join("h/x")).unwrap();
                symlink(out.join("two"), folder.join("h/x")).unwrap();
            },
        ),
        (
            "a link of a link",
            "sh x",
            |folder, out| {
                symlink("h/y", folder.join("x")).unwrap();
                symlink(out.join("one"), folder.join("h/y")).unwrap();
            },
            |_, out| write(out, "one", SH),
        ),
        (
            "a folder behind a link",
            "sh l/one",
            |folder, out| symlink(out, folder.join("l")).unwrap(),
            |_, out| write(out, "one", SH),
        ),
        (
            "a folder that becomes a link",
            "sh h/one",
            |folder, _| write(folder, "h/one", ""),
            |folder, out| {
                write(out, "one", SH);
                std::fs::remove_dir_all(folder.join("h")).unwrap();
                symlink(out, folder.join("h")).unwrap();
            },
        ),
        (
            "a link in a folder",
            "cat h/* | sh",
            |folder, out| symlink(out.join("one"), folder.join("h/x")).unwrap(),
            |_, out| write(out, "one", SH),
        ),
        (
            "a link in a folder that is named",
            "for f in $(ls h); do sh h/$f; done",
            |folder, out| symlink(out.join("one"), folder.join("h/x")).unwrap(),
            |_, out| write(out, "one", SH),
        ),
        (
            "a link that led nowhere",
            "test -e h/x || exit 0; sh h/x",
            |folder, out| symlink(out.join("three"), folder.join("h/x")).unwrap(),
            |_, out| write(out, "three", SH),
        ),
        (
            "the mode",
            "test -x h/x || exit 0; h/x",
            |folder, _| write(folder, "h/x", &format!("#!/bin/sh\n{SH}")),
            |folder, _| executable(folder, "h/x"),
        ),
    ];
    for (what, command, before, change) in rows {
        let elsewhere = folder(&[("one", "")]);
        let folder = folder(&[(SETTINGS, &settings(&shell(command))), ("h/deep/keep", "")]);
        before(folder.path(), elsewhere.path());
        let change = || change(folder.path(), elsewhere.path());
        let wrong = notices(folder.path(), change).await;
        assert_eq!(wrong, None, "{what}");
    }
}

/// Runs, changes a file, and runs again. Says in which round it asked, if it did.
async fn asks(handler: &Value, file: &str) -> Option<usize> {
    let folder = folder(&[
        (SETTINGS, &settings(handler)),
        ("h/x", ""),
        ("h/mod.py", ""),
        ("h/__main__.py", ""),
        ("h/__init__.py", ""),
        ("src/main.rs", "fn main() {}"),
        ("logs/first", ""),
        ("notes.md", "notes"),
        ("Makefile", "check:\n\t@true\n"),
        ("package.json", "{}"),
    ]);
    let path = folder.path();
    let mut trust = trusted(path);
    // The last round sees what the one before has changed.
    for round in 0..3 {
        let (project, _) = turn(path, &mut trust);
        let held = denied(at_call(&project, "read_file").await).unwrap_or_default();
        if project.hooks.len() != 1 || held.contains("has changed") {
            return Some(round);
        }
        write(path, file, &format!("round {round}"));
    }
    None
}

/// A command, and what is changed before the next run: a log, or what it does not name.
#[tokio::test(flavor = "multi_thread")]
async fn a_log_and_what_is_not_named_do_not_ask_again() {
    let rows = [
        ("sh h/x", "other.sh"),
        ("sh h/x", "h/y"),
        ("sh h/x", "src/main.rs"),
        ("date", "new file"),
        ("grep -q wait || exit 0; echo $$ > pid; sh h/x", "pid"),
        ("echo \"$@ $# $? ${#X} ${!Y}\" > out; sh h/x", "out"),
        ("sh h/x >> hook.log", "hook.log"),
        ("sh h/x >> hook.log 2>&1", "hook.log"),
        ("sh h/x 2>> hook.log >&2", "hook.log"),
        ("sh h/x 1>> hook.log", "hook.log"),
        ("sh h/x > out 2> err", "err"),
        ("sh h/x &> out", "out"),
        ("sh h/x >> \"log of it\"", "log of it"),
        ("sh h/x >> logs/all", "logs/all"),
        ("sh h/x >> logs/all", "logs/other"),
        ("for f in h/*; do sh $f; done >> hook.log", "hook.log"),
        ("date >> hook.log; sh h/x >> hook.log", "hook.log"),
        ("sh -c 'sh h/x >> hook.log'", "hook.log"),
        ("bash -lc 'sh h/x > out'", "out"),
        ("cat /dev/stdin >> hook.log 2> /dev/null", "hook.log"),
        ("cat > $CLAUDE_PROJECT_DIR/told.json", "told.json"),
        ("cd src && date >> log", "src/log"),
        ("cd src && true", "src/main.rs"),
        ("make check", "check/a"),
        ("npm run build", "build/a"),
        ("git status", "status/a"),
        ("git status --short src || true", "notes.md"),
        ("jq -r .prompt | grep -q x; true", "y.json"),
    ];
    let mut wrong = Vec::new();
    for (command, file) in rows {
        let round = asks(&shell(command), file).await;
        wrong.extend(round.map(|round| format!("{command}: {file} in round {round}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} harmless changes, none asked", rows.len());
}

/// Whatever a command names counts, whoever reads or writes it; the `unwatched` list says which of
/// it is data.
#[tokio::test(flavor = "multi_thread")]
async fn named_data_asks_unless_it_is_listed() {
    let rows = [
        ("grep -q TODO notes.md; sh h/x", "notes.md", "notes.md"),
        ("! grep -rq FIXME src", "src/main.rs", "src"),
        ("cat notes.md", "notes.md", "notes.md"),
        ("test -f notes.md; true", "notes.md", "notes.md"),
        ("echo 'see notes.md'", "notes.md", "notes.md"),
        ("cat <<E\nRead notes.md first.\nE", "notes.md", "notes.md"),
        ("sh h/x | tee -a hook.log", "hook.log", "hook.log"),
        ("touch stamp; sh h/x", "stamp", "stamp"),
        ("LOG=hook.log; sh h/x >> \"$LOG\"", "hook.log", "hook.log"),
        (
            "tail -n 1 hook.log; date >> hook.log",
            "hook.log",
            "hook.log",
        ),
        ("mkdir -p logs && date >> logs/all", "logs/all", "logs"),
        ("cat logs/*", "logs/all", "logs/*"),
        ("cat >> h/hook.log; run-parts h", "h/hook.log", "h/hook.log"),
        ("date >> log; sh h/x /dev/fd/1", "log", "log"),
    ];
    for (command, file, list) in rows {
        assert!(asks(&shell(command), file).await.is_some(), "{command}");
        let handler = json!({"type": "command", "command": command, "unwatched": [list]});
        assert_eq!(asks(&handler, file).await, None, "{command}");
    }
    let cache = "h/__pycache__/mod.cpython-311.pyc";
    assert!(asks(&shell("python3 -m h.mod"), cache).await.is_some());
}

/// What a list says of a folder or a pattern is not about a file that the command names by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_data_hides_no_named_file_and_no_program() {
    for list in ["h", "h/", "h/*", "**", "**/x"] {
        let handler = json!({"type": "command", "command": "sh h/x", "unwatched": [list]});
        let folder = folder(&[(SETTINGS, &settings(&handler)), ("h/x", "")]);
        let path = folder.path();
        let wrong = notices(path, || write(path, "h/x", SH)).await;
        assert_eq!(wrong, None, "{list}");
    }
    for (file, text) in [("h/a/b.sh", ""), ("h/.x.py", ""), ("h/a/b", "#!/bin/sh\n")] {
        let handler = json!({"type": "command", "command": "sh x; ls h", "unwatched": ["h"]});
        let folder = folder(&[(SETTINGS, &settings(&handler)), (file, text)]);
        let shown = Offer::read(folder.path()).unwrap().text();
        let line = format!("its unwatched list names {file}, which is a program or a script");
        assert!(shown.contains(&line), "{file}\n{shown}");
    }
}

/// A folder of the system's in which everybody may write.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_in_shared_memory_is_noticed() {
    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let command = format!("sh {}/x", shared.path().display());
    let folder = folder(&[(SETTINGS, &settings(&shell(&command)))]);
    write(shared.path(), "x", "");
    let wrong = notices(folder.path(), || write(shared.path(), "x", SH)).await;
    assert_eq!(wrong, None);
}

/// Ways that need something to be there before: a repository, a link.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_file_is_noticed_in_prepared_folders() {
    let commit = "-c user.name=a -c user.email=a@b commit -q --allow-empty -m m";
    let rows = [
        (
            "git init -q",
            format!("git -c core.hooksPath=h {commit}"),
            "h/pre-commit",
            TOOL,
        ),
        (
            "git init -q && git config core.hooksPath .git/hooks",
            format!("git {commit}"),
            ".git/hooks/pre-commit",
            TOOL,
        ),
        ("mkdir -p h; ln -s h l", "sh l/x".into(), "h/x", SH),
        (
            "mkdir -p h; ln -s /dev/fd d",
            "sh d/1 >> h/x".into(),
            "h/x",
            SH,
        ),
        (
            "mkdir -p h; ln -s /proc p",
            "cd p/self; exec >> \"$CLAUDE_PROJECT_DIR/h/x\"; sh f*/1".into(),
            "h/x",
            SH,
        ),
        ("mkdir -p h; ln -s h l", "cd l && sh x".into(), "h/x", SH),
        (
            "mkdir -p h; ln -s h l",
            "python3 l".into(),
            "h/__main__.py",
            PY,
        ),
        ("mkdir -p h; ln -s x h/l", "cat h/l | sh".into(), "h/x", SH),
        (
            "mkdir -p h; ln -s x h/l",
            "for f in h/l*; do sh $f; done".into(),
            "h/x",
            SH,
        ),
    ];
    for (setup, command, file, code) in rows {
        let folder = folder(&[(SETTINGS, &settings(&shell(&command)))]);
        let path = folder.path();
        let mut prepare = std::process::Command::new("sh");
        prepare.args(["-c", setup]).current_dir(path);
        assert!(prepare.status().unwrap().success(), "{setup}");
        let put = |text: &str| {
            write(path, file, text);
            if code.starts_with("#!") {
                executable(path, file);
            }
        };
        put(harmless(code));
        let wrong = notices(path, || put(code)).await;
        assert_eq!(wrong, None, "{command}");
    }
}

/// Scripts that call scripts, and imports: the `watch` list covers them.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_watch_list_names_is_noticed() {
    let rows: [(&str, Value, &str, &str, &str); 7] = [
        ("sh h/x", json!(["lib/y"]), "lib/y", ". ./lib/y\n", SH),
        (
            "sh h/x",
            json!(["lib"]),
            "lib/d/new",
            "for f in lib/d/*; do sh $f; done\n",
            SH,
        ),
        ("sh h/x", json!(["lib/"]), "lib/y", ". ./lib/y\n", SH),
        (
            "sh h/x",
            json!(["./lib/*.inc"]),
            "lib/y.inc",
            ". ./lib/y.inc\n",
            SH,
        ),
        (
            "sh h/x",
            json!(["**/*.inc"]),
            "lib/d/y.inc",
            ". ./lib/d/y.inc\n",
            SH,
        ),
        ("python3 h/x.py", json!(["h"]), "h/y.py", "import y\n", PY),
        (
            "sh h/x",
            json!(["{lib,not there}"]),
            "lib/y",
            ". ./lib/y\n",
            SH,
        ),
    ];
    for (command, watch, file, script, code) in rows {
        let handler = json!({"type": "command", "command": command, "watch": watch});
        let folder = folder(&[(SETTINGS, &settings(&handler)), ("lib/d/keep", "")]);
        let path = folder.path();
        write(path, command.rsplit(' ').next().unwrap(), script);
        if !file.contains("new") {
            write(path, file, "");
        }
        let wrong = notices(path, || write(path, file, code)).await;
        assert_eq!(wrong, None, "{handler}");
    }
}

/// What Weir cannot watch as it was told does not run, trusted or not.
#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_cannot_be_kept_holds_back() {
    let rows = [
        (json!({"watch": "h"}), "no list of texts"),
        (json!({"watch": [1]}), "no list of texts"),
        (json!({"watch": ["../x"]}), "not inside of the folder"),
        (json!({"watch": ["/etc"]}), "not inside of the folder"),
        (json!({"watch": ["~/x"]}), "not inside of the folder"),
        (json!({"watch": [""]}), "not inside of the folder"),
        (json!({"watch": ["many"]}), "more than can be watched"),
        (json!({"unwatched": {}}), "no list of texts"),
        (json!({"unwatched": ["h/x.sh"]}), "a program or a script"),
        (
            json!({"command": "run-parts many"}),
            "more than can be watched",
        ),
        (
            json!({"command": "sh {1..99}{1..99}"}),
            "more than can be watched",
        ),
    ];
    let folder = folder(&[("h/x.sh", "")]);
    let path = folder.path();
    for number in 0..4_100 {
        write(path, &format!("many/{number}"), "");
    }
    for (fields, why) in rows {
        let mut handler = json!({"type": "command", "command": "touch ran"});
        let all = handler.as_object_mut().unwrap();
        all.extend(fields.as_object().unwrap().clone());
        write(path, SETTINGS, &settings(&handler));
        let shown = Offer::read(path).unwrap().text();
        assert!(shown.contains("does not run: "), "{handler}\n{shown}");
        let (project, _) = turn(path, &mut trusted(path));
        let held = denied(at_call(&project, "read_file").await).unwrap();
        assert!(held.contains(why), "{handler}: {held}");
        assert!(!ran(path), "{handler}");
    }
    // Told which files count, it runs.
    let handler =
        json!({"type": "command", "command": "ls many | wc -l | sh -c cat", "watch": ["h"]});
    write(path, SETTINGS, &settings(&handler));
    let (project, _) = turn(path, &mut trusted(path));
    assert_eq!(denied(at_call(&project, "read_file").await), None);
}

/// Data that the command names is left out where the definition says so, and only there.
#[tokio::test(flavor = "multi_thread")]
async fn named_data_can_be_left_out() {
    let handler = json!({
        "type": "command", "command": "sh h/x state.json src", "unwatched": ["state.json", "src"],
    });
    let folder = folder(&[
        (SETTINGS, &settings(&handler)),
        ("h/x", ""),
        ("state.json", "1"),
        ("src/a", "1"),
    ]);
    let path = folder.path();
    let shown = Offer::read(path).unwrap().text();
    assert!(shown.contains("as its definition says: state.json, src"));
    let mut trust = trusted(path);
    write(path, "state.json", "2");
    write(path, "src/a", "2");
    assert_eq!(turn(path, &mut trust).0.hooks.len(), 1);
    write(path, "h/x", SH);
    assert_eq!(turn(path, &mut trust).0.hooks.len(), 0);
}

/// The user reads which files are compared, how large they are, and that this is all.
#[test]
fn the_offer_lists_what_is_watched() {
    let elsewhere = folder(&[("one", "exit 0\n")]);
    let folder = folder(&[
        (SETTINGS, &settings(&shell("sh h/x; run-parts d; sh l"))),
        ("h/x", "exit 0\n"),
        ("d/a", "1"),
        ("d/b/c", "22"),
    ]);
    symlink(elsewhere.path().join("one"), folder.path().join("l")).unwrap();
    let shown = Offer::read(folder.path()).unwrap().text();
    for line in [
        "    watches:",
        "      d/ (2 files below it, 3 bytes, ",
        "      h/x (7 bytes, ",
        "      l (a link to ",
        "one (7 bytes, ",
        "Not watched are what those files run or import in turn, names that the command computes,",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}
