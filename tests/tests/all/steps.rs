//! Turns of several steps from the command line, against a scripted server.

use serde_json::{Value, json};
use weir_tests::events::{kind, of_kind};
use weir_tests::{Canary, Part, Reply, Sandbox, Server, sse};

use super::project::chat;

fn calls(id: &str) -> Reply {
    let start = json!({"type": "content_block_start", "index": 1,
        "content_block": {"type": "tool_use", "id": id, "name": "fly", "input": {}}});
    let stop = json!({"type": "content_block_stop", "index": 1});
    let delta = json!({"type": "message_delta",
        "delta": {"stop_reason": "tool_use", "stop_sequence": null},
        "usage": {"output_tokens": 5}});
    let said = [
        sse::message_start(),
        sse::thinking(0, "Perhaps.", "c2VhbA=="),
        sse::event(&start),
        sse::event(&stop),
        sse::event(&delta),
        sse::event(&json!({"type": "message_stop"})),
    ];
    Reply::Stream(vec![Part::Send(said.concat())])
}

fn kinds(events: &[Value]) -> Vec<&str> {
    let stored = events.iter().map(kind);
    stored.filter(|kind| !kind.ends_with("_chunk")).collect()
}

#[test]
fn a_call_for_a_tool_that_is_not_there_is_answered_and_the_turn_goes_on() {
    let sandbox = Sandbox::new();
    let whole = Reply::Stream(vec![Part::Send(sse::reply(
        "Hm.",
        "c2VhbA==",
        "I cannot fly.",
    ))]);
    let server = Server::start([calls("a"), whole]);
    let turn = chat(&sandbox, &server, &Canary::new(), &["Fly!"])
        .run()
        .code(0);
    let events = turn.events();
    assert_eq!(
        kinds(&events),
        [
            "session_start",
            "user_message",
            "thinking",
            "tool_use",
            "usage",
            "tool_result",
            "thinking",
            "message",
            "usage",
            "complete",
        ]
    );
    assert_eq!(
        of_kind(&events, "complete")[0]["usage"]["inputTokens"],
        22,
        "the usage of both steps"
    );
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    let answer = &requests[1].body["messages"][2]["content"][0];
    assert_eq!(answer["type"], "tool_result");
    assert_eq!(answer["tool_use_id"], "a");
    assert_eq!(answer["is_error"], true);
}

#[test]
fn a_turn_has_as_many_steps_as_the_user_says() {
    let sandbox = Sandbox::new();
    let server = Server::start([calls("a"), calls("b"), calls("c")]);
    let turn = chat(
        &sandbox,
        &server,
        &Canary::new(),
        &["--max-turns", "2", "Fly!"],
    )
    .run()
    .code(0);
    let events = turn.events();
    assert_eq!(of_kind(&events, "complete")[0]["stopReason"], "max_turns");
    assert_eq!(server.requests().len(), 2);
    chat(
        &sandbox,
        &server,
        &Canary::new(),
        &["--max-turns", "0", "Fly!"],
    )
    .run()
    .code(2);
}
