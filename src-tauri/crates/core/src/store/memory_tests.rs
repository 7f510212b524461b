//! Memories in the real database: kept once, found by their words, and gone to the last byte.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use sqlx::{ConnectOptions, Connection};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, Forget, Memory, MemoryKind, PersistenceState};

use super::memories::MOST_MEMORIES;
use super::memory_index::PAGE;
use super::{DATABASE_FILE, Kept, Opening, Store};
use crate::memory::terms;
use crate::tool::permission::answer::sha256;

async fn opened(folder: &Path) -> Store {
    let (store, notices) = Store::open_alone(folder).await.unwrap();
    assert_eq!(notices, []);
    store
}

fn kept(project: &str, content: &str) -> Kept {
    Kept {
        project: project.into(),
        content: content.into(),
        kind: MemoryKind::Fact,
        session: Uuid::nil(),
        turn: Uuid::nil(),
        at: Timestamp::UNIX_EPOCH,
    }
}

async fn contents(store: &Store, project: &str) -> Vec<String> {
    let memories = store.memories(project).await.unwrap();
    memories.into_iter().map(|memory| memory.content).collect()
}

async fn found(store: &Store, project: &str, asked: &str) -> Vec<Memory> {
    let candidates = store.memory_candidates(project, &terms(asked)).await;
    candidates
        .unwrap()
        .into_iter()
        .map(|candidate| candidate.memory)
        .collect()
}

/// In any file of the folder, in letters of either case, as words or as the index cuts them.
fn holding(folder: &Path, needle: &str) -> Vec<String> {
    let needle = needle.to_lowercase().into_bytes();
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let holds = |path: &Path| {
        let bytes = std::fs::read(path).unwrap_or_default().to_ascii_lowercase();
        memchr::memmem::find(&bytes, &needle).is_some()
    };
    let names = files.map(|file| file.path()).filter(|path| holds(path));
    names.map(|path| path.display().to_string()).collect()
}

impl Store {
    /// What nobody but a test does to a database.
    pub(crate) async fn by_hand(&self, statement: &'static str) {
        by_hand(&self.folder, statement).await;
    }

    /// Every connection that reads, for as long as the answer is kept.
    pub(crate) async fn hold_readers(&self) -> impl Sized + use<> {
        let count = self.readers.options().get_max_connections();
        let mut held = Vec::new();
        for _ in 0..count {
            held.push(self.readers.acquire().await.unwrap());
        }
        held
    }
}

async fn by_hand(folder: &Path, statement: &'static str) {
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.join(DATABASE_FILE))
        .connect()
        .await
        .unwrap();
    sqlx::query(statement)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn keeps_each_once_a_project_and_counts_what_is_said_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let said = ["We use Postgres.", "we use  POSTGRES", "We use Redis."];
    let new = store
        .remember(said.iter().map(|said| kept("/a", said)).collect())
        .await
        .unwrap();
    assert_eq!(new, 2);
    let again = store.remember(vec![kept("/b", said[0])]).await.unwrap();
    assert_eq!(again, 1);
    assert_eq!(
        contents(&store, "/a").await,
        ["We use Redis.", "We use Postgres."]
    );
    assert_eq!(contents(&store, "/b").await, ["We use Postgres."]);
    assert_eq!(contents(&store, "").await, [""; 0]);
    let uses: Vec<u32> = store
        .memories("/a")
        .await
        .unwrap()
        .iter()
        .map(|m| m.uses)
        .collect();
    assert_eq!(uses, [0, 1]);
}

