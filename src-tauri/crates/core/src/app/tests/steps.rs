//! Turns of several steps, with tools between them.

use std::sync::{Arc, Mutex, mpsc};

use serde_json::json;
use tokio::sync::{Barrier, watch};
use weir_protocol::{EventBody, PersistenceState, SessionStatus, StopReason};

use super::scripted::*;
use crate::source::{Block, Message, Role};
use crate::tool::{Access, Mode};

/// What the model is told of the calls, as ids in the order they are sent; asks are small.
fn sent(messages: &[Message]) -> Vec<String> {
    let letter = |block: &Block| match block {
        Block::Text { .. } | Block::Image { .. } => "text".to_owned(),
        Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_) => "thinking".to_owned(),
        Block::ToolUse { tool_call_id, .. } => tool_call_id.clone(),
        Block::ToolResult { tool_call_id, .. } => format!("={tool_call_id}"),
    };
    let message = |message: &Message| {
        let blocks: Vec<String> = message.blocks.iter().map(letter).collect();
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        format!("{role}: {}", blocks.join(" "))
    };
    messages.iter().map(message).collect()
}

#[tokio::test]
async fn a_turn_goes_on_until_the_model_is_done() {
    let stage = Stage::new([
        reply(
            &[text("Let me see."), thinking("Where?"), call("a", "look")],
            "tool_use",
        ),
        reply(&[call("b", "look"), call("c", "look")], "tool_use"),
        reply(&[text("Seen.")], "end_turn"),
    ])
    .await
    .with("look", Access::ReadOnly, Does::Answer(json!("there")));
    let events = stage.run().await;
    assert_eq!(
        kinds(&events),
        [
            "user_message",
            "message",
            "thinking",
            "tool_use",
            "usage",
            "tool_result",
            "tool_use",
            "tool_use",
            "usage",
            "tool_result",
            "tool_result",
            "message",
            "usage",
            "complete",
        ]
    );
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(stage.runs(), 3);
    let asked = stage.script.asked();
    assert_eq!(asked.len(), 3);
    assert_eq!(asked[0].tools[0].name, "look");
    assert_eq!(sent(&asked[0].messages), ["user: text"]);
    assert_eq!(
        sent(&asked[2].messages),
        [
            "user: text",
            "assistant: text thinking a",
            "user: =a",
            "assistant: b c",
            "user: =b =c",
        ]
    );
    let Some(EventBody::Complete {
        usage: Some(usage), ..
    }) = events.last().map(|e| &e.body)
    else {
        panic!("{events:?}");
    };
    assert_eq!((usage.input_tokens, usage.output_tokens), (30, 9));
}

#[tokio::test]
async fn calls_of_a_step_run_at_once_and_go_back_in_their_order() {
    let barrier = Arc::new(Barrier::new(2));
    let (turn, come) = watch::channel(false);
    let stage = Stage::new([
        reply(&[call("a", "meet"), call("b", "meet")], "tool_use"),
        reply(&[call("c", "after"), call("d", "first")], "tool_use"),
        reply(&[text("Done.")], "end_turn"),
    ])
    .await
    .with("meet", Access::ReadOnly, Does::Meet(barrier))
    .with("after", Access::ReadOnly, Does::After(come))
    .with("first", Access::ReadOnly, Does::Then(turn));
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::EndTurn);
    assert_eq!(results(&events).len(), 4);
    assert_eq!(
        sent(&stage.script.asked()[2].messages)[3..],
        ["assistant: c d", "user: =c =d"]
    );
}

