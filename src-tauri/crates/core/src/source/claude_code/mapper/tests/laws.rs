//! What holds for every stream.

use super::*;

/// One of everything, with characters of two, three and four bytes.
fn everything() -> Vec<Value> {
    let input = json!({ "subagent_type": "Explore", "description": "🦀", "prompt": "ß" });
    let limit = json!({ "status": "allowed_warning", "utilization": 0.5 });
    let piece_of_input = json!({ "type": "input_json_delta", "partial_json": "{\"ß\":\"猫\"}" });
    let thinking = json!({ "type": "thinking", "thinking": "grün 猫", "signature": "sig" });
    vec![
        json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "claude" }),
        json!({ "type": "rate_limit_event", "rate_limit_info": limit }),
        message_start("m"),
        delta(
            0,
            json!({ "type": "thinking_delta", "thinking": "grün 猫" }),
        ),
        json!({ "type": "system", "subtype": "thinking_tokens", "estimated_tokens": 3 }),
        delta(0, json!({ "type": "signature_delta", "signature": "sig" })),
        assistant("m", json!([thinking])),
        stop(0),
        text_delta(1, "ein Wörtchen "),
        text_delta(1, "🦀🦀"),
        assistant("m", json!([text_block("ein Wörtchen 🦀🦀 mehr")])),
        stop(1),
        start(2, call("t", "Bash", json!({}))),
        delta(2, piece_of_input),
        assistant("m", json!([call("t", "Bash", json!({ "ß": "猫" }))])),
        stop(2),
        message_stop(),
        answer("t", json!("gesehen")),
        assistant("n", json!([call("h", "Agent", input)])),
        of_helper("h", assistant("o", json!([text_block("für mich")]))),
        of_helper("h", assistant("o", json!([call("u", "Read", json!({}))]))),
        of_helper("h", answer("u", json!("gelesen"))),
        answer("h", json!("zwei")),
        assistant(
            "p",
            json!([call("w", "TodoWrite", json!({ "todos": ["Ä"] }))]),
        ),
        assistant(
            "p",
            json!([call("c", "TaskCreate", json!({ "subject": "Ö" }))]),
        ),
        answer("c", json!("Task #1 created")),
        json!({ "type": "news", "value": "🗞" }),
        json!("event: message\ndata: kein JSON ß\n"),
        result(),
    ]
}

fn others() -> Vec<Value> {
    let redacted = json!({ "type": "redacted_thinking", "data": "seal" });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "t", "content": [] });
    let error = json!({ "type": "error", "error": { "type": "e", "message": "ö" } });
    vec![
        answer("c", json!("#é")),
        message_start("n"),
        start(0, text_block("a")),
        start(0, call("t", "Bash", json!({ "a": 1 }))),
        assistant("m", json!([text_block("a"), redacted, found])),
        of_helper("h", text_delta(0, "a")),
        of_helper("h", start(0, call("v", "Task", json!({})))),
        json!({ "type": "system", "subtype": "task_notification", "tool_use_id": "h" }),
        piece(error.clone()),
        error,
        json!("event: error\ndata: ö\n"),
        json!({ "status": "success", "duration": -1 }),
    ]
}

#[test]
fn the_laws_hold() {
    testing::assert_laws(&DIALECT, &everything(), &others(), testing::laws_of_agents);
}

#[test]
fn all_words_are_heard() {
    assert_eq!(summary(&everything()).text, "ein Wörtchen 🦀🦀 mehr");
}

proptest! {
    /// However a message is cut into pieces, it comes to the same as whole.
    #[test]
    fn pieces_and_whole_blocks_come_to_the_same(
        texts in prop::collection::vec("[ab🦀 ]{0,6}", 1..5),
        size in 1..4_usize,
    ) {
        let whole: Vec<Value> = texts.iter().map(|text| assistant("m", json!([text_block(text)]))).collect();
        let mut both = vec![message_start("m")];
        for (index, (text, line)) in (0..).zip(texts.iter().zip(&whole)) {
            both.push(start(index, text_block("")));
            let letters: Vec<char> = text.chars().collect();
            let pieces = letters.chunks(size).map(|piece| piece.iter().collect::<String>());
            both.extend(pieces.map(|piece| text_delta(index, &piece)));
            both.push(line.clone());
            both.push(stop(index));
        }
        prop_assert_eq!(summary(&both).text, texts.concat());
        prop_assert_eq!(summary(&whole).text, texts.concat());
    }
}
