//! The two invariants of the store, on a real file.

use std::path::Path;
use std::sync::Arc;

use sqlx::{Connection, SqliteConnection};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, Notice, PersistenceState, SessionStatus, StopReason, code};

use super::{DATABASE_FILE, Opening, Store, StoreError, journal, sessions};

mod backup;
mod damaged;
mod destination;
mod failpoint;
mod frames;
#[cfg(unix)]
mod lost;
mod rebuild;
mod repeats;
mod settings;
mod spending;

pub(super) use failpoint::Failpoint;

const DEMO: &str = "demo";

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
        timestamp: crate::clock::now(),
    }
}

fn asked(content: &str) -> EventBody {
    EventBody::UserMessage {
        content: content.into(),
        source: DEMO.into(),
        model: DEMO.into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    }
}

fn chunk(content: &str) -> EventBody {
    EventBody::MessageChunk {
        content: content.into(),
        citations: Vec::new(),
    }
}

fn message(content: &str) -> EventBody {
    EventBody::Message {
        detail: None,
        content: content.into(),
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

async fn try_open(folder: &Path) -> Result<(Store, Vec<Notice>), StoreError> {
    Store::open(folder, Arc::default()).await
}

async fn open(folder: &Path) -> Store {
    let (store, notices) = try_open(folder).await.unwrap();
    assert_eq!(notices, []);
    store
}

/// A session with one turn that has streamed two chunks and is still running.
async fn streaming(store: &Store) -> (Uuid, Uuid) {
    let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
    let first = vec![event(session, turn, None, asked("why?"))];
    store
        .start_turn(session, Opening::New, first)
        .await
        .unwrap();
    for content in ["be", "cause"] {
        let chunks = vec![event(session, turn, Some(0), chunk(content))];
        store.record(session, chunks).await.unwrap();
    }
    (session, turn)
}

#[tokio::test]
async fn numbers_stored_events_without_a_gap_and_all_events_by_index() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let recorded = store
        .record(
            session,
            vec![
                event(session, turn, Some(0), message("because")),
                event(session, turn, None, complete()),
            ],
        )
        .await
        .unwrap();
    let numbers: Vec<_> = recorded
        .events
        .iter()
        .map(|event| (event.event_index, event.sequence_number))
        .collect();
    assert_eq!(numbers, [(3, Some(2)), (4, Some(3))]);
    let stored = store.events_since(session, 1).await.unwrap();
    assert_eq!(
        stored, *recorded.events,
        "what was answered is what is kept"
    );
    assert_eq!(recorded.session.status, SessionStatus::Idle);
    assert_eq!(recorded.session.title, "why?");
}

#[tokio::test]
async fn a_finished_block_replaces_its_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let before = store.latest(session, 10).await.unwrap();
    assert_eq!(before.growing.len(), 1);
    assert_eq!(before.growing[0].body, chunk("because"));
    assert_eq!(before.next_index, 3);
    let whole = vec![event(session, turn, Some(0), message("because"))];
    store.record(session, whole).await.unwrap();
    let after = store.latest(session, 10).await.unwrap();
    assert_eq!(after.growing, []);
    assert_eq!(after.events.last().unwrap().body, message("because"));
}

#[tokio::test]
async fn what_a_dead_weir_had_shown_is_kept_and_its_turn_marked() {
    let folder = tempfile::tempdir().unwrap();
    let session = {
        let store = open(folder.path()).await;
        let (session, _) = streaming(&store).await;
        // The lock goes with the writer, as it would with the process.
        store.close().await;
        session
    };
    let store = open(folder.path()).await;
    let line = store.session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Interrupted);
    let events = store.events_since(session, 0).await.unwrap();
    let sequence: Vec<_> = events.iter().map(|event| event.sequence_number).collect();
    assert_eq!(sequence, [Some(1), Some(2), Some(3)]);
    assert_eq!(events[1].body, message("because"));
    assert!(
        matches!(&events[2].body, EventBody::Error { error } if error.code == code::INTERRUPTED)
    );
    let again = vec![event(session, Uuid::now_v7(), None, asked("go on"))];
    store
        .start_turn(session, Opening::Stored, again)
        .await
        .unwrap();
}

