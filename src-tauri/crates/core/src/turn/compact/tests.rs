use std::ops::ControlFlow;

use serde_json::json;
use uuid::Uuid;
use weir_protocol::{BlockId, ErrorBody, Event, EventBody, ExecutedBy, StreamEvent, Usage};

use super::summary::{NoSummary, Summary};
use super::transcript::{mechanical, transcript};
use super::*;
use crate::turn::TurnId;

fn turn(number: u128, bodies: Vec<EventBody>) -> Vec<Event> {
    let id = TurnId {
        session: Uuid::nil(),
        turn: Uuid::from_u128(number),
        started: crate::clock::now(),
    };
    let events = bodies.into_iter().map(|body| id.event(body, id.started));
    events.collect()
}

fn asked(content: &str) -> EventBody {
    EventBody::UserMessage {
        content: content.into(),
        source: "anthropic".into(),
        model: "claude-sonnet-4-5".into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    }
}

fn said(content: &str) -> EventBody {
    EventBody::Message {
        detail: None,
        content: content.into(),
        citations: Vec::new(),
        signature: None,
    }
}

fn used(input_tokens: u64) -> EventBody {
    EventBody::Usage {
        usage: Usage {
            input_tokens,
            ..Usage::default()
        },
        cost: None,
        saved: None,
        model: "m".into(),
        first_chunk_ms: None,
        duration_ms: 1,
        is_estimate: false,
    }
}

fn summed(keeps_from: Option<u128>) -> EventBody {
    EventBody::Compaction {
        content: "sum".into(),
        keeps_from: keeps_from.map(Uuid::from_u128),
        tokens_before: 1,
    }
}

/// Turns of so many tokens each, numbered from 1.
fn turns(sizes: &[usize]) -> Vec<Event> {
    let turn =
        |(at, size): (usize, &usize)| turn(at as u128 + 1, vec![asked(&"word".repeat(*size))]);
    sizes.iter().enumerate().flat_map(turn).collect()
}

#[test]
fn counts_letters_or_believes_the_source() {
    let cases = [
        (turns(&[10]), 10),
        (turn(1, vec![asked("水水水")]), 3),
        (
            turn(1, vec![asked("hi"), said("ho"), used(5_000), asked("word")]),
            5_001,
        ),
        (turn(1, vec![used(5_000), summed(None), asked("word")]), 2),
        (turn(1, vec![used(u64::MAX), asked("word")]), u64::MAX),
        (Vec::new(), 0),
    ];
    for (events, expected) in cases {
        assert_eq!(estimate(&events, Count::Likely), expected, "{events:?}");
    }
}

#[test]
fn the_border_is_the_start_of_a_turn() {
    let kept = |number: u128| Border::Turn(Uuid::from_u128(number));
    let cases: [(&[usize], u64, Option<Border>); 6] = [
        (&[100, 100, 10, 10], 25, Some(kept(3))),
        (&[100, 100, 10, 10], 10, Some(kept(4))),
        (&[1, 1, 1], 1_000, Some(kept(2))),
        (&[100, 15], 10, Some(kept(2))),
        // However long the prompt is, it stays.
        (&[10, 100], 10, Some(kept(2))),
        (&[100], 1_000, None),
    ];
    for (sizes, room, expected) in cases {
        assert_eq!(
            border(&turns(sizes), room, Count::Likely),
            expected,
            "{sizes:?} in {room}"
        );
    }
}

#[test]
fn of_the_turn_under_way_only_its_steps_are_summed_up() {
    let steps = |size: usize| vec![asked(&"word".repeat(1_000)), said(&"word".repeat(size))];
    let alone = turn(1, steps(10));
    assert_eq!(border(&alone, 100, Count::Likely), Some(Border::Everything));
    let mut second = turns(&[10]);
    second.extend(turn(2, steps(10)));
    assert_eq!(
        border(&second, 100, Count::Likely),
        Some(Border::Turn(Uuid::from_u128(2)))
    );
    let mut second = turns(&[10]);
    second.extend(turn(2, steps(500)));
    assert_eq!(
        border(&second, 100, Count::Likely),
        Some(Border::Everything)
    );
    // Once the prompt stands in a summary, what follows are steps.
    let mut summed_up = turn(1, steps(10));
    summed_up.extend(turn(1, vec![summed(None)]));
    assert_eq!(border(&summed_up, 100, Count::Likely), None);
    summed_up.extend(turn(1, vec![said("more")]));
    assert_eq!(
        border(&summed_up, 100, Count::Likely),
        Some(Border::Everything)
    );
}

