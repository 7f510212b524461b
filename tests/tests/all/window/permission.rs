//! A tool call that waits for the user, in the window.

use serde_json::json;
use weir_tests::{Part, Reply, Server, Window, sse};

use super::Desk;

/// A window on a trusted folder, and a model that wants to read a file whose name says that it
/// holds secrets, once for each reply.
pub(super) fn asked(desk: &Desk, server: &Server) -> Window {
    let folder = desk.sandbox.home().join("notes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(".env"), "NAME=the weir of the river\n").unwrap();
    let path = folder.to_str().unwrap();
    desk.sandbox.weir(&["trust", "--yes", path]).run().code(0);
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let window = desk.open();
    window.see("welcome");
    let trusted = folder.canonicalize().unwrap();
    window.select("composer-project", trusted.to_str().unwrap());
    window.send("What is in the settings?");
    window.see("permission");
    window
}

pub(super) fn reads(id: &str) -> Reply {
    let call = [(id, "read_file", json!({"path": ".env"}))];
    Reply::Stream(vec![Part::Send(sse::calls(&call))])
}

pub(super) fn says(text: &str) -> Reply {
    Reply::Stream(vec![Part::Send(sse::reply("Hm.", "c2VhbA==", text))])
}

#[test]
fn a_call_waits_until_the_user_says_so() {
    let desk = Desk::new();
    let server = Server::start([reads("a"), reads("b"), says("It names a river.")]);
    let window = asked(&desk, &server);
    let status = || window.attributes("session-item", "data-status");
    window.until("a session that waits", || status() == ["waiting"]);
    let card = window.texts("permission").concat();
    assert!(card.contains(".env"), "{card}");
    assert_eq!(server.requests().len(), 1);
    window.screenshot("permission");
    window.click("permission-deny-once");
    window.until("the second question", || {
        server.requests().len() == 2 && window.count("permission") == 1
    });
    window.click("permission-allow-once");
    window.until("the end", || status() == ["idle"]);
    let requests = server.requests();
    let answer = |request: usize, message: usize| {
        let messages = &requests[request].body["messages"];
        messages[message]["content"].to_string()
    };
    assert!(answer(1, 2).contains("did not allow"), "{}", answer(1, 2));
    assert!(answer(2, 4).contains("of the river"), "{}", answer(2, 4));
    window.screenshot("permission-answered");
}

#[test]
fn a_question_that_nobody_answered_is_still_there_after_a_kill() {
    let desk = Desk::new();
    let server = Server::start([reads("a"), says("Never mind.")]);
    asked(&desk, &server).kill();
    let window = desk.open();
    window.see("session-item");
    let item = window.attributes("session-item", "data-session-id");
    window.open_session(&item[0]);
    window.see("permission-note");
    assert_eq!(
        window.attributes("session-item", "data-status"),
        ["interrupted"]
    );
    assert_eq!(window.count("permission"), 0, "nothing to click any more");
    window.screenshot("permission-unanswered");
    window.send("Then without it.");
    window.until("the next step", || server.requests().len() == 2);
    window.until_end_of_reply();
    let sent = server.requests()[1].body["messages"].to_string();
    assert!(
        sent.contains("tool_result") && !sent.contains("of the river"),
        "{sent}"
    );
}
