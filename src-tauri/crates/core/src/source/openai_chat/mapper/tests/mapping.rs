//! One case for each thing that a delta or a chunk says.

use super::*;

#[test]
fn the_first_chunk_gives_start() {
    let events = serde_json::to_value(read(&[])).unwrap();
    assert_eq!(
        events,
        json!([
            { "type": "start", "messageId": "c1", "model": "m" },
            { "type": "done", "stopReason": null },
        ])
    );
}

#[test]
fn start_waits_past_an_empty_first_chunk_of_filter_results() {
    let filter = json!({ "choices": [], "created": 0, "id": "", "model": "", "object": "",
        "prompt_filter_results": [{ "prompt_index": 0, "content_filter_results": {} }] });
    let named = json!({ "choices": [], "id": "", "model": "m", "prompt_filter_results": [] });
    for before in [filter, named] {
        let events = testing::read_frames(&DIALECT, &[before, first()]);
        let start = serde_json::to_value(&events[0]).unwrap();
        assert_eq!(
            start,
            json!({ "type": "start", "messageId": "c1", "model": "m" })
        );
    }
}

#[test]
fn start_comes_once_though_every_chunk_has_another_id() {
    let mut second = content("a");
    second["id"] = json!("c2");
    assert_eq!(summary(&[second]).message_ids, ["c1"]);
}

