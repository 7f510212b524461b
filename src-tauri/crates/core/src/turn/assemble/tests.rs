use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::StreamEvent;

use super::{Assembler, TurnId};
use crate::clock;
use crate::source::price::Prices;

fn assembled(said: Value) -> Assembler {
    let id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::nil(),
        started: clock::now(),
    };
    let mut said: Vec<StreamEvent> = serde_json::from_value(said).unwrap();
    let mut assembler = Assembler::new(id, "demo", "demo", Prices::default());
    assembler.take(&mut said, id.started);
    assembler
}

/// The finished blocks that come of what a source said, each by its type and its words.
fn blocks(said: Value) -> Vec<String> {
    let mut assembler = assembled(said);
    assembler.complete(weir_protocol::StopReason::EndTurn, clock::now());
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

/// One row of what becomes of a provider's events once they are stored and shown: its name,
/// the stream events it comes to, and the types of the events.
fn row(name: &str, said: Value, expected: &[&str]) {
    let events = assembled(said).drain();
    let kinds: Vec<&str> = events.iter().map(|event| event.body.name()).collect();
    assert_eq!(kinds, expected, "{name}");
}

#[test]
fn the_rows_from_stream_events_to_events() {
    let start = json!({"type": "start", "messageId": "m", "model": "x"});
    let thinking = json!({"type": "thinking_start", "id": 0});
    let thought = json!({"type": "thinking_delta", "id": 0, "text": "hm"});
    let thinking_end = json!({"type": "thinking_end", "id": 0, "signature": "s", "redacted": null});
    let text = json!({"type": "text_start", "id": 0});
    let word = json!({"type": "text_delta", "id": 0, "text": "a"});
    let citation = json!({"type": "citation", "id": 0, "citation": {"url": "u", "raw": {}}});
    let text_end = json!({"type": "text_end", "id": 0});
    let tool = json!({"type": "tool_use_start", "id": 0, "toolCallId": "t", "name": "look",
        "executedBy": "source"});
    let input = json!({"type": "tool_use_delta", "id": 0, "json": "{}"});
    let tool_end = json!({"type": "tool_use_end", "id": 0, "input": {}});
    let result = json!({"type": "tool_result", "toolCallId": "t", "name": "look", "result": 1,
        "isError": false});
    let usage = json!({"type": "usage", "usage": weir_protocol::Usage::default()});
    row("message_start", json!([start]), &[]);
    row("content_block_start (thinking)", json!([thinking]), &[]);
    row(
        "content_block_delta (thinking_delta)",
        json!([thinking, thought]),
        &["thinking_chunk"],
    );
    row(
        "content_block_delta (signature_delta), content_block_stop (thinking)",
        json!([thinking, thought, thinking_end]),
        &["thinking_chunk", "thinking"],
    );
    row("content_block_start (text)", json!([text]), &[]);
    row(
        "content_block_delta (text_delta)",
        json!([text, word]),
        &["message_chunk"],
    );
    row(
        "content_block_delta (citations_delta)",
        json!([text, citation]),
        &["message_chunk"],
    );
    row(
        "content_block_stop (text)",
        json!([text, word, text_end]),
        &["message_chunk", "message"],
    );
    row("content_block_start (tool_use)", json!([tool]), &[]);
    row(
        "content_block_delta (input_json_delta)",
        json!([tool, input]),
        &["tool_use_chunk"],
    );
    row(
        "content_block_stop (tool_use), toolExecutions array",
        json!([tool, tool_end]),
        &["tool_use"],
    );
    row("after tool execution", json!([result]), &["tool_result"]);
    row("message_delta", json!([usage]), &[]);
}

#[test]
fn message_stop_is_complete_with_its_reason_and_usage() {
    let usage = weir_protocol::Usage {
        output_tokens: 3,
        ..Default::default()
    };
    let said = json!([{"type": "usage", "usage": usage}]);
    assert_eq!(blocks(said), ["usage ", "complete "]);
}

#[test]
fn citations_delta_is_a_message_chunk_with_its_citation() {
    let events = assembled(json!([
        {"type": "text_start", "id": 0},
        {"type": "text_delta", "id": 0, "text": "a"},
        {"type": "citation", "id": 0, "citation": {"url": "u", "raw": {}}},
        {"type": "text_delta", "id": 0, "text": "b"},
    ]))
    .drain();
    let chunk = serde_json::to_value(&events[0]).unwrap();
    assert_eq!(events.len(), 1, "chunks of one frame are one");
    assert_eq!(chunk["type"], "message_chunk");
    assert_eq!(chunk["content"], "ab");
    assert_eq!(chunk["citations"][0]["url"], "u");
}

/// A source may open thousands of blocks and send a letter to each in turn.
#[test]
fn a_save_has_one_chunk_a_block_however_finely_they_are_cut() {
    const BLOCKS: u32 = 500;
    let starts = (0..BLOCKS).map(|id| json!({"type": "text_start", "id": id}));
    let letters =
        (0..20 * BLOCKS).map(|n| json!({"type": "text_delta", "id": n % BLOCKS, "text": "x"}));
    let said: Vec<Value> = starts.chain(letters).collect();
    let mut assembler = assembled(Value::from(said));
    let chunks = assembler.drain();
    assert_eq!(chunks.len(), BLOCKS as usize);
    assert!(
        chunks
            .iter()
            .all(|it| it.body.chunk() == Some(&"x".repeat(20)))
    );
    // What comes after a save is another chunk.
    let mut more: Vec<StreamEvent> =
        serde_json::from_value(json!([{"type": "text_delta", "id": 3, "text": "y"}])).unwrap();
    assembler.take(&mut more, clock::now());
    let chunks = assembler.drain();
    assert_eq!(chunks.len(), 1);
    assert_eq!(chunks[0].block_index, Some(3));
}

/// What was not shown keeps no step from being asked again, and makes no frame by itself.
#[test]
fn what_is_raw_is_kept_and_waits_for_what_is_shown() {
    let mut assembler = assembled(json!([
        {"type": "raw", "value": {"type": "new"}},
        {"type": "raw", "value": "no JSON"},
    ]));
    assert!(!assembler.has_pending(), "nothing to show");
    let mut said = vec![serde_json::from_value(json!({"type": "status", "message": "a"})).unwrap()];
    assembler.take(&mut said, clock::now());
    assert!(assembler.has_pending());
    let events = assembler.drain();
    let kinds: Vec<_> = events.iter().map(|event| event.body.name()).collect();
    assert_eq!(kinds, ["raw", "raw", "processing_chunk"], "in their order");
    assert!(!assembler.has_pending());
}

#[test]
fn an_attempt_that_is_made_again_keeps_what_was_raw() {
    let mut assembler = assembled(json!([{"type": "raw", "value": {"type": "new"}}]));
    let retry = weir_protocol::EventBody::Retry {
        attempt: 1,
        most_attempts: 2,
        delay_ms: 0,
        error: weir_protocol::ErrorBody::new("overloaded", "Later."),
    };
    assembler.ask_again(retry, clock::now());
    let events = assembler.drain();
    let kinds: Vec<_> = events.iter().map(|event| event.body.name()).collect();
    assert_eq!(kinds, ["raw", "retry"]);
}
