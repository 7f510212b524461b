//! Every source over HTTP against a scripted server: where it asks, how it shows its key, what
//! it keeps of the reply, and what a person reads when it fails.

use std::sync::Arc;

use serde_json::json;
use weir_core::app::App;
use weir_core::secret::MemoryKeychain;
use weir_core::source::{KeyNeed, Location, SOURCES, Source};
use weir_protocol::SettingsChange;
use weir_tests::events::{content, of_kind, session};
use weir_tests::eventstream;
use weir_tests::replies::{ANSWER, FIRST, pieces};
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Reply, Sandbox, Server};

/// A whole reply in a dialect: `ANSWER`, of 11 tokens in and 23 out.
fn reply(dialect: &str) -> Reply {
    match dialect {
        "bedrock" => Reply::EventStream(vec![Part::Bytes(eventstream::whole())]),
        _ => stream(dialect, pieces(dialect).whole()),
    }
}

fn stream(dialect: &str, text: String) -> Reply {
    match dialect {
        "ollama" => Reply::Lines(vec![Part::Send(text)]),
        _ => Reply::Stream(vec![Part::Send(text)]),
    }
}

/// The first half of it, and then nothing.
fn half(dialect: &str) -> Reply {
    match dialect {
        "bedrock" => Reply::EventStream(vec![Part::Bytes(eventstream::half())]),
        _ => stream(dialect, pieces(dialect).half()),
    }
}

/// The sources that ask a server.
fn over_http() -> impl Iterator<Item = &'static Source> {
    SOURCES
        .iter()
        .copied()
        .filter(|source| !source.base_url.is_empty())
}

fn chat(sandbox: &Sandbox, source: &Source, url: &str, canary: &Canary, more: &[&str]) -> Weir {
    let url = address(source, url);
    let mut arguments = vec!["chat", "--source", source.name, "--base-url", &url];
    arguments.extend(["--model", "some-model", "--json"]);
    arguments.extend(more);
    let weir = sandbox.weir(&arguments);
    match source.key {
        KeyNeed::None => weir,
        KeyNeed::Optional { variable, .. } | KeyNeed::Wanted { variable, .. } => {
            weir.env(variable, canary.key())
        }
    }
}

/// A source's address at a server. Vertex wants to know a project, which a key that is a plain
/// token does not tell.
fn address(source: &Source, url: &str) -> String {
    match source.name {
        "vertex" | "vertex-claude" => format!("{url}/v1/projects/p/locations/l"),
        _ => url.to_owned(),
    }
}

/// Where each source asks under a host that is named alone.
fn path(source: &Source) -> &'static str {
    const VERTEX: &str =
        "/v1/projects/p/locations/l/publishers/google/models/some-model:streamGenerateContent";
    const CLAUDE: &str =
        "/v1/projects/p/locations/l/publishers/anthropic/models/some-model:streamRawPredict";
    match source.name {
        "vertex" => return VERTEX,
        "vertex-claude" => return CLAUDE,
        "azure-openai" => return "/openai/v1/responses",
        _ => {}
    }
    match source.dialect.name {
        "bedrock" => "/model/some-model/converse-stream",
        "anthropic" => "/v1/messages",
        "openai-chat" => "/v1/chat/completions",
        "openai-responses" => "/v1/responses",
        "gemini" => "/v1beta/models/some-model:streamGenerateContent",
        "ollama" => "/api/chat",
        other => panic!("no path is known for {other}"),
    }
}

