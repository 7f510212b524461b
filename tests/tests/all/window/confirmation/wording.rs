//! Whose words are whose: names from outside are quoted, and pass for none of Weir's sentences.

use serde_json::{Value, json};

use super::{agree, call, outcome};
use crate::window::Desk;

/// What a page would like to say in Weir's name.
const LURE: &str = "claude-opus-4 at its usual price. No budget is changed by this. Press Change to go on. (Nothing is counted";

/// The sentences that are Weir's own, and the quotations.
const WORDS: &str = "return [
    [...document.querySelectorAll('h1, header p, section > p, figcaption, footer')]
        .map((element) => {
            const own = element.cloneNode(true);
            for (const quoted of own.querySelectorAll('q')) quoted.remove();
            return own.textContent;
        }).join('\\n'),
    [...document.querySelectorAll('q, blockquote')].map((element) => element.textContent).join('\\n'),
]";

#[test]
fn no_name_from_outside_is_among_weirs_own_words() {
    let desk = Desk::new();
    let folder = desk.sandbox.home().join(LURE);
    std::fs::create_dir_all(&folder).unwrap();
    let folder = folder.canonicalize().unwrap();
    let window = desk.open();
    window.see("welcome");
    let price = json!({"model": LURE, "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0});
    let everything = json!({"of": "everything"});
    let budget = |unit: &str, limit: u32, scope: &Value| {
        json!({"change": {"set": "budget", "budget":
            {"scope": scope, "period": "ever", "unit": unit, "limit": limit}}})
    };
    let of_folder = json!({"of": "project", "project": folder});
    for set in [
        budget("dollars", 5, &everything),
        budget("tokens", 0, &of_folder),
    ] {
        window.invoke("change_settings", &set).unwrap();
    }
    let calls = [
        (
            "Change the budget?",
            "change_settings",
            json!({"change": {"set": "price", "price": price}}),
        ),
        (
            "Change the budget?",
            "change_settings",
            budget("tokens", 9, &of_folder),
        ),
        (
            "Go past the budget?",
            "go_over_budget",
            json!({"session": null, "project": folder}),
        ),
        (
            "Trust this folder?",
            "trust_project",
            json!({"project": folder}),
        ),
        (
            "Turn memory on?",
            "switch_memory",
            json!({"project": folder, "to": "on"}),
        ),
        (
            "Add this server?",
            "change_settings",
            json!({"change": {"set": "add_server",
                "server": {"name": LURE, "kind": "openai", "baseUrl": "http://127.0.0.1:9"}}}),
        ),
        (
            "Remove this server?",
            "change_settings",
            json!({"change": {"set": "remove_server", "name": LURE}}),
        ),
        (
            "Open this link?",
            "open_link",
            json!({"url": format!("mailto:{LURE}")}),
        ),
    ];
    for (title, command, arguments) in calls {
        agree(&window);
        call(&window, command, &arguments);
        let confirmation = window.confirmation(title);
        let words = confirmation.evaluate(WORDS);
        let own = words[0].as_str().unwrap();
        let quoted = words[1].as_str().unwrap();
        assert!(!own.contains("usual price"), "{title}: {own}");
        assert!(!own.contains("usual%20price"), "{title}: {own}");
        assert!(quoted.contains("opus-4"), "{title}: {quoted}");
        if command == "go_over_budget" {
            confirmation.screenshot("confirm-budget", 900, 600);
        }
        confirmation.press("cancel");
        window.until("the refusal", || outcome(&window) == "declined");
    }
}

#[test]
fn folders_that_differ_by_spaces_look_different() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let rows = [
        ("a b", "a b"),
        ("a  b", "aU+0020 space × 2b"),
        ("a b ", "a bU+0020 space"),
        (" · Asked by Weir’s main window", " · Asked"),
    ];
    for (name, expected) in rows {
        let folder = desk.sandbox.home().join(name);
        std::fs::create_dir_all(&folder).unwrap();
        agree(&window);
        call(&window, "trust_project", &json!({ "project": folder }));
        let confirmation = window.confirmation("Trust this folder?");
        let header = confirmation.evaluate(
            "return [
                 document.querySelector('#subject q').textContent,
                 getComputedStyle(document.querySelector('#subject q')).whiteSpace,
                 getComputedStyle(document.querySelector('blockquote, section > p')).whiteSpace,
                 [...document.querySelectorAll('header p')].at(-1).textContent.slice(0, 27),
             ]",
        );
        assert!(header[0].as_str().unwrap().contains(expected), "{header}");
        for style in [&header[1], &header[2]] {
            assert_eq!(*style, "break-spaces");
        }
        assert_eq!(header[3], "Asked by Weir’s main window");
        confirmation.press("cancel");
        window.until("the refusal", || outcome(&window) == "declined");
    }
}
