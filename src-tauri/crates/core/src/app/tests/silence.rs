//! A source that says nothing is given up once, however often it was asked. On a clock of the
//! test's own: nothing waits.

use std::time::Duration;

use weir_protocol::{Event, EventBody};

use super::scripted::*;
use crate::source::SourceError;
use crate::turn::Patience;

const SECOND: Duration = Duration::from_secs(1);

/// What a turn came to, how often its source was asked, and how long it was waited for, all
/// attempts together.
async fn silent(replies: Vec<Reply>) -> (Vec<Event>, usize, Duration) {
    let stage = Stage::new(replies).await;
    tokio::time::pause();
    // While something blocks, the clock does not move by itself: the database runs on threads that
    // the clock does not know, and would be late for it.
    let (release, held) = std::sync::mpsc::channel::<()>();
    let blocking = tokio::task::spawn_blocking(move || held.recv().is_err());
    let session = stage.start().await;
    let ticking = async {
        loop {
            tokio::time::advance(SECOND).await;
            // Whoever was woken and waits for the database has its answer before this.
            for _ in 0..3 {
                stage.app.store().setting("none").await.unwrap();
            }
        }
    };
    tokio::select! {
        () = stage.app.wait(session) => {}
        () = ticking => {}
    }
    tokio::time::resume();
    drop(release);
    blocking.await.unwrap();
    let events = stage.stored(session).await;
    (events, stage.script.asked().len(), stage.script.waited())
}

fn failed(events: &[Event]) -> &str {
    match events.last().map(|event| &event.body) {
        Some(EventBody::Error { error }) => &error.message,
        other => panic!("no error at the end: {other:?}"),
    }
}

#[tokio::test]
#[expect(clippy::print_stdout, reason = "the figures are the result")]
async fn a_silent_source_is_given_up_within_the_promise_retries_included() {
    let Patience {
        byte_silence,
        event_silence,
        ..
    } = Patience::default();
    let start = || unfinished(&[], 10);
    let refused = || {
        Box::new(Reply::Refuse(SourceError::Refused {
            status: 503,
            code: "overloaded".into(),
            message: "Later.".into(),
            retry_after: Some(SECOND),
            details: None,
        }))
    };
    let broken = || Box::new(Reply::Refuse(SourceError::Broken("reset".into())));
    let rows: Vec<(&str, Vec<Reply>, Duration)> = vec![
        (
            "no answer, ever",
            (0..3).map(|_| Reply::Silence).collect(),
            byte_silence,
        ),
        (
            "no connection, ever",
            (0..3).map(|_| Reply::Unreached).collect(),
            byte_silence,
        ),
        (
            "an answer and nothing in it",
            (0..3).map(|_| Reply::Hang(String::new())).collect(),
            byte_silence,
        ),
        (
            "a beginning and nothing more",
            (0..3).map(|_| Reply::Hang(start())).collect(),
            byte_silence,
        ),
        (
            "keep-alives and nothing else",
            (0..3)
                .map(|_| Reply::KeepsOpen(String::new(), 10 * SECOND))
                .collect(),
            event_silence,
        ),
        (
            "a beginning and keep-alives",
            (0..3)
                .map(|_| Reply::KeepsOpen(start(), 10 * SECOND))
                .collect(),
            event_silence,
        ),
        (
            "silence that breaks just before it is given up",
            (0..3)
                .map(|_| Reply::Late(byte_silence - SECOND, broken()))
                .collect(),
            byte_silence,
        ),
        (
            "a beginning that breaks just before it is given up",
            (0..3)
                .map(|_| Reply::BreaksAfter(start(), byte_silence - SECOND))
                .collect(),
            event_silence,
        ),
        (
            "slow refusals",
            (0..3)
                .map(|_| Reply::Late(byte_silence - SECOND, refused()))
                .collect(),
            event_silence,
        ),
    ];
    for (what, replies, promised) in rows {
        let (events, asked, waited) = silent(replies).await;
        println!("{what}: given up after {waited:?}, asked {asked} times");
        // The clock ticks in seconds.
        assert!(waited <= promised + 3 * SECOND, "{what}: {waited:?}");
        failed(&events);
    }
}

/// Silence is not the same as trouble: what fails at once is still asked again.
#[tokio::test]
async fn what_fails_at_once_is_asked_again_and_has_all_its_time() {
    let patience = Patience::default();
    let late = patience.byte_silence - 10 * SECOND;
    let fine = Reply::Say(unfinished(&[text("Here.")], 10) + &ending("end_turn"));
    let broken = || Reply::Refuse(SourceError::Broken("reset".into()));
    let replies = vec![broken(), broken(), Reply::Late(late, Box::new(fine))];
    let (events, asked, _) = silent(replies).await;
    assert_eq!(asked, 3);
    assert!(matches!(
        events.last().map(|event| &event.body),
        Some(EventBody::Complete { .. })
    ));
}
