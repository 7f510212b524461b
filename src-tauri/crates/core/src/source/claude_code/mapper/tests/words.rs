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

#[test]
fn the_input_of_a_call_is_the_whole_block_s_for_that_is_what_was_run() {
    let json = json!({ "type": "input_json_delta", "partial_json": "{\"path\":\"/private/a\"}" });
    let begin = [
        message_start("m"),
        start(0, call("t", "Read", json!({}))),
        delta(0, json),
    ];
    let table = [
        (json!({ "path": "/a" }), json!({ "path": "/a" })),
        // A block that does not say it yet.
        (json!({}), json!({ "path": "/private/a" })),
        (json!(null), json!({ "path": "/private/a" })),
    ];
    for (whole, expected) in table {
        let whole = assistant("m", json!([call("t", "Read", whole)]));
        let summary = summary(&[&begin[..], &[whole, stop(0)]].concat());
        assert_eq!(summary.tool_calls[0].input, expected);
    }
}

#[test]
fn calls_without_ids_are_told_apart_and_answered_in_order() {
    let nameless = |mut line: Value, field: &str| {
        let block = &mut line["message"]["content"][0];
        block.as_object_mut().unwrap().remove(field);
        line
    };
    let ask = |tool: &str| nameless(assistant("", json!([call("", tool, json!({}))])), "id");
    let back = || nameless(answer("", json!("seen")), "tool_use_id");
    let found = events(&[ask("Bash"), ask("Read"), back(), back()]);
    let of = |kind: &str| -> Vec<(String, String)> {
        let of_kind = found.iter().filter(|event| event["type"] == kind);
        let text = |event: &Value, field: &str| event[field].as_str().unwrap().to_owned();
        of_kind
            .map(|event| (text(event, "toolCallId"), text(event, "name")))
            .collect()
    };
    let expected = [("call_0", "Bash"), ("call_1", "Read")];
    let expected = expected.map(|(id, name)| (id.to_owned(), name.to_owned()));
    assert_eq!(of("tool_use_start"), expected);
    assert_eq!(of("tool_result"), expected);
}

#[test]
fn a_call_without_an_id_that_came_in_pieces_counts_once() {
    let block = json!({ "type": "tool_use", "name": "Bash", "input": { "command": "ls" } });
    let begun = json!({ "type": "tool_use", "name": "Bash", "input": {} });
    let whole = assistant("m", json!([block]));
    let calls = summary(&[message_start("m"), start(0, begun), whole, stop(0)]).tool_calls;
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0].input, json!({ "command": "ls" }));
}

#[test]
fn a_whole_block_that_comes_late_is_not_said_again() {
    let in_pieces = |id: &str, text: &str| vec![message_start(id), text_delta(0, text), stop(0)];
    let whole = |id: &str, text: &str| vec![assistant(id, json!([text_block(text)]))];
    let orders = [
        [
            in_pieces("m", "One "),
            in_pieces("n", "two"),
            whole("m", "One "),
            whole("n", "two"),
        ],
        // The next message has begun, and has not said anything yet.
        [
            in_pieces("m", "One "),
            vec![message_start("n")],
            whole("m", "One "),
            [in_pieces("n", "two"), whole("n", "two")].concat(),
        ],
        [
            whole("m", "One "),
            whole("n", "two"),
            whole("m", "One "),
            whole("m", "One "),
        ],
    ];
    for lines in orders {
        let summary = summary(&lines.concat());
        assert_eq!(summary.text, "One two");
        assert_eq!(summary.message_ids, ["m", "n"]);
    }
}

#[test]
fn a_block_that_comes_late_adds_what_its_pieces_did_not_say() {
    let lines = [
        message_start("m"),
        text_delta(0, "One"),
        message_start("n"),
        text_delta(0, "Two"),
        assistant("m", json!([text_block("One, more. ")])),
        text_delta(0, "!"),
    ];
    assert_eq!(summary(&lines).text, "OneTwo!, more. ");
}

#[test]
fn a_line_that_knows_why_its_message_ended_says_it_again() {
    let mut last = assistant("m", json!([text_block("a")]));
    last["message"]["stop_reason"] = json!("tool_use");
    let lines = [
        assistant("m", json!([text_block("a")])),
        assistant("m", json!([call("t", "Bash", json!({}))])),
        last.clone(),
        assistant("n", json!([text_block("b")])),
    ];
    assert_eq!(summary(&lines).text, "ab");
    // With an id of its own it is a block of its own.
    last["uuid"] = json!("u");
    assert_eq!(summary(&[lines[0].clone(), last]).text, "aa");
}

#[test]
fn a_block_printed_twice_after_its_pieces_counts_once() {
    let whole = assistant("m", json!([text_block("a")]));
    let begun = [message_start("m"), text_delta(0, "a"), stop(0)];
    let next = [text_delta(1, "b"), whole.clone(), text_delta(1, "c")];
    let lines = [&begun[..], &[whole.clone(), whole], &next].concat();
    assert_eq!(summary(&lines).text, "abc");
}

#[test]
fn a_seal_that_comes_when_its_block_is_closed_is_raw_once() {
    let whole = assistant("m", json!([thinking("well", "sig")]));
    let words = delta(0, json!({ "type": "thinking_delta", "thinking": "well" }));
    let lines = [
        message_start("m"),
        words,
        stop(0),
        whole.clone(),
        whole.clone(),
    ];
    let found = events(&lines);
    let raws: Vec<&Value> = found.iter().filter(|e| e["type"] == "raw").collect();
    assert_eq!(raws, [&json!({ "type": "raw", "value": whole })]);
    assert_eq!(summary(&lines).thinking, "well");
}

#[test]
fn words_of_another_type_are_raw() {
    let odd = [
        assistant("m", json!([{ "type": "text", "text": 9 }])),
        assistant("m", json!([{ "type": "thinking", "thinking": ["a"] }])),
        delta(0, json!({ "type": "text_delta", "text": 9 })),
    ];
    for line in odd {
        let found = events(std::slice::from_ref(&line));
        assert_eq!(found.last(), Some(&json!({ "type": "raw", "value": line })));
    }
}
