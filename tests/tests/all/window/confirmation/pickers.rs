//! The system's own pickers and a confirmation are never open together.

use serde_json::{Value, json};

use super::{call, outcome};
use crate::window::Desk;

#[test]
fn no_picker_lies_over_a_confirmation() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    call(
        &window,
        "open_link",
        &json!({"url": "https://example.com/"}),
    );
    let confirmation = window.confirmation("Open this link?");
    // Only a lost database can be saved elsewhere.
    std::fs::remove_file(desk.sandbox.database()).unwrap();
    let stack = desk.stack();
    assert_eq!(stack.last(), desk.visible("Open this link?").last());
    for command in ["open_project", "save_copy"] {
        let refused = window.invoke(command, &json!({})).unwrap_err();
        assert!(refused.contains(r#""code":"busy""#), "{command}: {refused}");
        assert_eq!(desk.stack(), stack, "{command} opened a window");
    }
    assert_eq!(outcome(&window), Value::Null, "it still waits");
    confirmation.press("cancel");
    window.until("the refusal", || outcome(&window) == "declined");

    // The other way round the confirmation waits until the picker is closed.
    window.evaluate(
        "window.picked = null;
         window.__TAURI_INTERNALS__.invoke('save_copy').then(
             () => { window.picked = 'closed' },
             (error) => { window.picked = error.code },
         );
         return null",
    );
    window.until("the picker", || desk.visible("Save a copy").len() == 1);
    call(
        &window,
        "open_link",
        &json!({"url": "https://example.com/"}),
    );
    let refused = window.invoke("open_project", &json!({})).unwrap_err();
    assert!(refused.contains(r#""code":"busy""#), "{refused}");
    assert!(desk.visible("Open this link?").is_empty());
    let picker = desk.visible("Save a copy").remove(0);
    desk.xdotool(&["windowfocus", "--sync", &picker]);
    desk.xdotool(&["key", "Escape"]);
    window.until("the end of the picker", || {
        window.evaluate("return window.picked") == "closed"
    });
    window.cancel("Open this link?");
    window.until("the refusal", || outcome(&window) == "declined");
}
