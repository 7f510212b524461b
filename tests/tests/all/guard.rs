//! `weir guard`: what it prints and how it ends. It opens no database.

use serde_json::json;
use weir_tests::Sandbox;

#[test]
fn a_guarded_text_has_placeholders_and_says_where() {
    let sandbox = Sandbox::new();
    let text = "to anna@mail.de, bob@mail.de and anna@mail.de";
    let plain = sandbox
        .weir(&["guard", "--stage", "input"])
        .input(text)
        .run()
        .code(0);
    assert_eq!(plain.stdout, "to [EMAIL_1], [EMAIL_2] and [EMAIL_1]");
    let told = sandbox
        .weir(&["guard", "--stage", "input", "--json"])
        .input(text)
        .run()
        .code(0);
    let expected = json!({
        "verdict": "redact",
        "text": "to [EMAIL_1], [EMAIL_2] and [EMAIL_1]",
        "detections": [
            {"rule": "email", "category": "personal", "start": 3, "end": 15},
            {"rule": "email", "category": "personal", "start": 17, "end": 28},
            {"rule": "email", "category": "personal", "start": 33, "end": 45},
        ],
    });
    assert_eq!(told.json(), expected);
    let output = sandbox
        .weir(&["guard", "--stage", "output"])
        .input(text)
        .run()
        .code(0);
    assert_eq!(output.stdout, text, "personal data passes on the way back");
    assert!(!sandbox.data().join("weir.db").exists(), "no database");
}

#[test]
fn lines_are_guarded_one_by_one_and_the_strictest_decides() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data()).unwrap();
    let file = sandbox.data().join("guards.json");
    std::fs::write(&file, r#"{"words":[{"word":"falcon","input":"block"}]}"#).unwrap();
    let lines = "\"nothing here\"\n\"the falcon\"\n\"a\\nb\"\n";
    let told = sandbox
        .weir(&["guard", "--stage", "input", "--lines"])
        .input(lines)
        .run()
        .code(3)
        .events();
    let verdicts: Vec<_> = told.iter().map(|line| &line["verdict"]).collect();
    assert_eq!(verdicts, ["allow", "block", "allow"]);
    assert_eq!(told[2]["text"], "a\nb");
    let wrong = sandbox
        .weir(&["guard", "--stage", "input", "--lines"])
        .input("not json\n\n\"fine\"\n")
        .run()
        .code(2);
    assert!(wrong.sentence().contains("Line 1"));
    let told = wrong.events();
    assert_eq!(told.len(), 3, "an answer a line");
    assert!(
        told[1]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("Line 2")
    );
    assert_eq!(told[2]["text"], "fine");
    std::fs::write(&file, "{").unwrap();
    let broken = sandbox
        .weir(&["guard", "--stage", "input"])
        .input("hi")
        .run()
        .code(1);
    assert!(broken.sentence().contains("guards.json"));
    assert_eq!(broken.stdout, "", "a guard that fails lets nothing pass");
}

/// Nobody is there to answer: what asks is redacted, and what cannot be redacted is held back.
#[test]
fn what_asks_does_not_pass_where_nobody_can_be_asked() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.data()).unwrap();
    let file = sandbox.data().join("guards.json");
    let text = "to anna@mail.de";
    for stage in ["input", "output"] {
        let ask = format!(r#"{{"rules":{{"email":{{"{stage}":"ask"}}}}}}"#);
        std::fs::write(&file, ask).unwrap();
        let passed = sandbox.weir(&["guard", "--stage", stage]).input(text).run();
        let passed = passed.code(0);
        assert_eq!(passed.stdout, "to [EMAIL_1]", "{stage}");
        // In a reply nobody is ever asked, which is said.
        let said = passed.stderr.contains("that is read as \"redact\"");
        assert_eq!(said, stage == "output", "{}", passed.stderr);

        let size =
            format!(r#"{{"rules":{{"size":{{"{stage}":"ask"}}}},"limits":{{"{stage}":5}}}}"#);
        std::fs::write(&file, size).unwrap();
        let held = sandbox.weir(&["guard", "--stage", stage]).input(text).run();
        assert_eq!(held.code(3).stdout, "", "{stage}");
    }
}

#[test]
fn a_projects_guards_are_asked_once_it_is_trusted() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home().join("birds");
    std::fs::create_dir_all(folder.join(".weir")).unwrap();
    let words = r#"{"words":[{"word":"heron","input":"block"}]}"#;
    std::fs::write(folder.join(".weir/guards.json"), words).unwrap();
    let path = folder.to_str().unwrap();
    let guard = || {
        let asked = ["guard", "--stage", "input", "--project", path];
        sandbox.weir(&asked).input("a heron").run()
    };
    assert!(guard().code(1).sentence().contains("weir trust"));
    sandbox.weir(&["trust", "--yes", path]).run().code(0);
    assert_eq!(guard().code(3).stdout, "", "the project holds it back");
    let outside = sandbox.weir(&["guard", "--stage", "input"]);
    assert_eq!(outside.input("a heron").run().code(0).stdout, "a heron");
}

#[test]
fn a_projects_guards_do_not_go_without_a_word() {
    let sandbox = Sandbox::new();
    let folder = sandbox.home().join("birds");
    let file = folder.join(".weir/guards.json");
    std::fs::create_dir_all(folder.join(".weir")).unwrap();
    std::fs::write(&file, r#"{"words":[{"word":"heron","input":"block"}]}"#).unwrap();
    let path = folder.to_str().unwrap();
    let trust = || sandbox.weir(&["trust", "--yes", path]).run().code(0).stdout;
    let chat = || {
        let asked = [
            "chat",
            "--source",
            "demo",
            "--project",
            path,
            "a fast heron",
        ];
        sandbox.weir(&asked).run()
    };
    trust();
    chat().code(3);
    std::fs::remove_file(&file).unwrap();
    for _ in 0..2 {
        let sentence = chat().code(1).sentence().to_owned();
        assert!(sentence.contains("guards: a word of its own"), "{sentence}");
        assert!(sentence.contains("weir trust"), "{sentence}");
    }
    let shown = trust();
    let lines = "Guards that hold back less than you agreed to before:\n  a word of its own\n";
    assert!(shown.contains(lines), "{shown}");
    chat().code(0);
}
