//! Conversations that no longer fit.

use weir_protocol::{EventBody, StopReason};

use super::scripted::*;
use crate::source::{Block, SourceError};

fn too_long() -> Reply {
    Reply::Refuse(SourceError::Refused {
        status: 400,
        code: "invalid_request_error".into(),
        message: "prompt is too long: 207535 tokens > 200000 maximum".into(),
        retry_after: None,
    })
}

fn summaries(events: &[weir_protocol::Event]) -> Vec<&str> {
    let summaries = events.iter().filter_map(|event| {
        if let EventBody::Compaction { content, .. } = &event.body {
            Some(content.as_str())
        } else {
            None
        }
    });
    summaries.collect()
}

fn first_text(script: &Script, request: usize) -> String {
    let asked = script.asked();
    let Block::Text { text, .. } = &asked[request].messages[0].blocks[0] else {
        panic!("{asked:?}");
    };
    text.clone()
}

#[tokio::test]
async fn a_refusal_makes_it_shorter_and_it_goes_on() {
    for (summary, expected) in [
        (
            reply(&[text("They spoke of weirs.")], "end_turn"),
            "The model wrote this summary.\n\nThey spoke of weirs.",
        ),
        // What comes after its end is not waited for.
        (
            Reply::Hang(unfinished(&[text("Weirs.")], 1) + &ending("end_turn")),
            "The model wrote this summary.\n\nWeirs.",
        ),
        // Without the model's own the first lines must do.
        (
            Reply::Say(unfinished(&[text("They")], 1)),
            "The model wrote no summary: these are the first lines of what was said.\n\n\
             User: Go.\nAssistant: A weir.",
        ),
    ] {
        let stage = Stage::new([
            reply(&[text("A weir.")], "end_turn"),
            too_long(),
            summary,
            reply(&[text("Still here.")], "end_turn"),
        ])
        .await;
        let session = stage.start().await;
        stage.app.wait(session).await;
        stage.go_on(Some(session)).await;
        stage.app.wait(session).await;
        let events = stage.stored(session).await;
        assert_eq!(ended(&events), StopReason::EndTurn, "{events:?}");
        assert_eq!(summaries(&events), [expected]);
        let asked = stage.script.asked();
        assert_eq!(asked.len(), 4);
        assert!(asked[2].tools.is_empty());
        assert!(first_text(stage.script, 2).contains("User: Go.\n\nAssistant: A weir."));
        assert!(first_text(stage.script, 3).ends_with(expected));
        assert_eq!(asked[3].messages.len(), 1);
    }
}

#[tokio::test]
async fn a_transcript_that_is_too_long_is_asked_for_once_more_as_a_quarter() {
    let stage = Stage::new([
        reply(&[text("A weir.")], "end_turn"),
        too_long(),
        too_long(),
        reply(&[text("They spoke of weirs.")], "end_turn"),
        reply(&[text("Still here.")], "end_turn"),
    ])
    .await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::EndTurn, "{events:?}");
    assert!(summaries(&events)[0].ends_with("They spoke of weirs."));
    assert!(first_text(stage.script, 2).ends_with("User: Go.\n\nAssistant: A weir."));
    assert!(first_text(stage.script, 3).ends_with("Use\n\n[…]\n\nir."));
}

/// Some dialects say that they are done after they said that it failed.
#[tokio::test]
async fn a_refusal_inside_the_stream_is_forgotten_once_it_fits() {
    let error = r#"{"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 9 tokens > 8 maximum"}}"#;
    let refusal = unfinished(&[], 1) + &format!("data: {error}\n\n") + &ending("end_turn");
    let stage = Stage::new([
        Reply::Say(refusal),
        reply(&[text("They spoke of weirs.")], "end_turn"),
        Reply::Drip(unfinished(&[text("Still here.")], 10) + &ending("end_turn")),
    ])
    .await;
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::EndTurn, "{events:?}");
    // What it says it has used is paid for.
    let expected = [
        "usage",
        "usage",
        "compaction",
        "message",
        "usage",
        "complete",
    ];
    assert_eq!(kinds(&events)[1..], expected);
}

#[tokio::test]
async fn what_would_not_fit_is_made_shorter_before_it_is_sent() {
    let mut stage = Stage::new([
        long_reply(&[text("A weir.")], 190_000),
        reply(&[text("They spoke of weirs.")], "end_turn"),
        reply(&[text("Still here.")], "end_turn"),
    ])
    .await;
    stage.model = "claude-sonnet-4-5";
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(
        kinds(&events)[4..],
        [
            "user_message",
            "usage",
            "compaction",
            "message",
            "usage",
            "complete"
        ]
    );
    let Some(EventBody::Complete {
        usage: Some(usage), ..
    }) = events.last().map(|e| &e.body)
    else {
        panic!("{events:?}");
    };
    assert_eq!(usage.output_tokens, 6, "the summary is counted too");
}

#[tokio::test]
async fn what_cannot_be_made_to_fit_is_an_error() {
    let stage = Stage::new([
        too_long(),
        reply(&[text("Nothing yet.")], "end_turn"),
        too_long(),
    ])
    .await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(stage.script.asked().len(), 3);
    assert!(matches!(
        events.last().map(|e| &e.body),
        Some(EventBody::Error { .. })
    ));
}

#[tokio::test]
async fn a_stop_while_it_is_summed_up_changes_nothing() {
    let stage = Stage::new([too_long(), Reply::Silence]).await;
    let session = stage.start().await;
    while stage.script.asked().len() < 2 {
        tokio::task::yield_now().await;
    }
    stage.app.stop(session).await.unwrap();
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    assert_eq!(summaries(&events), [] as [&str; 0]);
}
