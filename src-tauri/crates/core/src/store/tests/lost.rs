//! The database deleted, moved, replaced or written over while it is open: nothing more is
//! published as saved, and what was published can be rescued.

use std::fs::{File, rename};
use std::path::{Path, PathBuf};

use super::*;
use crate::publish::{Published, Publisher};
use crate::store::open;

/// What somebody does to the folder, with another database at hand.
type Ruin = fn(&Path, &Path);

fn cut(path: &Path, share: u64) {
    let file = File::options().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length * share / 4).unwrap();
}

fn log(folder: &Path) -> PathBuf {
    folder.join("weir.db-wal")
}

fn shared(folder: &Path) -> PathBuf {
    folder.join("weir.db-shm")
}

const RUINS: [(&str, Ruin); 17] = [
    ("deleted", |folder, _| {
        std::fs::remove_file(folder.join(DATABASE_FILE)).unwrap();
    }),
    ("deleted with the folder", |folder, _| {
        std::fs::remove_dir_all(folder).unwrap();
    }),
    ("deleted with its log", |folder, _| {
        for path in [folder.join(DATABASE_FILE), log(folder), shared(folder)] {
            std::fs::remove_file(path).unwrap();
        }
    }),
    ("moved", |folder, _| {
        rename(folder.join(DATABASE_FILE), folder.join("elsewhere.db")).unwrap();
    }),
    ("moved with the folder", |folder, _| {
        rename(folder, folder.with_extension("moved")).unwrap();
    }),
    ("moved, and a new folder made", |folder, other| {
        rename(folder, folder.with_extension("moved")).unwrap();
        std::fs::create_dir(folder).unwrap();
        std::fs::copy(other, folder.join(DATABASE_FILE)).unwrap();
    }),
    ("replaced", |folder, other| {
        let new = folder.join("new");
        std::fs::copy(other, &new).unwrap();
        rename(new, folder.join(DATABASE_FILE)).unwrap();
    }),
    ("replaced by what is no database", |folder, _| {
        std::fs::remove_file(folder.join(DATABASE_FILE)).unwrap();
        std::fs::write(folder.join(DATABASE_FILE), "nothing").unwrap();
    }),
    ("copied over", |folder, other| {
        std::fs::copy(other, folder.join(DATABASE_FILE)).unwrap();
    }),
    ("copied over, with its time set back", |folder, other| {
        let path = folder.join(DATABASE_FILE);
        let modified = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::copy(other, &path).unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(modified).unwrap();
    }),
    ("emptied", |folder, _| cut(&folder.join(DATABASE_FILE), 0)),
    ("cut in half", |folder, _| {
        cut(&folder.join(DATABASE_FILE), 2)
    }),
    ("without its log", |folder, _| {
        std::fs::remove_file(log(folder)).unwrap();
    }),
    ("without its shared memory", |folder, _| {
        std::fs::remove_file(shared(folder)).unwrap();
    }),
    ("with its log emptied", |folder, _| cut(&log(folder), 0)),
    ("with its log written over", |folder, _| {
        let length = std::fs::metadata(log(folder)).unwrap().len();
        std::fs::write(log(folder), vec![b'x'; usize::try_from(length).unwrap()]).unwrap();
    }),
    ("with another log", |folder, _| {
        std::fs::remove_file(log(folder)).unwrap();
        std::fs::write(log(folder), "").unwrap();
    }),
];

/// A database of somebody else's, closed.
async fn another(folder: &Path) -> PathBuf {
    let store = open(folder).await;
    streaming(&store).await;
    store.close().await;
    folder.join(DATABASE_FILE)
}

