//! What leads out of the program is asked about natively, where no script can answer.

use std::time::Duration;

use serde_json::{Value, json};
use weir_tests::wait::wait_for;
use weir_tests::{Canary, Part, Reply, Server};
use weir_tests::{Window, sse};

use super::Desk;

impl Desk {
    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = self
            .place
            .command("xdotool")
            .env("DISPLAY", self.display.name())
            .args(arguments)
            .output()
            .expect("xdotool is there: run `make setup`");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    /// Waits for the native dialog of that title and presses keys in it.
    pub(super) fn answer(&self, title: &str, keys: &[&str]) {
        let title = format!("^{title}$");
        let find = ["search", "--onlyvisible", "--name", &title];
        let dialog = wait_for("the dialog", Duration::from_secs(30), || {
            Some(self.xdotool(&find)).filter(|found| !found.is_empty())
        });
        // There is no window manager on this screen to give it the focus.
        self.xdotool(&["windowfocus", "--sync", &dialog]);
        for key in keys {
            self.xdotool(&["key", key]);
        }
    }
}

fn base_url(window: &Window) -> String {
    let fields =
        "return document.querySelector('[data-testid=\"settings-base-url\"]')?.value ?? ''";
    window.evaluate(fields).as_str().unwrap_or("").to_owned()
}

#[test]
fn another_address_for_the_key_needs_a_native_answer() {
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
    desk.answer("Change the address", &["Escape"]);
    window.until("the refusal", || {
        window.evaluate("return window.answer") == "declined"
    });
    let report = desk.place.weir(&["doctor", "--json"]).run().code(0).json();
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
    window.type_into("settings-key", canary.key());
    window.click("settings-key-save");
    let state = || window.attributes("settings-key-state", "data-state");
    window.until("a stored key", || state() == ["stored"]);
    window.replace("settings-base-url", &server.url());
    desk.answer("Change the address", &["Return"]);
    window.until("the new address", || base_url(&window) == server.url());
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
    canary.check_absent_below(desk.place.root());
}
