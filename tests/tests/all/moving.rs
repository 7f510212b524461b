//! A session keeps its source, model and effort on the command line, its history goes to another
//! source only after somebody agreed, and `weir settings` shows and sets the defaults.

use serde_json::{Value, json};
use weir_tests::events::{kind, of_kind, session};
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

fn reply() -> Reply {
    Reply::Stream(vec![Part::Send(sse::reply("Hm.", "seal", "Here."))])
}

fn ollama_reply() -> Reply {
    let line = json!({"model": "llama3", "message": {"role": "assistant", "content": "Here."},
        "done": true, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2});
    Reply::Lines(vec![Part::Send(format!("{line}\n"))])
}

fn line(sandbox: &Sandbox, id: &str) -> Value {
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0);
    let mut all = listed.events().into_iter();
    all.find(|line| line["id"] == id).unwrap()
}

fn log(sandbox: &Sandbox, id: &str) -> Vec<Value> {
    sandbox.weir(&["events", id]).run().code(0).events()
}

fn with_key(weir: Weir, canary: &Canary) -> Weir {
    weir.env("ANTHROPIC_API_KEY", canary.key())
}

#[test]
fn a_session_goes_on_with_its_own_source_model_effort_and_address() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start([reply(), reply(), reply()]);
    let url = server.url();
    let first = sandbox.weir(&[
        "chat",
        "--json",
        "--source",
        "anthropic",
        "--base-url",
        &url,
        "--model",
        "claude-own",
        "--thinking",
        "off",
        "Why?",
    ]);
    let id = session(&with_key(first, &canary).run().code(0).events());
    // Whatever the defaults are by now.
    sandbox.weir(&["settings", "source", "demo"]).run().code(0);
    sandbox.weir(&["settings", "effort", "high"]).run().code(0);
    let more = sandbox.weir(&["chat", "--json", "--session", &id, "And then?"]);
    let events = with_key(more, &canary).run().code(0).events();
    let asked = &of_kind(&events, "user_message")[0];
    assert_eq!(
        (&asked["source"], &asked["model"]),
        (&json!("anthropic"), &json!("claude-own"))
    );
    assert_eq!(asked["thinking"], "off");
    let requests = server.requests();
    assert_eq!(requests[1].body["model"], "claude-own");
    assert_eq!(requests[1].body["thinking"], requests[0].body["thinking"]);
    let line = line(&sandbox, &id);
    assert_eq!(
        (&line["source"], &line["model"]),
        (&json!("anthropic"), &json!("claude-own"))
    );
    assert_eq!(line["thinking"], "off");
    // A fork goes on there too, and an export tells it.
    let exported = sandbox
        .weir(&["export", &id, "--to", "json"])
        .run()
        .code(0)
        .json();
    assert_eq!(exported["session"]["thinking"], "off");
    assert_eq!(exported["session"]["source"], "anthropic");
}

#[test]
fn history_moves_to_another_source_only_with_a_word_of_the_user() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let local = Server::start([ollama_reply()]);
    let cloud = Server::start([reply(), reply()]);
    let (here, there) = (local.url(), cloud.url());
    let first = sandbox.weir(&[
        "chat",
        "--json",
        "--source",
        "ollama",
        "--base-url",
        &here,
        "--model",
        "llama3",
        "Something private.",
    ]);
    let id = session(&first.run().code(0).events());
    let before = log(&sandbox, &id);
    let moved = [
        "chat",
        "--json",
        "--session",
        &id,
        "--source",
        "anthropic",
        "--base-url",
        &there,
        "Go on.",
    ];
    let refused = with_key(sandbox.weir(&moved), &canary).run().code(2);
    let sentence = refused.sentence();
    for part in ["Anthropic", "127.0.0.1", "2 messages", "Ollama", "--move"] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    let told = refused.events();
    assert_eq!(told.last().map(kind), Some("error"));
    assert_eq!(told.last().unwrap()["error"]["code"], "move_asks");
    assert_eq!(cloud.requests().len(), 0, "not a byte of it left");
    assert_eq!(log(&sandbox, &id), before);

    let agreed = [&moved[..], &["--move"]].concat();
    with_key(sandbox.weir(&agreed), &canary).run().code(0);
    // It is asked once.
    with_key(sandbox.weir(&moved), &canary).run().code(0);
    let requests = cloud.requests();
    assert!(requests[0].body.to_string().contains("Something private."));
    assert_eq!(requests.len(), 2);
    // Back to this machine it needs no word.
    sandbox
        .weir(&["chat", "--session", &id, "--source", "demo", "fast"])
        .run()
        .code(0);
}

