//! The same id twice is one event: no error, no second row, no new number, told once.

use uuid::Uuid;
use weir_protocol::{Event, Usage};

use super::*;
use crate::publish::{Published, Publisher};

fn used() -> EventBody {
    EventBody::Usage {
        usage: Usage {
            input_tokens: 7,
            output_tokens: 5,
            ..Usage::default()
        },
        cost: Some(0.5),
        saved: None,
        model: DEMO.into(),
        first_chunk_ms: None,
        duration_ms: 1,
        is_estimate: false,
    }
}

#[tokio::test]
async fn recording_a_stored_event_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let publisher = Arc::<Publisher>::default();
    let mut heard = publisher.subscribe();
    let (store, _) = Store::open(folder.path(), publisher).await.unwrap();
    let (session, turn) = streaming(&store).await;
    let chunk = event(session, turn, Some(0), chunk(" it is so"));
    let said = event(session, turn, Some(0), message("because it is so"));
    let used = event(session, turn, None, used());
    // Again alone, among new ones, and twice in one go.
    let writes: [Vec<Event>; 6] = [
        vec![chunk.clone()],
        vec![chunk.clone(), chunk],
        vec![said.clone(), said.clone()],
        vec![said.clone()],
        vec![said, used.clone()],
        vec![used, event(session, turn, None, complete())],
    ];
    let expected: [usize; 6] = [1, 0, 1, 0, 1, 1];
    let mut indexes = Vec::new();
    for (write, new) in writes.into_iter().zip(expected) {
        let recorded = store.record(session, write).await.unwrap();
        assert_eq!(recorded.events.len(), new);
        indexes.extend(recorded.events.iter().map(|event| event.event_index));
    }
    assert_eq!(indexes, [3, 4, 5, 6], "a repeat takes no index");
    let stored = store.events_since(session, 0).await.unwrap();
    let numbers: Vec<_> = stored
        .iter()
        .filter_map(|event| event.sequence_number)
        .collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_eq!(stored[1].body, message("because it is so"));
    let line = store.session(session).await.unwrap();
    assert_eq!((line.tokens, line.cost), (12, Some(0.5)), "counted once");
    store.close().await;
    let mut told: Vec<Uuid> = Vec::new();
    while let Ok(published) = heard.try_recv() {
        if let Published::Events(events) = published {
            told.extend(events.iter().map(|event| event.id));
        }
    }
    let mut once = told.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), told.len(), "told once");
    assert_eq!(told.len(), 7);
}

#[tokio::test]
async fn a_repeat_in_the_same_commit_is_one_event_too() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let said = event(session, turn, Some(1), message("once"));
    let shown = event(session, turn, Some(2), chunk("once"));
    // On one thread all of these wait before the writer gets to run: one group.
    let writes = (0..20).map(|_| store.record(session, vec![said.clone(), shown.clone()]));
    let new: usize = futures_util::future::join_all(writes)
        .await
        .into_iter()
        .map(|recorded| recorded.unwrap().events.len())
        .sum();
    assert_eq!(new, 2);
    let latest = store.latest(session, 10).await.unwrap();
    assert_eq!(latest.events.len(), 2);
    assert_eq!(latest.growing.last().unwrap().body, chunk("once"));
}

#[tokio::test]
async fn a_record_that_fails_alone_is_found_among_its_neighbours() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let (other, _) = streaming(&store).await;
    // Says that it belongs to a session that there is not: the foreign key refuses the row.
    let astray = event(Uuid::now_v7(), turn, Some(1), message("astray"));
    let writes = [
        store.record(session, vec![event(session, turn, Some(1), message("one"))]),
        store.record(other, vec![astray]),
        store.record(session, vec![event(session, turn, Some(2), message("two"))]),
    ];
    let saved: Vec<bool> = futures_util::future::join_all(writes)
        .await
        .iter()
        .map(Result::is_ok)
        .collect();
    assert_eq!(saved, [true, false, true]);
    for (session, expected) in [(session, vec![1, 2, 3]), (other, vec![1])] {
        let stored = store.events_since(session, 0).await.unwrap();
        let numbers: Vec<_> = stored
            .iter()
            .filter_map(|event| event.sequence_number)
            .collect();
        assert_eq!(numbers, expected);
        let next = store.latest(session, 1).await.unwrap().next_index;
        assert_eq!(next, 2 + expected.len() as u64, "no index was lost");
    }
}

#[tokio::test]
async fn groups_of_any_size_are_written_whole_and_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, turn) = streaming(&store).await;
    let mut expected = "because".to_owned();
    for size in [1, 7, 8, 9, 63, 64, 65, 73, 200] {
        let chunks: Vec<Event> = (0..size)
            .map(|number| event(session, turn, Some(0), chunk(&format!(" {number}"))))
            .collect();
        for number in 0..size {
            expected += &format!(" {number}");
        }
        store.record(session, chunks).await.unwrap();
        let growing = store.latest(session, 1).await.unwrap().growing;
        assert_eq!(growing[0].body, chunk(&expected));
    }
}
