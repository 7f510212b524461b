//! What Weir writes for the AI SDK, read by the real `ai` package.
//!
//! Every stream must pass the package's own schema and reader without an error, and come to
//! the same words, tool calls, sources and errors that Weir itself sums up.

mod streams;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use weir_core::format::ai_sdk::AiSdk;
use weir_core::source::dialect::{Dialect, Reader};
use weir_core::source::summary::summarize;
use weir_core::source::{DIALECTS, dialect};
use weir_core::wire::Framing;
use weir_protocol::{
    Citation, ErrorBody, ExecutedBy, StopReason, StreamEvent, Todo, TodoStatus, Usage,
};
use weir_tests::{Sandbox, eventstream};

#[test]
fn a_short_stream_of_every_dialect_is_read() {
    let mut said = Vec::new();
    for dialect in DIALECTS {
        let name = dialect.name;
        let own = streams::STREAMS.iter().find(|(own, _)| *own == name);
        let (_, frames) = own.unwrap_or_else(|| panic!("no short stream of {name}"));
        let events = read(dialect, &bytes(dialect, frames));
        let summary = summarize(&events);
        assert_eq!(summary.text, "Hello, world.", "{name} is understood");
        assert!(summary.complete, "{name} is heard to its end");
        assert!(
            summary.tool_results + summary.tool_calls.len() > 0,
            "{name}"
        );
        said.push((name.to_owned(), events));
    }
    check(&said);
}

#[test]
fn every_recorded_stream_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/fixtures");
    if !root.is_dir() {
        println!("no recorded streams beside this repository: nothing to compare");
        return;
    }
    let mut said = Vec::new();
    for dialect in DIALECTS {
        let Ok(entries) = std::fs::read_dir(root.join(dialect.name)) else {
            continue;
        };
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.retain(|path| {
            let ending = path.extension().and_then(|ending| ending.to_str());
            matches!(ending, Some("sse" | "ndjson" | "jsonl"))
        });
        paths.sort();
        for path in paths {
            let events = read(dialect, &std::fs::read(&path).unwrap());
            said.push((path.display().to_string(), events));
        }
    }
    check(&said);
    println!("{} recorded streams are read by the AI SDK", said.len());
}

#[test]
fn whatever_events_come_are_read() {
    let streams: Vec<_> = (0..200).map(|seed| format(&any_events(seed))).collect();
    for (seed, message) in sdk(&streams).iter().enumerate() {
        assert_eq!(message["problems"], json!([]), "seed {seed}");
    }
}

#[test]
fn what_is_no_stream_is_refused() {
    let start = "data: {\"type\":\"start\"}\n\n";
    let rows = [
        "",
        "data: [DONE]\n\n",
        "data: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n",
        "data: {\"type\":\"start\"}\n\ndata: {\"type\":\"finish\"}\n\n",
    ];
    let inside = [
        r#"{"type":"done"}"#,
        r#"{"type":"error","error":"Something went wrong"}"#,
        r#"{"type":"tool-input-start","id":"call_1","name":"web_search"}"#,
        r#"{"type":"text-delta","id":"text_1","delta":"never begun"}"#,
        r#"{"type":"text-start","id":"never ended"}"#,
        r#"{"type":"tool-output-available","toolCallId":"never asked","output":1}"#,
        "no JSON",
    ];
    let end = "data: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n";
    let wrong = inside.map(|chunk| format!("{start}data: {chunk}\n\n{end}"));
    let streams: Vec<_> = rows.map(str::to_owned).into_iter().chain(wrong).collect();
    for (stream, message) in streams.iter().zip(sdk(&streams)) {
        assert_ne!(message["problems"], json!([]), "{stream}");
    }
}

#[test]
fn the_command_line_writes_it() {
    let (name, frames) = streams::STREAMS[0];
    let dialect = dialect(name).unwrap();
    let input = bytes(dialect, frames);
    let arguments = ["normalize", "--dialect", name, "--to", "ai-sdk"];
    let written = Sandbox::new().weir(&arguments).input(&input).run().code(0);
    assert_eq!(written.stdout, format(&read(dialect, &input)));
}

