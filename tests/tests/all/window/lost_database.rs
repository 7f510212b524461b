//! The database deleted under a running window: nothing more is shown as saved, the user is told
//! and can save what was shown.

use weir_tests::Sandbox;
use weir_tests::wait::wait_until;

use super::{Desk, words};

#[test]
fn a_deleted_database_is_told_and_what_was_shown_can_be_saved() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let asked = window.invoke("save_copy", &serde_json::json!({}));
    assert!(asked.unwrap_err().contains("where it should be"));
    window.send("long");
    window.until("some text", || words(&window.texts("text-run")).len() > 200);
    let session = window
        .attributes("session-item", "data-session-id")
        .remove(0);
    std::fs::remove_file(desk.sandbox.database()).unwrap();
    window.see_css("[data-testid=\"notice\"][data-code=\"database_lost\"]");
    window.see("error-card");
    let status = || window.attributes("session-item", "data-status");
    window.until("the end of the turn", || status() == ["failed"]);
    assert_eq!(window.count("notice"), 1);
    let shown = words(&window.texts("text-run"));
    window.screenshot("database-lost");

    // What is asked now is refused, and stays with the user.
    window.send("and now?");
    window.see("composer-error");
    assert_eq!(words(&window.texts("text-run")), shown);

    // A page that begins anew is told again.
    window.reload();
    window.see("save-copy").click();
    let file = desk.sandbox.home().join("copy.db");
    desk.save_as("Save a copy", &file);
    wait_until("the copy", || file.exists());
    window.until("where it is", || {
        let notices = window.texts("notice").concat();
        notices.contains(file.to_str().unwrap())
    });
    let copy = Sandbox::new();
    std::fs::create_dir(copy.data()).unwrap();
    std::fs::copy(&file, copy.database()).unwrap();
    let kept = copy.weir(&["export", &session, "--to", "md"]).run().code(0);
    let kept = words(&[kept.stdout]);
    let start: String = shown.chars().take(150).collect();
    assert!(kept.contains(&start), "{start} in {kept}");
}

#[test]
fn an_idle_window_tells_too() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("hello fast");
    window.until_end_of_reply();
    std::fs::rename(desk.sandbox.data(), desk.sandbox.root().join("moved")).unwrap();
    window.see_css("[data-testid=\"notice\"][data-code=\"database_lost\"]");
    window.ask_to_end();
    window.until("the end", || window.is_over());
}
