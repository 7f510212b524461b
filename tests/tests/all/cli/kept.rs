//! What a source says beyond what Weir knows is kept, guarded and bounded; and its citations keep
//! how well they fit.

use serde_json::{Value, json};
use weir_tests::events::{check_sequence, kind, of_kind, session};
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

use super::asking;

fn unknown(value: &Value) -> String {
    sse::event(value)
}

fn answered(
    sandbox: &Sandbox,
    canary: &Canary,
    replies: Vec<Reply>,
    more: &[&str],
) -> weir_tests::Outcome {
    let server = Server::start(replies);
    let url = server.url();
    sandbox
        .weir(&asking(&url, more))
        .env("ANTHROPIC_API_KEY", canary.key())
        .run()
}

fn reply(inside: &str) -> Reply {
    let reply = sse::message_start() + inside + &sse::text(0, "An answer.") + &sse::message_stop();
    Reply::Stream(vec![Part::Send(reply)])
}

#[test]
fn unknown_events_are_stored_in_their_order_and_exported() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let new = json!({"type": "weather_report", "sky": ["grey", {"rain": 0.5}]});
    let turn = answered(
        &sandbox,
        &canary,
        vec![reply(&unknown(&new))],
        &["--json", "hi"],
    );
    let told = turn.code(0).events();
    let id = session(&told);
    let stored = sandbox.weir(&["events", &id]).run().code(0).events();
    check_sequence(&stored);
    let [raw] = &of_kind(&stored, "raw")[..] else {
        panic!("one raw event: {stored:?}");
    };
    assert_eq!(raw["value"], new);
    let place_of = |name: &str| stored.iter().position(|event| kind(event) == name);
    assert!(place_of("raw") < place_of("message"), "in its order");
    assert!(
        told.iter().any(|event| event["id"] == raw["id"]),
        "it was told"
    );
    let export = sandbox
        .weir(&["export", "--to", "json", &id])
        .run()
        .code(0)
        .json();
    assert_eq!(export["events"], Value::Array(stored));
    for to in ["md", "html"] {
        let text = sandbox
            .weir(&["export", "--to", to, &id])
            .run()
            .code(0)
            .stdout;
        assert!(
            text.contains("An answer.") && !text.contains("weather_report"),
            "{to}"
        );
    }
    // The conversation goes on without it.
    let server = Server::start([reply("")]);
    let url = server.url();
    sandbox
        .weir(&asking(&url, &["--session", &id, "--move", "more"]))
        .env("ANTHROPIC_API_KEY", canary.key())
        .run()
        .code(0);
    assert!(
        !server.requests()[0]
            .body
            .to_string()
            .contains("weather_report")
    );
}

/// The key is redacted in every form in which it comes back, and so is what rules find.
#[test]
fn unknown_events_hold_no_secret() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let other = Canary::new();
    let key = canary.key();
    let reversed: String = key.chars().rev().collect();
    let mut named = serde_json::Map::new();
    named.insert(key.to_owned(), json!(1));
    let forms = [
        json!({"type": "echo", "key": key}),
        json!({"type": "echo", "text": format!("x-api-key: {key}, and on")}),
        json!({"type": "echo", "nested": [[{"a": format!("{{\"k\":\"{key}\"}}")}]]}),
        json!({"type": "echo", "reversed": reversed}),
        json!({"type": "echo", "names": Value::Object(named)}),
        json!({"type": "echo", "other": other.key()}),
    ];
    let mut said: String = forms.iter().map(unknown).collect();
    said.push_str(&format!(
        "event: echo\ndata: no JSON with {key} and {}\n\n",
        other.key()
    ));
    let turn = answered(&sandbox, &canary, vec![reply(&said)], &["--json", "hi"]).code(0);
    let raw = of_kind(&turn.events(), "raw").len();
    assert_eq!(
        raw,
        forms.len() + 1,
        "all of them are kept: {}",
        turn.stdout
    );
    for canary in [&canary, &other] {
        canary.check_absent_from_text("stdout", &turn.stdout);
        canary.check_absent_below(&sandbox.data());
    }
}

