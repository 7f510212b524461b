//! Runs, restarts and citations, and the law that chunks change nothing in the end.

use std::collections::BTreeMap;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::Value;
use uuid::Uuid;
use weir_protocol::{
    Citation, Event, EventBody, ExecutedBy, PersistenceState, Rendered, StopReason,
};

use super::View;

fn event(turn: u128, block: u32, body: EventBody) -> Event {
    Event {
        id: Uuid::nil(),
        session_id: Uuid::nil(),
        turn_id: Some(Uuid::from_u128(turn)),
        body,
        event_index: 0,
        sequence_number: None,
        block_index: Some(block),
        message_id: None,
        persistence_state: PersistenceState::Persisted,
        timestamp: Timestamp::UNIX_EPOCH,
    }
}

fn message(content: &str, urls: &[&str]) -> EventBody {
    EventBody::Message {
        detail: None,
        content: content.to_owned(),
        citations: urls.iter().map(|url| cite(Some(url), "")).collect(),
        signature: None,
    }
}

fn cite(url: Option<&str>, text: &str) -> Citation {
    Citation {
        url: url.map(str::to_owned),
        title: Some(String::from("<script>")),
        cited_text: Some(text.to_owned()),
        ..Citation::default()
    }
}

fn chunk(content: &str) -> EventBody {
    EventBody::MessageChunk {
        content: content.to_owned(),
        citations: Vec::new(),
    }
}

fn thinking(content: &str) -> EventBody {
    EventBody::Thinking {
        detail: None,
        content: content.to_owned(),
        signature: None,
        redacted: None,
        duration_ms: 0,
    }
}

fn tool_use() -> EventBody {
    EventBody::ToolUse {
        tool_call_id: String::new(),
        tool_name: String::new(),
        input: Value::Null,
        executed_by: ExecutedBy::Weir,
        signature: None,
        detail: None,
    }
}

/// What the web view does: keeps pieces per run and applies changes.
#[derive(Debug, Default, PartialEq)]
struct Screen(BTreeMap<u32, (Vec<String>, String)>);

impl Screen {
    fn apply(&mut self, change: Rendered) {
        let (pieces, tail) = self.0.entry(change.run).or_default();
        assert!(pieces.len() >= change.from as usize, "something was missed");
        pieces.truncate(change.from as usize);
        pieces.extend(change.pieces);
        *tail = change.tail;
    }

    fn of(events: impl IntoIterator<Item = Event>) -> Self {
        let (mut view, mut screen) = (View::new(), Self::default());
        for event in events {
            if let Some(change) = view.show(event).rendered {
                screen.apply(change.clone());
                screen.apply(change);
            }
        }
        screen
    }

    fn html(&self) -> Vec<(u32, String)> {
        let all = self.0.iter();
        all.map(|(run, (pieces, tail))| (*run, pieces.concat() + tail))
            .collect()
    }
}

fn marker(number: u32) -> String {
    format!("<button type=\"button\" class=\"cite\" data-cite=\"{number}\">{number}</button>")
}

