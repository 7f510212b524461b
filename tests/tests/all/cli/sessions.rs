//! What the window can do to a session: stop, rename, fork, delete.

use std::time::Instant;

use uuid::Uuid;
use weir_tests::events::{content, kind, of_kind};
use weir_tests::process::Signal;
use weir_tests::{Sandbox, events};

use super::{asking, hanging, lived_in};

fn titles(sandbox: &Sandbox) -> Vec<(String, String)> {
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let title = |line: &serde_json::Value| {
        let text = |field: &str| line[field].as_str().unwrap().to_owned();
        (text("id"), text("title"))
    };
    listed.iter().map(title).collect()
}

/// The turn runs in another process; both work on one database.
#[test]
fn a_turn_of_another_process_is_stopped() {
    let sandbox = Sandbox::new();
    let server = hanging();
    let url = server.url();
    let running = sandbox
        .weir(&asking(&url, &["--json", "go on"]))
        .env("ANTHROPIC_API_KEY", "any")
        .start();
    running.wait_until("half a reply", |said| said.contains("Half a reply."));
    let [(id, _)] = &titles(&sandbox)[..] else {
        panic!("one session");
    };
    let asked = Instant::now();
    let stop = sandbox.weir(&["stop", id]).run().code(0);
    println!(
        "stopped after {:?}, start of the program included",
        asked.elapsed()
    );
    assert_eq!(stop.stdout, "Stopped.\n");
    let turn = running.finish().code(130);
    let last = turn.events().pop().unwrap();
    assert_eq!(
        (kind(&last), &last["stopReason"]),
        ("complete", &"cancelled".into())
    );
    let stored = sandbox.weir(&["events", id]).run().code(0).events();
    assert_eq!(content(of_kind(&stored, "message")[0]), "Half a reply. ");
    let again = sandbox.weir(&["stop", id]).run().code(0);
    assert_eq!(again.stdout, "Nothing was running.\n");
}

/// A request belongs to one turn: what is asked next is not stopped by it.
#[test]
fn the_next_turn_is_not_stopped() {
    let sandbox = Sandbox::new();
    let server = hanging();
    let url = server.url();
    let running = sandbox
        .weir(&asking(&url, &["--json", "go on"]))
        .env("ANTHROPIC_API_KEY", "any")
        .start();
    running.wait_until("half a reply", |said| said.contains("Half a reply."));
    let [(id, _)] = &titles(&sandbox)[..] else {
        panic!("one session");
    };
    sandbox.weir(&["stop", id]).run().code(0);
    running.finish().code(130);
    let next = [
        "chat",
        "--json",
        "--source",
        "demo",
        "--session",
        id,
        "hello slow",
    ];
    let next = sandbox.weir(&next).run();
    assert_eq!(next.exit_code(), 0, "{}", next.stderr);
}

#[test]
fn a_turn_whose_process_was_killed_needs_no_stop() {
    let sandbox = Sandbox::new();
    let server = hanging();
    let url = server.url();
    let running = sandbox
        .weir(&asking(&url, &["--json", "go on"]))
        .env("ANTHROPIC_API_KEY", "any")
        .start();
    running.wait_until("half a reply", |said| said.contains("Half a reply."));
    running.signal(Signal::KILL);
    drop(running);
    let [(id, _)] = &titles(&sandbox)[..] else {
        panic!("one session");
    };
    sandbox.weir(&["stop", id]).run().code(0);
    let stored = sandbox.weir(&["events", id]).run().code(0).events();
    assert_eq!(kind(stored.last().unwrap()), "error", "it was interrupted");
}

#[test]
fn deleting_stops_a_turn_of_another_process_first() {
    let sandbox = Sandbox::new();
    let server = hanging();
    let url = server.url();
    let running = sandbox
        .weir(&asking(&url, &["--json", "go on"]))
        .env("ANTHROPIC_API_KEY", "any")
        .start();
    running.wait_until("half a reply", |said| said.contains("Half a reply."));
    let [(id, _)] = &titles(&sandbox)[..] else {
        panic!("one session");
    };
    assert_eq!(
        sandbox.weir(&["delete", id]).run().code(0).stdout,
        "Deleted.\n"
    );
    running.finish().code(130);
    assert_eq!(titles(&sandbox), []);
    sandbox.weir(&["delete", id]).run().code(1).sentence();
}

#[test]
fn a_session_is_renamed() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    sandbox
        .weir(&["rename", &id, "  Weirs \u{1b}[31mand dams "])
        .run()
        .code(0);
    let renamed = sandbox
        .weir(&["rename", &id, "Weirs and dams"])
        .run()
        .code(0);
    assert_eq!(renamed.stdout, "It is called Weirs and dams now.\n");
    assert_eq!(
        titles(&sandbox),
        [(id.clone(), "Weirs and dams".to_owned())]
    );
    let long = "x".repeat(501);
    sandbox
        .weir(&["rename", &id, &long])
        .run()
        .code(2)
        .sentence();
}

#[test]
fn a_session_is_forked_whole_or_up_to_a_turn() {
    let sandbox = Sandbox::new();
    let id = lived_in(&sandbox);
    let more = [
        "chat",
        "--json",
        "--source",
        "demo",
        "--session",
        &id,
        "and more fast",
    ];
    sandbox.weir(&more).run().code(0);
    let prompts = |id: &str| -> Vec<String> {
        let stored = sandbox.weir(&["events", id]).run().code(0).events();
        events::check_sequence(&stored);
        let asked = of_kind(&stored, "user_message");
        asked
            .iter()
            .map(|event| content(event).to_owned())
            .collect()
    };
    let stored = sandbox.weir(&["events", &id]).run().code(0).events();
    let first = of_kind(&stored, "user_message")[0]["turnId"]
        .as_str()
        .unwrap()
        .to_owned();
    let whole = sandbox.weir(&["fork", &id]).run().code(0).stdout;
    let part = sandbox
        .weir(&["fork", &id, "--turn", &first])
        .run()
        .code(0)
        .stdout;
    let forked = [whole.trim_end(), part.trim_end()];
    for forked in forked {
        assert!(forked.parse::<Uuid>().is_ok(), "only an id: {forked:?}");
    }
    assert_eq!(prompts(forked[0]), ["remember me fast", "and more fast"]);
    assert_eq!(prompts(forked[1]), ["remember me fast"]);
    sandbox.weir(&["delete", forked[0]]).run().code(0);
    let left: Vec<String> = titles(&sandbox).into_iter().map(|(id, _)| id).collect();
    assert_eq!(left.len(), 2, "the other two: {left:?}");
    assert!(left.contains(&id) && left.contains(&forked[1].to_owned()));
}
