//! The Anthropic source against a scripted server: what it asks, what it keeps, and that its
//! key goes into the request and nowhere else.

use serde_json::{Value, json};
use weir_tests::events::{content, kind, of_kind, session, stored};
use weir_tests::server::Request;
use weir_tests::weir::Weir;
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

const THOUGHT: &str = "A thought with a seal.";
const SIGNATURE: &str = "c2VhbGVkIGZvciB0aGUgbmV4dCB0dXJu";
const ANSWER: &str = "The answer is **42**.";

fn whole_reply() -> Reply {
    Reply::Stream(vec![Part::Send(sse::reply(THOUGHT, SIGNATURE, ANSWER))])
}

fn chat(sandbox: &Sandbox, server: &Server, canary: &Canary, more: &[&str]) -> Weir {
    let url = server.url();
    let mut arguments = vec!["chat", "--source", "anthropic", "--base-url", &url];
    arguments.extend(more);
    sandbox
        .weir(&arguments)
        .env("ANTHROPIC_API_KEY", canary.key())
}

/// How many cache breakpoints a request carries, anywhere.
fn breakpoints(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            let here = usize::from(fields.contains_key("cache_control"));
            here + fields.values().map(breakpoints).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(breakpoints).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn check_request(request: &Request, canary: &Canary) {
    assert_eq!(request.method, "POST");
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.header("x-api-key"), canary.key());
    assert_eq!(request.header("anthropic-version"), "2023-06-01");
    assert!(
        request
            .header("content-type")
            .starts_with("application/json")
    );
    assert_eq!(request.body["stream"], true);
    assert!(request.body["max_tokens"].as_u64() > Some(0));
    let breakpoints = breakpoints(&request.body);
    assert!((1..=4).contains(&breakpoints), "1 to 4, not {breakpoints}");
}

#[test]
fn asks_as_the_messages_api_wants_and_keeps_the_reply() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start([whole_reply()]);
    let more = [
        "--model",
        "claude-sonnet-4-5",
        "--system",
        "Be brief.",
        "--thinking",
        "2048",
        "--json",
        "Why?",
    ];
    let turn = chat(&sandbox, &server, &canary, &more).run().code(0);
    let events = turn.events();
    assert_eq!(content(of_kind(&events, "thinking")[0]), THOUGHT);
    assert_eq!(of_kind(&events, "thinking")[0]["signature"], SIGNATURE);
    assert_eq!(content(of_kind(&events, "message")[0]), ANSWER);
    assert_eq!(of_kind(&events, "message")[0]["messageId"], "msg_scripted");
    let usage = &of_kind(&events, "usage")[0]["usage"];
    let figures = [
        "inputTokens",
        "outputTokens",
        "cacheReadTokens",
        "cacheWriteTokens",
    ];
    assert_eq!(
        figures.map(|name| usage[name].as_u64()),
        [11, 23, 5, 7].map(Some)
    );
    assert_eq!(of_kind(&events, "complete")[0]["stopReason"], "end_turn");

    let [request] = &server.requests()[..] else {
        panic!("one request");
    };
    check_request(request, &canary);
    assert_eq!(request.body["model"], "claude-sonnet-4-5");
    assert_eq!(request.body["thinking"]["type"], "enabled");
    assert_eq!(request.body["thinking"]["budget_tokens"], 2048);
    assert!(request.body["max_tokens"].as_u64() > Some(2048));
    assert!(request.body["system"].to_string().contains("Be brief."));
    assert!(
        breakpoints(&request.body["system"]) > 0,
        "on the system prompt"
    );
    let [message] = request.body["messages"].as_array().unwrap().as_slice() else {
        panic!("one message: {}", request.body);
    };
    assert_eq!(message["role"], "user");
    assert!(message["content"].to_string().contains("Why?"));
}

#[test]
fn thinking_is_asked_for_as_the_model_knows_it() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let asked = |model: &str, thinking: &str| {
        let server = Server::start([whole_reply()]);
        let more = ["--model", model, "--thinking", thinking, "Why?"];
        chat(&sandbox, &server, &canary, &more).run().code(0);
        server.requests()[0].body["thinking"].clone()
    };
    assert_eq!(asked("claude-opus-4-5", "low")["type"], "enabled");
    assert_eq!(asked("claude-opus-4-6", "low")["type"], "adaptive");
    let thinking = asked("claude-opus-4-6", "off");
    assert!(
        thinking.is_null() || thinking["type"] == "disabled",
        "{thinking}"
    );
}

#[test]
fn a_second_turn_carries_the_history_with_its_signature() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let server = Server::start([whole_reply(), whole_reply()]);
    let first = chat(&sandbox, &server, &canary, &["--json", "Why?"])
        .run()
        .code(0);
    let id = session(&first.events());
    let more = ["--session", &id, "--json", "And then?"];
    chat(&sandbox, &server, &canary, &more).run().code(0);

    let requests = server.requests();
    check_request(&requests[1], &canary);
    let messages = requests[1].body["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user"]);
    let said = &messages[1]["content"];
    assert_eq!(said[0]["type"], "thinking", "{said}");
    assert_eq!(said[0]["thinking"], THOUGHT);
    assert_eq!(said[0]["signature"], SIGNATURE);
    assert_eq!(said[1]["text"], ANSWER);
    assert!(messages[2]["content"].to_string().contains("And then?"));
    assert!(
        breakpoints(&requests[1].body["messages"]) > 0,
        "on the history"
    );
}