#[test]
fn markers_stand_at_the_end_of_their_blocks_text() {
    let [one, two] = [marker(1), marker(2)];
    for (blocks, html) in [
        (
            vec![("A fact", vec!["u"]), (" and more.", vec![])],
            format!("<p>A fact{one} and more.</p>"),
        ),
        (
            vec![("A fact.\n\n", vec!["u"]), ("Next.", vec!["v"])],
            format!("<p>A fact.{one}</p><p>Next.{two}</p>"),
        ),
        (
            vec![("**Note:**", vec!["u"]), (" x", vec![])],
            format!("<p><strong>Note:</strong>{one} x</p>"),
        ),
        (
            vec![("**bo", vec!["u"]), ("ld**", vec![])],
            format!("<p><strong>bo{one}ld</strong></p>"),
        ),
        (
            vec![("- a", vec!["u", "v", "u"]), ("\n- b", vec!["v"])],
            format!("<ul><li>a{one}{two}</li><li>b{two}</li></ul>"),
        ),
        (
            vec![("- a", vec!["u"]), ("\n  - b", vec!["v"])],
            format!("<ul><li>a{one}<ul><li>b{two}</li></ul></li></ul>"),
        ),
        (
            vec![("[l](https://a", vec!["u"]), (".b) x", vec![])],
            format!("<p><a href=\"https://a.b\">l</a>{one} x</p>"),
        ),
        (
            vec![("`co", vec!["u"]), ("de` x", vec![])],
            format!("<p><code>code</code>{one} x</p>"),
        ),
        (
            vec![("$x", vec!["u"]), ("$ y", vec![])],
            format!("<p><math><mi>x</mi></math>{one} y</p>"),
        ),
        (
            vec![("$$x$$\n", vec!["u"]), ("\ny", vec![])],
            format!("<math display=\"block\"><mi>x</mi></math>{one}<p>y</p>"),
        ),
        (
            vec![("# T", vec!["u"]), ("\nx", vec![])],
            format!("<h1>T{one}</h1><p>x</p>"),
        ),
        (
            vec![("> q", vec!["u"]), ("\n\nx", vec![])],
            format!("<blockquote><p>q{one}</p></blockquote><p>x</p>"),
        ),
        (
            vec![("", vec!["u"]), ("x", vec![])],
            format!("<p>{one}x</p>"),
        ),
        (
            vec![("\u{F0002}&#xF0002;x", vec!["u"])],
            format!("<p>x{one}</p>"),
        ),
        (
            vec![("<b>", vec!["u"]), ("x", vec![])],
            format!("<p>&lt;b&gt;{one}x</p>"),
        ),
        (
            vec![("|a|\n|-|\n|1|", vec!["u"]), ("\n|2|", vec!["v"])],
            format!(
                "<div class=\"table\"><table><thead><tr><th>a</th></tr></thead><tbody>\
                 <tr><td>1{one}</td></tr><tr><td>2{two}</td></tr></tbody></table></div>"
            ),
        ),
        (
            vec![("[a", vec!["u"]), ("b](javascript:x)", vec!["v"])],
            format!("<p>a{one}b{two}</p>"),
        ),
    ] {
        let events = (0..)
            .zip(&blocks)
            .map(|(at, (text, urls))| event(1, at, message(text, urls)));
        assert_eq!(Screen::of(events).html(), [(0, html)], "{blocks:?}");
    }
    let code = Screen::of([event(1, 0, message("```\nx\n```", &["u"]))]).html();
    assert!(
        code[0].1.ends_with(&format!("</pre>{one}</figure>")),
        "{code:?}"
    );
}

#[test]
fn citations_are_the_same_by_url_or_by_words_and_count_per_turn() {
    let body = |citations| EventBody::Message {
        detail: None,
        content: String::from("x"),
        citations,
        signature: None,
    };
    let screen = Screen::of([event(
        1,
        0,
        body(vec![
            cite(Some("u"), "one"),
            cite(Some("u"), "two"),
            cite(None, "one"),
            cite(None, "two"),
            cite(None, "one"),
        ]),
    )]);
    let markers: String = (1..4).map(marker).collect();
    assert_eq!(screen.html(), [(0, format!("<p>x{markers}</p>"))]);

    let mut view = View::new();
    view.show(event(1, 0, message("x", &["u"])));
    let next = view.show(event(2, 0, message("y", &["v"]))).rendered;
    assert_eq!(
        next.map(|change| change.tail),
        Some(format!("<p>y{}</p>", marker(1)))
    );
}

#[test]
fn other_visible_blocks_end_a_run_and_usage_does_not() {
    let usage = EventBody::Usage {
        usage: weir_protocol::Usage::default(),
        cost: None,
        saved: None,
        model: String::new(),
        first_chunk_ms: None,
        duration_ms: 0,
        is_estimate: false,
    };
    let html = Screen::of([
        event(1, 0, thinking("hm")),
        event(1, 1, message("a", &[])),
        event(1, 1, usage),
        event(1, 2, message("b", &[])),
        event(1, 3, tool_use()),
        event(1, 4, message("c", &[])),
        event(1, 5, thinking("hm")),
        event(1, 6, thinking("ah")),
        event(1, 7, message("d", &[])),
    ])
    .html();
    let expected = [
        (0, "hm"),
        (1, "ab"),
        (4, "c"),
        (5, "hm"),
        (6, "ah"),
        (7, "d"),
    ];
    assert_eq!(
        html,
        expected.map(|(run, text)| (run, format!("<p>{text}</p>")))
    );
}

