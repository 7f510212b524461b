//! A session keeps its source, model and effort, and its history goes to nobody unasked.

use std::sync::Arc;

use weir_protocol::{SessionChange, SettingsChange, Thinking, code};

use super::super::{App, AppError, MoveAsks, Moving, Prompt};
use super::{Fixture, fixture, prompt};
use crate::secret::MemoryKeychain;
use crate::store::Recipient;
use uuid::Uuid;

/// Nobody listens there, so a turn fails at once: what is asked of whom is stored all the same.
const NOWHERE: &str = "http://127.0.0.1:9";

async fn demo_session(fixture: &Fixture) -> Uuid {
    let session = fixture.app.send(prompt("fast")).await.unwrap();
    fixture.app.wait(session).await;
    session
}

fn to(session: Uuid, source: &str) -> Prompt {
    Prompt {
        text: "Go on.".into(),
        session: Some(session),
        source: Some(source.into()),
        base_url: Some(NOWHERE.into()),
        model: Some("m".into()),
        ..Prompt::default()
    }
}

async fn asks(app: &Arc<App>, prompt: Prompt) -> MoveAsks {
    match app.send(prompt).await {
        Err(AppError::MoveAsks(asks)) => *asks,
        other => panic!("{other:?}"),
    }
}

async fn sent(app: &Arc<App>, prompt: Prompt) -> Uuid {
    let session = app.send(prompt).await.unwrap();
    app.wait(session).await;
    session
}

async fn with_key(fixture: &Fixture, source: &str) {
    let key = format!("key of {source}");
    fixture.app.set_key(source, key.into()).await.unwrap();
}

#[tokio::test]
async fn a_session_goes_on_with_its_own_source_model_and_effort() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let first = Prompt {
        text: "Hi.".into(),
        source: Some("ollama".into()),
        base_url: Some(NOWHERE.into()),
        model: Some("llama3".into()),
        thinking: Some(Thinking::High),
        ..Prompt::default()
    };
    let session = sent(app, first).await;
    for change in [
        SettingsChange::Source {
            source: "anthropic".into(),
        },
        SettingsChange::Thinking {
            thinking: Thinking::Off,
        },
    ] {
        app.change(change).await.unwrap();
    }
    let go_on = Prompt {
        text: "Go on.".into(),
        session: Some(session),
        ..Prompt::default()
    };
    sent(app, go_on.clone()).await;
    let line = app.store().session(session).await.unwrap();
    assert_eq!(
        (line.source.as_str(), line.model.as_str()),
        ("ollama", "llama3")
    );
    assert_eq!(line.thinking, Some(Thinking::High));
    assert_eq!(line.turns, 2);
    let address = app.store().session_base_url(session).await.unwrap();
    assert_eq!(address.as_deref(), Some(NOWHERE));
    // What is said for one turn is what the session goes on with.
    let other = Prompt {
        model: Some("qwen3".into()),
        thinking: Some(Thinking::Tokens(5)),
        ..go_on
    };
    sent(app, other).await;
    let line = app.store().session(session).await.unwrap();
    assert_eq!(
        (line.source.as_str(), line.model.as_str()),
        ("ollama", "qwen3")
    );
    assert_eq!(line.thinking, Some(Thinking::Tokens(5)));
    // A rebuild finds the same in the log.
    assert_eq!(app.store().rebuild().await.unwrap().mended, 0);
    assert_eq!(app.store().session(session).await.unwrap(), line);
}

#[tokio::test]
async fn what_is_chosen_for_a_session_is_its_own_and_seen_by_other_weirs() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let session = demo_session(&fixture).await;
    let keychain = Arc::new(MemoryKeychain::default());
    let folder = fixture._folder.path().to_owned();
    let (other, _) = App::open(folder, keychain).await.unwrap();
    let model = SessionChange::Model {
        source: "ollama".into(),
        model: " llama3 ".into(),
    };
    app.choose(session, model).await.unwrap();
    let effort = SessionChange::Thinking {
        thinking: Thinking::Low,
    };
    app.choose(session, effort).await.unwrap();
    let line = other.store().session(session).await.unwrap();
    assert_eq!(
        (line.source.as_str(), line.model.as_str()),
        ("ollama", "llama3")
    );
    assert_eq!(line.thinking, Some(Thinking::Low));
    let settings = app.settings(weir_protocol::Theme::System).await.unwrap();
    assert_eq!(settings.source, "demo", "the defaults stay");
    let unknown = SessionChange::Model {
        source: "nobody".into(),
        model: "m".into(),
    };
    let refused = app.choose(session, unknown).await.unwrap_err();
    assert_eq!(refused.body().code, code::UNKNOWN_SOURCE);
    other.close().await;
}

