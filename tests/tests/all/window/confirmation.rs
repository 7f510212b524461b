//! The confirmation window itself: it shows everything, and nothing but a person in it answers.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};
use weir_tests::{Canary, Window};

use super::Desk;

mod arguments;
mod attacks;
mod pickers;
mod presses;
mod refusals;
mod screen_reader;
mod wording;

/// Text that a dialog library once took for a format, and what else hides or reorders text.
const HOSTILE: &str = "%.0s%c %s%s%s%s%s%s%s%s%s%s%s%s%s%s %n %p \0 zero\u{200B}width \u{202E}txt.exe\u{202C} <img src=x onerror=alert(1)> \u{5d0}\u{5d1}\u{5d2} \u{1b}[2J";

/// Calls a command as a script in the page would, and leaves what becomes of it in `window.outcome`.
fn call(window: &Window, command: &str, arguments: &Value) {
    let command = json!(command);
    window.evaluate(&format!(
        "window.outcome = null;
         window.__TAURI_INTERNALS__.invoke({command}, {arguments}).then(
             () => {{ window.outcome = 'done' }},
             (error) => {{ window.outcome = error.code ?? String(error) }},
         );
         return null"
    ));
}

fn outcome(window: &Window) -> Value {
    window.evaluate("return window.outcome")
}

/// Calls a command, waits for its confirmation, and cancels it.
fn refuse(window: &Window, title: &str, command: &str, arguments: &Value) {
    call(window, command, arguments);
    let confirmation = window.confirmation(title);
    assert_eq!(outcome(window), Value::Null, "{command} waits");
    confirmation.press("cancel");
    window.until(&format!("the refusal of {command}"), || {
        outcome(window) == "declined"
    });
}

/// Agrees to something harmless. Who cancels again and again would be left alone for a while.
fn agree(window: &Window) {
    call(
        window,
        "switch_memory",
        &json!({"project": null, "to": "on"}),
    );
    window.accept("Turn memory on?");
    window.until("the change", || outcome(window) == "done");
}

/// A folder with many hooks and hostile instructions; the last hook names the marker.
fn folder(desk: &Desk, marker: &str) -> PathBuf {
    let folder = desk.sandbox.home().join("folder %s%n");
    std::fs::create_dir_all(folder.join(".claude")).unwrap();
    let instructions = format!("{HOSTILE}\n{}\nlast line {marker}\n", "word ".repeat(2_000));
    std::fs::write(folder.join("CLAUDE.md"), instructions).unwrap();
    let hook = |number: usize| {
        let command = format!("echo number {number} {HOSTILE} > /dev/null; # {marker}");
        json!({ "hooks": [{ "type": "command", "command": command.replace('\0', "") }] })
    };
    // With the one that watches, as many as a folder may have.
    let hooks: Vec<_> = (0..49).map(hook).collect();
    std::fs::write(folder.join("check.sh"), "true\n").unwrap();
    let watching =
        json!({ "hooks": [{ "type": "command", "command": "sh ./check.sh", "watch": ["lib"] }] });
    let settings = json!({ "hooks": { "Stop": hooks, "PreToolUse": [watching] } });
    std::fs::write(folder.join(".claude/settings.json"), settings.to_string()).unwrap();
    folder.canonicalize().unwrap()
}

#[test]
fn everything_that_a_folder_brings_is_shown_whole() {
    let desk = Desk::new();
    let marker = Canary::new();
    let folder = folder(&desk, marker.key());
    let window = desk.open();
    window.see("welcome");
    for theme in ["light", "dark"] {
        window
            .invoke(
                "change_settings",
                &json!({"change": {"set": "theme", "theme": theme}}),
            )
            .unwrap();
        call(&window, "trust_project", &json!({ "project": folder }));
        let confirmation = window.confirmation("Trust this folder?");
        let text = confirmation.text();
        assert!(text.contains("folder %s%n"), "it says which folder: {text}");
        for number in 0..49 {
            assert!(text.contains(&format!("echo number {number} ")), "{number}");
        }
        assert_eq!(
            text.matches(marker.key()).count(),
            99,
            "49 hooks, twice, and the last line"
        );
        for named in [
            "%.0s%c %s%s%s%s%s%s%s%s%s%s%s%s%s%s %n %p",
            "U+0000 null",
            "U+200B zero width space",
            "U+202E right-to-left override",
            "U+001B escape",
            "<img src=x onerror=alert(1)>",
            "only the files and folders that are listed with it are compared",
            "Not watched are what those files run or import in turn, names that the command computes, a log that only a redirection of output names, and the programs of this system.",
            "watches:",
            "check.sh",
        ] {
            assert!(text.contains(named), "{named}");
        }
        for (name, width, height) in [("confirm-folder", 900, 600), ("confirm-small", 420, 300)] {
            confirmation.screenshot(&format!("{name}-{theme}"), width, height);
            let buttons = confirmation.evaluate(
                "return ['cancel', 'accept'].every((id) => {
                     const box = document.querySelector(`[data-testid=${id}]`).getBoundingClientRect();
                     return box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight && box.right <= innerWidth;
                 })",
            );
            assert_eq!(
                buttons, true,
                "the buttons are on the screen at {width}×{height}"
            );
        }
        let state = confirmation.evaluate(
            "return [
                 document.activeElement.dataset.testid,
                 document.querySelector('[role=alertdialog]').getAttribute('aria-labelledby'),
                 document.querySelectorAll('img, script:not([src])').length,
                 document.documentElement.dataset.theme,
             ]",
        );
        assert_eq!(state, json!(["cancel", "title", 0, theme]));
        confirmation.press("cancel");
        window.until("the refusal", || outcome(&window) == "declined");
    }
    let trusted = window.invoke("projects", &json!({})).unwrap();
    assert_eq!(trusted, json!([]));
    call(&window, "trust_project", &json!({ "project": folder }));
    window.accept("Trust this folder?");
    window.until("the trust", || outcome(&window) == "done");
}

