//! The list of sessions: open, rename, delete.

use super::Desk;

#[test]
fn a_session_is_renamed_and_deleted() {
    let desk = Desk::new();
    for prompt in ["keep me fast", "drop me fast"] {
        desk.place.weir(&["chat", prompt]).run().code(0);
    }
    let window = desk.open();
    window.until("two sessions", || window.count("session-item") == 2);
    let ids = window.attributes("session-item", "data-session-id");
    let (dropped, kept) = (&ids[0], &ids[1]);

    let of =
        |session: &str, id: &str| format!("[data-session-id=\"{session}\"] [data-testid=\"{id}\"]");
    window.open_session(kept);
    window.until("the opened session", || {
        window.texts("user-message") == ["keep me fast"]
    });
    window.see_css(&of(kept, "session-rename")).click();
    window.replace("rename-input", "A better name");
    window.until("the new name", || {
        window.texts("session-item")[1].contains("A better name")
    });

    // Asked first: nothing happens before the answer.
    window.see_css(&of(dropped, "session-delete")).click();
    window.see("confirm-delete");
    assert_eq!(window.count("session-item"), 2);
    window.click("confirm-delete");
    window.until("one session", || {
        window.attributes("session-item", "data-session-id") == [kept.clone()]
    });
    window.kill();

    let listed = desk.place.weir(&["sessions", "--json"]).run().code(0);
    let [line] = &listed.events()[..] else {
        panic!("one session: {}", listed.stdout);
    };
    assert_eq!(line["title"], "A better name");
    assert_eq!(line["id"], kept.as_str());
    desk.place
        .weir(&["events", dropped])
        .run()
        .code(1)
        .sentence();
}
