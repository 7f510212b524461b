//! One table: what is called with what, how it exits, and what its one sentence names.

use weir_tests::{Canary, Sandbox};

use super::lived_in;

const NOBODY: &str = "00000000-0000-7000-8000-000000000000";

struct Call {
    arguments: &'static [&'static str],
    input: &'static [u8],
    code: i32,
    /// All of them stand in the sentence, in letters of either case.
    words: &'static [&'static str],
}

const fn call(
    arguments: &'static [&'static str],
    input: &'static [u8],
    code: i32,
    words: &'static [&'static str],
) -> Call {
    Call {
        arguments,
        input,
        code,
        words,
    }
}

const BAD_BYTES_OF_A_NAME: &[u8] = b"caf\xe9";
const BAD_BYTES: &[u8] = b"\xff\xfe\x00text";

/// `ID` stands for a session that is there.
const REFUSED: &[Call] = &[
    // Wrong usage: what is missing or wrong, and what could stand there.
    call(
        &[],
        b"",
        2,
        &["command", "chat", "normalize", "doctor", "weir --help"],
    ),
    call(&["oracle"], b"", 2, &["oracle", "chat", "sessions"]),
    call(&["chat"], b"", 2, &["<prompt>", "weir chat --help"]),
    call(
        &["chat", "--to", "xml", "a"],
        b"",
        2,
        &["xml", "--to", "text, json, ai-sdk"],
    ),
    call(&["chat", "--to"], b"", 2, &["--to", "text, json, ai-sdk"]),
    call(
        &["chat", "--json", "--to", "text", "a"],
        b"",
        2,
        &["--json", "--to"],
    ),
    call(
        &["chat", "--soruce", "demo", "a"],
        b"",
        2,
        &["--soruce", "--source"],
    ),
    call(
        &["chat", "--source", "oracle", "a"],
        b"",
        2,
        &["oracle", "demo", "anthropic", "gemini"],
    ),
    call(
        &["chat", "--thinking", "loud", "a"],
        b"",
        2,
        &[
            "loud",
            "--thinking",
            "off, minimal, low, medium, high, xhigh, max",
            "see weir chat --help",
        ],
    ),
    call(
        &["chat", "--thinking"],
        b"",
        2,
        &["off, minimal, low", "weir chat --help"],
    ),
    call(&["chat", "--source"], b"", 2, &["demo", "anthropic"]),
    call(
        &["settings", "address.demo", "http://127.0.0.1:9"],
        b"",
        2,
        &["demo", "no address"],
    ),
    call(
        &["chat", "--max-turns", "0", "a"],
        b"",
        2,
        &["0", "--max-turns"],
    ),
    call(
        &["chat", "--max-turns", "many", "a"],
        b"",
        2,
        &["many", "--max-turns"],
    ),
    call(
        &["chat", "--memory", "maybe", "a"],
        b"",
        2,
        &["maybe", "--memory", "on or off"],
    ),
    call(
        &["chat", "--session", "mine", "a"],
        b"",
        2,
        &["mine", "--session"],
    ),
    call(&["chat", "a", "b"], b"", 2, &["weir chat", "fewer"]),
    call(&["chat", ""], b"", 2, &["empty"]),
    call(&["chat", "-"], b"", 2, &["empty"]),
    call(&["chat", "-"], BAD_BYTES, 2, &["utf-8"]),
    call(&["chat", "--image", "/", "a"], b"", 2, &["/"]),
    call(&["chat", "--file", "/dev/zero", "a"], b"", 2, &["zero"]),
    call(
        &["normalize"],
        b"",
        2,
        &[
            "--dialect",
            "anthropic",
            "langchain",
            "weir normalize --help",
        ],
    ),
    call(
        &["normalize", "--dialect", "latin"],
        b"",
        2,
        &["latin", "--dialect", "openai-chat", "claude-code"],
    ),
    call(
        &["normalize", "--dialect", "gemini", "--to", "md"],
        b"",
        2,
        &["md", "events, summary, ai-sdk"],
    ),
    call(&["events"], b"", 2, &["<id>", "weir events --help"]),
    call(&["events", "7"], b"", 2, &["7", "<id>"]),
    call(
        &["events", "ID", "--since", "soon"],
        b"",
        2,
        &["soon", "--since"],
    ),
    call(
        &["export", "ID"],
        b"",
        2,
        &["--to", "md, html, json, ai-sdk"],
    ),
    call(
        &["export", "--to", "pdf", "ID"],
        b"",
        2,
        &["pdf", "md, html, json, ai-sdk"],
    ),
    call(&["guard"], b"", 2, &["--stage", "input, output"]),
    call(
        &["guard", "--stage", "sideways"],
        b"",
        2,
        &["sideways", "input, output"],
    ),
    call(&["guard", "--stage", "input"], BAD_BYTES, 2, &["utf-8"]),
    call(
        &["guard", "--stage", "input", "--lines"],
        b"\"\xff\"\n",
        2,
        &["line 1", "json"],
    ),
    call(
        &["guard", "--stage", "input", "--lines"],
        b"no JSON\n",
        2,
        &["line 1", "json"],
    ),
    call(
        &["keys"],
        b"",
        2,
        &["set", "list", "delete", "weir keys --help"],
    ),
    call(
        &["keys", "set"],
        b"",
        2,
        &["<source>", "anthropic", "weir keys set --help"],
    ),
    call(&["keys", "set", "oracle"], b"", 2, &["oracle", "anthropic"]),
    call(&["keys", "set", "demo"], b"", 2, &["no key"]),
    call(&["keys", "set", "anthropic"], BAD_BYTES, 2, &["utf-8"]),
    call(&["keys", "delete", "demo"], b"", 2, &["no key"]),
    call(
        &["usage", "--by", "hour"],
        b"",
        2,
        &["hour", "day, session, project, model, source"],
    ),
    call(&["limits", "set", "height", "3"], b"", 2, &["height"]),
    call(&["memory", "forget"], b"", 2, &["weir memory forget"]),
    call(&["rename", "ID"], b"", 2, &["<title>"]),
    call(&["rename", "ID", "  "], b"", 2, &["empty"]),
    call(
        &["fork", "ID", "--turn", "last"],
        b"",
        2,
        &["last", "--turn"],
    ),
    call(&["stop"], b"", 2, &["<id>"]),
    call(&["delete", "it"], b"", 2, &["it", "<id>"]),
    call(
        &["completions"],
        b"",
        2,
        &["<shell>", "bash", "zsh", "fish"],
    ),
    call(
        &["completions", "cmd"],
        b"",
        2,
        &["cmd", "bash", "zsh", "fish"],
    ),
    call(&["man", "oracle"], b"", 2, &["oracle", "chat"]),
    // What is named well and is not there, or cannot be done.
    call(&["chat", "--source", "anthropic", "a"], b"", 1, &["key"]),
    call(&["chat", "--session", NOBODY, "a"], b"", 1, &["session"]),
    call(&["chat", "--project", "/usr", "a"], b"", 1, &["trust"]),
    call(
        &["chat", "--file", "/nowhere/notes.txt", "a"],
        b"",
        1,
        &["notes.txt"],
    ),
    call(
        &["guard", "--stage", "input", "--project", "/usr"],
        b"a",
        1,
        &["trust"],
    ),
    call(&["events", NOBODY], b"", 1, &["session"]),
    call(&["export", "--to", "md", NOBODY], b"", 1, &["session"]),
    call(
        &["export", "--to", "md", "-o", "/nowhere/a.md", "ID"],
        b"",
        1,
        &["/nowhere/a.md"],
    ),
    call(&["stop", NOBODY], b"", 1, &["session"]),
    call(&["rename", NOBODY, "a"], b"", 1, &["session"]),
    call(&["fork", NOBODY], b"", 1, &["session"]),
    call(&["fork", "ID", "--turn", NOBODY], b"", 1, &["turn"]),
    call(&["delete", NOBODY], b"", 1, &["session"]),
    call(&["keys", "delete", "anthropic"], b"", 1, &["key"]),
];

