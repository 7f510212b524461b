//! `weir` as scripts see it: what a turn prints, what is stored of it, how it exits.

use serde_json::{Value, json};
use uuid::Uuid;
use weir_tests::events::{
    block_key, check_sequence, content, is_chunk, kind, of_kind, order, session, shown_blocks,
    stored,
};
use weir_tests::process::Signal;
use weir_tests::{Sandbox, sse};

#[test]
fn a_turn_prints_its_events_in_order() {
    let sandbox = Sandbox::new();
    let events = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let events = events.events();
    assert_eq!(
        order(&events),
        [
            "session_start",
            "user_message",
            "thinking_chunk",
            "thinking",
            "message_chunk",
            "message",
            "tool_use_chunk",
            "tool_use",
            "tool_result",
            "usage",
            "complete",
        ]
    );
    assert_eq!(kind(&events[events.len() - 2]), "usage");
    assert_eq!(kind(&events[events.len() - 1]), "complete");
}

#[test]
fn events_have_the_fields_of_the_contract() {
    let sandbox = Sandbox::new();
    let turn = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let events = turn.events();
    let own = |event: &Value| -> &'static [&'static str] {
        match kind(event) {
            "session_start" => &["source", "model"],
            "user_message" => &["content", "source", "model"],
            "thinking" => &["content", "durationMs", "signature"],
            "message" | "thinking_chunk" | "message_chunk" => &["content"],
            "tool_use" => &["toolCallId", "toolName", "input"],
            "tool_use_chunk" => &["toolCallId", "toolName", "content"],
            "tool_result" => &["toolCallId", "toolName", "result", "isError", "durationMs"],
            "usage" => &["usage", "model", "durationMs", "firstChunkMs"],
            "complete" => &["stopReason", "usage"],
            other => panic!("no other kind in this turn: {other}"),
        }
    };
    let common = [
        "id",
        "sessionId",
        "eventIndex",
        "persistenceState",
        "timestamp",
    ];
    let mut ids = std::collections::BTreeSet::new();
    let mut last_index = None;
    for event in &events {
        for field in common.iter().chain(own(event)) {
            assert!(!event[*field].is_null(), "{field} of {event}");
        }
        let id = event["id"].as_str().unwrap();
        assert!(id.parse::<Uuid>().is_ok(), "a UUID: {event}");
        assert!(ids.insert(id), "an id of its own: {event}");
        let index = event["eventIndex"].as_u64();
        assert!(index > last_index, "indices grow: {event}");
        last_index = index;
        let persisted = if is_chunk(event) {
            "transient"
        } else {
            "persisted"
        };
        assert_eq!(event["persistenceState"], persisted, "{event}");
        assert_eq!(
            event["sequenceNumber"].is_null(),
            is_chunk(event),
            "{event}"
        );
        let in_turn = kind(event) != "session_start";
        assert_eq!(event["turnId"].is_string(), in_turn, "{event}");
    }
    check_sequence(&stored(&events));
    session(&events);
}

#[test]
fn finished_blocks_are_their_chunks() {
    let sandbox = Sandbox::new();
    let turn = sandbox
        .weir(&["chat", "--json", "everything fast"])
        .run()
        .code(0);
    let events = turn.events();
    let shown = shown_blocks(&events);
    assert!(shown.len() > 5, "many blocks: {}", shown.len());
    for (key, (name, text)) in shown {
        let finished = of_kind(&events, &name);
        let finished = finished.iter().find(|event| block_key(event) == key);
        let finished = finished.unwrap_or_else(|| panic!("a finished {name} at {key:?}"));
        if name == "tool_use" {
            let input: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(finished["input"], input);
        } else {
            assert_eq!(content(finished), text);
        }
    }
}

#[test]
fn stored_events_come_back_as_they_were_printed() {
    let sandbox = Sandbox::new();
    let printed = sandbox.weir(&["chat", "--json", "everything fast"]).run();
    let printed = stored(&printed.code(0).events());
    let id = session(&printed);
    let back = sandbox.weir(&["events", &id]).run().code(0).events();
    assert_eq!(back, printed);
    for since in [1, printed.len() / 2, printed.len()] {
        let later = sandbox.weir(&["events", &id, "--since", &since.to_string()]);
        assert_eq!(later.run().code(0).events(), printed[since..]);
    }
}

