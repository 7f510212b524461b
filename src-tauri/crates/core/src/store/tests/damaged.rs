//! One damaged value, in any column of any table, breaks nothing but the row it stands in.

use jiff::tz::TimeZone;
use sqlx::{AssertSqlSafe, Row};
use weir_protocol::{MemoryKind, SessionSummary, Usage, UsageBy};

use super::*;
use crate::secret::Sealed;
use crate::store::{Destination, Kept, SealedOriginal, TakenFrom};

/// Values that no Weir has written, as SQL. Not every column takes every one.
const VALUES: [&str; 7] = [
    "'not what was here'",
    "X'FF00FE'",
    "CAST(X'C328' AS TEXT)",
    "-5",
    "9223372036854775807",
    "1e300",
    "NULL",
];

const TABLES: [&str; 8] = [
    "sessions",
    "events",
    "journal",
    "settings",
    "turns",
    "originals",
    "spending",
    "memories",
];

async fn connection(folder: &Path) -> SqliteConnection {
    let address = format!("sqlite://{}", folder.join(DATABASE_FILE).display());
    let mut connection = SqliteConnection::connect(&address).await.unwrap();
    // Whatever damaged the row did not ask for the rules either.
    sqlx::query("PRAGMA foreign_keys = OFF")
        .execute(&mut connection)
        .await
        .unwrap();
    connection
}

/// Two sessions with something in every table; the first one will be damaged.
async fn filled(folder: &Path) -> [Uuid; 2] {
    let store = open(folder).await;
    let mut sessions = [Uuid::nil(); 2];
    for (number, place) in sessions.iter_mut().enumerate() {
        let (session, turn) = (Uuid::now_v7(), Uuid::now_v7());
        *place = session;
        let original = SealedOriginal {
            placeholder: format!("[EMAIL_{number}]"),
            taken_from: TakenFrom::Input,
            sealed_for: session,
            sealed: Sealed {
                nonce: vec![1; 24],
                bytes: vec![2; 40],
            },
        };
        let first = vec![event(
            session,
            turn,
            None,
            asked(&format!("prompt {number}")),
        )];
        store
            .start_turn_keeping(
                session,
                Opening::New,
                first,
                vec![original],
                Destination::default(),
            )
            .await
            .unwrap();
        let usage = EventBody::Usage {
            usage: Usage {
                input_tokens: 10,
                ..Usage::default()
            },
            cost: Some(0.5),
            saved: None,
            model: DEMO.into(),
            first_chunk_ms: None,
            duration_ms: 1,
            is_estimate: false,
        };
        let said = vec![
            event(session, turn, Some(0), message("an answer")),
            event(session, turn, None, usage),
        ];
        store.record(session, said).await.unwrap();
        // A block that still grows, of a turn that its Weir does not end.
        let growing = vec![event(session, turn, Some(1), chunk("and more"))];
        store.record(session, growing).await.unwrap();
        let kept = Kept {
            project: String::new(),
            content: format!("The bird number {number} is a heron."),
            kind: MemoryKind::Fact,
            session,
            turn,
            at: crate::clock::now(),
        };
        store.remember(vec![kept]).await.unwrap();
        let name = format!("setting {number}");
        store.set_setting(name, "value".into()).await.unwrap();
    }
    store.close().await;
    sessions
}

async fn columns(folder: &Path) -> Vec<(&'static str, String)> {
    let mut connection = connection(folder).await;
    let mut columns = Vec::new();
    for table in TABLES {
        let statement = AssertSqlSafe(format!("PRAGMA table_info({table})"));
        let rows = sqlx::query(statement)
            .fetch_all(&mut connection)
            .await
            .unwrap();
        assert!(!rows.is_empty(), "{table}");
        columns.extend(rows.iter().map(|row| (table, row.get("name"))));
    }
    connection.close().await.unwrap();
    columns
}

/// Puts the value into one row of the first session; whether the database takes it.
async fn damage(folder: &Path, table: &str, column: &str, value: &str, session: Uuid) -> bool {
    let row = match table {
        "sessions" => format!("id = '{session}'"),
        "settings" => "name = 'setting 0'".to_owned(),
        _ => format!("session_id = '{session}'"),
    };
    let mut connection = connection(folder).await;
    // Of several rows only the first: its neighbours must stay readable as well.
    let statement = if table == "journal" {
        format!("UPDATE journal SET {column} = {value} WHERE {row}")
    } else {
        format!(
            "UPDATE {table} SET {column} = {value} WHERE rowid = (SELECT min(rowid) FROM {table} WHERE {row})"
        )
    };
    let done = sqlx::query(AssertSqlSafe(statement))
        .execute(&mut connection)
        .await;
    connection.close().await.unwrap();
    done.is_ok_and(|done| done.rows_affected() > 0)
}

