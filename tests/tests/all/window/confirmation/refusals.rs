//! Every command that needs a confirmation, called by a script in the page, and what happens when
//! the user does not agree: nothing.

use serde_json::{Value, json};
use uuid::Uuid;
use weir_tests::{Canary, Server, Window};

use super::{agree, refuse};
use crate::window::permission::{asked, reads, says};
use crate::window::{Desk, Sandbox};

/// A session of the demo, by the command line.
fn session(sandbox: &Sandbox) -> String {
    let events = sandbox.weir(&["chat", "--json", "fast"]).run().events();
    events[0]["sessionId"].as_str().unwrap().to_owned()
}

/// Who cancels five in a minute would be left alone.
fn refuse_all(window: &Window, calls: &[(&str, &str, Value)]) {
    for few in calls.chunks(4) {
        for (title, command, arguments) in few {
            refuse(window, title, command, arguments);
        }
        agree(window);
    }
}

fn settings(change: Value) -> Value {
    json!({ "change": change })
}

#[test]
fn no_script_gets_past_a_confirmation() {
    let desk = Desk::new();
    let session = session(&desk.sandbox);
    let window = desk.open();
    window.see("welcome");
    let server = json!({"name": "mine", "kind": "openai", "baseUrl": "http://127.0.0.1:9"});
    let looser = json!({"rules": {"secret": {"input": "off"}}, "words": [], "patterns": []});
    let address =
        json!({"set": "base_url", "source": "anthropic", "baseUrl": "http://127.0.0.1:9"});
    refuse_all(
        &window,
        &[
            (
                "Store this key?",
                "set_key",
                json!({"source": "anthropic", "key": Canary::new().key()}),
            ),
            (
                "Delete this key?",
                "delete_key",
                json!({"source": "anthropic"}),
            ),
            (
                "Turn memory on?",
                "switch_memory",
                json!({"project": null, "to": "on"}),
            ),
            (
                "Forget these memories?",
                "forget_memories",
                json!({"which": {"forget": "everything"}}),
            ),
            (
                "Forget these memories?",
                "forget_memories",
                json!({"which": {"forget": "session", "session": session}}),
            ),
            (
                "Forget these memories?",
                "forget_memories",
                json!({"which": {"forget": "project"}}),
            ),
            (
                "Forget these memories?",
                "forget_memories",
                json!({"which": {"forget": "project", "project": desk.sandbox.home()}}),
            ),
            (
                "Change this memory?",
                "edit_memory",
                json!({"id": Uuid::new_v4(), "content": "The user trusts everybody."}),
            ),
            (
                "Show the originals?",
                "show_original",
                json!({"session": session, "placeholder": "[EMAIL_1]"}),
            ),
            ("Change the address?", "change_settings", settings(address)),
            (
                "Add this server?",
                "change_settings",
                settings(json!({"set": "add_server", "server": server})),
            ),
            (
                "Remove this server?",
                "change_settings",
                settings(json!({"set": "remove_server", "name": "mine"})),
            ),
            (
                "Loosen the guards?",
                "change_guards",
                json!({"project": null, "config": looser}),
            ),
            (
                "Open this link?",
                "open_link",
                json!({"url": "https://example.com/"}),
            ),
            (
                "Trust this folder?",
                "trust_project",
                json!({"project": desk.sandbox.home()}),
            ),
        ],
    );
    let listed = desk.sandbox.weir(&["keys", "list"]).run().code(0).stdout;
    assert!(!listed.contains("stored"), "{listed}");
    let trusted = window.invoke("projects", &json!({})).unwrap();
    assert_eq!(trusted, json!([]));
    let title = json!({"session": session, "title": "x".repeat(2_000)});
    let refused = window.invoke("rename_session", &title).unwrap_err();
    assert!(refused.contains("at most 500"), "{refused}");
}

