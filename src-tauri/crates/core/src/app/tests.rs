//! The engine from end to end, with the demo as its source, or one that a test has scripted.

mod budget;
mod compact;
mod guarding;
mod hooks;
mod keychain;
mod limits;
mod looking;
mod moving;
mod options;
mod originals;
mod paid;
mod permission;
mod scripted;
mod silence;
mod steps;
mod stopping;

use std::sync::Arc;

use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;
use weir_protocol::{Event, EventBody, SessionStatus, SettingsChange, StopReason, Thinking, code};

use super::{App, Prompt};
use crate::publish::Published;
use crate::redact::Choice;
use crate::secret::MemoryKeychain;

struct Fixture {
    app: Arc<App>,
    _folder: tempfile::TempDir,
}

async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let keychain = Arc::new(MemoryKeychain::default());
    let (app, _) = App::open(folder.path().to_owned(), keychain).await.unwrap();
    Fixture {
        app,
        _folder: folder,
    }
}

fn prompt(text: &str) -> Prompt {
    Prompt {
        text: text.into(),
        source: Some("demo".into()),
        ..Prompt::default()
    }
}

/// Everything published until the turn's end, at which the store must already hold it.
async fn until_end(published: &mut UnboundedReceiver<Published>) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        if let Some(Published::Events(new)) = published.recv().await {
            events.extend(new.iter().cloned());
            let ended = events.iter().any(|event| {
                matches!(
                    event.body,
                    EventBody::Complete { .. } | EventBody::Error { .. }
                )
            });
            if ended {
                return events;
            }
        }
    }
}

#[tokio::test]
async fn a_turn_is_saved_before_it_is_shown() {
    let fixture = fixture().await;
    let mut published = fixture.app.subscribe();
    let session = fixture.app.send(prompt("everything fast")).await.unwrap();
    let shown = until_end(&mut published).await;
    let stored = fixture.app.store().events_since(session, 0).await.unwrap();
    let shown_and_stored: Vec<Event> = shown
        .iter()
        .filter(|event| !event.body.is_chunk())
        .cloned()
        .collect();
    assert_eq!(stored, shown_and_stored);
    let indexes: Vec<u64> = shown.iter().map(|event| event.event_index).collect();
    assert_eq!(indexes, (0..shown.len() as u64).collect::<Vec<_>>());
    let latest = fixture.app.store().latest(session, 10).await.unwrap();
    assert_eq!(latest.growing, []);
    for kind in [
        "thinking",
        "message",
        "tool_use",
        "tool_result",
        "usage",
        "complete",
    ] {
        assert!(
            stored.iter().any(|event| event.body.name() == kind),
            "{kind}"
        );
    }
    for block in &stored {
        let chunks: String = shown
            .iter()
            .filter(|event| event.block_index == block.block_index)
            .filter_map(|event| event.body.chunk())
            .collect();
        if let EventBody::Message { content, .. } | EventBody::Thinking { content, .. } =
            &block.body
        {
            assert_eq!(&chunks, content);
        }
    }
}

#[tokio::test]
async fn a_stopped_turn_keeps_what_came_and_says_so() {
    let fixture = fixture().await;
    let mut published = fixture.app.subscribe();
    let session = fixture.app.send(prompt("long")).await.unwrap();
    let mut seen = String::new();
    while seen.is_empty() {
        if let Some(Published::Events(events)) = published.recv().await {
            seen = events
                .iter()
                .filter_map(|event| event.body.chunk())
                .collect();
        }
    }
    fixture.app.stop(session).await.unwrap();
    let stored = fixture.app.store().events_since(session, 0).await.unwrap();
    let kept: String = stored
        .iter()
        .filter_map(|event| {
            if let EventBody::Thinking { content, .. } = &event.body {
                Some(content.as_str())
            } else {
                None
            }
        })
        .collect();
    assert!(kept.starts_with(&seen));
    let last = &stored.last().unwrap().body;
    assert!(
        matches!(
            last,
            EventBody::Complete {
                stop_reason: StopReason::Cancelled,
                ..
            }
        ),
        "{last:?}"
    );
    let line = fixture.app.store().session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Idle);
    fixture.app.stop(session).await.unwrap();
}

