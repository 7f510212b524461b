//! Copies made while the store works, and looking for damage.

use super::*;

#[tokio::test]
async fn a_backup_made_while_a_turn_streams_is_whole_and_opens() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let copy = elsewhere.path().join(DATABASE_FILE);
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let streaming = async {
        for number in 0..200 {
            let chunks = vec![event(session, turn, Some(1), chunk(&format!("{number} ")))];
            store.record(session, chunks).await.unwrap();
        }
    };
    let ((), backup) = tokio::join!(streaming, store.back_up(&copy));
    let backup = backup.unwrap();
    assert_eq!((backup.sessions, backup.events), (1, 1));
    assert_eq!(backup.bytes, std::fs::metadata(&copy).unwrap().len());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&copy).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "the user's alone");
    }

    let bytes = std::fs::read(&copy).unwrap();
    let again = store.back_up(&copy).await;
    assert!(matches!(again, Err(StoreError::Exists(_))), "{again:?}");
    assert_eq!(
        std::fs::read(&copy).unwrap(),
        bytes,
        "nothing is written over"
    );

    // The turn of the copy belongs to nobody there.
    let opened = open(elsewhere.path()).await;
    let line = opened.session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Interrupted);
    assert_eq!(line.title, "why?");
    assert_eq!(opened.check().await.unwrap(), None);
    let kept = opened.events_since(session, 0).await.unwrap();
    assert_eq!(kept[1].body, message("because"));
}

#[tokio::test]
async fn a_backup_that_fails_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let nowhere = folder.path().join("no such folder").join("copy.db");
    let failed = store.back_up(&nowhere).await;
    assert!(
        matches!(failed, Err(StoreError::Backup { .. })),
        "{failed:?}"
    );
    store.close().await;
    std::fs::write(folder.path().join(DATABASE_FILE), b"no database at all").unwrap();
    let copy = folder.path().join("copy.db");
    assert!(store.back_up(&copy).await.is_err());
    assert!(!copy.exists());
}

#[tokio::test]
async fn a_check_finds_damage_and_deletes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(DATABASE_FILE);
    let store = open(folder.path()).await;
    for _ in 0..40 {
        streaming(&store).await;
    }
    assert_eq!(store.check().await.unwrap(), None);
    store.close().await;
    // Ends their turns; after that nothing is left to write, and all is in one file.
    open(folder.path()).await.close().await;
    let store = open(folder.path()).await;
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2 / 4096 * 4096;
    bytes[middle..middle + 4096].fill(0xa5);
    std::fs::write(&path, &bytes).unwrap();
    let damage = store.check().await.unwrap();
    assert!(damage.is_some_and(|damage| !damage.is_empty()));
    assert_eq!(std::fs::read(&path).unwrap(), bytes, "as it was");
}

#[tokio::test]
async fn closing_ends_a_check() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    for _ in 0..300 {
        streaming(&store).await;
    }
    store.close().await;
    assert!(matches!(store.check().await, Err(StoreError::Closed)));
}