fn bytes(dialect: &Dialect, frames: &str) -> Vec<u8> {
    let frames = frames.trim().lines();
    let framed = frames.map(|frame| match dialect.framing {
        Framing::Sse => format!("data: {frame}\n\n").into_bytes(),
        Framing::Lines | Framing::LinesOrSse => format!("{frame}\n").into_bytes(),
        // The name of a message is a header, and stands before its payload here.
        Framing::AwsEventStream => {
            let (name, payload) = frame.split_once(' ').unwrap();
            eventstream::event(name, &serde_json::from_str(payload).unwrap())
        }
    });
    framed.collect::<Vec<_>>().concat()
}

fn read(dialect: &'static Dialect, bytes: &[u8]) -> Vec<StreamEvent> {
    let mut reader = Reader::new(dialect);
    let mut events = Vec::new();
    reader.push(bytes, &mut events);
    reader.finish(&mut events);
    events
}

fn format(events: &[StreamEvent]) -> String {
    let mut format = AiSdk::new();
    let mut out = Vec::new();
    for event in events {
        format.write(event, &mut out);
    }
    format.finish(&mut out);
    String::from_utf8(out).unwrap()
}

/// What the real package makes of each stream, all in one process.
pub(crate) fn sdk(streams: &[String]) -> Vec<Value> {
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let node: PathBuf = peers.join("node_modules/.bin/node");
    assert!(
        node.is_file(),
        "{} is missing: run `make setup`",
        node.display()
    );
    let mut child = Command::new(node)
        .arg(peers.join("verify.mjs"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = streams.iter().map(|stream| format!("{}\n", json!(stream)));
    let input: String = lines.collect();
    // It reads everything before it answers anything.
    let mut pipe = child.stdin.take().unwrap();
    pipe.write_all(input.as_bytes()).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = answers
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), streams.len(), "one answer each");
    answers
}

fn check(said: &[(String, Vec<StreamEvent>)]) {
    let streams: Vec<_> = said.iter().map(|(_, events)| format(events)).collect();
    let mut failures = Vec::new();
    for ((name, events), message) in said.iter().zip(sdk(&streams)) {
        let wrong = differences(events, &message);
        if !wrong.is_empty() {
            failures.push(format!("{name}\n  {}", wrong.join("\n  ")));
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {} streams differ\n{}",
        failures.len(),
        said.len(),
        failures.join("\n")
    );
}

/// Every way in which the package's message is not what Weir sums up.
fn differences(events: &[StreamEvent], message: &Value) -> Vec<String> {
    let summary = summarize(events);
    let mut found = Vec::new();
    let mut compare = |what: &str, want: Value, got: Value| {
        if !same(&want, &got) {
            found.push(format!("{what}: want {want}, got {got}"));
        }
    };
    compare("problems", json!([]), message["problems"].clone());
    compare("text", json!(summary.text), message["text"].clone());
    let parts = message["reasoning"].as_array().unwrap();
    let thinking: String = parts
        .iter()
        .filter(|part| part["variant"] == "thinking")
        .map(|part| part["text"].as_str().unwrap())
        .collect();
    let is_helper = |event: &StreamEvent| {
        let start = matches!(event, StreamEvent::SubagentStart { .. });
        start || matches!(event, StreamEvent::SubagentEnd { .. })
    };
    // What is said of helpers stands among the thoughts.
    if !events.iter().any(is_helper) {
        compare("thinking", json!(summary.thinking), json!(thinking));
    }
    let sealed = parts.iter().filter(|part| part["signature"].is_string());
    compare(
        "signatures",
        json!(summary.signatures),
        json!(sealed.count()),
    );

    let tools = message["tools"].as_array().unwrap();
    let tool = |id: &str| tools.iter().rfind(|tool| tool["toolCallId"] == *id);
    for call in &summary.tool_calls {
        let got = tool(&call.id).map(|tool| json!([tool["toolName"], tool["input"]]));
        compare(&call.id, json!([call.name, call.input]), json!(got));
    }
    for event in events {
        if let StreamEvent::ToolResult {
            tool_call_id: id, ..
        } = event
        {
            let state = tool(id).and_then(|tool| tool["state"].as_str());
            let answered = state.is_some_and(|state| state.starts_with("output-"));
            compare(&format!("{id} is answered"), json!(true), json!(answered));
        }
    }
    let count = |list: &str| message[list].as_array().unwrap().len();
    compare(
        "citations",
        json!(summary.citations),
        json!(count("sources")),
    );
    let is_file = |event: &&StreamEvent| matches!(event, StreamEvent::File { .. });
    let files = events.iter().filter(is_file).count();
    compare("files", json!(files), json!(count("files")));
    let errors: Vec<_> = summary.errors.iter().map(|error| &error.message).collect();
    compare("errors", json!(errors), message["errors"].clone());
    compare("finished", json!(true), message["finished"].clone());
    let usage = json!(summary.usage);
    if let Some(want) = usage.as_object() {
        for (field, want) in want {
            let got = message["metadata"]["usage"][field].clone();
            compare(field, want.clone(), got);
        }
    }
    found
}

/// Equal, as far as JavaScript tells numbers apart.
fn same(want: &Value, got: &Value) -> bool {
    match (want, got) {
        (Value::Number(want), Value::Number(got)) => want.as_f64() == got.as_f64(),
        (Value::Array(want), Value::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| same(want, got))
        }
        (Value::Object(want), Value::Object(got)) => {
            let is_same =
                |(key, want): (&String, &Value)| got.get(key).is_some_and(|got| same(want, got));
            want.len() == got.len() && want.iter().all(is_same)
        }
        _ => want == got,
    }
}

