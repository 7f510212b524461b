//! The database deleted, moved, replaced or written over while `weir` runs: the user is told,
//! nothing that was printed is lost, and the next start works.

use std::fs::{File, rename};
use std::path::{Path, PathBuf};

use serde_json::Value;
use weir_tests::Sandbox;
use weir_tests::events::{block_key, check_kept, parse, session};

type Ruin = fn(&Path, &Path);

fn database(folder: &Path) -> PathBuf {
    folder.join("weir.db")
}

const RUINS: [(&str, Ruin); 8] = [
    ("deleted", |folder, _| {
        std::fs::remove_file(database(folder)).unwrap();
    }),
    ("deleted with the folder", |folder, _| {
        std::fs::remove_dir_all(folder).unwrap();
    }),
    ("moved with the folder", |folder, _| {
        rename(folder, folder.with_extension("moved")).unwrap();
    }),
    ("replaced", |folder, other| {
        let new = folder.join("new");
        std::fs::copy(other, &new).unwrap();
        rename(new, database(folder)).unwrap();
    }),
    ("copied over", |folder, other| {
        std::fs::copy(other, database(folder)).unwrap();
    }),
    ("emptied", |folder, _| {
        File::create(database(folder)).unwrap();
    }),
    ("without its log", |folder, _| {
        std::fs::remove_file(folder.join("weir.db-wal")).unwrap();
    }),
    ("without its shared memory", |folder, _| {
        std::fs::remove_file(folder.join("weir.db-shm")).unwrap();
    }),
];

#[test]
fn a_database_that_is_lost_during_a_turn_loses_nothing_that_was_printed() {
    for (what, ruin) in RUINS {
        let other = Sandbox::new();
        other.weir(&["chat", "another fast"]).run().code(0);
        let sandbox = Sandbox::new();
        let first = sandbox
            .weir(&["chat", "--json", "first fast"])
            .run()
            .code(0);
        let first = session(&first.events());

        let turn = sandbox.weir(&["chat", "--json", "long"]).start();
        turn.wait_until("some chunks", |output| output.matches("_chunk").count() > 3);
        ruin(&sandbox.data(), &other.database());
        let ended = turn.finish().code(1);
        let sentence = ended.sentence();
        assert!(
            sentence.contains("while Weir was using it"),
            "{what}: {sentence}"
        );
        assert!(
            ended.stdout.contains("database_lost"),
            "{what}: for scripts too"
        );
        let told: Vec<Value> = ended.events();
        let told: Vec<Value> = told
            .into_iter()
            .filter(|event| event["sessionId"].is_string())
            .collect();
        let id = session(&told);

        let rescued = rescued(&sandbox);
        assert!(!rescued.is_empty(), "{what}: {sentence}");
        for path in &rescued {
            assert!(
                sentence.contains(path.to_str().unwrap()),
                "{what}: {sentence}"
            );
        }
        let copy = rescued
            .iter()
            .find(|path| path.extension().unwrap() == "db");
        if let Some(copy) = copy {
            let home = Sandbox::new();
            std::fs::create_dir(home.data()).unwrap();
            std::fs::copy(copy, home.database()).unwrap();
            let kept = home.weir(&["events", &id]).run().code(0).events();
            check_kept(&told, &kept);
            home.weir(&["events", &first]).run().code(0);
        } else {
            let lines = std::fs::read_to_string(&rescued[0]).unwrap();
            check_in_memory(what, &told, &parse(&lines));
        }

        // And the next one works, with whatever stands there now.
        sandbox.weir(&["chat", "and again fast"]).run().code(0);
        let report = sandbox.weir(&["doctor", "--json"]).run().code(0).json();
        assert_eq!(report["database"]["damage"], Value::Null, "{what}");
        if ["replaced", "copied over"].contains(&what) {
            let titles = sandbox.weir(&["sessions"]).run().code(0).stdout;
            assert!(titles.contains("another"), "{what}: {titles}");
        }
    }
}

/// The files that Weir has saved what was left in.
fn rescued(sandbox: &Sandbox) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = weir_tests::files::below(sandbox.root())
        .into_iter()
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with("weir-rescued")
        })
        .collect();
    files.sort();
    files
}

/// Every event that was printed is there, or the finished block that its chunk became a part of.
fn check_in_memory(what: &str, told: &[Value], kept: &[Value]) {
    for event in told {
        let is_kept = kept.iter().any(|kept| {
            let is_finished = kept["type"]
                .as_str()
                .is_some_and(|it| !it.ends_with("_chunk"));
            let same_block = event["blockIndex"].is_u64() && block_key(kept) == block_key(event);
            kept["id"] == event["id"] || (same_block && is_finished)
        });
        assert!(is_kept, "{what}: {event} is lost");
    }
}
