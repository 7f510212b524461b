//! Project folders through `weir`: nothing of them counts before trust, and what counts after
//! it is what the user saw.

use std::path::{Path, PathBuf};

use serde_json::json;
use weir_tests::events::{content, kind, of_kind, session};
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

const SETTINGS: &str = ".claude/settings.json";

fn folder(sandbox: &Sandbox, name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = sandbox.home().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        write(&folder, name, text);
    }
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn replies(count: usize) -> Vec<Reply> {
    let reply = || Reply::Stream(vec![Part::Send(sse::reply("Hm.", "c2VhbA==", "Yes."))]);
    (0..count).map(|_| reply()).collect()
}

/// One turn with a scripted server that speaks as Anthropic does.
pub(super) fn chat(sandbox: &Sandbox, server: &Server, canary: &Canary, more: &[&str]) -> Weir {
    let url = server.url();
    let mut arguments = vec![
        "chat",
        "--json",
        "--source",
        "anthropic",
        "--base-url",
        &url,
    ];
    arguments.extend(more);
    sandbox
        .weir(&arguments)
        .env("ANTHROPIC_API_KEY", canary.key())
}

/// Every file that counts is a pipe: who reads one waits for ever. Every setting that others
/// have obeyed is there.
#[test]
fn an_untrusted_folder_is_not_read_and_nothing_is_asked() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start(replies(1));
    let hostile = folder(&sandbox, "hostile", &[]);
    std::fs::create_dir_all(hostile.join(".claude")).unwrap();
    std::fs::create_dir_all(hostile.join("data")).unwrap();
    for name in [
        "CLAUDE.md",
        "AGENTS.md",
        SETTINGS,
        "data/permissions.json",
        ".mcp.json",
    ] {
        let made = sandbox.command("mkfifo").arg(hostile.join(name)).status();
        assert!(made.unwrap().success());
    }
    let path = hostile.to_str().unwrap();
    let refused = chat(&sandbox, &server, &canary, &["--project", path, "hello"])
        .run()
        .code(1);
    assert!(
        refused.sentence().contains("weir trust"),
        "{}",
        refused.stderr
    );
    let events = refused.events();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["error"]["code"], "untrusted");
    assert_eq!(server.requests().len(), 0);
    let sessions = sandbox.weir(&["sessions", "--json"]).run().code(0);
    assert_eq!(sessions.stdout, "");

    // Asking for trust does not wait for the pipes, and a pipe cannot agree.
    let unasked = sandbox.weir(&["trust", path]).input("y\n").run().code(2);
    assert!(unasked.stdout.contains("CLAUDE.md is not a plain file."));
    let again = chat(&sandbox, &server, &canary, &["--project", path, "hello"]).run();
    again.code(1);
    assert_eq!(server.requests().len(), 0);
    let nowhere = hostile.join("nowhere");
    let missing = ["--project", nowhere.to_str().unwrap(), "hello"];
    let missing = chat(&sandbox, &server, &canary, &missing).run().code(2);
    assert!(missing.sentence().contains("no folder"));
}

