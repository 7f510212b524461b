use serde_json::json;
use weir_protocol::{ErrorBody, ExecutedBy};

use super::*;

fn usage(input_tokens: u64, cache_read_tokens: u64, output_tokens: u64) -> Usage {
    Usage {
        input_tokens,
        cache_read_tokens,
        output_tokens,
        ..Usage::default()
    }
}

/// What was guessed before.
fn guessed() -> Usage {
    usage(100, 20, 0)
}

fn text(text: &str) -> StreamEvent {
    StreamEvent::TextDelta {
        id: BlockId::default(),
        text: text.into(),
    }
}

fn counted(usage: Usage) -> StreamEvent {
    StreamEvent::Usage {
        usage,
        is_total: false,
    }
}

fn failed(code: &str) -> StreamEvent {
    StreamEvent::Error {
        error: ErrorBody::new(code, "No."),
    }
}

fn done() -> StreamEvent {
    StreamEvent::Done { stop_reason: None }
}

fn call(pieces: &[&str], whole: serde_json::Value) -> Vec<StreamEvent> {
    let id = BlockId::default();
    let start = StreamEvent::ToolUseStart {
        id,
        tool_call_id: "a".into(),
        name: "look".into(),
        executed_by: ExecutedBy::Weir,
        detail: None,
    };
    let pieces = pieces.iter().map(|json| StreamEvent::ToolUseDelta {
        id,
        json: (*json).to_owned(),
    });
    let end = StreamEvent::ToolUseEnd {
        id,
        input: whole,
        signature: None,
    };
    std::iter::once(start).chain(pieces).chain([end]).collect()
}

#[test]
fn what_a_source_did_not_count_is_estimated_and_never_less_than_it_told() {
    let told = |usage| Some(Used::told(usage));
    let about = |usage| {
        Some(Used {
            usage,
            told_by: ToldBy::Estimate,
        })
    };
    let rows = [
        ("sent, and stopped", vec![], about(usage(100, 20, 0))),
        (
            "half said",
            vec![text("12345678"), text("9")],
            about(usage(100, 20, 3)),
        ),
        (
            "other letters",
            vec![text("水水水")],
            about(usage(100, 20, 3)),
        ),
        (
            "half said and half counted",
            vec![counted(usage(7, 50, 1)), text("12345678")],
            about(usage(7, 50, 2)),
        ),
        (
            "more counted than said",
            vec![counted(usage(7, 0, 90)), text("12345678")],
            about(usage(7, 0, 90)),
        ),
        (
            "counted without its input",
            vec![counted(usage(0, 0, 4)), text("12345678")],
            about(usage(100, 20, 4)),
        ),
        (
            "counted to the end",
            vec![text(&"word".repeat(100)), counted(usage(7, 0, 3)), done()],
            told(usage(7, 0, 3)),
        ),
        (
            "never counted",
            vec![text("12345678"), done()],
            about(usage(100, 20, 2)),
        ),
        (
            "refused in the stream",
            vec![failed("overloaded_error")],
            None,
        ),
        (
            "counted, then refused",
            vec![counted(usage(7, 0, 1)), failed("overloaded_error")],
            about(usage(7, 0, 1)),
        ),
        (
            "broken off by the source",
            vec![text("12345678"), failed("overloaded_error")],
            about(usage(100, 20, 2)),
        ),
        (
            "cut",
            vec![failed(code::STREAM_CUT)],
            about(usage(100, 20, 0)),
        ),
        (
            "a call in pieces",
            call(&["{\"at\":", "\"abc\"}"], json!({"at": "abc"})),
            about(usage(100, 20, 3)),
        ),
        (
            "a call in one piece",
            call(&[], json!({"at": "abc"})),
            about(usage(100, 20, 3)),
        ),
    ];
    for (name, said, expected) in rows {
        let mut attempt = Attempt::default();
        attempt.sent.mark();
        attempt.hear(&said);
        assert_eq!(attempt.used(guessed), expected, "{name}");
    }
}

#[test]
fn what_never_left_or_was_refused_costs_nothing() {
    let refused = |status| SourceError::Refused {
        status,
        code: "no".into(),
        message: "No.".into(),
        retry_after: None,
        details: None,
    };
    let unreachable = || SourceError::Unreachable {
        host: "h".into(),
        reason: "refused".into(),
    };
    let no_stream = SourceError::NoStream {
        host: "h".into(),
        content_type: "text/html".into(),
    };
    let rows = [
        (Some(refused(400)), true, false),
        (Some(refused(429)), true, false),
        (Some(refused(529)), true, false),
        (Some(no_stream), true, false),
        (
            Some(SourceError::Redirected { host: "h".into() }),
            true,
            false,
        ),
        (Some(unreachable()), false, false),
        // The connection broke after the request had left: somebody may have heard it.
        (Some(unreachable()), true, true),
        (Some(SourceError::Slept), true, true),
        (None, false, false),
        (None, true, true),
    ];
    for (error, sent, counts) in rows {
        let mut attempt = Attempt::default();
        if sent {
            attempt.sent.mark();
        }
        if let Some(error) = &error {
            attempt.fail(error);
        }
        let used = attempt.used(guessed);
        assert_eq!(used.is_some(), counts, "{error:?}, sent: {sent}");
    }
}
