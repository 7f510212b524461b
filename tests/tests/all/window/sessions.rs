//! The list of sessions: open, rename, delete, fork; and the branches of one.

use super::Desk;

#[test]
fn a_session_is_renamed_and_deleted() {
    let desk = Desk::new();
    for prompt in ["keep me fast", "drop me fast"] {
        desk.sandbox.weir(&["chat", prompt]).run().code(0);
    }
    let window = desk.open();
    window.until("two sessions", || window.count("session-item") == 2);
    // The offer to take a deletion back stays for ten seconds.
    window.hold_long_timers();
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

    // It leaves at once, and comes back when that was a slip.
    let one_is_left = || window.attributes("session-item", "data-session-id") == [kept.clone()];
    window.see_css(&of(dropped, "session-delete")).click();
    window.until("one session", one_is_left);
    window.click("undo-delete");
    window.until("both again", || window.count("session-item") == 2);
    assert_eq!(window.count("undo-delete"), 0);
    window.see_css(&of(dropped, "session-delete")).click();
    window.until("one session", one_is_left);
    window.kill();

    let listed = desk.sandbox.weir(&["sessions", "--json"]).run().code(0);
    let [line] = &listed.events()[..] else {
        panic!("one session: {}", listed.stdout);
    };
    assert_eq!(line["title"], "A better name");
    assert_eq!(line["id"], kept.as_str());
    desk.sandbox
        .weir(&["events", dropped])
        .run()
        .code(1)
        .sentence();
}

#[test]
fn a_prompt_is_edited_gone_back_to_and_forked() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("first fast");
    window.until("the first reply", || window.count("usage") == 1);
    window.until_end_of_reply();
    window.send("second fast");
    window.until("the second reply", || window.count("usage") == 2);
    window.until_end_of_reply();

    window.click_near("edit-prompt");
    window.replace("edit-area", "changed fast");
    window.until("the edited prompt alone", || {
        window.texts("user-message") == ["changed fast"] && window.count("usage") == 1
    });
    window.until_end_of_reply();
    assert!(window.texts("branch").concat().ends_with("2/2"));

    window.click("branch-previous");
    window.until("the first branch, whole", || {
        window.texts("user-message") == ["first fast", "second fast"]
    });
    assert_eq!(window.count("usage"), 2);

    window.click_near("fork-here");
    window.until("a fork that ends at the first turn", || {
        window.texts("user-message") == ["first fast"]
    });
    assert_eq!(window.count("session-item"), 2);
    assert!(window.texts("session-item")[0].contains("(fork)"));
    window.send("on its own fast");
    window.until("a reply in the fork", || window.count("usage") == 2);
    window.until_end_of_reply();
    window.kill();

    let listed = desk.sandbox.weir(&["sessions", "--json"]).run().code(0);
    let turns: Vec<_> = listed
        .events()
        .iter()
        .map(|line| line["turns"].clone())
        .collect();
    assert_eq!(turns, [2, 3], "{}", listed.stdout);
}
