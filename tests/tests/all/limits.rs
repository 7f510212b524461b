//! Limits on one reply from the command line: shown, changed, refused, and what reaching one comes
//! to.

use serde_json::{Value, json};
use weir_tests::events::{kind, of_kind};
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

use super::project::chat;

fn calls(count: usize) -> Reply {
    let ids: Vec<String> = (0..count).map(|n| format!("c{n}")).collect();
    let calls: Vec<(&str, &str, Value)> = ids
        .iter()
        .map(|id| (id.as_str(), "fly", json!({"to": id})))
        .collect();
    Reply::Stream(vec![Part::Send(sse::calls(&calls))])
}

fn value(sandbox: &Sandbox, name: &str) -> u64 {
    let listed = sandbox.weir(&["limits", "list", "--json"]).run().code(0);
    let rows = listed.json();
    let rows = rows.as_array().unwrap();
    let row = rows.iter().find(|row| row["name"] == name).unwrap();
    row["value"].as_u64().unwrap()
}

#[test]
fn limits_are_listed_set_refused_and_reset() {
    let sandbox = Sandbox::new();
    let listed = sandbox.weir(&["limits"]).run().code(0).stdout;
    assert!(listed.contains("callsPerStep"), "{listed}");
    assert_eq!(value(&sandbox, "callsPerStep"), 128);
    for (name, to) in [
        ("nonsense", "1"),
        ("callsPerStep", "0"),
        ("callsPerStep", "999999999"),
        ("callsPerStep", "many"),
    ] {
        let refused = sandbox.weir(&["limits", "set", name, to]).run().code(2);
        refused.sentence();
    }
    let set = |name: &str, to: &str| sandbox.weir(&["limits", "set", name, to]).run().code(0);
    set("callsPerStep", "3");
    set("textPerStep", "1000");
    assert_eq!(value(&sandbox, "callsPerStep"), 3);
    sandbox
        .weir(&["limits", "reset", "callsPerStep"])
        .run()
        .code(0);
    assert_eq!(value(&sandbox, "callsPerStep"), 128);
    assert_eq!(value(&sandbox, "textPerStep"), 1000);
    sandbox.weir(&["limits", "reset"]).run().code(0);
    assert_eq!(value(&sandbox, "textPerStep"), 4 * 1024 * 1024);
}

#[test]
fn a_reply_that_is_too_long_fails_with_a_sentence_and_keeps_what_came() {
    let sandbox = Sandbox::new();
    sandbox
        .weir(&["limits", "set", "callsPerStep", "3"])
        .run()
        .code(0);
    let said = sse::reply("Hm.", "c2VhbA==", "I cannot fly.");
    let server = Server::start([calls(10), Reply::Stream(vec![Part::Send(said)])]);
    let turn = chat(&sandbox, &server, &Canary::new(), &["Fly!"])
        .run()
        .code(1);
    turn.sentence();
    let events = turn.events();
    let last = events.last().unwrap();
    assert_eq!(kind(last), "error");
    assert_eq!(last["error"]["code"], "reply_too_long");
    assert_eq!(of_kind(&events, "tool_use").len(), 3);
    assert_eq!(server.requests().len(), 1);

    // The session goes on.
    let session = last["sessionId"].as_str().unwrap();
    let more = chat(
        &sandbox,
        &server,
        &Canary::new(),
        &["--session", session, "Then not."],
    );
    let events = more.run().code(0).events();
    assert_eq!(kind(events.last().unwrap()), "complete");
}
