//! The laws of streams, held against thousands of damaged ones: what `make fuzz` does for a
//! million inputs with a fuzzer that learns, done here for a few with dice that do not.

use std::panic::{AssertUnwindSafe, catch_unwind};

use weir_core::source::DIALECTS;
use weir_core::source::dialect::Dialect;
use weir_core::wire::Framing;
use weir_tests::laws;
use weir_tests::ruin::{Dice, ruined};
use weir_tests::seeds::{self, SEEDS};

/// For each seed.
const RUINS: u64 = 1500;

#[test]
fn every_dialect_has_a_seed_and_every_seed_a_dialect() {
    for dialect in DIALECTS {
        let seeds = seeds::of(dialect.name);
        assert!(!seeds.is_empty(), "no seed for {}", dialect.name);
    }
    for (name, _) in SEEDS {
        let known = DIALECTS.iter().any(|dialect| dialect.name == *name);
        assert!(known, "a seed for {name}, which no dialect is");
    }
}

#[test]
fn seeds_keep_the_laws_wherever_they_are_cut() {
    for (dialect, seed) in dialects_and_seeds() {
        for end in (0..=seed.len()).rev().step_by(7) {
            check(dialect, &seed[..end]);
        }
    }
}

#[test]
fn ruins_keep_the_laws() {
    std::thread::scope(|scope| {
        for (number, (dialect, seed)) in dialects_and_seeds().into_iter().enumerate() {
            let (_, other) = SEEDS[(number + 1) % SEEDS.len()];
            scope.spawn(move || {
                for roll in 0..RUINS {
                    let mut dice = Dice::new(roll);
                    check(dialect, &ruined(seed, other, &mut dice));
                }
            });
        }
    });
}

/// What a source repeats costs each time the same: no event grows with those before it.
#[test]
fn the_hundredth_frame_costs_what_the_first_did() {
    for (dialect, seed) in dialects_and_seeds() {
        let frames = match dialect.framing {
            Framing::AwsEventStream => messages(seed),
            Framing::Sse | Framing::Lines | Framing::LinesOrSse => frames(seed),
        };
        for (at, frame) in frames.iter().enumerate() {
            let weight = |times: usize| {
                let stream = [frames[..=at].concat(), frame.repeat(times)].concat();
                laws::weight(&laws::read(dialect, &stream, stream.len())).unwrap()
            };
            let [none, some, twice] = [weight(0), weight(100), weight(200)];
            // A count that gains a digit is no growth.
            let most = some.saturating_sub(none) * 3 / 2 + 1000;
            let more = twice.saturating_sub(some);
            let frame = frame.escape_ascii();
            assert!(
                more <= most,
                "{}: {more} after {most}: {frame}",
                dialect.name
            );
        }
    }
}

/// Each message of an event stream, by the length it begins with.
fn messages(mut stream: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while let [a, b, c, d, ..] = *stream {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let (message, rest) = stream.split_at(length);
        messages.push(message.to_vec());
        stream = rest;
    }
    messages
}

/// Each with the blank line that ends it, or with its newline where there are none.
fn frames(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = vec![Vec::new()];
    let is_blank = |line: &[u8]| line.trim_ascii().is_empty();
    let lines = || stream.split_inclusive(|byte| *byte == b'\n');
    let has_blank = lines().any(is_blank);
    for line in lines() {
        if let Some(frame) = frames.last_mut() {
            frame.extend_from_slice(line);
        }
        if !has_blank || is_blank(line) {
            frames.push(Vec::new());
        }
    }
    frames.retain(|frame: &Vec<u8>| !frame.is_empty());
    frames
}

fn dialects_and_seeds() -> Vec<(&'static Dialect, &'static [u8])> {
    let seeds = DIALECTS
        .iter()
        .map(|dialect| (dialect, seeds::of(dialect.name)));
    let pairs = seeds.flat_map(|(dialect, seeds)| seeds.into_iter().map(move |it| (dialect, it)));
    pairs.collect()
}

/// Fails with the shortest stream found that breaks the same dialect.
fn check(dialect: &'static Dialect, bytes: &[u8]) {
    if broken(dialect, bytes).is_none() {
        return;
    }
    let bytes = shortened(dialect, bytes.to_vec());
    let law = broken(dialect, &bytes).unwrap_or_default();
    panic!("{}: {law}\n{}", dialect.name, bytes.escape_ascii());
}

fn broken(dialect: &'static Dialect, bytes: &[u8]) -> Option<String> {
    let held = catch_unwind(AssertUnwindSafe(|| laws::broken(dialect, bytes)));
    held.unwrap_or(Some("a panic".to_owned()))
}

/// Without the lines, and then without the bytes, that have no part in it.
fn shortened(dialect: &'static Dialect, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut size = bytes.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < bytes.len() {
            let mut less = bytes.clone();
            less.drain(at..bytes.len().min(at + size));
            if broken(dialect, &less).is_some() {
                bytes = less;
            } else {
                at += size;
            }
        }
        size /= 2;
    }
    bytes
}
