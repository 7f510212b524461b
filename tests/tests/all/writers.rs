//! Many at once on one database: eight writers and a checkpointer, and neighbours who come and
//! go while others stream.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::{Connection, SqliteConnection};
use tokio::runtime::Builder;
use tokio::sync::mpsc::UnboundedReceiver;
use uuid::Uuid;
use weir_core::app::{App, Prompt};
use weir_core::publish::Published;
use weir_core::secret::MemoryKeychain;
use weir_core::store::{Opening, Store};
use weir_protocol::{Event, EventBody, PersistenceState, SessionStatus, StopReason};
use weir_tests::chance::times;
use weir_tests::replies::{FIRST, pieces};
use weir_tests::{Part, Reply, Sandbox, Server};

const WRITERS: usize = 8;

/// `WEIR_WRITER_SECONDS` says for how long.
#[test]
fn eight_writers_and_a_checkpointer_leave_the_database_whole() {
    let time = Duration::from_secs(times("WEIR_WRITER_SECONDS", 10));
    let sandbox = Sandbox::new();
    let until = Instant::now() + time;
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let folder = sandbox.data();
            // Each with a thread, a lock and connections of its own, like a process.
            std::thread::spawn(move || {
                let runtime = Builder::new_current_thread().enable_all().build().unwrap();
                runtime.block_on(write(&folder, until))
            })
        })
        .collect();
    let checkpoints = {
        let database = sandbox.database();
        std::thread::spawn(move || {
            let runtime = Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(checkpoint(&database, until))
        })
    };
    let written: Vec<Written> = writers.into_iter().map(|it| it.join().unwrap()).collect();
    let checkpoints = checkpoints.join().unwrap();

    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let sessions: usize = runtime.block_on(async {
        let mut database = connect(&sandbox.database()).await;
        let verdict: String = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_one(&mut database)
            .await
            .unwrap();
        assert_eq!(verdict, "ok");
        let (store, _) = Store::open_alone(&sandbox.data()).await.unwrap();
        for session in written.iter().flat_map(|it| &it.sessions) {
            let events = store.events_since(session.id, 0).await.unwrap();
            let numbers: Vec<_> = events.iter().filter_map(|it| it.sequence_number).collect();
            assert_eq!(numbers, (1..=session.events).collect::<Vec<_>>());
        }
        store.close().await;
        written.iter().map(|it| it.sessions.len()).sum()
    });
    let events: u64 = written
        .iter()
        .flat_map(|it| &it.sessions)
        .map(|it| it.events)
        .sum();
    let chunks: u64 = written.iter().map(|it| it.chunks).sum();
    println!(
        "{WRITERS} writers and {checkpoints} checkpoints in {} s: {sessions} sessions, {events} events and {chunks} chunks, integrity ok, numbers without a gap",
        time.as_secs()
    );
    assert!(checkpoints > 0 && sessions >= WRITERS);
}

struct Written {
    sessions: Vec<WrittenSession>,
    chunks: u64,
}

struct WrittenSession {
    id: Uuid,
    events: u64,
}

/// Turn after turn, in sessions of its own.
async fn write(folder: &Path, until: Instant) -> Written {
    let (store, _) = Store::open_alone(folder).await.unwrap();
    let mut written = Written {
        sessions: Vec::new(),
        chunks: 0,
    };
    while Instant::now() < until || written.sessions.is_empty() {
        let (id, turn) = (Uuid::now_v7(), Uuid::now_v7());
        let first = vec![event(id, turn, None, asked())];
        store.start_turn(id, Opening::New, first).await.unwrap();
        for block in 0..5 {
            for _ in 0..10 {
                let chunks = vec![event(id, turn, Some(block), chunk())];
                store.record(id, chunks).await.unwrap();
                written.chunks += 1;
            }
            let whole = vec![event(id, turn, Some(block), message())];
            store.record(id, whole).await.unwrap();
        }
        let end = vec![event(id, turn, None, complete())];
        store.record(id, end).await.unwrap();
        written.sessions.push(WrittenSession { id, events: 7 });
    }
    store.close().await;
    written
}