#[test]
fn content_is_text() {
    check(
        &[content("a \"quoted\" "), content("word 🦀"), content("")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a \"quoted\" " },
            { "type": "text_delta", "id": 0, "text": "word 🦀" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn content_may_be_null_missing_or_empty() {
    let silent = [
        json!({ "content": null }),
        json!({ "role": "assistant" }),
        json!({}),
        json!({ "content": [], "tool_calls": null, "function_call": null, "refusal": null }),
    ];
    check(&silent.map(delta), json!([]));
}

#[test]
fn a_list_in_content_is_read_part_by_part() {
    let thought = |text: &str| json!({ "type": "thinking", "thinking": [{ "type": "text", "text": text }], "closed": true });
    let plain = json!({ "type": "thinking", "thinking": "so" });
    let reference = json!({ "type": "reference", "reference_ids": [1] });
    let chunks = [
        delta(json!({ "content": [thought("well "), plain] })),
        delta(json!({ "content": [{ "type": "text", "text": "yes" }, reference] })),
    ];
    check(
        &chunks,
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "well " },
            { "type": "thinking_delta", "id": 0, "text": "so" },
            { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "yes" },
            { "type": "citation", "id": 1, "citation": { "raw": reference } },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn refusal_is_text_and_the_finish_reason_stands() {
    let refusal = |text: &str| delta(json!({ "refusal": text }));
    check(
        &[refusal("I can"), refusal("not."), finish("stop")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "I can" },
            { "type": "text_delta", "id": 0, "text": "not." },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn only_the_first_choice_counts_and_the_others_are_kept_raw() {
    let second = chunk(json!([{ "index": 1, "delta": { "content": "other" } }]));
    let both = chunk(json!([
        { "index": 0, "delta": { "content": "b" }, "finish_reason": "length" },
        { "index": 1, "delta": { "content": "more" }, "finish_reason": "stop" },
    ]));
    let chunks = [content("a"), second.clone(), both.clone()];
    check(
        &chunks,
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a" },
            raw(&second),
            { "type": "text_delta", "id": 0, "text": "b" },
            raw(&both),
            { "type": "text_end", "id": 0 },
        ]),
    );
    let reason = serde_json::to_value(summary(&chunks).stop_reason).unwrap();
    assert_eq!(reason, "max_tokens");
}

#[test]
fn citations_listed_with_every_chunk_count_once() {
    let listed = |text: &str, list: Value| {
        let mut chunk = content(text);
        chunk["citations"] = list;
        chunk["search_results"] = json!([{ "url": "https://b", "title": "B", "snippet": "bee" }]);
        chunk
    };
    let chunks = [
        listed("a[1]", json!(["https://a"])),
        listed("b[2]", json!(["https://a", "https://b"])),
        listed("", json!(["https://a", "https://b"])),
    ];
    let result = json!({ "url": "https://b", "title": "B", "snippet": "bee" });
    check(
        &chunks,
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a[1]" },
            { "type": "citation", "id": 0,
              "citation": { "url": "https://a", "raw": "https://a" } },
            { "type": "text_delta", "id": 0, "text": "b[2]" },
            { "type": "citation", "id": 0, "citation": { "url": "https://b", "title": "B",
                "citedText": "bee", "raw": result } },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn annotations_wait_for_their_text() {
    let raw = json!({ "type": "url_citation", "url_citation": {
        "url": "https://a", "title": "", "content": "said so", "start_index": 0, "end_index": 0 } });
    let annotations = delta(json!({ "content": "", "annotations": [raw] }));
    check(
        &[annotations, content("So it is.")],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "So it is." },
            { "type": "citation", "id": 0, "citation": {
                "url": "https://a", "citedText": "said so", "raw": raw } },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn citations_without_any_text_are_not_lost() {
    let mut last = finish("stop");
    last["citations"] = json!(["https://a"]);
    assert_eq!(summary(&[last]).citations, 1);
}

#[test]
fn pictures_are_files() {
    let picture = |url: &str| json!({ "type": "image_url", "image_url": { "url": url } });
    let images = json!([
        picture("data:image/webp;base64,AA=="),
        picture("https://a/b")
    ]);
    check(
        &[delta(json!({ "content": "", "images": images }))],
        json!([
            { "type": "file", "url": "data:image/webp;base64,AA==", "mediaType": "image/webp" },
            { "type": "file", "url": "https://a/b", "mediaType": "image/*" },
        ]),
    );
}

#[test]
fn the_words_of_a_sound_are_text_and_the_sound_is_raw() {
    let words = delta(json!({ "audio": { "id": "a1", "transcript": "Hello" } }));
    let sound = delta(json!({ "audio": { "data": "AAAA" } }));
    let over = delta(json!({ "audio": { "expires_at": 1 } }));
    let [start, said, end] = text(0, "Hello");
    check(
        &[words, sound.clone(), over],
        json!([start, said, raw(&sound), end]),
    );
}

#[test]
fn a_whole_message_in_one_frame() {
    let message = json!({ "role": "assistant", "reasoning": "hm", "content": "Yes",
        "refusal": null, "tool_calls": [{ "id": "t1", "type": "function",
            "function": { "name": "look", "arguments": "{\"a\":1}" } }] });
    let mut whole = chunk(json!([{ "index": 0, "message": message, "finish_reason": "stop" }]));
    whole["usage"] = json!({ "prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3 });
    let summary = testing::summary(&DIALECT, &[whole]);
    assert_eq!((&*summary.thinking, &*summary.text), ("hm", "Yes"));
    assert_eq!(summary.tool_calls[0].input, json!({ "a": 1 }));
    assert!(summary.complete && summary.usage.is_some());
}

#[test]
fn a_message_beside_its_deltas_is_not_said_again() {
    let both = chunk(json!([{ "index": 0, "delta": { "content": "a" },
        "message": { "role": "assistant", "content": "a" } }]));
    let alone = chunk(json!([{ "index": 0, "message": { "content": "a" } }]));
    check(&[both, alone], json!(text(0, "a")));
}

#[test]
fn text_of_the_older_completions() {
    let old = chunk(json!([{ "index": 0, "text": "a", "finish_reason": null }]));
    let both = chunk(json!([{ "index": 0, "text": "b", "delta": { "content": "b" } }]));
    assert_eq!(summary(&[old, both]).text, "ab");
}

#[test]
fn fields_that_say_nothing_are_silent_and_unknown_ones_are_raw() {
    let silent = json!({ "channel": "analysis", "token_id": 7, "index": 0,
        "reasoning_encrypted": false, "later": null, "much_later": [] });
    let tools = json!([{ "index": 0, "type": "search", "arguments": "{}", "output": "found" }]);
    let unknown = delta(json!({ "content": "a", "executed_tools": tools }));
    let [start, said, end] = text(0, "a");
    check(
        &[delta(silent), unknown.clone()],
        json!([start, said, raw(&unknown), end]),
    );
}

#[test]
fn frames_without_choices_are_raw() {
    let unknown = [
        json!({ "type": "ping" }),
        json!(3),
        json!(["a"]),
        json!({ "choices": 1 }),
    ];
    let expected: Vec<Value> = unknown.iter().map(raw).collect();
    check(&unknown, json!(expected));
}

#[test]
fn words_of_the_wrong_type_are_kept_raw() {
    let wrong = [
        delta(json!({ "content": 7 })),
        delta(json!({ "content": [{ "type": "video", "text": 1 }] })),
        delta(json!({ "content": [{ "type": "text", "text": 1 }] })),
        delta(json!({ "reasoning": { "text": "hm" } })),
        delta(json!({ "refusal": ["no"] })),
        delta(json!({ "tool_calls": { "id": "t" } })),
        delta(json!({ "audio": 4 })),
        delta(json!("words")),
    ];
    let expected: Vec<Value> = wrong.iter().map(raw).collect();
    check(&wrong, json!(expected));
}

#[test]
fn comments_padding_and_repeated_keys() {
    let bytes = b": PROCESSING\n\n\
data:   {\"id\":\"c1\",  \"choices\":[{\"delta\":{\"content\":\"a\"}}]}   \n\n\
data: {\"choices\":[{\"index\":0,\"index\":0,\"delta\":{\"content\":\"x\",\"content\":\"b\"}}]}\n\n\
data: not JSON\n\ndata:\n\ndata:  [DONE] \n\n";
    let events = testing::read(&DIALECT, [&bytes[..]]);
    let summary = summarize(&events);
    assert_eq!(summary.text, "ab");
    assert!(summary.complete);
    let value = Value::from("not JSON");
    assert!(events.contains(&StreamEvent::Raw { value }));
}

#[test]
fn parts_of_content_without_a_type_are_text() {
    for parts in [json!(["a", "b"]), json!([{ "text": "a" }, { "text": "b" }])] {
        assert_eq!(summary(&[delta(json!({ "content": parts }))]).text, "ab");
    }
    let odd = delta(json!({ "content": [{ "words": "a" }] }));
    check(std::slice::from_ref(&odd), json!([raw(&odd)]));
}

#[test]
fn a_source_keeps_how_well_it_fits() {
    let mut chunk = content("a");
    chunk["search_results"] = json!([
        { "url": "https://a", "title": "A", "score": 0.5 },
        { "url": "https://b", "title": "B", "relevance_score": 0.75, "confidence": 1 },
        { "url": "https://c", "title": "C", "metadata": { "score": 0.125 } },
        { "url": "https://d", "title": "D", "score": "high" },
    ]);
    let events = testing::read_frames(&DIALECT, &[chunk]);
    let events = serde_json::to_value(events).unwrap();
    let cited = events.as_array().unwrap().iter();
    let cited = cited.filter(|event| event["type"] == "citation");
    let scores = cited.map(|it| [&it["citation"]["relevance"], &it["citation"]["confidence"]]);
    let null = json!(null);
    let expected = [
        [&json!(0.5), &null],
        [&json!(0.75), &json!(1.0)],
        [&json!(0.125), &null],
        [&null, &null],
    ];
    assert_eq!(scores.collect::<Vec<_>>(), expected);
}