#[test]
fn every_refusal_is_one_sentence_with_its_exit_code() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    for row in REFUSED {
        let named = |argument: &&'static str| {
            if *argument == "ID" {
                id.as_str()
            } else {
                argument
            }
        };
        let arguments: Vec<&str> = row.arguments.iter().map(named).collect();
        let outcome = sandbox.weir(&arguments).input(row.input).run();
        println!(
            "{} weir {} · {}",
            outcome.exit_code(),
            row.arguments.join(" "),
            outcome.stderr.trim()
        );
        let outcome = outcome.code(row.code);
        let sentence = outcome.sentence().to_lowercase();
        for word in row.words {
            assert!(
                sentence.contains(word),
                "{arguments:?} names {word}: {sentence}"
            );
        }
        // Some answer there too: an object a line, or the error as an event.
        let answers = arguments.contains(&"--lines") || arguments.contains(&"--json");
        assert!(
            answers || outcome.stdout.is_empty(),
            "{arguments:?}: {}",
            outcome.stdout
        );
    }
}

#[test]
fn what_can_be_done_exits_with_zero() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    let rows: [(&[&str], &str); 17] = [
        (&["--help"], ""),
        (&["--version"], ""),
        (&["chat", "--help"], ""),
        (&["chat", "hello fast"], ""),
        (&["chat", "--to", "json", "hello fast"], ""),
        (&["chat", "-"], "hello fast"),
        (&["normalize", "--dialect", "claude-code"], ""),
        (&["sessions"], ""),
        (&["events", &id], ""),
        (&["export", "--to", "ai-sdk", &id], ""),
        (&["guard", "--stage", "output"], "plain"),
        (&["usage"], ""),
        (&["keys", "list"], ""),
        (&["stop", &id], ""),
        (&["completions", "bash"], ""),
        (&["man"], ""),
        (&["doctor"], ""),
    ];
    for (arguments, input) in rows {
        sandbox.weir(arguments).input(input).run().code(0);
    }
}

