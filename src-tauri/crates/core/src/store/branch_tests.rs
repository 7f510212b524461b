//! Branches, forks and deleting, on a real file.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use sqlx::{Connection, SqliteConnection};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, PersistenceState, SessionStatus, StopReason, Usage};

use super::path::Path;
use super::{Opening, Store, StoreError, turns};

const DEMO: &str = "demo";

struct Fixture {
    store: Store,
    session: Uuid,
    folder: tempfile::TempDir,
}

async fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = Store::open(folder.path(), Arc::default()).await.unwrap();
    Fixture {
        store,
        session: Uuid::now_v7(),
        folder,
    }
}

impl Fixture {
    fn event(&self, turn: Option<Uuid>, body: EventBody) -> Event {
        Event {
            id: Uuid::now_v7(),
            session_id: self.session,
            turn_id: turn,
            body,
            event_index: 0,
            sequence_number: None,
            block_index: None,
            message_id: None,
            persistence_state: PersistenceState::Pending,
            timestamp: crate::clock::now(),
        }
    }

    /// A prompt that is not answered yet.
    async fn ask(&self, prompt: &str, replaces: Option<Uuid>) -> Uuid {
        let turn = Uuid::now_v7();
        let mut events = Vec::new();
        let mut opening = Opening::Stored;
        if self.store.session(self.session).await.is_err() {
            opening = Opening::New;
            let start = EventBody::SessionStart {
                source: DEMO.into(),
                model: DEMO.into(),
                forked_from: None,
                project: None,
            };
            events.push(self.event(None, start));
        }
        let asked = EventBody::UserMessage {
            content: prompt.into(),
            source: DEMO.into(),
            model: DEMO.into(),
            images: Vec::new(),
            system: None,
            replaces,
            thinking: None,
            options: Default::default(),
        };
        events.push(self.event(Some(turn), asked));
        self.store
            .start_turn(self.session, opening, events)
            .await
            .unwrap();
        turn
    }

    async fn answer(&self, turn: Uuid) {
        let said = EventBody::Message {
            detail: None,
            content: "because".into(),
            citations: Vec::new(),
            signature: None,
        };
        let used = EventBody::Usage {
            usage: Usage {
                output_tokens: 10,
                ..Usage::default()
            },
            cost: Some(0.5),
            saved: None,
            model: DEMO.into(),
            first_chunk_ms: None,
            duration_ms: 1,
            is_estimate: false,
        };
        let over = EventBody::Complete {
            stop_reason: StopReason::EndTurn,
            usage: None,
            cost: None,
        };
        let events = [said, used, over].map(|body| self.event(Some(turn), body));
        self.store
            .record(self.session, events.into())
            .await
            .unwrap();
    }

    async fn turn(&self, prompt: &str, replaces: Option<Uuid>) -> Uuid {
        let turn = self.ask(prompt, replaces).await;
        self.answer(turn).await;
        turn
    }

    /// The prompts that are read, a page of one turn after the other.
    async fn read(&self, session: Uuid) -> Vec<String> {
        let mut prompts = Vec::new();
        let mut before = u64::MAX;
        loop {
            let page = self.store.events_before(session, before, 1).await.unwrap();
            let here = page.events.iter().rev().filter_map(prompt_of);
            prompts.extend(here.map(str::to_owned));
            let first = page.events.iter().find(|event| event.turn_id.is_some());
            before = first.and_then(|event| event.sequence_number).unwrap();
            if !page.has_earlier {
                prompts.reverse();
                return prompts;
            }
        }
    }
}

impl Fixture {
    async fn raw(&self) -> SqliteConnection {
        let path = self.folder.path().join(super::DATABASE_FILE);
        let url = format!("sqlite://{}", path.display());
        SqliteConnection::connect(&url).await.unwrap()
    }
}

fn prompt_of(event: &Event) -> Option<&str> {
    if let EventBody::UserMessage { content, .. } = &event.body {
        Some(content)
    } else {
        None
    }
}

