//! A reply that is too long ends with a sentence, keeps what arrived, and costs what it should.

use serde_json::{Value, json};
use weir_protocol::{Event, EventBody, SessionStatus, code};

use super::scripted::*;
use crate::app::Limit;
use crate::tool::Access;

async fn limit(stage: &Stage, spelling: &str, value: u64) {
    let limit = Limit::named(spelling).unwrap();
    stage.app.set_limit(limit, Some(value)).await.unwrap();
}

fn calls(count: usize) -> Vec<Value> {
    (0..count).map(|n| call(&format!("c{n}"), "look")).collect()
}

fn count(events: &[Event], kind: &str) -> usize {
    let same = events.iter().filter(|event| event.body.name() == kind);
    same.count()
}

/// The limit that ended a turn, by the sentence about it.
fn ended_by(events: &[Event]) -> String {
    match events.last().map(|event| &event.body) {
        Some(EventBody::Error { error }) => {
            assert_eq!(error.code, code::REPLY_TOO_LONG, "{error:?}");
            assert!(error.message.contains("What arrived is kept"), "{error:?}");
            let limit = error.message.split("The limit is ").nth(1).unwrap();
            limit.split(';').next().unwrap().to_owned()
        }
        other => panic!("no error at the end: {other:?}"),
    }
}

#[tokio::test]
async fn a_step_with_too_many_calls_ends_and_runs_none_of_them() {
    let stage = Stage::new([reply(&calls(100_000), "tool_use")]).await.with(
        "look",
        Access::ReadOnly,
        Does::Answer(json!("there")),
    );
    let session = stage.start().await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(ended_by(&events), "callsPerStep");
    assert_eq!(count(&events, "tool_use"), 128);
    assert_eq!(
        stage.runs(),
        0,
        "nobody knows what else it would have asked"
    );
    assert_eq!(stage.script.asked().len(), 1, "it is not asked again");
    assert_eq!(stage.status(session).await, SessionStatus::Failed);
}

#[tokio::test]
async fn a_text_without_end_is_kept_up_to_the_limit() {
    let words = "word ".repeat(2_000);
    for dripped in [false, true] {
        let said = unfinished(&vec![text(&words); 20], 10) + &ending("end_turn");
        let said = if dripped {
            Reply::Drip(said)
        } else {
            Reply::Say(said)
        };
        let stage = Stage::new([said]).await;
        limit(&stage, "textPerStep", 50_000).await;
        let events = stage.run().await;
        assert_eq!(ended_by(&events), "textPerStep");
        let kept: usize = events
            .iter()
            .filter_map(|event| {
                if let EventBody::Message { content, .. } = &event.body {
                    Some(content.len())
                } else {
                    None
                }
            })
            .sum();
        assert_eq!(kept, 50_000);
    }
}

#[tokio::test]
async fn every_limit_of_a_turn_counts_all_of_its_steps() {
    let step = || {
        let blocks = [
            vec![text("abcdefgh"), thinking("abcdefgh")],
            vec![call("a", "look"), call("b", "look")],
        ];
        reply(&blocks.concat(), "tool_use")
    };
    for (spelling, value, steps) in [
        ("callsPerTurn", 5, 3),
        ("blocksPerTurn", 10, 3),
        ("textPerTurn", 100, 3),
        ("dataPerTurn", 3_000, 2),
    ] {
        let stage = Stage::new((0..10).map(|_| step())).await.with(
            "look",
            Access::ReadOnly,
            Does::Answer(json!("x".repeat(1_000))),
        );
        limit(&stage, spelling, value).await;
        let events = stage.run().await;
        assert_eq!(ended_by(&events), spelling);
        assert_eq!(stage.script.asked().len(), steps, "{spelling}");
    }
}

#[tokio::test]
async fn the_input_of_one_call_is_bounded_and_the_call_does_not_run() {
    let input = json!({"at": "x".repeat(10_000)});
    let stage = Stage::new([reply(&[call_with("a", "look", input)], "tool_use")])
        .await
        .with("look", Access::ReadOnly, Does::Answer(json!("there")));
    limit(&stage, "toolInput", 1_000).await;
    let events = stage.run().await;
    assert_eq!(ended_by(&events), "toolInput");
    assert_eq!(count(&events, "tool_use"), 1, "what came of it is kept");
    assert_eq!(stage.runs(), 0);
}

#[tokio::test]
async fn a_flood_of_what_nobody_understands_ends_too() {
    let unknown = "data: {\"type\":\"other\"}\n\n".repeat(1_000);
    let stage = Stage::new([Reply::Say(unfinished(&[text("Hm.")], 10) + &unknown)]).await;
    limit(&stage, "unknownPerStep", 100).await;
    let events = stage.run().await;
    assert_eq!(ended_by(&events), "unknownPerStep");

    let stage = Stage::new([Reply::Say(
        unfinished(&[text("Hm.")], 10) + &": nothing\n".repeat(1_000),
    )])
    .await;
    limit(&stage, "bytesPerStep", 5_000).await;
    let events = stage.run().await;
    assert_eq!(ended_by(&events), "bytesPerStep");
}

#[tokio::test]
async fn limits_are_stored_checked_and_reset() {
    let stage = Stage::new([]).await;
    let calls = Limit::named("callsperstep").unwrap();
    assert!(stage.app.set_limit(calls, Some(0)).await.is_err());
    stage.app.set_limit(calls, Some(7)).await.unwrap();
    assert_eq!(stage.app.limits().await.unwrap().get(calls), 7);
    stage.app.set_limit(calls, None).await.unwrap();
    let limits = stage.app.limits().await.unwrap();
    assert_eq!(limits.get(calls), calls.default);
}

/// The sentence of a provider about its own failure is as long as it likes; what is kept is not.
#[tokio::test]
async fn a_failure_that_goes_on_and_on_is_cut() {
    let error = json!({"type": "error", "error": {
        "type": "c".repeat(100_000), "message": "m".repeat(1_000_000)}});
    let said = unfinished(&[], 10) + &format!("data: {error}\n\n");
    let stage = Stage::new([Reply::Say(said)]).await;
    let events = stage.run().await;
    let Some(EventBody::Error { error }) = events.last().map(|event| &event.body) else {
        panic!("no error");
    };
    assert!(error.code.len() < 300 && error.message.len() < 5_000);
}
