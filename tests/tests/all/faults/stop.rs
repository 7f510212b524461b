//! The user's stop, at every moment of a step: the connection is closed at once, and what came
//! is kept. That it is closed is what is waited for; how long that took is printed.

use std::time::{Duration, Instant};

use tokio::time::timeout;
use uuid::Uuid;
use weir_core::publish::Published;
use weir_protocol::{EventBody, SessionStatus, StopReason};
use weir_tests::Canary;
use weir_tests::faulty::{Act, Answer, Faulty, head};
use weir_tests::replies::{DIALECTS, FIRST, content_type};
use weir_tests::wait::HANGS;

use super::table::Wire;
use super::{Engine, quick, text_of};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum During {
    Opening,
    Silence,
    Drip,
    /// Lines that say nothing, as fast as the connection takes them.
    Lines,
    /// One line that does not end, as fast as the connection takes it.
    EndlessLine,
    RetryWait,
}

const MOMENTS: [During; 6] = [
    During::Opening,
    During::Silence,
    During::Drip,
    During::Lines,
    During::EndlessLine,
    During::RetryWait,
];

fn answer(during: During, wire: &Wire<'_>) -> Answer {
    let head = Act::Send(head(200, content_type(wire.dialect), ""));
    match during {
        During::Opening => vec![Act::Hang],
        During::Silence => [wire.half(), vec![Act::Hang]].concat(),
        During::Drip => vec![
            head,
            Act::Send(wire.pieces.half().into()),
            Act::Repeat(wire.pieces.keep_alive.into(), Duration::from_millis(5)),
        ],
        During::Lines => vec![
            head,
            Act::Send(wire.pieces.half().into()),
            Act::Flood(wire.pieces.keep_alive.repeat(500).into()),
        ],
        During::EndlessLine => vec![
            head,
            Act::Send(wire.pieces.half().into()),
            Act::Flood(vec![b'x'; 1024]),
        ],
        During::RetryWait => wire.refuses(503, "retry-after: 50\r\n"),
    }
}

/// Waits until the user has seen what they would stop.
async fn seen(
    during: During,
    server: &Faulty,
    published: &mut tokio::sync::mpsc::UnboundedReceiver<Published>,
    session: Uuid,
) {
    let awaited = match during {
        During::Opening => return server.asked(1).await,
        During::Silence | During::Drip | During::Lines | During::EndlessLine => "message_chunk",
        During::RetryWait => "retry",
    };
    loop {
        if let Some(Published::Events(events)) = published.recv().await {
            let mut own = events.iter().filter(|event| event.session_id == session);
            if own.any(|event| event.body.name() == awaited) {
                return;
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_closes_the_connection_at_once_and_keeps_what_came() {
    let canary = Canary::new();
    let engine = Engine::start(quick(), &canary).await;
    let mut took = Vec::new();
    for dialect in DIALECTS {
        for during in MOMENTS {
            let wire = Wire::new(dialect, canary.key(), "");
            let server = Faulty::start([answer(during, &wire)]).await;
            let mut published = engine.app.subscribe();
            let session = engine.send(dialect, server.url(), None, "Why?").await;
            let seen = seen(during, &server, &mut published, session);
            timeout(HANGS, seen).await.unwrap();

            let asked = Instant::now();
            engine.app.stop(session).await.unwrap();
            let left = usize::from(during != During::RetryWait);
            timeout(HANGS, server.left(left)).await.unwrap();
            took.push(asked.elapsed());

            let stored = engine.stored(session).await;
            let last = &stored.last().unwrap().body;
            let stopped = matches!(
                last,
                EventBody::Complete {
                    stop_reason: StopReason::Cancelled,
                    ..
                }
            );
            assert!(stopped, "{dialect} {during:?}: {last:?}");
            let kept = match during {
                During::Silence | During::Drip | During::Lines | During::EndlessLine => FIRST,
                During::Opening | During::RetryWait => "",
            };
            assert_eq!(text_of(&stored), kept, "{dialect} {during:?}");
            assert_eq!(server.requests().len(), 1, "{dialect} {during:?}");
            assert_eq!(engine.status(session).await, SessionStatus::Idle);
        }
    }
    took.sort();
    let median = took[took.len() / 2];
    println!(
        "{} stops: half of them within {} ms, all within {} ms",
        took.len(),
        median.as_millis(),
        took[took.len() - 1].as_millis()
    );
}
