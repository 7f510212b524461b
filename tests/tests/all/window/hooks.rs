//! Hooks in the window: a prompt that one held back, the lines they leave, one tried out, one that
//! is stopped, and one that is gone.

use std::path::PathBuf;

use serde_json::{Value, json};

use weir_tests::Window;
use weir_tests::wait::wait_until;

use super::Desk;
use crate::hooks::processes_of;

#[test]
fn hooks_hold_back_are_shown_and_can_be_tried_out() {
    let desk = Desk::new();
    let folder = desk.sandbox.home().join("notes");
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
    desk.sandbox.weir(&["trust", "--yes", path]).run().code(0);
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
    window.cancel("Run this hook?");
    window.until("the refusal", || last().contains("you declined"));
    assert_eq!(ran(), before);
    window.evaluate(try_last);
    window.accept("Run this hook?");
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

/// A folder whose hook takes its time over a prompt, with a child in a session of its own.
fn thoughtful(desk: &Desk) -> PathBuf {
    let folder = desk.sandbox.home().join("notes");
    let command = "echo >> asked; setsid sleep 600 & sleep 600";
    let settings = json!({"hooks": {
        "UserPromptSubmit": [{"hooks": [{"type": "command", "command": command}]}],
    }});
    std::fs::create_dir_all(folder.join(".claude")).unwrap();
    let file = folder.join(".claude/settings.json");
    std::fs::write(file, settings.to_string()).unwrap();
    let folder = folder.canonicalize().unwrap();
    let path = folder.to_str().unwrap();
    desk.sandbox.weir(&["trust", "--yes", path]).run().code(0);
    folder
}

fn text_of(window: &Window) -> Value {
    let text = "return document.querySelector('[data-testid=\"composer\"]').value";
    window.evaluate(text)
}

#[test]
fn a_hook_that_looks_at_a_prompt_can_be_stopped() {
    let desk = Desk::new();
    let folder = thoughtful(&desk);
    let window = desk.open();
    window.see("welcome");
    window.select("composer-project", folder.to_str().unwrap());
    let asked = || std::fs::read_to_string(folder.join("asked")).map_or(0, |it| it.len());
    // By the button and by the key.
    for (round, key) in [(1, ""), (2, "Escape")] {
        window.replace("composer", "hello fast");
        window.see("composer-looking");
        wait_until("the hook", || processes_of(&folder) >= 3);
        window.screenshot("hook-looking");
        // Sent once, however often it is asked for.
        let again = "document.querySelector('form').requestSubmit()";
        window.evaluate(again);
        if key.is_empty() {
            window.click("stop");
        } else {
            let press = format!("dispatchEvent(new KeyboardEvent('keydown', {{ key: '{key}' }}))");
            window.evaluate(&press);
        }
        let refusal = || window.texts("composer-error").concat();
        window.until("the prompt back", || refusal().contains("stopped before"));
        wait_until("nobody", || processes_of(&folder) == 0);
        assert_eq!(text_of(&window), "hello fast");
        assert_eq!(window.count("composer-looking"), 0);
        assert_eq!((window.count("session-item"), asked()), (0, round));
    }
}

/// At the end of a session the system asks every program to end.
#[test]
fn no_hook_outlives_the_window() {
    let desk = Desk::new();
    let folder = thoughtful(&desk);
    let window = desk.open();
    window.see("welcome");
    window.select("composer-project", folder.to_str().unwrap());
    window.replace("composer", "hello fast");
    wait_until("the hook", || processes_of(&folder) >= 3);
    window.ask_to_end();
    wait_until("the end", || window.is_over());
    wait_until("nobody", || processes_of(&folder) == 0);
    println!("hooks of a window that was asked to end: 0 processes left");
}

#[test]
fn a_guarding_hook_that_is_gone_is_shown_and_holds_back() {
    let desk = Desk::new();
    let folder = thoughtful(&desk);
    std::fs::remove_file(folder.join(".claude/settings.json")).unwrap();
    let window = desk.open();
    window.see("welcome");
    window.select("composer-project", folder.to_str().unwrap());
    window.send("hello fast");
    let refusal = || window.texts("composer-error").concat();
    window.until("the reason", || {
        refusal().contains("is gone. What it guards")
    });
    assert_eq!(text_of(&window), "hello fast");
    window.click("open-settings");
    let row = || window.texts("settings-hook").concat();
    window.until("the row", || row().contains("It is gone: what it guards"));
    window.screenshot("hook-gone");
    window.click("settings-hook-agree");
    window.accept("Trust this folder?");
    window.until("no row", || window.count("settings-hook") == 0);
    window.click("settings-close");
    window.replace("composer", "hello fast");
    window.see("usage");
}
