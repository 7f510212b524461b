//! Guards in the window: the provider sees a placeholder, the user sees what they wrote, and a
//! prompt that is held back is still theirs.

use serde_json::json;
use weir_tests::{Part, Reply, Server, sse};

use super::Desk;

/// Put together here, so that no file holds an address.
fn email() -> String {
    ["ada", "@", "mail.example.org"].concat()
}

#[test]
fn the_provider_sees_a_placeholder_and_the_user_the_original() {
    let reply = sse::reply(
        "They mean [EMAIL_1].",
        "c2VhbA==",
        "I wrote to [EMAIL_1] and `[EMAIL_1]`.",
    );
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    let desk = Desk::new();
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let window = desk.open();
    window.see("welcome");
    let email = email();
    window.send(&format!("Write to {email}, please."));
    window.see("usage");
    window.until_end_of_reply();
    let sent = server.requests()[0].body.to_string();
    assert!(sent.contains("Write to [EMAIL_1], please."), "{sent}");
    assert!(!sent.contains(&email), "{sent}");
    let prompt = window.texts("user-message").concat();
    assert_eq!(prompt, format!("Write to {email}, please."));
    let said = window.texts("text-run").concat();
    assert!(
        said.contains(&format!("I wrote to {email} and {email}.")),
        "{said}"
    );
    let marks = window.evaluate(
        "return [...document.querySelectorAll('mark.restored')].map((mark) => mark.title)",
    );
    let saw = "The provider saw [EMAIL_1]";
    assert!(
        marks
            .as_array()
            .is_some_and(|marks| marks.len() >= 3 && marks.iter().all(|it| *it == saw)),
        "{marks}"
    );
    let notice = window.texts("guard").concat();
    assert!(
        notice.contains("1 item was replaced before sending: email"),
        "{notice}"
    );
    window.screenshot("guards-restored");
    // The list has what is stored.
    let titles = window.texts("session-item").concat();
    assert!(
        titles.contains("[EMAIL_1]") && !titles.contains(&email),
        "{titles}"
    );
    window.kill();

    let again = desk.open();
    again.see("session-item");
    let item = again.attributes("session-item", "data-session-id");
    again.open_session(&item[0]);
    again.see("text-run");
    assert_eq!(again.texts("user-message").concat(), prompt);
    assert!(again.texts("text-run").concat().contains(&email));
}

#[test]
fn a_prompt_that_is_held_back_is_still_in_the_composer() {
    let reply = sse::reply("Hm.", "c2VhbA==", "Done.");
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    let desk = Desk::new();
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let file = desk.place.data().join("guards.json");
    let set = |action: &str| {
        let config = json!({ "rules": { "email": { "input": action } } });
        std::fs::write(&file, config.to_string()).unwrap();
    };
    set("block");
    let window = desk.open();
    window.see("welcome");
    let prompt = format!("Write to {}.", email());
    window.send(&prompt);
    window.see("composer-error");
    let reason = window.texts("composer-error").concat();
    assert!(reason.contains("email"), "{reason}");
    let written =
        || window.evaluate("return document.querySelector('[data-testid=composer]').value");
    assert_eq!(written(), prompt.as_str());
    assert_eq!(window.count("session-item"), 0);
    window.screenshot("guards-blocked");

    // It is read for every prompt. A question has its first answer under the keyboard.
    set("ask");
    window.see("send").click();
    window.see("guard-question");
    window.screenshot("guards-asks");
    let focused = window.evaluate("return document.activeElement.dataset.testid");
    assert_eq!(focused, "guard-redact");
    window.see("guard-redact").click();
    window.see("usage");
    window.until_end_of_reply();
    assert_eq!(written(), "");
    assert!(
        window
            .texts("guard")
            .concat()
            .contains("1 item was replaced")
    );
    window.click("open-settings");
    window.see("settings-guards");
    window.click("guards-personal");
    window.see_css("[data-rule=email]");
    window.evaluate("document.querySelector('[data-testid=settings-guards]').scrollIntoView()");
    window.screenshot("guards-settings");
}
