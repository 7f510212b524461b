use std::mem::{Discriminant, discriminant};

use weir_protocol::{StopReason, StreamEvent, Summary, code};

use super::replies;
use super::script::script;
use super::steer::WORDS;
use super::stream::Script;
use crate::source::dialect;
use crate::source::dialect::Reader;
use crate::source::summary::summarize;

fn read(script: &Script) -> Vec<StreamEvent> {
    let mut reader = Reader::new(dialect("anthropic").unwrap());
    let mut events = Vec::new();
    for (_, bytes) in script {
        reader.push(bytes, &mut events);
    }
    reader.finish(&mut events);
    events
}

fn reply(prompt: &str) -> Summary {
    summarize(&read(&script(prompt, 0)))
}

fn millis(script: &Script) -> u32 {
    script.iter().map(|(delay_ms, _)| delay_ms).sum()
}

fn tools(summary: &Summary) -> Vec<&str> {
    let calls = summary.tool_calls.iter();
    calls.map(|call| call.name.as_str()).collect()
}

#[test]
fn hello_shows_thinking_text_a_search_and_its_sources() {
    let summary = reply("hello");
    assert_eq!(summary.model.as_deref(), Some("weir-demo"));
    assert_eq!(summary.thinking, replies::THINKING);
    assert_eq!(summary.signatures, 1);
    assert!(summary.text.starts_with(replies::HELLO));
    assert!(summary.text.ends_with(replies::REAL_SOURCE));
    assert_eq!(tools(&summary), ["web_search"]);
    assert_eq!(
        summary.tool_calls[0].input["query"],
        "what is a weir, made-up search"
    );
    assert_eq!(summary.tool_results, 1);
    assert_eq!(summary.citations, 2);
    assert_eq!(summary.stop_reason, Some(StopReason::EndTurn));
    assert!(summary.complete);
    assert!(summary.errors.is_empty());
    let usage = summary.usage.unwrap();
    assert_eq!(
        (usage.cache_read_tokens, usage.cache_write_tokens),
        (0, 1_200)
    );
    assert!(usage.input_tokens > 0 && usage.output_tokens > 100);
}

#[test]
fn it_says_what_it_is() {
    for prompt in ["hello", "code", "everything", "long", "error", "cut"] {
        assert!(reply(prompt).text.contains("**demo**"), "{prompt}");
    }
    let hello = reply("hello").text;
    assert!(hello.contains("left this machine"));
    assert!(hello.contains("made up"));
    for (word, _) in WORDS {
        assert!(
            hello.contains(&format!("`{word}`")),
            "{word} is not in the list"
        );
    }
}

#[test]
fn the_pace_is_human() {
    for turns in [0, 1, 7] {
        let millis = millis(&script("hello", turns));
        assert!(
            (6_000..=10_000).contains(&millis),
            "{millis} ms in turn {turns}"
        );
    }
    let everything = millis(&script("show me everything", 0));
    assert!((10_000..60_000).contains(&everything), "{everything} ms");
}

#[test]
fn the_same_prompt_gives_the_same_script_and_another_one_other_ids() {
    assert_eq!(script("hello", 2), script("hello", 2));
    assert_ne!(reply("hello").message_ids, reply("hello!").message_ids);
    let later = summarize(&read(&script("hello", 1)));
    assert_ne!(reply("hello").message_ids, later.message_ids);
}

#[test]
fn a_later_turn_finds_the_cache_filled() {
    let usage = |turns| summarize(&read(&script("hello", turns))).usage.unwrap();
    assert_eq!(usage(1).cache_read_tokens, usage(0).cache_write_tokens);
    let third = usage(1).cache_read_tokens + usage(1).cache_write_tokens;
    assert_eq!(usage(2).cache_read_tokens, third);
}

#[test]
fn each_word_has_its_effect() {
    assert!(reply("some CODE, please").text.contains("```rust"));
    assert!(reply("table").text.contains("|:--|"));
    assert!(reply("list").text.contains("\n1. "));
    assert!(reply("math").text.contains(r"\frac{2}{3}"));
    assert!(reply("think").thinking.len() > 3 * replies::THINKING.len());
    let tool = reply("tool");
    assert_eq!(
        tools(&tool),
        ["web_search", "bash_code_execution", "web_fetch"]
    );
    assert_eq!((tool.tool_results, tool.citations), (3, 0));
    let cite = reply("cite");
    assert_eq!((cite.tool_results, cite.citations), (1, 2));
    let long = reply("long").text;
    assert!((3_000..5_000).contains(&long.split_whitespace().count()));
}

#[test]
fn error_fails_in_the_middle_and_says_so() {
    let summary = reply("error");
    assert_eq!(summary.text, replies::BEFORE_ERROR);
    assert_eq!(summary.errors.len(), 1);
    assert_eq!(summary.errors[0].code, "overloaded");
    assert!(!summary.complete);
}

#[test]
fn cut_breaks_off() {
    let summary = reply("cut");
    assert_eq!(summary.text, replies::BEFORE_CUT);
    assert_eq!(summary.errors.len(), 1);
    assert_eq!(summary.errors[0].code, code::STREAM_CUT);
    assert!(!summary.complete);
}

#[test]
fn fast_takes_no_time_and_changes_nothing_else() {
    let (fast, slow) = (script("fast long", 0), script("long", 0));
    assert_eq!(millis(&fast), 0);
    assert!(millis(&slow) > 30_000);
    assert_eq!(summarize(&read(&fast)).text, summarize(&read(&slow)).text);
}

#[test]
fn words_inside_words_do_not_steer() {
    assert_eq!(reply("decode the tablet").text, reply("hello").text);
    assert_eq!(reply("").text, reply("hello").text);
}

#[test]
fn everything_has_each_kind_of_stream_event() {
    let events = read(&script("Show me everything!", 0));
    let kinds: Vec<Discriminant<StreamEvent>> = events.iter().map(discriminant).collect();
    let has = |wanted: &StreamEvent| kinds.contains(&discriminant(wanted));
    let wanted: Vec<StreamEvent> = serde_json::from_value(serde_json::json!([
        { "type": "start", "messageId": null, "model": null },
        { "type": "text_start", "id": 0 },
        { "type": "text_delta", "id": 0, "text": "" },
        { "type": "text_end", "id": 0 },
        { "type": "thinking_start", "id": 0 },
        { "type": "thinking_delta", "id": 0, "text": "" },
        { "type": "thinking_end", "id": 0, "signature": null, "redacted": null },
        { "type": "tool_use_start", "id": 0, "toolCallId": "", "name": "", "executedBy": "source" },
        { "type": "tool_use_delta", "id": 0, "json": "" },
        { "type": "tool_use_end", "id": 0, "input": {} },
        { "type": "tool_result", "toolCallId": "", "name": "", "result": {}, "isError": false },
        { "type": "citation", "id": 0, "citation": { "raw": {} } },
        { "type": "done", "stopReason": null },
    ]))
    .unwrap();
    for event in &wanted {
        assert!(has(event), "{event:?}");
    }
    let redacted = |event: &StreamEvent| matches!(event, StreamEvent::ThinkingEnd { redacted: Some(sealed), .. } if sealed == replies::SEALED);
    let failed =
        |event: &StreamEvent| matches!(event, StreamEvent::ToolResult { is_error: true, .. });
    assert!(events.iter().any(redacted));
    assert!(events.iter().any(failed));
    assert!(
        !events
            .iter()
            .any(|event| matches!(event, StreamEvent::Raw { .. }))
    );
}
