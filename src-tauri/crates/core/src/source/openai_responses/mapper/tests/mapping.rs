//! One case for each kind of event that the Responses API documents, but tools.

use super::*;

#[test]
fn items_are_kept_by_their_names_so_that_they_can_go_back() {
    let reasoning = |sealed: &str| json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": sealed });
    let mut commentary = message(1, json!([]));
    commentary["phase"] = "commentary".into();
    let mut over = message(1, json!([said("So.")]));
    over["status"] = "completed".into();
    let part = json!({ "content_index": 0, "part": said("So.") });
    let events = [
        created(),
        added(0, reasoning("half")),
        done(0, reasoning("sealed")),
        added(1, commentary),
        text_delta(1, "So."),
        at(1, "content_part.done", part),
        done(1, over),
        // What nobody sealed cannot go back, and what was cut off has no name.
        done(
            2,
            json!({ "type": "reasoning", "id": "rs_2", "summary": ["hm"] }),
        ),
        text_delta(3, "cut"),
    ];
    assert_eq!(
        details(&read(&events)),
        [
            json!({ "id": "rs_1" }),
            json!({ "id": "i1", "phase": "commentary" }),
            json!(null),
            json!(null),
        ]
    );
}

#[test]
fn created_gives_start_once() {
    let progress = json!({ "type": "response.in_progress", "response": created()["response"] });
    let found = serde_json::to_value(&read(&[created(), progress])[..2]).unwrap();
    assert_eq!(
        found[0],
        json!({ "type": "start", "messageId": "resp_1", "model": "gpt" })
    );
    assert_eq!(found[1]["type"], "error");
}

#[test]
fn queued_is_a_status() {
    let queued = json!({ "type": "response.queued", "response": created()["response"] });
    check(
        &[queued],
        json!([
            { "type": "status", "message": "The request waits in the provider's queue." },
        ]),
    );
}

#[test]
fn output_text() {
    let part = json!({ "content_index": 0, "part": said("") });
    let whole = json!({ "content_index": 0, "text": "a word" });
    let end = json!({ "content_index": 0, "part": said("a word") });
    check(
        &[
            added(0, message(0, json!([]))),
            at(0, "content_part.added", part),
            text_delta(0, "a "),
            text_delta(0, "word"),
            at(0, "output_text.done", whole),
            at(0, "content_part.done", end),
            done(0, message(0, json!([said("a word")]))),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "a " },
            { "type": "text_delta", "id": 0, "text": "word" },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn parts_of_a_message_are_blocks() {
    let second = json!({ "content_index": 1, "delta": "two" });
    check(
        &[
            added(0, message(0, json!([]))),
            text_delta(0, "one"),
            at(0, "output_text.delta", second),
            done(0, message(0, json!([said("one"), said("two")]))),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "one" },
            { "type": "text_start", "id": 1 },
            { "type": "text_delta", "id": 1, "text": "two" },
            { "type": "text_end", "id": 0 },
            { "type": "text_end", "id": 1 },
        ]),
    );
}

#[test]
fn a_refusal_is_text() {
    let part = json!({ "type": "refusal", "refusal": "No." });
    let delta = json!({ "content_index": 0, "delta": "No." });
    let whole = json!({ "content_index": 0, "refusal": "No." });
    check(
        &[
            added(0, message(0, json!([]))),
            at(0, "refusal.delta", delta),
            at(0, "refusal.done", whole),
            done(0, message(0, json!([part]))),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "No." },
            { "type": "text_end", "id": 0 },
        ]),
    );
}

#[test]
fn annotations_are_citations_each_once() {
    let web = json!({ "type": "url_citation", "url": "https://example.com", "title": "A page",
        "start_index": 0, "end_index": 4 });
    let file = json!({ "type": "file_citation", "file_id": "f", "filename": "a.txt" });
    let made = json!({ "type": "container_file_citation", "file_id": "g", "filename": "b.csv" });
    let all = json!([web, file, made]);
    let whole = json!({ "type": "output_text", "text": "word", "annotations": all });
    let event = |annotation: &Value| json!({ "content_index": 0, "annotation": annotation });
    let cited = |url: Option<&str>, title: &str, raw: &Value| {
        let mut citation = json!({ "title": title, "raw": raw });
        if let Some(url) = url {
            citation["url"] = url.into();
        }
        json!({ "type": "citation", "id": 0, "citation": citation })
    };
    check(
        &[
            text_delta(0, "word"),
            at(0, "output_text.annotation.added", event(&web)),
            at(0, "output_text_annotation.added", event(&file)),
            done(0, message(0, json!([whole]))),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "word" },
            cited(Some("https://example.com"), "A page", &web),
            cited(None, "a.txt", &file),
            cited(None, "b.csv", &made),
            { "type": "text_end", "id": 0 },
        ]),
    );
}

