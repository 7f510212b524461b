//! What guards take out, through `weir`: a key and an address that are typed, read by a tool and
//! said by a model are in no byte that leaves or stays, and come back for the user alone.

use serde_json::json;
use uuid::Uuid;
use weir_tests::events::{kind, of_kind, session};
use weir_tests::{Canary, Lock, Outcome, Part, Reply, Sandbox, Server, files, sse};

use super::project::chat;

/// A key and an address made at run time.
struct Canaries {
    key: Canary,
    email: String,
}

impl Canaries {
    fn new() -> Self {
        let name = Uuid::new_v4().simple();
        Self {
            key: Canary::new(),
            email: ["canary.", &name.to_string(), "@", "mail.example.org"].concat(),
        }
    }

    /// Both, in one line.
    fn text(&self) -> String {
        format!("Use {} and write to {} soon.", self.key.key(), self.email)
    }

    fn check_absent(&self, what: &str, text: &str) {
        self.key.check_absent_from_text(what, text);
        assert!(
            !text.contains(&self.email),
            "{what} shows the address: {text}"
        );
    }

    fn check_absent_from(&self, outcome: &Outcome) {
        self.check_absent("stdout", &outcome.stdout);
        self.check_absent("stderr", &outcome.stderr);
    }

    fn check_absent_below(&self, folder: &std::path::Path) {
        self.key.check_absent_below(folder);
        let holding = files::holding(folder, self.email.as_bytes());
        assert!(holding.is_empty(), "the address is in {holding:?}");
    }

    fn is_in(&self, text: &str) -> bool {
        text.contains(self.key.key()) && text.contains(&self.email)
    }
}

/// A reply whose text comes in pieces of three letters, so that no piece has a whole value.
fn dripped(text: &str) -> Reply {
    let letters: Vec<char> = text.chars().collect();
    let mut parts = vec![Part::Send(sse::message_start() + &sse::text_start(0))];
    for piece in letters.chunks(3) {
        let piece: String = piece.iter().collect();
        parts.push(Part::Send(sse::text_delta(0, &piece)));
    }
    let stop = sse::event(&json!({"type": "content_block_stop", "index": 0}));
    parts.push(Part::Send(stop + &sse::message_stop()));
    Reply::Stream(parts)
}

fn said(text: String) -> Reply {
    Reply::Stream(vec![Part::Send(text)])
}

#[test]
fn a_canary_is_in_no_byte_that_leaves_or_stays() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let (account, typed, read, spoken) = (
        Canary::new(),
        Canaries::new(),
        Canaries::new(),
        Canaries::new(),
    );
    let all = [&typed, &read, &spoken];
    let project = sandbox.home().join("project");
    std::fs::create_dir_all(&project).unwrap();
    std::fs::write(project.join("notes.txt"), read.text()).unwrap();
    std::fs::write(project.join("CLAUDE.md"), typed.text()).unwrap();
    let path = project.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", path]).run().code(0);
    // Addresses that a model says are let through unless the user wants otherwise.
    let config = r#"{ "rules": { "email": { "output": "redact" } } }"#;
    std::fs::write(sandbox.data().join("guards.json"), config).unwrap();

    let look = sse::calls(&[("call_1", "read_file", json!({ "path": "notes.txt" }))]);
    let server = Server::start([
        said(look),
        dripped(&format!("I saw [EMAIL_1]. My own: {}", spoken.text())),
        dripped("I will write to [EMAIL_1] and [EMAIL_2]."),
    ]);
    let prompt = typed.text();
    let first = chat(&sandbox, &server, &account, &["--project", path, &prompt])
        .env("WEIR_LOG", "trace")
        .run()
        .code(0);
    let events = first.events();
    let id = session(&events);
    let kinds: Vec<_> = events.iter().map(kind).collect();
    assert_eq!(
        kinds[..3],
        ["session_start", "user_message", "guardrails_triggered"]
    );
    let results = of_kind(&events, "guardrails_triggered");
    assert!(results.iter().any(|event| event["toolCallId"] == "call_1"));
    assert_eq!(of_kind(&events, "output_guardrails_triggered").len(), 1);
    let stored = sandbox.weir(&["events", &id]).run().code(0);
    let listed = sandbox.weir(&["sessions"]).run().code(0);
    let backup = sandbox.data().join("copy.db");
    let backed_up = sandbox
        .weir(&["backup", backup.to_str().unwrap()])
        .run()
        .code(0);
    let exported = ["md", "html", "json"].map(|to| {
        let file = sandbox.data().join(format!("export.{to}"));
        let file = file.to_str().unwrap();
        sandbox
            .weir(&["export", &id, "--to", to, "-o", file])
            .run()
            .code(0);
        sandbox.weir(&["export", &id, "--to", to]).run().code(0)
    });
    for canaries in all {
        for outcome in [&first, &stored, &listed, &backed_up]
            .into_iter()
            .chain(&exported)
        {
            canaries.check_absent_from(outcome);
        }
        // The database, its write-ahead log, the backup, and whatever else was written.
        canaries.check_absent_below(&sandbox.data());
    }

    // The next turn, in another process: a person reads what they wrote, the provider does not.
    let url = server.url();
    let second = sandbox
        .weir(&[
            "chat",
            "--session",
            &id,
            "--source",
            "anthropic",
            "--base-url",
            &url,
            &typed.email,
        ])
        .env("ANTHROPIC_API_KEY", account.key())
        .run()
        .code(0);
    let (own, other) = (&typed.email, &read.email);
    let reply = format!("I will write to {own} and {other}.");
    assert!(second.stdout.contains(&reply), "{}", second.stdout);
    let requests = server.requests();
    assert_eq!(requests.len(), 3);
    for request in &requests {
        for canaries in all {
            canaries.check_absent("a request", &request.body.to_string());
        }
    }
    let sent = requests[2].body["messages"].to_string();
    assert!(sent.contains("[EMAIL_1]") && sent.contains("[EMAIL_2]"));
    for canaries in all {
        canaries.check_absent_below(&sandbox.data());
    }

    // Where the user asks for the originals, they are there; without the keychain they are not.
    let originals = sandbox.weir(&["events", &id, "--originals"]).run().code(0);
    for canaries in all {
        assert!(canaries.is_in(&originals.stdout), "{}", originals.stdout);
    }
    assert!(
        originals.stderr.contains("as it was"),
        "{}",
        originals.stderr
    );
    assert_eq!(originals.stderr.lines().count(), 1);
    let export = sandbox
        .weir(&["export", &id, "--to", "json", "--originals"])
        .run()
        .code(0);
    for canaries in all {
        assert!(canaries.is_in(&export.stdout), "{}", export.stdout);
    }
    let without = sandbox
        .weir(&["events", &id, "--originals"])
        .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
        .run()
        .code(0);
    for canaries in all {
        canaries.check_absent_from(&without);
    }
    assert!(without.stdout.contains("[EMAIL_1]"));
    println!(
        "canaries: {} values in {} requests, {} files and {} outputs, found in 0 bytes",
        all.len() * 2,
        requests.len(),
        files::below(&sandbox.data()).len(),
        8
    );
}

