//! Every fault that a network and a server can make, in every dialect over HTTP: what arrived is
//! kept and shown once, a step is asked again exactly when that helps and harms nothing, the
//! reason is a sentence, and the session goes on from there.

mod stop;
mod table;

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use uuid::Uuid;
use weir_core::app::{App, Patience, Prompt};
use weir_core::publish::Published;
use weir_core::secret::MemoryKeychain;
use weir_core::source::SOURCES;
use weir_protocol::{Event, EventBody, SessionStatus};
use weir_tests::Canary;
use weir_tests::faulty::{Faulty, nobody};
use weir_tests::replies::{ANSWER, DIALECTS, FIRST};

use table::{End, Fault, Watch, Wire};

/// So many faults are met at a time.
const AT_ONCE: usize = 12;

/// A source of each dialect.
fn source(dialect: &str) -> &'static str {
    let speaks = |source: &&&weir_core::source::Source| {
        source.dialect.name == dialect && !source.base_url.is_empty()
    };
    SOURCES.iter().find(speaks).unwrap().name
}

fn quick() -> Patience {
    Patience {
        first_delay: Duration::from_millis(8),
        longest_delay: Duration::from_millis(20),
        ..Patience::default()
    }
}

/// One that gives silence up within a test's time. Whoever is met with it stays silent for ever
/// once the first words are there, which have all this time to come.
fn nervous() -> Patience {
    Patience {
        byte_silence: Duration::from_secs(15),
        neighbour_silence: Duration::from_secs(15),
        event_silence: Duration::from_secs(16),
        ..quick()
    }
}

/// An engine with a key for every dialect.
struct Engine {
    app: Arc<App>,
    _folder: tempfile::TempDir,
}

impl Engine {
    async fn start(patience: Patience, canary: &Canary) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let keychain = Arc::new(MemoryKeychain::default());
        let opened = App::open_with(folder.path().to_owned(), keychain, patience);
        let (app, _) = opened.await.unwrap();
        for dialect in DIALECTS {
            // One that wants no key has nowhere to keep it.
            let _ = app.set_key(source(dialect), canary.key().into()).await;
        }
        Self {
            app,
            _folder: folder,
        }
    }

    async fn send(&self, dialect: &str, url: String, session: Option<Uuid>, text: &str) -> Uuid {
        let prompt = Prompt {
            text: text.into(),
            session,
            source: Some(source(dialect).into()),
            model: Some("some-model".into()),
            base_url: Some(url),
            ..Prompt::default()
        };
        self.app.send(prompt).await.unwrap()
    }

    async fn stored(&self, session: Uuid) -> Vec<Event> {
        self.app.store().events_since(session, 0).await.unwrap()
    }

    async fn status(&self, session: Uuid) -> SessionStatus {
        self.app.store().session(session).await.unwrap().status
    }
}

fn text_of(events: &[Event]) -> String {
    let text = events.iter().filter_map(|event| {
        if let EventBody::Message { content, .. } = &event.body {
            Some(content.as_str())
        } else {
            None
        }
    });
    text.collect()
}

/// The waits before a step was asked again, in order.
fn delays_of(events: &[Event]) -> Vec<u64> {
    let delays = events.iter().filter_map(|event| {
        if let EventBody::Retry { delay_ms, .. } = &event.body {
            Some(*delay_ms)
        } else {
            None
        }
    });
    delays.collect()
}

/// What is wrong with how a fault was met; nothing, when all is well.
async fn meet(engine: &Engine, dialect: &'static str, fault: Fault, key: &str) -> Vec<String> {
    let server = Faulty::start(fault.answers).await;
    let mut published = engine.app.subscribe();
    let session = engine.send(dialect, server.url(), None, "Why?").await;
    engine.app.wait(session).await;
    let mut shown = Vec::new();
    while let Ok(told) = published.try_recv() {
        if let Published::Events(events) = told {
            shown.extend(events.iter().filter(|it| it.session_id == session).cloned());
        }
    }
    let stored = engine.stored(session).await;
    let mut wrong = Vec::new();
    let mut check = |fine: bool, what: String| {
        if !fine {
            wrong.push(format!("{dialect}, {}: {what}", fault.name));
        }
    };

    let requests = server.requests().len();
    check(
        requests == fault.retries + 1,
        format!("{requests} requests instead of {}", fault.retries + 1),
    );
    let delays = delays_of(&stored);
    check(
        delays.len() == fault.retries,
        format!("{} retries in the log", delays.len()),
    );
    let first = fault.delay_ms.or(delays.first().copied());
    check(
        delays.first().copied() == first,
        format!("waits {delays:?}"),
    );
    let text = text_of(&stored);
    check(text == fault.text, format!("kept {text:?}"));
    let calls = stored.iter().filter(|it| it.body.name() == "tool_use");
    check(calls.count() == fault.calls, "calls".into());
    for wrongness in wrongly_shown(&stored, &shown) {
        check(false, wrongness);
    }
    let last = &stored.last().unwrap().body;
    let ends = stored.iter().filter(|event| {
        let ends = ["complete", "error"];
        ends.contains(&event.body.name())
    });
    check(ends.count() == 1, "not one end".into());
    let expected = match fault.end {
        End::Complete => {
            let complete = matches!(last, EventBody::Complete { .. });
            check(complete, format!("ends with {last:?}"));
            SessionStatus::Idle
        }
        End::Failed(words) => {
            let told = matches!(last, EventBody::Error { error } if is_clear(&error.message)
                && error.message.contains(words));
            check(told, format!("ends with {last:?}"));
            SessionStatus::Failed
        }
    };
    let status = engine.status(session).await;
    check(status == expected, format!("the session is {status:?}"));
    let all = serde_json::to_string(&(&stored, &shown)).unwrap();
    check(!all.contains(key), "the key came back".into());
    wrong
}

