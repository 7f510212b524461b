//! A word counts once, whether it came in pieces, whole, or both.

use super::*;

fn thinking(words: &str, signature: &str) -> Value {
    json!({ "type": "thinking", "thinking": words, "signature": signature })
}

fn thinking_end(signature: Value) -> Value {
    json!({ "type": "thinking_end", "id": 0, "signature": signature, "redacted": null })
}

#[test]
fn whole_blocks_of_one_message_are_one_message() {
    check(
        &[
            assistant("m", json!([text_block("a")])),
            assistant("m", json!([text_block("b")])),
            assistant("n", json!([text_block("c")])),
        ],
        json!(
            [
                vec![start_event("m")],
                text_events(0, &["a"]),
                text_events(1, &["b"]),
                vec![start_event("n")],
                text_events(2, &["c"]),
            ]
            .concat()
        ),
    );
}

#[test]
fn a_whole_block_between_its_pieces_and_their_end_says_nothing() {
    check(
        &[
            message_start("m"),
            start(0, text_block("")),
            text_delta(0, "one "),
            text_delta(0, "two"),
            assistant("m", json!([text_block("one two")])),
            stop(0),
            message_stop(),
        ],
        json!([vec![start_event("m")], text_events(0, &["one ", "two"])].concat()),
    );
}

#[test]
fn a_whole_block_adds_what_its_pieces_did_not_say() {
    let pieces = [message_start("m"), text_delta(0, "one ")];
    let whole = [assistant("m", json!([text_block("one two 🦀")]))];
    // While the block is open it grows; once it is closed the rest is a block of its own.
    check(
        &[&pieces[..], &whole].concat(),
        json!([vec![start_event("m")], text_events(0, &["one ", "two 🦀"])].concat()),
    );
    check(
        &[&pieces[..], &[stop(0)], &whole].concat(),
        json!(
            [
                vec![start_event("m")],
                text_events(0, &["one "]),
                text_events(1, &["two 🦀"]),
            ]
            .concat()
        ),
    );
}

#[test]
fn blocks_that_say_the_same_are_two() {
    let block = |index| [text_delta(index, "same"), stop(index)];
    let whole = assistant("m", json!([text_block("same")]));
    let lines = [
        vec![message_start("m")],
        block(0).to_vec(),
        vec![whole.clone()],
        block(1).to_vec(),
        vec![whole],
    ];
    assert_eq!(summary(&lines.concat()).text, "samesame");
}

#[test]
fn blank_blocks_that_are_never_repeated_hide_none() {
    let lines = [
        message_start("m"),
        start(0, text_block("")),
        stop(0),
        text_delta(1, "\n\n"),
        stop(1),
        text_delta(2, "\n\nwords"),
        assistant("m", json!([text_block("\n\nwords")])),
        stop(2),
    ];
    assert_eq!(summary(&lines).text, "\n\n\n\nwords");
}

#[test]
fn what_the_agent_tidied_is_not_said_again() {
    let lines = [
        message_start("m"),
        text_delta(0, "  words "),
        assistant("m", json!([text_block("words")])),
        stop(0),
    ];
    assert_eq!(summary(&lines).text, "  words ");
}

#[test]
fn a_message_that_grows_repeats_its_first_blocks() {
    let lines = [
        assistant("m", json!([text_block("a")])),
        assistant("m", json!([text_block("a"), text_block("b")])),
        assistant(
            "m",
            json!([
                text_block("a"),
                text_block("b"),
                call("t", "Read", json!({}))
            ]),
        ),
    ];
    let summary = summary(&lines);
    assert_eq!(summary.text, "ab");
    assert_eq!(summary.tool_calls.len(), 1);
}

#[test]
fn pieces_without_a_start_belong_to_the_message_that_repeats_them() {
    let lines = [
        text_delta(0, "words"),
        assistant("m", json!([text_block("words")])),
    ];
    assert_eq!(summary(&lines).text, "words");
    let old = json!({ "type": "message", "role": "assistant", "content": [text_block("words")] });
    assert_eq!(
        summary(&[message_start("m"), text_delta(0, "words"), old]).text,
        "words"
    );
}

#[test]
fn a_line_that_comes_twice_counts_once() {
    let mut line = assistant("m", json!([text_block("once")]));
    line["uuid"] = json!("u");
    let mut result = answer("t", json!("seen"));
    result["uuid"] = json!("v");
    let summary = summary(&[line.clone(), result.clone(), line, result]);
    assert_eq!((summary.text.as_str(), summary.tool_results), ("once", 1));
}

#[test]
fn what_was_said_before_this_run_is_not_said_again() {
    let mut line = assistant("m", json!([text_block("long ago")]));
    line["historical"] = json!(true);
    check(&[line], json!([]));
}