async fn checkpoint(database: &Path, until: Instant) -> u64 {
    let mut checkpoints = 0;
    while !database.exists() {
        tokio::task::yield_now().await;
    }
    let mut connection = connect(database).await;
    while Instant::now() < until || checkpoints == 0 {
        for mode in ["PASSIVE", "FULL", "RESTART", "TRUNCATE"] {
            let statement = format!("PRAGMA wal_checkpoint({mode})");
            // Busy is an answer too, not a failure.
            let done = sqlx::query(sqlx::AssertSqlSafe(statement))
                .execute(&mut connection)
                .await;
            checkpoints += u64::from(done.is_ok());
        }
    }
    connection.close().await.unwrap();
    checkpoints
}

async fn connect(database: &Path) -> SqliteConnection {
    let address = format!("sqlite://{}", database.display());
    SqliteConnection::connect(&address).await.unwrap()
}

fn event(session: Uuid, turn: Uuid, block_index: Option<u32>, body: EventBody) -> Event {
    Event {
        id: Uuid::now_v7(),
        session_id: session,
        turn_id: Some(turn),
        body,
        event_index: 0,
        sequence_number: None,
        block_index,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp: weir_core::clock::now(),
    }
}

fn asked() -> EventBody {
    EventBody::UserMessage {
        content: "Go on.".into(),
        source: "demo".into(),
        model: "demo".into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    }
}

fn chunk() -> EventBody {
    EventBody::MessageChunk {
        content: "word ".into(),
        citations: Vec::new(),
    }
}

fn message() -> EventBody {
    EventBody::Message {
        detail: None,
        content: "word ".repeat(10),
        citations: Vec::new(),
        signature: None,
    }
}

fn complete() -> EventBody {
    EventBody::Complete {
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
    }
}

/// The events that were told since the last time.
fn heard(published: &mut UnboundedReceiver<Published>) -> Vec<Event> {
    let mut heard = Vec::new();
    while let Ok(news) = published.try_recv() {
        if let Published::Events(events) = news {
            heard.extend(events.iter().cloned());
        }
    }
    heard
}

/// The turn is over, and so is what was told of it.
async fn read_to_end(app: &Arc<App>, session: Uuid) -> Vec<Event> {
    app.wait(session).await;
    app.store().events_since(session, 0).await.unwrap()
}

#[test]
fn two_sessions_stream_while_a_third_is_opened_searched_and_deleted() {
    let sandbox = Sandbox::new();
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let (rounds, told) = runtime.block_on(async {
        let keychain = Arc::new(MemoryKeychain::default());
        let (app, _) = App::open(sandbox.data(), keychain).await.unwrap();
        let prompt = |text: &str| Prompt {
            text: text.into(),
            source: Some("demo".into()),
            ..Prompt::default()
        };
        let mut published = app.subscribe();
        let one = app.send(prompt("long")).await.unwrap();
        let two = app.send(prompt("long think")).await.unwrap();
        let mut told: Vec<Event> = Vec::new();
        let chunks = |told: &[Event], session| {
            let of_session = told.iter().filter(|event| event.session_id == session);
            of_session.filter(|event| event.body.is_chunk()).count()
        };
        let mut rounds = 0;
        while rounds < 5 || chunks(&told, one).min(chunks(&told, two)) < 20 {
            rounds += 1;
            let third = app.send(prompt("hello fast")).await.unwrap();
            let half = app.store().latest(third, 50).await.unwrap();
            assert_eq!(half.session.id, third);
            let events = read_to_end(&app, third).await;
            let latest = app.store().latest(third, 50).await.unwrap();
            assert_eq!(latest.events, events);
            assert_eq!(latest.growing, []);
            let found = app.store().find(third, "HELLO").await.unwrap();
            let said = |event: &&Event| {
                let words = event.body.words().unwrap_or_default();
                words.to_lowercase().contains("hello")
            };
            let expected: Vec<&Event> = events.iter().filter(said).collect();
            assert!(!found.is_empty());
            assert_eq!(found.iter().collect::<Vec<_>>(), expected);
            app.delete(third).await.unwrap();
            assert!(app.store().session(third).await.is_err());
            for session in [one, two] {
                let line = app.store().session(session).await.unwrap();
                assert_eq!(line.status, SessionStatus::Running);
            }
            told.extend(heard(&mut published));
        }
        for session in [one, two] {
            app.stop(session).await.unwrap();
            let events = read_to_end(&app, session).await;
            let numbers: Vec<_> = events.iter().filter_map(|it| it.sequence_number).collect();
            assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
            let end = &events.last().unwrap().body;
            assert!(matches!(end, EventBody::Complete { .. }), "{end:?}");
        }
        told.extend(heard(&mut published));
        for session in [one, two] {
            let of_session = told.iter().filter(|event| event.session_id == session);
            let indexes: Vec<u64> = of_session.map(|event| event.event_index).collect();
            let all: Vec<u64> = (0..indexes.len() as u64).collect();
            assert_eq!(indexes, all, "in order, without a gap");
        }
        let told = chunks(&told, one) + chunks(&told, two);
        app.store().close().await;
        (rounds, told)
    });
    println!(
        "two sessions told {told} chunks without a gap while a third was opened, searched and deleted {rounds} times"
    );
}