/// Everything that reads rows of more than one session.
async fn whole(store: &Store, healthy: &SessionSummary, what: &str) {
    let listed = store.sessions().await;
    let listed = listed.unwrap_or_else(|error| panic!("{what}: {error}"));
    let line = listed.iter().find(|line| line.id == healthy.id);
    assert_eq!(line, Some(healthy), "{what}");
    for by in [
        UsageBy::Day,
        UsageBy::Session,
        UsageBy::Project,
        UsageBy::Model,
        UsageBy::Source,
    ] {
        let rows = store.usage(by, None, &TimeZone::UTC).await;
        let rows = rows.unwrap_or_else(|error| panic!("{what}: {error}"));
        let tokens: u64 = rows.iter().map(|row| row.total_tokens).sum();
        assert!(
            (10..=1_000_000_000_010).contains(&tokens),
            "{what}: {tokens}"
        );
        let cost: f64 = rows.iter().filter_map(|row| row.cost).sum();
        assert!((0.4..1e9).contains(&cost), "{what}: {cost}");
    }
    let spent = store.spent(&crate::store::Spender::Everybody, None).await;
    assert!(spent.is_ok_and(|spent| spent.tokens >= 10), "{what}");
    let settings = store.settings_starting("setting").await.unwrap();
    assert!(
        settings.contains(&("setting 1".into(), "value".into())),
        "{what}"
    );
    let memories = store.all_memories().await.unwrap();
    let is_own = |memory: &weir_protocol::Memory| memory.content.contains("number 1");
    assert!(memories.iter().any(is_own), "{what}");
    let found = store.memory_candidates("", &["heron".to_owned()]).await;
    let found = found.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(found.iter().any(|it| is_own(&it.memory)), "{what}");
    let originals = store.originals_sealed_for(healthy.id).await.unwrap();
    assert_eq!(originals.len(), 1, "{what}");
    // The other session itself.
    assert_eq!(store.originals(healthy.id).await.unwrap().len(), 1);
    assert_eq!(store.events_since(healthy.id, 0).await.unwrap().len(), 5);
    store.latest(healthy.id, 20).await.unwrap();
}

#[tokio::test]
async fn a_damaged_value_breaks_its_own_row_and_nothing_else() {
    let good = tempfile::tempdir().unwrap();
    let [damaged, healthy] = filled(good.path()).await;
    // The turns that were left open are ended once, so that nothing else changes the lines.
    let store = open(good.path()).await;
    store.close().await;
    let mut tried = 0;
    for (table, column) in columns(good.path()).await {
        for value in VALUES {
            let what = format!("{table}.{column} = {value}");
            let folder = tempfile::tempdir().unwrap();
            let copy = folder.path().join(DATABASE_FILE);
            std::fs::copy(good.path().join(DATABASE_FILE), copy).unwrap();
            if !damage(folder.path(), table, &column, value, damaged).await {
                continue;
            }
            tried += 1;
            let (store, notices) = try_open(folder.path()).await.unwrap();
            let line = store.session(healthy).await.unwrap();
            assert_eq!((line.turns, line.tokens), (1, 10), "{what}");
            whole(&store, &line, &what).await;
            let is_listed = |lines: Vec<SessionSummary>| lines.iter().any(|it| it.id == damaged);
            let listed = is_listed(store.sessions().await.unwrap());
            if table == "sessions" && column == "id" {
                assert!(!listed && notices.len() == 1, "{what}: {notices:?}");
            } else if column != "deleted_at" {
                assert!(listed, "{what}");
            }
            // What can be read of the damaged session is.
            if listed {
                let events = store.events_since(damaged, 0).await;
                let events = events.unwrap_or_else(|error| panic!("{what}: {error}"));
                assert!(events.len() >= 4, "{what}: {events:?}");
                let shown = store.latest(damaged, 20).await;
                shown.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            let rebuilt = store.rebuild().await;
            rebuilt.unwrap_or_else(|error| panic!("{what}: {error}"));
            whole(&store, &line, &format!("{what}, rebuilt")).await;
            if table == "sessions" && column != "deleted_at" {
                let back = store.session(damaged).await.unwrap();
                assert_eq!((back.turns, back.tokens), (1, 10), "{what}, rebuilt");
            }
            store.close().await;
            if table == "sessions" {
                let (store, notices) = try_open(folder.path()).await.unwrap();
                assert_eq!(notices, [], "{what}: nothing is left of the damage");
                store.close().await;
            }
        }
    }
    assert!(tried > 250, "{tried}");
}

/// What cannot be read is shown as that, and a session does not go on from a history with holes.
#[tokio::test]
async fn a_damaged_event_is_shown_as_damaged_and_nothing_is_sent_after_it() {
    let folder = tempfile::tempdir().unwrap();
    let [damaged, healthy] = filled(folder.path()).await;
    assert!(damage(folder.path(), "events", "event", "'{'", damaged).await);
    assert!(damage(folder.path(), "journal", "event", "'{'", damaged).await);
    let store = open(folder.path()).await;
    let events = store.events_since(damaged, 0).await.unwrap();
    let numbers: Vec<_> = events.iter().map(|event| event.sequence_number).collect();
    assert_eq!(numbers, (1..=4).map(Some).collect::<Vec<_>>());
    let said = serde_json::to_string(&events[0].body).unwrap();
    assert!(said.contains("is damaged and cannot be read"), "{said}");
    let end = serde_json::to_string(&events.last().unwrap().body).unwrap();
    assert!(end.contains("damaged on the disk and is missing"), "{end}");
    let error = store.continued(damaged, None).await.err();
    assert!(
        matches!(error, Some(StoreError::Unreadable(_))),
        "{error:?}"
    );
    assert!(store.continued(healthy, None).await.is_ok());
    let rebuilt = store.rebuild().await.unwrap();
    assert_eq!((rebuilt.damaged, rebuilt.events), (1, 8));
}
