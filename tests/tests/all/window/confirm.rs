//! What leads out of the program is confirmed in a window of its own, where no script of the
//! main page can answer.

use serde_json::{Value, json};
use weir_tests::sse;
use weir_tests::{Canary, Part, Reply, Server};

use super::{Desk, set_address, store_key};

#[test]
fn another_address_for_the_key_needs_a_confirmation() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let sink = Server::start([]);
    let change =
        json!({"change": {"set": "base_url", "source": "anthropic", "baseUrl": sink.url()}});
    // As an attacker's script would: by the command itself, without the page.
    window.evaluate(&format!(
        "window.answer = 'none yet';
         window.__TAURI_INTERNALS__.invoke('change_settings', {change}).then(
             () => {{ window.answer = 'changed' }},
             (error) => {{ window.answer = error.code }},
         );
         return null"
    ));
    window.cancel("Change the address?");
    window.until("the refusal", || {
        window.evaluate("return window.answer") == "declined"
    });
    let report = desk
        .sandbox
        .weir(&["doctor", "--json"])
        .run()
        .code(0)
        .json();
    let sources = report["sources"].as_array().unwrap();
    let anthropic = sources.iter().find(|source| source["name"] == "anthropic");
    let address = anthropic.unwrap()["baseUrl"].as_str().unwrap();
    assert!(!address.contains("127.0.0.1"), "{address}");
}

#[test]
fn a_turn_with_a_real_server() {
    let desk = Desk::new();
    let canary = Canary::new();
    let reply = sse::reply("Hm, let me see.", "seal", "The answer is **42**.");
    let refusal = json!({"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}});
    let server = Server::start([
        Reply::Stream(vec![Part::Send(reply)]),
        Reply::Refusal(401, refusal),
    ]);
    let window = desk.open();
    window.see("welcome");
    window.click("open-settings");
    window.choose("settings-source", "anthropic");
    store_key(&window, canary.key());
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("a stored key", || state() == ["stored"]);
    set_address(&window, &server.url());
    window.click("settings-close");

    window.send("Why?");
    window.see("usage");
    assert_eq!(
        window.texts("text-run").concat().trim(),
        "The answer is 42."
    );
    let usage = window.texts("usage").concat();
    assert!(usage.contains("23"), "the server's own figure: {usage}");
    let request = server.requests().remove(0);
    assert_eq!(request.header("x-api-key"), canary.key());
    assert_ne!(request.body["thinking"], Value::Null);

    window.send("And now?");
    window.see("error-card");
    let card = window.texts("error-card").concat();
    assert!(card.contains("invalid x-api-key"), "{card}");
    let holding = window.holding(canary.key());
    assert!(holding.is_empty(), "the page holds the key in {holding:?}");
    canary.check_absent_below(desk.sandbox.root());
}