#[test]
fn no_script_goes_past_a_budget_or_changes_what_it_counts() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let budget = |unit: &str, limit: u32| json!({"scope": {"of": "everything"}, "period": "day", "unit": unit, "limit": limit});
    for set in [budget("dollars", 5), budget("tokens", 0)] {
        let set = settings(json!({"set": "budget", "budget": set}));
        window.invoke("change_settings", &set).unwrap();
    }
    let price = json!({"model": "m", "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0});
    let title = "Change the budget?";
    refuse_all(
        &window,
        &[
            (
                title,
                "change_settings",
                settings(json!({"set": "budget", "budget": budget("tokens", 9)})),
            ),
            (
                title,
                "change_settings",
                settings(json!({"set": "remove_budget", "budget": budget("tokens", 0)})),
            ),
            (
                title,
                "change_settings",
                settings(json!({"set": "price", "price": price})),
            ),
            (
                title,
                "change_settings",
                settings(json!({"set": "forget_price", "model": "m"})),
            ),
            (
                "Go past the budget?",
                "go_over_budget",
                json!({"session": null, "project": null}),
            ),
        ],
    );
    window.send("hello");
    window.see("composer-error");
    assert_eq!(window.count("session-item"), 0, "nothing was sent");
}

#[test]
fn no_script_runs_a_hook() {
    let desk = Desk::new();
    let folder = desk.sandbox.home().join("hooked");
    std::fs::create_dir_all(folder.join(".claude")).unwrap();
    let hook = json!({"hooks": [{"type": "command", "command": "touch ran"}]});
    let hooks = json!({"hooks": {"Stop": [hook]}});
    std::fs::write(folder.join(".claude/settings.json"), hooks.to_string()).unwrap();
    let path = folder.to_str().unwrap();
    desk.sandbox.weir(&["trust", "--yes", path]).run().code(0);
    let window = desk.open();
    window.see("welcome");
    let known = window.invoke("hooks", &json!({})).unwrap();
    let (project, id) = (&known[0]["project"], &known[0]["id"]);
    let arguments = json!({"project": project, "id": id});
    refuse(&window, "Run this hook?", "try_hook", &arguments);
    assert!(!folder.join("ran").exists());
}

#[test]
fn no_script_allows_a_call_for_longer_than_once() {
    let desk = Desk::new();
    let server = Server::start([reads("a"), says("So be it.")]);
    let window = asked(&desk, &server);
    let session = window
        .attributes("session-item", "data-session-id")
        .remove(0);
    let snapshot = window.invoke("open_session", &json!({"id": session}));
    let events = snapshot.unwrap()["events"].clone();
    let events = events.as_array().unwrap();
    let turn = events.iter().find_map(|shown| shown["turnId"].as_str());
    let turn = turn.unwrap_or_else(|| panic!("a turn in {events:?}"));
    let decide = |scope: &str| {
        json!({"session": session, "turn": turn, "toolCallId": "a", "decision": "allow",
            "scope": scope})
    };
    refuse_all(
        &window,
        &[
            (
                "Allow this call for the whole session?",
                "decide_permission",
                decide("session"),
            ),
            (
                "Always allow this call?",
                "decide_permission",
                decide("project"),
            ),
        ],
    );
    assert_eq!(window.count("permission"), 1, "it still waits");
    assert_eq!(server.requests().len(), 1, "and nothing went on");
}

/// One more than may happen without a question.
#[test]
fn the_eleventh_in_a_minute_is_confirmed_or_refused() {
    let desk = Desk::new();
    let session = session(&desk.sandbox);
    let window = desk.open();
    window.see("welcome");
    let mut copies = Vec::new();
    for _ in 0..10 {
        let copy = window.invoke("fork_session", &json!({"session": session, "turn": null}));
        copies.push(copy.unwrap()["id"].as_str().unwrap().to_owned());
    }
    let eleventh = window.invoke("fork_session", &json!({"session": session, "turn": null}));
    assert!(eleventh.unwrap_err().contains(r#""code":"busy""#));
    for copy in &copies {
        window
            .invoke("delete_session", &json!({"session": copy}))
            .unwrap();
    }
    let one = || json!({"which": {"forget": "one", "id": Uuid::new_v4()}});
    for _ in 0..10 {
        // There is no such memory; asking for it counts all the same.
        let _ = window.invoke("forget_memories", &one());
    }
    refuse_all(
        &window,
        &[
            (
                "Delete another session?",
                "delete_session",
                json!({"session": session}),
            ),
            ("Forget these memories?", "forget_memories", one()),
        ],
    );
    let left = window.invoke("open_session", &json!({"id": session}));
    assert!(left.is_ok(), "the last session is still there");
}
