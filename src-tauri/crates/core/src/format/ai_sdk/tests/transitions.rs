//! Which blocks an event closes, and what opens in their place.

use serde_json::{Value, json};

use super::*;

#[track_caller]
fn check(events: Value, expected: &[&str]) {
    assert_eq!(briefs(&inside(events)), expected);
}

#[test]
fn thinking_closes_processing() {
    check(
        json!([status("Starting"), thinking(0, "Hm"), thinking_end(0)]),
        &[
            "reasoning-start processing-0 processing",
            "reasoning-delta processing-0 Starting",
            "reasoning-end processing-0",
            "reasoning-start thinking-1 thinking",
            "reasoning-delta thinking-1 Hm",
            "reasoning-end thinking-1",
        ],
    );
}

#[test]
fn a_status_closes_thinking_which_may_go_on_in_a_new_part() {
    check(
        json!([
            thinking(0, "Hm"),
            status("Searching"),
            status("Reading"),
            thinking(0, ", well"),
            thinking_end(0),
        ]),
        &[
            "reasoning-start thinking-0 thinking",
            "reasoning-delta thinking-0 Hm",
            "reasoning-end thinking-0",
            "reasoning-start processing-1 processing",
            "reasoning-delta processing-1 Searching",
            "reasoning-delta processing-1 Reading",
            "reasoning-end processing-1",
            "reasoning-start thinking-2 thinking",
            "reasoning-delta thinking-2 , well",
            "reasoning-end thinking-2",
        ],
    );
}

#[test]
fn text_closes_all_reasoning() {
    check(
        json!([
            thinking(0, "a"),
            thinking(1, "b"),
            text(2, "Hello"),
            text_end(2)
        ]),
        &[
            "reasoning-start thinking-0 thinking",
            "reasoning-delta thinking-0 a",
            "reasoning-start thinking-1 thinking",
            "reasoning-delta thinking-1 b",
            "reasoning-end thinking-0",
            "reasoning-end thinking-1",
            "text-start text-0",
            "text-delta text-0 Hello",
            "text-end text-0",
        ],
    );
    check(
        json!([status("Writing"), text(0, "Hello"), text_end(0)]),
        &[
            "reasoning-start processing-0 processing",
            "reasoning-delta processing-0 Writing",
            "reasoning-end processing-0",
            "text-start text-0",
            "text-delta text-0 Hello",
            "text-end text-0",
        ],
    );
}

#[test]
fn helpers_and_thoughts_share_the_thinking_block() {
    check(
        json!([
            status("Starting"),
            subagent_start("researcher", "AI safety"),
            thinking(0, "Found three."),
            thinking_end(0),
            subagent_end("researcher", ""),
            thinking(1, "Enough."),
            thinking_end(1),
            status("Writing"),
        ]),
        &[
            "reasoning-start processing-0 processing",
            "reasoning-delta processing-0 Starting",
            "reasoning-end processing-0",
            "reasoning-start thinking-1 thinking",
            "reasoning-delta thinking-1 researcher: AI safety",
            "reasoning-delta thinking-1 Found three.",
            // A line's end: the thought had none.
            "reasoning-delta thinking-1 ",
            "reasoning-delta thinking-1 researcher",
            "reasoning-delta thinking-1 Enough.",
            "reasoning-end thinking-1",
            "reasoning-start processing-2 processing",
            "reasoning-delta processing-2 Writing",
            "reasoning-end processing-2",
        ],
    );
}

#[test]
fn thoughts_that_nothing_joins_are_parts_of_their_own() {
    let call = [call_start(1, "a", "source"), call_end(1, json!({}))];
    check(
        json!([
            thinking(0, "Hm"),
            thinking_end(0),
            call[0],
            call[1],
            thinking(2, "Well"),
            thinking_end(2)
        ]),
        &[
            "reasoning-start thinking-0 thinking",
            "reasoning-delta thinking-0 Hm",
            "reasoning-end thinking-0",
            "tool-input-start a look",
            "tool-input-available a look {}",
            "reasoning-start thinking-1 thinking",
            "reasoning-delta thinking-1 Well",
            "reasoning-end thinking-1",
        ],
    );
}

