//! What is paid for though no reply came of it, or only half of one.

use weir_protocol::{BudgetLevel, Event, EventBody, StopReason};

use super::budget::{dollars, priced, told};
use super::scripted::*;
use crate::source::SourceError;
use crate::store::Spender;

/// What the steps of a session used: tokens in and out, and whether that is a guess.
fn counted(events: &[Event]) -> Vec<(u64, u64, bool)> {
    let usages = events.iter().filter_map(|event| {
        if let EventBody::Usage {
            usage, is_estimate, ..
        } = &event.body
        {
            Some((usage.input_tokens, usage.output_tokens, *is_estimate))
        } else {
            None
        }
    });
    usages.collect()
}

/// Retries come at once.
fn impatient(mut stage: Stage) -> Stage {
    stage.patience.first_delay = std::time::Duration::from_millis(1);
    stage
}

async fn spent(stage: &Stage) -> (u64, f64) {
    let spent = stage.app.store().spent(&Spender::Everybody, None).await;
    let spent = spent.unwrap();
    (spent.tokens, (spent.dollars * 1e6).round() / 1e6)
}

/// Whoever stops again and again pays for what has come, and comes to the end of a budget.
#[tokio::test]
async fn stopping_again_and_again_spends_a_budget() {
    // Ten tokens in and, by its 40 letters, ten out: 1.1 cents, of which the source told 0.2.
    let half = || Reply::Hang(unfinished(&[text(&"word".repeat(10))], 10));
    let mut stage = priced(Stage::new((0..9).map(|_| half())).await).await;
    stage.app.set_budget(dollars(0.03)).await.unwrap();
    for round in 1..=3 {
        let session = stage.start().await;
        stage.until("message_chunk", 1).await;
        stage.app.stop(session).await.unwrap();
        let events = stage.stored(session).await;
        assert_eq!(counted(&events), [(10, 10, true)]);
        assert_eq!(ended(&events), StopReason::Cancelled);
        assert_eq!(spent(&stage).await.0, 20 * round);
    }
    assert_eq!(spent(&stage).await.1, 0.033);
    let events = stage.run().await;
    assert_eq!(ended(&events), StopReason::Budget);
    assert_eq!(stage.script.asked().len(), 3);
}

/// Before the first byte what was sent is paid for; what has not left is not.
#[tokio::test]
async fn a_request_that_left_counts_and_one_that_did_not_is_free() {
    let rows = [
        (Reply::Silence, vec![(1, 0, true)]),
        (Reply::Unreached, vec![]),
    ];
    for (reply, expected) in rows {
        let stage = priced(Stage::new([reply]).await).await;
        let session = stage.start().await;
        while stage.script.asked().is_empty() {
            tokio::task::yield_now().await;
        }
        stage.app.stop(session).await.unwrap();
        assert_eq!(counted(&stage.stored(session).await), expected);
    }
}

/// A reply that is cut, one that a guard ends and one that nobody counted are all paid for.
#[tokio::test]
async fn what_was_not_counted_to_its_end_is_estimated() {
    let uncounted = "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-scripted\",\"content\":[]}}\n\n";
    let whole = unfinished(&[text(&"word".repeat(10))], 10);
    let words = whole.split_once("\n\n").unwrap().1;
    let stop = "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\",\"stop_sequence\":null}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    let rows = [
        // Shown, so it is not asked again.
        (whole.clone(), vec![(10, 10, true)]),
        (format!("{uncounted}{words}{stop}"), vec![(1, 10, true)]),
    ];
    for (said, expected) in rows {
        let stage = priced(Stage::new([Reply::Say(said)]).await).await;
        let events = stage.run().await;
        assert_eq!(counted(&events), expected);
        let (tokens, dollars) = spent(&stage).await;
        let line = stage.app.store().sessions().await.unwrap().remove(0);
        assert_eq!(line.tokens, tokens);
        assert_eq!(
            line.cost.map(|cost| (cost * 1e6).round() / 1e6),
            Some(dollars)
        );
    }
}

