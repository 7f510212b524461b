//! Clicks and keys that were meant for something else, by a real pointer and keyboard.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use weir_tests::Window;

use super::{call, outcome};
use crate::window::Desk;

const TITLE: &str = "Turn memory on?";
/// Less than the time in which nothing is taken.
const PAUSE: Duration = Duration::from_millis(450);

/// Presses again and again; the longest time that may have passed between two presses.
fn press_on_and_on(desk: &Desk, arguments: &[&str]) -> Duration {
    let mut longest = Duration::ZERO;
    let mut before = Instant::now();
    for _ in 0..60 {
        let begun = Instant::now();
        desk.xdotool(arguments);
        longest = longest.max(before.elapsed());
        before = begun;
    }
    longest
}

fn ask(window: &Window) {
    let on = json!({"project": null, "to": "on"});
    call(window, "switch_memory", &on);
}

/// A confirmation opens under somebody who presses all the time. Where a busy machine made a pause
/// between two presses, the attempt says nothing and is made again.
fn check_nothing_is_taken(desk: &Desk, window: &Window, arguments: &[&str]) {
    loop {
        ask(window);
        window.until("the confirmation", || !desk.visible(TITLE).is_empty());
        let id = desk.visible(TITLE).remove(0);
        desk.xdotool(&["windowfocus", &id]);
        let longest = press_on_and_on(desk, arguments);
        if longest < PAUSE {
            break;
        }
        println!("a pause of {longest:?} between two presses: once more");
        if outcome(window) == Value::Null {
            window.cancel(TITLE);
        }
        window.until("an end", || outcome(window) != Value::Null);
        super::agree(window);
    }
    assert_eq!(outcome(window), Value::Null, "{arguments:?} answered it");
    assert_eq!(desk.visible(TITLE).len(), 1, "{arguments:?} closed it");
    window.accept(TITLE);
    window.until("the change", || outcome(window) == "done");
}

#[test]
fn clicking_or_typing_on_and_on_answers_nothing() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    // Where the accepting button of such a confirmation is on the screen.
    ask(&window);
    let confirmation = window.confirmation(TITLE);
    let center = confirmation.evaluate(
        "const box = document.querySelector('[data-testid=accept]').getBoundingClientRect();
         return [box.x + box.width / 2, box.y + box.height / 2].map(Math.round)",
    );
    let id = desk.visible(TITLE).remove(0);
    let [x, y] = [0, 1].map(|at| center[at].to_string());
    desk.xdotool(&["mousemove", "--window", &id, &x, &y]);
    confirmation.press("cancel");
    window.until("the refusal", || outcome(&window) == "declined");

    check_nothing_is_taken(&desk, &window, &["click", "1"]);
    check_nothing_is_taken(&desk, &window, &["key", "a", "Tab", "Return"]);
    check_nothing_is_taken(&desk, &window, &["key", "Tab", "space"]);
    check_nothing_is_taken(&desk, &window, &["key", "Escape"]);
}