#[tokio::test]
async fn a_turn_that_cannot_be_ended_does_not_keep_the_rest_away() {
    let folder = tempfile::tempdir().unwrap();
    let (damaged, sound) = {
        let store = open(folder.path()).await;
        let (damaged, _) = streaming(&store).await;
        let (sound, _) = streaming(&store).await;
        store.close().await;
        (damaged, sound)
    };
    let mut connection = raw(folder.path()).await;
    let refused = format!(
        "CREATE TRIGGER refused BEFORE INSERT ON events WHEN NEW.session_id = '{damaged}' BEGIN SELECT RAISE(ABORT, 'refused'); END"
    );
    sqlx::query(sqlx::AssertSqlSafe(refused))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    let (store, notices) = Store::open_alone(folder.path()).await.unwrap();
    assert_eq!(notices.len(), 1, "the user is told");
    let line = store.session(sound).await.unwrap();
    assert_eq!(line.status, SessionStatus::Interrupted);
}

#[tokio::test]
async fn a_turn_of_another_living_weir_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let one = open(folder.path()).await;
    let (session, turn) = streaming(&one).await;
    let other = open(folder.path()).await;
    let line = other.session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Running);
    let intruding = vec![event(session, Uuid::now_v7(), None, asked("me too"))];
    let refused = other.start_turn(session, Opening::Stored, intruding).await;
    assert!(matches!(refused, Err(StoreError::Busy)));
    assert!(matches!(other.delete(session).await, Err(StoreError::Busy)));
    let last = vec![event(session, turn, None, complete())];
    one.record(session, last).await.unwrap();
    other.delete(session).await.unwrap();
    let gone = one.session(session).await;
    assert!(matches!(gone, Err(StoreError::NoSession(_))));
}

#[tokio::test]
async fn one_bad_change_takes_nothing_else_down() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let nowhere = Uuid::now_v7();
    let writes = (0..40u32).map(|index| {
        let to = if index % 4 == 0 { nowhere } else { session };
        let store = store.clone();
        async move {
            let events = vec![event(to, turn, Some(index), message("x"))];
            (to == session, store.record(to, events).await.is_ok())
        }
    });
    for (expected, saved) in futures_util::future::join_all(writes).await {
        assert_eq!(expected, saved);
    }
    let stored = store.events_since(session, 0).await.unwrap();
    let sequence: Vec<_> = stored
        .iter()
        .filter_map(|event| event.sequence_number)
        .collect();
    assert_eq!(sequence, (1..=31).collect::<Vec<_>>());
}

#[tokio::test]
async fn pages_start_where_a_turn_does() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let session = Uuid::now_v7();
    let mut opening = Opening::New;
    for prompt in ["one", "two", "three"] {
        let turn = Uuid::now_v7();
        let first = vec![event(session, turn, None, asked(prompt))];
        store.start_turn(session, opening, first).await.unwrap();
        let rest = vec![
            event(session, turn, Some(0), message("answer")),
            event(session, turn, None, complete()),
        ];
        store.record(session, rest).await.unwrap();
        opening = Opening::Stored;
    }
    let numbers = |events: &[Event]| -> Vec<u64> {
        events
            .iter()
            .filter_map(|event| event.sequence_number)
            .collect()
    };
    let last = store.latest(session, 2).await.unwrap();
    assert_eq!(numbers(&last.events), [7, 8, 9]);
    let earlier = store.events_before(session, 7, 2).await.unwrap();
    assert_eq!(numbers(&earlier.events), [4, 5, 6]);
    assert!(last.has_earlier && earlier.has_earlier);
    let rest_of_turn = store.turn_events_since(session, 5).await.unwrap();
    assert_eq!(numbers(&rest_of_turn), [4, 5, 6, 7, 8, 9]);
}

async fn raw(folder: &Path) -> SqliteConnection {
    let url = format!("sqlite://{}", folder.join(DATABASE_FILE).display());
    SqliteConnection::connect(&url).await.unwrap()
}