#[test]
fn a_session_of_a_source_that_is_gone_says_so() {
    let sandbox = Sandbox::new();
    // Nobody listens there, so the turn fails; its session is stored all the same.
    sandbox
        .weir(&["sources", "add", "old-source", "http://127.0.0.1:9/v1"])
        .run()
        .code(0);
    let asked = [
        "chat",
        "--json",
        "--source",
        "old-source",
        "--model",
        "m",
        "Hi.",
    ];
    let first = sandbox.weir(&asked).run().code(1);
    let id = session(&first.events());
    sandbox
        .weir(&["sources", "remove", "old-source"])
        .run()
        .code(0);
    let refused = sandbox
        .weir(&["chat", "--session", &id, "fast"])
        .run()
        .code(1);
    let sentence = refused.sentence();
    assert!(
        sentence.contains("old-source") && sentence.contains("--source"),
        "{sentence}"
    );
    sandbox
        .weir(&["chat", "--session", &id, "--source", "demo", "fast"])
        .run()
        .code(0);
}

#[test]
fn settings_are_shown_and_set() {
    let sandbox = Sandbox::new();
    let all = sandbox.weir(&["settings", "--json"]).run().code(0).json();
    assert_eq!(all["source"], "demo");
    assert_eq!(all["effort"], "medium");
    assert_eq!(all["address.anthropic"], "https://api.anthropic.com");
    let text = sandbox.weir(&["settings"]).run().code(0).stdout;
    assert!(text.contains("address.ollama"), "{text}");
    let rows = [
        ("source", "ollama", "ollama"),
        ("model", "llama3", "llama3"),
        ("model.openai", "gpt-own", "gpt-own"),
        ("effort", "2000", "2000"),
        ("effort", "off", "off"),
        (
            "address.openai",
            "https://gateway.example/v1",
            "https://gateway.example/v1",
        ),
        ("address.openai", "", "https://api.openai.com/v1"),
    ];
    for (name, value, expected) in rows {
        let set = sandbox.weir(&["settings", name, value]).run().code(0);
        assert_eq!(set.stdout.trim(), expected, "{name}");
        let shown = sandbox.weir(&["settings", name]).run().code(0).stdout;
        assert_eq!(shown.trim(), expected, "{name}");
    }
    let model = sandbox.weir(&["settings", "model.ollama"]).run().code(0);
    assert_eq!(model.stdout.trim(), "llama3");
}

#[test]
fn bad_settings_are_refused_without_repeating_a_password() {
    let sandbox = Sandbox::new();
    let password = Canary::new();
    let secret = password.key();
    let rows = [
        vec!["settings".to_owned(), "nothing".into()],
        vec!["settings".into(), "source".into(), "nobody".into()],
        vec!["settings".into(), "model.nobody".into(), "m".into()],
        vec!["settings".into(), "effort".into(), "enormous".into()],
        vec!["settings".into(), "address.openai".into(), "ftp://x".into()],
        vec![
            "settings".into(),
            "address.openai".into(),
            format!("https://me:{secret}@x.example"),
        ],
        vec![
            "settings".into(),
            "address.openai".into(),
            format!("https://x.example/?key={secret}"),
        ],
        vec![
            "settings".into(),
            "address.openai".into(),
            format!("{secret}@x"),
        ],
    ];
    for row in rows {
        let arguments: Vec<&str> = row.iter().map(String::as_str).collect();
        let refused = sandbox.weir(&arguments).run().code(2);
        password.check_absent_from_text("settings", refused.sentence());
        assert_eq!(refused.stdout, "");
    }
    let address = sandbox.weir(&["settings", "address.openai"]).run().code(0);
    assert_eq!(address.stdout.trim(), "https://api.openai.com/v1");
}