#[tokio::test]
async fn finds_by_words_of_any_script_and_takes_no_operator_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let all = [
        "The tests run with nextest.",
        "我喜欢喝绿茶",
        "Our café is in the Straße des 17. Juni",
        "NEAR the OR gate AND the NOT gate",
        "テストは毎晩動く",
    ];
    store
        .remember(all.iter().map(|text| kept("/a", text)).collect())
        .await
        .unwrap();
    store
        .remember(vec![kept("/b", "The tests of b")])
        .await
        .unwrap();
    let cases: &[(&str, &[&str])] = &[
        ("which test?", &[all[0]]),
        ("绿茶", &[all[1]]),
        ("cafe", &[all[2]]),
        ("\"gate\" NEAR/2 (x* AND \"", &[all[3]]),
        ("テスト", &[all[4]]),
        ("*", &[]),
        ("\" OR 1=1 --", &[all[3]]),
        ("🎉 'x'; DROP TABLE memories", &[]),
    ];
    for (asked, expected) in cases {
        let found: Vec<String> = found(&store, "/a", asked)
            .await
            .into_iter()
            .map(|m| m.content)
            .collect();
        assert_eq!(found, *expected, "{asked}");
    }
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figure is the result")]
async fn a_project_keeps_its_most_used_and_newest() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let at = |n: u32| Kept {
        at: Timestamp::UNIX_EPOCH + SignedDuration::from_secs(i64::from(n)),
        ..kept("/a", &format!("Service number {n} is up."))
    };
    store
        .remember((0..MOST_MEMORIES).map(at).collect())
        .await
        .unwrap();
    let first = store.memories("/a").await.unwrap().pop().unwrap();
    store
        .use_memories(vec![first.id], Timestamp::UNIX_EPOCH)
        .await
        .unwrap();
    store
        .remember((MOST_MEMORIES..MOST_MEMORIES + 3).map(at).collect())
        .await
        .unwrap();
    let left = contents(&store, "/a").await;
    assert_eq!(left.len(), MOST_MEMORIES as usize);
    for (number, stays) in [
        (0, true),
        (1, false),
        (2, false),
        (3, false),
        (4, true),
        (2002, true),
    ] {
        let said = format!("Service number {number} is up.");
        assert_eq!(left.contains(&said), stays, "{said}");
    }
    let begun = std::time::Instant::now();
    assert_eq!(found(&store, "/a", "2002").await.len(), 1);
    println!("found among {} in {:?}", left.len(), begun.elapsed());
    assert_eq!(
        found(&store, "/a", "number 3")
            .await
            .iter()
            .filter(|m| m.content.contains(" 3 "))
            .count(),
        0
    );
}

/// Many memories of many lengths, so that pages split and move; every second one is forgotten,
/// each in its own way, and no byte of its own word is left in any file.
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figure is the result")]
async fn what_is_forgotten_or_edited_is_gone_to_the_last_byte() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    // Another Weir is there, and reads now and then.
    let other = opened(folder.path()).await;
    let words: Vec<String> = (0..120)
        .map(|_| format!("canary{}", Uuid::new_v4().simple()))
        .collect();
    for (n, word) in words.iter().enumerate() {
        let filler = "lorem ipsum dolor ".repeat(n % 40);
        let project = ["/a", "/b", "/c"][n % 3];
        let session = Uuid::from_u128(n as u128 % 7);
        let memory = Kept {
            session,
            ..kept(project, &format!("{word} {filler}"))
        };
        store.remember(vec![memory]).await.unwrap();
        if n % 10 == 9 {
            // As between two turns: pages reach the file in the midst of it.
            by_hand(folder.path(), "PRAGMA wal_checkpoint(PASSIVE)").await;
        }
    }
    for word in &words {
        assert_ne!(holding(folder.path(), word), [""; 0], "it was there");
    }
    let all = store.all_memories().await.unwrap();
    let of = |word: &String| {
        all.iter()
            .find(|memory| memory.content.contains(word))
            .unwrap()
    };
    // What stays grows, so that what goes is moved about.
    for n in (0..words.len()).rev().filter(|n| n % 2 == 1) {
        let longer = format!("{} {}", words[n], "lorem ipsum ".repeat(30 + n % 40));
        let id = of(&words[n]).id;
        let edited = store.edit_memory(id, longer, Timestamp::UNIX_EPOCH);
        edited.await.unwrap();
    }
    let mut gone = Vec::new();
    for (n, word) in words.iter().enumerate().filter(|(n, _)| n % 2 == 0) {
        let id = of(word).id;
        if n % 4 == 0 {
            let forgotten = store.forget(Forget::One { id }).await.unwrap();
            assert_eq!((forgotten.count, forgotten.swept), (1, true));
        } else {
            let edited = store.edit_memory(id, format!("edited {n}"), Timestamp::UNIX_EPOCH);
            assert_eq!(edited.await.unwrap().content, format!("edited {n}"));
        }
        gone.push(word);
        assert_eq!(
            holding(folder.path(), &word[..20]),
            [""; 0],
            "{word} is gone"
        );
        // Rows of other lengths make room for one another, in between.
        let used = all.iter().skip(n % 5).step_by(5).map(|memory| memory.id);
        let at = Timestamp::UNIX_EPOCH + SignedDuration::from_secs(1 << (n % 30));
        store.use_memories(used.collect(), at).await.unwrap();
        other.all_memories().await.unwrap();
    }
    let session = Uuid::from_u128(1);
    store.forget(Forget::Session { session }).await.unwrap();
    gone.extend(words.iter().filter(|word| of(word).session_id == session));
    let project = Some("/c".to_owned());
    store.forget(Forget::Project { project }).await.unwrap();
    gone.extend(
        words
            .iter()
            .filter(|word| of(word).project.as_deref() == Some("/c")),
    );
    let mut bytes = 0;
    for word in &gone {
        // A piece of it is enough to be recognised by.
        assert_eq!(
            holding(folder.path(), &word[..20]),
            [""; 0],
            "{word} is gone"
        );
    }
    for file in std::fs::read_dir(folder.path()).unwrap().flatten() {
        bytes += file.metadata().unwrap().len();
    }
    let kept = words.iter().filter(|word| !gone.contains(word));
    for word in kept {
        assert_ne!(holding(folder.path(), word), [""; 0], "{word} stays");
    }
    store.forget(Forget::Everything).await.unwrap();
    for word in &words {
        assert_eq!(
            holding(folder.path(), &word[..20]),
            [""; 0],
            "{word} is gone"
        );
    }
    store.close().await;
    other.close().await;
    println!(
        "{} forgotten words searched in {bytes} bytes of 3 files",
        words.len()
    );
}