/// The prompt is shown when it is stored, which is before its turn runs.
#[tokio::test]
async fn a_stop_is_heard_as_soon_as_the_prompt_is_shown() {
    let fixture = fixture().await;
    let mut published = fixture.app.subscribe();
    let mut sending = std::pin::pin!(fixture.app.send(prompt("long")));
    let session = tokio::select! {
        biased;
        Some(Published::Events(events)) = published.recv() => events[0].session_id,
        sent = &mut sending => panic!("{sent:?} came first"),
    };
    let (stopped, sent) = tokio::join!(fixture.app.stop(session), sending);
    stopped.unwrap();
    assert_eq!(sent.unwrap(), session);
    let stored = fixture.app.store().events_since(session, 0).await.unwrap();
    assert_eq!(scripted::ended(&stored), StopReason::Cancelled);
}

#[tokio::test]
async fn a_failed_stream_keeps_what_came() {
    for (word, expected) in [("cut", code::STREAM_CUT), ("error", code::OVERLOADED)] {
        let fixture = fixture().await;
        let mut published = fixture.app.subscribe();
        let session = fixture
            .app
            .send(prompt(&format!("fast {word}")))
            .await
            .unwrap();
        let shown = until_end(&mut published).await;
        let last = &shown.last().unwrap().body;
        assert!(
            matches!(last, EventBody::Error { error } if error.code == expected),
            "{last:?}"
        );
        let stored = fixture.app.store().events_since(session, 0).await.unwrap();
        assert!(stored.iter().any(|event| event.body.name() == "message"));
        let line = fixture.app.store().session(session).await.unwrap();
        assert_eq!(line.status, SessionStatus::Failed);
    }
}

#[tokio::test]
async fn what_cannot_be_asked_leaves_no_trace() {
    let fixture = fixture().await;
    let anthropic = |text: &str| Prompt {
        source: Some("anthropic".into()),
        ..prompt(text)
    };
    let cases = [
        (prompt(" \n"), code::BAD_INPUT),
        (prompt(&"x".repeat(2_000_000)), code::BAD_INPUT),
        (
            Prompt {
                source: Some("nobody".into()),
                ..prompt("hi")
            },
            code::UNKNOWN_SOURCE,
        ),
        (
            Prompt {
                base_url: Some("ftp://example.com".into()),
                ..anthropic("hi")
            },
            code::BAD_INPUT,
        ),
        (
            Prompt {
                session: Some(Uuid::now_v7()),
                ..prompt("hi")
            },
            code::NO_SESSION,
        ),
    ];
    for (prompt, expected) in cases {
        let error = fixture.app.send(prompt).await.unwrap_err();
        assert_eq!(error.body().code, expected, "{error}");
    }
    assert_eq!(fixture.app.store().sessions().await.unwrap(), []);
}

#[tokio::test]
async fn a_session_answers_one_prompt_at_a_time() {
    let fixture = fixture().await;
    let session = fixture.app.send(prompt("long")).await.unwrap();
    let second = Prompt {
        session: Some(session),
        ..prompt("and?")
    };
    let error = fixture.app.send(second.clone()).await.unwrap_err();
    assert_eq!(error.body().code, code::BUSY);
    fixture.app.stop(session).await.unwrap();
    fixture.app.send(second).await.unwrap();
    fixture.app.delete(session).await.unwrap();
    assert_eq!(fixture.app.store().sessions().await.unwrap(), []);
}

#[tokio::test]
async fn settings_are_kept_and_checked() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let source = || "anthropic".to_owned();
    for change in [
        SettingsChange::Source { source: source() },
        SettingsChange::Model {
            source: source(),
            model: "claude-x".into(),
        },
        SettingsChange::BaseUrl {
            source: source(),
            base_url: "http://127.0.0.1:9".into(),
        },
        SettingsChange::Thinking {
            thinking: Thinking::Tokens(5_000),
        },
    ] {
        app.change(change).await.unwrap();
    }
    let settings = app.settings(weir_protocol::Theme::Dark).await.unwrap();
    assert_eq!(settings.source, "anthropic");
    assert_eq!(settings.thinking, Thinking::Tokens(5_000));
    assert_eq!(settings.sources[1].model, "claude-x");
    assert_eq!(settings.sources[1].base_url, "http://127.0.0.1:9/");
    for bad in [
        "https://user:word@example.com",
        "https://example.com?x=1",
        "https://example.com#x",
        "ftp://example.com",
        "example.com",
    ] {
        let bad = SettingsChange::BaseUrl {
            source: source(),
            base_url: bad.into(),
        };
        assert!(app.change(bad).await.is_err());
    }
    let back = SettingsChange::BaseUrl {
        source: source(),
        base_url: String::new(),
    };
    app.change(back).await.unwrap();
    let settings = app.settings(weir_protocol::Theme::Dark).await.unwrap();
    assert_eq!(settings.sources[1].base_url, "https://api.anthropic.com");
}

