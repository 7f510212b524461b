//! One long line of every shape that could make a rule look twice: four times as long must take
//! about four times as long.

use std::hint::black_box;
use std::time::Duration;

use weir_core::guard::{Guard, GuardConfig, Stage};

use crate::{Outcome, Plan, time};

const LONG: usize = 1024 * 1024;
const SHORT: usize = LONG / 4;
/// Four, and a quarter for a cache that no longer holds it.
const LINEAR: f64 = 5.0;

const SHAPES: &[(&str, &str)] = &[
    ("one letter", "a"),
    ("at signs", "@"),
    ("digits", "7"),
    ("groups of digits", "4111 "),
    ("groups with dashes", "12-34-"),
    ("addresses", "a@b.c"),
    ("long local parts", "a.b-c+d"),
    ("beginnings of keys", "-----BEGIN "),
    ("beginnings of tokens", "sk-ant-"),
    ("names of secrets", "password"),
    ("given names", "token="),
    ("quotes in quotes", "\"'`\\"),
    ("links", "://a:b"),
    ("beginnings of web tokens", "eyJ."),
    ("orders", "ignore all "),
    ("comments", "<!-- "),
    ("pictures", "![]("),
    ("colons", "::"),
    ("lines of logins", ":*:*"),
    ("hashes of passwords", "$1$"),
    ("fields beside names", "token\" value="),
    ("dashes and letters", "12345678-Z"),
    ("brackets after digits", "A123456("),
    ("glyphs", "\u{5FFD}\u{7565}"),
    ("letters without width", "a\u{200B}"),
    ("base64", "QUJDREVGR0hJSktMTU5PUFFS"),
];

pub(crate) fn run(plan: Plan) -> Outcome<bool> {
    let guard = Guard::new(&GuardConfig::default())?;
    println!("guard: lines of 1 MB, and how much longer they take than lines of a quarter of it");
    let mut kept = true;
    for (name, shape) in SHAPES {
        let line = |length: usize| shape.repeat(length / shape.len());
        let (short, long) = (line(SHORT), line(LONG));
        let mut best = [Duration::MAX; 2];
        for _ in 0..plan.rounds.min(3) {
            for (at, text) in [&short, &long].into_iter().enumerate() {
                let taken = time(|| {
                    black_box(guard.check(Stage::Input, black_box(text)));
                    Ok(())
                })?;
                best[at] = best[at].min(taken);
            }
        }
        let ratio = best[1].as_secs_f64() / best[0].as_secs_f64();
        let speed = long.len() as f64 / 1e6 / best[1].as_secs_f64();
        println!("  {name:<28} {speed:>8.1} MB/s {ratio:>6.2} times");
        if ratio > LINEAR {
            println!("  that is not linear");
            kept = false;
        }
    }
    Ok(kept)
}