#[test]
fn a_second_turn_goes_on_in_the_same_session() {
    let sandbox = Sandbox::new();
    let first = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let id = session(&first.events());
    let second = sandbox
        .weir(&["chat", "--json", "--session", &id, "list fast"])
        .run()
        .code(0);
    let second = stored(&second.events());
    assert_eq!(session(&second), id);
    assert_eq!(kind(&second[0]), "user_message");
    let all = sandbox.weir(&["events", &id]).run().code(0).events();
    check_sequence(&all);
    let mut both = stored(&first.events());
    both.extend(second);
    assert_eq!(all, both);
}

#[test]
fn sessions_are_listed_newest_first() {
    let sandbox = Sandbox::new();
    let chat = |prompt: &str| {
        let turn = sandbox.weir(&["chat", "--json", prompt]).run().code(0);
        session(&turn.events())
    };
    let older = chat("first fast");
    let newer = chat("second fast");
    let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
    let ids: Vec<&Value> = listed.iter().map(|line| &line["id"]).collect();
    assert_eq!(ids, [&json!(newer), &json!(older)]);
    for line in &listed {
        assert_eq!(line["source"], "demo", "{line}");
        assert_eq!(line["status"], "idle", "{line}");
        assert_eq!(line["turns"], 1, "{line}");
        assert!(line["tokens"].as_u64() > Some(0), "{line}");
        for field in ["title", "model", "updatedAt", "createdAt"] {
            assert!(line[field].is_string(), "{field} of {line}");
        }
        assert!(line.get("cost").is_some(), "{line}");
    }
    let plain = sandbox.weir(&["sessions"]).run().code(0).stdout;
    assert_eq!(plain.lines().count(), 2);
    assert!(plain.contains(&older) && plain.contains(&newer), "{plain}");
}

#[test]
fn plain_output_has_thinking_then_text_then_usage() {
    let sandbox = Sandbox::new();
    let events = sandbox
        .weir(&["chat", "--json", "hello fast"])
        .run()
        .code(0);
    let events = events.events();
    let plain = sandbox.weir(&["chat", "hello fast"]).run().code(0).stdout;
    let place_of = |part: &str| {
        let found = plain.find(part);
        found.unwrap_or_else(|| panic!("{part:?} is in {plain}"))
    };
    let thinking = place_of(content(of_kind(&events, "thinking")[0]));
    let text = place_of(content(of_kind(&events, "message")[0]));
    let output = &of_kind(&events, "usage")[0]["usage"]["outputTokens"];
    let usage = place_of(&format!("{output} out"));
    assert!(thinking < text && text < usage, "{plain}");
    assert!(!plain.contains('\u{1b}'), "no colours into a pipe: {plain}");
}

#[test]
fn an_interrupt_ends_the_turn_and_keeps_what_came() {
    let sandbox = Sandbox::new();
    let turn = sandbox.weir(&["chat", "--json", "long"]).start();
    turn.wait_until("text", |output| {
        output.matches("\"message_chunk\"").count() > 3
    });
    turn.signal(Signal::INT);
    let printed = turn.finish().code(130).events();
    let id = session(&printed);
    let back = sandbox.weir(&["events", &id]).run().code(0).events();
    assert_eq!(back, stored(&printed));
    let last = back.last().unwrap();
    assert_eq!(kind(last), "complete");
    assert_eq!(last["stopReason"], "cancelled");
    for (key, (name, text)) in shown_blocks(&printed) {
        let kept = of_kind(&back, &name);
        let kept = kept.iter().find(|event| block_key(event) == key);
        assert_eq!(kept.map(|event| content(event)), Some(text.as_str()));
    }
}

#[test]
fn exit_codes_tell_what_happened() {
    let sandbox = Sandbox::new();
    let calls: [(&[&str], i32); 10] = [
        (&["chat", "fast"], 0),
        (&["chat", "error fast"], 1),
        (&["chat", "cut fast"], 1),
        (&["sessions"], 0),
        (&["events", "00000000-0000-7000-8000-000000000000"], 1),
        (&["events", "no-id"], 2),
        (&["chat"], 2),
        (&["nonsense"], 2),
        (&["chat", "--thinking", "much", "fast"], 2),
        (&["--version"], 0),
    ];
    for (arguments, code) in calls {
        sandbox.weir(arguments).run().code(code);
    }
}