#[tokio::test]
async fn every_call_gets_a_result_whatever_becomes_of_it() {
    let cases = [
        (call("a", "nobody"), "There is no tool \"nobody\"."),
        (call("a", "panics"), "The tool ended by a mistake"),
        (
            call_with("a", "looks", json!("{\"at\"")),
            "This call was not run: its input",
        ),
        (
            call_with("a", "looks", json!([1])),
            "This call was not run: its input",
        ),
        (
            call("a", "writes"),
            "This call was not run: writes changes things",
        ),
    ];
    for (call, expected) in cases {
        let mut stage = Stage::new([
            reply(std::slice::from_ref(&call), "tool_use"),
            reply(&[text("I see.")], "end_turn"),
        ])
        .await
        .with("panics", Access::ReadOnly, Does::Panic)
        .with("looks", Access::ReadOnly, Does::Answer(json!(1)))
        .with("writes", Access::Changes, Does::Answer(json!(1)));
        stage.mode = Mode::Plan;
        let events = stage.run().await;
        let results = results(&events);
        assert_eq!(results.len(), 1, "{call}");
        let (id, is_error, words) = &results[0];
        assert!(
            *is_error && id == "a" && words.starts_with(expected),
            "{words}"
        );
        assert_eq!(ended(&events), StopReason::EndTurn, "{call}");
        assert!(
            stage.script.asked()[0]
                .tools
                .iter()
                .all(|tool| tool.name != "writes")
        );
    }
}

#[tokio::test]
async fn a_long_result_is_cut_with_a_note() {
    let stage = Stage::new([
        reply(&[call("a", "look")], "tool_use"),
        reply(&[text("Much.")], "end_turn"),
    ])
    .await
    .with(
        "look",
        Access::ReadOnly,
        Does::Answer(json!("é".repeat(200_000))),
    );
    let results = results(&stage.run().await);
    let (_, is_error, words) = &results[0];
    assert!(!is_error);
    assert!(words.len() < 257 * 1024, "{}", words.len());
    assert!(words.ends_with("[The result was longer: 137856 bytes were left out.]"));
}

#[tokio::test]
async fn a_turn_has_so_many_steps_and_no_more() {
    let step = |id: &str| reply(&[call(id, "look")], "tool_use");
    let mut stage = Stage::new([step("a"), step("b"), step("c")]).await.with(
        "look",
        Access::ReadOnly,
        Does::Answer(json!(1)),
    );
    stage.max_turns = 2;
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::MaxTurns);
    assert_eq!(stage.script.asked().len(), 2);
    assert_eq!(stage.runs(), 1);
    let results = results(&events);
    assert!(results[1].2.contains("has had its 2 steps"), "{results:?}");
}

#[tokio::test]
async fn a_source_that_paused_is_asked_to_go_on() {
    let stage = Stage::new([
        reply(&[text("One moment.")], "pause_turn"),
        reply(&[text("Here.")], "end_turn"),
    ])
    .await;
    let events = stage.run().await;
    assert_eq!(
        kinds(&events),
        [
            "user_message",
            "message",
            "usage",
            "message",
            "usage",
            "complete"
        ]
    );
    let asked = stage.script.asked();
    assert_eq!(sent(&asked[1].messages), ["user: text", "assistant: text"]);
}

#[tokio::test]
async fn what_a_cut_off_model_asked_for_is_not_run() {
    let whole = reply(&[call("a", "look")], "max_tokens");
    let stage = Stage::new([whole])
        .await
        .with("look", Access::ReadOnly, Does::Answer(json!(1)));
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::MaxTokens);
    assert_eq!(stage.runs(), 0);
    assert_eq!(results(&events)[0].2, "This call was not run.");
}

#[tokio::test]
async fn calls_that_share_an_id_are_told_apart() {
    let step = || reply(&[call("call_0", "look")], "tool_use");
    let stage = Stage::new([step(), step(), reply(&[text("Twice.")], "end_turn")])
        .await
        .with("look", Access::ReadOnly, Does::Answer(json!(1)));
    let events = stage.run().await;
    assert_eq!(stage.runs(), 2);
    let ids: Vec<String> = results(&events).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, ["call_0", "call_0_2"]);
}

