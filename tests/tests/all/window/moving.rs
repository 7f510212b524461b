//! What the open session is asked of, and the question before its history goes elsewhere.

use serde_json::json;
use weir_tests::events::session;
use weir_tests::{Part, Reply, Server, Window, sse};

use super::Desk;

const QUESTION: &str = "Send this session to another source?";

/// An old session of a local server; a cloud model was chosen for new ones since.
fn old_session(desk: &Desk, cloud: &Server) -> String {
    let line = json!({"model": "llama3", "message": {"role": "assistant", "content": "Here."},
        "done": true, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 2});
    let local = Server::start([Reply::Lines(vec![Part::Send(format!("{line}\n"))])]);
    let url = local.url();
    let first = [
        "chat",
        "--json",
        "--source",
        "ollama",
        "--base-url",
        &url,
        "--model",
        "llama3",
        "--thinking",
        "high",
        "Something private",
    ];
    let events = desk.sandbox.weir(&first).run().code(0).events();
    desk.choose("anthropic", Some("anthropic"), &cloud.url());
    session(&events)
}

fn reply() -> Reply {
    Reply::Stream(vec![Part::Send(sse::reply(
        "Hm.",
        "seal",
        "From the cloud.",
    ))])
}

fn picked(window: &Window) -> (String, String, String) {
    let script = "const model = document.querySelector('[data-testid=composer-model]');
        const effort = document.querySelector('[data-testid=composer-thinking]');
        return [model?.dataset.source ?? '', model?.selectedOptions[0]?.textContent ?? '', effort?.value ?? '']";
    let picked = window.evaluate(script);
    let part = |at: usize| picked[at].as_str().unwrap_or("").to_owned();
    (part(0), part(1), part(2))
}

fn until_picked(window: &Window, source: &str, model: &str, effort: &str) {
    let expected = (source.to_owned(), model.to_owned(), effort.to_owned());
    window.until(&format!("{expected:?}"), || picked(window) == expected);
}

#[test]
fn an_old_session_keeps_its_model_and_moves_only_with_the_users_word() {
    let desk = Desk::new();
    let cloud = Server::start([reply(), reply(), reply()]);
    let id = old_session(&desk, &cloud);
    let window = desk.open();
    window.see("welcome");
    until_picked(&window, "anthropic", "some-model", "medium");
    window.open_session(&id);
    until_picked(&window, "ollama", "llama3", "high");
    window.screenshot("moving-own-model");

    // The user picks another model for it, and is asked once they send.
    window.select("composer-model", "anthropic some-model");
    until_picked(&window, "anthropic", "some-model", "high");
    window.send("Go on.");
    let question = window.confirmation(QUESTION);
    for part in [
        "2 messages",
        "Anthropic",
        "127.0.0.1",
        "Ollama",
        "Something private",
    ] {
        assert!(
            question.text().contains(part),
            "{part}: {}",
            question.text()
        );
    }
    question.screenshot("moving-question", 520, 460);
    question.press("cancel");
    window.until("the prompt to be sendable again", || {
        window.evaluate("return document.querySelector('[data-testid=send]')?.disabled") == false
    });
    assert_eq!(window.count("composer-error"), 0, "the user knows");
    let kept = "return document.querySelector('[data-testid=composer]').value";
    assert_eq!(window.evaluate(kept), "Go on.");
    assert_eq!(
        cloud.requests().len(),
        0,
        "nothing left before the user agreed"
    );
    window.screenshot("moving-cancelled");

    window.click("send");
    window.accept(QUESTION);
    window.until("the reply", || {
        window
            .texts("text-run")
            .concat()
            .contains("From the cloud.")
    });
    window.until_end_of_reply();
    let sent = cloud.requests().remove(0);
    assert!(sent.body.to_string().contains("Something private"));
    // It was asked once.
    window.send("And then?");
    window.until("the second request", || cloud.requests().len() == 2);
    window.until_end_of_reply();

    // A new session begins with what was used last, in the next run too.
    window.click("new-session");
    until_picked(&window, "anthropic", "some-model", "high");
    window.kill();
    let window = desk.open();
    window.see("welcome");
    until_picked(&window, "anthropic", "some-model", "high");
}

/// As an attacker's script would: by the commands themselves, without the page.
#[test]
fn a_script_in_the_page_cannot_move_a_session() {
    let desk = Desk::new();
    let cloud = Server::start([reply()]);
    let id = old_session(&desk, &cloud);
    let window = desk.open();
    window.see("welcome");
    let choose = json!({"session": id,
        "change": {"set": "model", "source": "anthropic", "model": "some-model"}});
    window.invoke("choose_model", &choose).unwrap();
    let turn = window.invoke("open_session", &json!({ "id": id })).unwrap();
    let turn = turn["events"].as_array().unwrap().iter();
    let turn = turn.filter_map(|event| event["turnId"].as_str()).next();
    let sends = [
        (
            "send_prompt",
            json!({"session": id, "prompt": "x", "images": [], "begins": {},
            "choice": "as_it_is", "source": "anthropic", "moving": "allowed"}),
        ),
        (
            "edit_prompt",
            json!({"session": id, "turn": turn, "prompt": "x", "images": [],
            "choice": "as_it_is"}),
        ),
        ("ask_again", json!({"session": id, "turn": turn})),
    ];
    for (command, arguments) in sends {
        window.evaluate(&format!(
            "window.answer = 'none yet';
             window.__TAURI_INTERNALS__.invoke('{command}', {arguments}).then(
                 () => {{ window.answer = 'sent' }},
                 (error) => {{ window.answer = error.code ?? String(error) }},
             );
             return null"
        ));
        window.cancel(QUESTION);
        window.until(&format!("the refusal of {command}"), || {
            window.evaluate("return window.answer") == "declined"
        });
    }
    assert_eq!(cloud.requests().len(), 0);
}

#[test]
fn what_another_weir_chooses_is_shown_here() {
    let desk = Desk::new();
    let cloud = Server::start([]);
    let id = old_session(&desk, &cloud);
    let window = desk.open();
    window.open_session(&id);
    until_picked(&window, "ollama", "llama3", "high");
    desk.sandbox
        .weir(&[
            "chat",
            "--session",
            &id,
            "--source",
            "demo",
            "--thinking",
            "low",
            "fast",
        ])
        .run()
        .code(0);
    until_picked(&window, "demo", "weir-demo", "low");
}