#[test]
fn each_source_asks_where_it_should_and_keeps_the_reply() {
    for source in over_http() {
        let sandbox = Sandbox::new();
        let canary = Canary::new();
        let dialect = source.dialect.name;
        let server = Server::start([reply(dialect), reply(dialect)]);
        let more = ["--system", "Be brief.", "Why?"];
        let turn = chat(&sandbox, source, &server.url(), &canary, &more)
            .run()
            .code(0);
        let events = turn.events();
        let name = source.name;
        assert_eq!(content(of_kind(&events, "message")[0]), ANSWER, "{name}");
        let usage = &of_kind(&events, "usage")[0]["usage"];
        assert_eq!(usage["inputTokens"], 11, "{name}");
        assert_eq!(usage["outputTokens"], 23, "{name}");
        assert_eq!(of_kind(&events, "complete")[0]["stopReason"], "end_turn");

        let id = session(&events);
        let more = ["--session", &id, "And then?"];
        chat(&sandbox, source, &server.url(), &canary, &more)
            .run()
            .code(0);
        for request in server.requests() {
            assert_eq!(request.method, "POST", "{name}");
            assert_eq!(request.path, path(source), "{name}");
            let body = request.body.to_string();
            assert!(body.contains("Why?"), "{name}: {body}");
            let shown = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
            let shown = shown.map(|header| request.header(header));
            let keys = shown.iter().filter(|value| value.contains(canary.key()));
            assert_eq!(keys.count(), 1, "{name} shows its key once");
        }
        let [first, second] = &server.requests()[..] else {
            panic!("{name}: two requests");
        };
        assert!(first.body.to_string().contains("Be brief."), "{name}");
        let history = second.body.to_string();
        assert!(history.contains(ANSWER), "{name} sends what was said");
        if dialect == "gemini" {
            assert_eq!(second.query, "alt=sse");
        }
        canary.check_absent_below(sandbox.root());
    }
}

#[test]
fn a_path_in_the_address_stays_as_it_is() {
    let cases = [
        (
            "openai-chat",
            "/proxy/openai",
            "/proxy/openai/chat/completions",
        ),
        ("openai", "/v1/", "/v1/responses"),
        ("anthropic", "/v1", "/v1/messages"),
        ("anthropic", "/proxy", "/proxy/v1/messages"),
        ("ollama", "/api", "/api/chat"),
        ("azure-openai", "/openai", "/openai/v1/responses"),
        ("azure-openai", "/openai/v1/", "/openai/v1/responses"),
        ("zai", "/api/paas/v4", "/api/paas/v4/chat/completions"),
    ];
    for (name, below, expected) in cases {
        let source = over_http().find(|source| source.name == name).unwrap();
        let sandbox = Sandbox::new();
        let canary = Canary::new();
        let server = Server::start([reply(source.dialect.name)]);
        let url = server.url() + below;
        chat(&sandbox, source, &url, &canary, &["Why?"])
            .run()
            .code(0);
        assert_eq!(server.requests()[0].path, expected, "{name} at {below}");
    }
}

#[test]
fn a_refusal_is_told_in_the_providers_own_words() {
    let words = "the model is not for you";
    let shapes = [
        json!({"type": "error", "error": {"type": "not_found_error", "message": words}}),
        json!({"error": {"message": words, "type": "invalid_request_error", "code": "no_model"}}),
        json!([{"error": {"code": 404, "message": words, "status": "NOT_FOUND"}}]),
        json!({"error": words}),
        json!({"object": "error", "message": words}),
        json!({"detail": words}),
    ];
    let canary = Canary::new();
    for source in over_http() {
        let sandbox = Sandbox::new();
        for (shape, status) in shapes.iter().zip([404, 400, 404, 200, 403, 422]) {
            let server = Server::start([Reply::Refusal(status, shape.clone())]);
            let turn = chat(&sandbox, source, &server.url(), &canary, &["Why?"])
                .run()
                .code(1);
            let events = turn.events();
            let error = &of_kind(&events, "error")[0]["error"];
            let message = error["message"].as_str().unwrap_or_default();
            assert!(message.contains(words), "{} {shape}: {error}", source.name);
        }
    }
}

#[test]
fn a_cut_reply_is_an_error_that_keeps_what_came() {
    let canary = Canary::new();
    for source in over_http() {
        let sandbox = Sandbox::new();
        let dialect = source.dialect.name;
        let server = Server::start([half(dialect)]);
        let turn = chat(&sandbox, source, &server.url(), &canary, &["Why?"])
            .run()
            .code(1);
        let events = turn.events();
        let kept = content(of_kind(&events, "message")[0]);
        assert_eq!(kept, FIRST, "{}", source.name);
        let error = &of_kind(&events, "error")[0]["error"];
        assert_eq!(error["code"], "stream_cut", "{}", source.name);
    }
}