#[tokio::test]
async fn bytes_that_could_not_leave_at_once_leave_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let word = format!("canary{}", Uuid::new_v4().simple());
    store.remember(vec![kept("", &word)]).await.unwrap();
    // Another Weir reads an old state of the database and goes on doing so.
    let mut reader = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.path().join(DATABASE_FILE))
        .connect()
        .await
        .unwrap();
    sqlx::query("BEGIN").execute(&mut reader).await.unwrap();
    sqlx::query("SELECT * FROM memories")
        .fetch_all(&mut reader)
        .await
        .unwrap();
    let forgotten = store.forget(Forget::Everything).await.unwrap();
    assert_eq!((forgotten.count, forgotten.swept), (1, false));
    assert_eq!(contents(&store, "").await, [""; 0]);
    assert_ne!(holding(folder.path(), &word), [""; 0]);
    sqlx::query("COMMIT").execute(&mut reader).await.unwrap();
    let next = opened(folder.path()).await;
    assert_eq!(holding(folder.path(), &word), [""; 0]);
    for store in [store, next] {
        store.close().await;
    }
    reader.close().await.unwrap();
}

/// So many memories of so many projects, as the database has them.
async fn remembering(count: u32) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.path().join(DATABASE_FILE))
        .connect()
        .await
        .unwrap();
    sqlx::query("WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?1) INSERT INTO memories (id, project, mark, kind, session_id, turn_id, created_at, seen_at, content) SELECT printf('00000000-0000-7000-8000-%012d', n), '/project' || (n % 20), printf('%02x', n % 256), 'fact', printf('00000000-0000-7000-8000-%012d', n / 5), '00000000-0000-7000-8000-000000000000', n, n, printf('%4096s', '') || 'Service number ' || n || ' is up.' FROM counted")
        .bind(count)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    (folder, store)
}

/// A ratio, taken in turns and from the quickest of several: a hundred times as many would take a
/// hundred times as long if it mattered, so a busy machine does not decide this.
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figure is the result")]
async fn forgetting_one_costs_the_same_however_many_are_remembered() {
    const TURNS: u32 = 25;
    let counts = [200, 20_000];
    let mut stores = Vec::new();
    for count in counts {
        let (folder, store) = remembering(count).await;
        // What filling it left to do is done.
        assert!(store.sweep_memories().await);
        stores.push((folder, store));
    }
    let mut quickest = [std::time::Duration::MAX; 2];
    for n in 1..=TURNS {
        let id = Uuid::parse_str(&format!("00000000-0000-7000-8000-{:012}", n * 7)).unwrap();
        for ((_, store), best) in stores.iter().zip(&mut quickest) {
            let begun = std::time::Instant::now();
            let forgotten = store.forget(Forget::One { id }).await.unwrap();
            *best = begun.elapsed().min(*best);
            assert_eq!((forgotten.count, forgotten.swept), (1, true));
        }
    }
    for ((_folder, store), count) in stores.iter().zip(counts) {
        let left = store.all_memories().await.unwrap().len();
        assert_eq!(left, (count - TURNS) as usize);
        store.close().await;
    }
    let ratio = quickest[1].as_secs_f64() / quickest[0].as_secs_f64();
    println!(
        "forgetting one of 20,000 takes {ratio:.2} times as long as one of 200 ({quickest:?})"
    );
    assert!(ratio < 25.0, "{ratio}");
}

/// The words are in pages of their own only while a page has no more bytes than stand before
/// them.
#[tokio::test]
async fn a_page_has_no_more_bytes_than_stand_before_the_words() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let size: i64 = sqlx::query_scalar("PRAGMA page_size")
        .fetch_one(&store.readers)
        .await
        .unwrap();
    assert_eq!(usize::try_from(size).unwrap(), PAGE);
    store
        .remember(vec![kept("", "I prefer tea.")])
        .await
        .unwrap();
    let stored: String = sqlx::query_scalar("SELECT content FROM memories")
        .fetch_one(&store.readers)
        .await
        .unwrap();
    assert_eq!(stored, " ".repeat(PAGE) + "I prefer tea.");
    store.close().await;
}