/// Whether a person can read it.
fn is_clear(message: &str) -> bool {
    let inside = ["Error(", "Err(", "Some(", "kind:", "{ ", "\n"];
    message.len() > 10
        && message.len() < 400
        && message.starts_with(char::is_uppercase) | message.starts_with("127.")
        && !inside.iter().any(|mark| message.contains(mark))
}

/// Shown is what is stored, in order and once, and every block is the sum of its chunks.
fn wrongly_shown(stored: &[Event], shown: &[Event]) -> Vec<String> {
    let mut wrong = Vec::new();
    let whole = shown.iter().filter(|event| !event.body.is_chunk());
    if !whole.eq(stored) {
        wrong.push("what was shown is not what is stored".to_owned());
    }
    for (event, expected) in stored.iter().zip(1..) {
        if event.sequence_number != Some(expected) {
            wrong.push(format!("number {:?} at {expected}", event.sequence_number));
        }
    }
    for block in stored {
        let chunks: String = shown
            .iter()
            .filter(|event| event.block_index == block.block_index)
            .filter_map(|event| event.body.chunk())
            .collect();
        if let EventBody::Message { content, .. } = &block.body
            && chunks != *content
        {
            wrong.push(format!("{content:?} was shown as {chunks:?}"));
        }
    }
    wrong
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_fault_in_every_dialect_keeps_what_came_and_is_asked_again_as_it_should() {
    let began = Instant::now();
    let canary = Canary::new();
    let calm = Engine::start(quick(), &canary).await;
    let watching = Engine::start(nervous(), &canary).await;
    let elsewhere = Faulty::start([]).await;
    let mut met = Vec::new();
    let mut names = std::collections::BTreeSet::new();
    for dialect in DIALECTS {
        let url = elsewhere.url();
        let wire = Wire::new(dialect, canary.key(), &url);
        let faults = [
            table::connection(&wire),
            table::refusals(&wire),
            table::words(&wire),
            table::afterwards(&wire),
        ];
        for fault in faults.into_iter().flatten() {
            names.insert(fault.name);
            let engine = match fault.watch {
                Watch::Calm => &calm,
                Watch::Nervous => &watching,
            };
            met.push((fault.watch, meet(engine, dialect, fault, canary.key())));
        }
    }
    let cases = met.len();
    // Those that wait for silence wait beside the others.
    let (waiting, rest): (Vec<_>, Vec<_>) = met
        .into_iter()
        .partition(|(watch, _)| *watch == Watch::Nervous);
    let run = |met: Vec<(Watch, _)>, at_once| {
        stream::iter(met.into_iter().map(|(_, met)| met))
            .buffer_unordered(at_once)
            .concat()
    };
    let (mut wrong, more) = tokio::join!(run(waiting, usize::MAX), run(rest, AT_ONCE));
    wrong.extend(more);
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(elsewhere.requests().len(), 0, "nobody follows a redirect");
    assert!(names.len() >= 20, "{} faults", names.len());
    println!(
        "{} faults x {} dialects: {cases} met as they should be, in {:.1} s",
        names.len(),
        DIALECTS.len(),
        began.elapsed().as_secs_f64()
    );
}

#[tokio::test]
async fn a_server_that_is_not_there_is_asked_again_and_then_named() {
    let canary = Canary::new();
    let engine = Engine::start(quick(), &canary).await;
    for dialect in DIALECTS {
        let url = nobody().await;
        let session = engine.send(dialect, url, None, "Why?").await;
        engine.app.wait(session).await;
        let stored = engine.stored(session).await;
        assert_eq!(delays_of(&stored).len(), 2, "{dialect}");
        let last = &stored.last().unwrap().body;
        let named = matches!(last, EventBody::Error { error }
            if error.message.contains("127.0.0.1 could not be reached"));
        assert!(named, "{dialect}: {last:?}");
        assert_eq!(engine.status(session).await, SessionStatus::Failed);
    }
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_told_and_not_waited_for() {
    let canary = Canary::new();
    let engine = Engine::start(quick(), &canary).await;
    for dialect in DIALECTS {
        let wire = Wire::new(dialect, canary.key(), "");
        let server = Faulty::start([wire.refuses(429, "retry-after: 3600\r\n")]).await;
        let session = engine.send(dialect, server.url(), None, "Why?").await;
        engine.app.wait(session).await;
        let stored = engine.stored(session).await;
        let last = &stored.last().unwrap().body;
        let told = matches!(last, EventBody::Error { error } if error.retry_after == Some(3600));
        assert!(told, "{dialect}: {last:?}");
    }
}

#[tokio::test]
async fn a_reply_that_broke_off_is_gone_on_with() {
    let canary = Canary::new();
    let engine = Engine::start(quick(), &canary).await;
    for dialect in DIALECTS {
        let wire = Wire::new(dialect, canary.key(), "");
        let server = Faulty::start([wire.half(), wire.whole()]).await;
        let session = engine.send(dialect, server.url(), None, "Why?").await;
        engine.app.wait(session).await;
        assert_eq!(engine.status(session).await, SessionStatus::Failed);
        let words = "Go on where you stopped.";
        engine
            .send(dialect, server.url(), Some(session), words)
            .await;
        engine.app.wait(session).await;
        assert_eq!(engine.status(session).await, SessionStatus::Idle);
        let text = text_of(&engine.stored(session).await);
        assert_eq!(text, [FIRST, ANSWER].concat(), "{dialect}");
        let asked = &server.requests()[1];
        for words in ["Why?", FIRST, words] {
            assert!(asked.contains(words), "{dialect} sends {words:?}: {asked}");
        }
    }
}