/// A list of models in a dialect's own shape.
fn models(source: &Source) -> Reply {
    let listed = match source.dialect.name {
        _ if source.name.starts_with("vertex") => json!({"publisherModels": [
            {"name": "publishers/x/models/gemini-one"}, {"name": "publishers/x/models/imagen-3"},
        ]}),
        "bedrock" => json!({"modelSummaries": [
            {"modelId": "gemini-one", "outputModalities": ["TEXT"],
                "responseStreamingSupported": true, "inferenceTypesSupported": ["ON_DEMAND"]},
            {"modelId": "painter", "outputModalities": ["IMAGE"]},
            {"modelId": "profiled", "outputModalities": ["TEXT"],
                "inferenceTypesSupported": ["INFERENCE_PROFILE"]},
        ]}),
        "gemini" => json!({"models": [
            {"name": "models/gemini-one", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
        ]}),
        "ollama" => json!({"models": [{"name": "gemini-one"}]}),
        _ => json!({"data": [{"id": "gemini-one"}]}),
    };
    Reply::Refusal(200, listed)
}

async fn engine(sandbox: &Sandbox) -> Arc<App> {
    let folder = sandbox.root().join("engine");
    let (app, _) = App::open(folder, Arc::new(MemoryKeychain::default()))
        .await
        .unwrap();
    app
}

async fn move_to(app: &App, source: &Source, url: String) {
    let change = SettingsChange::BaseUrl {
        source: source.name.to_owned(),
        base_url: address(source, &url),
    };
    app.change(change).await.unwrap();
}

#[tokio::test]
async fn each_source_lists_its_models() {
    let sandbox = Sandbox::new();
    let app = engine(&sandbox).await;
    let canary = Canary::new();
    for source in over_http() {
        let server = Server::start([models(source)]);
        move_to(&app, source, server.url()).await;
        app.set_key(source.name, canary.key().into()).await.unwrap();
        assert_eq!(app.models(source.name).await.unwrap(), ["gemini-one"]);
        let request = &server.requests()[0];
        assert_eq!(request.method, "GET", "{}", source.name);
        let tail = match source.dialect.name {
            "ollama" => "/tags",
            "bedrock" => "/foundation-models",
            _ => "/models",
        };
        assert!(request.path.ends_with(tail), "{}", request.path);
    }
}

#[tokio::test]
async fn servers_on_this_machine_are_found_without_a_key_and_asked_by_default() {
    let sandbox = Sandbox::new();
    let app = engine(&sandbox).await;
    let canary = Canary::new();
    let local: Vec<_> = over_http()
        .filter(|source| source.location == Location::Here)
        .collect();
    assert!(local.len() >= 4);
    let nobody = Server::start([]);
    for source in &local {
        move_to(&app, source, nobody.url()).await;
    }
    assert_eq!(app.found_here().await.unwrap(), []);
    for source in local {
        let server = Server::start([models(source), models(source)]);
        move_to(&app, source, server.url()).await;
        app.set_key(source.name, canary.key().into()).await.unwrap();
        let found = app.found_here().await.unwrap();
        let names: Vec<_> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, [source.name]);
        assert_eq!(found[0].models, ["gemini-one"]);
        let request = &server.requests()[0];
        assert_eq!(request.header("authorization"), "", "{}", source.name);
        let closed = Server::start([Reply::Refusal(401, json!({"error": "no key"}))]);
        move_to(&app, source, closed.url()).await;
        let found = app.found_here().await.unwrap();
        assert_eq!(
            found[0].models,
            Vec::<String>::new(),
            "there, with a closed door"
        );
        move_to(&app, source, nobody.url()).await;
    }
}

#[test]
fn a_server_that_has_one_model_needs_no_name() {
    let sandbox = Sandbox::new();
    let ollama = over_http().find(|source| source.name == "ollama").unwrap();
    let server = Server::start([models(ollama), reply("ollama")]);
    let url = server.url();
    let arguments = [
        "chat",
        "--source",
        "ollama",
        "--base-url",
        &url,
        "--json",
        "Why?",
    ];
    let events = sandbox.weir(&arguments).run().code(0).events();
    assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);
    assert_eq!(server.requests()[1].body["model"], "gemini-one");

    let empty = Server::start([Reply::Refusal(200, json!({"models": []}))]);
    let url = empty.url();
    let arguments = ["chat", "--source", "ollama", "--base-url", &url, "Why?"];
    let turn = sandbox.weir(&arguments).run().code(1);
    assert!(turn.stderr.contains("no model"), "{}", turn.stderr);
}

