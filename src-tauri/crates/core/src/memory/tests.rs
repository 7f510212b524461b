//! A turn's memory in the real store: found, kept, and done without when it fails.

use std::sync::Arc;
use std::time::Duration;

use uuid::Uuid;
use weir_protocol::{Event, EventBody, Forget, MemorySwitch, PersistenceState, StopReason, code};

use super::{Guards, Memories, MemoryError, Remembering};
use crate::clock;
use crate::guard::GuardPolicy;
use crate::publish::{Published, Publisher};
use crate::store::{Opening, Store};

fn event(session: Uuid, turn: Uuid, body: EventBody) -> Event {
    Event {
        id: Uuid::now_v7(),
        session_id: session,
        turn_id: Some(turn),
        body,
        event_index: 0,
        sequence_number: None,
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp: clock::now(),
    }
}

fn went_along(memories: Vec<Uuid>) -> Event {
    event(Uuid::nil(), Uuid::nil(), EventBody::Memories { memories })
}

struct Fixture {
    memories: Memories,
    store: Store,
    publisher: Arc<Publisher>,
    folder: tempfile::TempDir,
}

impl Fixture {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let publisher = Arc::<Publisher>::default();
        let (store, _) = Store::open(folder.path(), Arc::clone(&publisher))
            .await
            .unwrap();
        Self {
            memories: Memories::new(store.clone(), Arc::clone(&publisher)),
            store,
            publisher,
            folder,
        }
    }

    fn turn(&self, project: &str) -> Remembering {
        self.memories.for_turn(project.to_owned(), guards())
    }

    /// A whole turn of a new session, as it is stored, and what is kept of it.
    async fn say(&self, project: &str, prompt: &str, stop_reason: StopReason) {
        let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
        let event = |body| event(session, turn, body);
        let asked = event(EventBody::UserMessage {
            content: prompt.into(),
            source: "demo".into(),
            model: "demo".into(),
            images: Vec::new(),
            system: None,
            replaces: None,
            thinking: None,
            options: Default::default(),
        });
        let end = event(EventBody::Complete {
            stop_reason,
            usage: None,
            cost: None,
        });
        self.store
            .start_turn(session, Opening::New, vec![asked])
            .await
            .unwrap();
        self.store.record(session, vec![end]).await.unwrap();
        self.turn(project).capture(session, turn);
        self.memories.settle().await;
    }

    async fn contents(&self, project: &str) -> Vec<String> {
        let memories = self.store.memories(project).await.unwrap();
        memories.into_iter().map(|memory| memory.content).collect()
    }

    async fn recalled(&self, project: &str, prompt: &str) -> Vec<String> {
        let ids = self.turn(project).recall(prompt).await;
        self.memories.settle().await;
        let memories = self.store.memories_by_id(&ids).await.unwrap();
        memories.into_iter().map(|memory| memory.content).collect()
    }

    async fn by_hand(&self, statement: &'static str) {
        self.store.by_hand(statement).await;
    }
}

#[tokio::test]
async fn keeps_of_a_completed_turn_what_lasts_and_finds_the_five_best_of_the_project() {
    let fixture = Fixture::new().await;
    for n in 0..8 {
        let prompt = format!("Fix it. We use tool number{n} for backups. Thanks!");
        fixture.say("/a", &prompt, StopReason::EndTurn).await;
    }
    fixture
        .say("/b", "We use tape for backups.", StopReason::EndTurn)
        .await;
    fixture
        .say("/a", "We use stone for backups.", StopReason::Cancelled)
        .await;
    fixture
        .say("/a", "We use paper for backups.", StopReason::Blocked)
        .await;
    assert_eq!(fixture.contents("/a").await.len(), 8);
    let found = fixture
        .recalled("/a", "How do backups work, and number3?")
        .await;
    assert_eq!(found.len(), 5);
    assert_eq!(found[0], "We use tool number3 for backups.");
    assert!(found.iter().all(|content| content.contains("number")));
    assert_eq!(fixture.recalled("/a", "Tell me a joke").await, [""; 0]);
    assert_eq!(fixture.recalled("", "backups").await, [""; 0]);
    let used = fixture.store.memories("/a").await.unwrap();
    assert_eq!(used.iter().map(|memory| memory.uses).sum::<u32>(), 5);
}

fn guards() -> Guards {
    Guards::new(Ok(GuardPolicy::default()))
}

