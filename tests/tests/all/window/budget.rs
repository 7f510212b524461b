//! A budget of one cent in the window: a loop of tools stops, the prompt stays in the composer,
//! and nothing but the user's own hand lets it go on.

use serde_json::json;
use weir_tests::{Part, Reply, Server, sse};

use super::super::budget::{notes, step};
use super::Desk;

#[test]
fn a_budget_of_one_cent_stops_a_loop_and_the_user_goes_on_once() {
    let desk = Desk::new();
    let folder = notes(&desk.sandbox);
    let limit = |arguments: &[&str]| {
        let arguments = [&["budget"], arguments].concat();
        desk.sandbox.weir(&arguments).run().code(0).stdout
    };
    limit(&["set", "0.01", "--per", "session"]);
    let said = sse::reply("Hm.", "c2VhbA==", "It was read.");
    let last = Reply::Stream(vec![Part::Send(said)]);
    let steps = ["a", "b", "c"].map(|id| step(Some(id)));
    let server = Server::start(steps.into_iter().chain([last]));
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let priced = ["settings", "model.anthropic", "claude-sonnet-4-5"];
    desk.sandbox.weir(&priced).run().code(0);
    let window = desk.open();
    window.see("welcome");
    let trusted = std::fs::canonicalize(&folder).unwrap();
    window.select("composer-project", trusted.to_str().unwrap());
    window.send("Read it.");
    window.see("stop-note");
    window.until_end_of_reply();
    assert_eq!(server.requests().len(), 3, "the third step crosses it");
    window.until("what stopped it", || {
        window.attributes("budget", "data-level") == ["spent"]
            && window.attributes("session-item", "data-status") == ["idle"]
    });
    window.screenshot("budget-spent");

    window.send("And now?");
    window.see("go-on-once");
    // The stopped turn offers the same; the refusal comes a moment later.
    window.until("the refusal in the composer", || {
        let refusal = window.texts("composer-error").concat();
        refusal.contains("The budget for this session is spent")
    });
    window.screenshot("budget-refused");
    window.click("go-on-once");
    window.cancel("Go past the budget?");
    window.click("go-on-once");
    window.accept("Go past the budget?");
    window.until("the fourth step", || server.requests().len() == 4);
    window.until("its end", || {
        window.attributes("session-item", "data-status") == ["idle"]
    });
    window.until("what was said of the budget", || {
        window.attributes("budget", "data-level") == ["spent", "raised"]
    });

    // As an attacker's script would: by the command itself, without the page.
    let higher = json!({"scope": {"of": "session"}, "period": "ever", "unit": "dollars",
        "limit": 5});
    let change = json!({"change": {"set": "budget", "budget": higher}});
    window.evaluate(&format!(
        "window.answer = 'none yet';
         window.__TAURI_INTERNALS__.invoke('change_settings', {change}).then(
             () => {{ window.answer = 'changed' }},
             (error) => {{ window.answer = error.code }},
         );
         return null"
    ));
    window.cancel("Change the budget?");
    window.until("the refusal", || {
        window.evaluate("return window.answer") == "declined"
    });
    assert_eq!(limit(&["list"]), "$0.0100 for each session\n");
    assert_eq!(server.requests().len(), 4);

    window.click("open-usage");
    window.see("usage-chart");
    window.screenshot("usage");
    window.click("usage-close");
    window.click("open-settings");
    window.click("settings-budget-add");
    window.see("settings-budget-form");
    window.evaluate(
        "document.querySelector('[data-testid=\"settings-budgets\"]').scrollIntoView(); return null",
    );
    window.screenshot("budget-settings");
}
