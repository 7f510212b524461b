//! A folder's file of guards: what the user agreed to of it does not grow milder unasked.

use super::*;

const GUARDS: &str = ".weir/guards.json";

fn change(folder: &Path, text: Option<&str>) {
    match text {
        Some(text) => write(folder, GUARDS, text),
        None if folder.join(GUARDS).exists() => {
            std::fs::remove_file(folder.join(GUARDS)).unwrap();
        }
        None => {}
    }
}

/// What comes of a change: what is told, or what is asked about.
fn told_of(folder: &Path, trust: &Trust) -> String {
    match open(folder, trust) {
        Ok(project) => project.notices.join(" "),
        Err(ProjectError::Looser { what, .. }) => format!("asks: {what}"),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn milder_guards_ask_again_and_stricter_ones_are_told() {
    let changed = ".weir/guards.json has changed";
    let block = Some(r#"{"rules":{"email":{"input":"block"}}}"#);
    let word = Some(r#"{"words":[{"word":"heron","input":"block"}]}"#);
    let pattern = Some(r#"{"patterns":[{"name":"ticket","pattern":"T-[0-9]+"}]}"#);
    let size = Some(r#"{"limits":{"input":100,"output":100}}"#);
    // What the user agreed to, what is there then, what comes of it.
    let rows = [
        (
            block,
            None,
            "asks: guards: email when sent: block → as you chose",
        ),
        (
            block,
            Some("{}"),
            "asks: guards: email when sent: block → as you chose",
        ),
        (
            block,
            Some(r#"{"rules":{"email":{"input":"warn"}}}"#),
            "asks: guards: email when sent: block → warn",
        ),
        (
            Some(r#"{"rules":{"personal":{"input":"block"}}}"#),
            Some(r#"{"rules":{"personal":{"input":"block"},"email":{"input":"off"}}}"#),
            "asks: guards: email when sent: block → off",
        ),
        (
            Some(r#"{"rules":{"secret":{"output":"block"}}}"#),
            None,
            " more",
        ),
        // Whoever is asked may say yes; whoever is not asked any more has not seen it.
        (
            Some(r#"{"rules":{"email":{"input":"redact"}}}"#),
            Some(r#"{"rules":{"email":{"input":"ask"}}}"#),
            "asks: guards: email when sent: redact → ask",
        ),
        (
            Some(r#"{"rules":{"email":{"input":"ask"}}}"#),
            Some(r#"{"rules":{"email":{"input":"redact"}}}"#),
            "asks: guards: email when sent: ask → redact",
        ),
        (
            Some(r#"{"words":[{"word":"heron"}]}"#),
            Some(r#"{"words":[{"word":"heron","input":"ask"}]}"#),
            "asks: guards: a word of its own",
        ),
        (
            Some(r#"{"patterns":[{"name":"ticket","pattern":"T-[0-9]+","input":"ask"}]}"#),
            pattern,
            "asks: guards: its pattern ticket",
        ),
        // Of what is said nobody can be asked, so the word means another thing there.
        (
            Some(r#"{"rules":{"email":{"output":"redact"}}}"#),
            Some(r#"{"rules":{"email":{"output":"ask"}}}"#),
            "read as \"redact\"",
        ),
        (
            Some(r#"{"rules":{"email":{"output":"block"}}}"#),
            Some(r#"{"rules":{"email":{"output":"ask"}}}"#),
            "asks: guards: email when said: block → redact",
        ),
        (word, None, "asks: guards: a word of its own"),
        (
            word,
            Some(r#"{"words":[{"word":"heron"}]}"#),
            "asks: guards: a word of its own",
        ),
        (
            word,
            Some(r#"{"words":[{"word":"herons","input":"block"}]}"#),
            "asks: guards: a word",
        ),
        (pattern, Some("{}"), "asks: guards: its pattern ticket"),
        (
            pattern,
            Some(r#"{"patterns":[{"name":"ticket","pattern":"T-[0-8]+"}]}"#),
            "asks: guards: its pattern ticket",
        ),
        (
            pattern,
            Some(r#"{"patterns":[{"name":"ticket","pattern":"T-[0-9]+","output":"off"}]}"#),
            "asks: guards: its pattern ticket",
        ),
        (
            size,
            Some(r#"{"limits":{"input":101,"output":100}}"#),
            "asks: guards: the size",
        ),
        (
            size,
            Some(r#"{"limits":{"input":100}}"#),
            "asks: guards: the size",
        ),
        (size, None, "asks: guards: the size"),
        // It blocked everything, and nobody saw what it says now.
        (
            Some("{"),
            None,
            "asks: guards: .weir/guards.json cannot be read",
        ),
        (
            Some("{"),
            block,
            "asks: guards: .weir/guards.json cannot be read",
        ),
        (None, None, ""),
        (block, block, ""),
        (None, block, ".weir/guards.json is new"),
        (Some("{}"), None, ".weir/guards.json is gone"),
        (
            Some(r#"{"rules":{"email":{"input":"off"}}}"#),
            None,
            ".weir/guards.json is gone",
        ),
        (
            block,
            Some(r#"{"rules":{"email":{"input":"block","output":"warn"}}}"#),
            changed,
        ),
        (
            block,
            Some(r#"{"rules":{"personal":{"input":"block"}}}"#),
            changed,
        ),
        (
            word,
            Some(r#"{"words":[{"word":"tern"},{"word":"Heron","input":"block"}]}"#),
            changed,
        ),
        (
            pattern,
            Some(r#"{"patterns":[{"name":"tickets","pattern":"T-[0-9]+","input":"block"}]}"#),
            changed,
        ),
        (
            size,
            Some(r#"{"limits":{"input":99,"output":100}}"#),
            changed,
        ),
        (block, Some("{"), "Until it is mended, nothing is sent."),
    ];
    for (before, now, expected) in rows {
        let folder = folder(&[]);
        change(folder.path(), before);
        let trust = trusted(folder.path());
        change(folder.path(), now);
        let told = told_of(folder.path(), &trust);
        assert!(told.contains(expected), "{before:?} → {now:?}: {told}");
        assert_eq!(
            told.is_empty(),
            expected.is_empty(),
            "{before:?} → {now:?}: {told}"
        );
        // Agreed to anew, it counts as it is.
        let trust = trusted(folder.path());
        assert_eq!(told_of(folder.path(), &trust), "", "{before:?} → {now:?}");
    }
}

/// A file that cannot be read in between is no way around it.
#[test]
fn what_was_agreed_to_outlives_a_file_that_cannot_be_read() {
    let folder = folder(&[(GUARDS, r#"{"rules":{"email":{"input":"block"}}}"#)]);
    let path = folder.path();
    let trust = trusted(path);
    change(path, Some("{"));
    let seen = open(path, &trust).unwrap().trust;
    change(path, None);
    let asks = "asks: guards: email when sent: block → as you chose";
    assert_eq!(told_of(path, &seen), asks);
}

/// A file that has `ask` where nobody can be asked: it is said once, and `redact` counts.
#[test]
fn ask_for_what_is_said_is_redact_and_said_once() {
    for asks in [
        r#"{"rules":{"email":{"output":"ask"}}}"#,
        r#"{"words":[{"word":"heron","output":"ask"}]}"#,
        r#"{"patterns":[{"name":"p","pattern":"x","output":"ask"}]}"#,
    ] {
        let folder = folder(&[(GUARDS, asks)]);
        let path = folder.path();
        let offer = Offer::read(path).unwrap();
        let sentence = ".weir/guards.json: It has \"ask\" for what a model says";
        assert!(offer.text().contains(sentence), "{}", offer.text());
        let project = open(path, &offer.trust).unwrap();
        assert_eq!(project.notices, [""; 0], "said when it was agreed to");
        let kept = serde_json::to_string(&project.guards).unwrap();
        assert!(!kept.contains("ask") && kept.contains("redact"), "{kept}");

        // A record from before that does not know of it.
        let mut older = serde_json::to_value(&offer.trust).unwrap();
        older["told"] = serde_json::json!([]);
        older["guards"] = serde_json::json!({ "config": serde_json::from_str::<serde_json::Value>(asks).unwrap() });
        let older: Trust = serde_json::from_value(older).unwrap();
        let project = open(path, &older).unwrap();
        assert_eq!(project.notices.len(), 1, "{:?}", project.notices);
        assert!(project.notices[0].starts_with(sentence));
        let again = open(path, &project.trust).unwrap();
        assert_eq!(again.notices, [""; 0], "and not again");
    }
}

#[test]
fn an_older_record_learns_the_guards_when_it_is_next_seen() {
    let folder = folder(&[(GUARDS, r#"{"rules":{"email":{"input":"block"}}}"#)]);
    let path = folder.path();
    let mut older = serde_json::to_value(trusted(path)).unwrap();
    older.as_object_mut().unwrap().remove("guards").unwrap();
    let older: Trust = serde_json::from_value(older).unwrap();
    let project = open(path, &older).unwrap();
    assert_eq!(project.notices, [""; 0]);
    assert_ne!(project.trust, project.known, "so it is kept");
    let kept = serde_json::to_string(&project.trust).unwrap();
    let kept: Trust = serde_json::from_str(&kept).unwrap();
    change(path, None);
    assert!(told_of(path, &kept).starts_with("asks: "), "known now");
    assert!(told_of(path, &older).contains("is gone"), "nothing known");
}

#[test]
fn trusting_again_shows_what_the_guards_hold_back_less() {
    let strict =
        r#"{"rules":{"email":{"input":"block"}},"patterns":[{"name":"a\u202eb","pattern":"x"}]}"#;
    let folder = folder(&[(GUARDS, strict)]);
    let path = folder.path();
    let before = trusted(path);
    let title = "Guards that hold back less than you agreed to before:";
    let same = Offer::read(path).unwrap().beside(&before).text();
    assert!(!same.contains(title), "{same}");
    change(path, None);
    let shown = Offer::read(path).unwrap().beside(&before).text();
    let lines = "  email when sent: block → as you chose\n  its pattern a\\u{202e}b\n";
    assert!(shown.contains(&format!("\n{title}\n{lines}")), "{shown}");

    // One row about many rules fits a dialog.
    change(
        path,
        Some(r#"{"rules":{"secret":{"input":"block","output":"block"}}}"#),
    );
    let before = trusted(path);
    change(path, None);
    let offer = Offer::read(path).unwrap().beside(&before);
    assert!(offer.looser_guards.len() > 20, "the window shows all");
    assert!(offer.text().contains("  … and "), "{}", offer.text());
}
