//! A database that cannot be read is moved aside, byte for byte, and said so; never written
//! over. Weir then starts with a new one.

use std::path::PathBuf;

use weir_tests::events::session;
use weir_tests::{Place, files};

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
        let place = Place::new();
        let turn = place.weir(&["chat", "--json", "everything fast"]).run();
        let id = session(&turn.code(0).events());
        let mut bytes = std::fs::read(place.database()).unwrap();
        assert!(bytes.len() > 3 * 4096, "all is in the main file");
        damage(&mut bytes);
        std::fs::write(place.database(), &bytes).unwrap();
        for companion in ["weir.db-wal", "weir.db-shm"] {
            // Closed in good order, it has none.
            let _ = std::fs::remove_file(place.data().join(companion));
        }

        let call = place.weir(&["chat", "--json", "hello fast"]).run().code(0);
        let [aside] = &moved_aside(&place)[..] else {
            panic!("{name}: one file aside, not {:?}", moved_aside(&place));
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

        let listed = place.weir(&["sessions", "--json"]).run().code(0);
        assert_eq!(listed.stderr, "", "{name}: said once");
        let listed = listed.events();
        assert_eq!(listed.len(), 1, "{name}");
        assert_ne!(listed[0]["id"], id.as_str(), "{name}");
        assert_eq!(moved_aside(&place).len(), 1, "{name}: moved once");
    }
}

#[test]
fn doctor_tells_of_a_corrupt_database() {
    let place = Place::new();
    place.weir(&["chat", "hello fast"]).run().code(0);
    std::fs::write(place.database(), b"no database".repeat(1000)).unwrap();
    let report = place.weir(&["doctor", "--json"]).run().code(1).json();
    assert_eq!(report["ok"], false, "{report}");
    assert_eq!(report["notices"][0]["code"], "corrupt_database", "{report}");
}

fn moved_aside(place: &Place) -> Vec<PathBuf> {
    let is_aside = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("weir.db.corrupt-") && !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    files::below(&place.data())
        .into_iter()
        .filter(is_aside)
        .collect()
}
