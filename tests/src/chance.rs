//! Chance that can be repeated, and how often to try.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::ops::Range;

/// Where all the choices of a test come from: another one each time, printed, and repeated by
/// setting the variable.
pub fn seed(variable: &str) -> u64 {
    let seed = number(variable).unwrap_or_else(|| RandomState::new().build_hasher().finish());
    println!("{variable}={seed}");
    seed
}

/// How often to try: as often as the variable says, or as `usually`.
pub fn times(variable: &str, usually: u64) -> u64 {
    number(variable).unwrap_or(usually)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

/// The choice with this number, by splitmix64, so that a seed says everything.
pub fn pick(seed: u64, number: u64, among: Range<u64>) -> u64 {
    let mut mixed = seed.wrapping_add((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    among.start + mixed % (among.end - among.start)
}

/// Tries `times` times, some at once, and gives what each came to.
pub fn try_all<T: Send + 'static>(
    times: u64,
    at_once: u64,
    attempt: impl Fn(u64) -> T + Send + Sync + 'static,
) -> Vec<T> {
    let attempt = std::sync::Arc::new(attempt);
    let mut outcomes = Vec::new();
    let mut next = 0;
    while next < times {
        let batch = next..times.min(next + at_once);
        next = batch.end;
        // All are under way before the first one is waited for.
        let batch: Vec<_> = batch
            .map(|number| {
                let attempt = std::sync::Arc::clone(&attempt);
                std::thread::spawn(move || attempt(number))
            })
            .collect();
        for one in batch {
            outcomes.push(one.join().expect("an attempt says itself why it failed"));
        }
    }
    outcomes
}
