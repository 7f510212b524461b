//! What was spent is what the log says was used, and outlives it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use weir_protocol::{Usage, UsageBy, UsageRow};

use super::*;
use crate::store::{Spender, Spent};

/// One turn with a step for each of these.
struct Turn<'t> {
    session: Uuid,
    project: Option<&'t str>,
    source: &'t str,
    steps: Vec<Step>,
}

#[derive(Clone)]
struct Step {
    model: &'static str,
    at: Timestamp,
    tokens: u64,
    cost: Option<f64>,
    is_estimate: bool,
}

impl Step {
    fn event(&self, session: Uuid, turn: Uuid) -> Event {
        let usage = Usage {
            input_tokens: self.tokens,
            output_tokens: 2 * self.tokens,
            reasoning_tokens: self.tokens,
            cache_read_tokens: 3 * self.tokens,
            cache_write_tokens: 1,
            ..Usage::default()
        };
        let body = EventBody::Usage {
            usage,
            cost: self.cost,
            saved: self.cost.map(|cost| cost / 2.0),
            model: self.model.into(),
            first_chunk_ms: None,
            duration_ms: 1,
            is_estimate: self.is_estimate,
        };
        Event {
            timestamp: self.at,
            ..event(session, turn, None, body)
        }
    }
}

async fn take(store: &Store, turn: &Turn<'_>) {
    let id = Uuid::now_v7();
    let session = turn.session;
    let prompt = EventBody::UserMessage {
        content: "why?".into(),
        source: turn.source.into(),
        model: DEMO.into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    };
    let mut events = vec![event(session, id, None, prompt)];
    let is_new = store.session(session).await.is_err();
    if is_new {
        let start = EventBody::SessionStart {
            source: turn.source.into(),
            model: DEMO.into(),
            forked_from: None,
            project: turn.project.map(str::to_owned),
        };
        events.insert(0, event(session, id, None, start));
    }
    let opening = if is_new {
        Opening::New
    } else {
        Opening::Stored
    };
    store.start_turn(session, opening, events).await.unwrap();
    for step in &turn.steps {
        let used = vec![step.event(session, id)];
        store.record(session, used).await.unwrap();
    }
    let end = vec![event(session, id, None, complete())];
    store.record(session, end).await.unwrap();
}

