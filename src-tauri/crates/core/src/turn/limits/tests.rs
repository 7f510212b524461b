//! Each limit is reached by its own kind of flood, keeps what came before, and is said in a
//! sentence.

use serde_json::{Value, json};
use weir_protocol::{StreamEvent, code};

use super::{LIMITS, Limit, LimitError, Meter, ReplyLimits};

fn events(value: Value) -> Vec<StreamEvent> {
    serde_json::from_value(value).unwrap()
}

fn limited(spelling: &str, value: u64) -> Meter {
    let mut limits = ReplyLimits::default();
    limits.set(Limit::named(spelling).unwrap(), value).unwrap();
    Meter::new(&limits)
}

/// What one more of each kind looks like; `n` makes it another one.
fn flood(kind: &str, n: u32) -> Vec<StreamEvent> {
    let id = n;
    events(match kind {
        "text" => json!([{"type": "text_delta", "id": 0, "text": "ab"}]),
        "thinking" => json!([{"type": "thinking_delta", "id": 0, "text": "ab"}]),
        "input" => json!([{"type": "tool_use_delta", "id": 0, "json": "ab"}]),
        "calls" => json!([{"type": "tool_use_start", "id": id, "toolCallId": format!("c{n}"),
            "name": "look", "executedBy": "weir"}]),
        "blocks" => json!([{"type": "text_start", "id": id}, {"type": "text_end", "id": id}]),
        "thoughts" => json!([{"type": "thinking_start", "id": id}]),
        "results" => json!([{"type": "tool_result", "toolCallId": "c", "name": "look",
            "result": "ab", "isError": false}]),
        "files" => json!([{"type": "file", "url": "data:,", "mediaType": "image/png"}]),
        "citations" => json!([{"type": "citation", "id": 0, "citation": {"raw": {}}}]),
        "status" => json!([{"type": "status", "message": "x"}]),
        "todos" => json!([{"type": "todo_update",
            "todos": [{"content": "x", "status": "pending"}]}]),
        "subagents" => json!([{"type": "subagent_end", "subagentId": null, "name": "n",
            "summary": "", "isError": false}]),
        "taking turns" => json!([{"type": "status", "message": ""},
            {"type": "subagent_start", "subagentId": null, "name": "", "task": ""}]),
        "unknown" => json!([{"type": "raw", "value": {"n": n}}]),
        "seals" => json!([{"type": "thinking_end", "id": id, "signature": "ab",
            "redacted": null}]),
        other => panic!("no flood is called {other}"),
    })
}

#[test]
fn every_kind_of_flood_reaches_a_limit_and_keeps_what_came_before() {
    let cases = [
        ("text", "textPerStep", 9),
        ("text", "textPerTurn", 9),
        ("thinking", "textPerStep", 9),
        ("input", "toolInput", 9),
        ("input", "textPerStep", 9),
        ("calls", "callsPerStep", 4),
        ("calls", "callsPerTurn", 4),
        ("calls", "blocksPerStep", 4),
        ("blocks", "blocksPerStep", 4),
        ("blocks", "blocksPerTurn", 4),
        ("thoughts", "blocksPerStep", 4),
        ("results", "blocksPerStep", 4),
        ("results", "dataPerStep", 20),
        ("results", "dataPerTurn", 20),
        ("files", "dataPerStep", 20),
        ("files", "blocksPerStep", 4),
        ("citations", "citationsPerStep", 4),
        ("citations", "dataPerStep", 9),
        ("status", "notesPerStep", 4),
        ("status", "textPerStep", 4),
        ("todos", "notesPerStep", 4),
        ("todos", "textPerStep", 4),
        ("subagents", "notesPerStep", 4),
        ("taking turns", "blocksPerStep", 4),
        ("unknown", "unknownPerStep", 4),
        ("seals", "dataPerStep", 9),
    ];
    for (kind, spelling, value) in cases {
        let mut meter = limited(spelling, value);
        let mut admitted = 0;
        let exceeded = (0..1_000).find_map(|n| {
            let mut said = flood(kind, n);
            let outcome = meter.admit(&mut said);
            admitted += said.len();
            outcome.err()
        });
        let exceeded = exceeded.unwrap_or_else(|| panic!("{kind} never reached {spelling}"));
        let body = exceeded.body();
        assert_eq!(body.code, code::REPLY_TOO_LONG, "{kind} {spelling}");
        assert!(body.message.contains(spelling), "{kind}: {}", body.message);
        assert!(
            body.message.contains(&value.to_string()),
            "{}",
            body.message
        );
        assert!(
            (1..=10).contains(&admitted),
            "{kind} {spelling}: {admitted}"
        );
    }
}

#[test]
fn a_text_is_cut_at_a_character_where_the_limit_is_reached() {
    let mut meter = limited("textPerStep", 4);
    let mut said = events(json!([
        {"type": "text_delta", "id": 0, "text": "ab"},
        {"type": "text_delta", "id": 0, "text": "cédille"},
        {"type": "text_delta", "id": 0, "text": "never"},
    ]));
    assert!(meter.admit(&mut said).is_err());
    let kept = events(json!([
        {"type": "text_delta", "id": 0, "text": "ab"},
        {"type": "text_delta", "id": 0, "text": "c"},
    ]));
    assert_eq!(said, kept);
}