#[test]
fn the_providers_own_message_reaches_the_person() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let refusals = [
        (
            400,
            "invalid_request_error",
            "max_tokens: must be greater than thinking.budget_tokens",
        ),
        (401, "authentication_error", "invalid x-api-key"),
        (404, "not_found_error", "model: claude-of-yesteryear"),
    ];
    for (status, name, message) in refusals {
        let body = json!({"type": "error", "error": {"type": name, "message": message}});
        let server = Server::start([Reply::Refusal(status, body)]);
        let turn = chat(&sandbox, &server, &canary, &["--json", "Why?"])
            .run()
            .code(1);
        assert!(turn.stderr.contains(message), "{}", turn.stderr);
        let events = turn.events();
        let last = events.last().unwrap();
        assert_eq!(kind(last), "error");
        assert!(last["error"]["message"].as_str().unwrap().contains(message));
        let back = sandbox.weir(&["events", &session(&events)]).run().code(0);
        assert_eq!(back.events(), stored(&events));
    }
}

#[test]
fn a_cut_stream_keeps_the_partial_reply() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let half = sse::message_start() + &sse::text_start(0) + &sse::text_delta(0, "Half an ans");
    let server = Server::start([Reply::Stream(vec![Part::Send(half), Part::Cut])]);
    let turn = chat(&sandbox, &server, &canary, &["--json", "Why?"]).start();
    // The word that may still grow is held back by the guard, and kept all the same.
    turn.wait_until("text", |output| output.contains("Half"));
    server.cut();
    let turn = turn.finish().code(1);
    turn.sentence();
    let id = session(&turn.events());
    let back = sandbox.weir(&["events", &id]).run().code(0).events();
    assert_eq!(content(of_kind(&back, "message")[0]), "Half an ans");
    assert_eq!(kind(back.last().unwrap()), "error");
}

#[test]
fn an_error_inside_a_stream_is_told() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded just now"}});
    let parts = sse::message_start() + &sse::text(0, "Well,") + &sse::event(&error);
    let server = Server::start([Reply::Stream(vec![Part::Send(parts)])]);
    let turn = chat(&sandbox, &server, &canary, &["--json", "Why?"])
        .run()
        .code(1);
    assert!(
        turn.stderr.contains("Overloaded just now"),
        "{}",
        turn.stderr
    );
    let events = turn.events();
    assert_eq!(content(of_kind(&events, "message")[0]), "Well,");
    assert_eq!(events.last().unwrap()["error"]["code"], "overloaded");
}

#[test]
fn a_reply_is_done_when_its_source_says_so_however_the_connection_ends() {
    for after in [Part::Hang, Part::Cut] {
        let sandbox = Sandbox::new();
        let canary = Canary::new();
        let Reply::Stream(mut parts) = whole_reply() else {
            panic!("a whole reply is a stream");
        };
        parts.push(after);
        let server = Server::start([Reply::Stream(parts)]);
        let turn = chat(&sandbox, &server, &canary, &["--json", "Why?"]);
        let events = turn.run().code(0).events();
        assert_eq!(events.last().unwrap()["stopReason"], "end_turn");
    }
}

#[test]
fn a_silent_stream_can_be_stopped() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let half = sse::message_start() + &sse::text_start(0) + &sse::text_delta(0, "Half an ans");
    let server = Server::start([Reply::Stream(vec![Part::Send(half), Part::Hang])]);
    let turn = chat(&sandbox, &server, &canary, &["--json", "Why?"]).start();
    // The word that may still grow is held back by the guard, and kept all the same.
    turn.wait_until("text", |output| output.contains("Half"));
    turn.signal(weir_tests::process::Signal::INT);
    let events = turn.finish().code(130).events();
    assert_eq!(content(of_kind(&events, "message")[0]), "Half an ans");
}

#[test]
fn a_server_that_is_not_there_is_one_sentence() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let url = Server::start([]).url();
    let arguments = ["chat", "--source", "anthropic", "--base-url", &url, "Why?"];
    let call = sandbox
        .weir(&arguments)
        .env("ANTHROPIC_API_KEY", canary.key());
    call.run().code(1).sentence();
}

#[test]
fn the_key_is_in_the_request_and_nowhere_else() {
    let sandbox = Sandbox::new();
    let canary = Canary::new();
    let echo = format!("invalid key: {}", canary.key());
    let refusal = json!({"type": "error", "error": {"type": canary.key(), "message": echo}});
    let in_stream = json!({"type": "error", "error": {"type": "api_error", "message": echo}});
    let server = Server::start([
        whole_reply(),
        Reply::Refusal(401, refusal),
        Reply::Stream(vec![Part::Send(
            sse::message_start() + &sse::event(&in_stream),
        )]),
        // That passes, and is asked once more.
        whole_reply(),
    ]);
    for more in [["--json", "Why?"]; 3] {
        let turn = chat(&sandbox, &server, &canary, &more)
            .env("WEIR_LOG", "trace")
            .run();
        canary.check_absent_from_text("stdout", &turn.stdout);
        canary.check_absent_from_text("stderr", &turn.stderr);
    }
    assert_eq!(server.requests().len(), 4);
    assert_eq!(server.requests()[3].header("x-api-key"), canary.key());
    canary.check_absent_below(sandbox.root());
}
