//! Frames of chunks leave the session's row alone: what they count on is checked when they are
//! saved, and found again by whoever comes later.

use super::*;

async fn grow(store: &Store, session: Uuid, turn: Uuid, text: &str) -> Result<u64, StoreError> {
    let chunks = vec![event(session, turn, Some(0), chunk(text))];
    let recorded = store.record(session, chunks).await?;
    Ok(recorded.events[0].event_index)
}

async fn change(folder: &Path, session: Uuid, statement: &'static str) {
    let mut connection = raw(folder).await;
    sqlx::query(statement)
        .bind(session.to_string())
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn a_frame_of_a_turn_that_is_no_more_ours_is_refused_and_takes_nothing_down() {
    let cases = [
        (
            "UPDATE sessions SET owner = 'another' WHERE id = ?1",
            "Another Weir has ended this turn. What had been shown is kept.",
        ),
        (
            "UPDATE sessions SET owner = NULL WHERE id = ?1",
            "Another Weir has ended this turn. What had been shown is kept.",
        ),
        ("DELETE FROM sessions WHERE id = ?1", "There is no session"),
    ];
    for (statement, expected) in cases {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        let (lost, lost_turn) = streaming(&store).await;
        let (kept, kept_turn) = streaming(&store).await;
        change(folder.path(), lost, statement).await;
        let before = journal::chunks(&store.readers, lost).await.unwrap();
        // On one thread both wait before the writer gets to run: one group.
        let (refused, saved) = futures_util::future::join(
            grow(&store, lost, lost_turn, " and"),
            grow(&store, kept, kept_turn, " and"),
        )
        .await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.starts_with(expected), "{statement}: {refused}");
        assert_eq!(saved.unwrap(), 3, "{statement}");
        let alone = grow(&store, lost, lost_turn, " so").await.unwrap_err();
        assert!(alone.to_string().starts_with(expected), "{statement}");
        assert_eq!(grow(&store, kept, kept_turn, " so").await.unwrap(), 4);
        let after = journal::chunks(&store.readers, lost).await.unwrap();
        assert_eq!(after, before, "{statement}");
        let latest = store.latest(kept, 10).await.unwrap();
        assert_eq!(latest.growing[0].body, chunk("because and so"));
    }
}

#[tokio::test]
async fn a_row_that_says_something_else_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    for (row, index) in [
        ("UPDATE sessions SET next_index = 40 WHERE id = ?1", 40),
        ("UPDATE sessions SET next_index = 2 WHERE id = ?1", 42),
    ] {
        change(folder.path(), session, row).await;
        assert_eq!(grow(&store, session, turn, "a").await.unwrap(), index);
        assert_eq!(grow(&store, session, turn, "b").await.unwrap(), index + 1);
    }
    assert_eq!(store.latest(session, 1).await.unwrap().next_index, 44);
}

#[tokio::test]
async fn whoever_comes_later_counts_on_after_the_chunks() {
    let folder = tempfile::tempdir().unwrap();
    let session = {
        let store = open(folder.path()).await;
        let (session, _) = streaming(&store).await;
        assert_eq!(store.latest(session, 1).await.unwrap().next_index, 3);
        assert_eq!(store.rebuild().await.unwrap().mended, 0);
        store.close().await;
        session
    };
    let store = open(folder.path()).await;
    let events = store.events_since(session, 0).await.unwrap();
    let indexes: Vec<u64> = events.iter().map(|event| event.event_index).collect();
    assert_eq!(indexes, [0, 3, 4]);
    assert_eq!(store.latest(session, 1).await.unwrap().next_index, 5);
}

#[tokio::test]
async fn chunks_and_finished_blocks_of_one_group_count_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let grown = |text: &str| event(session, turn, Some(1), chunk(text));
    let finished = event(session, turn, Some(0), message("because"));
    let writes = [
        store.record(session, vec![grown("a")]),
        store.record(session, vec![grown("b"), finished, grown("c")]),
        store.record(session, vec![grown("d")]),
    ];
    let indexes: Vec<u64> = futures_util::future::join_all(writes)
        .await
        .into_iter()
        .flat_map(|recorded| recorded.unwrap().events.to_vec())
        .map(|event| event.event_index)
        .collect();
    assert_eq!(indexes, [3, 4, 5, 6, 7]);
    assert_eq!(grow(&store, session, turn, "e").await.unwrap(), 8);
    let latest = store.latest(session, 10).await.unwrap();
    let grown: Vec<_> = latest.growing.into_iter().map(|it| it.body).collect();
    assert_eq!(grown, [chunk("e"), chunk("abcd")]);
    assert_eq!(latest.next_index, 9);
}
