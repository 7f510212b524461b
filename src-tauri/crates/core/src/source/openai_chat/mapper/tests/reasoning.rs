//! Thinking, wherever a relative puts it.

use super::*;

#[test]
fn every_field_that_carries_thinking() {
    for field in ["reasoning_content", "reasoning", "reasoning_text"] {
        let chunks = [
            delta(json!({ "role": "assistant", "content": "", field: "well" })),
            delta(json!({ "content": null, field: "…" })),
            delta(json!({ "content": "So.", field: null })),
        ];
        let [start, said, end] = text(1, "So.");
        check(
            &chunks,
            json!([
                { "type": "thinking_start", "id": 0 },
                { "type": "thinking_delta", "id": 0, "text": "well" },
                { "type": "thinking_delta", "id": 0, "text": "…" },
                { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
                start, said, end,
            ]),
        );
    }
}

#[test]
fn the_same_thinking_in_two_fields_is_one() {
    let twice = delta(json!({ "reasoning": "hm", "reasoning_content": "hm",
        "reasoning_details": [{ "type": "reasoning.text", "text": "hm", "index": 0 }] }));
    assert_eq!(summary(&[twice]).thinking, "hm");
}

#[test]
fn thinking_after_text_is_another_block() {
    let think = |text: &str| delta(json!({ "reasoning": text }));
    let chunks = [think("a"), content("b"), think("c"), content("d")];
    let expected = [
        thinking(0, "a"),
        text(1, "b"),
        thinking(2, "c"),
        text(3, "d"),
    ];
    check(&chunks, json!(expected.concat()));
}

#[test]
fn reasoning_details_give_the_signature() {
    let part = |part: Value| json!([part]);
    let chunks = [
        delta(json!({ "content": "", "reasoning": "hm",
            "reasoning_details": part(json!({ "type": "reasoning.text", "text": "hm" })) })),
        delta(json!({ "content": "",
            "reasoning_details": part(json!({ "type": "reasoning.text", "signature": "s" })) })),
        content("So."),
    ];
    let [start, said, end] = text(1, "So.");
    check(
        &chunks,
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "hm" },
            { "type": "thinking_end", "id": 0, "signature": "s", "redacted": null },
            start, said, end,
        ]),
    );
}

#[test]
fn reasoning_details_encrypted_seal_the_thinking() {
    let sealed = |data: &str| {
        let part = json!({ "type": "reasoning.encrypted", "data": data, "id": "rs_1", "index": 1 });
        delta(json!({ "content": "", "reasoning": null, "reasoning_details": [part] }))
    };
    let summed = delta(json!({ "reasoning": "sum",
        "reasoning_details": [{ "type": "reasoning.summary", "summary": "sum", "index": 0 }] }));
    check(
        &[summed, sealed("one"), sealed("two")],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "sum" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": "one" },
            { "type": "thinking_start", "id": 1 },
            { "type": "thinking_end", "id": 1, "signature": null, "redacted": "two" },
        ]),
    );
}

#[test]
fn reasoning_details_without_their_text_beside_them_are_kept_raw() {
    let alone = delta(json!({ "content": "",
        "reasoning_details": [{ "type": "reasoning.text", "text": "hm" }] }));
    check(std::slice::from_ref(&alone), json!([raw(&alone)]));
}

#[test]
fn seals_of_other_relatives() {
    let blocks = json!([{ "type": "thinking", "thinking": "hm", "signature": "s" }]);
    let table = [
        json!({ "reasoning_content": "hm", "thinking_blocks": blocks }),
        json!({ "reasoning_text": "hm", "reasoning_opaque": "s" }),
    ];
    for sealed in table {
        let summary = summary(&[delta(sealed), content("So.")]);
        assert_eq!((&*summary.thinking, summary.signatures), ("hm", 1));
    }
}