#[tokio::test]
async fn nothing_is_published_once_the_database_is_lost_and_all_before_is_rescued() {
    for (what, ruin) in RUINS {
        let root = tempfile::tempdir().unwrap();
        let other = another(&root.path().join("other")).await;
        let folder = root.path().join("data");
        // A first run, so that the database is more than its log.
        open(&folder).await.close().await;
        let publisher = Arc::new(Publisher::default());
        let mut published = publisher.subscribe();
        let (store, _) = Store::open(&folder, publisher).await.unwrap();
        let (session, turn) = streaming(&store).await;
        while published.try_recv().is_ok() {}

        ruin(&folder, &other);
        let late = event(session, turn, Some(0), chunk("late"));
        let recorded = store.record(session, vec![late]).await;
        assert!(
            matches!(recorded, Err(StoreError::Lost(_))),
            "{what}: {recorded:?}"
        );
        let renamed = store.rename(session, "later".into()).await;
        assert!(
            matches!(renamed, Err(StoreError::Lost(_))),
            "{what}: {renamed:?}"
        );
        check_told(what, &mut published);

        let to = root.path().join("copy").join(DATABASE_FILE);
        std::fs::create_dir(root.path().join("copy")).unwrap();
        let rescued = store.rescue(Some(&to)).await;
        let rescued = rescued.unwrap_or_else(|error| panic!("{what}: {error}"));
        store.close().await;
        let mut kept = String::new();
        if let Some(copy) = &rescued.database {
            let (copy, _) = try_open(copy.path.parent().unwrap()).await.unwrap();
            let events = copy.events_since(session, 0).await.unwrap();
            kept.extend(events.iter().filter_map(|event| event.body.words()));
            copy.close().await;
        }
        if let Some(events) = &rescued.events {
            let lines = std::fs::read_to_string(events).unwrap();
            let events = lines
                .lines()
                .map(|line| serde_json::from_str(line).unwrap());
            let events: Vec<Event> = events.collect();
            for event in weir_protocol::merge_chunks(events) {
                kept.push_str(event.body.words().unwrap_or_default());
                if let EventBody::MessageChunk { content, .. } = &event.body {
                    kept.push_str(content);
                }
            }
        }
        assert!(kept.contains("why?"), "{what}: {kept} in {rescued:?}");
        assert!(kept.contains("because"), "{what}: {kept} in {rescued:?}");

        // What stands there now is somebody else's, and is left as it is.
        if ["replaced", "copied over", "moved, and a new folder made"].contains(&what) {
            let now = std::fs::read(folder.join(DATABASE_FILE)).unwrap();
            assert!(
                now == std::fs::read(&other).unwrap(),
                "{what}: it was changed"
            );
        }
        // In one process SQLite goes on with what it knows of a file that is open.
        if ["replaced", "moved, and a new folder made"].contains(&what) {
            let (again, notices) = try_open(&folder).await.unwrap();
            assert_eq!(notices, [], "{what}");
            assert_eq!(again.sessions().await.unwrap().len(), 1, "{what}");
            assert!(again.session(session).await.is_err(), "{what}");
            again.close().await;
        }
    }
}

/// One notice, one error that says of itself that it is not saved, and the end of the turn.
fn check_told(what: &str, published: &mut tokio::sync::mpsc::UnboundedReceiver<Published>) {
    let mut told = Vec::new();
    while let Ok(news) = published.try_recv() {
        told.push(news);
    }
    let [
        Published::Notice(notice),
        Published::Events(events),
        Published::Session(line),
    ] = &told[..]
    else {
        panic!("{what}: {told:?}");
    };
    assert_eq!(notice.code, code::DATABASE_LOST, "{what}");
    assert_eq!(events[0].persistence_state, PersistenceState::Pending);
    assert_eq!(events[0].sequence_number, None);
    assert_eq!(events[0].event_index, 3, "after all that was shown");
    assert!(matches!(events[0].body, EventBody::Error { .. }), "{what}");
    assert_eq!(line.status, SessionStatus::Failed, "{what}");
}

/// The files are in their places, and SQLite can do nothing with them.
#[tokio::test]
async fn a_database_that_becomes_unusable_during_a_turn_is_lost() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("data");
    let publisher = Arc::new(Publisher::default());
    let mut published = publisher.subscribe();
    let (store, _) = Store::open(&folder, publisher).await.unwrap();
    let (session, turn) = streaming(&store).await;
    while published.try_recv().is_ok() {}

    let path = folder.join(DATABASE_FILE);
    let mut connection = open::patient(&path, std::time::Duration::ZERO)
        .await
        .unwrap();
    for statement in [
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = 1000000 WHERE type = 'table' AND rootpage > 1",
        "PRAGMA schema_version = 100000",
    ] {
        let statement = sqlx::query(statement);
        statement.execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();

    let late = event(session, turn, Some(0), chunk("late"));
    let recorded = store.record(session, vec![late]).await;
    assert!(matches!(recorded, Err(StoreError::Lost(_))), "{recorded:?}");
    check_told("unusable", &mut published);
    let to = root.path().join("copy.db");
    let rescued = store.rescue(Some(&to)).await.unwrap();
    let events = std::fs::read_to_string(rescued.events.unwrap()).unwrap();
    // Its chunks, as they were shown.
    assert!(
        events.contains("\"be\"") && events.contains("\"cause\""),
        "{events}"
    );
    store.close().await;
}