#[test]
fn a_trusted_folder_brings_what_was_shown_until_it_changes() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start(replies(4));
    let rules = r#"{"env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, "permissions": {"deny": ["Read(./private/**)"]}}"#;
    let files = [("AGENTS.md", "Answer in verse.\n"), (SETTINGS, rules)];
    let project = folder(&sandbox, "poems", &files);
    let path = project.to_str().unwrap();
    let trusted = sandbox.weir(&["trust", "--yes", path]).run().code(0);
    for shown in [
        "AGENTS.md (17 bytes)",
        "Answer in verse.",
        "deny Read(./private/**)",
    ] {
        assert!(trusted.stdout.contains(shown), "{}", trusted.stdout);
    }

    let first = chat(
        &sandbox,
        &server,
        &canary,
        &["--project", path, "--plan", "hello"],
    );
    let first = first.run().code(0);
    assert_eq!(first.stderr, "");
    let events = first.events();
    assert_eq!(kind(&events[0]), "session_start");
    assert_eq!(
        events[0]["project"],
        project.canonicalize().unwrap().to_str().unwrap()
    );
    let id = session(&events);
    let told = |number: usize| server.requests()[number].body["system"].to_string();
    assert!(told(0).contains("Answer in verse."), "{}", told(0));

    // The session keeps its project; what changed is used, told once, and in the log.
    write(&project, "AGENTS.md", "Answer in prose.\n");
    let second = chat(&sandbox, &server, &canary, &["--session", &id, "and now"])
        .run()
        .code(0);
    let notice = "AGENTS.md has changed since you agreed; it counts as it is now.";
    assert_eq!(second.stderr.trim_end(), notice);
    let events = second.events();
    assert_eq!(content(of_kind(&events, "processing")[0]), notice);
    assert!(
        told(1).contains("Answer in prose.") && !told(1).contains("verse"),
        "{}",
        told(1)
    );
    let third = chat(&sandbox, &server, &canary, &["--session", &id, "again"])
        .run()
        .code(0);
    assert_eq!(third.stderr, "");

    // Rules that let more through need the user's word again.
    write(&project, SETTINGS, r#"{"permissions": {"allow": ["*"]}}"#);
    let looser = chat(&sandbox, &server, &canary, &["--session", &id, "more"])
        .run()
        .code(1);
    assert!(looser.sentence().contains("allow *"), "{}", looser.stderr);
    assert_eq!(server.requests().len(), 3);
    sandbox.weir(&["trust", "--yes", path]).run().code(0);
    chat(&sandbox, &server, &canary, &["--session", &id, "more"])
        .run()
        .code(0);

    // A session stays with its folder.
    let other = folder(&sandbox, "other", &[]);
    let other = other.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", other]).run().code(0);
    let moved = chat(
        &sandbox,
        &server,
        &canary,
        &["--session", &id, "--project", other, "x"],
    );
    assert!(moved.run().code(2).sentence().contains("keeps its project"));

    sandbox.weir(&["trust", "--forget", path]).run().code(0);
    let forgotten = chat(&sandbox, &server, &canary, &["--session", &id, "more"])
        .run()
        .code(1);
    assert!(forgotten.sentence().contains("not trusted"));
    assert_eq!(server.requests().len(), 4);
}

#[test]
fn a_model_reads_what_it_may_and_nothing_else() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let read = |id, path: &str| (id, "read_file", json!({"path": path}));
    let calls = [
        read("a", "notes/today.txt"),
        read("b", ".env"),
        read("c", "private/diary.txt"),
        read("d", "../outside.txt"),
        ("e", "search_text", json!({"pattern": "wei[r]"})),
    ];
    let mut script = vec![Reply::Stream(vec![Part::Send(sse::calls(&calls))])];
    script.extend(replies(1));
    let server = Server::start(script);
    let rules = r#"{"permissions": {"deny": ["Read(./private/**)"]}}"#;
    let files = [
        (SETTINGS, rules),
        ("notes/today.txt", "The weir holds.\n"),
        (".env", "NAME=the weir of the river\n"),
        ("private/diary.txt", "Dear weir, nobody reads this.\n"),
    ];
    let project = folder(&sandbox, "notes", &files);
    write(&sandbox.home(), "outside.txt", "Beyond the weir.\n");
    let path = project.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", path]).run().code(0);
    let turn = chat(
        &sandbox,
        &server,
        &canary,
        &["--project", path, "Look around."],
    );
    let turn = turn.run().code(0);

    let requests = server.requests();
    let offered = requests[0].body["tools"].as_array().unwrap().iter();
    let offered: Vec<&str> = offered.map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(offered, ["read_file", "list_folder", "search_text"]);
    let answers = requests[1].body["messages"][2]["content"].clone();
    let answers = answers.as_array().unwrap();
    let ids = answers
        .iter()
        .map(|answer| answer["tool_use_id"].as_str().unwrap());
    assert_eq!(ids.collect::<Vec<_>>(), ["a", "b", "c", "d", "e"]);
    let failed = answers.iter().map(|answer| answer["is_error"] == true);
    assert_eq!(failed.collect::<Vec<_>>(), [false, true, true, true, false]);
    let sent = requests[1].body["messages"].to_string();
    assert!(sent.contains("The weir holds."), "{sent}");
    for hidden in ["of the river", "nobody reads", "Beyond"] {
        assert!(!sent.contains(hidden), "{hidden} in {sent}");
    }
    // Without a terminal nobody can be asked: the question and the answer are in the log.
    let events = turn.events();
    let asked = of_kind(&events, "permission_request");
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["toolCallId"], "b");
    let decided = of_kind(&events, "permission_decision");
    let decided = decided
        .iter()
        .map(|event| (event["toolCallId"].as_str(), event["decision"].as_str()));
    let decided: Vec<_> = decided.collect();
    assert!(decided.contains(&(Some("b"), Some("deny"))), "{decided:?}");
    assert!(decided.contains(&(Some("c"), Some("deny"))), "{decided:?}");
}
