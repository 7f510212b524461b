//! The window and the command line share one database, and may run at once.

use weir_tests::events::session;
use weir_tests::process::Signal;

use super::Desk;

#[test]
fn what_the_command_line_does_is_seen_in_the_window() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let turn = desk.sandbox.weir(&["chat", "--json", "list fast"]).run();
    let id = session(&turn.code(0).events());
    window.until("the session from next door", || {
        window.attributes("session-item", "data-session-id") == [id.clone()]
            && window.attributes("session-item", "data-status") == ["idle"]
    });
    window.open_session(&id);
    window.see("usage");
}

#[test]
fn a_neighbour_that_is_killed_is_not_waited_for() {
    let desk = Desk::new();
    let window = desk.open();
    window.see("welcome");
    let turn = desk.sandbox.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("text", |output| output.contains("\"message_chunk\""));
    let status = || window.attributes("session-item", "data-status");
    window.until("a reply next door", || status() == ["running"]);
    turn.signal(Signal::KILL);
    turn.finish();
    window.until("the end of the neighbour", || status() == ["interrupted"]);
}
