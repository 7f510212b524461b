//! The AI SDK's stream of a live turn and of a stored session, read by the real `ai` package.

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind, session};
use weir_tests::{Reply, Sandbox, Server};

use super::{asking, hanging};
use crate::ai_sdk::sdk;

/// What the model said or thought, joined.
fn words(events: &[Value], name: &str) -> String {
    let said = of_kind(events, name);
    said.iter().map(|event| content(event)).collect()
}

fn thoughts(message: &Value) -> String {
    let parts = message["reasoning"].as_array().unwrap().iter();
    let parts = parts.filter(|part| part["variant"] == "thinking");
    parts.map(|part| part["text"].as_str().unwrap()).collect()
}

fn prompts(message: &Value) -> Vec<&str> {
    let parts = message["data"].as_array().unwrap().iter();
    let parts = parts.filter(|part| part["type"] == "data-prompt");
    parts
        .map(|part| part["data"]["text"].as_str().unwrap())
        .collect()
}

fn read(stream: &str) -> Value {
    let message = sdk(&[stream.to_owned()]).remove(0);
    assert_eq!(message["problems"], json!([]), "{stream}");
    message
}

#[test]
fn a_live_turn_and_the_stored_one_are_the_same_message() {
    let sandbox = Sandbox::new();
    let live = sandbox
        .weir(&["chat", "--to", "ai-sdk", "hello fast"])
        .run()
        .code(0);
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let id = listed[0]["id"].as_str().unwrap();
    let stored = sandbox
        .weir(&["export", "--to", "ai-sdk", id])
        .run()
        .code(0);
    let (live, stored) = (read(&live.stdout), read(&stored.stdout));
    let events = sandbox.weir(&["events", id]).run().code(0).events();
    for message in [&live, &stored] {
        assert_eq!(message["text"], words(&events, "message"));
        assert_eq!(thoughts(message), words(&events, "thinking"));
    }
    // What was asked is a part of the stored one only: who asks live knows it.
    assert_eq!(prompts(&live), [""; 0]);
    assert_eq!(prompts(&stored), ["hello fast"]);
    for field in [
        "messageId",
        "metadata",
        "reasoning",
        "tools",
        "sources",
        "steps",
        "finished",
    ] {
        assert_eq!(live[field], stored[field], "{field}");
    }
    assert!(live["sources"].as_array().is_some_and(|it| !it.is_empty()));
    let data = live["data"].to_string();
    assert!(data.contains(id), "names the session to go on with: {data}");
}

#[test]
fn a_session_of_several_turns_is_one_message_of_many_steps() {
    let sandbox = Sandbox::new();
    let first = sandbox
        .weir(&["chat", "--json", "first fast"])
        .run()
        .code(0);
    let id = session(&first.events());
    // One that fails, in the middle.
    let server = Server::start([Reply::Refusal(
        400,
        json!({"type": "error",
        "error": {"type": "invalid_request_error", "message": "Not like this."}}),
    )]);
    let url = server.url();
    sandbox
        .weir(&asking(&url, &["--session", &id, "--move", "second"]))
        .env("ANTHROPIC_API_KEY", "any")
        .run()
        .code(1);
    let third = ["chat", "--source", "demo", "--session", &id, "third fast"];
    sandbox.weir(&third).run().code(0);
    let stream = sandbox
        .weir(&["export", "--to", "ai-sdk", &id])
        .run()
        .code(0)
        .stdout;
    let message = read(&stream);
    assert_eq!(prompts(&message), ["first fast", "second", "third fast"]);
    let events = sandbox.weir(&["events", &id]).run().code(0).events();
    assert_eq!(message["text"], words(&events, "message"));
    let calls = message["tools"].as_array().unwrap();
    assert_eq!(
        calls.len(),
        of_kind(&events, "tool_use").len(),
        "each of its own: {calls:?}"
    );
    assert_eq!(message["finished"], true);
    assert!(stream.contains("Not like this."), "why the second failed");
    assert!(
        !stream.contains("\"type\":\"error\""),
        "a later turn went well"
    );
}

#[test]
fn a_turn_that_is_stopped_or_fails_is_a_whole_stream() {
    let sandbox = Sandbox::new();
    let server = hanging();
    let url = server.url();
    let running = sandbox
        .weir(&asking(&url, &["--to", "ai-sdk", "go on"]))
        .env("ANTHROPIC_API_KEY", "any")
        .start();
    running.wait_until("half a reply", |said| said.contains("Half a reply."));
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let id = listed[0]["id"].as_str().unwrap();
    sandbox.weir(&["stop", id]).run().code(0);
    let stopped = running.finish().code(130).stdout;
    assert!(
        stopped.contains("\"type\":\"abort\"") && stopped.ends_with("data: [DONE]\n\n"),
        "{stopped}"
    );
    assert_eq!(read(&stopped)["text"], "Half a reply. ");

    let failures: [(&[&str], i32); 3] = [
        (&["--source", "oracle", "hi"], 2),
        (&["--source", "anthropic", "hi"], 1),
        (&[""], 2),
    ];
    for (more, code) in failures {
        let mut arguments = vec!["chat", "--to", "ai-sdk"];
        arguments.extend(more);
        let failed = sandbox.weir(&arguments).run().code(code);
        assert!(
            failed.stdout.contains("\"type\":\"error\""),
            "{}",
            failed.stdout
        );
        assert!(
            failed.stdout.ends_with("data: [DONE]\n\n"),
            "{}",
            failed.stdout
        );
        failed.sentence();
    }
}