/// As an earlier Weir left them: in rows among others', with a hash of the words beside them.
#[tokio::test]
async fn what_an_earlier_weir_remembered_is_kept_found_and_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    opened(folder.path()).await.close().await;
    let word = format!("canary{}", Uuid::new_v4().simple());
    by_hand(folder.path(), "DROP TABLE memories").await;
    by_hand(
        folder.path(),
        include_str!("../../migrations/0005_memories.sql"),
    )
    .await;
    let print = sha256(terms(&word).join(" ").as_bytes());
    let mut connection = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.path().join(DATABASE_FILE))
        .connect()
        .await
        .unwrap();
    sqlx::query("INSERT INTO memories VALUES (3, ?1, '/a', ?2, ?3, 'note', ?1, ?1, 5, 6, 7)")
        .bind(Uuid::nil().to_string())
        .bind(&word)
        .bind(&print)
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    by_hand(
        folder.path(),
        "DELETE FROM _sqlx_migrations WHERE version = 8",
    )
    .await;
    by_hand(folder.path(), "PRAGMA user_version = 6").await;

    let store = opened(folder.path()).await;
    assert_eq!(holding(folder.path(), &print), [""; 0], "no hash of it");
    let again = store.remember(vec![kept("/a", &word.to_uppercase())]).await;
    assert_eq!(again.unwrap(), 0, "it is known");
    let all = found(&store, "/a", &word).await;
    let told = (all[0].content.as_str(), all[0].kind, all[0].uses);
    assert_eq!(told, (word.as_str(), MemoryKind::Note, 8));
    store.forget(Forget::Everything).await.unwrap();
    assert_eq!(holding(folder.path(), &word[..20]), [""; 0]);
    store.close().await;
}

/// As an earlier Weir left it: an index of the words, whole or damaged, with words in it that
/// nobody remembers any more.
#[tokio::test]
async fn an_index_of_an_earlier_weir_goes_with_every_word_in_it() {
    for damage in [
        "SELECT 1",
        "DELETE FROM memory_index_data WHERE id > 10",
        "UPDATE memory_index_data SET block = x'00ff00ff' WHERE id > 10",
        "DROP TABLE memory_index_config",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = opened(folder.path()).await;
        store
            .remember(vec![kept("/a", "We use Postgres.")])
            .await
            .unwrap();
        store.close().await;
        by_hand(
            folder.path(),
            "CREATE VIRTUAL TABLE memory_index USING fts5(terms)",
        )
        .await;
        by_hand(
            folder.path(),
            "INSERT INTO memory_index (rowid, terms) VALUES (1, 'walruscanary')",
        )
        .await;
        by_hand(folder.path(), damage).await;
        let store = opened(folder.path()).await;
        assert_eq!(found(&store, "/a", "postgres").await.len(), 1, "{damage}");
        let left: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM sqlite_master WHERE name LIKE 'memory_index%'",
        )
        .fetch_one(&store.readers)
        .await
        .unwrap();
        assert_eq!(left, 0, "{damage}");
        assert_eq!(holding(folder.path(), "walruscanary"), [""; 0], "{damage}");
        assert_eq!(store.check().await.unwrap(), None, "{damage}");
        store.close().await;
    }
}

/// Changes that wait together share a commit: what becomes of a memory becomes of no turn.
#[tokio::test]
async fn a_memory_that_cannot_be_changed_takes_no_turn_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = opened(folder.path()).await;
    let session = Uuid::now_v7();
    let event = |body| Event {
        id: Uuid::now_v7(),
        session_id: session,
        turn_id: Some(Uuid::nil()),
        body,
        event_index: 0,
        sequence_number: None,
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp: Timestamp::UNIX_EPOCH,
    };
    let asked = event(EventBody::UserMessage {
        content: "Hi".into(),
        source: "demo".into(),
        model: "demo".into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    });
    let started = store.start_turn(session, Opening::New, vec![asked]).await;
    started.unwrap();
    store
        .remember(vec![kept("", "We use kettles.")])
        .await
        .unwrap();
    by_hand(
        folder.path(),
        "ALTER TABLE memories RENAME COLUMN number TO place",
    )
    .await;
    let said = || {
        let content = "A step.".to_owned();
        let duration_ms = 1;
        store.record(
            session,
            vec![event(EventBody::Processing {
                content,
                duration_ms,
            })],
        )
    };
    // All of them wait before the writer looks.
    let (first, forgotten, then) = tokio::join!(said(), store.forget(Forget::Everything), said());
    first.unwrap();
    then.unwrap();
    assert!(forgotten.is_err());
    assert_eq!(store.events_since(session, 0).await.unwrap().len(), 3);
    store.close().await;
}
