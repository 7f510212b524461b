//! One turn as a person sees it.

use super::{Desk, words};

/// How the first thinking, its session and its turn stand, in one line.
const THINKING: &str = "(() => {
    const find = (id) => document.querySelector(`[data-testid=${id}]`);
    const thinking = find('thinking');
    if (!thinking) return '';
    const label = find('thinking-toggle')?.textContent.split(' ')[0];
    const status = find('session-item')?.dataset.status;
    const { growing, open } = thinking.dataset;
    const usage = document.querySelectorAll('[data-testid=usage]').length;
    return `growing ${growing}, open ${open}, ${label}, ${status}, ${usage} usage`;
})()";

#[test]
fn a_first_start_and_a_first_reply() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    assert_eq!(window.count("session-item"), 0);

    window.record(THINKING);
    window.send("hello");
    window.see("user-message");
    assert_eq!(window.texts("user-message"), ["hello"]);
    window.see("text-run");
    window.until_end_of_reply();
    window.see("usage");
    // By itself, half a second after it ended.
    window.until("folded thinking", || {
        window.attributes("thinking", "data-open") == ["false"]
    });
    let label = window.texts("thinking-toggle").concat();
    assert!(label.starts_with("Thought for "), "{label}");
    let recorded = window.recorded();
    let position = |what: &str| {
        let found = recorded.iter().position(|seen| seen == what);
        found.unwrap_or_else(|| panic!("{what} in {recorded:#?}"))
    };
    let grows = position("growing true, open true, Thinking…, running, 0 usage");
    let ended = recorded
        .iter()
        .position(|seen| seen.contains("growing false"));
    assert!(Some(grows) < ended, "{recorded:#?}");
    let usage = window.texts("usage").concat();
    for part in ["in", "out", "to first", "tok/s"] {
        assert!(usage.contains(part), "{part} in {usage}");
    }
    assert!(words(&window.texts("text-run")).len() > 100);
    assert!(window.count("tool") >= 1);
    assert_eq!(window.attributes("session-item", "data-status"), ["idle"]);

    window.click("thinking-toggle");
    window.until("thinking opened by a click", || {
        window.attributes("thinking", "data-open") == ["true"]
    });
}

#[test]
fn stop_ends_a_reply_half_way() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("long");
    window.until("some text", || words(&window.texts("text-run")).len() > 200);
    window.click("stop");
    window.see("stopped-note");
    assert_eq!(window.texts("stopped-note"), ["Stopped"]);
    window.until_end_of_reply();
    // The next turn goes on in the same session.
    window.send("hello again fast");
    window.until("a second turn", || window.count("usage") == 2);
    assert_eq!(window.count("session-item"), 1);
    assert_eq!(window.count("user-message"), 2);
}

#[test]
fn every_kind_of_block_is_shown() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("everything fast");
    window.see("usage");
    window.until_end_of_reply();
    for (what, selector) in [
        ("highlighted code", "[data-testid='text-run'] pre code span"),
        ("a table", "[data-testid='text-run'] table td"),
        ("a list", "[data-testid='text-run'] li"),
        ("mathematics", "[data-testid='text-run'] math"),
        ("a tool", "[data-testid='tool']"),
        ("thinking", "[data-testid='thinking']"),
    ] {
        let script = format!("return document.querySelectorAll(\"{selector}\").length");
        assert!(window.evaluate(&script).as_u64() > Some(0), "{what}");
    }
}

#[test]
fn a_failed_reply_says_why() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("error fast");
    window.see("error-card");
    let card = window.texts("error-card").concat();
    assert!(card.contains("overloaded_error"), "{card}");
    assert!(
        !window.texts("text-run").concat().is_empty(),
        "text is kept"
    );
    assert_eq!(window.attributes("session-item", "data-status"), ["failed"]);
}