#[test]
fn a_session_keeps_a_bounded_number_of_them() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let flood = |from: usize| -> String {
        let one = |number| unknown(&json!({"type": "noise", "number": number}));
        (from..from + 700).map(one).collect()
    };
    let turn = answered(&sandbox, &canary, vec![reply(&flood(0))], &["--json", "hi"]);
    let id = session(&turn.code(0).events());
    for from in [700, 1400] {
        let more = ["--json", "--session", &id, "--move", "more"];
        answered(&sandbox, &canary, vec![reply(&flood(from))], &more).code(0);
    }
    let stored = sandbox.weir(&["events", &id]).run().code(0).events();
    check_sequence(&stored);
    let raw = of_kind(&stored, "raw");
    assert_eq!(raw.len(), 1000);
    let last = raw.last().unwrap();
    assert_eq!(
        (&last["value"], &last["isCut"]),
        (&Value::Null, &json!(true))
    );
    assert_eq!(raw[998]["value"]["number"], 998);
    assert_eq!(
        of_kind(&stored, "message").len(),
        3,
        "the replies are whole"
    );
}

/// What nobody was shown keeps no step from being asked again.
#[test]
fn an_unknown_event_before_a_failure_does_not_stop_the_retry() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let failed = sse::message_start()
        + &unknown(&json!({"type": "weather_report"}))
        + &sse::event(&json!({"type": "error",
            "error": {"type": "overloaded_error", "message": "Later."}}));
    let replies = vec![Reply::Stream(vec![Part::Send(failed)]), reply("")];
    let turn = answered(&sandbox, &canary, replies, &["--json", "hi"]).code(0);
    let events = turn.events();
    assert_eq!(of_kind(&events, "retry").len(), 1);
    assert_eq!(of_kind(&events, "raw").len(), 1, "and it is kept");
    assert_eq!(of_kind(&events, "message").len(), 1);
}

fn cited() -> Reply {
    let cites = |index: u32, citation: Value| {
        sse::text_start(index)
            + &sse::event(&json!({"type": "content_block_delta", "index": index,
                "delta": {"type": "citations_delta", "citation": citation}}))
            + &sse::text_delta(index, &format!("Statement {index}."))
            + &sse::event(&json!({"type": "content_block_stop", "index": index}))
    };
    let page = |name: &str, score: f64| {
        json!({"type": "web_search_result_location", "url": format!("https://{name}.example/"),
            "title": format!("Page {name}"), "cited_text": "so", "score": score})
    };
    let blocks =
        cites(0, page("a", 0.875)) + &cites(1, page("b", 0.25)) + &cites(2, page("a", 0.875));
    let reply = sse::message_start() + &blocks + &sse::message_stop();
    Reply::Stream(vec![Part::Send(reply)])
}

#[test]
fn citations_are_numbered_marks_with_a_list_at_the_end() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let turn = answered(&sandbox, &canary, vec![cited()], &["hi"]).code(0);
    assert!(
        turn.stdout
            .contains("Statement 0.[1]Statement 1.[2]Statement 2.[1]"),
        "{}",
        turn.stdout
    );
    let list = "[1] Page a https://a.example/ (relevance 0.88)\n[2] Page b https://b.example/ (relevance 0.25)\n";
    assert!(turn.stdout.contains(list), "{}", turn.stdout);
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let id = listed[0]["id"].as_str().unwrap();
    let markdown = sandbox
        .weir(&["export", "--to", "md", id])
        .run()
        .code(0)
        .stdout;
    assert!(
        markdown.contains("Statement 0.[1]Statement 1.[2]Statement 2.[1]"),
        "{markdown}"
    );
    assert!(
        markdown.contains("1. Page a: <https://a.example/>\n2. Page b"),
        "{markdown}"
    );
    let html = sandbox
        .weir(&["export", "--to", "html", id])
        .run()
        .code(0)
        .stdout;
    assert!(
        html.contains("Statement 0.[1]Statement 1.[2]Statement 2.[1]"),
        "{html}"
    );
    let stored = sandbox.weir(&["events", id]).run().code(0).events();
    let messages = of_kind(&stored, "message");
    let scores: Vec<&Value> = messages
        .iter()
        .map(|it| &it["citations"][0]["relevance"])
        .collect();
    assert_eq!(scores, [&json!(0.875), &json!(0.25), &json!(0.875)]);
}
