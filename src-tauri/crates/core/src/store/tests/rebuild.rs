//! Lines computed anew from the log are the lines that were kept.

use weir_protocol::{ErrorBody, SessionSummary, Usage};

use super::*;

fn used(tokens: u64, cost: Option<f64>) -> EventBody {
    EventBody::Usage {
        usage: Usage {
            input_tokens: tokens,
            output_tokens: 3,
            ..Usage::default()
        },
        cost,
        saved: None,
        model: DEMO.into(),
        first_chunk_ms: Some(5),
        duration_ms: 9,
        is_estimate: false,
    }
}

fn failed(code: &str) -> EventBody {
    EventBody::Error {
        error: ErrorBody::new(code, "It failed."),
    }
}

/// Sessions that ended in every way, one that was renamed, one that still runs.
async fn varied(store: &Store) -> Vec<Uuid> {
    let ends: [Vec<EventBody>; 6] = [
        vec![
            message("one"),
            used(10, Some(0.1)),
            used(5, Some(0.2)),
            complete(),
        ],
        vec![used(7, None), complete()],
        vec![message("half"), failed("overloaded")],
        vec![failed(code::INTERRUPTED)],
        vec![used(u64::MAX, Some(1e-7)), complete()],
        vec![],
    ];
    let mut sessions = Vec::new();
    for (place, end) in ends.iter().enumerate() {
        let session = Uuid::now_v7();
        for turn_number in 0..=place {
            let turn = Uuid::now_v7();
            let opening = match turn_number {
                0 => Opening::New,
                _ => Opening::Stored,
            };
            let prompt = format!("prompt {place}  of\n{turn_number} {}", "word ".repeat(30));
            let first = vec![event(session, turn, None, asked(&prompt))];
            store.start_turn(session, opening, first).await.unwrap();
            let chunks = vec![event(session, turn, Some(0), chunk("gro"))];
            store.record(session, chunks).await.unwrap();
            let bodies = match (turn_number == place, end.is_empty()) {
                (true, true) => &[][..],
                (false, true) => &ends[0],
                (_, false) => end,
            };
            let rest: Vec<Event> = bodies
                .iter()
                .map(|body| event(session, turn, Some(0), body.clone()))
                .collect();
            store.record(session, rest).await.unwrap();
        }
        sessions.push(session);
    }
    store
        .rename(sessions[1], "My own title".into())
        .await
        .unwrap();
    sessions
}

fn same(kept: &[SessionSummary], rebuilt: &[SessionSummary]) {
    assert_eq!(kept.len(), rebuilt.len());
    for (kept, rebuilt) in kept.iter().zip(rebuilt) {
        let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => (a - b).abs() < 1e-9,
            (a, b) => a == b,
        };
        assert!(near(kept.cost, rebuilt.cost), "{kept:?} {rebuilt:?}");
        let rebuilt = SessionSummary {
            cost: kept.cost,
            ..rebuilt.clone()
        };
        assert_eq!(*kept, rebuilt);
    }
}

#[tokio::test]
async fn rebuilt_lines_are_the_kept_ones() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let sessions = varied(&store).await;
    let kept = store.sessions().await.unwrap();
    let rebuilt = store.rebuild().await.unwrap();
    assert_eq!((rebuilt.sessions, rebuilt.mended), (6, 0));
    assert_eq!(
        rebuilt.events,
        6 * 7 / 2 + 4 + 2 * 2 + 3 * 2 + 4 + 5 * 2 + 5 * 4
    );
    same(&kept, &store.sessions().await.unwrap());
    assert_eq!(
        kept.iter()
            .filter(|line| line.title == "My own title")
            .count(),
        1
    );

    // The turn that still runs goes on with the next numbers.
    let running = sessions[5];
    let before = store.latest(running, 1).await.unwrap();
    let last = vec![event(running, Uuid::now_v7(), None, complete())];
    let recorded = store.record(running, last).await.unwrap();
    assert_eq!(recorded.events[0].event_index, before.next_index);
    let number = before.events.last().unwrap().sequence_number.unwrap();
    assert_eq!(recorded.events[0].sequence_number, Some(number + 1));
}

#[tokio::test]
async fn damaged_lines_come_back() {
    for damage in [
        "UPDATE sessions SET turns = 77, tokens = -5, cost = 12.5",
        "UPDATE sessions SET title = 'x', source = 'x', model = 'x', updated_at = 5, created_at = 5",
        "UPDATE sessions SET last_sequence = 1, next_index = 1, origin_session = NULL, origin_turn = NULL",
        "UPDATE sessions SET status = 'nonsense' WHERE owner IS NULL",
        "DELETE FROM sessions WHERE user_title IS NULL AND owner IS NULL",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        let sessions = varied(&store).await;
        store.fork(sessions[0], None).await.unwrap();
        let kept = store.sessions().await.unwrap();
        let mut connection = raw(folder.path()).await;
        for statement in ["PRAGMA foreign_keys = OFF", damage] {
            sqlx::query(statement)
                .execute(&mut connection)
                .await
                .unwrap();
        }
        connection.close().await.unwrap();
        let rebuilt = store.rebuild().await.unwrap();
        assert!(rebuilt.mended >= 4, "{damage}: {rebuilt:?}");
        same(&kept, &store.sessions().await.unwrap());
        assert_eq!(store.rebuild().await.unwrap().mended, 0, "{damage}");
    }
}

#[tokio::test]
async fn a_turn_that_lost_its_owner_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let (session, _) = streaming(&store).await;
    let mut connection = raw(folder.path()).await;
    let damage = "UPDATE sessions SET owner = NULL, status = 'idle'";
    sqlx::query(damage).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
    store.rebuild().await.unwrap();
    let line = store.session(session).await.unwrap();
    assert_eq!(line.status, SessionStatus::Interrupted);
    let kept = store.events_since(session, 0).await.unwrap();
    assert_eq!(kept[1].body, message("because"));
}