async fn open(sandbox: &Sandbox) -> Arc<App> {
    let keychain = Arc::new(MemoryKeychain::default());
    App::open(sandbox.data(), keychain).await.unwrap().0
}

/// A prompt for the scripted server, which speaks as Ollama does.
fn asking(server: &Server, session: Option<Uuid>, text: &str) -> Prompt {
    Prompt {
        text: text.to_owned(),
        session,
        source: Some("ollama".to_owned()),
        model: Some("some-model".to_owned()),
        base_url: Some(server.url()),
        ..Prompt::default()
    }
}

/// Sends, and waits for the first words of the reply.
async fn send_and_see(app: &Arc<App>, prompt: Prompt) -> Uuid {
    let mut published = app.subscribe();
    let session = app.send(prompt).await.unwrap();
    loop {
        if let Some(Published::Events(events)) = published.recv().await
            && events.iter().any(|event| event.body.is_chunk())
        {
            return session;
        }
    }
}

#[test]
fn what_a_neighbour_had_shown_when_it_died_is_sent_with_the_next_prompt() {
    let sandbox = Sandbox::new();
    let said = pieces("ollama");
    let server = Server::start([
        Reply::Lines(vec![Part::Send(said.half()), Part::Hang]),
        Reply::Lines(vec![Part::Send(said.whole())]),
    ]);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (dying, living) = (open(&sandbox).await, open(&sandbox).await);
        let session = send_and_see(&dying, asking(&server, None, "hello")).await;
        // The lock goes with the writer, as it would with the process.
        dying.store().close().await;
        living
            .send(asking(&server, Some(session), "and then?"))
            .await
            .unwrap();
        living.wait(session).await;
    });
    let sent = server.requests()[1].body["messages"].to_string();
    assert!(sent.contains(FIRST.trim()), "{sent}");
}

#[test]
fn a_session_whose_end_could_not_be_saved_is_free_once_it_can() {
    let sandbox = Sandbox::new();
    let said = pieces("ollama");
    let server = Server::start([
        Reply::Lines(vec![Part::Send(said.half()), Part::Cut]),
        Reply::Lines(vec![Part::Send(said.whole())]),
    ]);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let app = open(&sandbox).await;
        let session = send_and_see(&app, asking(&server, None, "hello")).await;
        let mut database = connect(&sandbox.database()).await;
        let full =
            "CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'full'); END";
        sqlx::query(full).execute(&mut database).await.unwrap();
        server.cut();
        app.wait(session).await;
        let line = app.store().session(session).await.unwrap();
        assert_eq!(
            line.status,
            SessionStatus::Running,
            "nothing could be written"
        );
        sqlx::query("DROP TRIGGER full")
            .execute(&mut database)
            .await
            .unwrap();
        app.stop(session).await.unwrap();
        let line = app.store().session(session).await.unwrap();
        assert_eq!(line.status, SessionStatus::Interrupted);
        app.send(asking(&server, Some(session), "again"))
            .await
            .unwrap();
        app.wait(session).await;
        let line = app.store().session(session).await.unwrap();
        assert_eq!(line.status, SessionStatus::Idle);
    });
}
