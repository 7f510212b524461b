//! A database that cannot be read is moved aside, byte for byte, and said so; never written
//! over. Weir then starts with a new one. A row that cannot be read is left out, and said so.

use std::path::PathBuf;

use weir_tests::events::session;
use weir_tests::{Sandbox, files};

/// Turns the bytes of a good database into those of a bad one.
type Damage = fn(&mut Vec<u8>);

#[test]
fn a_corrupt_database_is_moved_aside_unchanged() {
    let damages: [(&str, Damage); 4] = [
        ("no header", |bytes| bytes[..100].fill(b'x')),
        ("no database at all", |bytes| {
            *bytes = b"This is a letter to my aunt.".repeat(99)
        }),
        ("cut off", |bytes| bytes.truncate(bytes.len() / 2 + 7)),
        ("garbage in the middle", |bytes| {
            let middle = bytes.len() / 2 / 4096 * 4096;
            bytes[4096..middle + 4096].fill(0xA5);
        }),
    ];
    for (name, damage) in damages {
        let sandbox = Sandbox::new();
        let turn = sandbox.weir(&["chat", "--json", "everything fast"]).run();
        let id = session(&turn.code(0).events());
        let mut bytes = std::fs::read(sandbox.database()).unwrap();
        assert!(bytes.len() > 3 * 4096, "all is in the main file");
        damage(&mut bytes);
        std::fs::write(sandbox.database(), &bytes).unwrap();
        for companion in ["weir.db-wal", "weir.db-shm"] {
            // Closed in good order, it has none.
            let _ = std::fs::remove_file(sandbox.data().join(companion));
        }

        let call = sandbox
            .weir(&["chat", "--json", "hello fast"])
            .run()
            .code(0);
        let [aside] = &moved_aside(&sandbox)[..] else {
            panic!("{name}: one file aside, not {:?}", moved_aside(&sandbox));
        };
        let sentence = call.sentence();
        assert!(
            sentence.contains(aside.to_str().unwrap()),
            "{name}: {sentence}"
        );
        assert!(
            std::fs::read(aside).unwrap() == bytes,
            "{name}: byte for byte"
        );

        let listed = sandbox.weir(&["sessions", "--json"]).run().code(0);
        assert_eq!(listed.stderr, "", "{name}: said once");
        let listed = listed.events();
        assert_eq!(listed.len(), 1, "{name}");
        assert_ne!(listed[0]["id"], id.as_str(), "{name}");
        assert_eq!(moved_aside(&sandbox).len(), 1, "{name}: moved once");
    }
}

#[test]
fn doctor_tells_of_a_corrupt_database() {
    let sandbox = Sandbox::new();
    sandbox.weir(&["chat", "hello fast"]).run().code(0);
    std::fs::write(sandbox.database(), b"no database".repeat(1000)).unwrap();
    let report = sandbox.weir(&["doctor", "--json"]).run().code(1).json();
    assert_eq!(report["ok"], false, "{report}");
    assert_eq!(report["notices"][0]["code"], "corrupt_database", "{report}");
}

/// What a failing disk or another program may leave in a line of the list.
#[tokio::test]
async fn a_damaged_row_does_not_hide_the_other_sessions() {
    // What is done to the first of two sessions; whether it is still listed.
    let rows = [
        ("UPDATE sessions SET id = 'not an id' WHERE id = ?1", false),
        ("UPDATE sessions SET id = upper(id) WHERE id = ?1", false),
        ("UPDATE sessions SET id = X'FF00FE' WHERE id = ?1", false),
        ("UPDATE sessions SET status = 'odd' WHERE id = ?1", true),
        ("UPDATE sessions SET title = X'FFFE' WHERE id = ?1", true),
        (
            "UPDATE sessions SET turns = -1, tokens = 'many', cost = 'x' WHERE id = ?1",
            true,
        ),
        (
            "UPDATE sessions SET updated_at = 9223372036854775807, created_at = 'then' WHERE id = ?1",
            true,
        ),
        ("UPDATE sessions SET owner = X'00' WHERE id = ?1", true),
        (
            "UPDATE events SET event = '{' WHERE session_id = ?1 AND sequence_number = 3",
            true,
        ),
        (
            "UPDATE spending SET total_tokens = 9223372036854775807, input_tokens = 'x', cost = -1e300, session_id = X'FF' WHERE session_id = ?1",
            true,
        ),
    ];
    for (statement, listed) in rows {
        let sandbox = Sandbox::new();
        let chat = || sandbox.weir(&["chat", "--json", "everything fast"]).run();
        let [damaged, healthy] = [chat(), chat()].map(|turn| session(&turn.code(0).events()));
        by_hand(&sandbox, statement, &damaged).await;

        let list = sandbox.weir(&["sessions", "--json"]).run().code(0);
        let ids: Vec<_> = list.events().iter().map(|it| it["id"].clone()).collect();
        assert!(ids.contains(&healthy.as_str().into()), "{statement}");
        assert_eq!(
            ids.contains(&damaged.as_str().into()),
            listed,
            "{statement}"
        );
        let said = list.stderr.contains("damaged and is left out of the list");
        assert_eq!(said, !listed, "{statement}: {}", list.stderr);
        assert_eq!(
            sandbox
                .weir(&["sessions"])
                .run()
                .code(0)
                .stdout
                .lines()
                .count(),
            ids.len()
        );
        for by in ["day", "session", "project", "model", "source"] {
            sandbox.weir(&["usage", "--by", by]).run().code(0);
        }
        sandbox.weir(&["events", &healthy]).run().code(0);
        let goes_on = ["chat", "--session", &healthy, "hello fast"];
        sandbox.weir(&goes_on).run().code(0);
        if listed {
            sandbox.weir(&["events", &damaged]).run().code(0);
            sandbox
                .weir(&["export", &damaged, "--to", "md"])
                .run()
                .code(0);
        }

        let doctor = sandbox.weir(&["doctor", "--json"]).run();
        let report = doctor.code(i32::from(!listed)).json();
        assert_eq!(report["ok"], listed, "{statement}: {report}");
        let report = sandbox
            .weir(&["doctor", "--json", "--rebuild"])
            .run()
            .json();
        assert_eq!(report["rebuilt"]["sessions"], 2, "{statement}: {report}");
        // Whatever was damaged in the line is computed anew.
        let list = sandbox.weir(&["sessions", "--json"]).run().code(0);
        assert_eq!(list.stderr, "", "{statement}");
        let lines = list.events();
        let line = lines.iter().find(|it| it["id"] == damaged.as_str());
        let line = line.unwrap_or_else(|| panic!("{statement}: it is back"));
        assert_eq!(line["turns"], 1, "{statement}: {line}");
    }
}

async fn by_hand(sandbox: &Sandbox, statement: &'static str, session: &str) {
    use sqlx::{ConnectOptions, Connection};
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(sandbox.database())
        .foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    let done = sqlx::query(statement)
        .bind(session)
        .execute(&mut connection)
        .await
        .unwrap();
    assert!(done.rows_affected() > 0, "{statement}");
    connection.close().await.unwrap();
}

fn moved_aside(sandbox: &Sandbox) -> Vec<PathBuf> {
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("weir.db.corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    files::below(&sandbox.data())
        .into_iter()
        .filter(is_aside)
        .collect()
}