#[test]
fn what_a_guard_holds_back_exits_with_three() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data()).unwrap();
    let guards = r#"{"words":[{"word":"falcon","input":"block"}]}"#;
    std::fs::write(sandbox.data().join("guards.json"), guards).unwrap();
    let text = "the falcon";
    let guard = sandbox.weir(&["guard", "--stage", "input"]).input(text);
    guard.run().code(3).sentence();
    for more in [&["chat", text][..], &["chat", "--to", "ai-sdk", text]] {
        sandbox.weir(more).run().code(3).sentence();
    }
    let file = sandbox.root().join("notes.txt");
    std::fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    sandbox
        .weir(&["chat", "see", "--file", file])
        .run()
        .code(3)
        .sentence();
}

#[test]
fn json_readers_get_the_refusal_as_an_event() {
    let sandbox = Sandbox::new();
    let rows: [&[&str]; 4] = [
        &["chat", "--json"],
        &["chat", "--to", "json", "--source", "oracle", "a"],
        &["chat", "--to=json", "--thinking", "loud", "a"],
        &["chat", "--json", "--project", "/usr", "a"],
    ];
    for arguments in rows {
        let outcome = sandbox.weir(arguments).run();
        let [event] = &outcome.events()[..] else {
            panic!("{arguments:?}: one event: {}", outcome.stdout);
        };
        assert_eq!(event["type"], "error", "{arguments:?}");
        assert_eq!(
            event["error"]["message"],
            outcome.sentence(),
            "{arguments:?}"
        );
    }
}

/// An argument that is no text is wrong usage, wherever it stands.
#[test]
fn arguments_that_are_not_utf_8_are_wrong_usage() {
    let sandbox = Sandbox::new();
    let rows: [&[&str]; 6] = [
        &[],
        &["chat"],
        &["chat", "--source"],
        &["events"],
        &["settings"],
        &["sources", "remove"],
    ];
    for arguments in rows {
        let outcome = sandbox.weir(arguments).argument(BAD_BYTES_OF_A_NAME).run();
        outcome.code(2).sentence();
    }
}

/// What stands in the wrong place may be a secret.
#[test]
fn no_refusal_repeats_a_secret() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let key = canary.key();
    let with = |before: &str, after: &str| format!("{before}{key}{after}");
    let addresses = [
        with("https://user:", "@example.com"),
        with("https://", "@example.com"),
        with("https://user:", ""),
        with("user:", "@example.com"),
        with("//user:", "@example.com"),
        with("https://user:", "/x@example.com/v1"),
        with("https://user:p@", "@example.com"),
        with("ftp://user:", "@example.com"),
        with("https://example.com/?key=", ""),
        with("https://example.com/#", ""),
        with("https:user:", "@example.com"),
        with("http://[", "]"),
        with("https://example.com:", ""),
        with(" https://user:", "@example.com "),
        with("https://user:", "%40example.com"),
        with("", ""),
    ];
    for address in &addresses {
        let arguments = [
            "chat",
            "--json",
            "--source",
            "ollama",
            "--base-url",
            address,
            "a",
        ];
        let outcome = sandbox.weir(&arguments).run().code(2);
        outcome.sentence();
        canary.check_absent_from_text("stderr", &outcome.stderr);
        canary.check_absent_from_text("stdout", &outcome.stdout);
    }
    let address = addresses[0].as_str();
    let misplaced: [&[&str]; 17] = [
        &["keys", "set", "anthropic", key],
        &["keys", "set", key],
        &["keys", "delete", key],
        &["keys", "list", key],
        &["chat", "--source", key, "a"],
        &["chat", "a", key],
        &[key],
        &["keys", key],
        &["events", key],
        &["chat", "--thinking", key, "a"],
        &["chat", "--session", key, "a"],
        &["chat", "--to", key, "a"],
        &["settings", key],
        &["settings", address],
        &["settings", address, "x"],
        &["sources", "add", address, "mine"],
        &["sources", "remove", address],
    ];
    for arguments in misplaced {
        let outcome = sandbox.weir(arguments).run().code(2);
        outcome.sentence();
        canary.check_absent_from_text("stderr", &outcome.stderr);
    }
    let option = format!("--api-key={key}");
    let outcome = sandbox.weir(&["chat", "a", &option]).run().code(2);
    assert!(outcome.sentence().contains("--api-key"));
    canary.check_absent_from_text("stderr", &outcome.stderr);
}