#[tokio::test]
async fn what_a_guard_has_replaced_or_would_is_never_kept() {
    let fixture = Fixture::new().await;
    let random = Uuid::new_v4().simple().to_string();
    let key = ["sk", "ant", "api03", &random.repeat(3)].join("-");
    for prompt in [
        format!("Remember: the key is {key}."),
        format!("We use {key} for deploys."),
        "Remember: write to ada@example.org.".to_owned(),
        "Remember: my email is [EMAIL_1].".to_owned(),
        "My name is [PERSON_2].".to_owned(),
    ] {
        fixture.say("/a", &prompt, StopReason::EndTurn).await;
        assert_eq!(fixture.contents("/a").await, [""; 0], "{prompt}");
    }
    fixture
        .say("/a", "We use Postgres.", StopReason::EndTurn)
        .await;
    let id = fixture.store.memories("/a").await.unwrap()[0].id;
    let cases = [
        (format!("the key is {key}"), "blocked"),
        ("my email is [EMAIL_1]".to_owned(), "blocked"),
        ("  ".to_owned(), "bad_input"),
        ("word ".repeat(300), "bad_input"),
    ];
    for (content, code) in cases {
        let refused: MemoryError = fixture
            .memories
            .edit(id, &content, guards())
            .await
            .unwrap_err();
        assert_eq!(refused.body().code, code, "{content}");
    }
    assert_eq!(fixture.contents("/a").await, ["We use Postgres."]);

    // Guards that cannot be made let nothing pass, in either direction.
    let broken = Guards::new(Err("the file cannot be read".into()));
    let refused = fixture.memories.edit(id, "We use SQLite.", broken.clone());
    assert_eq!(refused.await.unwrap_err().body().code, "blocked");
    let turn = fixture.memories.for_turn("/a".into(), broken);
    let went = went_along(vec![id]);
    assert_eq!(turn.resolve(std::slice::from_ref(&went)).await, [""; 0]);
    assert_eq!(
        fixture.turn("/a").resolve(&[went]).await,
        ["We use Postgres."]
    );
}

#[tokio::test]
async fn is_off_until_switched_on_for_each_project() {
    let fixture = Fixture::new().await;
    let switch = async |project: &str| fixture.memories.switch(project).await.unwrap();
    assert_eq!(switch("").await, MemorySwitch::Off);
    fixture
        .memories
        .set_switch("/a", MemorySwitch::On)
        .await
        .unwrap();
    for (project, expected) in [
        ("", MemorySwitch::Off),
        ("/a", MemorySwitch::On),
        ("/a/b", MemorySwitch::Off),
        ("/b", MemorySwitch::Off),
    ] {
        assert_eq!(switch(project).await, expected, "{project}");
    }
    fixture
        .memories
        .set_switch("/a", MemorySwitch::Off)
        .await
        .unwrap();
    assert_eq!(switch("/a").await, MemorySwitch::Off);
}

#[tokio::test]
async fn a_memory_that_fails_is_done_without_and_told_once() {
    for damage in [
        "DROP TABLE memories",
        "ALTER TABLE memories RENAME COLUMN content TO words",
        "UPDATE memories SET kind = 'odd'",
    ] {
        let fixture = Fixture::new().await;
        fixture
            .say("/a", "I prefer tea.", StopReason::EndTurn)
            .await;
        fixture.by_hand(damage).await;
        let mut published = fixture.publisher.subscribe();
        let turn = fixture.turn("/a");
        for _ in 0..2 {
            assert!(turn.recall("Which tea?").await.is_empty(), "{damage}");
        }
        fixture.memories.settle().await;
        let mut notices = Vec::new();
        while let Ok(told) = published.try_recv() {
            if let Published::Notice(notice) = told {
                notices.push(notice.code);
            }
        }
        assert_eq!(notices, [code::MEMORY], "{damage}");
    }
}

/// Somebody holds every connection that could look: after the bounded wait the turn goes on.
#[tokio::test]
async fn a_slow_search_is_waited_for_no_longer_than_told() {
    let fixture = Fixture::new().await;
    fixture
        .say("/a", "I prefer tea.", StopReason::EndTurn)
        .await;
    let mut published = fixture.publisher.subscribe();
    let held = fixture.store.hold_readers().await;
    tokio::time::pause();
    let begun = tokio::time::Instant::now();
    assert!(fixture.turn("/a").recall("Which tea?").await.is_empty());
    assert!(begun.elapsed() < super::PATIENCE + Duration::from_millis(50));
    tokio::time::resume();
    drop(held);
    let Published::Notice(notice) = published.try_recv().unwrap() else {
        panic!("a notice comes");
    };
    assert_eq!(notice.code, code::MEMORY);
    assert_eq!(fixture.recalled("/a", "tea").await, ["I prefer tea."]);
}

#[tokio::test]
async fn a_prompt_of_a_megabyte_is_looked_up_like_any_other() {
    let fixture = Fixture::new().await;
    fixture
        .say("/a", "We use Postgres.", StopReason::EndTurn)
        .await;
    let shapes = [
        "a\"b OR (".repeat(120_000),
        "茶".repeat(340_000),
        "x".repeat(1_000_000),
        "word ".repeat(200_000),
        "I prefer ".repeat(110_000),
        "\u{301}".repeat(500_000),
    ];
    for shape in shapes {
        let prompt = format!("{shape} postgres?");
        assert_eq!(fixture.recalled("/a", &prompt).await, ["We use Postgres."]);
        assert_eq!(super::capture::worth_keeping(&prompt), []);
    }
    let folder = fixture.folder.path().to_owned();
    fixture.memories.forget(Forget::Everything).await.unwrap();
    assert!(folder.exists());
}

#[tokio::test]
async fn closing_waits_until_everything_is_remembered() {
    let fixture = Fixture::new().await;
    let (finish, finished) = tokio::sync::oneshot::channel::<()>();
    fixture.memories.spawn(async move {
        let _ = finished.await;
    });
    let mut settling = std::pin::pin!(fixture.memories.settle());
    tokio::time::pause();
    tokio::select! {
        biased;
        () = &mut settling => panic!("it did not wait"),
        () = tokio::time::sleep(Duration::from_secs(3_600)) => {}
    }
    tokio::time::resume();
    finish.send(()).unwrap();
    settling.await;
}