#[test]
fn a_seal_outlives_the_part_it_belongs_to() {
    let sealed = json!({ "type": "thinking_end", "id": 0, "signature": "seal", "redacted": null });
    let chunks = inside(json!([thinking(0, "Hm"), status("Searching"), sealed]));
    let kinds = briefs(&chunks);
    assert_eq!(kinds[5], "reasoning-end processing-1");
    assert_eq!(kinds[6], "reasoning-start thinking-2 thinking");
    let end = json!({
        "type": "reasoning-end", "id": "thinking-2",
        "providerMetadata": { "weir": { "variant": "thinking", "signature": "seal" } },
    });
    assert_eq!(chunks[7], end);
}

#[test]
fn lines_about_the_work_stand_where_they_came_before_and_after_a_tool() {
    let call = [call_start(0, "a", "source"), call_end(0, json!({}))];
    check(
        json!([status("One"), call[0], call[1], status("Two")]),
        &[
            "reasoning-start processing-0 processing",
            "reasoning-delta processing-0 One",
            "reasoning-end processing-0",
            "tool-input-start a look",
            "tool-input-available a look {}",
            "reasoning-start processing-1 processing",
            "reasoning-delta processing-1 Two",
            "reasoning-end processing-1",
        ],
    );
}

fn kinds(events: Value) -> Vec<String> {
    let chunks = read(events);
    chunks.iter().map(|chunk| kind(chunk).to_owned()).collect()
}

#[test]
fn each_message_of_a_stream_is_a_step() {
    let events = json!([
        start("msg_1"),
        text(0, "a"),
        text_end(0),
        start("msg_2"),
        text(1, "b"),
        text_end(1),
        done(json!("end_turn")),
    ]);
    let text = ["text-start", "text-delta", "text-end"];
    let step = [&["start-step"][..], &text, &["finish-step"]].concat();
    let expected = [&["start"][..], &step, &step, &["finish"]].concat();
    assert_eq!(kinds(events), expected);
}

#[test]
fn a_step_waits_for_what_is_open() {
    let events = json!([
        start("msg_1"),
        call_start(0, "a", "weir"),
        start("msg_2"),
        text(1, "b"),
        call_end(0, json!({})),
        text_end(1),
        text(2, "c"),
        text_end(2),
    ]);
    let expected = [
        "start",
        "start-step",
        "tool-input-start",
        "text-start",
        "text-delta",
        "tool-input-available",
        "text-end",
        "finish-step",
        "start-step",
        "text-start",
        "text-delta",
        "text-end",
        "finish-step",
        "abort",
    ];
    assert_eq!(kinds(events), expected);
}

#[test]
fn how_a_stream_ends() {
    let cut = read(json!([text(0, "a"), error("Cut."), error("Gone.")]));
    let expected = [
        "start",
        "start-step",
        "text-start text-0",
        "text-delta text-0 a",
        "text-end text-0",
        "finish-step",
        "error Cut.",
        "error Gone.",
        "finish error",
    ];
    assert_eq!(briefs(&cut), expected);

    // The source went on: so does the stream, and the error comes last.
    let went_on = read(json!([
        error("Again."),
        text(0, "a"),
        text_end(0),
        done(json!("max_tokens"))
    ]));
    assert_eq!(
        briefs(&went_on)[5..],
        ["finish-step", "error Again.", "finish length"]
    );

    let ends = [
        (json!([]), "abort"),
        (json!([done(json!(null))]), "finish"),
        (json!([done(json!("stop_sequence"))]), "finish stop"),
        (json!([done(json!("pause_turn"))]), "finish stop"),
        (json!([done(json!("tool_use"))]), "finish tool-calls"),
        (json!([done(json!("refusal"))]), "finish content-filter"),
        (
            json!([done(json!("content_filter"))]),
            "finish content-filter",
        ),
        (json!([done(json!("error"))]), "finish error"),
        (json!([done(json!("cancelled"))]), "abort"),
    ];
    for (events, end) in ends {
        assert_eq!(briefs(&read(events)), ["start", end]);
    }
}