#[test]
fn a_finished_block_that_differs_from_its_chunks_is_right_in_the_end() {
    let html = Screen::of([
        event(1, 0, message("first\n\n", &["u"])),
        event(1, 1, chunk("wrong\n\nwrong\n\nwr")),
        event(1, 1, message("right", &[])),
        event(1, 2, message(" end", &[])),
    ])
    .html();
    assert_eq!(
        html,
        [(0, format!("<p>first{}</p><p>right end</p>", marker(1)))]
    );
}

#[test]
fn a_repeated_event_and_other_events_change_nothing() {
    let mut view = View::new();
    assert!(
        view.show(event(1, 0, message("a", &["u"])))
            .rendered
            .is_some()
    );
    assert_eq!(view.show(event(1, 0, message("a", &["u"]))).rendered, None);
    assert_eq!(view.show(event(1, 0, chunk("a"))).rendered, None);
    assert!(view.show(event(1, 1, message("b", &[]))).rendered.is_some());
    assert_eq!(view.show(event(1, 0, message("a", &["u"]))).rendered, None);
    let complete = EventBody::Complete {
        stop_reason: StopReason::EndTurn,
        usage: None,
        cost: None,
    };
    assert_eq!(view.show(event(1, 0, complete)).rendered, None);
    assert_eq!(view.show(event(1, 2, tool_use())).rendered, None);
}

#[test]
fn an_open_fence_is_coloured_when_its_block_is_finished_and_still_goes_on() {
    let html = Screen::of([
        event(1, 0, chunk("```rust\nfn a() {}\n")),
        event(1, 0, message("```rust\nfn a() {}\n", &[])),
    ])
    .html();
    assert!(html[0].1.contains("hl-"), "{html:?}");
}

#[derive(Clone, Debug)]
enum Part {
    Text(String, usize),
    Thinking(String),
    Tool,
}

fn part() -> impl Strategy<Value = Part> {
    let words = prop::collection::vec(
        prop::sample::select(vec![
            "word",
            " ",
            "\n",
            "\n\n",
            "- ",
            "**",
            "`",
            "```\n",
            "|a|\n|-|\n",
            "é",
            "# ",
            "$x$",
            "[a](https://b.c)",
            "1. ",
            "    ",
            "> ",
            "\r\n",
            "<b>",
            "\u{F0001}",
        ]),
        0..12,
    )
    .prop_map(|words| words.concat());
    prop_oneof![
        6 => (words.clone(), 0..3_usize).prop_map(|(text, cites)| Part::Text(text, cites)),
        1 => words.prop_map(Part::Thinking),
        1 => Just(Part::Tool),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn chunks_and_finished_blocks_come_to_what_finished_blocks_alone_do(
        parts in prop::collection::vec(part(), 0..8),
        cuts in prop::collection::vec(1..9_usize, 1..20),
    ) {
        let (mut finished, mut live) = (Vec::new(), Vec::new());
        let mut cuts = cuts.into_iter().cycle();
        for (block, part) in (0..).zip(parts) {
            let (text, body): (&str, EventBody) = match &part {
                Part::Text(text, cites) => {
                    let urls = ["u", "v", "w"];
                    (text, message(text, &urls[block as usize % 2..][..*cites]))
                }
                Part::Thinking(text) => (text, thinking(text)),
                Part::Tool => ("", tool_use()),
            };
            let mut rest: Vec<char> = text.chars().collect();
            // The last chunk may be missing: a finished block can bring more than its chunks.
            while rest.len() > 2 {
                let size = cuts.next().unwrap_or(1).min(rest.len());
                let content: String = rest.drain(..size).collect();
                live.push(event(1, block, match part {
                    Part::Thinking(_) => EventBody::ThinkingChunk { content },
                    Part::Text(..) | Part::Tool => EventBody::MessageChunk {
                        content,
                        citations: Vec::new(),
                    },
                }));
            }
            live.push(event(1, block, body.clone()));
            finished.push(event(1, block, body));
        }
        prop_assert_eq!(Screen::of(live), Screen::of(finished));
    }
}