#[tokio::test]
async fn pages_hold_the_active_path_and_say_where_it_branches() {
    let fixture = fixture().await;
    let store = &fixture.store;
    let one = fixture.turn("one", None).await;
    let two = fixture.turn("two", None).await;
    fixture.turn("three", None).await;
    let edited = fixture.turn("two, edited", Some(two)).await;
    let again = fixture.turn("two, edited", Some(edited)).await;
    assert_eq!(fixture.read(fixture.session).await, ["one", "two, edited"]);

    let latest = store.latest(fixture.session, 100).await.unwrap();
    let places: Vec<_> = latest
        .branches
        .iter()
        .map(|place| (place.turn, place.turns.clone()))
        .collect();
    assert_eq!(places, [(again, vec![two, edited, again])]);
    assert!(!latest.has_earlier);
    assert_eq!(latest.events[0].body.name(), "session_start");

    store.choose_branch(fixture.session, two).await.unwrap();
    assert_eq!(fixture.read(fixture.session).await, ["one", "two", "three"]);
    let latest = store.latest(fixture.session, 100).await.unwrap();
    let all = store.events_since(fixture.session, 0).await.unwrap();
    assert_eq!(latest.last_sequence, all.len() as u64);
    let numbers: Vec<_> = all
        .iter()
        .filter_map(|event| event.sequence_number)
        .collect();
    assert_eq!(numbers, (1..=all.len() as u64).collect::<Vec<_>>());
    assert!(
        latest
            .events
            .iter()
            .all(|event| event.body.name() != "branch_choice"),
        "a choice is no part of what is read"
    );

    let first = fixture.turn("one, edited", Some(one)).await;
    assert_eq!(fixture.read(fixture.session).await, ["one, edited"]);
    let latest = store.latest(fixture.session, 1).await.unwrap();
    assert_eq!(latest.branches[0].turns, [one, first]);
    assert!(!latest.has_earlier, "what it replaced is not before it");
}

#[tokio::test]
async fn counters_count_every_branch() {
    let fixture = fixture().await;
    let one = fixture.turn("one", None).await;
    fixture.turn("one again", Some(one)).await;
    fixture
        .store
        .choose_branch(fixture.session, one)
        .await
        .unwrap();
    let line = fixture.store.session(fixture.session).await.unwrap();
    assert_eq!((line.turns, line.tokens, line.cost), (2, 20, Some(1.0)));
    assert_eq!(line.title, "one");
}

#[tokio::test]
async fn what_is_sent_is_what_the_new_turn_follows() {
    let fixture = fixture().await;
    let one = fixture.turn("one", None).await;
    let two = fixture.turn("two", None).await;
    let store = &fixture.store;
    for (replaces, expected) in [
        (None, vec!["one", "two"]),
        (Some(two), vec!["one"]),
        (Some(one), vec![]),
    ] {
        let events = store.continued(fixture.session, replaces).await.unwrap();
        let prompts: Vec<_> = events.iter().filter_map(prompt_of).collect();
        assert_eq!(prompts, expected);
    }
    let nowhere = store.continued(fixture.session, Some(Uuid::now_v7())).await;
    assert!(matches!(nowhere, Err(StoreError::NoTurn)));
}

#[tokio::test]
async fn a_branch_is_chosen_between_turns_only() {
    let fixture = fixture().await;
    let store = &fixture.store;
    let one = fixture.turn("one", None).await;
    let other = fixture.ask("one, edited", Some(one)).await;
    let refused = store.choose_branch(fixture.session, one).await;
    assert!(matches!(refused, Err(StoreError::Busy)));
    fixture.answer(other).await;
    store.choose_branch(fixture.session, one).await.unwrap();
    let line = store.session(fixture.session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Idle);

    let before = store.events_since(fixture.session, 0).await.unwrap();
    store.choose_branch(fixture.session, one).await.unwrap();
    let after = store.events_since(fixture.session, 0).await.unwrap();
    assert_eq!(before, after, "choosing what is read already says nothing");
    let nowhere = store.choose_branch(fixture.session, Uuid::now_v7()).await;
    assert!(matches!(nowhere, Err(StoreError::NoTurn)));
    fixture.turn("goes on", None).await;
    assert_eq!(fixture.read(fixture.session).await, ["one", "goes on"]);
}

