//! Guards in the window: the provider sees a placeholder, the user sees what they wrote, and a
//! prompt that is held back is still theirs.

use serde_json::json;
use weir_tests::{Part, Reply, Server, Window, sse};

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
    let stored = "Write to [EMAIL_1], please.";
    let prompt = |window: &Window| window.texts("user-message").concat();
    assert_eq!(prompt(&window), stored, "until the user agrees");
    assert!(
        window.holding(&email).is_empty(),
        "a script has nothing to read"
    );

    // Asked once for the session; every other original is then shown when it is pressed.
    window.see_css("[data-testid=user-message] .taken").click();
    window.cancel("Show the originals?");
    assert_eq!(prompt(&window), stored);
    window.see_css("[data-testid=user-message] .taken").click();
    window.accept("Show the originals?");
    let original = format!("Write to {email}, please.");
    window.until("the original", || prompt(&window) == original);
    let session = window
        .attributes("session-item", "data-session-id")
        .remove(0);
    window.reload();
    window.see("session-item");
    window.open_session(&session);
    window.see("text-run");
    assert_eq!(prompt(&window), original, "until Weir closes");
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
    assert_eq!(prompt(&again), stored, "the next run asks again");
}

#[test]
fn a_prompt_that_is_held_back_is_still_in_the_composer() {
    let reply = sse::reply("Hm.", "c2VhbA==", "Done.");
    let server = Server::start([Reply::Stream(vec![Part::Send(reply)])]);
    let desk = Desk::new();
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let file = desk.sandbox.data().join("guards.json");
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

/// The page of a project: stricter at once, milder only by a confirmation, whoever asks.
#[test]
fn a_project_has_guards_of_its_own_and_loosening_them_needs_a_confirmation() {
    let desk = Desk::new();
    let folder = desk.sandbox.home().join("notes");
    std::fs::create_dir_all(folder.join(".weir")).unwrap();
    let file = json!({ "rules": { "phone": { "output": "block" } } });
    std::fs::write(folder.join(".weir/guards.json"), file.to_string()).unwrap();
    let folder = folder.canonicalize().unwrap();
    let path = folder.to_str().unwrap();
    desk.sandbox.weir(&["trust", "--yes", path]).run().code(0);
    let window = desk.open();
    window.see("welcome");
    window.click("open-settings");
    window.select("guards-project", path);
    window.until("the project's page", || {
        window
            .texts("settings-guards")
            .concat()
            .contains("as everywhere")
    });
    window.click("guards-personal");
    let select = "[data-rule=email] select";
    let value = || window.evaluate(&format!("return document.querySelector('{select}').value"));
    let choose = |action: &str| {
        window
            .see_css(&format!("{select} option[value={action}]"))
            .click();
    };
    choose("block");
    window.until("the stricter choice", || value() == "block");
    let fixed = window.texts("guard-fixed").concat();
    assert!(fixed.contains("Block · file"), "{fixed}");
    window.screenshot("guards-project");

    choose("off");
    window.cancel("Loosen the guards?");
    window.see("guards-error");
    assert_eq!(value(), "block");
    // As an attacker's script would: by the command itself, with a page of its own making.
    let nothing = json!({ "rules": {}, "words": [], "patterns": [], "limits": {} });
    let arguments = json!({ "project": path, "config": nothing });
    window.evaluate(&format!(
        "window.answer = ''; window.__TAURI_INTERNALS__.invoke('change_guards', {arguments}).then(
            () => {{ window.answer = 'changed' }}, (error) => {{ window.answer = error.code }})"
    ));
    window.cancel("Loosen the guards?");
    window.until("the refusal", || {
        window.evaluate("return window.answer") == "declined"
    });
    // The way back to what holds everywhere holds back less, too, and is the user's to go.
    // By the pointer: a bar to scroll by that lies over it would take the click.
    window.evaluate(
        "document.querySelector('[data-testid=guard-back]').scrollIntoView({ block: 'center' })",
    );
    window.click("guard-back");
    window.accept("Loosen the guards?");
    window.until("as everywhere", || value() == "redact");
    window.click("settings-close");

    let guarded = ["guard", "--stage", "input", "--project", path];
    let passed = desk
        .sandbox
        .weir(&guarded)
        .input(format!("to {}", email()))
        .run()
        .code(0);
    assert_eq!(passed.stdout, "to [EMAIL_1]");
}
