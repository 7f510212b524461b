//! What the window's own processes and the programs that it opens see of the environment, and
//! the files that it leaves.

use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use weir_tests::{Canary, Part, Reply, Server, process, sse};

use super::{Desk, set_address, store_key};
use crate::environment::{NAMES, check_no_core, check_private, check_unseen};

#[test]
fn no_process_of_the_window_inherits_a_key() {
    let mut desk = Desk::new();
    let canary = Canary::new();
    for name in NAMES {
        desk.sandbox.set_variable(name, canary.key());
    }
    // Where a system has the program that opens addresses.
    let programs = desk.sandbox.home().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let opener = programs.join("xdg-open");
    let opened = desk.sandbox.home().join("opened");
    let script = format!(
        "#!/bin/sh\nenv > '{0}.new'; mv '{0}.new' '{0}'\n",
        opened.display()
    );
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", programs.display());
    desk.sandbox.set_variable("PATH", &path);

    let window = desk.open();
    window.see("welcome");
    let weir = window.processes();
    assert_eq!(weir.len(), 1, "the program");
    let children = process::descendants(weir[0]);
    let names: Vec<String> = children.iter().map(|id| process::name(*id)).collect();
    for expected in ["WebKitWebProces", "WebKitNetworkPr"] {
        assert!(names.iter().any(|name| name == expected), "{names:?}");
    }
    for id in weir.iter().chain(&children) {
        check_unseen(&canary, *id);
        check_no_core(*id);
    }

    // The key serves all the same.
    let reply = sse::reply("Hm.", "seal", "Yes.");
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    window.click("open-settings");
    window.choose("settings-source", "anthropic");
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("the key", || state() == ["environment"]);
    set_address(&window, &server.url());
    window.click("settings-close");
    window.send("Why?");
    window.see("usage");
    assert_eq!(server.requests()[0].header("x-api-key"), canary.key());

    let link = json!({"url": "https://example.com/"});
    window.evaluate(&format!(
        "window.__TAURI_INTERNALS__.invoke('open_link', {link}); return null"
    ));
    window.accept("Open this link?");
    window.until("the link's program", || opened.exists());
    let environment = std::fs::read_to_string(&opened).unwrap();
    assert!(environment.contains("HOME="), "{environment}");
    canary.check_absent_from_text("the program that opens links", &environment);
    canary.check_absent_below(desk.sandbox.root());

    window.click("open-settings");
    window.choose("settings-theme", "dark");
    let preferences = desk.sandbox.data().join("preferences.json");
    window.until("the preference", || {
        std::fs::read_to_string(&preferences).is_ok_and(|text| text.contains("dark"))
    });
    check_private(&desk.sandbox.data());
    window.ask_to_end();
    window.until("the end", || window.is_over());
    check_private(&desk.sandbox.data());
    let home = desk.sandbox.home();
    check_private(&home.join(".config/app.weir.desktop"));
    let mode = |path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    // WebKit's own files are in it.
    assert_eq!(mode(home.join(".local/share/app.weir.desktop")), 0o700);
}

#[test]
fn a_keychain_that_was_started_again_serves_the_same_window() {
    let mut desk = Desk::new();
    let canary = Canary::new();
    let replies = (0..2).map(|_| Reply::Stream(vec![Part::Send(sse::reply("Hm.", "s", "Yes."))]));
    let server = Server::start(replies);
    let window = desk.open();
    window.click("open-settings");
    window.choose("settings-source", "anthropic");
    store_key(&window, canary.key());
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("a stored key", || state() == ["stored"]);
    set_address(&window, &server.url());
    window.click("settings-close");

    desk.sandbox.keychain().kill();
    window.send("First?");
    window.see("composer-error");
    let refusal = window.texts("composer-error").concat();
    assert!(refusal.contains("keychain"), "{refusal}");
    desk.sandbox.restart_keychain();
    window.click("send");
    window.see("usage");
    assert_eq!(server.requests()[0].header("x-api-key"), canary.key());
}
