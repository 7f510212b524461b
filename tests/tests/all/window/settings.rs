//! The settings page: what is chosen is kept, and a key is never seen again.

use super::{Desk, store_key};
use weir_tests::{Canary, Lock};

#[test]
fn a_key_goes_into_the_keychain_and_nowhere_else() {
    let desk = Desk::new();
    let canary = Canary::new();
    let window = desk.open();
    window.see("welcome");
    window.click("open-settings");
    window.choose("settings-source", "anthropic");
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("no key yet", || state() == ["missing"]);

    store_key(&window, canary.key());
    window.until("a stored key", || state() == ["stored"]);
    let holding = window.holding(canary.key());
    assert!(holding.is_empty(), "the page holds the key in {holding:?}");
    window.click("settings-close");

    let listed = desk.sandbox.weir(&["keys", "list"]).run().code(0).stdout;
    assert!(listed.contains("stored"), "{listed}");
    canary.check_absent_from_text("keys list", &listed);
    // The data folder, the web view's own files, logs, and the keychain's sealed file.
    canary.check_absent_below(desk.sandbox.root());

    window.kill();
    let window = desk.open();
    window.click("open-settings");
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("the key after a restart", || state() == ["stored"]);
    let holding = window.holding(canary.key());
    assert!(holding.is_empty(), "the page holds the key in {holding:?}");
    window.click("settings-key-remove");
    window.accept("Delete this key?");
    window.until("the key's removal", || state() == ["missing"]);
    let listed = desk.sandbox.weir(&["keys", "list"]).run().code(0).stdout;
    assert!(listed.contains("no key"), "{listed}");
}

#[test]
fn a_locked_keychain_keeps_a_key_for_this_run_only_and_says_so() {
    let desk = Desk::with_keychain(Lock::Locked);
    let canary = Canary::new();
    let window = desk.open();
    window.click("open-settings");
    window.choose("settings-source", "anthropic");
    store_key(&window, canary.key());
    window.until("a key for this run", || {
        window.attributes("settings-key-state", "data-state") == ["this_run_only"]
    });
    canary.check_absent_below(desk.sandbox.root());
    window.kill();

    let window = desk.open();
    window.click("open-settings");
    window.until("no key in the next run", || {
        let state = window.attributes("settings-key-state", "data-state");
        state == ["unavailable"] || state == ["missing"]
    });
}

/// The search above would find what is there: a test of the test.
#[test]
fn what_the_page_holds_is_found() {
    let desk = Desk::new();
    let window = desk.open();
    let canary = Canary::new();
    window.type_into("composer", canary.key());
    assert!(!window.holding(canary.key()).is_empty());
}

#[test]
fn choices_are_kept() {
    let desk = Desk::new();
    let window = desk.open();
    window.click("open-settings");
    window.choose("settings-theme", "dark");
    window.choose("settings-thinking", "high");
    let chosen = |window: &weir_tests::Window, id: &str| {
        let script = format!(
            "return document.querySelector('[data-testid=\"{id}\"] input:checked')?.value ?? ''"
        );
        window.evaluate(&script).as_str().unwrap_or("").to_owned()
    };
    window.until("the choices", || {
        chosen(&window, "settings-theme") == "dark"
            && chosen(&window, "settings-thinking") == "high"
    });
    window.click("settings-close");
    window.kill();

    let window = desk.open();
    window.click("open-settings");
    window.until("the choices after a restart", || {
        chosen(&window, "settings-theme") == "dark"
            && chosen(&window, "settings-thinking") == "high"
    });
}