#[tokio::test]
async fn history_goes_to_another_source_only_after_the_user_agreed_once() {
    let fixture = fixture().await;
    let app = &fixture.app;
    with_key(&fixture, "anthropic").await;
    with_key(&fixture, "openai").await;
    let session = demo_session(&fixture).await;
    let before = app.store().events_since(session, 0).await.unwrap();
    let asked = asks(app, to(session, "anthropic")).await;
    assert_eq!((asked.messages, asked.label.as_str()), (2, "Anthropic"));
    assert_eq!(asked.before, "Demo");
    assert_eq!(asked.recipient.host, "127.0.0.1:9");
    let after = app.store().events_since(session, 0).await.unwrap();
    assert_eq!(
        before, after,
        "nothing is saved of a prompt that was not sent"
    );
    // It is asked until it is answered, and by whatever way it is sent.
    let turn = before.iter().find_map(|event| event.turn_id).unwrap();
    let chosen = SessionChange::Model {
        source: "anthropic".into(),
        model: "m".into(),
    };
    app.choose(session, chosen).await.unwrap();
    let again = app.ask_again(session, turn).await.unwrap_err();
    assert_eq!(again.body().code, code::MOVE_ASKS);
    let edit = app.edit(session, turn, "New.".into(), Vec::new(), Default::default());
    assert_eq!(edit.await.unwrap_err().body().code, code::MOVE_ASKS);

    app.allow_move(&asked).await.unwrap();
    sent(app, to(session, "anthropic")).await;
    sent(app, to(session, "anthropic")).await;
    // Another source is another question; back to one that has had it is none.
    let asked = asks(app, to(session, "openai")).await;
    assert_eq!(asked.before, "Demo and Anthropic");
    let allowed = Prompt {
        moving: Moving::Allowed,
        ..to(session, "openai")
    };
    sent(app, allowed).await;
    sent(app, to(session, "anthropic")).await;
    sent(app, to(session, "openai")).await;
    // So is another host of the same source.
    let elsewhere = Prompt {
        base_url: Some("https://gateway.example".into()),
        ..to(session, "anthropic")
    };
    assert_eq!(asks(app, elsewhere).await.recipient.host, "gateway.example");
}

#[tokio::test]
async fn what_stays_on_this_machine_or_begins_a_session_asks_nothing() {
    let fixture = fixture().await;
    let app = &fixture.app;
    with_key(&fixture, "anthropic").await;
    let session = demo_session(&fixture).await;
    sent(app, to(session, "ollama")).await;
    sent(
        app,
        Prompt {
            session: Some(session),
            ..prompt("fast")
        },
    )
    .await;
    let begins = Prompt {
        session: None,
        ..to(session, "anthropic")
    };
    sent(app, begins).await;
    // A local server elsewhere, or one that passes a model on, is a recipient.
    let elsewhere = Prompt {
        base_url: Some("http://10.0.0.7:11434".into()),
        ..to(session, "ollama")
    };
    assert_eq!(asks(app, elsewhere).await.recipient.host, "10.0.0.7:11434");
    let forwarded = Prompt {
        model: Some("gpt-oss:120b-cloud".into()),
        ..to(session, "ollama")
    };
    assert_eq!(asks(app, forwarded).await.recipient.host, "ollama.com");
}

#[tokio::test]
async fn a_fork_goes_on_where_its_turns_were_asked_and_asks_about_the_rest() {
    let fixture = fixture().await;
    let app = &fixture.app;
    with_key(&fixture, "anthropic").await;
    with_key(&fixture, "openai").await;
    let begins = Prompt {
        session: None,
        thinking: Some(Thinking::High),
        ..to(Uuid::nil(), "anthropic")
    };
    let session = sent(app, begins).await;
    let openai = Recipient {
        source: "openai".into(),
        host: "127.0.0.1".into(),
    };
    app.store().allow_recipient(session, openai).await.unwrap();
    let fork = app.fork(session, None).await.unwrap();
    assert_eq!(
        (fork.source.as_str(), fork.model.as_str()),
        ("anthropic", "m")
    );
    assert_eq!(fork.thinking, Some(Thinking::High));
    let address = app.store().session_base_url(fork.id).await.unwrap();
    assert_eq!(address.as_deref(), Some(NOWHERE));
    sent(app, to(fork.id, "anthropic")).await;
    asks(app, to(fork.id, "openai")).await;
}