/// An attempt of which nothing was shown is made again, and is paid for where it was counted.
#[tokio::test]
async fn attempts_that_are_made_again_are_paid_for() {
    let refused = |status| {
        Reply::Refuse(SourceError::Refused {
            status,
            code: "overloaded".into(),
            message: "Busy.".into(),
            retry_after: None,
            details: None,
        })
    };
    let error = |error: &str| {
        format!(
            "data: {{\"type\":\"error\",\"error\":{{\"type\":\"{error}\",\"message\":\"Busy.\"}}}}\n\n"
        )
    };
    let done = || reply(&[text("Yes.")], "end_turn");
    let rows = [
        (refused(529), vec![(10, 3, false)]),
        (refused(429), vec![(10, 3, false)]),
        (Reply::Say(error("overloaded_error")), vec![(10, 3, false)]),
        (
            Reply::Say(unfinished(&[], 10) + &error("overloaded_error")),
            vec![(10, 1, true), (10, 3, false)],
        ),
        (
            Reply::Say(unfinished(&[], 10)),
            vec![(10, 1, true), (10, 3, false)],
        ),
    ];
    for (failed, expected) in rows {
        let stage = impatient(priced(Stage::new([failed, done()]).await).await);
        let events = stage.run().await;
        assert_eq!(ended(&events), StopReason::EndTurn);
        assert_eq!(counted(&events), expected);
        let sum: u64 = expected
            .iter()
            .map(|(input, output, _)| input + output)
            .sum();
        assert_eq!(spent(&stage).await.0, sum);
        let EventBody::Complete { usage, .. } = &events.last().unwrap().body else {
            panic!("no end");
        };
        assert_eq!(usage.as_ref().unwrap().total_tokens(), sum);
    }
}

/// What a failed attempt used may be the rest: then it is not made again.
#[tokio::test]
async fn an_attempt_that_spends_the_rest_is_not_made_again() {
    let failing = || Reply::Say(unfinished(&[], 10));
    let stage = impatient(priced(Stage::new((0..3).map(|_| failing())).await).await);
    stage.app.set_budget(dollars(0.002)).await.unwrap();
    let events = stage.run().await;
    assert_eq!(stage.script.asked().len(), 1);
    assert_eq!(ended(&events), StopReason::Budget);
    assert_eq!(counted(&events), [(10, 1, true)]);
    assert_eq!(told(&events).last().unwrap().0, BudgetLevel::Spent);
    assert!(!kinds(&events).contains(&"retry"));
}

/// A request for a summary is paid for, whatever comes of it.
#[tokio::test]
async fn summaries_are_paid_for() {
    let too_long = || {
        Reply::Refuse(SourceError::Refused {
            status: 400,
            code: "context_too_long".into(),
            message: "prompt is too long: 207535 tokens > 200000 maximum".into(),
            retry_after: None,
            details: None,
        })
    };
    let done = || reply(&[text("Yes.")], "end_turn");
    let half = unfinished(&[text(&"word".repeat(10))], 20);
    // Which summaries were asked for, and what counts of them.
    let rows = [
        (
            vec![long_reply(&[text("Weirs.")], 20)],
            vec![(20, 3, false)],
        ),
        (vec![Reply::Say(half)], vec![(20, 10, true)]),
        (vec![too_long(), too_long()], vec![]),
        (
            vec![too_long(), long_reply(&[text("Weirs.")], 5)],
            vec![(5, 3, false)],
        ),
    ];
    for (summaries, expected) in rows {
        let replies = [done(), too_long()].into_iter().chain(summaries);
        let stage = priced(Stage::new(replies.chain([done()])).await).await;
        let session = stage.start().await;
        stage.app.wait(session).await;
        stage.go_on(Some(session)).await;
        stage.app.wait(session).await;
        let events = stage.stored(session).await;
        assert_eq!(ended(&events), StopReason::EndTurn);
        let all = [vec![(10, 3, false)], expected, vec![(10, 3, false)]].concat();
        assert_eq!(counted(&events), all);
        let sum: u64 = all.iter().map(|(input, output, _)| input + output).sum();
        assert_eq!(spent(&stage).await.0, sum);
    }
}

/// One that the user stops is paid for too, as far as it came.
#[tokio::test]
async fn a_summary_that_is_stopped_is_paid_for() {
    let too_long = Reply::Refuse(SourceError::Refused {
        status: 400,
        code: "context_too_long".into(),
        message: "prompt is too long: 207535 tokens > 200000 maximum".into(),
        retry_after: None,
        details: None,
    });
    let first = reply(&[text("Yes.")], "end_turn");
    let stage = priced(Stage::new([first, too_long, Reply::Silence]).await).await;
    let session = stage.start().await;
    stage.app.wait(session).await;
    stage.go_on(Some(session)).await;
    while stage.script.asked().len() < 3 {
        tokio::task::yield_now().await;
    }
    stage.app.stop(session).await.unwrap();
    let events = stage.stored(session).await;
    assert_eq!(ended(&events), StopReason::Cancelled);
    let [_, (input, 0, true)] = counted(&events)[..] else {
        panic!("{:?}", counted(&events));
    };
    assert!(input > 100, "the instruction is sent too: {input}");
}
