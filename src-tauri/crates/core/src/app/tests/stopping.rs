//! The user's stop, whatever is arriving. What is counted is how much more of a flood is taken
//! after the stop; the time is printed and not judged.

use std::time::Instant;

use serde_json::json;
use tokio::sync::watch;
use weir_protocol::StopReason;

use super::scripted::*;
use crate::tool::Access;

const FLOOD: usize = 1_000_000;
/// So many reads may be taken after the stop: one that was under way, and those that a busy
/// machine lets through before the task that stops has its turn.
const FEW: usize = 64;

fn delta(text: &str) -> String {
    let delta = json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": text}});
    format!("data: {delta}\n\n")
}

/// A text block that is open.
fn opened() -> String {
    let said = unfinished(&[text("These words pass the guard. And so do these. ")], 10);
    let end = said
        .rfind("data: {\"index\":0,\"type\":\"content_block_stop\"")
        .unwrap_or(said.len());
    said[..end].to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
async fn a_stop_is_heard_in_the_middle_of_every_flood() {
    let line = "x".repeat(60_000);
    let rows = [
        ("tiny deltas", opened(), delta("a").repeat(200)),
        ("long deltas", opened(), delta(&"word ".repeat(3_000))),
        ("bytes without a newline", opened(), line.clone()),
        (
            "lines that say nothing",
            opened(),
            ": nothing\n".repeat(2_000),
        ),
        (
            "what nobody understands",
            opened(),
            "data: {\"type\":\"other\"}\n\n".repeat(200),
        ),
        (
            "one line in megabytes",
            opened() + "data: {\"type\":\"",
            line,
        ),
        (
            "beginnings without an end",
            String::new(),
            unfinished(&[], 10),
        ),
    ];
    for (what, first, again) in rows {
        let (taken, mut seen) = watch::channel(0);
        let (_open, gate) = watch::channel(true);
        let flood = Reply::Flood {
            first,
            gate,
            again,
            times: FLOOD,
            taken,
        };
        let stage = Stage::new([flood]).await;
        for name in [
            "textPerStep",
            "textPerTurn",
            "bytesPerStep",
            "unknownPerStep",
        ] {
            // The stop ends it, not a limit.
            let limit = crate::app::Limit::named(name).unwrap();
            stage
                .app
                .set_limit(limit, Some(limit.largest))
                .await
                .unwrap();
        }
        let session = stage.start().await;
        seen.wait_for(|taken| *taken > 5).await.unwrap();
        let asked = Instant::now();
        let before = *seen.borrow();
        stage.app.stop(session).await.unwrap();
        let after = *seen.borrow();
        println!(
            "{what}: {} more reads, {:?}",
            after - before,
            asked.elapsed()
        );
        assert!(after - before <= FEW, "{what}: {before} to {after}");
        assert_eq!(
            ended(&stage.stored(session).await),
            StopReason::Cancelled,
            "{what}"
        );
    }
}

/// One frame of megabytes is read and checked on another thread: the stop does not wait for it.
#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
async fn a_stop_does_not_wait_for_a_frame_of_megabytes() {
    let long = "AKIA word 4111 name@example.org ".repeat(400_000);
    let frame = delta(&long);
    let (head, tail) = frame.split_at(frame.len() - 1);
    let (taken, mut seen) = watch::channel(0);
    let (open, gate) = watch::channel(false);
    let flood = Reply::Flood {
        first: opened() + head,
        gate,
        again: tail.to_owned(),
        times: 1,
        taken,
    };
    let mut stage = Stage::new([flood]).await;
    let limit = crate::app::Limit::named("textPerStep").unwrap();
    stage
        .app
        .set_limit(limit, Some(limit.largest))
        .await
        .unwrap();
    let session = stage.start().await;
    stage.until("message_chunk", 1).await;
    open.send(true).unwrap();
    // The end of the frame is taken, and reading all of it begins.
    seen.wait_for(|taken| *taken == 1).await.unwrap();
    let asked = Instant::now();
    stage.app.stop(session).await.unwrap();
    println!("a frame of {} bytes: {:?}", frame.len(), asked.elapsed());
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    let kept: usize = events
        .iter()
        .map(|event| serde_json::to_string(&event.body).unwrap().len())
        .sum();
    assert!(kept < 100_000, "nobody waited for the frame: {kept} bytes");
}

/// Many results at once: the stop is heard between them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_is_heard_while_calls_run() {
    let calls: Vec<_> = (0..128)
        .map(|n| call(&format!("c{n}"), if n == 0 { "look" } else { "hang" }))
        .collect();
    let mut stage = Stage::new([reply(&calls, "tool_use")])
        .await
        .with("look", Access::ReadOnly, Does::Answer(json!("there")))
        .with("hang", Access::ReadOnly, Does::Hang);
    let session = stage.start().await;
    stage.until("tool_result", 1).await;
    stage.app.stop(session).await.unwrap();
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    assert_eq!(results(&events).len(), 128, "every call has a result");
}
