//! Replies with more calls than anybody reads, in the window: the page mounts a bounded part of
//! them, and one that is too long ends with a sentence.

use serde_json::{Value, json};
use weir_tests::{Part, Reply, Sandbox, Server, sse};

use super::Desk;

/// The page mounts no more cards than this, however many calls there are.
const MOST: usize = 200;

/// So many calls of a tool that is not there, which needs nobody's permission.
fn calls(step: usize, count: usize) -> Reply {
    let ids: Vec<String> = (0..count).map(|n| format!("c{step}_{n}")).collect();
    let calls: Vec<(&str, &str, Value)> = ids
        .iter()
        .map(|id| (id.as_str(), "fly", json!({"to": id})))
        .collect();
    Reply::Stream(vec![Part::Send(sse::calls(&calls))])
}

/// The memory of all processes of a place, in MiB.
fn memory(sandbox: &Sandbox) -> u64 {
    let mark = format!("WEIR_DATA_DIR={}", sandbox.data().display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let own = processes.filter(|process| {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        variables.any(|variable| variable == mark.as_bytes())
    });
    let resident = own.filter_map(|process| {
        let status = std::fs::read_to_string(process.path().join("status")).ok()?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_whitespace().nth(1)?.parse::<u64>().ok()
    });
    resident.sum::<u64>() / 1024
}

#[test]
fn a_turn_of_a_thousand_calls_is_shown_in_part() {
    let desk = Desk::new();
    let steps = (0..8).map(|step| calls(step, 125));
    let said = sse::reply("Hm.", "c2VhbA==", "I cannot fly.");
    let last = Reply::Stream(vec![Part::Send(said)]);
    let server = Server::start(steps.chain([last]));
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let window = desk.open();
    window.see("welcome");
    let before = memory(&desk.sandbox);
    window.send("Fly!");
    window.until("the last words", || {
        window.texts("text-run").concat().contains("I cannot fly.")
    });
    window.until_end_of_reply();
    let mounted = window.count("tool");
    println!(
        "1000 calls: {mounted} cards mounted, {} MiB before, {} MiB after",
        before,
        memory(&desk.sandbox)
    );
    assert!(mounted <= MOST, "{mounted}");
    assert!(window.texts("show-more").concat().contains("more parts"));
    window.click("show-more");
    window.until("more cards", || window.count("tool") > mounted);
    window.screenshot("thousand-calls");
}

#[test]
fn a_step_of_two_thousand_calls_ends_with_a_sentence() {
    let desk = Desk::new();
    let said = sse::reply("Hm.", "c2VhbA==", "Sorry.");
    let server = Server::start([calls(0, 2_000), Reply::Stream(vec![Part::Send(said)])]);
    desk.choose("anthropic", Some("anthropic"), &server.url());
    let window = desk.open();
    window.see("welcome");
    window.send("Fly!");
    window.see("error-card");
    let card = window.texts("error-card").concat();
    assert!(card.contains("callsPerStep"), "{card}");
    assert!(window.count("tool") <= MOST);
    println!("2000 calls in one step: {} MiB", memory(&desk.sandbox));
    window.screenshot("reply-too-long");
    // The session goes on.
    window.send("And now?");
    window.until("the next reply", || {
        window.texts("text-run").concat().contains("Sorry.")
    });
}