#[tokio::test]
async fn new_sessions_begin_with_the_last_used() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let session = demo_session(&fixture).await;
    let other = Prompt {
        thinking: Some(Thinking::High),
        ..to(session, "ollama")
    };
    sent(app, other).await;
    app.use_for_new_sessions(session).await.unwrap();
    let settings = app.settings(weir_protocol::Theme::System).await.unwrap();
    assert_eq!(
        (settings.source.as_str(), settings.thinking),
        ("ollama", Thinking::High)
    );
    let ollama = settings
        .sources
        .iter()
        .find(|it| it.name == "ollama")
        .unwrap();
    assert_eq!(ollama.model, "m", "what was picked is picked again");
}

async fn model_of(app: &Arc<App>, source: &str) -> String {
    let settings = app.settings(weir_protocol::Theme::System).await.unwrap();
    let mut sources = settings.sources.into_iter();
    sources.find(|it| it.name == source).unwrap().model
}

/// Whatever a server has loaded is not what the user wants from then on.
#[tokio::test]
async fn new_sessions_begin_with_a_picked_model_and_not_with_a_loaded_one() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let session = demo_session(&fixture).await;
    let first = Prompt {
        text: "Go on.".into(),
        session: Some(session),
        ..Prompt::default()
    };
    let pick = |model: &str| SessionChange::Model {
        source: "ollama".into(),
        model: model.into(),
    };
    let ollama = || SettingsChange::BaseUrl {
        source: "ollama".into(),
        base_url: NOWHERE.into(),
    };
    app.change(ollama()).await.unwrap();
    app.choose(session, pick("picked")).await.unwrap();
    sent(app, first.clone()).await;
    app.use_for_new_sessions(session).await.unwrap();
    assert_eq!(model_of(app, "ollama").await, "picked");
    // Going on and asking again pick nothing anew, and keep what was picked.
    let forget = SettingsChange::Model {
        source: "ollama".into(),
        model: String::new(),
    };
    app.change(forget.clone()).await.unwrap();
    sent(app, first.clone()).await;
    app.use_for_new_sessions(session).await.unwrap();
    assert_eq!(model_of(app, "ollama").await, "picked");
    app.change(forget).await.unwrap();
    let kept = app.store().picked(session).await.unwrap();
    assert_eq!(kept, Some(("ollama".into(), "picked".into())));
    // Of a session that was asked of what was loaded, nothing is carried over.
    let loaded = demo_session(&fixture).await;
    app.use_for_new_sessions(loaded).await.unwrap();
    assert_eq!(model_of(app, "ollama").await, "");
}

/// Another program on the same machine is another recipient.
#[tokio::test]
async fn another_port_is_asked_about_once() {
    let fixture = fixture().await;
    let app = &fixture.app;
    with_key(&fixture, "anthropic").await;
    let begins = Prompt {
        session: None,
        ..to(Uuid::nil(), "anthropic")
    };
    let session = sent(app, begins).await;
    let other = |port: &str| Prompt {
        base_url: Some(format!("http://127.0.0.1:{port}")),
        ..to(session, "anthropic")
    };
    let asked = asks(app, other("10")).await;
    assert_eq!(asked.recipient.host, "127.0.0.1:10");
    app.allow_move(&asked).await.unwrap();
    sent(app, other("10")).await;
    sent(app, to(session, "anthropic")).await;
}

#[tokio::test]
async fn a_prompt_that_cannot_fit_is_refused_before_anything_is_saved() {
    let fixture = fixture().await;
    let app = &fixture.app;
    with_key(&fixture, "anthropic").await;
    let long = Prompt {
        session: None,
        text: "word".repeat(225_000),
        model: Some("claude-sonnet-4-5".into()),
        ..to(Uuid::nil(), "anthropic")
    };
    let refused = app.send(long.clone()).await.unwrap_err().body();
    assert_eq!(refused.code, code::PROMPT_TOO_LONG);
    for part in [
        "900,000 characters",
        "225,000 tokens",
        "200,000",
        "larger context",
    ] {
        assert!(refused.message.contains(part), "{}", refused.message);
    }
    assert_eq!(app.store().sessions().await.unwrap(), []);
    // The system prompt goes with it and is not cut either.
    let system = Prompt {
        text: "Hi.".into(),
        system: Some(long.text.clone()),
        ..long
    };
    let refused = app.send(system).await.unwrap_err().body();
    assert!(
        refused.message.contains("225,000 more"),
        "{}",
        refused.message
    );
    assert_eq!(app.store().sessions().await.unwrap(), []);
}
