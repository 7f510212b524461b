//! The prompt being answered is sent whole or not at all, whoever is asked.

use serde_json::{Value, json};
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

fn ollama_reply() -> Reply {
    let line = json!({"model": "llama3", "message": {"role": "assistant", "content": "Here."},
        "done": true, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2});
    Reply::Lines(vec![Part::Send(format!("{line}\n"))])
}

fn shown(tokens: u64) -> Reply {
    let info = json!({"general.architecture": "llama", "llama.context_length": tokens});
    Reply::Refusal(200, json!({"model_info": info}))
}

/// 900,000 characters and an end that a cut would show.
fn long_prompt() -> String {
    format!("{}THE END", "word ".repeat(180_000))
}

#[test]
fn a_prompt_past_a_cloud_models_context_is_refused_before_it_is_sent() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start([]);
    let url = server.url();
    let asked = [
        "chat",
        "--json",
        "--source",
        "anthropic",
        "--base-url",
        &url,
        "--model",
        "claude-sonnet-4-5",
        "-",
    ];
    let refused = sandbox
        .weir(&asked)
        .env("ANTHROPIC_API_KEY", canary.key())
        .input(long_prompt())
        .run()
        .code(1);
    let sentence = refused.sentence();
    for part in [
        "900,007 characters",
        "225,002 tokens",
        "200,000",
        "larger context",
        "shorten",
    ] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    let error = refused.events().pop().unwrap();
    assert_eq!(error["error"]["code"], "prompt_too_long");
    assert_eq!(server.requests().len(), 0);
    let sessions = sandbox.weir(&["sessions", "--json"]).run().code(0).stdout;
    assert_eq!(sessions, "", "nothing is kept of what was not asked");
}

#[test]
fn a_long_prompt_that_fits_goes_whole() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let whole = Reply::Stream(vec![Part::Send(sse::reply("Hm.", "seal", "Here."))]);
    let server = Server::start([whole]);
    let url = server.url();
    let prompt = format!("{}THE END", "word ".repeat(120_000));
    // Three quarters of the context: it used to be summed up and cut.
    let asked = [
        "chat",
        "--source",
        "anthropic",
        "--base-url",
        &url,
        "--model",
        "claude-sonnet-4-5",
        "-",
    ];
    sandbox
        .weir(&asked)
        .env("ANTHROPIC_API_KEY", canary.key())
        .input(&prompt)
        .run()
        .code(0);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(texts(&requests[0].body).concat() == prompt);
}

/// What nobody knows beforehand the source says; then nothing is cut either.
#[test]
fn a_prompt_that_the_source_refuses_is_not_cut() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let refusal = json!({"type": "error", "error": {"type": "invalid_request_error",
        "message": "prompt is too long: 300000 tokens > 200000 maximum"}});
    let server = Server::start([Reply::Refusal(400, refusal)]);
    let url = server.url();
    let asked = [
        "chat",
        "--source",
        "anthropic",
        "--base-url",
        &url,
        "--model",
        "claude-of-tomorrow",
        "-",
    ];
    let failed = sandbox
        .weir(&asked)
        .env("ANTHROPIC_API_KEY", canary.key())
        .input(long_prompt())
        .run()
        .code(1);
    let sentence = failed.sentence();
    for part in ["300000 tokens", "900,007 characters", "larger context"] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 1, "it was sent whole, and once");
    assert!(texts(&requests[0].body).concat() == long_prompt());
}

/// Ollama cuts what is longer than its model takes without a word, so it is asked first.
#[test]
fn a_local_servers_small_context_counts() {
    let sandbox = Sandbox::new();
    let server = Server::start([shown(8_192), shown(131_072), ollama_reply()]);
    let url = server.url();
    let prompt = format!("{}THE END", "word ".repeat(10_000));
    let ask = || {
        let asked = [
            "chat",
            "--source",
            "ollama",
            "--base-url",
            &url,
            "--model",
            "llama3",
            "-",
        ];
        sandbox.weir(&asked).input(&prompt).run()
    };
    let refused = ask().code(1);
    let sentence = refused.sentence();
    for part in ["50,007 characters", "16,669 tokens", "8,192", "llama3"] {
        assert!(sentence.contains(part), "{part}: {sentence}");
    }
    ask().code(0);
    let requests = server.requests();
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    assert_eq!(paths, ["/api/show", "/api/show", "/api/chat"]);
    assert_eq!(requests[0].body["model"], "llama3");
    assert!(requests[2].body["messages"][0]["content"] == prompt.as_str());
}

/// What is just below its context by the likely count may be past it by its own.
#[test]
fn a_local_server_is_sent_nothing_that_it_may_cut() {
    let sandbox = Sandbox::new();
    for prompt in ["{\"a\":7},".repeat(3_500), "堰".repeat(8_000)] {
        let server = Server::start([shown(8_192)]);
        let url = server.url();
        let asked = [
            "chat",
            "--json",
            "--source",
            "ollama",
            "--base-url",
            &url,
            "--model",
            "llama3",
            "-",
        ];
        let refused = sandbox.weir(&asked).input(&prompt).run().code(1);
        let error = refused.events().pop().unwrap();
        assert_eq!(error["error"]["code"], "prompt_too_long");
        let requests = server.requests();
        let paths: Vec<&str> = requests.iter().map(|it| it.path.as_str()).collect();
        assert_eq!(paths, ["/api/show"]);
    }
}

fn texts(body: &Value) -> Vec<String> {
    let messages = body["messages"].as_array().unwrap();
    let blocks = messages.iter().flat_map(|message| {
        let content = &message["content"];
        let blocks = content.as_array().cloned();
        blocks.unwrap_or_else(|| vec![json!({ "text": content })])
    });
    blocks
        .map(|block| block["text"].as_str().unwrap_or_default().to_owned())
        .collect()
}
