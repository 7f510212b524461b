//! Settings as text: what becomes a hook, and what is told and never runs.

use super::super::{PathList, read_hooks};
use super::*;

fn one(handler: Value) -> Value {
    json!({"hooks": {"Stop": [{"hooks": [handler]}]}})
}

#[test]
fn a_file_of_settings_is_read_whole() {
    let text = json!({
        "env": {"X": "1"},
        "permissions": {"deny": ["Read(./x)"]},
        "hooks": {
            "PreToolUse": [
                {"matcher": "Bash|Read", "hooks": [
                    {"type": "command", "command": "check", "args": ["a b", ""], "timeout": 5},
                    {"type": "command", "command": "look | grep x", "failClosed": false},
                ]},
            ],
            "Stop": [{"hooks": [{"type": "command", "command": "done", "timeout": 0.25, "failClosed": true}]}],
        },
    });
    let (hooks, notices) = read_hooks("settings.json", &text.to_string());
    assert_eq!(notices, Vec::<String>::new());
    let handler = |command: &str| Handler {
        command: command.to_owned(),
        args: None,
        timeout_ms: None,
        fail_closed: None,
        ..Handler::default()
    };
    let pre = |handler| Definition {
        event: HookEvent::PreToolUse,
        matcher: "Bash|Read".into(),
        handler,
    };
    let expected = [
        pre(Handler {
            args: Some(vec!["a b".into(), String::new()]),
            timeout_ms: Some(5000),
            ..handler("check")
        }),
        pre(Handler {
            fail_closed: Some(false),
            ..handler("look | grep x")
        }),
        hook(
            HookEvent::Stop,
            Handler {
                timeout_ms: Some(250),
                fail_closed: Some(true),
                ..handler("done")
            },
        ),
    ];
    assert_eq!(hooks, expected);
    assert_eq!(hooks[0].handler.words(), r#""check" "a b" """#);
    assert_eq!(hooks[1].handler.words(), "look | grep x");
    let closed = hooks.iter().map(Definition::fails_closed);
    assert_eq!(closed.collect::<Vec<_>>(), [true, false, true]);
}

/// What stands there, how many hooks it makes, and what the notice says.
#[test]
fn what_is_not_understood_is_inert_and_told() {
    let fine = json!({"type": "command", "command": "x"});
    let with = |name: &str, value: Value| {
        let mut handler = fine.clone();
        handler[name] = value;
        one(handler)
    };
    let rows = [
        (json!({"hooks": []}), 0, "no object"),
        (
            json!({"hooks": {"Never": [{"hooks": [fine.clone()]}]}}),
            0,
            "no point Never",
        ),
        (
            json!({"hooks": {"stop": [{"hooks": [fine.clone()]}]}}),
            0,
            "no point stop",
        ),
        (json!({"hooks": {"Sto\u{202e}p": []}}), 0, "Sto\\u{202e}p"),
        (json!({"hooks": {"Stop": {}}}), 0, "no list"),
        (json!({"hooks": {"Stop": ["x"]}}), 0, "no object"),
        (
            json!({"hooks": {"Stop": [{"matcher": 1, "hooks": [fine.clone()]}]}}),
            0,
            "no text",
        ),
        (
            json!({"hooks": {"Stop": [{"matcher": "x"}]}}),
            0,
            "no list of hooks",
        ),
        (
            json!({"hooks": {"PreToolUse": [{"matcher": "(", "hooks": [fine.clone()]}]}}),
            1,
            "held back",
        ),
        (
            json!({"hooks": {"Stop": [{"once": true, "hooks": [fine.clone()]}]}}),
            1,
            "does not use once",
        ),
        (one(json!("x")), 0, "no object"),
        (with("type", json!("prompt")), 0, "the type prompt"),
        (with("type", json!(null)), 0, "the type none"),
        (with("command", json!("")), 0, "no command"),
        (with("command", json!(["x"])), 0, "no command"),
        (with("command", json!("a\u{0}b")), 0, "no command"),
        (with("args", json!("x")), 0, "args"),
        (with("args", json!([1])), 0, "args"),
        (with("args", json!(null)), 1, ""),
        (with("timeout", json!("5")), 1, "no number"),
        (with("timeout", json!(-1)), 1, "no number"),
        (with("timeout", json!(1e300)), 1, ""),
        (with("failClosed", json!("yes")), 1, "counts as true"),
        (with("async", json!(true)), 1, "does not use async"),
        (with("if", json!("Bash(git *)")), 1, "does not use if"),
    ];
    for (text, count, notice) in rows {
        let (hooks, notices) = read_hooks("settings.json", &text.to_string());
        assert_eq!(hooks.len(), count, "{text}");
        match notice {
            "" => assert_eq!(notices, Vec::<String>::new(), "{text}"),
            notice => {
                assert_eq!(notices.len(), 1, "{text}: {notices:?}");
                assert!(notices[0].starts_with("settings.json: "));
                assert!(notices[0].contains(notice), "{text}: {}", notices[0]);
            }
        }
    }
    for no_json in ["", "{", "[]", "null", "{\"hooks\"}"] {
        assert_eq!(read_hooks("s", no_json), (Vec::new(), Vec::new()));
    }
    let many = vec![fine; 60];
    let many = json!({"hooks": {"Stop": [{"hooks": many}]}}).to_string();
    let (hooks, notices) = read_hooks("s", &many);
    assert_eq!((hooks.len(), notices.len()), (50, 1));
}

/// Every byte of a definition counts.
#[test]
fn another_byte_is_another_hook() {
    let first = hook(
        HookEvent::Stop,
        Handler {
            command: "check".into(),
            args: Some(vec!["a".into(), "b".into()]),
            timeout_ms: Some(5000),
            fail_closed: None,
            ..Handler::default()
        },
    );
    let change = |change: fn(&mut Definition)| {
        let mut other = first.clone();
        change(&mut other);
        other
    };
    let others = [
        change(|it| it.event = HookEvent::SubagentStop),
        change(|it| it.matcher = " ".into()),
        change(|it| it.handler.command = "check ".into()),
        change(|it| it.handler.command = "chec\u{43a}".into()),
        change(|it| it.handler.args = None),
        change(|it| it.handler.args = Some(vec!["a b".into()])),
        change(|it| it.handler.args = Some(vec!["a".into(), "B".into()])),
        change(|it| it.handler.timeout_ms = Some(5001)),
        change(|it| it.handler.fail_closed = Some(false)),
        change(|it| it.handler.watch = PathList::Paths(Vec::new())),
        change(|it| it.handler.watch = PathList::Paths(vec!["a".into()])),
        change(|it| it.handler.watch = PathList::Unusable),
        change(|it| it.handler.unwatched = PathList::Paths(vec!["a".into()])),
    ];
    let script = |sha: &str| [("check".to_owned(), sha.to_owned())];
    let mut prints: Vec<_> = others.iter().map(|it| it.fingerprint(&())).collect();
    prints.push(first.fingerprint(&()));
    prints.push(first.fingerprint(&script("1")));
    prints.push(first.fingerprint(&script("2")));
    let count = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), count);
    assert_eq!(first.fingerprint(&()), first.clone().fingerprint(&()));
}
