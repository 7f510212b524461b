//! A summary's reply is bounded and watched as that of a step is.

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use uuid::Uuid;

use super::*;
use crate::guard::{Guard, GuardConfig};
use crate::redact::{Checks, Vault};
use crate::source::dialect;
use crate::turn::Patience;
use crate::turn::limits::ReplyLimits;

async fn read(bytes: ByteStream, patience: Patience) -> Result<String, NoSummary> {
    let dialect = dialect("openai-chat").unwrap();
    let guard = Guard::new(&GuardConfig::default()).unwrap();
    let checks = Checks::new(guard, Vault::new(Uuid::nil()));
    let mut meter = Meter::new(&ReplyLimits::default());
    let mut watchdog = Watchdog::new(patience, Moment::now());
    let mut attempt = Attempt::default();
    let (_stop, stop) = watch::channel(false);
    let reading = Reading {
        intake: Intake::new(dialect, &checks),
        meter: &mut meter,
        watchdog: &mut watchdog,
        attempt: &mut attempt,
        stop,
        summary: Summary::default(),
    };
    reading.run(async { Ok(bytes) }).await
}

fn frame(delta: &str) -> Bytes {
    let data = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    Bytes::from(data)
}

#[tokio::test]
async fn a_flood_ends_the_summary_at_a_limit() {
    let words = "x".repeat(4_000);
    let floods = [
        format!(
            r#"{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"f","arguments":"{words}"}}}}]}}"#
        ),
        format!(r#"{{"reasoning_content":"{words}"}}"#),
    ];
    for delta in floods {
        let flood = stream::repeat_with(move || Ok(frame(&delta))).boxed();
        let read = read(flood, Patience::default()).await;
        assert!(matches!(read, Err(NoSummary::TooMuch(_))), "{read:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_source_that_falls_silent_is_given_up() {
    let begun = stream::iter([Ok(frame(r#"{"content":"a"}"#))]);
    let silent = begun.chain(stream::pending()).boxed();
    let read = read(silent, Patience::default()).await;
    assert!(matches!(read, Err(NoSummary::Failed(_))), "{read:?}");
}
