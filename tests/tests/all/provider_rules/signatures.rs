//! Signed thinking, which Anthropic's newest models take back only after the very conversation
//! that it was signed in.

use serde_json::{Value, json};
use weir_tests::events::{content, of_kind, session};
use weir_tests::steps::{Speaker, Step};
use weir_tests::{Part, Reply, Sandbox, Server};

use super::{chat, list, notes, refused};

const BOUND: &str = "messages.1.content.0: Invalid `signature` in `thinking` block. The block is \
    bound to a different conversation.";

/// As the newest models do when what stands before the thinking has changed: here, always.
fn wants_none_back(body: &Value) -> Option<Reply> {
    let blocks = list(&body["messages"])
        .iter()
        .flat_map(|message| list(&message["content"]));
    let mut blocks = blocks;
    let is_signed = |block: &Value| {
        block["type"] == "thinking"
            || block["type"] == "redacted_thinking"
            || block.get("reasoningContent").is_some()
    };
    blocks.any(is_signed).then(|| refused(BOUND, ""))
}

fn thinks(source: &str, number: usize) -> Reply {
    let dialect = weir_core::source::source(source).unwrap().dialect.name;
    let speaker = Speaker {
        source,
        dialect,
        number,
    };
    let step = Step {
        thinking: Some("Hm."),
        text: Some("Yes."),
        ..Step::default()
    };
    let said = vec![Part::Bytes(speaker.says(step).to_vec())];
    match dialect {
        "bedrock" => Reply::EventStream(said),
        _ => Reply::Stream(said),
    }
}

#[test]
fn thinking_that_is_bound_to_another_conversation_is_left_out_and_said() {
    for (source, model) in [
        ("anthropic", "claude-sonnet-5-5"),
        ("bedrock", "global.anthropic.claude-sonnet-5-5"),
    ] {
        let sandbox = Sandbox::new();
        let server = Server::judging(
            Box::new(|request| wants_none_back(&request.body)),
            (1..4).map(|number| thinks(source, number)),
        );
        let first = ["--model", model, "Why?"];
        let events = chat(&sandbox, source, &server, &first)
            .run()
            .code(0)
            .events();
        assert_eq!(notes(&events), Vec::<&str>::new());
        let id = session(&events);
        for (attempt, prompt) in ["And why?", "And that?"].iter().enumerate() {
            let more = ["--session", &id, prompt];
            let events = chat(&sandbox, source, &server, &more)
                .run()
                .code(0)
                .events();
            assert_eq!(content(of_kind(&events, "message")[0]), "Yes.", "{source}");
            let told = notes(&events);
            // Once a session.
            let is_told = told.iter().any(|note| note.contains("earlier thinking"));
            assert_eq!(is_told, attempt == 0, "{source}: {told:?}");
        }
        let requests = server.requests();
        // What holds for one conversation is not remembered of the model: each turn tries.
        let with: Vec<bool> = requests
            .iter()
            .map(|it| wants_none_back(&it.body).is_some())
            .collect();
        assert_eq!(with, [false, true, false, true, false], "{source}");
        let sent = &requests[2].body["messages"];
        assert_eq!(sent[1]["role"], "assistant", "{source}: its words stay");
        assert!(sent[1]["content"].to_string().contains("Yes."), "{source}");
        if source == "bedrock" {
            let signed = |at: usize| requests[at].header("authorization").to_owned();
            assert_eq!(signed(1), signed(2), "an API key is the same for both");
        }
    }
    assert!(wants_none_back(&json!({"messages": []})).is_none());
}