#[test]
fn a_failed_turn_keeps_what_came_and_says_why() {
    let sandbox = Sandbox::new();
    for prompt in ["error fast", "cut fast"] {
        let turn = sandbox.weir(&["chat", "--json", prompt]).run().code(1);
        let events = turn.events();
        let last = events.last().unwrap();
        assert_eq!(kind(last), "error");
        assert_eq!(last["error"]["message"], turn.sentence());
        assert!(!of_kind(&events, "message").is_empty(), "text is kept");
        let id = session(&events);
        let back = sandbox.weir(&["events", &id]).run().code(0).events();
        assert_eq!(back, stored(&events));
        let listed = sandbox.weir(&["sessions", "--json"]).run().code(0).events();
        assert_eq!(listed[0]["status"], "failed");
    }
}

#[test]
fn normalize_reads_a_stream_without_a_database() {
    let sandbox = Sandbox::new();
    let bytes = sse::reply("Let me see.", "seal", "It is so.");
    let normalize = |to: &[&str]| {
        let mut arguments = vec!["normalize", "--dialect", "anthropic"];
        arguments.extend(to);
        sandbox.weir(&arguments).input(&bytes).run()
    };
    let expected = [
        "start",
        "thinking_start",
        "thinking_delta",
        "thinking_end",
        "text_start",
        "text_delta",
        "text_end",
        "usage",
        "done",
    ];
    for to in [&[][..], &["--to", "events"]] {
        let events = normalize(to).code(0).events();
        let mut names = order(&events);
        names.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
    let summary = normalize(&["--to", "summary"]).code(0).json();
    let wanted = json!({
        "model": "claude-scripted", "messageIds": ["msg_scripted"],
        "text": "It is so.", "thinking": "Let me see.", "signatures": 1,
        "toolCalls": [], "toolResults": 0, "citations": 0,
        "usage": {
            "inputTokens": 11, "outputTokens": 23, "reasoningTokens": 0,
            "cacheReadTokens": 5, "cacheWriteTokens": 7, "totalTokens": 46,
        },
        "stopReason": "end_turn", "complete": true, "errors": [],
        "streamEvents": summary["streamEvents"],
    });
    assert_eq!(summary, wanted);
    let unknown = sandbox.weir(&["normalize", "--dialect", "klingon"]).run();
    assert!(unknown.code(2).sentence().contains("klingon"));
    assert!(!sandbox.data().exists(), "no database was made");
}

#[test]
fn doctor_says_what_works_here() {
    let sandbox = Sandbox::new();
    let report = sandbox.weir(&["doctor", "--json"]).run().code(0).json();
    assert_eq!(report["dataFolder"], json!(sandbox.data()));
    assert_eq!(report["database"]["path"], json!(sandbox.database()));
    let version = report["database"]["sqlite"].as_str().unwrap();
    let parts: Vec<u32> = version
        .split('.')
        .map(|part| part.parse().unwrap())
        .collect();
    assert!(parts.as_slice() >= [3, 51, 3].as_slice(), "{version}");
    assert_eq!(
        report["keychain"]["ok"], false,
        "there is none here: {report}"
    );
    let names: Vec<&Value> = report["sources"].as_array().unwrap().iter().collect();
    let names: Vec<&Value> = names.iter().map(|source| &source["name"]).collect();
    for name in [
        "demo",
        "anthropic",
        "openai",
        "openai-chat",
        "gemini",
        "ollama",
    ] {
        assert!(names.contains(&&json!(name)), "{name} in {names:?}");
    }
    assert!(report["foundHere"].is_array(), "{report}");
    assert!(!sandbox.weir(&["doctor"]).run().code(0).stdout.is_empty());
}

#[test]
fn the_folder_can_be_named_on_the_command_line() {
    let sandbox = Sandbox::new();
    let folder = sandbox.root().join("elsewhere");
    let named = folder.to_str().unwrap();
    sandbox
        .weir(&["--data-dir", named, "chat", "fast"])
        .run()
        .code(0);
    assert!(folder.join("weir.db").is_file());
    assert!(!sandbox.data().exists(), "WEIR_DATA_DIR gives way");
}