#[test]
fn a_second_summary_stands_for_the_first_too() {
    let mut events = turns(&[5, 5, 5]);
    events.extend(turn(3, vec![summed(Some(2))]));
    events.extend(turn(4, vec![asked("now")]));
    let border = border(&events, 6, Count::Likely);
    assert_eq!(border, Some(Border::Turn(Uuid::from_u128(3))));
    let text = transcript(older(&events, Border::Everything), 1_000);
    assert!(text.contains("Summary so far: sum"), "{text}");
    assert!(!text.contains("[…]"));
}

#[test]
fn a_transcript_is_cut_in_its_middle() {
    let mut events = turns(&[500]);
    events.extend(turn(2, vec![said("the end")]));
    let text = transcript(&events, 100);
    assert!(
        text.starts_with("User: word") && text.ends_with("the end"),
        "{text}"
    );
    assert!(text.contains("[…]"));
}

#[test]
fn without_a_model_the_first_lines_must_do() {
    let call = EventBody::ToolUse {
        tool_call_id: "a".into(),
        tool_name: "look".into(),
        input: json!({}),
        executed_by: ExecutedBy::Weir,
        signature: None,
        detail: None,
    };
    let events = turn(1, vec![asked("one\ntwo"), call, said(&"long ".repeat(100))]);
    let summary = mechanical(&events, 1_000);
    assert!(summary.starts_with("User: one two\nAssistant used look.\nAssistant: long"));
    assert!(summary.len() < 400);
}

#[test]
fn summaries_of_summaries_do_not_grow() {
    let mut content = "The start.".to_owned();
    for number in 1..=50 {
        let summary = EventBody::Compaction {
            content: format!("{FIRST_LINES}\n\n{content}"),
            keeps_from: None,
            tokens_before: 1,
        };
        let answers = (0..20).map(|_| said(&"long ".repeat(50)));
        let bodies = [summary]
            .into_iter()
            .chain(answers)
            .chain([said("the end")]);
        content = mechanical(&turn(number, bodies.collect()), 1_000);
        assert!(content.len() < 1_050, "{}", content.len());
        assert!(content.starts_with("The start."), "{content}");
        assert!(content.ends_with("Assistant: the end"), "{content}");
        assert!(!content.contains(FIRST_LINES), "{content}");
    }
}

#[test]
fn the_system_prompt_is_counted_once() {
    let told = |content: &str| {
        let mut body = asked(content);
        if let EventBody::UserMessage { system, .. } = &mut body {
            *system = Some("word".repeat(100));
        }
        body
    };
    let cases = [
        (vec![told("word"), said("word"), told("word")], 103),
        (vec![told("word"), used(5_000), told("word")], 5_001),
    ];
    for (bodies, expected) in cases {
        assert_eq!(estimate(&turn(1, bodies), Count::Likely), expected);
    }
}

#[test]
fn the_prompt_being_answered_is_never_shortened() {
    let long = format!("Look at this: {} Why?", "word".repeat(225_000));
    let whole = unanswered(&turn(
        1,
        vec![asked("Before."), asked(&long), said("Step.")],
    ));
    assert_eq!(
        whole,
        format!("\n\nThe prompt that is being answered:\n\n{long}")
    );
}

#[test]
fn a_summary_ends_with_its_last_word_and_is_never_endless() {
    let text = |text: &str| StreamEvent::TextDelta {
        id: BlockId::default(),
        text: text.to_owned(),
    };
    let done = || StreamEvent::Done { stop_reason: None };
    let error = || ErrorBody::new("x", "No.");
    let long = "word".repeat(20 * 1024);
    let cases = [
        (vec![text("a")], None),
        (
            vec![text("a "), done(), text("b")],
            Some(Ok("a".to_owned())),
        ),
        (vec![text(" "), done()], Some(Err(NoSummary::Empty))),
        (
            vec![text("a"), StreamEvent::Error { error: error() }, done()],
            Some(Err(NoSummary::Failed(error()))),
        ),
        (
            vec![text(&long)],
            Some(Ok(format!("{}…", &long[..64 * 1024]))),
        ),
    ];
    for (mut said, expected) in cases {
        let taken = match Summary::default().take(&mut said) {
            ControlFlow::Break(end) => Some(end),
            ControlFlow::Continue(()) => None,
        };
        assert_eq!(taken, expected);
        assert_eq!(said, []);
    }
}

/// A server that cuts says how much it read, which is not how much there was.
#[test]
fn of_a_source_that_cuts_the_larger_count_counts() {
    let cases = [
        (turn(1, vec![asked(&"x".repeat(3_000))]), 1_000),
        (turn(1, vec![asked("水水水")]), 6),
        (turn(1, vec![asked(&"x".repeat(3_000)), used(40)]), 1_000),
        (turn(1, vec![asked("x"), used(5_000), asked("xxx")]), 5_001),
    ];
    for (events, expected) in cases {
        assert_eq!(estimate(&events, Count::AtMost), expected, "{events:?}");
    }
}
