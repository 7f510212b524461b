//! Hooks in the window: a prompt that one held back, the lines they leave, and one tried out.

use serde_json::json;

use super::Desk;

#[test]
fn hooks_hold_back_are_shown_and_can_be_tried_out() {
    let desk = Desk::new();
    let folder = desk.place.home().join("notes");
    let command =
        "date >> ran; grep -q secret && { echo Say it otherwise. >&2; exit 2; }; echo Noted.";
    let settings = json!({"hooks": {
        "SessionStart": [{"hooks": [{"type": "command", "command": "echo It rains."}]}],
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}],
        "Stop": [{"hooks": [
            {"type": "command", "command": "echo '{\"systemMessage\": \"Mind the gap.\"}'"},
        ]}],
    }});
    std::fs::create_dir_all(folder.join(".claude")).unwrap();
    let file = folder.join(".claude/settings.json");
    std::fs::write(&file, settings.to_string()).unwrap();
    let path = folder.to_str().unwrap();
    desk.place.weir(&["trust", "--yes", path]).run().code(0);
    let window = desk.open();
    window.see("welcome");
    let trusted = folder.canonicalize().unwrap();
    window.select("composer-project", trusted.to_str().unwrap());

    // What was held back is still the user's.
    window.send("my secret");
    let refusal = || window.texts("composer-error").concat();
    window.until("the reason", || refusal().contains("Say it otherwise."));
    let text = "return document.querySelector('[data-testid=\"composer\"]').value";
    assert_eq!(window.evaluate(text), "my secret");
    assert_eq!(window.count("session-item"), 0);
    window.screenshot("hook-held-back");

    window.replace("composer", "hello fast");
    window.see("usage");
    window.until_end_of_reply();
    let note = || window.texts("hook-note").concat();
    window.until("the line", || note().contains("Mind the gap."));
    assert_eq!(window.texts("hooks-passed"), ["2 hooks ran"]);
    window.screenshot("hooks");

    window.click("open-settings");
    window.until("the hooks", || window.count("settings-hook") == 3);
    let ran = || std::fs::read_to_string(folder.join("ran")).unwrap();
    let before = ran();
    // Declined, and nothing ran.
    let try_last = "document.querySelectorAll('[data-testid=\"settings-hook-try\"]')[2].click()";
    let last = || window.texts("settings-hook")[2].clone();
    assert!(last().contains("UserPromptSubmit"), "{}", last());
    window.evaluate(try_last);
    desk.answer("Run a hook", &["Escape"]);
    window.until("the refusal", || last().contains("you declined"));
    assert_eq!(ran(), before);
    window.evaluate(try_last);
    desk.answer("Run a hook", &["Return"]);
    window.until("the outcome", || last().contains("It passed after"));
    assert_eq!(ran().lines().count(), before.lines().count() + 1);
    window.screenshot("hooks-settings");

    // One byte more, and it waits for the user's word.
    let changed = settings.to_string().replace("It rains.", "It rains!");
    std::fs::write(&file, changed).unwrap();
    window.click("settings-close");
    window.click("open-settings");
    window.until("the one that waits", || {
        window.count("settings-hook-agree") == 1
    });
    window.screenshot("hooks-waiting");
}