#[tokio::test]
async fn a_log_that_is_deleted_goes_into_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, _) = streaming(&store).await;
    std::fs::remove_file(log(folder.path())).unwrap();
    assert!(store.look_after().await.is_err());
    // Nothing is closed here, as when the process is killed now.
    let again = open(folder.path()).await;
    let latest = again.latest(session, 10).await.unwrap();
    assert_eq!(latest.events[0].body, asked("why?"));
    assert_eq!(latest.growing[0].body, chunk("because"));
}

#[tokio::test]
async fn what_is_left_is_saved_when_nobody_asks_for_it() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("data");
    let store = open(&folder).await;
    streaming(&store).await;
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(store.look_after().await.is_err());
    store.close().await;
    let names = std::fs::read_dir(root.path()).unwrap();
    let names: Vec<_> = names.map(|entry| entry.unwrap().file_name()).collect();
    let rescued = |name: &&std::ffi::OsString| name.to_string_lossy().starts_with("weir-rescued");
    assert_eq!(names.iter().filter(rescued).count(), 1, "{names:?}");
}

#[tokio::test]
async fn checkpoints_neighbours_and_backups_are_no_loss() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let neighbour = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let path = folder.path().join(DATABASE_FILE);
    for round in 0..12 {
        let text = "x".repeat(1 << 20);
        let grown = event(session, turn, Some(0), chunk(&text));
        store.record(session, vec![grown]).await.unwrap();
        let (other, turn) = streaming(&neighbour).await;
        let done = event(other, turn, None, complete());
        neighbour.record(other, vec![done]).await.unwrap();
        let mut connection = open::patient(&path, std::time::Duration::ZERO)
            .await
            .unwrap();
        let checkpoint = ["PASSIVE", "FULL", "RESTART", "TRUNCATE"][round % 4];
        let checkpoint = format!("PRAGMA wal_checkpoint({checkpoint})");
        sqlx::query(sqlx::AssertSqlSafe(checkpoint))
            .execute(&mut connection)
            .await
            .unwrap();
        connection.close().await.unwrap();
        let touched = std::fs::FileTimes::new().set_modified(std::time::SystemTime::now());
        File::open(&path).unwrap().set_times(touched).unwrap();
        let copy = folder.path().join(format!("copy-{round}.db"));
        store.back_up(&copy).await.unwrap();
        store.look_after().await.unwrap();
        neighbour.look_after().await.unwrap();
    }
    let mut vacuum = open::patient(&path, std::time::Duration::ZERO)
        .await
        .unwrap();
    sqlx::query("VACUUM").execute(&mut vacuum).await.unwrap();
    vacuum.close().await.unwrap();
    store.look_after().await.unwrap();
    store.rename(session, "still here".into()).await.unwrap();
}

#[tokio::test]
async fn after_a_kill_a_copy_over_the_database_is_noticed_too() {
    let root = tempfile::tempdir().unwrap();
    let other = another(&root.path().join("other")).await;
    let folder = root.path().join("data");
    std::fs::create_dir(&folder).unwrap();
    {
        let before = root.path().join("before");
        let killed = open(&before).await;
        streaming(&killed).await;
        // What a killed Weir leaves: a database whose log is not in it yet.
        for name in ["weir.db", "weir.db-wal"] {
            std::fs::copy(before.join(name), folder.join(name)).unwrap();
        }
        killed.close().await;
    }
    let store = open(&folder).await;
    store.look_after().await.unwrap();
    std::fs::copy(&other, folder.join(DATABASE_FILE)).unwrap();
    assert!(store.look_after().await.is_err());
    store.close().await;
}

#[tokio::test]
async fn a_deleted_database_is_read_by_many_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, _) = streaming(&store).await;
    std::fs::remove_dir_all(folder.path()).unwrap();
    let reads = (0..16).map(|_| store.latest(session, 10));
    for latest in futures_util::future::join_all(reads).await {
        assert_eq!(latest.unwrap().events[0].body, asked("why?"));
    }
}