#[test]
fn azure_without_an_address_says_which_it_wants() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let arguments = ["chat", "--source", "azure-openai", "Why?"];
    let turn = sandbox
        .weir(&arguments)
        .env("AZURE_OPENAI_API_KEY", canary.key());
    let turn = turn.run().code(1);
    let example = "https://YOUR-RESOURCE.openai.azure.com";
    assert!(turn.stderr.contains(example), "{}", turn.stderr);
}

/// Servers of the user's own: each asked in its API, with its own key, under its own name.
#[test]
fn named_servers_are_sources_with_keys_of_their_own() {
    let sandbox = Sandbox::with_keychain(weir_tests::Lock::Unlocked);
    let kinds = [
        (
            "openai",
            "openai-chat",
            "/v1/chat/completions",
            "authorization",
        ),
        (
            "responses",
            "openai-responses",
            "/v1/responses",
            "authorization",
        ),
        ("anthropic", "anthropic", "/v1/messages", "x-api-key"),
    ];
    for (kind, dialect, path, header) in kinds {
        let canary = Canary::new();
        let server = Server::start([reply(dialect), reply(dialect)]);
        let name = format!("my-{kind}");
        let add = ["sources", "add", &name, &server.url(), "--kind", kind];
        sandbox.weir(&add).run().code(0);
        let chat = [
            "chat",
            "--source",
            &name,
            "--model",
            "some-model",
            "--json",
            "Why?",
        ];
        // Without a key first: a server of one's own may need none.
        let events = sandbox.weir(&chat).run().code(0).events();
        assert_eq!(content(of_kind(&events, "message")[0]), ANSWER, "{name}");
        let key = sandbox.weir(&["keys", "set", &name]).input(canary.key());
        key.run().code(0);
        sandbox.weir(&chat).run().code(0);
        let requests = server.requests();
        assert_eq!(requests[0].header(header), "", "{name}");
        assert!(requests[1].header(header).contains(canary.key()), "{name}");
        assert!(
            requests.iter().all(|request| request.path == path),
            "{name}"
        );
        canary.check_absent_below(sandbox.root());
    }
    let listed = sandbox.weir(&["sources", "list"]).run().code(0).stdout;
    let yours = listed.lines().filter(|line| line.ends_with("(yours)"));
    assert_eq!(yours.count(), 3, "{listed}");
    for line in ["my-openai", "anthropic", "bedrock"] {
        assert!(
            listed.lines().any(|it| it.starts_with(line)),
            "{line}: {listed}"
        );
    }
    let keys = sandbox.weir(&["keys", "list"]).run().code(0).stdout;
    assert!(
        keys.lines()
            .any(|it| it.starts_with("my-openai") && it.contains("stored")),
        "{keys}"
    );
    let doctor = sandbox.weir(&["doctor"]).run().stdout;
    assert!(doctor.contains("my-anthropic"), "{doctor}");

    // No name shadows another, and a name that comes back has nothing of the old one's.
    let elsewhere = Server::start([reply("openai-chat")]);
    for (name, words) in [
        ("anthropic", "that Weir brings"),
        ("my-openai", "already"),
        ("My Server", "cannot be the name"),
    ] {
        let add = ["sources", "add", name, &elsewhere.url()];
        let refused = sandbox.weir(&add).run().code(2);
        assert!(refused.stderr.contains(words), "{name}: {}", refused.stderr);
    }
    let bad = ["sources", "add", "other", "ftp://example.com"];
    sandbox.weir(&bad).run().code(2);
    sandbox
        .weir(&["sources", "remove", "my-openai"])
        .run()
        .code(0);
    let again = sandbox
        .weir(&["sources", "remove", "my-openai"])
        .run()
        .code(2);
    assert!(
        again.stderr.contains("There is no server"),
        "{}",
        again.stderr
    );
    let gone = [
        "chat",
        "--source",
        "my-openai",
        "--model",
        "some-model",
        "Why?",
    ];
    sandbox.weir(&gone).run().code(2);
    sandbox
        .weir(&["sources", "add", "my-openai", &elsewhere.url()])
        .run()
        .code(0);
    sandbox.weir(&gone).run().code(0);
    assert_eq!(
        elsewhere.requests()[0].header("authorization"),
        "",
        "no key goes elsewhere"
    );
    for name in ["my-responses", "my-anthropic", "my-openai"] {
        sandbox.weir(&["sources", "remove", name]).run().code(0);
    }
}