fn reasoning(index: u64, more: Value) -> Value {
    let mut item = json!({ "type": "reasoning", "id": format!("i{index}"), "summary": [] });
    for (field, value) in more.as_object().unwrap() {
        item[field] = value.clone();
    }
    item
}

fn summary_delta(index: u64, part: u64, words: &str) -> Value {
    let more = json!({ "summary_index": part, "delta": words });
    at(index, "reasoning_summary_text.delta", more)
}

#[test]
fn summary_parts_are_one_block_with_blank_lines_between() {
    let part = json!({ "summary_index": 0, "part": { "type": "summary_text", "text": "" } });
    let text = json!({ "summary_index": 0, "text": "one" });
    let end = json!({ "summary_index": 0, "part": { "type": "summary_text", "text": "one" } });
    let sealed = json!({ "encrypted_content": "seal" });
    check(
        &[
            added(
                0,
                reasoning(0, json!({ "encrypted_content": "half a seal" })),
            ),
            at(0, "reasoning_summary_part.added", part),
            summary_delta(0, 0, "o"),
            summary_delta(0, 0, "ne"),
            at(0, "reasoning_summary_text.done", text),
            at(0, "reasoning_summary_part.done", end),
            summary_delta(0, 1, "two"),
            done(0, reasoning(0, sealed)),
        ],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_delta", "id": 0, "text": "o" },
            { "type": "thinking_delta", "id": 0, "text": "ne" },
            { "type": "thinking_delta", "id": 0, "text": "\n\n" },
            { "type": "thinking_delta", "id": 0, "text": "two" },
            { "type": "thinking_end", "id": 0, "signature": "seal", "redacted": null },
        ]),
    );
}

#[test]
fn a_second_thought_is_kept_apart_from_the_first() {
    let text = json!({ "type": "reasoning_text", "text": "two" });
    let delta = json!({ "content_index": 0, "delta": "two" });
    let part = json!({ "content_index": 0, "part": text });
    let summary = summary(&[
        summary_delta(0, 0, "one"),
        done(0, reasoning(0, json!({}))),
        added(1, reasoning(1, json!({}))),
        at(1, "content_part.added", part.clone()),
        at(1, "reasoning_text.delta", delta),
        at(1, "reasoning_text.done", json!({ "text": "two" })),
        at(1, "content_part.done", part),
        done(1, reasoning(1, json!({ "content": [text] }))),
        completed(),
    ]);
    assert_eq!(summary.thinking, "one\n\ntwo");
}

#[test]
fn sealed_thinking_is_thinking() {
    let sealed = json!({ "encrypted_content": "seal" });
    check(
        &[done(0, reasoning(0, sealed))],
        json!([
            { "type": "thinking_start", "id": 0 },
            { "type": "thinking_end", "id": 0, "signature": "seal", "redacted": null },
        ]),
    );
}

#[test]
fn how_it_ended() {
    let reason = |reason: &str| json!({ "incomplete_details": { "reason": reason } });
    let table = [
        (completed(), json!("end_turn")),
        (
            ended("incomplete", reason("max_output_tokens")),
            json!("max_tokens"),
        ),
        (
            ended("incomplete", reason("content_filter")),
            json!("content_filter"),
        ),
        (ended("incomplete", reason("the moon")), json!(null)),
        (ended("cancelled", json!({})), json!("cancelled")),
        (ended("failed", json!({})), json!("error")),
        (json!({ "type": "response.completed" }), json!("end_turn")),
        (
            json!({ "type": "response.done", "response": { "status": "incomplete",
                "incomplete_details": { "reason": "max_output_tokens" } } }),
            json!("max_tokens"),
        ),
    ];
    for (event, expected) in table {
        let summary = summary(&[created(), text_delta(0, "a"), event.clone()]);
        assert!(summary.complete);
        assert_eq!(json!(summary.stop_reason), expected, "{event}");
    }
}

#[test]
fn an_error_told_twice_is_one_error() {
    let error = json!({ "code": "insufficient_quota", "message": "No money." });
    check(
        &[
            text_delta(0, "half"),
            json!({ "type": "error", "error": error }),
            ended("failed", json!({ "error": error })),
        ],
        json!([
            { "type": "text_start", "id": 0 },
            { "type": "text_delta", "id": 0, "text": "half" },
            { "type": "text_end", "id": 0 },
            { "type": "error", "error": { "code": "no_credit", "message": "No money." } },
            { "type": "done", "stopReason": "error" },
        ]),
    );
}