#[tokio::test]
async fn a_fork_is_a_copy_of_one_branch_with_numbers_of_its_own() {
    let fixture = fixture().await;
    let store = &fixture.store;
    let one = fixture.turn("one", None).await;
    let two = fixture.turn("two", None).await;
    fixture.turn("two, edited", Some(two)).await;
    let before = store.events_since(fixture.session, 0).await.unwrap();
    for (at, turn, expected) in [
        (Some(one), Some(one), vec!["one"]),
        (Some(two), Some(two), vec!["one", "two"]),
        (None, None, vec!["one", "two, edited"]),
    ] {
        let fork = store.fork(fixture.session, at).await.unwrap();
        let origin = fork.forked_from.unwrap();
        assert_eq!(origin.session, fixture.session);
        assert!(turn.is_none_or(|turn| turn == origin.turn));
        assert_eq!(fork.title, "one (fork)");
        assert_eq!(fork.status, SessionStatus::Idle);
        assert_eq!((fork.turns, fork.tokens), (expected.len() as u64, 0));
        assert_eq!(fork.cost, None, "a fork has spent nothing");
        assert_eq!(fixture.read(fork.id).await, expected);
        let copies = store.events_since(fork.id, 0).await.unwrap();
        let numbers: Vec<_> = copies
            .iter()
            .filter_map(|event| event.sequence_number)
            .collect();
        assert_eq!(numbers, (1..=copies.len() as u64).collect::<Vec<_>>());
        for copy in &copies {
            assert_eq!(copy.session_id, fork.id);
            assert!(before.iter().all(|event| event.id != copy.id));
            assert!(copy.turn_id.is_none_or(|turn| ![one, two].contains(&turn)));
        }
        assert_eq!(
            store.sessions().await.unwrap()[0].id,
            fork.id,
            "newest first"
        );
    }
    assert_eq!(
        store.events_since(fixture.session, 0).await.unwrap(),
        before
    );
    let running = fixture.ask("three", None).await;
    let refused = store.fork(fixture.session, Some(running)).await;
    assert!(matches!(refused, Err(StoreError::Busy)));
    store.fork(fixture.session, Some(one)).await.unwrap();
}

#[tokio::test]
async fn a_deleted_session_is_hidden_and_comes_back_whole() {
    let fixture = fixture().await;
    let store = &fixture.store;
    let one = fixture.turn("one", None).await;
    let line = store.session(fixture.session).await.unwrap();
    let events = store.events_since(fixture.session, 0).await.unwrap();
    store.delete(fixture.session).await.unwrap();
    assert_eq!(store.sessions().await.unwrap(), []);
    let next = vec![fixture.event(Some(Uuid::now_v7()), events[1].body.clone())];
    let refusals = [
        store.latest(fixture.session, 1).await.err(),
        store.delete(fixture.session).await.err(),
        store.rename(fixture.session, "x".into()).await.err(),
        store.fork(fixture.session, None).await.err(),
        store
            .start_turn(fixture.session, Opening::Stored, next)
            .await
            .err(),
    ];
    for refusal in refusals {
        assert!(
            matches!(refusal, Some(StoreError::NoSession(_))),
            "{refusal:?}"
        );
    }
    assert!(store.prompt(fixture.session, one).await.is_err());

    assert_eq!(store.restore(fixture.session).await.unwrap(), line);
    assert_eq!(
        store.events_since(fixture.session, 0).await.unwrap(),
        events
    );
    fixture.turn("two", None).await;
}

