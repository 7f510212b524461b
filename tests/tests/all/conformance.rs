//! Recorded streams against what they must come to.
//!
//! Reads `<dialect>/<name>.sse|.ndjson|.jsonl` and `<name>.summary.json` below the folder of
//! recordings beside the repository. A key that is missing in the expected summary is not
//! compared; in `toolCalls` and `usage` only the keys present are; `hasErrors` says whether
//! `errors` may be empty.

use std::path::{Path, PathBuf};

use serde_json::Value;
use weir_core::source::DIALECTS;
use weir_core::source::dialect::{Dialect, Reader};
use weir_core::source::summary::summarize;
use weir_protocol::StreamEvent;
use weir_tests::laws::unbalanced;

#[test]
fn recorded_streams_come_to_their_summaries() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/fixtures");
    if !root.is_dir() {
        println!("no recorded streams beside this repository: nothing to compare");
        return;
    }
    let mut failures = Vec::new();
    let mut count = 0;
    for dialect in DIALECTS {
        for path in streams(&root.join(dialect.name)) {
            count += 1;
            let wrong = check(dialect, &path);
            if !wrong.is_empty() {
                failures.push(format!("{}\n  {}", path.display(), wrong.join("\n  ")));
            }
        }
    }
    assert!(count > 0, "no recorded streams in {}", root.display());
    assert!(
        failures.is_empty(),
        "{} of {count} streams differ\n{}",
        failures.len(),
        failures.join("\n")
    );
    println!("{count} recorded streams come to their summaries, whole and in pieces");
}

fn check(dialect: &'static Dialect, path: &Path) -> Vec<String> {
    let bytes = std::fs::read(path).unwrap();
    let events = read(dialect, [bytes.as_slice()]);
    let expected = std::fs::read(path.with_extension("summary.json")).unwrap();
    let expected = serde_json::from_slice(&expected).unwrap();
    let actual = serde_json::to_value(summarize(&events)).unwrap();
    let mut wrong = differences(&expected, &actual);
    wrong.extend(unbalanced(&events));
    for split in [1, 2, 3, 7, 64] {
        if read(dialect, bytes.chunks(split)) != events {
            wrong.push(format!("other events when split by {split}"));
        }
    }
    for seed in 1..=3 {
        if read(dialect, at_random(&bytes, seed)) != events {
            wrong.push(format!("other events when split at random, seed {seed}"));
        }
    }
    wrong
}

/// Pieces of 0 to 255 bytes, the same for the same seed.
fn at_random(mut bytes: &[u8], seed: u64) -> Vec<&[u8]> {
    let mut state = seed;
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let length = usize::from(state.to_be_bytes()[0]).min(bytes.len());
        let (piece, rest) = bytes.split_at(length);
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

fn read<'a>(
    dialect: &'static Dialect,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<StreamEvent> {
    let mut reader = Reader::new(dialect);
    let mut events = Vec::new();
    for piece in pieces {
        reader.push(piece, &mut events);
    }
    reader.finish(&mut events);
    events
}

fn streams(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut paths: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let extension = path.extension().and_then(|extension| extension.to_str());
            matches!(extension, Some("sse" | "ndjson" | "jsonl"))
        })
        .collect();
    paths.sort();
    paths
}

/// Every way in which `actual` is not what `expected` asks for.
fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (key, want) in expected.as_object().unwrap() {
        match key.as_str() {
            "hasErrors" => {
                let has = !actual["errors"].as_array().unwrap().is_empty();
                if want.as_bool() != Some(has) {
                    found.push(format!("hasErrors: want {want}, got {}", actual["errors"]));
                }
            }
            "toolCalls" | "usage" => compare(key, want, &actual[key], &mut found),
            _ if *want == actual[key] => {}
            _ => found.push(format!("{key}: want {want}, got {}", actual[key])),
        }
    }
    found
}

/// Objects by the keys present in `want`, lists by length and item, the rest whole. A tool's
/// `input` is a value of its own: compared whole.
fn compare(at: &str, want: &Value, got: &Value, found: &mut Vec<String>) {
    match (want, got) {
        (Value::Object(want), Value::Object(_)) => {
            for (key, want) in want {
                let at = format!("{at}.{key}");
                if key != "input" {
                    compare(&at, want, &got[key], found);
                } else if *want != got[key] {
                    found.push(format!("{at}: want {want}, got {}", got[key]));
                }
            }
        }
        (Value::Array(want), Value::Array(got)) if want.len() == got.len() => {
            for (index, (want, got)) in want.iter().zip(got).enumerate() {
                compare(&format!("{at}[{index}]"), want, got, found);
            }
        }
        _ if want == got => {}
        _ => found.push(format!("{at}: want {want}, got {got}")),
    }
}
