//! `weir backup`, `weir export` and `weir doctor --rebuild`: copies of what is there, and lines
//! from the log.

use serde_json::Value;
use weir_tests::Place;
use weir_tests::events::{check_sequence, session};
use weir_tests::process::Signal;

#[test]
fn a_backup_is_made_while_another_weir_streams() {
    let place = Place::new();
    let old = place.weir(&["chat", "--json", "hello fast"]).run().code(0);
    let old = session(&old.events());
    let turn = place.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("the first chunk", |output| output.contains("_chunk"));

    let copy = Place::new();
    std::fs::create_dir(copy.data()).unwrap();
    let file = copy.database().display().to_string();
    let made = place
        .weir(&["backup", "--json", &file])
        .run()
        .code(0)
        .json();
    assert_eq!(made["sessions"], 2, "{made}");
    let again = place.weir(&["backup", &file]).run().code(1);
    assert!(again.sentence().contains("already"), "{}", again.stderr);
    turn.signal(Signal::INT);
    turn.finish().code(130);

    let bytes = std::fs::metadata(copy.database()).unwrap().len();
    assert_eq!(made["bytes"], bytes, "the refusal changed nothing");
    let report = copy.weir(&["doctor", "--json"]).run().code(0).json();
    assert_eq!(report["database"]["damage"], Value::Null, "{report}");
    let listed = copy.weir(&["sessions", "--json"]).run().code(0).events();
    let status = |id: &str| {
        let line = listed.iter().find(|line| line["id"] == id);
        line.map(|line| line["status"].clone())
    };
    assert_eq!(status(&old), Some("idle".into()));
    assert_eq!(listed.len(), 2);
    for line in &listed {
        let id = line["id"].as_str().unwrap();
        let events = copy.weir(&["events", id]).run().code(0).events();
        check_sequence(&events);
    }
    let going_on = copy.weir(&["chat", "--session", &old, "and then? fast"]);
    going_on.run().code(0);
}

#[test]
fn a_backup_that_cannot_be_made_is_one_sentence() {
    let place = Place::new();
    place.weir(&["chat", "hello fast"]).run().code(0);
    let nowhere = place.root().join("no folder").join("copy.db");
    let call = place.weir(&["backup", nowhere.to_str().unwrap()]).run();
    let call = call.code(1);
    assert!(call.sentence().contains("no folder"), "{}", call.stderr);
}

#[test]
fn an_export_says_what_the_session_says() {
    let place = Place::new();
    let chat = place.weir(&["chat", "--json", "everything fast"]).run();
    let id = session(&chat.code(0).events());
    let stored = place.weir(&["events", &id]).run().code(0).events();
    let export = |to: &str| place.weir(&["export", &id, "--to", to]).run().code(0);
    let whole = export("json").json();
    assert_eq!(whole["events"], Value::Array(stored));
    assert_eq!(whole["session"]["id"], Value::String(id.clone()));
    for (to, begin) in [("md", "# "), ("html", "<!doctype html>")] {
        let printed = export(to).stdout;
        assert!(printed.starts_with(begin), "{printed}");
        let file = place.root().join(to);
        let path = file.to_str().unwrap();
        place
            .weir(&["export", &id, "--to", to, "-o", path])
            .run()
            .code(0);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    }
    let nowhere = place.root().join("no folder").join("a.md");
    let path = nowhere.to_str().unwrap();
    let call = place.weir(&["export", &id, "--to", "md", "-o", path]).run();
    assert!(call.code(1).sentence().contains("no folder"));
}

#[test]
fn the_doctor_rebuilds_the_lines_of_the_list() {
    let place = Place::new();
    for prompt in ["hello fast", "everything fast", "error fast"] {
        place.weir(&["chat", prompt]).run();
    }
    let lines = |place: &Place| place.weir(&["sessions", "--json"]).run().code(0).stdout;
    let kept = lines(&place);
    let doctor = ["doctor", "--rebuild", "--json"];
    let report = place.weir(&doctor).run().code(0).json();
    assert_eq!(report["rebuilt"]["sessions"], 3, "{report}");
    assert_eq!(report["rebuilt"]["mended"], 0, "{report}");
    assert_eq!(lines(&place), kept);
    let plain = place.weir(&["doctor"]).run().code(0).stdout;
    assert!(!plain.contains("rebuilt"), "only when asked: {plain}");
}