/// The text in pieces of every size, and what it comes to.
#[test]
fn marks_around_thinking_at_the_start_of_the_text() {
    let table = [
        ("<think>hm</think>So.", "hm", "So."),
        ("\n<think>\nhm\n</think>\n\nSo.", "hm\n", "So."),
        ("<think>\n\n</think>\n\nSo.", "", "So."),
        ("<thinking>hm</thinking>So.", "hm", "So."),
        ("<thought>hm</thought>So.", "hm", "So."),
        ("<seed:think>hm</seed:think>So.", "hm", "So."),
        ("[THINK]hm[/THINK]So.", "hm", "So."),
        ("◁think▷猫◁/think▷So.", "猫", "So."),
        ("<think>a < b </thin <</think>So.", "a < b </thin <", "So."),
        ("<think>never closed </th", "never closed </th", ""),
        (
            "<think>a</think>b<think>c</think>",
            "a",
            "b<think>c</think>",
        ),
        ("So <think>hm</think>", "", "So <think>hm</think>"),
        ("<thin", "", "<thin"),
        ("<thing>", "", "<thing>"),
        ("  plain", "", "  plain"),
        ("\n\n", "", "\n\n"),
        ("[1, 2]", "", "[1, 2]"),
    ];
    for (whole, thinking, text) in table {
        let characters: Vec<char> = whole.chars().collect();
        for size in 1..=characters.len() {
            let pieces = characters.chunks(size).map(String::from_iter);
            let chunks: Vec<Value> = pieces.map(|piece| content(&piece)).collect();
            let summary = summary(&chunks);
            assert_eq!(
                (&*summary.thinking, &*summary.text),
                (thinking, text),
                "{whole:?} by {size}"
            );
        }
    }
}

#[test]
fn marks_are_words_where_the_server_tells_thinking_apart() {
    let chunks = [
        delta(json!({ "reasoning": "hm" })),
        content("<think>"),
        content(" is a tag."),
    ];
    let summary = summary(&chunks);
    assert_eq!(
        (&*summary.thinking, &*summary.text),
        ("hm", "<think> is a tag.")
    );
}

#[test]
fn what_was_held_back_comes_before_a_tool_call() {
    let call =
        json!([{ "index": 0, "id": "t1", "function": { "name": "look", "arguments": "{}" } }]);
    let chunks = [content("\n\n"), delta(json!({ "tool_calls": call }))];
    let summary = summary(&chunks);
    assert_eq!((&*summary.text, summary.tool_calls.len()), ("\n\n", 1));
}

#[test]
fn blank_text_without_end_is_not_held_for_ever() {
    let chunks = vec![content("          "); 100];
    assert_eq!(summary(&chunks).text.len(), 1000);
}

#[test]
fn reasoning_details_are_kept_whole_and_in_order() {
    let part = |part: Value| delta(json!({ "content": "", "reasoning_details": [part] }));
    let encrypted = json!({ "type": "reasoning.encrypted", "data": "c2VhbA==", "id": "tool_0_look",
        "format": "google-gemini-v1", "index": 0 });
    let unknown = json!({ "type": "reasoning.server", "anything": { "at": 1 }, "index": 2 });
    let text = |text: &str| {
        delta(
            json!({ "reasoning": text, "reasoning_details": [{ "type": "reasoning.text",
            "text": text, "format": "google-gemini-v1", "index": 0 }] }),
        )
    };
    let call =
        json!([{ "index": 0, "id": "c", "function": { "name": "look", "arguments": "{}" } }]);
    let chunks = [
        text("He"),
        text("re."),
        content("So."),
        part(unknown.clone()),
        delta(json!({ "tool_calls": call })),
        part(encrypted.clone()),
        part(encrypted.clone()),
    ];
    let mut kept = Vec::new();
    for event in read(&chunks) {
        if let StreamEvent::ThinkingEnd { detail, .. } = event {
            kept.extend(detail);
        }
    }
    let thought = json!({ "type": "reasoning.text", "text": "Here.",
        "format": "google-gemini-v1", "index": 0 });
    assert_eq!(
        json!(kept),
        json!([[thought], [unknown], [encrypted], [encrypted]])
    );
}
