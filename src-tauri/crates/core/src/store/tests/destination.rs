//! What a session keeps beside its log, and what sessions from before that have of it.

use weir_protocol::{SessionChange, Thinking};

use super::*;
use crate::store::{Destination, Recipient};

/// A finished turn that was asked of this source.
async fn turn(store: &Store, session: Uuid, opening: Opening, of: &str, effort: Option<Thinking>) {
    let turn = Uuid::now_v7();
    let mut body = asked("why?");
    if let EventBody::UserMessage {
        source,
        model,
        thinking,
        ..
    } = &mut body
    {
        *source = of.into();
        *model = format!("{of}-model");
        *thinking = effort;
    }
    let first = vec![event(session, turn, None, body)];
    let destination = Destination {
        recipient: Some(recipient(of, "host.example")),
        base_url: Some("https://host.example/v1".into()),
        picked: None,
    };
    store
        .start_turn_keeping(session, opening, first, Vec::new(), destination)
        .await
        .unwrap();
    let end = vec![event(session, turn, None, complete())];
    store.record(session, end).await.unwrap();
}

fn recipient(source: &str, host: &str) -> Recipient {
    Recipient {
        source: source.into(),
        host: host.into(),
    }
}

fn model(source: &str, model: &str) -> SessionChange {
    SessionChange::Model {
        source: source.into(),
        model: model.into(),
    }
}

async fn by_hand(folder: &Path, statements: &[&'static str]) {
    use sqlx::ConnectOptions;
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.join(DATABASE_FILE))
        .connect()
        .await
        .unwrap();
    for statement in statements {
        let run = sqlx::query(*statement).execute(&mut connection).await;
        run.unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_choice_holds_until_a_turn_starts_and_outlives_a_rebuild() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let session = Uuid::now_v7();
    turn(&store, session, Opening::New, "a", Some(Thinking::Low)).await;
    let chosen = store.choose(session, model("b", "m")).await.unwrap();
    assert_eq!((chosen.source.as_str(), chosen.model.as_str()), ("b", "m"));
    assert_eq!(chosen.thinking, Some(Thinking::Low));
    // The address was given for the other source.
    assert_eq!(store.session_base_url(session).await.unwrap(), None);
    let thinking = Thinking::Tokens(9);
    let chosen = store
        .choose(session, SessionChange::Thinking { thinking })
        .await
        .unwrap();
    assert_eq!(
        (chosen.source.as_str(), chosen.thinking),
        ("b", Some(thinking))
    );
    assert_eq!(store.rebuild().await.unwrap().mended, 0);
    assert_eq!(store.session(session).await.unwrap(), chosen);

    turn(&store, session, Opening::Stored, "c", None).await;
    let line = store.session(session).await.unwrap();
    assert_eq!(
        (line.source.as_str(), line.model.as_str()),
        ("c", "c-model")
    );
    assert_eq!(
        line.thinking,
        Some(Thinking::Low),
        "what the log last said of it"
    );
    let address = store.session_base_url(session).await.unwrap();
    assert_eq!(address.as_deref(), Some("https://host.example/v1"));
    let all = store.recipients(session).await.unwrap();
    assert_eq!(
        all,
        [
            recipient("a", "host.example"),
            recipient("c", "host.example")
        ]
    );
    // Twice is once, and a session that is not there has no recipients.
    for id in [session, Uuid::nil()] {
        let again = store.allow_recipient(id, recipient("a", "host.example"));
        again.await.unwrap();
    }
    assert_eq!(store.recipients(session).await.unwrap(), all);
    assert_eq!(store.recipients(Uuid::nil()).await.unwrap(), []);
    let missing = store.choose(Uuid::nil(), model("a", "m")).await;
    assert!(matches!(missing, Err(StoreError::NoSession(_))));
    store.close().await;
}

#[tokio::test]
async fn a_choice_that_cannot_be_read_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let session = Uuid::now_v7();
    turn(&store, session, Opening::New, "a", Some(Thinking::Low)).await;
    by_hand(
        folder.path(),
        &["UPDATE sessions SET chosen = '{\"model\": 5', thinking = 'x'"],
    )
    .await;
    let line = store.session(session).await.unwrap();
    assert_eq!((line.source.as_str(), line.thinking), ("a", None));
    assert_eq!(store.rebuild().await.unwrap().mended, 1);
    let line = store.session(session).await.unwrap();
    assert_eq!(line.thinking, Some(Thinking::Low));
    store.close().await;
}

/// As an earlier Weir left them.
#[tokio::test]
async fn old_sessions_keep_what_their_last_turn_was_asked_of() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let session = Uuid::now_v7();
    for (opening, of) in [(Opening::New, "a"), (Opening::Stored, "b")] {
        turn(&store, session, opening, of, None).await;
    }
    let address = "https://gateway.example/v1".to_owned();
    store
        .set_setting("base_url.b".into(), address.clone())
        .await
        .unwrap();
    store.close().await;
    by_hand(
        folder.path(),
        &[
            "DROP TABLE recipients",
            "ALTER TABLE sessions DROP COLUMN thinking",
            "ALTER TABLE sessions DROP COLUMN options",
            "ALTER TABLE sessions DROP COLUMN chosen",
            "ALTER TABLE sessions DROP COLUMN base_url",
            "DELETE FROM _sqlx_migrations WHERE version = 9",
            "UPDATE events SET event = 'damaged' WHERE type = 'complete'",
            "PRAGMA user_version = 8",
        ],
    )
    .await;

    let store = open(folder.path()).await;
    let line = store.session(session).await.unwrap();
    assert_eq!(
        (line.source.as_str(), line.model.as_str()),
        ("b", "b-model")
    );
    assert_eq!(line.thinking, None);
    assert_eq!(store.session_base_url(session).await.unwrap(), None);
    let all = store.recipients(session).await.unwrap();
    assert_eq!(all, [recipient("a", ""), recipient("b", &address)]);
    store.close().await;
}
