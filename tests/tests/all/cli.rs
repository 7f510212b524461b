//! The command line as scripts and people meet it: how every command exits, what it refuses and
//! in which words, what it does to sessions, what goes with a prompt, and what it keeps.

mod attached;
mod exit_codes;
mod kept;
mod sessions;
mod stream;
mod terminal;

use weir_tests::events::session;
use weir_tests::{Part, Reply, Sandbox, Server, sse};

/// A place with one session in it, and that session's id.
fn lived_in(sandbox: &Sandbox) -> String {
    let turn = sandbox.weir(&["chat", "--json", "remember me fast"]).run();
    session(&turn.code(0).events())
}

/// Arguments that ask a scripted server in the Anthropic dialect.
fn asking<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec!["chat", "--source", "anthropic", "--base-url", url];
    arguments.extend(more);
    arguments
}

/// A server that says half a reply and then nothing more.
fn hanging() -> Server {
    let half = sse::message_start() + &sse::text_start(0) + &sse::text_delta(0, "Half a reply. ");
    Server::start([Reply::Stream(vec![Part::Send(half), Part::Hang])])
}
