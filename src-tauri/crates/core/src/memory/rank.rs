//! Which memories go with a prompt: the five best, by what they say, how fresh and how used
//! they are.
//!
//! Pure. `score = 0.7 · relevance + 0.2 · recency + 0.1 · use`, each from 0 to 1:
//! - relevance is the full-text rank (bm25) as a share of the best one's. The rank's own size
//!   says nothing: it grows with the number of memories;
//! - recency halves every 30 days since it was last said, edited or sent along;
//! - use grows with the logarithm of how often that was, and is full at 31 times.
//!
//! What the prompt shares no word with has no relevance, and goes along only if it holds
//! whatever is asked: notes, instructions and preferences do, facts and decisions do not.

use jiff::Timestamp;
use weir_protocol::{Memory, MemoryKind};

/// How many memories go with a prompt.
pub(crate) const BEST: usize = 5;

const RELEVANCE: f64 = 0.7;
const RECENCY: f64 = 0.2;
const USE: f64 = 0.1;
const HALF_LIFE_DAYS: f64 = 30.0;
/// As a logarithm to the base of 2.
const FULL_USE: f64 = 5.0;

/// A memory and how well it fits the prompt: larger is better, 0 is not at all.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) memory: Memory,
    pub(crate) fit: f64,
}

/// The best first.
pub(crate) fn best(candidates: Vec<Candidate>, now: Timestamp) -> Vec<Memory> {
    let best_fit = candidates
        .iter()
        .map(|candidate| candidate.fit)
        .fold(0.0, f64::max);
    let mut scored: Vec<(f64, Memory)> = Vec::with_capacity(candidates.len());
    for Candidate { memory, fit } in candidates {
        let is_known = scored.iter().any(|(_, known)| known.id == memory.id);
        if is_known || (fit <= 0.0 && !holds_always(memory.kind)) {
            continue;
        }
        let relevance = if best_fit > 0.0 { fit / best_fit } else { 0.0 };
        scored.push((score(relevance, &memory, now), memory));
    }
    scored.sort_by(|(a, left), (b, right)| {
        b.total_cmp(a)
            .then(right.seen_at.cmp(&left.seen_at))
            .then(left.id.cmp(&right.id))
    });
    scored.truncate(BEST);
    scored.into_iter().map(|(_, memory)| memory).collect()
}

fn score(relevance: f64, memory: &Memory, now: Timestamp) -> f64 {
    let days = now.duration_since(memory.seen_at).as_secs_f64() / 86_400.0;
    let recency = (-days.max(0.0) / HALF_LIFE_DAYS).exp2();
    let used = (f64::from(memory.uses) + 1.0).log2() / FULL_USE;
    RELEVANCE * relevance + RECENCY * recency + USE * used.min(1.0)
}

/// Whether it matters whatever is asked.
pub(crate) fn holds_always(kind: MemoryKind) -> bool {
    match kind {
        MemoryKind::Note | MemoryKind::Instruction | MemoryKind::Preference => true,
        MemoryKind::Fact | MemoryKind::Decision => false,
    }
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;
    use uuid::Uuid;

    use super::*;

    const NOW: Timestamp = Timestamp::UNIX_EPOCH;

    fn candidate(name: &str, kind: MemoryKind, fit: f64, days: i64, uses: u32) -> Candidate {
        let seen_at = NOW - SignedDuration::from_hours(24 * days);
        Candidate {
            memory: Memory {
                id: crate::clock::new_id(),
                project: None,
                content: name.to_owned(),
                kind,
                session_id: Uuid::nil(),
                turn_id: Uuid::nil(),
                created_at: seen_at,
                seen_at,
                uses,
            },
            fit,
        }
    }

    #[test]
    #[expect(clippy::print_stdout, reason = "the figure is the result")]
    fn ranks_by_relevance_then_recency_then_use() {
        use MemoryKind::{Decision, Fact, Instruction, Note, Preference};
        let row = candidate;
        let cases: Vec<(&str, Vec<Candidate>, &[&str])> = vec![
            ("nothing kept", vec![], &[]),
            (
                "what fits better goes first",
                vec![
                    row("half", Fact, 1.0, 0, 0),
                    row("full", Fact, 2.0, 0, 0),
                    row("little", Fact, 0.1, 0, 0),
                ],
                &["full", "half", "little"],
            ),
            (
                "of two that fit alike the fresher",
                vec![row("old", Fact, 1.0, 90, 0), row("new", Fact, 1.0, 1, 0)],
                &["new", "old"],
            ),
            (
                "of two of one day the more used",
                vec![row("idle", Fact, 1.0, 9, 0), row("busy", Fact, 1.0, 9, 7)],
                &["busy", "idle"],
            ),
            (
                "a good fit beats freshness and use together",
                vec![
                    row("fresh", Fact, 1.0, 0, 31),
                    row("apt", Fact, 2.0, 400, 0),
                ],
                &["apt", "fresh"],
            ),
            (
                "facts and decisions need a word in common; the rest does not",
                vec![
                    row("fact", Fact, 0.0, 0, 0),
                    row("decision", Decision, 0.0, 0, 0),
                    row("note", Note, 0.0, 1, 0),
                    row("instruction", Instruction, 0.0, 2, 0),
                    row("preference", Preference, 0.0, 3, 0),
                ],
                &["note", "instruction", "preference"],
            ),
            (
                "what fits comes before what always holds",
                vec![
                    row("always", Instruction, 0.0, 0, 31),
                    row("fits", Fact, 0.001, 365, 0),
                ],
                &["fits", "always"],
            ),
            (
                "five at most",
                (0..9)
                    .map(|n| {
                        row(
                            ["a", "b", "c", "d", "e", "f", "g", "h", "i"][n],
                            Note,
                            1.0,
                            n as i64,
                            0,
                        )
                    })
                    .collect(),
                &["a", "b", "c", "d", "e"],
            ),
            (
                "use counts up to a point",
                vec![
                    row("31 uses, yesterday", Note, 0.0, 1, 31),
                    row("4000 uses, last month", Note, 0.0, 30, 4000),
                ],
                &["31 uses, yesterday", "4000 uses, last month"],
            ),
            (
                "a clock that was set back does no harm",
                vec![
                    row("tomorrow", Note, 0.0, -1, 0),
                    row("today", Note, 0.0, 0, 0),
                ],
                &["tomorrow", "today"],
            ),
        ];
        let count = cases.len();
        for (what, candidates, expected) in cases {
            let ranked = best(candidates, NOW);
            let names: Vec<&str> = ranked.iter().map(|m| m.content.as_str()).collect();
            assert_eq!(names, expected, "{what}");
        }
        println!("{count} rankings");
    }

    #[test]
    fn a_memory_found_twice_goes_once() {
        let one = candidate("one", MemoryKind::Note, 1.0, 0, 0);
        let again = Candidate {
            fit: 0.0,
            ..one.clone()
        };
        assert_eq!(best(vec![one.clone(), again], NOW), [one.memory]);
    }
}