#[test]
fn errors_in_all_their_shapes() {
    let table = [
        (
            json!({ "type": "error", "code": "server_error", "message": "Oh." }),
            "server_error",
        ),
        (
            json!({ "type": "error", "error": { "type": "too_many", "message": "Oh." } }),
            "source_failed",
        ),
        (
            json!({ "error": { "code": 429, "message": "Oh." } }),
            "rate_limited",
        ),
        (json!({ "error": "Oh." }), "source_failed"),
    ];
    for (event, code) in table {
        let errors = summary(&[created(), event]).errors;
        assert_eq!(errors.len(), 1);
        assert_eq!((&*errors[0].code, &*errors[0].message), (code, "Oh."));
    }
}

fn usage_of(usage: Value) -> Value {
    let more = json!({ "usage": usage, "service_tier": "flex" });
    let events = read(&[created(), ended("completed", more)]);
    let usage = events.iter().find_map(|event| {
        let StreamEvent::Usage { usage, .. } = event else {
            return None;
        };
        Some(usage)
    });
    let usage = usage.unwrap();
    assert_eq!(usage.service_tier.as_deref(), Some("flex"));
    json!([
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    ])
}

#[test]
fn usage_is_counted_one_way() {
    let report = |input: u64, cached: u64, output: u64, reasoning: u64, total: u64| {
        json!({
            "input_tokens": input, "input_tokens_details": { "cached_tokens": cached },
            "output_tokens": output, "output_tokens_details": { "reasoning_tokens": reasoning },
            "total_tokens": total,
        })
    };
    let mut written = report(10, 3, 2, 0, 12);
    written["input_tokens_details"]["cache_write_tokens"] = json!(4);
    let table = [
        (report(10, 4, 5, 2, 15), json!([6, 4, 0, 5, 2])),
        // Beside, and not inside.
        (report(10, 0, 5, 7, 22), json!([10, 0, 0, 12, 7])),
        (report(10, 4, 5, 0, 19), json!([10, 4, 0, 5, 0])),
        (report(10, 4, 5, 7, 26), json!([10, 4, 0, 12, 7])),
        (written, json!([3, 3, 4, 2, 0])),
        (
            json!({ "prompt_tokens": 4, "completion_tokens": 1 }),
            json!([4, 0, 0, 1, 0]),
        ),
        (
            json!({ "input_tokens": "8", "output_tokens": 2.0, "input_tokens_details": null }),
            json!([8, 0, 0, 2, 0]),
        ),
    ];
    for (reported, expected) in table {
        assert_eq!(usage_of(reported.clone()), expected, "{reported}");
    }
}

#[test]
fn no_usage_is_invented_and_garbage_does_not_overflow() {
    assert_eq!(summary(&[created(), completed()]).usage, None);
    let most = json!({
        "input_tokens": u64::MAX, "output_tokens": u64::MAX, "total_tokens": u64::MAX,
        "input_tokens_details": { "cached_tokens": u64::MAX, "cache_write_tokens": 1e300 },
        "output_tokens_details": { "reasoning_tokens": -3 },
    });
    let summary = summary(&[ended("completed", json!({ "usage": most }))]);
    assert!(summary.usage.unwrap().total_tokens > 0);
}

#[test]
fn a_cited_file_keeps_how_well_the_search_found_it() {
    let result =
        |file: &str, score: f64| json!({ "file_id": file, "filename": "n", "score": score });
    let search = json!({ "type": "file_search_call", "id": "fs", "status": "completed",
        "queries": ["q"], "results": [result("f1", 0.25), result("f1", 0.75), result("f2", 0.5)] });
    let cites = |file: &str| json!({ "type": "file_citation", "file_id": file, "filename": "n.md", "index": 1 });
    let whole = json!({ "type": "output_text", "text": "word",
        "annotations": [cites("f1"), cites("f2"), cites("f3")] });
    let message = json!({ "type": "message", "id": "m", "role": "assistant", "content": [whole] });
    let frames = [
        json!({ "type": "response.output_item.done", "output_index": 0, "item": search }),
        json!({ "type": "response.output_item.done", "output_index": 1, "item": message }),
    ];
    let events = testing::read_frames(&DIALECT, &frames);
    let mut scores = Vec::new();
    for event in &events {
        if let StreamEvent::Citation { citation, .. } = event {
            scores.push(citation.relevance);
        }
    }
    assert_eq!(scores, [Some(0.75), Some(0.5), None]);
}