fn moment(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Sessions, projects, sources, models and days, with prices known and not.
async fn varied(store: &Store) -> Vec<Uuid> {
    let sessions: Vec<Uuid> = (0..4).map(|_| Uuid::now_v7()).collect();
    let moments = [
        "2026-03-28T23:59:59.999Z",
        "2026-03-29T00:00:00Z",
        "2026-03-29T22:30:00.5Z",
        "2026-11-17T12:00:00.123Z",
    ];
    for (place, &session) in sessions.iter().enumerate() {
        for (number, source) in ["anthropic", "ollama"].into_iter().enumerate() {
            let steps = moments.iter().enumerate().map(|(step, at)| Step {
                model: ["large", "small"][(place + step) % 2],
                at: moment(at),
                tokens: (1 + place * 100 + number * 10 + step) as u64,
                cost: (source == "anthropic" && step != 3).then_some(0.25 + place as f64),
                is_estimate: (place + step) % 3 == 0,
            });
            let turn = Turn {
                session,
                project: ["/src/one", "/src/two"].get(place % 3).copied(),
                source,
                steps: steps.collect(),
            };
            take(store, &turn).await;
        }
    }
    sessions
}

/// The sums as a reader of nothing but events makes them.
async fn brute(store: &Store, by: UsageBy, zone: &TimeZone) -> Vec<UsageRow> {
    let mut rows: BTreeMap<String, UsageRow> = BTreeMap::new();
    for line in store.sessions().await.unwrap() {
        let (mut project, mut source) = (String::new(), String::new());
        for event in store.events_since(line.id, 0).await.unwrap() {
            if let EventBody::SessionStart { project: of, .. } = &event.body {
                project = of.clone().unwrap_or_default();
            } else if let EventBody::UserMessage { source: of, .. } = &event.body {
                source.clone_from(of);
            }
            let EventBody::Usage {
                usage,
                cost,
                saved,
                model,
                is_estimate,
                ..
            } = event.body
            else {
                continue;
            };
            let day = event.timestamp.to_zoned(zone.clone()).date();
            let (key, title) = match by {
                UsageBy::Day => (day.to_string(), None),
                UsageBy::Session => (line.id.to_string(), Some(line.title.clone())),
                UsageBy::Project => (project.clone(), None),
                UsageBy::Model => (model, None),
                UsageBy::Source => (source.clone(), None),
            };
            let row = rows.entry(key.clone()).or_insert_with(|| UsageRow {
                key,
                title,
                ..UsageRow::default()
            });
            row.add(&UsageRow {
                steps: 1,
                input_tokens: usage.input_tokens,
                output_tokens: usage.output_tokens,
                reasoning_tokens: usage.reasoning_tokens,
                cache_read_tokens: usage.cache_read_tokens,
                cache_write_tokens: usage.cache_write_tokens,
                total_tokens: usage.total_tokens(),
                cost,
                saved,
                unpriced_steps: u64::from(cost.is_none()),
                estimated_steps: u64::from(is_estimate),
                ..UsageRow::default()
            });
        }
    }
    rows.into_values().collect()
}

const EVERY: [UsageBy; 5] = [
    UsageBy::Day,
    UsageBy::Session,
    UsageBy::Project,
    UsageBy::Model,
    UsageBy::Source,
];

async fn check(store: &Store) {
    for zone in ["UTC", "Europe/Berlin", "Asia/Kathmandu", "America/St_Johns"] {
        let zone = TimeZone::get(zone).unwrap();
        for by in EVERY {
            let mut rows = store.usage(by, None, &zone).await.unwrap();
            rows.sort_by(|a, b| a.key.cmp(&b.key));
            assert_eq!(rows, brute(store, by, &zone).await, "{by:?}");
        }
    }
}

async fn everything(store: &Store) -> Spent {
    store.spent(&Spender::Everybody, None).await.unwrap()
}

#[tokio::test]
async fn sums_are_those_of_the_events_and_a_rebuild_makes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let sessions = varied(&store).await;
    check(&store).await;
    let kept = everything(&store).await;
    assert_eq!(kept.dollars, 4.0 * 3.0 * 0.25 + 3.0 * 6.0);

    // A fork spends nothing, and neither does hearing the same twice.
    store.fork(sessions[0], None).await.unwrap();
    check(&store).await;
    assert_eq!(everything(&store).await, kept);

    let mut connection = raw(folder.path()).await;
    for damage in [
        "DELETE FROM spending WHERE model = 'large'",
        "UPDATE spending SET cost = 7, source = 'x', project = 'x'",
        "UPDATE sessions SET project = 'x'",
    ] {
        sqlx::query(damage).execute(&mut connection).await.unwrap();
        store.rebuild().await.unwrap();
        check(&store).await;
        assert_eq!(everything(&store).await, kept, "{damage}");
    }
}

