//! Usage, whatever includes what.

use super::*;

fn usage(report: Value) -> Value {
    let mut chunk = chunk(json!([]));
    chunk["usage"] = report;
    chunk
}

/// Input, cache read, cache write, output and reasoning of the last report.
fn counts(chunks: &[Value]) -> Option<[u64; 5]> {
    let usage = summary(chunks).usage?;
    Some([
        usage.input_tokens,
        usage.cache_read_tokens,
        usage.cache_write_tokens,
        usage.output_tokens,
        usage.reasoning_tokens,
    ])
}

#[test]
fn what_relatives_report() {
    let table = [
        (
            "nothing cached",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 }),
            [10, 0, 0, 5, 0],
        ),
        (
            "cached and reasoning inside",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                "prompt_tokens_details": { "cached_tokens": 4, "cache_write_tokens": 3 },
                "completion_tokens_details": { "reasoning_tokens": 2 } }),
            [3, 4, 3, 5, 2],
        ),
        (
            "hits and misses",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 6 }),
            [6, 4, 0, 5, 0],
        ),
        (
            "cached beside the details",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 4,
                "reasoning_tokens": 2 }),
            [6, 4, 0, 5, 2],
        ),
        (
            "as a gateway to Anthropic says it",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                "cache_read_input_tokens": 4, "cache_creation_input_tokens": 3,
                "cache_creation": { "ephemeral_5m_input_tokens": 1,
                    "ephemeral_1h_input_tokens": 2 } }),
            [3, 4, 3, 5, 0],
        ),
        (
            "reasoning beside the output, by the total",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 22,
                "completion_tokens_details": { "reasoning_tokens": 7 } }),
            [10, 0, 0, 12, 7],
        ),
        (
            "less reasoning beside the output, by the total",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 18,
                "completion_tokens_details": { "reasoning_tokens": 3 } }),
            [10, 0, 0, 8, 3],
        ),
        (
            "more reasoning than output, and no total",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "reasoning_tokens": 70 }),
            [10, 0, 0, 75, 70],
        ),
        (
            "more reasoning than output, inside by the total",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                "reasoning_tokens": 7 }),
            [10, 0, 0, 5, 7],
        ),
        (
            "as much cached as reasoning, and one of them beside",
            json!({ "prompt_tokens": 700, "completion_tokens": 10, "total_tokens": 910,
                "prompt_tokens_details": { "cached_tokens": 200 },
                "completion_tokens_details": { "reasoning_tokens": 200 } }),
            [500, 200, 0, 210, 200],
        ),
        (
            "cached and reasoning beside, by the total",
            json!({ "prompt_tokens": 700, "completion_tokens": 10, "total_tokens": 960,
                "prompt_tokens_details": { "cached_tokens": 200 },
                "completion_tokens_details": { "reasoning_tokens": 50 } }),
            [700, 200, 0, 60, 50],
        ),
        (
            "a total that explains nothing",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 99,
                "reasoning_tokens": 7 }),
            [10, 0, 0, 12, 7],
        ),
        (
            "more cached than input",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                "prompt_tokens_details": { "cached_tokens": 40 } }),
            [10, 40, 0, 5, 0],
        ),
        (
            "cached beside the input, by the total",
            json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 22,
                "prompt_tokens_details": { "cached_tokens": 4, "cache_write_tokens": 3 } }),
            [10, 4, 3, 5, 0],
        ),
        (
            "other names",
            json!({ "input_tokens": 10, "output_tokens": 5,
                "input_tokens_details": { "cached_tokens": 4 },
                "output_tokens_details": { "reasoning_tokens": 2 } }),
            [6, 4, 0, 5, 2],
        ),
        (
            "nulls, text and fractions",
            json!({ "prompt_tokens": "10", "completion_tokens": 5.0, "total_tokens": null,
                "prompt_tokens_details": null, "completion_tokens_details": [] }),
            [10, 0, 0, 5, 0],
        ),
    ];
    for (case, report, expected) in table {
        assert_eq!(counts(&[usage(report)]), Some(expected), "{case}");
    }
}

#[test]
fn where_usage_stands() {
    let report = json!({ "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15 });
    let mut with_the_end = finish("stop");
    with_the_end["usage"] = report.clone();
    let mut in_the_choice = finish("stop");
    in_the_choice["choices"][0]["usage"] = report.clone();
    let alone = json!({ "id": "c1", "usage": report });
    for chunk in [with_the_end, in_the_choice, alone, usage(report)] {
        assert_eq!(counts(&[chunk]), Some([10, 0, 0, 5, 0]));
    }
}

#[test]
fn each_report_replaces_the_last_and_only_changes_are_told() {
    let report = |output: u64| {
        let mut chunk = content("a");
        chunk["usage"] = json!({ "prompt_tokens": 10, "completion_tokens": output });
        chunk["service_tier"] = if output == 1 {
            json!("flex")
        } else {
            json!(null)
        };
        chunk
    };
    let zeros = usage(json!({ "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 }));
    let events = read(&[report(1), report(2), report(2), zeros]);
    let told: Vec<Value> = events
        .iter()
        .map(|event| serde_json::to_value(event).unwrap())
        .filter(|event| event["type"] == "usage")
        .collect();
    let outputs: Vec<&Value> = told.iter().map(|e| &e["usage"]["outputTokens"]).collect();
    assert_eq!(outputs, [1, 2]);
    assert_eq!(told[1]["usage"]["serviceTier"], "flex");
}

#[test]
fn none_is_invented() {
    let silent = [
        json!(null),
        json!({}),
        json!({ "cost": 0.5, "total_tokens": 9 }),
        json!([1]),
        json!("many"),
    ];
    for report in silent {
        assert_eq!(counts(&[usage(report), content("a")]), None);
    }
}

#[test]
fn an_older_report_that_may_be_of_one_request_in_many_is_not_counted() {
    let mut last = finish("stop");
    last["x_groq"] = json!({ "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
    assert_eq!(counts(&[last]), None);
}

#[test]
fn garbage_does_not_overflow() {
    let most = json!({
        "prompt_tokens": u64::MAX, "completion_tokens": u64::MAX, "total_tokens": u64::MAX,
        "prompt_tokens_details": { "cached_tokens": 1e300, "cache_write_tokens": u64::MAX },
        "completion_tokens_details": { "reasoning_tokens": u64::MAX },
    });
    assert!(summary(&[usage(most)]).usage.unwrap().total_tokens > 0);
    let least = json!({ "prompt_tokens": -5, "completion_tokens": 1 });
    assert_eq!(counts(&[usage(least)]), Some([0, 0, 0, 1, 0]));
}
