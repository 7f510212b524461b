//! A budget of one cent, in the command line: a loop of tools stops after the step that crosses
//! it, and what was used adds up.

use serde_json::{Value, json};
use weir_tests::events::{check_sequence, kind, of_kind, session};
use weir_tests::process::Signal;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

use super::project::chat;

/// A step that costs three quarters of half a cent: 1000 tokens in at three dollars a million,
/// 50 out at fifteen.
const STEP: f64 = 0.003_75;

/// What a priced model says: one call, or its last word.
pub(super) fn step(call: Option<&str>) -> Reply {
    let (block, reason) = match call {
        Some(id) => (
            json!({"type": "tool_use", "id": id, "name": "read_file",
                "input": {"path": "notes.txt"}}),
            "tool_use",
        ),
        None => (json!({"type": "text", "text": "Read."}), "end_turn"),
    };
    let said = [
        json!({"type": "message_start", "message": {
            "id": "msg_priced", "type": "message", "role": "assistant", "content": [],
            "model": "claude-sonnet-4-5", "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1000, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 50}}),
        json!({"type": "message_stop"}),
    ];
    let said: String = said.iter().map(sse::event).collect();
    Reply::Stream(vec![Part::Send(said)])
}

/// A folder that is trusted, with something to read.
pub(super) fn notes(sandbox: &Sandbox) -> String {
    let folder = sandbox.home().join("notes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "The weir holds.\n").unwrap();
    let path = folder.to_str().unwrap().to_owned();
    sandbox.weir(&["trust", "--yes", &path]).run().code(0);
    path
}

fn near(value: &Value, expected: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|value| (value - expected).abs() < 1e-9)
}

#[test]
fn a_budget_of_one_cent_stops_a_loop_of_tools() {
    let sandbox = Sandbox::new();
    let path = notes(&sandbox);
    let canary = Canary::new();
    let server = Server::start(["a", "b", "c", "d", "e"].map(|id| step(Some(id))));
    let set = ["budget", "set", "0.01", "--per", "session"];
    sandbox.weir(&set).run().code(0);
    let model = ["--project", &path, "--model", "claude-sonnet-4-5"];
    let ask = |more: &[&str]| {
        let arguments = [&model[..], more, &["Read it."]].concat();
        chat(&sandbox, &server, &canary, &arguments).run()
    };
    let turn = ask(&[]).code(3);
    let sentence = "The budget for this session is spent: $0.0112 of $0.0100.";
    assert_eq!(turn.sentence(), sentence);
    let events = turn.events();
    assert_eq!(server.requests().len(), 3, "the third step crosses it");
    let end = of_kind(&events, "complete")[0];
    assert_eq!(end["stopReason"], "budget");
    assert!(near(&end["cost"], 3.0 * STEP), "{end}");
    let levels: Vec<_> = of_kind(&events, "budget")
        .iter()
        .map(|event| (event["level"].clone(), event["spent"].clone()))
        .collect();
    assert_eq!(levels.len(), 1, "two steps are three quarters: {levels:?}");
    // No tool is left half done: two ran, the third says that it did not.
    let results = of_kind(&events, "tool_result");
    let of = |event: &&Value| (event["toolCallId"].clone(), event["isError"].clone());
    let expected = [("a", false), ("b", false), ("c", true)];
    let expected = expected.map(|(id, failed)| (json!(id), json!(failed)));
    assert_eq!(results.iter().map(of).collect::<Vec<_>>(), expected);
    let session = session(&events);
    let stored = sandbox.weir(&["events", &session]).run().code(0).events();
    check_sequence(&stored);

    // The next prompt is refused before anything is saved or sent; another session is another.
    let refused = ask(&["--session", &session]).code(3);
    assert!(
        refused.sentence().starts_with(sentence),
        "{}",
        refused.stderr
    );
    assert_eq!(refused.events()[0]["error"]["code"], "budget");
    assert_eq!(server.requests().len(), 3);
    let again = sandbox.weir(&["events", &session]).run().code(0).events();
    assert_eq!(again, stored);

    // Once, if the user says so; then the next one is refused again.
    let over = ask(&["--session", &session, "--over-budget", "--max-turns", "1"]).code(0);
    assert_eq!(of_kind(&over.events(), "budget")[0]["level"], "raised");
    assert_eq!(server.requests().len(), 4);
    ask(&["--session", &session]).code(3);
    assert_eq!(server.requests().len(), 4);
    println!(
        "budget: 0.01 $ stopped a loop of tools after 3 of 5 steps, at {:.5} $",
        3.0 * STEP
    );
}

#[test]
fn usage_adds_up_what_the_events_say() {
    let sandbox = Sandbox::new();
    let path = notes(&sandbox);
    let canary = Canary::new();
    let server = Server::start([step(Some("a")), step(None), step(None)]);
    let model = ["--model", "claude-sonnet-4-5"];
    let in_project = [&model[..], &["--project", &path, "Read it."]].concat();
    chat(&sandbox, &server, &canary, &in_project).run().code(0);
    let alone = [&model[..], &["Read it."]].concat();
    chat(&sandbox, &server, &canary, &alone).run().code(0);
    sandbox.weir(&["chat", "hello fast"]).run().code(0);

    let usage = |by: &str| {
        let rows = sandbox.weir(&["usage", "--by", by, "--json"]).run().code(0);
        rows.json().as_array().unwrap().clone()
    };
    let sessions = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let tokens = |rows: &[Value], name: &str| -> u64 {
        rows.iter().map(|row| row[name].as_u64().unwrap()).sum()
    };
    for (by, rows) in [
        ("day", 1),
        ("session", 3),
        ("project", 2),
        ("model", 2),
        ("source", 2),
    ] {
        let found = usage(by);
        assert!(found.len() == rows || by == "day", "{by}: {found:?}");
        assert_eq!(
            tokens(&found, "totalTokens"),
            tokens(&sessions, "tokens"),
            "{by}"
        );
        assert_eq!(tokens(&found, "steps"), 4, "{by}");
        let cost: f64 = found.iter().filter_map(|row| row["cost"].as_f64()).sum();
        assert!((cost - 3.0 * STEP).abs() < 1e-9, "{by}: {cost}");
    }
    let sources = usage("source");
    assert_eq!(sources[0]["key"], "anthropic");
    assert_eq!(sources[0]["inputTokens"], 3000);
    assert_eq!(sources[0]["outputTokens"], 150);
    assert_eq!(sources[0]["saved"], 0.0);
    assert_eq!(sources[1]["key"], "demo");
    assert_eq!(sources[1]["cost"], Value::Null, "nobody knows its price");
    let text = sandbox.weir(&["usage"]).run().code(0).stdout;
    assert!(text.starts_with("day "), "{text}");
    assert!(text.contains("$0.0112+"), "{text}");
    let lengths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
    assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");

    sandbox.weir(&["doctor", "--rebuild"]).run().code(0);
    assert_eq!(usage("source"), sources);
}

#[test]
fn budgets_are_set_listed_and_removed() {
    let sandbox = Sandbox::new();
    let budget = |arguments: &[&str]| {
        let arguments = [&["budget"], arguments].concat();
        sandbox.weir(&arguments).run()
    };
    let rows: [&[&str]; 6] = [
        &["set", "$5", "--per", "day"],
        &["set", "100000", "--tokens", "--per", "session"],
        &[
            "set",
            "20",
            "--per",
            "source",
            "--of",
            "anthropic",
            "--within",
            "month",
        ],
        &["set", "7.5", "--per", "project"],
        &["set", "6", "--per", "day"],
        &["set", "0.00005", "--per", "month"],
    ];
    for row in rows {
        budget(row).code(0);
    }
    let listed = budget(&["list"]).code(0).stdout;
    assert_eq!(
        listed,
        "$6.0000 a day for everything, $0.0000 spent\n\
         100000 tokens for each session\n\
         $20.0000 a month for source anthropic, $0.0000 spent\n\
         $7.5000 for each project\n\
         $0.000050 a month for everything, $0.0000 spent\n"
    );
    let json = budget(&["list", "--json"]).code(0).json();
    assert_eq!(json[0]["budget"]["scope"]["of"], "everything");
    budget(&["remove", "--per", "day"]).code(0);
    let gone = budget(&["remove", "--per", "day"]).code(1);
    assert_eq!(
        gone.sentence(),
        "There is no such budget. See weir budget list."
    );
    let wrong: [&[&str]; 6] = [
        &["set", "much", "--per", "day"],
        &["set", "-1", "--per", "day"],
        &["set", "nan", "--per", "day"],
        &["set", "1", "--per", "day", "--within", "month"],
        &["set", "1", "--per", "session", "--of", "x"],
        &["set", "1", "--per", "source", "--of", "nobody"],
    ];
    for row in wrong {
        let refused = budget(row).code(2);
        refused.sentence();
    }
    assert_eq!(budget(&["list"]).code(0).stdout.lines().count(), 4);
}

/// A reply that hangs after 400 letters, of which its source has counted one token.
fn half() -> Reply {
    let said = [
        json!({"type": "message_start", "message": {
            "id": "msg_half", "type": "message", "role": "assistant", "content": [],
            "model": "claude-sonnet-4-5", "stop_reason": null, "stop_sequence": null,
            "usage": {"input_tokens": 1000, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0,
            "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": "A weir. ".repeat(50)}}),
    ];
    let said: String = said.iter().map(sse::event).collect();
    Reply::Stream(vec![Part::Send(said), Part::Hang])
}

/// Who stops a reply, or kills Weir, has paid for what came; and a budget knows it.
#[test]
fn what_is_stopped_or_killed_is_counted() {
    // 1000 tokens in, as the source said, and 100 out, by the letters that came.
    let stopped = 0.0045;
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start([half(), half(), half()]);
    let set = ["budget", "set", "0.0055", "--per", "day"];
    sandbox.weir(&set).run().code(0);
    let model = ["--model", "claude-sonnet-4-5", "Why?"];
    let turn = |signal: Signal| {
        let turn = chat(&sandbox, &server, &canary, &model).start();
        turn.wait_until("a chunk", |output| output.contains("message_chunk"));
        turn.signal(signal);
        let events = turn.finish().events();
        let stored = sandbox.weir(&["events", &session(&events)]).run().code(0);
        stored.events()
    };
    let events = turn(Signal::INT);
    let used = of_kind(&events, "usage");
    assert_eq!(used.len(), 1, "{events:?}");
    assert_eq!(used[0]["isEstimate"], true);
    assert_eq!(used[0]["usage"]["inputTokens"], 1000);
    assert_eq!(used[0]["usage"]["outputTokens"], 100);
    assert!(near(&used[0]["cost"], stopped), "{}", used[0]);

    let events = turn(Signal::KILL);
    assert_eq!(kind(events.last().unwrap()), "error");
    let used = of_kind(&events, "usage");
    assert_eq!(used.len(), 1, "{events:?}");
    assert_eq!(used[0]["isEstimate"], true);
    // What the source had said of its input died with the program, and so did what the guard had
    // not yet let go; the rest is there.
    let letters = used[0]["usage"]["outputTokens"].as_u64().unwrap();
    assert!((90..=100).contains(&letters), "{}", used[0]);
    let killed = used[0]["cost"].as_f64().unwrap();

    let rows = sandbox.weir(&["usage", "--by", "source", "--json"]).run();
    let rows = rows.code(0).json();
    assert_eq!(rows[0]["estimatedSteps"], 2);
    assert!(near(&rows[0]["cost"], stopped + killed), "{rows}");
    let table = sandbox.weir(&["usage"]).run().code(0).stdout;
    assert!(table.contains("≈$0.00"), "{table}");
    chat(&sandbox, &server, &canary, &model).run().code(3);
    assert_eq!(server.requests().len(), 2, "the third is not asked");
    println!("budget: a stop cost {stopped} $, a kill {killed} $, and a third prompt was refused");
}

/// Two programs set limits at the same moment, and take some away: none is lost.
#[test]
fn limits_that_two_set_at_once_are_all_there() {
    const ROUNDS: usize = 25;
    let sandbox = Sandbox::new();
    sandbox.weir(&["budget", "list"]).run().code(0);
    let set = |limit: usize, of: &str| {
        let limit = limit.to_string();
        let call = ["budget", "set", &limit, "--per", "project", "--of", of];
        sandbox.weir(&call).start()
    };
    for round in 1..=ROUNDS {
        let folders = ["a", "b"].map(|name| format!("/gone/{name}{round}"));
        let both = folders.each_ref().map(|of| set(round, of));
        for call in both {
            call.finish().code(0);
        }
    }
    let count = || {
        let listed = sandbox.weir(&["budget", "list", "--json"]).run().code(0);
        listed.json().as_array().unwrap().len()
    };
    assert_eq!(count(), 2 * ROUNDS);
    let remove = |of: &str| {
        let call = ["budget", "remove", "--per", "project", "--of", of];
        sandbox.weir(&call).start()
    };
    let gone = [remove("/gone/a1"), remove("/gone/b2"), set(9, "/gone/new")];
    for call in gone {
        call.finish().code(0);
    }
    assert_eq!(count(), 2 * ROUNDS - 1);
    println!("budget: {ROUNDS} times two processes set a limit at once, 0 lost");
}

/// One reply of a model that no table lists.
fn unlisted() -> Reply {
    let said = sse::message_start() + &sse::text(0, "Yes.") + &sse::message_stop();
    Reply::Stream(vec![Part::Send(said)])
}

/// In a budget of money an unknown price asks: nothing is sent, and what to do is said.
#[test]
fn a_model_of_unknown_price_asks_first() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start((0..4).map(|_| unlisted()));
    let model = ["--model", "claude-of-tomorrow"];
    let ask = |more: &[&str]| {
        let arguments = [&model[..], more, &["Why?"]].concat();
        chat(&sandbox, &server, &canary, &arguments).run()
    };
    ask(&[]).code(0);
    assert_eq!(server.requests().len(), 1, "no budget, no question");
    sandbox
        .weir(&["budget", "set", "5", "--per", "day"])
        .run()
        .code(0);
    let refused = ask(&[]).code(3);
    assert_eq!(
        refused.sentence(),
        "The price of claude-of-tomorrow is not known, so the budget of $5.00 for today cannot \
         count what it costs. Set its price in Settings, choose another model, or let this session \
         use it uncounted. See weir budget, and weir chat --over-budget."
    );
    assert_eq!(refused.events()[0]["error"]["code"], "budget");
    assert_eq!(server.requests().len(), 1, "nothing was sent");

    // The user's word is remembered for the session and the model.
    let agreed = ask(&["--over-budget"]).code(0).events();
    assert_eq!(of_kind(&agreed, "budget")[0]["level"], "uncounted");
    let session = session(&agreed);
    let again = ask(&["--session", &session]).code(0).events();
    assert!(of_kind(&again, "budget").is_empty());
    assert_eq!(server.requests().len(), 3);
    ask(&[]).code(3);
    let other = [
        "--model",
        "claude-of-next-week",
        "--session",
        &session,
        "Why?",
    ];
    chat(&sandbox, &server, &canary, &other).run().code(3);
    assert_eq!(server.requests().len(), 3);
    println!("budget: a model of unknown price was asked about before anything was sent");
}