#[test]
fn without_a_keychain_it_works_for_this_run_and_says_so() {
    let sandbox = Sandbox::new();
    let typed = Canaries::new();
    let first = sandbox
        .weir(&["chat", "--json", "--source", "demo", &typed.text()])
        .run()
        .code(0);
    assert!(
        first.stderr.contains("until Weir closes"),
        "{}",
        first.stderr
    );
    typed.check_absent_from(&first);
    typed.check_absent_below(&sandbox.data());
    let id = session(&first.events());
    let later = sandbox.weir(&["events", &id, "--originals"]).run().code(0);
    typed.check_absent_from(&later);
}

#[test]
fn a_prompt_that_a_guard_holds_back_leaves_nothing() {
    let sandbox = Sandbox::new();
    sandbox.weir(&["sessions"]).run().code(0);
    let rows = [
        (
            r#"{ "rules": { "email": { "input": "block" } } }"#,
            "blocked",
        ),
        (
            r#"{ "rules": { "email": { "input": "ask" } } }"#,
            "guard_asks",
        ),
        (r#"{ "rules": { "email": "#, "blocked"),
    ];
    for (config, code) in rows {
        std::fs::write(sandbox.data().join("guards.json"), config).unwrap();
        let typed = Canaries::new();
        let refused = sandbox
            .weir(&["chat", "--json", "--source", "demo", &typed.email])
            .run()
            .code(3);
        let events = refused.events();
        assert_eq!(events[0]["error"]["code"], code, "{config}");
        refused.sentence();
        typed.check_absent_from(&refused);
        typed.check_absent_below(&sandbox.data());
    }
    let sessions = sandbox.weir(&["sessions"]).run().code(0);
    assert_eq!(sessions.stdout, "");
}

#[test]
fn a_project_makes_guards_stricter_and_not_looser() {
    let sandbox = Sandbox::new();
    let project = sandbox.home().join("project");
    std::fs::create_dir_all(project.join(".weir")).unwrap();
    let path = project.to_str().unwrap();
    let file = project.join(".weir/guards.json");
    let rows = [
        (r#"{ "rules": { "email": { "input": "block" } } }"#, 3),
        (r#"{ "rules": { "email": { "input": "off" } } }"#, 0),
        ("{ broken", 3),
    ];
    for (config, code) in rows {
        std::fs::write(&file, config).unwrap();
        let offer = sandbox.weir(&["trust", "--yes", path]).run().code(0);
        assert!(
            offer.stdout.contains(".weir/guards.json"),
            "{}",
            offer.stdout
        );
        let typed = Canaries::new();
        let call = [
            "chat",
            "--json",
            "--source",
            "demo",
            "--project",
            path,
            &typed.email,
        ];
        let outcome = sandbox.weir(&call).run().code(code);
        typed.check_absent_from(&outcome);
        typed.check_absent_below(&sandbox.data());
    }
}

/// A call whose input comes in pieces of two letters, so that no piece says what it is.
fn dripped_call(name: &str, input: &str) -> Reply {
    let block = json!({"type": "tool_use", "id": "call_1", "name": name, "input": {}});
    let start = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let mut parts = vec![Part::Send(sse::message_start() + &sse::event(&start))];
    for piece in input.as_bytes().chunks(2) {
        let piece = String::from_utf8_lossy(piece);
        let delta = json!({"type": "input_json_delta", "partial_json": piece});
        let delta = json!({"type": "content_block_delta", "index": 0, "delta": delta});
        parts.push(Part::Send(sse::event(&delta)));
    }
    let end = [
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "usage": {"output_tokens": 5},
            "delta": {"stop_reason": "tool_use", "stop_sequence": null}}),
        json!({"type": "message_stop"}),
    ];
    parts.push(Part::Send(end.iter().map(sse::event).collect()));
    Reply::Stream(parts)
}

/// What a breaker tries: letters that nobody sees, a field that only its name gives away, a
/// refusal that repeats what it was sent, a hook that writes down what it is told.
#[test]
fn a_canary_that_hides_or_comes_back_is_in_no_byte_either() {
    let sandbox = Sandbox::with_keychain(Lock::Unlocked);
    let (account, typed, echoed) = (Canary::new(), Canary::new(), Canary::new());
    let (local, password) = (Uuid::new_v4().simple().to_string(), Canaries::new());
    let password = &password.key.key()[14..34];
    let key = typed.key();
    let prompt = format!(
        "Use {}\u{200B}{} and write to cana\u{AD}ry.{local}@mail.exa\u{2060}mple.org",
        &key[..5],
        &key[5..]
    );
    let project = sandbox.home().join("project");
    std::fs::create_dir_all(project.join(".claude")).unwrap();
    std::fs::write(project.join("notes.txt"), "nothing").unwrap();
    let hooks = json!({"hooks": {"UserPromptSubmit": [{"hooks": [
        {"type": "command", "command": "cat >> told; echo Noted."}]}]}});
    std::fs::write(project.join(".claude/settings.json"), hooks.to_string()).unwrap();
    let path = project.to_str().unwrap();
    sandbox.weir(&["trust", "--yes", path]).run().code(0);

    let input = format!(r#"{{"path": "notes.txt", "pass\u0077ord": "{password}"}}"#);
    let refusal = json!({"error": {
        "type": format!("bad {}", echoed.key()),
        "message": format!("cannot read: Use {} and [EMAIL_1]", echoed.key()),
    }});
    let server = Server::start([
        dripped_call("read_file", &input),
        dripped("Done."),
        Reply::Refusal(400, refusal),
        dripped("To [EMAIL_1] alone."),
    ]);
    let arguments = ["--project", path, &prompt];
    let first = chat(&sandbox, &server, &account, &arguments)
        .env("WEIR_LOG", "trace")
        .run()
        .code(0);
    let id = session(&first.events());
    let refused = chat(&sandbox, &server, &account, &["--session", &id, "again"])
        .env("WEIR_LOG", "trace")
        .run();
    assert!(refused.stdout.contains("cannot read"), "{}", refused.stdout);
    // Another session has placeholders of its own, and no originals of this one.
    let other = chat(&sandbox, &server, &account, &["hello"]).run().code(0);
    let other = session(&other.events());
    let others = sandbox
        .weir(&["events", &other, "--originals"])
        .run()
        .code(0);
    assert!(others.stdout.contains("[EMAIL_1]"), "{}", others.stdout);

    let told = std::fs::read_to_string(project.join("told")).unwrap();
    assert!(told.contains("[EMAIL_1]"), "{told}");
    let sent: String = server
        .requests()
        .iter()
        .map(|request| request.body.to_string())
        .collect();
    let exported = sandbox.weir(&["export", &id, "--to", "json"]).run().code(0);
    let listed = sandbox.weir(&["sessions"]).run().code(0);
    let outcomes = [&first, &refused, &others, &exported, &listed];
    let mut texts = vec![told, sent];
    texts.extend(outcomes.iter().map(|it| it.stdout.clone() + &it.stderr));
    for text in &texts {
        typed.check_absent_from_text("a text", text);
        echoed.check_absent_from_text("a text", text);
        assert!(!text.contains(&local), "the address: {text}");
        assert!(!text.contains(&password[..8]), "the password: {text}");
    }
    typed.check_absent_below(&sandbox.data());
    echoed.check_absent_below(&sandbox.data());
    for needle in [&local, password] {
        let holding = files::holding(&sandbox.data(), needle.as_bytes());
        assert!(holding.is_empty(), "{needle} is in {holding:?}");
    }
    let originals = sandbox.weir(&["events", &id, "--originals"]).run().code(0);
    assert!(originals.stdout.contains(&local) && originals.stdout.contains(password));
}
