//! Lines as other programs hand them on: without the message around their content, or inside
//! server-sent events.

use super::*;
use crate::source::summary::summarize;

/// Reads these bytes whole and in every split in two, and holds each to the first.
fn read_at_every_split(bytes: &[u8]) -> Summary {
    let whole = testing::read(&DIALECT, [bytes]);
    for at in 1..bytes.len() {
        let (first, second) = bytes.split_at(at);
        assert_eq!(testing::read(&DIALECT, [first, second]), whole, "at {at}");
    }
    let single = testing::read(&DIALECT, bytes.chunks(1));
    assert_eq!(single, whole, "byte by byte");
    summarize(&whole)
}

fn bare_lines() -> Vec<Value> {
    vec![
        json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "claude" }),
        json!({ "type": "assistant", "content": [
            text_block("Hello! "),
            { "type": "tool_use", "name": "Read", "input": { "path": "ä" } },
        ] }),
        json!({ "type": "user", "content": [{ "type": "tool_result", "content": "seen" }] }),
        json!({ "type": "assistant", "content": "How can I help?" }),
        json!({ "type": "result", "subtype": "success",
            "usage": { "input_tokens": 42, "output_tokens": 15, "model": "claude" } }),
    ]
}

fn check_bare(summary: &Summary) {
    assert_eq!(summary.text, "Hello! How can I help?");
    let [call] = summary.tool_calls.as_slice() else {
        panic!("one call: {summary:?}");
    };
    assert_eq!(
        (call.name.as_str(), &call.input["path"]),
        ("Read", &json!("ä"))
    );
    assert_eq!(summary.tool_results, 1);
    let usage = summary.usage.as_ref().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (42, 15));
    assert!(summary.complete, "{summary:?}");
    assert_eq!(summary.errors, []);
}

#[test]
fn a_message_without_its_wrapper() {
    let lines: String = bare_lines()
        .iter()
        .map(|line| format!("{line}\n"))
        .collect();
    check_bare(&read_at_every_split(lines.as_bytes()));
}

#[test]
fn nothing_of_such_a_message_is_unknown() {
    let found = events(&bare_lines());
    assert!(
        found.iter().all(|event| event["type"] != "raw"),
        "{found:?}"
    );
}

#[test]
fn a_message_that_came_in_pieces_is_not_said_again_without_its_wrapper() {
    let lines = [
        message_start("m"),
        text_delta(0, "Hello"),
        stop(0),
        json!({ "type": "assistant", "content": [text_block("Hello")] }),
    ];
    assert_eq!(summary(&lines).text, "Hello");
}

/// The same lines, in server-sent events of several shapes.
#[test]
fn the_same_lines_in_server_sent_events() {
    let shapes: [fn(&Value) -> String; 5] = [
        |line| format!("event: message\ndata: {line}\n\n"),
        |line| format!("event:message\r\ndata:{line}\r\n\r\n"),
        |line| format!("id: 1\ndata: {line}\nevent: message\n\n"),
        // As a proxy writes that prints JSON for people.
        |line| {
            let text = serde_json::to_string_pretty(line).unwrap();
            let data: String = text.lines().map(|it| format!("data: {it}\n")).collect();
            format!("event: message\n{data}\n")
        },
        // Without the blank lines.
        |line| format!("event: message\ndata: {line}\n"),
    ];
    for shape in shapes {
        let mut stream: String = bare_lines().iter().map(shape).collect();
        stream.push_str("event: complete\ndata: {\"status\":\"success\",\"duration\":5000}\n\n");
        check_bare(&read_at_every_split(stream.as_bytes()));
    }
}

#[test]
fn a_proxy_says_when_the_agent_is_over() {
    let said = format!("event: message\ndata: {}\n\n", text_delta(0, "Hello"));
    let started = format!("event: message\ndata: {}\n\n", message_start("m"));
    let rows = [
        (
            "event: complete\ndata: {\"status\":\"success\",\"duration\":1,\"messageCount\":3}\n\n",
            true,
        ),
        ("event: complete\ndata: {\"status\":\"success\"}\n\n", true),
        ("data: {\"status\":\"success\"}\nevent: complete\n\n", true),
        ("event: complete\ndata: {}\n\n", true),
        (
            "event: complete\ndata: {\"status\":\"error\",\"error\":\"exit 1\"}\n\n",
            true,
        ),
        ("", false),
    ];
    for (end, complete) in rows {
        let summary = read_at_every_split(format!("{started}{said}{end}").as_bytes());
        assert_eq!(
            (summary.text.as_str(), summary.complete),
            ("Hello", complete),
            "{end}"
        );
    }
}

#[test]
fn what_a_proxy_adds_is_kept() {
    let stream = "event: metrics\ndata: {\"type\":\"metrics\",\"load\":3}\n\n";
    let found = testing::read(&DIALECT, [stream.as_bytes()]);
    let kept = json!({ "type": "raw", "value": { "type": "metrics", "load": 3 } });
    assert!(testing::without_cut(found).contains(&kept));
}
