//! A turn in the window for each way a provider speaks, against a server that others wrote;
//! and what the window shows when that server fails.

use std::sync::Arc;

use serde_json::json;
use weir_core::app::App;
use weir_core::secret::MemoryKeychain;
use weir_protocol::SettingsChange;
use weir_tests::{Aimock, Canary, Window};

use super::{Desk, words};

/// One source for each way of speaking, and the key it wants.
const SOURCES: [(&str, Option<&str>); 5] = [
    ("anthropic", Some("anthropic")),
    ("openai-chat", Some("openai-chat")),
    ("openai", Some("openai")),
    ("gemini", Some("gemini")),
    ("ollama", None),
];

const ANSWER: &str = "The weir holds back what should not pass, and measures the rest: grüße, 42.";

impl Desk {
    /// As if the user had chosen this source, this address and this model, with a key stored.
    pub(super) fn choose(&self, source: &str, key: Option<&str>, url: &str) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let source = source.to_owned();
        let base_url = url.to_owned();
        let model = "some-model".to_owned();
        let folder = self.sandbox.data();
        runtime.block_on(async {
            let keychain = Arc::new(MemoryKeychain::default());
            let (app, _) = App::open(folder, keychain).await.unwrap();
            for change in [
                SettingsChange::BaseUrl {
                    source: source.clone(),
                    base_url,
                },
                SettingsChange::Model {
                    source: source.clone(),
                    model,
                },
                SettingsChange::Source { source },
            ] {
                app.change(change).await.unwrap();
            }
        });
        if let Some(name) = key {
            let canary = Canary::new();
            let set = self.sandbox.weir(&["keys", "set", name]);
            set.input(canary.key()).run().code(0);
        }
    }
}

#[test]
fn a_turn_with_every_provider() {
    let reply = json!({"response": {"content": ANSWER}});
    let server = Aimock::start(&[("hello", reply)], &["--latency", "5"]);
    for (source, key) in SOURCES {
        let desk = Desk::new();
        desk.choose(source, key, &server.url());
        let window = desk.open();
        window.see("welcome");
        window.send("hello");
        window.see("usage");
        window.until_end_of_reply();
        let shown = words(&window.texts("text-run"));
        assert_eq!(shown, words(&[ANSWER.to_owned()]), "{source}");
        assert_eq!(window.attributes("session-item", "data-status"), ["idle"]);
        window.kill();

        let again = desk.open();
        again.see("session-item");
        let item = again.attributes("session-item", "data-session-id");
        again.open_session(&item[0]);
        again.see("text-run");
        assert_eq!(words(&again.texts("text-run")), shown, "{source} again");
    }
}

/// What a failed turn shows: an error in words and the text that had come.
fn failed(window: &Window, source: &str) -> String {
    window.see("error-card");
    window.until_end_of_reply();
    let card = window.texts("error-card").concat();
    assert!(card.len() > 20, "{source} says what happened: {card}");
    assert_eq!(window.attributes("session-item", "data-status"), ["failed"]);
    card
}

#[test]
fn every_fault_is_a_clear_error() {
    for flag in [
        "--chaos-drop",
        "--chaos-malformed",
        "--chaos-disconnect",
        "--chaos-ratelimit",
    ] {
        let reply = json!({"response": {"content": ANSWER}});
        let server = Aimock::start(&[("hello", reply)], &[flag, "1"]);
        let desk = Desk::new();
        for (source, key) in SOURCES {
            desk.choose(source, key, &server.url());
        }
        let window = desk.open();
        window.see("welcome");
        for (at, (source, _)) in SOURCES.iter().enumerate() {
            window.click("open-settings");
            window.choose("settings-source", source);
            window.click("settings-close");
            window.click("new-session");
            window.send("hello");
            window.until("one more failed session", || {
                let failed = window.attributes("session-item", "data-status");
                failed.iter().filter(|status| *status == "failed").count() == at + 1
            });
            window.until(&format!("what {source} says of {flag}"), || {
                window.texts("error-card").concat().len() > 20
            });
        }
    }
}

#[test]
fn what_came_before_a_fault_stays() {
    for (source, key) in SOURCES {
        let reply = json!({
            "response": {"content": ANSWER}, "chunkSize": 4, "latency": 5, "truncateAfterChunks": 9,
        });
        let server = Aimock::start(&[("hello", reply)], &[]);
        let desk = Desk::new();
        desk.choose(source, key, &server.url());
        let window = desk.open();
        window.see("welcome");
        window.send("hello");
        failed(&window, source);
        let shown = words(&window.texts("text-run"));
        let whole = words(&[ANSWER.to_owned()]);
        assert!(
            shown.len() > 3 && shown.len() < whole.len(),
            "{source}: {shown}"
        );
        assert!(whole.starts_with(&shown), "{source}: {shown}");
        window.kill();

        let again = desk.open();
        again.see("session-item");
        let item = again.attributes("session-item", "data-session-id");
        again.open_session(&item[0]);
        again.see("error-card");
        assert_eq!(words(&again.texts("text-run")), shown, "{source} again");
    }
}
