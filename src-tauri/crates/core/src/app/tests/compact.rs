//! Conversations that no longer fit.

use serde_json::json;
use weir_protocol::{EventBody, StopReason, code};

use super::scripted::*;
use crate::source::{Block, SourceError, StepRequest};
use crate::tool::Access;

fn too_long() -> Reply {
    Reply::Refuse(SourceError::Refused {
        status: 400,
        code: "context_too_long".into(),
        message: "prompt is too long: 207535 tokens > 200000 maximum".into(),
        retry_after: None,
        details: None,
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
        assert!(texts(&asked[3])[0].ends_with(expected));
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
        reply(&[text("A weir.")], "end_turn"),
        Reply::Say(refusal),
        reply(&[text("They spoke of weirs.")], "end_turn"),
        Reply::Drip(unfinished(&[text("Still here.")], 10) + &ending("end_turn")),
    ])
    .await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::EndTurn, "{events:?}");
    // What it says it has used is paid for.
    let expected = [
        "user_message",
        "usage",
        "usage",
        "compaction",
        "message",
        "usage",
        "complete",
    ];
    assert_eq!(kinds(&events)[4..], expected);
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

/// The first turn is all prompt: there is nothing to sum up, and nothing to ask again.
#[tokio::test]
async fn a_prompt_that_the_source_refuses_is_an_error_and_not_cut() {
    let stage = Stage::new([too_long()]).await;
    let events = stage.run().await;
    assert_eq!(stage.script.asked().len(), 1);
    let Some(EventBody::Error { error }) = events.last().map(|e| &e.body) else {
        panic!("{events:?}");
    };
    assert_eq!(error.code, code::CONTEXT_TOO_LONG);
    assert_eq!(
        error.message,
        "prompt is too long: 207535 tokens > 200000 maximum. The prompt has 3 characters, about 1 tokens, and nothing before it could be left out. Choose a model with a larger context, shorten the prompt, or send it in parts."
    );
}

#[tokio::test]
async fn what_cannot_be_made_to_fit_is_an_error() {
    let stage = Stage::new([
        reply(&[text("A weir.")], "end_turn"),
        too_long(),
        reply(&[text("Nothing yet.")], "end_turn"),
        too_long(),
    ])
    .await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let events = stage.stored(session).await;
    assert_eq!(stage.script.asked().len(), 4);
    let Some(EventBody::Error { error }) = events.last().map(|e| &e.body) else {
        panic!("{events:?}");
    };
    assert!(error.message.contains("larger context"), "{error:?}");
}

#[tokio::test]
async fn a_long_prompt_goes_whole_while_the_turns_before_it_are_summed_up() {
    let mut stage = Stage::new([
        long_reply(&[text("A weir.")], 100_000),
        reply(&[text("They spoke of weirs.")], "end_turn"),
        reply(&[text("Still here.")], "end_turn"),
    ])
    .await;
    stage.model = "claude-sonnet-4-5";
    let session = stage.start().await;
    stage.app.wait(session).await;
    // More than half of the window, which used to be cut to 40,000 bytes.
    let long = format!("Look: {} Why?", "word ".repeat(100_000));
    stage.prompt = long.clone();
    stage.go_on(Some(session)).await;
    stage.app.wait(session).await;
    let asked = stage.script.asked();
    assert_eq!(asked.len(), 3);
    let sent = texts(&asked[2]);
    assert_eq!(sent.len(), 2);
    assert!(sent[0].ends_with("They spoke of weirs."), "{}", sent[0]);
    assert!(sent[1] == long, "{} of {}", sent[1].len(), long.len());
}

/// The steps of a turn may be summed up, with its prompt word by word behind the summary.
#[tokio::test]
async fn a_prompt_outlives_the_summary_of_its_own_steps() {
    let call = json!({"type": "tool_use", "id": "a", "name": "look", "input": {}});
    let mut stage = Stage::new([
        reply(&[call], "tool_use"),
        too_long(),
        reply(&[text("Nothing yet.")], "end_turn"),
        reply(&[text("Still here.")], "end_turn"),
    ])
    .await
    .with("look", Access::ReadOnly, Does::Answer(json!("Seen.")));
    let long = format!("Look: {} Why?", "word ".repeat(50_000));
    stage.prompt = long.clone();
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::EndTurn, "{events:?}");
    let sent = texts(&stage.script.asked()[3]).concat();
    assert!(sent.ends_with(&long), "{}", sent.len());
}

fn texts(request: &StepRequest) -> Vec<String> {
    let blocks = request.messages.iter().flat_map(|message| &message.blocks);
    let texts = blocks.filter_map(|block| match block {
        Block::Text { text, .. } => Some(text.clone()),
        Block::Thinking { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::ThinkingItem { .. }
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => None,
    });
    texts.collect()
}

#[tokio::test]
async fn a_stop_while_it_is_summed_up_changes_nothing() {
    let stage = Stage::new([
        reply(&[text("A weir.")], "end_turn"),
        too_long(),
        Reply::Silence,
    ])
    .await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    while stage.script.asked().len() < 3 {
        tokio::task::yield_now().await;
    }
    stage.app.stop(session).await.unwrap();
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    assert_eq!(summaries(&events), [] as [&str; 0]);
}