#[tokio::test]
async fn a_limit_adds_up_its_own_and_from_its_own_moment() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let sessions = varied(&store).await;
    // Of one turn: 1 + 6 n tokens for n, n + 1, n + 2, n + 3 with n as in `varied`.
    let turn = |n: u64| 4 + 6 * (4 * n + 6);
    let first_two = turn(1) + turn(11);
    let all: u64 = (0..4)
        .map(|place| turn(1 + 100 * place) + turn(11 + 100 * place))
        .sum();
    let anthropic: u64 = (0..4).map(|place| turn(1 + 100 * place)).sum();
    let one = first_two + turn(301) + turn(311);
    let rows = [
        (Spender::Everybody, None, all, 21.0),
        (Spender::Session(sessions[0]), None, first_two, 0.75),
        (Spender::Project("/src/one".into()), None, one, 0.75 + 9.75),
        (Spender::Source("anthropic".into()), None, anthropic, 21.0),
        (
            Spender::Session(sessions[0]),
            Some("2026-03-29T22:30:00.5Z"),
            2 + 6 * 3 + 6 * 4 + 2 + 6 * 13 + 6 * 14,
            0.25,
        ),
        (
            Spender::Source("ollama".into()),
            Some("2026-11-17T12:00:00.123Z"),
            4 + 6 * (14 + 114 + 214 + 314),
            0.0,
        ),
        (Spender::Everybody, Some("2026-11-17T12:00:00.124Z"), 0, 0.0),
        (Spender::Session(Uuid::nil()), None, 0, 0.0),
    ];
    for (spender, since, tokens, dollars) in rows {
        let spent = store.spent(&spender, since.map(moment)).await.unwrap();
        assert_eq!(
            spent,
            Spent { tokens, dollars },
            "{spender:?} since {since:?}"
        );
    }
}

#[tokio::test]
async fn what_was_spent_outlives_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    let sessions = varied(&store).await;
    let kept = everything(&store).await;
    store.delete(sessions[0]).await.unwrap();
    let of_deleted = store.usage(UsageBy::Session, None, &TimeZone::UTC).await;
    let of_deleted = of_deleted.unwrap();
    let row = of_deleted
        .iter()
        .find(|row| row.key == sessions[0].to_string());
    assert_eq!(row.unwrap().title, None, "what is hidden is not named");
    let mut connection = raw(folder.path()).await;
    sqlx::query("UPDATE sessions SET deleted_at = 1 WHERE deleted_at IS NOT NULL")
        .execute(&mut connection)
        .await
        .unwrap();
    store.close().await;
    let store = open(folder.path()).await;
    let events: i64 = sqlx::query_scalar("SELECT count(*) FROM events WHERE session_id = ?1")
        .bind(sessions[0].to_string())
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(events, 0, "the session is gone for good");
    assert_eq!(everything(&store).await, kept);
    store.rebuild().await.unwrap();
    assert_eq!(everything(&store).await, kept);
}

#[tokio::test]
async fn a_database_from_before_knows_what_its_log_knows() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    varied(&store).await;
    let kept = everything(&store).await;
    store.close().await;
    let mut connection = raw(folder.path()).await;
    for undo in [
        // Nobody guessed in those days.
        "UPDATE events SET event = json_remove(event, '$.isEstimate')",
        "DROP TABLE spending",
        "ALTER TABLE sessions DROP COLUMN project",
        "DELETE FROM _sqlx_migrations WHERE version IN (6, 7)",
    ] {
        sqlx::query(undo).execute(&mut connection).await.unwrap();
    }
    connection.close().await.unwrap();
    let store = open(folder.path()).await;
    check(&store).await;
    assert_eq!(everything(&store).await, kept);
}

/// However long the log is, a limit reads its own rows: the plan names an index that holds all
/// it needs.
#[tokio::test]
async fn a_limit_reads_an_index_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let _store = open(folder.path()).await;
    let mut connection = raw(folder.path()).await;
    for (condition, index) in [
        ("spent_at >= 1", "spending_by_time"),
        ("spent_at >= 1 AND session_id = 'x'", "spending_by_session"),
        ("spent_at >= 1 AND project = 'x'", "spending_by_project"),
        ("spent_at >= 1 AND source = 'x'", "spending_by_source"),
    ] {
        let plan = format!(
            "EXPLAIN QUERY PLAN SELECT sum(total_tokens), sum(cost) FROM spending WHERE {condition}"
        );
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(sqlx::AssertSqlSafe(plan))
            .fetch_all(&mut connection)
            .await
            .unwrap();
        let covering = format!("USING COVERING INDEX {index}");
        assert!(plan.iter().any(|row| row.3.contains(&covering)), "{plan:?}");
    }
}