#[test]
fn links_of_any_shape_are_shown_and_crash_nothing() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let long = format!("https://example.com/{}/end-of-it", "a%s%n/".repeat(700));
    let links = [
        long.as_str(),
        "https://example.com/?q=%s%s%s%s%s%s%s%s%s%s%s%s%s%s%n%p",
        "https://example.com/\u{0}%00/\u{202E}gpj.exe/\u{200B}",
        "https://ex\u{430}mple.com/\u{5d0}\u{5d1}",
        "mailto:someone@example.com?subject=%25s%25n",
    ];
    for (at, link) in links.into_iter().enumerate() {
        agree(&window);
        call(&window, "open_link", &json!({ "url": link }));
        let confirmation = window.confirmation("Open this link?");
        let whole =
            confirmation.evaluate("return document.querySelector('blockquote').textContent");
        let whole = whole.as_str().unwrap().to_owned();
        assert!(whole.is_ascii(), "nothing hides in {whole:?}");
        if at == 0 {
            assert_eq!(whole, long);
            confirmation.screenshot("confirm-link-light", 900, 600);
        }
        confirmation.press("cancel");
        window.until("the refusal", || outcome(&window) == "declined");
    }
    assert_eq!(
        window.count("notice"),
        0,
        "a cancelled confirmation needs no banner"
    );
    window.see("welcome");
    agree(&window);
    let dark = json!({"change": {"set": "theme", "theme": "dark"}});
    window.invoke("change_settings", &dark).unwrap();
    call(&window, "open_link", &json!({ "url": long }));
    let confirmation = window.confirmation("Open this link?");
    confirmation.screenshot("confirm-link-dark", 900, 600);
    confirmation.press("cancel");
}

#[test]
fn the_keyboard_cancels_and_accepts() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    call(
        &window,
        "open_link",
        &json!({"url": "https://example.com/"}),
    );
    let confirmation = window.confirmation("Open this link?");
    let id = desk.visible("Open this link?").remove(0);
    desk.xdotool(&["windowfocus", "--sync", &id]);
    // What is pressed before it can be read would begin the time anew.
    let readable = "return document.querySelector('[data-testid=accept]')?.ariaDisabled";
    let press = |confirmation: &weir_tests::confirmation::Confirmation<'_>, key: &str| {
        window.until("a confirmation that takes an answer", || {
            confirmation.evaluate(readable) == "false"
        });
        desk.xdotool(&["key", key]);
    };
    press(&confirmation, "Escape");
    window.until("the end by Escape", || !confirmation.is_open());
    window.until("the refusal", || outcome(&window) == "declined");

    let on = json!({"project": null, "to": "on"});
    call(&window, "switch_memory", &on);
    let confirmation = window.confirmation("Turn memory on?");
    let id = desk.visible("Turn memory on?").remove(0);
    desk.xdotool(&["windowfocus", "--sync", &id]);
    let focused = || confirmation.evaluate("return document.activeElement.dataset.testid ?? ''");
    press(&confirmation, "Tab");
    window.until("the focus on the accepting button", || {
        focused() == "accept"
    });
    press(&confirmation, "Return");
    window.until("the end by Return", || !confirmation.is_open());
    window.until("the change", || outcome(&window) == "done");
}

#[test]
fn one_request_is_shown_at_a_time_and_the_queue_is_bounded() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.evaluate(
        "window.outcomes = [];
         for (let number = 0; number < 30; number += 1) {
             window.__TAURI_INTERNALS__.invoke('open_link', { url: `https://example.com/${number}` })
                 .catch((error) => window.outcomes.push(error.code));
         }
         return null",
    );
    let refused = || window.evaluate("return window.outcomes.length");
    window.until("the refusal of what does not fit", || refused() == 22);
    let mut shown = BTreeSet::new();
    for _ in 0..5 {
        let confirmation = window.confirmation("Open this link?");
        assert_eq!(desk.visible("Open this link?").len(), 1, "one at a time");
        shown.insert(confirmation.text().to_owned());
        confirmation.press("cancel");
    }
    window.until("the end of all", || refused() == 30);
    assert_eq!(shown.len(), 5, "each was another");
    let declined =
        window.evaluate("return window.outcomes.filter((code) => code === 'declined').length");
    assert_eq!(declined, 5);
    assert!(
        desk.visible("Open this link?").is_empty(),
        "who cancels five in a minute is asked no more"
    );
    call(
        &window,
        "open_link",
        &json!({"url": "https://example.com/"}),
    );
    window.until("the refusal", || outcome(&window) == "busy");
}
