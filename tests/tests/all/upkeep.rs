//! `weir backup`, `weir export` and `weir doctor --rebuild`: copies of what is there, and lines
//! from the log.

use serde_json::Value;
use weir_tests::Sandbox;
use weir_tests::events::{check_sequence, session};
use weir_tests::process::Signal;

#[test]
fn a_backup_is_made_while_another_weir_streams() {
    let sandbox = Sandbox::new();
    let old = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let old = session(&old.events());
    let turn = sandbox.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("the first chunk", |output| output.contains("_chunk"));

    let copy = Sandbox::new();
    std::fs::create_dir(copy.data()).unwrap();
    let file = copy.database().display().to_string();
    let made = sandbox
        .weir(&["backup", "--json", &file])
        .run()
        .code(0)
        .json();
    assert_eq!(made["sessions"], 2, "{made}");
    let again = sandbox.weir(&["backup", &file]).run().code(1);
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
    let sandbox = Sandbox::new();
    sandbox.weir(&["chat", "hello fast"]).run().code(0);
    let nowhere = sandbox.root().join("no folder").join("copy.db");
    let call = sandbox.weir(&["backup", nowhere.to_str().unwrap()]).run();
    let call = call.code(1);
    assert!(call.sentence().contains("no folder"), "{}", call.stderr);
}

#[test]
fn an_export_says_what_the_session_says() {
    let sandbox = Sandbox::new();
    let chat = sandbox.weir(&["chat", "--json", "everything fast"]).run();
    let id = session(&chat.code(0).events());
    let stored = sandbox.weir(&["events", &id]).run().code(0).events();
    let export = |to: &str| sandbox.weir(&["export", &id, "--to", to]).run().code(0);
    let whole = export("json").json();
    assert_eq!(whole["events"], Value::Array(stored));
    assert_eq!(whole["session"]["id"], Value::String(id.clone()));
    for (to, begin) in [("md", "# "), ("html", "<!doctype html>")] {
        let printed = export(to).stdout;
        assert!(printed.starts_with(begin), "{printed}");
        let file = sandbox.root().join(to);
        let path = file.to_str().unwrap();
        sandbox
            .weir(&["export", &id, "--to", to, "-o", path])
            .run()
            .code(0);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), printed);
    }
    let nowhere = sandbox.root().join("no folder").join("a.md");
    let path = nowhere.to_str().unwrap();
    let call = sandbox
        .weir(&["export", &id, "--to", "md", "-o", path])
        .run();
    assert!(call.code(1).sentence().contains("no folder"));
}

#[test]
fn the_doctor_rebuilds_the_lines_of_the_list() {
    let sandbox = Sandbox::new();
    for prompt in ["hello fast", "everything fast", "error fast"] {
        sandbox.weir(&["chat", prompt]).run();
    }
    let lines = |sandbox: &Sandbox| sandbox.weir(&["sessions", "--json"]).run().code(0).stdout;
    let kept = lines(&sandbox);
    let doctor = ["doctor", "--rebuild", "--json"];
    let report = sandbox.weir(&doctor).run().code(0).json();
    assert_eq!(report["rebuilt"]["sessions"], 3, "{report}");
    assert_eq!(report["rebuilt"]["mended"], 0, "{report}");
    assert_eq!(lines(&sandbox), kept);
    let plain = sandbox.weir(&["doctor"]).run().code(0).stdout;
    assert!(!plain.contains("rebuilt"), "only when asked: {plain}");
}
