//! The program ends, in good order or not, and everything shown is there at the next start.

use super::{Desk, words};

#[test]
fn everything_is_there_after_a_restart() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("list fast");
    window.see("usage");
    window.until_end_of_reply();
    let first_text = window.texts("text-run");
    let first = window
        .attributes("session-item", "data-session-id")
        .remove(0);

    window.click("new-session");
    window.see("welcome");
    window.send("long");
    window.until("some text", || words(&window.texts("text-run")).len() > 200);
    window.click("stop");
    window.see("stopped-note");
    window.until_end_of_reply();
    let second_text = window.texts("text-run");
    let listed = window.attributes("session-item", "data-session-id");
    assert_eq!(listed.len(), 2);
    assert_eq!(listed[1], first, "newest first");
    window.kill();

    let window = desk.open();
    window.until("both sessions", || {
        window.attributes("session-item", "data-session-id") == listed
    });
    for (session, text) in [(&listed[0], second_text), (&listed[1], first_text)] {
        window.open_session(session);
        window.until("the same text as before", || {
            window.texts("text-run") == text
        });
    }
    assert_eq!(window.texts("user-message"), ["list fast"]);
}

#[test]
fn a_kill_while_streaming_loses_nothing_shown() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("long");
    window.until("some text", || words(&window.texts("text-run")).len() > 300);
    let label = words(&window.texts("thinking-toggle"));
    let thought = words(&window.texts("thinking"));
    let thought = thought.strip_prefix(&label).unwrap_or(&thought).to_owned();
    assert!(!thought.is_empty(), "thinking was shown");
    let shown = words(&window.texts("text-run"));
    let session = window
        .attributes("session-item", "data-session-id")
        .remove(0);
    window.kill();

    let window = desk.open();
    window.open_session(&session);
    window.see("interrupted-note");
    assert_eq!(
        window.attributes("session-item", "data-status"),
        ["interrupted"]
    );
    let kept = words(&window.texts("text-run"));
    assert!(
        kept.starts_with(&shown),
        "{shown:?} is no start of {kept:?}"
    );
    window.click("thinking-toggle");
    window.until("the thinking of before", || {
        words(&window.texts("thinking")).contains(&thought)
    });

    // And one can go on from there.
    window.send("hello fast");
    window.see("usage");
}