#[test]
fn names_bytes_and_whole_inputs_have_limits_of_their_own() {
    let mut meter = limited("nameLength", 8);
    let long = "n".repeat(9);
    for event in [
        json!({"type": "start", "messageId": long, "model": null}),
        json!({"type": "start", "messageId": null, "model": long}),
        json!({"type": "tool_use_start", "id": 0, "toolCallId": long, "name": "a",
            "executedBy": "weir"}),
        json!({"type": "tool_use_start", "id": 0, "toolCallId": "a", "name": long,
            "executedBy": "weir"}),
        json!({"type": "tool_result", "toolCallId": "a", "name": long, "result": 1,
            "isError": false}),
        json!({"type": "subagent_start", "subagentId": long, "name": "a", "task": ""}),
        json!({"type": "subagent_end", "subagentId": null, "name": long, "summary": "",
            "isError": false}),
        json!({"type": "file", "url": "data:,", "mediaType": long}),
    ] {
        let mut said = events(json!([event]));
        assert!(meter.admit(&mut said).is_err(), "{event}");
        assert!(said.is_empty());
    }
    let mut meter = limited("toolInput", 16);
    let input = json!({"text": "x".repeat(20)});
    let mut said = events(json!([{"type": "tool_use_end", "id": 0, "input": input}]));
    assert!(meter.admit(&mut said).is_err());

    // A piece that says nothing excuses nothing, and an input is not counted twice.
    let whole = |json: &str, input: &Value| {
        events(json!([
            {"type": "tool_use_delta", "id": 0, "json": json},
            {"type": "tool_use_end", "id": 0, "input": input},
        ]))
    };
    for spelling in ["toolInput", "textPerStep", "textPerTurn"] {
        let mut meter = limited(spelling, 16);
        assert!(meter.admit(&mut whole(" ", &input)).is_err(), "{spelling}");
        let small = json!({"a": [1, 2, 3]});
        let mut meter = limited(spelling, 16);
        assert!(meter.admit(&mut whole(&small.to_string(), &small)).is_ok());
    }
    for input in [
        json!([1, 22, -3.5, null, true]),
        json!([[], [[]], {}]),
        json!({"a": 1, "b": ""}),
    ] {
        assert_eq!(super::size(&input), input.to_string().len() as u64);
    }

    let mut meter = limited("bytesPerStep", 100);
    assert!(meter.receive(60).is_ok());
    assert!(meter.receive(60).is_err());
    meter.start_step();
    assert!(meter.receive(60).is_ok());
}

#[test]
fn a_step_is_counted_anew_and_a_turn_is_not() {
    let mut meter = limited("callsPerTurn", 3);
    for n in 0..3 {
        meter.start_step();
        assert!(meter.admit(&mut flood("calls", n)).is_ok());
    }
    meter.start_step();
    assert!(meter.admit(&mut flood("calls", 3)).is_err());

    let mut meter = limited("callsPerStep", 1);
    for n in 0..3 {
        meter.start_step();
        assert!(meter.admit(&mut flood("calls", n)).is_ok());
    }
}

/// What the largest models say in one step fits the defaults several times over.
#[test]
fn a_long_honest_answer_fits() {
    let mut meter = Meter::new(&ReplyLimits::default());
    // 128,000 tokens of five bytes, a token a delta, with thinking before it.
    for kind in ["thinking_delta", "text_delta"] {
        for _ in 0..128_000 {
            let mut said = events(json!([{"type": kind, "id": 0, "text": "token"}]));
            assert!(meter.admit(&mut said).is_ok());
        }
    }
    for n in 0..128 {
        assert!(meter.admit(&mut flood("calls", n)).is_ok());
    }
}

#[test]
fn settings_are_checked_and_a_damaged_one_removes_no_limit() {
    for (at, limit) in LIMITS.iter().enumerate() {
        assert_eq!(
            limit.name as usize, at,
            "the table is in the order of the names"
        );
        assert!((1..=limit.largest).contains(&limit.default));
        assert_eq!(Limit::named(limit.spelling).unwrap().name, limit.name);
    }
    let calls = Limit::named("callsPerStep").unwrap();
    for value in [0, calls.largest + 1, u64::MAX] {
        let refused = ReplyLimits::default().set(calls, value);
        assert!(
            matches!(refused, Err(LimitError::OutOfRange { .. })),
            "{value}"
        );
    }
    assert!(Limit::named("nonsense").is_err());
    for stored in [
        "",
        "no json",
        "[]",
        r#"{"callsPerStep": 0}"#,
        r#"{"callsPerStep": -1}"#,
        r#"{"callsPerStep": 1e300}"#,
        r#"{"callsPerStep": "many"}"#,
        r#"{"callsPerStep": 18446744073709551615}"#,
    ] {
        let limits = ReplyLimits::parse(stored);
        assert_eq!(limits.get(calls), calls.default, "{stored}");
    }
    let mut limits = ReplyLimits::parse(r#"{"callsPerStep": 7, "other": 1}"#);
    assert_eq!(limits.get(calls), 7);
    let written = serde_json::to_string(&limits).unwrap();
    assert_eq!(ReplyLimits::parse(&written), limits);
    limits.reset(calls);
    assert_eq!(limits.get(calls), calls.default);
}
