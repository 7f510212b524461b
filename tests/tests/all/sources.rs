//! Every source over HTTP against a scripted server: where it asks, how it shows its key, what
//! it keeps of the reply, and what a person reads when it fails.

use std::sync::Arc;

use serde_json::json;
use weir_core::app::App;
use weir_core::secret::MemoryKeychain;
use weir_core::source::{KeyNeed, Place as Where, SOURCES, Source};
use weir_protocol::SettingsChange;
use weir_tests::events::{content, of_kind, session};
use weir_tests::replies::{ANSWER, FIRST, pieces};
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Place, Reply, Server};

/// A whole reply in a dialect: `ANSWER`, of 11 tokens in and 23 out.
fn reply(dialect: &str) -> Reply {
    stream(dialect, pieces(dialect).whole())
}

fn stream(dialect: &str, text: String) -> Reply {
    match dialect {
        "ollama" => Reply::Lines(vec![Part::Send(text)]),
        _ => Reply::Stream(vec![Part::Send(text)]),
    }
}

/// The sources that ask a server.
fn over_http() -> impl Iterator<Item = &'static Source> {
    SOURCES
        .iter()
        .copied()
        .filter(|source| !source.base_url.is_empty())
}

fn chat(place: &Place, source: &Source, url: &str, canary: &Canary, more: &[&str]) -> Weir {
    let mut arguments = vec!["chat", "--source", source.name, "--base-url", url];
    arguments.extend(["--model", "some-model", "--json"]);
    arguments.extend(more);
    let weir = place.weir(&arguments);
    match source.key {
        KeyNeed::None => weir,
        KeyNeed::Optional { variable, .. } | KeyNeed::Wanted { variable, .. } => {
            weir.env(variable, canary.key())
        }
    }
}

/// Where each dialect is spoken under a host that is named alone.
fn path(dialect: &str) -> &'static str {
    match dialect {
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
        let place = Place::new();
        let canary = Canary::new();
        let dialect = source.dialect.name;
        let server = Server::start([reply(dialect), reply(dialect)]);
        let more = ["--system", "Be brief.", "Why?"];
        let turn = chat(&place, source, &server.url(), &canary, &more)
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
        chat(&place, source, &server.url(), &canary, &more)
            .run()
            .code(0);
        for request in server.requests() {
            assert_eq!(request.method, "POST", "{name}");
            assert_eq!(request.path, path(dialect), "{name}");
            let body = request.body.to_string();
            assert!(body.contains("Why?"), "{name}: {body}");
            let shown = ["authorization", "x-api-key", "x-goog-api-key"];
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
        canary.check_absent_below(place.root());
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
    ];
    for (name, below, expected) in cases {
        let source = over_http().find(|source| source.name == name).unwrap();
        let place = Place::new();
        let canary = Canary::new();
        let server = Server::start([reply(source.dialect.name)]);
        let url = server.url() + below;
        chat(&place, source, &url, &canary, &["Why?"]).run().code(0);
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
        let place = Place::new();
        for (shape, status) in shapes.iter().zip([404, 400, 404, 200, 403, 422]) {
            let server = Server::start([Reply::Refusal(status, shape.clone())]);
            let turn = chat(&place, source, &server.url(), &canary, &["Why?"])
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
        let place = Place::new();
        let dialect = source.dialect.name;
        let server = Server::start([stream(dialect, pieces(dialect).half())]);
        let turn = chat(&place, source, &server.url(), &canary, &["Why?"])
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
fn models(dialect: &str) -> Reply {
    let listed = match dialect {
        "gemini" => json!({"models": [
            {"name": "models/one", "supportedGenerationMethods": ["generateContent"]},
            {"name": "models/embedding-1", "supportedGenerationMethods": ["embedContent"]},
        ]}),
        "ollama" => json!({"models": [{"name": "one"}]}),
        _ => json!({"data": [{"id": "one"}]}),
    };
    Reply::Refusal(200, listed)
}

async fn engine(place: &Place) -> Arc<App> {
    let folder = place.root().join("engine");
    let (app, _) = App::open(folder, Arc::new(MemoryKeychain::default()))
        .await
        .unwrap();
    app
}

async fn move_to(app: &App, source: &Source, url: String) {
    let change = SettingsChange::BaseUrl {
        source: source.name.to_owned(),
        base_url: url,
    };
    app.change(change).await.unwrap();
}

#[tokio::test]
async fn each_source_lists_its_models() {
    let place = Place::new();
    let app = engine(&place).await;
    let canary = Canary::new();
    for source in over_http() {
        let server = Server::start([models(source.dialect.name)]);
        move_to(&app, source, server.url()).await;
        app.set_key(source.name, canary.key().into()).await.unwrap();
        assert_eq!(app.models(source.name).await.unwrap(), ["one"]);
        let request = &server.requests()[0];
        assert_eq!(request.method, "GET", "{}", source.name);
        let tail = if source.dialect.name == "ollama" {
            "/tags"
        } else {
            "/models"
        };
        assert!(request.path.ends_with(tail), "{}", request.path);
    }
}

#[tokio::test]
async fn servers_on_this_machine_are_found_without_a_key_and_asked_by_default() {
    let place = Place::new();
    let app = engine(&place).await;
    let canary = Canary::new();
    let local: Vec<_> = over_http()
        .filter(|source| source.place == Where::Here)
        .collect();
    assert!(local.len() >= 4);
    let nobody = Server::start([]);
    for source in &local {
        move_to(&app, source, nobody.url()).await;
    }
    assert_eq!(app.found_here().await.unwrap(), []);
    for source in local {
        let server = Server::start([models(source.dialect.name), models(source.dialect.name)]);
        move_to(&app, source, server.url()).await;
        app.set_key(source.name, canary.key().into()).await.unwrap();
        let found = app.found_here().await.unwrap();
        let names: Vec<_> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, [source.name]);
        assert_eq!(found[0].models, ["one"]);
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
    let place = Place::new();
    let server = Server::start([models("ollama"), reply("ollama")]);
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
    let events = place.weir(&arguments).run().code(0).events();
    assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);
    assert_eq!(server.requests()[1].body["model"], "one");

    let empty = Server::start([Reply::Refusal(200, json!({"models": []}))]);
    let url = empty.url();
    let arguments = ["chat", "--source", "ollama", "--base-url", &url, "Why?"];
    let turn = place.weir(&arguments).run().code(1);
    assert!(turn.stderr.contains("no model"), "{}", turn.stderr);
}