#[tokio::test]
async fn a_database_of_a_newer_weir_is_refused_and_unchanged() {
    for raise in [
        "PRAGMA user_version = 99",
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) VALUES (99, 'later', 1, x'00', 0)",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        streaming(&store).await;
        store.close().await;
        let mut connection = raw(folder.path()).await;
        sqlx::query(raise).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
        let bytes = std::fs::read(folder.path().join(DATABASE_FILE)).unwrap();
        let Err(error) = try_open(folder.path()).await else {
            panic!("opened a newer database");
        };
        assert!(
            matches!(error, StoreError::Newer { found: 99, .. }),
            "{error}"
        );
        let now = std::fs::read(folder.path().join(DATABASE_FILE)).unwrap();
        assert_eq!(bytes, now);
    }
}

#[tokio::test]
async fn a_corrupt_database_is_moved_aside_and_said_so() {
    let damages: [fn(&mut Vec<u8>); 4] = [
        |bytes| bytes[8_192..12_288].fill(0xaa),
        |bytes| bytes[..64].fill(b'x'),
        |bytes| bytes.truncate(5_000),
        |bytes| bytes[4_096..].fill(0xa5),
    ];
    for damage in damages {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(DATABASE_FILE);
        let store = open(folder.path()).await;
        streaming(&store).await;
        store.close().await;
        let mut bytes = std::fs::read(&path).unwrap();
        damage(&mut bytes);
        std::fs::write(&path, &bytes).unwrap();

        let (store, notices) = try_open(folder.path()).await.unwrap();
        assert_eq!(notices.len(), 1);
        assert_eq!(store.sessions().await.unwrap(), []);
        streaming(&store).await;
        let aside: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.to_string_lossy().contains(".corrupt-"))
            .filter(|path| !path.to_string_lossy().ends_with("-wal"))
            .filter(|path| !path.to_string_lossy().ends_with("-shm"))
            .collect();
        assert_eq!(aside.len(), 1);
        assert_eq!(std::fs::read(&aside[0]).unwrap(), bytes);
        assert!(notices[0].message.contains(&*aside[0].to_string_lossy()));
    }
}

#[tokio::test]
async fn opening_an_untouched_database_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(DATABASE_FILE);
    open(folder.path()).await.close().await;
    let before = std::fs::read(&path).unwrap();
    open(folder.path()).await.close().await;
    assert_eq!(before, std::fs::read(&path).unwrap());
}

#[tokio::test]
async fn many_starts_on_a_new_folder_all_succeed() {
    let folder = tempfile::tempdir().unwrap();
    let starts = (0..8).map(|_| open(folder.path()));
    let stores = futures_util::future::join_all(starts).await;
    for store in &stores {
        streaming(store).await;
    }
    assert_eq!(stores[0].sessions().await.unwrap().len(), 8);
}

#[tokio::test]
async fn a_turn_that_another_weir_ended_stays_ended() {
    let folder = tempfile::tempdir().unwrap();
    let one = open(folder.path()).await;
    let (session, turn) = streaming(&one).await;
    for owner in std::fs::read_dir(folder.path().join("owners")).unwrap() {
        std::fs::remove_file(owner.unwrap().path()).unwrap();
    }
    let other = open(folder.path()).await;
    let line = other.session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Interrupted);
    let late = vec![event(session, turn, Some(0), message("because"))];
    let refused = one.record(session, late).await;
    assert!(matches!(refused, Err(StoreError::NotOurs)));
}

#[tokio::test]
async fn writes_are_synchronous_and_logged_ahead() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let mut reader = store.readers.acquire().await.unwrap();
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode")
        .fetch_one(&mut *reader)
        .await
        .unwrap();
    let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous")
        .fetch_one(&mut *reader)
        .await
        .unwrap();
    let foreign_keys: i64 = sqlx::query_scalar("PRAGMA foreign_keys")
        .fetch_one(&mut *reader)
        .await
        .unwrap();
    assert_eq!((mode.as_str(), synchronous, foreign_keys), ("wal", 2, 1));
    let refused = sqlx::query("DELETE FROM events")
        .execute(&mut *reader)
        .await;
    assert!(refused.is_err(), "readers cannot write");
}