/// Events in an order that no dialect would send, by a seed that says everything.
fn any_events(seed: u64) -> Vec<StreamEvent> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut pick = |below: u64| {
        // splitmix64
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    };
    let length = pick(60);
    (0..length)
        .map(|_| {
            let id = u32::try_from(pick(3)).unwrap();
            let call = ["x", "y", "__proto__"][usize::try_from(pick(3)).unwrap()];
            any_event(pick(24), id, call)
        })
        .collect()
}

fn any_event(kind: u64, id: u32, call: &str) -> StreamEvent {
    let words = || "a \u{2028}\n\"b\"".to_owned();
    let odd = json!({ "__proto__": [0.5], "n": u64::MAX, "constructor": { "prototype": 1 } });
    let todo = Todo {
        content: words(),
        status: TodoStatus::InProgress,
    };
    let input = [json!({ "q": 1 }), Value::Null, json!("{cut"), odd.clone()];
    let start = |executed_by| StreamEvent::ToolUseStart {
        id,
        tool_call_id: call.to_owned(),
        name: "look".to_owned(),
        executed_by,
        detail: Some(odd.clone()),
    };
    let result = |is_error| StreamEvent::ToolResult {
        tool_call_id: call.to_owned(),
        name: "look".to_owned(),
        result: odd.clone(),
        is_error,
        detail: None,
    };
    let cite = |url: Option<&str>| StreamEvent::Citation {
        id,
        citation: Citation {
            url: url.map(str::to_owned),
            ..Citation::default()
        },
    };
    match kind {
        0 => StreamEvent::Start {
            message_id: Some(words()),
            model: Some("m".to_owned()),
        },
        1 => StreamEvent::Status { message: words() },
        2 => StreamEvent::TextStart { id },
        3 | 4 => StreamEvent::TextDelta { id, text: words() },
        5 => StreamEvent::TextEnd {
            detail: None,
            id,
            signature: Some(words()),
        },
        6 => StreamEvent::ThinkingStart { id },
        7 | 8 => StreamEvent::ThinkingDelta { id, text: words() },
        9 => StreamEvent::ThinkingEnd {
            detail: None,
            id,
            signature: None,
            redacted: Some(words()),
        },
        10 => start(ExecutedBy::Weir),
        11 => start(ExecutedBy::Source),
        12 => StreamEvent::ToolUseDelta {
            id,
            json: "{\"q\":".to_owned(),
        },
        13 | 14 => StreamEvent::ToolUseEnd {
            id,
            input: input[usize::try_from(kind + u64::from(id)).unwrap() % input.len()].clone(),
            signature: None,
        },
        15 => result(false),
        16 => result(true),
        17 => cite(None),
        18 => cite(Some("no address")),
        19 => StreamEvent::TodoUpdate { todos: vec![todo] },
        20 => StreamEvent::SubagentStart {
            subagent_id: None,
            name: words(),
            task: words(),
        },
        21 => StreamEvent::Usage {
            usage: Usage::default(),
            is_total: true,
        },
        22 => StreamEvent::Error {
            error: ErrorBody::new("code", words()),
        },
        _ => StreamEvent::Done {
            stop_reason: Some(StopReason::EndTurn),
        },
    }
}
