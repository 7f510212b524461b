//! Between the window and its source, and between the window and its page, the line breaks.

use weir_tests::faulty::{Act, Faulty, head};
use weir_tests::replies::{ANSWER, FIRST, content_type, pieces};

use super::{Desk, words};

#[test]
fn a_reload_in_the_middle_of_a_reply_goes_on_with_it() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    window.send("long");
    window.until("some text", || words(&window.texts("text-run")).len() > 200);
    let session = window.attributes("session-item", "data-session-id");
    for _ in 0..3 {
        let before = words(&window.texts("text-run"));
        window.reload();
        window.open_session(&session[0]);
        window.until("more text than before", || {
            let now = words(&window.texts("text-run"));
            now.len() > before.len() && now.starts_with(&before)
        });
    }
    window.click("stop");
    window.see("stopped-note");
    window.until_end_of_reply();
    let streamed = window.texts("text-run");
    window.reload();
    window.open_session(&session[0]);
    window.until("the same text as it streamed", || {
        window.texts("text-run") == streamed
    });
}

#[test]
fn a_failed_step_counts_down_and_a_broken_reply_is_gone_on_with() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let pieces = pieces("ollama");
    let says = |text: String| {
        let head = head(200, content_type("ollama"), "");
        vec![Act::Send([head, text.into_bytes()].concat())]
    };
    let busy = head(503, "application/json", "retry-after: 4\r\n");
    let busy = [busy, br#"{"error": "Too much to do."}"#.to_vec()].concat();
    let server = runtime.block_on(Faulty::start([
        vec![Act::Send(busy)],
        says(pieces.half()),
        says(pieces.whole()),
    ]));
    let desk = Desk::new();
    desk.choose("ollama", None, &server.url());
    let window = desk.open();
    window.see("welcome");
    window.send("hello");
    window.see("retry");
    let line = window.texts("retry").concat();
    assert!(line.contains("Too much to do."), "{line}");
    assert!(line.contains("(1 of 2)"), "{line}");

    window.see("continue");
    assert_eq!(window.count("retry"), 0);
    let kept = words(&window.texts("text-run"));
    assert_eq!(kept, words(&[FIRST.to_owned()]));
    window.click("continue");
    window.until("the whole reply", || {
        let last = window.texts("text-run").pop().unwrap_or_default();
        words(&[last]) == words(&[ANSWER.to_owned()])
    });
    window.until_end_of_reply();
    assert_eq!(
        window.texts("user-message"),
        ["hello", "Go on where you stopped."]
    );
    assert_eq!(window.count("continue"), 0);
    assert_eq!(window.attributes("session-item", "data-status"), ["idle"]);
    assert_eq!(server.requests().len(), 3);
}
