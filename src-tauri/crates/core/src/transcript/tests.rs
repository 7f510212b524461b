use uuid::Uuid;
use weir_protocol::{
    Citation, ErrorBody, EventBody, ExecutedBy, PersistenceState, SessionStatus, StopReason,
};

use super::*;
use crate::clock;

fn transcript(bodies: Vec<EventBody>) -> Transcript {
    let (id, turn) = (Uuid::now_v7(), Uuid::now_v7());
    let event = |(number, body): (u64, EventBody)| Event {
        id: Uuid::now_v7(),
        session_id: id,
        turn_id: Some(turn),
        body,
        event_index: number,
        sequence_number: Some(number),
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Persisted,
        timestamp: clock::now(),
    };
    Transcript {
        session: SessionSummary {
            id,
            title: "Weirs <b>& dams</b>".into(),
            source: "demo".into(),
            model: "demo".into(),
            thinking: None,
            options: Default::default(),
            status: SessionStatus::Idle,
            turns: 1,
            tokens: 12,
            cost: Some(0.5),
            created_at: clock::now(),
            updated_at: clock::now(),
            forked_from: None,
        },
        events: (1..).zip(bodies).map(event).collect(),
    }
}

fn asked(content: &str) -> EventBody {
    EventBody::UserMessage {
        content: content.into(),
        source: "demo".into(),
        model: "demo".into(),
        images: Vec::new(),
        system: None,
        replaces: None,
        thinking: None,
        options: Default::default(),
    }
}

fn said(content: &str, cites: Option<&str>) -> EventBody {
    let citation = |url: &str| Citation {
        url: Some(url.into()),
        title: Some("A page".into()),
        ..Citation::default()
    };
    EventBody::Message {
        detail: None,
        content: content.into(),
        citations: cites.map(citation).into_iter().collect(),
        signature: None,
    }
}

fn conversation() -> Transcript {
    transcript(vec![
        asked("What is a weir?\n<script>alert(1)</script>"),
        EventBody::Thinking {
            detail: None,
            content: "Low walls.".into(),
            signature: None,
            redacted: None,
            duration_ms: 1,
        },
        said("A low ", None),
        said("wall.", Some("https://example.org/a\" onclick=\"x")),
        EventBody::ToolUse {
            tool_call_id: "1".into(),
            tool_name: "read_file".into(),
            input: serde_json::json!({ "path": "a.md" }),
            executed_by: ExecutedBy::Weir,
            signature: None,
            detail: None,
        },
        EventBody::ToolResult {
            tool_call_id: "1".into(),
            tool_name: "read_file".into(),
            result: "```\n</pre><script>x</script>".into(),
            is_error: false,
            duration_ms: 1,
            detail: None,
        },
        EventBody::Complete {
            stop_reason: StopReason::MaxTokens,
            usage: None,
            cost: None,
        },
    ])
}

#[test]
fn markdown_reads_in_the_order_it_happened() {
    let written = (format("md").unwrap().write)(&conversation()).unwrap();
    let parts = [
        "# Weirs <b>& dams</b>",
        "demo · demo · ",
        "## You\n\nWhat is a weir?",
        "## Model\n\n> **Thinking**\n>\n> Low walls.",
        "A low wall.[1]\n\n1. A page: <https://example.org/a\" onclick=\"x>",
        "`read_file`\n\n```json\n{\n  \"path\": \"a.md\"\n}\n```",
        "`read_file` answered\n\n````\n```\n</pre>",
        "_The reply reached its length limit._",
    ];
    let mut from = 0;
    for part in parts {
        let at = written[from..].find(part);
        from += at.unwrap_or_else(|| panic!("{part:?} is not there in its place:\n{written}"));
    }
}

#[test]
fn html_runs_and_loads_nothing_that_a_session_says() {
    let written = (format("html").unwrap().write)(&conversation()).unwrap();
    assert!(!written.contains("<script"), "{written}");
    assert!(!written.contains("<b>& dams"), "{written}");
    assert!(!written.contains("\" onclick=\"x"), "{written}");
    assert!(written.contains("default-src 'none'"));
    assert!(written.contains("A low wall."));
    assert!(written.contains("&lt;/pre&gt;"));
}

#[test]
fn json_holds_every_event() {
    let transcript = conversation();
    let written = (format("json").unwrap().write)(&transcript).unwrap();
    let read: serde_json::Value = serde_json::from_str(&written).unwrap();
    let events: Vec<Event> = serde_json::from_value(read["events"].clone()).unwrap();
    let session: SessionSummary = serde_json::from_value(read["session"].clone()).unwrap();
    assert_eq!((events, session), (transcript.events, transcript.session));
}

#[test]
fn what_people_read_is_the_branch_that_is_read() {
    let mut transcript = transcript(vec![asked("First wording"), said("One", None)]);
    let mut second = super::tests::transcript(vec![
        EventBody::UserMessage {
            content: "Second wording".into(),
            source: "demo".into(),
            model: "demo".into(),
            images: Vec::new(),
            system: None,
            replaces: transcript.events[0].turn_id,
            thinking: None,
            options: Default::default(),
        },
        EventBody::Error {
            error: ErrorBody::new("network", "The connection broke."),
        },
    ]);
    transcript.events.append(&mut second.events);
    for name in ["md", "html"] {
        let written = (format(name).unwrap().write)(&transcript).unwrap();
        assert!(!written.contains("First wording"), "{written}");
        assert!(written.contains("Second wording"), "{written}");
        assert!(written.contains("The connection broke."), "{written}");
    }
    let all = (format("json").unwrap().write)(&transcript).unwrap();
    assert!(all.contains("First wording") && all.contains("Second wording"));
}