#[tokio::test]
async fn a_stop_is_heard_in_every_phase() {
    let call = || reply(&[call("a", "hang")], "tool_use");
    let cases = [
        (
            "opening",
            Reply::Silence,
            Access::ReadOnly,
            "user_message",
            0,
        ),
        (
            "streaming",
            Reply::Hang(unfinished(&[text("Well")], 1)),
            Access::ReadOnly,
            "message",
            0,
        ),
        ("running", call(), Access::ReadOnly, "usage", 1),
        ("waiting", call(), Access::Changes, "permission_request", 1),
    ];
    for (phase, reply, access, seen, stopped) in cases {
        let mut stage = Stage::new([reply]).await.with("hang", access, Does::Hang);
        let session = stage.start().await;
        stage.until(seen, 1).await;
        let runs = usize::from(phase == "running");
        while stage.runs() < runs {
            tokio::task::yield_now().await;
        }
        stage.app.stop(session).await.unwrap();
        let events = stage.stored(session).await;
        assert_eq!(ended(&events), StopReason::Cancelled, "{phase}");
        let results = results(&events);
        assert_eq!(results.len(), stopped, "{phase}");
        assert!(
            results
                .iter()
                .all(|(_, is_error, words)| *is_error && words.contains("stopped"))
        );
        assert_eq!(stage.status(session).await, SessionStatus::Idle, "{phase}");
        assert_eq!(stage.runs(), runs, "{phase}");
    }
}

/// Blocks count in their turn, events in their session, and the stored ones without a gap.
#[tokio::test]
async fn the_three_orders_and_the_three_states() {
    let steps = || {
        [
            reply(&[thinking("Where?"), call("a", "look")], "tool_use"),
            reply(&[text("Seen.")], "end_turn"),
        ]
    };
    let mut stage =
        Stage::new(steps())
            .await
            .with("look", Access::ReadOnly, Does::Answer(json!(1)));
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.script.goes_on(steps());
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let mut shown = Vec::new();
    while let Ok(published) = stage.published.try_recv() {
        if let crate::publish::Published::Events(events) = published {
            shown.extend(events.iter().cloned());
        }
    }
    let indexes: Vec<u64> = shown.iter().map(|event| event.event_index).collect();
    assert_eq!(indexes, (0..shown.len() as u64).collect::<Vec<_>>());
    let numbers: Vec<u64> = shown
        .iter()
        .filter_map(|event| event.sequence_number)
        .collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    for event in &shown {
        let expected = if event.body.is_chunk() {
            (PersistenceState::Transient, false)
        } else {
            (PersistenceState::Persisted, true)
        };
        let found = (event.persistence_state, event.sequence_number.is_some());
        assert_eq!(found, expected, "{event:?}");
    }
    for turn in shown.chunk_by(|a, b| a.turn_id == b.turn_id) {
        let finished = turn.iter().filter(|event| !event.body.is_chunk());
        let blocks: Vec<u32> = finished.filter_map(|event| event.block_index).collect();
        let expected: &[u32] = if blocks.is_empty() {
            &[]
        } else {
            &[0, 1, 2, 3]
        };
        assert_eq!(blocks, expected);
    }
}

/// Nothing runs after the stop, and a check that hangs does not hold it up.
#[tokio::test]
async fn a_stop_is_heard_while_a_folder_does_not_answer() {
    let (entered, mut looked) = watch::channel(false);
    let (open, opened) = mpsc::channel();
    let gate = Gate {
        entered,
        opened: Mutex::new(opened),
    };
    let stage = Stage::new([reply(&[call("a", "look"), call("b", "other")], "tool_use")])
        .await
        .behind(gate, "look", Access::ReadOnly, Does::Answer(json!("there")))
        .with("other", Access::ReadOnly, Does::Answer(json!("there")));
    let session = stage.start().await;
    looked.wait_for(|looked| *looked).await.unwrap();
    stage.app.stop(session).await.unwrap();
    drop(open);
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    let stopped = |id: &str| {
        (
            id.to_owned(),
            true,
            "This call was stopped by the user.".to_owned(),
        )
    };
    assert_eq!(results(&events), [stopped("a"), stopped("b")]);
    assert_eq!(stage.runs(), 0);
}