#[tokio::test]
async fn a_prompt_edited_and_asked_again_keeps_every_branch() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let first = Prompt {
        system: Some("Be brief.".into()),
        ..prompt("hello fast")
    };
    let session = app.send(first).await.unwrap();
    app.wait(session).await;
    let turn_of = async |text: &str| {
        let events = app.store().events_since(session, 0).await.unwrap();
        let asked = events.iter().rfind(
            |event| matches!(&event.body, EventBody::UserMessage { content, .. } if content == text),
        );
        asked.unwrap().turn_id.unwrap()
    };
    let first = turn_of("hello fast").await;
    app.edit(
        session,
        first,
        "bye fast".into(),
        Vec::new(),
        Choice::Unasked,
    )
    .await
    .unwrap();
    app.wait(session).await;
    app.ask_again(session, turn_of("bye fast").await)
        .await
        .unwrap();
    app.wait(session).await;
    for asked in app.store().events_since(session, 0).await.unwrap() {
        if let EventBody::UserMessage { system, .. } = asked.body {
            assert_eq!(system.as_deref(), Some("Be brief."), "told the same");
        }
    }
    app.choose_branch(session, first).await.unwrap();
    let latest = app.store().latest(session, 10).await.unwrap();
    assert_eq!(latest.branches[0].turns.len(), 3);
    assert_eq!(latest.branches[0].turn, first);
    assert_eq!(latest.session.turns, 3);

    let fork = app.fork(session, Some(first)).await.unwrap();
    let next = Prompt {
        session: Some(fork.id),
        ..prompt("and fast")
    };
    app.send(next).await.unwrap();
    app.wait(fork.id).await;
    app.delete(session).await.unwrap();
    assert_eq!(app.store().sessions().await.unwrap()[0].id, fork.id);
    app.restore(session).await.unwrap();
    assert_eq!(app.store().sessions().await.unwrap().len(), 2);
}

/// Nothing has to be put out of memory after a while: nothing is held.
#[tokio::test]
async fn any_number_stream_at_once_and_an_idle_session_holds_no_memory() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let sends = (0..20).map(|_| app.send(prompt("everything fast")));
    let sessions: Vec<Uuid> = futures_util::future::try_join_all(sends).await.unwrap();
    for session in &sessions {
        app.wait(*session).await;
    }
    assert!(app.running().is_empty());
    assert_eq!(Arc::strong_count(app), 1, "no task is left");
    for session in sessions {
        let events = app.store().events_since(session, 0).await.unwrap();
        let numbers: Vec<_> = events.iter().filter_map(|e| e.sequence_number).collect();
        assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
        assert_eq!(events.last().unwrap().body.name(), "complete");
    }
}

#[tokio::test]
async fn two_stream_on_while_a_third_is_opened_forked_and_deleted() {
    let fixture = fixture().await;
    let app = &fixture.app;
    let third = app.send(prompt("hello fast")).await.unwrap();
    app.wait(third).await;
    let streaming = [
        app.send(prompt("long")).await.unwrap(),
        app.send(prompt("long")).await.unwrap(),
    ];
    let events = app.store().latest(third, 10).await.unwrap().events;
    let fork = app.fork(third, None).await.unwrap();
    app.delete(third).await.unwrap();
    app.delete(fork.id).await.unwrap();
    app.restore(third).await.unwrap();
    let again = app.store().latest(third, 10).await.unwrap().events;
    assert_eq!(again, events);
    for session in streaming {
        assert!(app.is_running(session), "nobody else was stopped");
        app.stop(session).await.unwrap();
        let events = app.store().events_since(session, 0).await.unwrap();
        let numbers: Vec<_> = events.iter().filter_map(|e| e.sequence_number).collect();
        assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>());
    }
}
