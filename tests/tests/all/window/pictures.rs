//! Every state of the window as a picture, for the eye: `target/screenshots`.

use weir_tests::events::session;
use weir_tests::process::Signal;
use weir_tests::{Sandbox, Window};

use super::{Desk, words};

const SIZES: [(u32, u32); 2] = [(900, 600), (1440, 900)];
const THEMES: [&str; 2] = ["light", "dark"];

#[test]
fn every_state_is_pictured() {
    let desk = Desk::new();
    let states = [
        (
            "interrupted",
            "interrupted-note",
            cut_off(&desk.sandbox, "long", Signal::KILL),
        ),
        (
            "stopped",
            "stopped-note",
            cut_off(&desk.sandbox, "long", Signal::INT),
        ),
        ("error", "error-card", whole(&desk.sandbox, "error fast")),
        ("finished", "usage", whole(&desk.sandbox, "everything fast")),
    ];
    let window = desk.open();
    window.see("welcome");
    for theme in THEMES {
        choose_theme(&window, theme);
        for (width, height) in SIZES {
            window.resize(width, height);
            let picture = |name: &str| {
                window.screenshot(&format!("{name}-{theme}-{width}x{height}"));
            };
            for (name, mark, session) in &states {
                window.open_session(session);
                window.see(mark);
                picture(name);
            }
            window.hold_long_timers();
            window.click("session-delete");
            window.see("undo-delete");
            picture("deleted");
            window.click("undo-delete");
            window.until("nothing to undo", || window.count("undo-delete") == 0);

            window.click("open-settings");
            window.see("settings");
            picture("settings");
            window.click("settings-close");

            window.click("new-session");
            window.see("welcome");
            picture("welcome");

            window.send("think about a table, some code and a long story");
            window.until("growing thinking", || {
                !words(&window.texts("thinking")).is_empty()
            });
            picture("thinking");
            window.until("streaming text", || {
                words(&window.texts("text-run")).len() > 150
            });
            picture("streaming");
            window.click("stop");
            window.see("stopped-note");
        }
    }
}

fn choose_theme(window: &Window, theme: &str) {
    window.click("open-settings");
    window.choose("settings-theme", theme);
    window.click("settings-close");
    window.until("a closed page of settings", || {
        window.count("settings") == 0
    });
}

fn whole(sandbox: &Sandbox, prompt: &str) -> String {
    session(&sandbox.weir(&["chat", "--json", prompt]).run().events())
}

fn cut_off(sandbox: &Sandbox, prompt: &str, signal: Signal) -> String {
    let turn = sandbox.weir(&["chat", "--json", prompt]).start();
    turn.wait_until("text", |output| {
        output.matches("\"message_chunk\"").count() > 10
    });
    turn.signal(signal);
    session(&turn.finish().events())
}
