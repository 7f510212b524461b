use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::StreamEvent;

use super::{Assembler, TurnId};
use crate::clock;
use crate::source::price::Prices;

/// The finished blocks that come of what a source said, each by its type and its words.
fn blocks(said: Value) -> Vec<String> {
    let id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::nil(),
        started: clock::now(),
    };
    let mut said: Vec<StreamEvent> = serde_json::from_value(said).unwrap();
    let mut assembler = Assembler::new(id, "demo", "demo", Prices::default());
    assembler.take(&mut said, id.started);
    assembler.complete(weir_protocol::StopReason::EndTurn, id.started);
    let events = assembler.drain();
    let finished = events.iter().filter(|event| !event.body.is_chunk());
    finished
        .map(|event| {
            let event = serde_json::to_value(event).unwrap();
            let words = ["content", "url", "toolName"].map(|field| event[field].as_str());
            let words = words.into_iter().flatten().next().unwrap_or_default();
            format!("{} {words}", event["type"].as_str().unwrap())
        })
        .collect()
}

fn text(id: u32, text: &str) -> [Value; 3] {
    [
        json!({"type": "text_start", "id": id}),
        json!({"type": "text_delta", "id": id, "text": text}),
        json!({"type": "text_end", "id": id}),
    ]
}

#[test]
fn what_an_agent_does_beside_its_answer_stands_in_blocks_of_its_kind() {
    let todo = |content: &str, status: &str| json!({"content": content, "status": status});
    let said = [
        vec![
            json!({"type": "status", "message": "Starting"}),
            json!({"type": "todo_create", "todos": [todo("a", "pending"), todo("b", "in_progress")]}),
            json!({"type": "todo_done", "todo": todo("a", "completed")}),
            json!({"type": "subagent_start", "subagentId": null, "name": "scout", "task": "look"}),
            json!({"type": "subagent_end", "subagentId": null, "name": "scout", "summary": "seen",
                "isError": false}),
            json!({"type": "status", "message": "Writing"}),
        ],
        text(0, "Done.").to_vec(),
        vec![
            json!({"type": "file", "url": "data:image/png;base64,aGk=", "mediaType": "image/png"}),
        ],
        text(1, "See above.").to_vec(),
    ];
    let expected = [
        "processing Starting\n☐ a\n◐ b\n☑ a\n",
        "thinking scout: look\nscout: seen\n",
        "processing Writing\n",
        "message Done.",
        "file data:image/png;base64,aGk=",
        "message See above.",
        "complete ",
    ];
    assert_eq!(blocks(json!(said.concat())), expected);
}

#[test]
fn a_call_is_published_once_and_a_result_needs_no_call() {
    let call = |id: u32| {
        [
            json!({"type": "tool_use_start", "id": id, "toolCallId": "t", "name": "look",
                "executedBy": "source"}),
            json!({"type": "tool_use_end", "id": id, "input": {}}),
        ]
    };
    let result = |id: &str| {
        json!({"type": "tool_result", "toolCallId": id, "name": "look", "result": 1,
            "isError": false})
    };
    let said = [
        call(0).to_vec(),
        call(1).to_vec(),
        vec![result("t"), result("nobody")],
    ];
    let expected = [
        "tool_use look",
        "tool_result look",
        "tool_result look",
        "complete ",
    ];
    assert_eq!(blocks(json!(said.concat())), expected);
}