#[tokio::test]
async fn a_start_takes_out_only_what_was_deleted_long_ago() {
    let fixture = fixture().await;
    let store = &fixture.store;
    fixture.turn("one", None).await;
    let fork = store.fork(fixture.session, None).await.unwrap();
    store.delete(fixture.session).await.unwrap();
    store.delete(fork.id).await.unwrap();
    store.close().await;

    let mut raw = fixture.raw().await;
    sqlx::query("UPDATE sessions SET deleted_at = deleted_at - 8 * 24 * 3600 * 1000 WHERE id = ?1")
        .bind(fork.id.to_string())
        .execute(&mut raw)
        .await
        .unwrap();
    raw.close().await.unwrap();

    let (store, _) = Store::open(fixture.folder.path(), Arc::default())
        .await
        .unwrap();
    assert!(matches!(
        store.restore(fork.id).await,
        Err(StoreError::NoSession(_))
    ));
    assert_eq!(store.events_since(fork.id, 0).await.unwrap(), []);
    store.restore(fixture.session).await.unwrap();
}

#[tokio::test]
async fn a_database_from_before_branches_reads_as_it_did() {
    let fixture = fixture().await;
    for prompt in ["one", "two", "three"] {
        fixture.turn(prompt, None).await;
    }
    let before = rows(&fixture).await;
    fixture.store.close().await;
    let mut raw = fixture.raw().await;
    for undo in [
        "DROP TABLE turns",
        "DROP INDEX sessions_by_deletion",
        "ALTER TABLE sessions DROP COLUMN deleted_at",
        "ALTER TABLE sessions DROP COLUMN origin_session",
        "ALTER TABLE sessions DROP COLUMN origin_turn",
        "DELETE FROM _sqlx_migrations WHERE version = 3",
    ] {
        sqlx::query(undo).execute(&mut raw).await.unwrap();
    }
    raw.close().await.unwrap();
    let opened = Store::open(fixture.folder.path(), Arc::default()).await;
    let fixture = Fixture {
        store: opened.unwrap().0,
        ..fixture
    };
    assert_eq!(rows(&fixture).await, before);
    assert_eq!(fixture.read(fixture.session).await, ["one", "two", "three"]);
}

/// Any prompts and choices: the rows that are kept up to date with every event are those of the
/// pure fold over the log, and those that a rebuild makes.
#[test]
fn the_rows_are_what_the_log_says() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let step = (any::<bool>(), prop::option::of(0..8usize));
    let config = Config {
        cases: 24,
        ..Config::default()
    };
    TestRunner::new(config)
        .run(&prop::collection::vec(step, 1..12), |steps| {
            runtime.block_on(async {
                let fixture = fixture().await;
                let mut turns: Vec<Uuid> = Vec::new();
                for (asks, named) in steps {
                    let named = named.and_then(|at| turns.get(at).copied());
                    match (asks, named) {
                        (false, Some(turn)) => {
                            let store = &fixture.store;
                            store.choose_branch(fixture.session, turn).await.unwrap();
                        }
                        (true, _) | (false, None) => {
                            let name = turns.len().to_string();
                            turns.push(fixture.turn(&name, named).await);
                        }
                    }
                    let events = fixture
                        .store
                        .events_since(fixture.session, 0)
                        .await
                        .unwrap();
                    let mut path = Path::of(&events).active();
                    path.reverse();
                    let names = path
                        .iter()
                        .filter_map(|turn| turns.iter().position(|other| other == turn));
                    let expected: Vec<_> = names.map(|at| at.to_string()).collect();
                    assert_eq!(fixture.read(fixture.session).await, expected);
                }
                let kept = rows(&fixture).await;
                let mut raw = fixture.raw().await;
                turns::rebuild(&mut raw, fixture.session).await.unwrap();
                assert_eq!(rows(&fixture).await, kept);
            });
            Ok(())
        })
        .unwrap();
}

async fn rows(fixture: &Fixture) -> Vec<(String, String, i64, bool)> {
    sqlx::query_as(
        "SELECT turn_id, parent, first_sequence, on_path FROM turns ORDER BY first_sequence",
    )
    .fetch_all(&mut fixture.raw().await)
    .await
    .unwrap()
}