#[test]
fn thinking_and_its_signature_count_once() {
    let start = start(0, thinking("", ""));
    let words = delta(0, json!({ "type": "thinking_delta", "thinking": "well" }));
    let seal = delta(0, json!({ "type": "signature_delta", "signature": "sig" }));
    let whole = assistant("m", json!([thinking("well", "sig")]));
    let expected = json!([
        start_event("m"),
        { "type": "thinking_start", "id": 0 },
        { "type": "thinking_delta", "id": 0, "text": "well" },
        thinking_end(json!("sig")),
    ]);
    let begin = [message_start("m"), start, words];
    check(
        &[&begin[..], &[seal, whole.clone(), stop(0)]].concat(),
        expected.clone(),
    );
    // The seal came only with the whole block.
    check(
        &[&begin[..], &[whole.clone(), stop(0)]].concat(),
        expected.clone(),
    );
    check(&[whole], expected);
}

#[test]
fn thinking_that_is_sealed_counts_once() {
    let block = json!({ "type": "redacted_thinking", "data": "sealed" });
    let expected = json!([
        start_event("m"),
        { "type": "thinking_start", "id": 0 },
        { "type": "thinking_end", "id": 0, "signature": null, "redacted": "sealed" },
    ]);
    let whole = assistant("m", json!([block]));
    check(std::slice::from_ref(&whole), expected.clone());
    check(
        &[message_start("m"), start(0, block), whole, stop(0)],
        expected,
    );
}

#[test]
fn a_call_counts_once_with_its_input() {
    let input = json!({ "command": "ls" });
    let begin = [message_start("m"), start(0, call("t", "Bash", json!({})))];
    let json = delta(
        0,
        json!({ "type": "input_json_delta", "partial_json": "{\"command\":\"ls\"}" }),
    );
    let whole = assistant("m", json!([call("t", "Bash", input.clone())]));
    let again = start(1, call("t", "Bash", json!({})));
    let orders = [
        [&begin[..], &[json, whole.clone(), stop(0), again]].concat(),
        // No piece of the input ever came.
        [&begin[..], &[whole.clone(), stop(0)]].concat(),
        vec![whole.clone(), whole],
    ];
    for lines in orders {
        let summary = summary(&lines);
        assert_eq!(summary.tool_calls.len(), 1);
        assert_eq!(summary.tool_calls[0].input, input);
    }
}

#[test]
fn the_agent_runs_its_tools() {
    check_last(
        &[
            assistant("m", json!([call("t", "Bash", json!({ "a": 1 }))])),
            answer("t", json!("x")),
        ],
        json!([{ "type": "tool_result", "toolCallId": "t", "name": "Bash", "result": "x",
            "isError": false }]),
    );
    let found = events(&[assistant("m", json!([call("t", "Bash", json!({}))]))]);
    assert_eq!(found[1]["executedBy"], "source");
}

#[test]
fn tools_of_the_provider_and_their_results_count_once() {
    let asked = json!({ "type": "server_tool_use", "id": "s", "name": "web_search", "input": {} });
    let found = json!({ "type": "web_search_tool_result", "tool_use_id": "s", "content": [] });
    let whole = assistant("m", json!([asked, found]));
    let pieces = [
        message_start("m"),
        start(0, asked),
        stop(0),
        start(1, found),
        stop(1),
    ];
    for lines in [vec![whole.clone()], [&pieces[..], &[whole]].concat()] {
        let summary = summary(&lines);
        assert_eq!((summary.tool_calls.len(), summary.tool_results), (1, 1));
    }
}

#[test]
fn a_message_that_was_lost_is_given_up() {
    let lines = [
        message_start("m"),
        start(0, call("t", "Bash", json!({}))),
        assistant("n", json!([text_block("anew")])),
    ];
    let summary = summary(&lines);
    assert_eq!(
        (summary.tool_calls.len(), summary.text.as_str()),
        (0, "anew")
    );
}

#[test]
fn unknown_blocks_are_raw_once() {
    let block = json!({ "type": "hologram" });
    let raws = |lines: &[Value]| {
        let found = events(lines);
        found.iter().filter(|event| event["type"] == "raw").count()
    };
    let whole = assistant("m", json!([block, text_block("a"), block]));
    assert_eq!(raws(std::slice::from_ref(&whole)), 1);
    assert_eq!(raws(&[message_start("m"), start(0, block), whole]), 1);
}

#[test]
fn usage_of_messages_adds_up_until_the_result_tells_the_total() {
    let with_usage = |id: &str, output: u64| {
        let mut line = assistant(id, json!([text_block("a")]));
        line["message"]["usage"] = json!({ "input_tokens": 10, "output_tokens": output });
        line
    };
    let mut total = result();
    total["usage"] = json!({ "input_tokens": 20, "output_tokens": 99 });
    let lines = [
        with_usage("m", 1),
        with_usage("m", 1),
        with_usage("n", 2),
        total,
    ];
    let tokens = |lines: &[Value]| {
        let usage = summary(lines).usage.unwrap();
        (usage.input_tokens, usage.output_tokens)
    };
    assert_eq!(tokens(&lines[..2]), (10, 1));
    assert_eq!(tokens(&lines[..3]), (20, 3));
    assert_eq!(tokens(&lines), (20, 99));
}
