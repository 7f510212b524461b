//! What a session is asked with beside its model: kept, bounded and guarded.

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{EventBody, ProviderTool, RequestOptions, SessionChange};

use super::super::{App, AppError, Prompt};
use super::{fixture, prompt};

fn asked_with(options: RequestOptions) -> Prompt {
    Prompt {
        options: Some(options),
        ..prompt("fast")
    }
}

fn searching() -> RequestOptions {
    RequestOptions {
        temperature: Some(0.5),
        provider_tools: vec![ProviderTool::WebSearch],
        ..RequestOptions::default()
    }
}

/// What each prompt of a session was asked with.
async fn stored(app: &App, session: Uuid) -> Vec<RequestOptions> {
    let events = app.store().events_since(session, 0).await.unwrap();
    let mut asked = Vec::new();
    for event in events {
        if let EventBody::UserMessage { options, .. } = event.body {
            asked.push(options);
        }
    }
    asked
}

#[tokio::test]
async fn a_session_keeps_its_options_until_others_are_chosen() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let session = app.send(asked_with(searching())).await.unwrap();
    app.wait(session).await;
    let go_on = Prompt {
        session: Some(session),
        ..prompt("fast")
    };
    app.send(go_on.clone()).await.unwrap();
    app.wait(session).await;
    let line = app.store().session(session).await.unwrap();
    assert_eq!(line.options, searching());
    let options = RequestOptions::default();
    app.choose(session, SessionChange::Options { options })
        .await
        .unwrap();
    let line = app.store().session(session).await.unwrap();
    assert_eq!(line.options, RequestOptions::default());
    app.send(go_on).await.unwrap();
    app.wait(session).await;
    assert_eq!(
        stored(app, session).await,
        [searching(), searching(), RequestOptions::default()]
    );
    // A rebuild finds the same in the log.
    assert_eq!(app.store().rebuild().await.unwrap().mended, 0);
}

#[tokio::test]
async fn options_that_cannot_be_used_are_refused_before_anything_is_saved() {
    let fixture = fixture().await;
    let with = |change: fn(&mut RequestOptions)| {
        let mut options = RequestOptions::default();
        change(&mut options);
        options
    };
    let cases = [
        with(|it| it.max_tokens = Some(0)),
        with(|it| it.temperature = Some(2.1)),
        with(|it| it.temperature = Some(f64::NAN)),
        with(|it| it.top_p = Some(-0.1)),
        with(|it| it.stop = vec![String::new()]),
        with(|it| it.stop = vec!["x".repeat(257)]),
        with(|it| it.file_stores = vec!["s".into(); 17]),
        with(|it| it.schema = Some(json!([1]))),
        with(|it| it.schema = Some(json!({"x": "y".repeat(64 * 1024)}))),
    ];
    for options in cases {
        let refused = fixture.app.send(asked_with(options.clone())).await;
        assert!(
            matches!(refused, Err(AppError::BadOptions(_))),
            "{options:?}"
        );
    }
    assert_eq!(fixture.app.store().sessions().await.unwrap(), []);
}

#[tokio::test]
async fn options_are_redacted_like_a_prompt() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let email = ["someone.else", "mail.example.org"].join("@");
    let options = RequestOptions {
        stop: vec![email.clone()],
        schema: Some(json!({"type": "object", "description": email})),
        ..RequestOptions::default()
    };
    let session = app.send(asked_with(options)).await.unwrap();
    app.wait(session).await;
    let stored = stored(app, session).await;
    let text = serde_json::to_string(&stored).unwrap();
    assert!(!text.contains(&email), "{text}");
    let described = stored[0].schema.as_ref().map(|it| &it["description"]);
    assert!(described.is_some_and(Value::is_string), "{text}");
}
