//! A budget of one cent, in the command line: a loop of tools stops after the step that crosses
//! it, and what was used adds up.

use serde_json::{Value, json};
use weir_tests::events::{check_sequence, of_kind, session};
use weir_tests::{Canary, Part, Place, Reply, Server, sse};

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
pub(super) fn notes(place: &Place) -> String {
    let folder = place.home().join("notes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("notes.txt"), "The weir holds.\n").unwrap();
    let path = folder.to_str().unwrap().to_owned();
    place.weir(&["trust", "--yes", &path]).run().code(0);
    path
}

fn near(value: &Value, expected: f64) -> bool {
    value
        .as_f64()
        .is_some_and(|value| (value - expected).abs() < 1e-9)
}

#[test]
fn a_budget_of_one_cent_stops_a_loop_of_tools() {
    let place = Place::new();
    let path = notes(&place);
    let canary = Canary::new();
    let server = Server::start(["a", "b", "c", "d", "e"].map(|id| step(Some(id))));
    let set = ["budget", "set", "0.01", "--per", "session"];
    place.weir(&set).run().code(0);
    let model = ["--project", &path, "--model", "claude-sonnet-4-5"];
    let ask = |more: &[&str]| {
        let arguments = [&model[..], more, &["Read it."]].concat();
        chat(&place, &server, &canary, &arguments).run()
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
    let stored = place.weir(&["events", &session]).run().code(0).events();
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
    let again = place.weir(&["events", &session]).run().code(0).events();
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
    let place = Place::new();
    let path = notes(&place);
    let canary = Canary::new();
    let server = Server::start([step(Some("a")), step(None), step(None)]);
    let model = ["--model", "claude-sonnet-4-5"];
    let in_project = [&model[..], &["--project", &path, "Read it."]].concat();
    chat(&place, &server, &canary, &in_project).run().code(0);
    let alone = [&model[..], &["Read it."]].concat();
    chat(&place, &server, &canary, &alone).run().code(0);
    place.weir(&["chat", "hello fast"]).run().code(0);

    let usage = |by: &str| {
        let rows = place.weir(&["usage", "--by", by, "--json"]).run().code(0);
        rows.json().as_array().unwrap().clone()
    };
    let sessions = place.weir(&["sessions", "--json"]).run().code(0).events();
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
    let text = place.weir(&["usage"]).run().code(0).stdout;
    assert!(text.starts_with("day "), "{text}");
    assert!(text.contains("$0.0112+"), "{text}");
    let lengths: Vec<_> = text.lines().map(|line| line.chars().count()).collect();
    assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");

    place.weir(&["doctor", "--rebuild"]).run().code(0);
    assert_eq!(usage("source"), sources);
}

#[test]
fn budgets_are_set_listed_and_removed() {
    let place = Place::new();
    let budget = |arguments: &[&str]| {
        let arguments = [&["budget"], arguments].concat();
        place.weir(&arguments).run()
    };
    let rows: [&[&str]; 5] = [
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
         $7.5000 for each project\n"
    );
    let json = budget(&["list", "--json"]).code(0).json();
    assert_eq!(json[0]["budget"]["scope"]["of"], "everything");
    budget(&["remove", "--per", "day"]).code(0);
    budget(&["remove", "--per", "day"]).code(2);
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
    assert_eq!(budget(&["list"]).code(0).stdout.lines().count(), 3);
}
