//! The law of streams: however a text is split, the same comes out, and nothing early.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

use super::corpus::{self, Chance};
use super::{Found, Guard, GuardConfig, GuardStream, OwnPattern, OwnWord, Piece, Stage};

/// What a stream of pieces comes to: its text with what was found marked, and the founds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) found: Vec<Found>,
}

impl Outcome {
    /// Takes pieces in; what is let go must lie in its order, and be what was found.
    fn take(&mut self, pieces: &mut Vec<Piece>) {
        for piece in pieces.drain(..) {
            match piece {
                Piece::Text(text) => self.text.push_str(&text),
                Piece::Found(found, value) => {
                    assert_eq!(found.span.start, self.text.len(), "in its place");
                    self.text.push_str(&value);
                    assert_eq!(found.span.end, self.text.len(), "all of it");
                    self.found.push(found);
                }
            }
        }
    }
}

fn early_bytes(stream: &Outcome, all: &[Found]) -> usize {
    // What was let go as text and not as found, but belongs to something that is found.
    let let_go = stream.text.len();
    let told: usize = stream.found.iter().map(|found| found.span.len()).sum();
    let known = all
        .iter()
        .map(|found| found.span.start.min(let_go)..found.span.end.min(let_go));
    known
        .map(|span| span.len())
        .sum::<usize>()
        .saturating_sub(told)
}

pub(super) fn run(
    mut stream: GuardStream,
    text: &str,
    splits: &[usize],
    all: &[Found],
) -> (Outcome, usize) {
    let mut outcome = Outcome::default();
    let mut pieces = Vec::new();
    let mut early = 0;
    let mut from = 0;
    for split in splits.iter().copied().chain([text.len()]) {
        stream.push(&text[from..split], &mut pieces);
        outcome.take(&mut pieces);
        early += early_bytes(&outcome, all);
        from = split;
    }
    stream.finish(&mut pieces);
    outcome.take(&mut pieces);
    (outcome, early)
}

fn guards() -> Vec<(&'static str, Guard)> {
    let own = GuardConfig {
        words: vec![OwnWord {
            word: "lazy dog".to_owned(),
            input: None,
            output: None,
        }],
        ..GuardConfig::default()
    };
    let lines = GuardConfig {
        patterns: vec![OwnPattern {
            name: "ticket".to_owned(),
            pattern: r"(?i)ticket\s+#?\d+".to_owned(),
            input: None,
            output: None,
        }],
        ..GuardConfig::default()
    };
    vec![
        ("default", corpus::guard()),
        ("words", Guard::new(&own).unwrap()),
        ("patterns", Guard::new(&lines).unwrap()),
    ]
}

/// Texts of several lines of the corpus, joined as texts are, some with much around them.
fn texts(count: usize, chance: &mut Chance) -> Vec<String> {
    let lines = corpus::lines(11);
    (0..count)
        .map(|number| {
            let mut text = String::new();
            for _ in 0..1 + chance.below(if number % 4 == 0 { 12 } else { 4 }) {
                match chance.below(9) {
                    0 => text.push_str(&chance.draw("b", 90)),
                    1 => text.push_str(&format!("w{} user_1 id-{} ", number, chance.below(999))),
                    2 => text.push_str(&chance.draw("d", 30)),
                    _ => {}
                }
                text.push_str(&lines[chance.below(lines.len())].text);
                text.push_str(["\n", " ", "\n\n", ", ", "", ". "][chance.below(6)]);
            }
            text
        })
        .collect()
}

#[test]
fn a_split_changes_nothing_and_nothing_is_early() {
    const SPLITS: usize = 100_000;
    let mut chance = Chance::new(5);
    let guards = guards();
    let texts = texts(2_000, &mut chance);
    let mut tried = 0;
    let mut differences = 0;
    let mut early = 0;
    for (number, text) in texts.iter().enumerate() {
        let (_, guard) = &guards[if number % 10 < 8 { 0 } else { number % 10 - 7 }];
        let stage = [Stage::Input, Stage::Output][number % 2];
        let all = guard.check(stage, text);
        let whole = Outcome {
            text: text.clone(),
            found: all.clone(),
        };
        for _ in 0..SPLITS / texts.len() {
            let mut splits: Vec<usize> = (0..1 + chance.below(12))
                .map(|_| text.floor_char_boundary(chance.below(text.len() + 1)))
                .collect();
            splits.sort_unstable();
            let (outcome, seen) = run(guard.stream(stage), text, &splits, &all);
            tried += 1;
            early += seen;
            if outcome != whole {
                differences += 1;
                println!("differs at {splits:?}: {text:?}\n{outcome:?}\n{whole:?}");
            }
        }
    }
    println!("splits: {tried} tried, {differences} differences, {early} early bytes");
    assert!(tried >= SPLITS);
    assert_eq!((differences, early), (0, 0));
}

#[test]
fn a_letter_at_a_time_changes_nothing() {
    let guard = corpus::guard();
    for text in texts(150, &mut Chance::new(6)) {
        let all = guard.check(Stage::Output, &text);
        let splits: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let (outcome, early) = run(guard.stream(Stage::Output), &text, &splits, &all);
        assert_eq!(early, 0, "{text:?}");
        assert_eq!(outcome.found, all, "{text:?}");
        assert_eq!(outcome.text, text);
    }
}

#[test]
fn prose_is_held_back_for_a_few_words_only() {
    let guard = corpus::guard();
    let text = "The weir holds back the water of the river and lets go what may pass. ".repeat(40);
    let mut stream = guard.stream(Stage::Output);
    let mut pieces = Vec::new();
    let mut most = 0;
    for letter in text.chars() {
        stream.push(&letter.to_string(), &mut pieces);
        most = most.max(stream.held());
    }
    assert!(most <= 64, "{most} bytes held back");
}

#[test]
fn what_is_held_back_is_bounded_whatever_comes() {
    let guard = corpus::guard();
    let begin = ["-----BEGIN RSA PRI", "VATE KEY-----\n"].concat();
    let shapes = [
        "a".to_owned(),
        "12 ".to_owned(),
        "@".to_owned(),
        "-----BEGIN ".to_owned(),
        "password ".to_owned(),
        "ignore previous ".to_owned(),
        "<!-- ".to_owned(),
        "忽".to_owned(),
        format!("{}\n", "QUJD".repeat(16)),
    ];
    for shape in shapes {
        let mut stream = guard.stream(Stage::Output);
        let mut pieces = Vec::new();
        stream.push(&begin, &mut pieces);
        let mut most = 0;
        for _ in 0..40_000 / shape.len() {
            stream.push(&shape, &mut pieces);
            most = most.max(stream.held());
            pieces.clear();
        }
        assert!(most <= 16 * 1024, "{most} bytes of {shape:?} held back");
    }
}

#[test]
fn a_key_of_any_length_is_found_to_its_end() {
    let guard = corpus::guard();
    let begin = ["-----BEGIN PRI", "VATE KEY-----\n"].concat();
    let end = ["-----END PRI", "VATE KEY-----"].concat();
    let mut chance = Chance::new(9);
    for lines in [1, 100, 125, 130, 3_000] {
        let body: String = (0..lines).map(|_| chance.draw("b", 64) + "\n").collect();
        let text = format!("before\n{begin}{body}{end}\nafter it 12");
        let found = guard.check(Stage::Output, &text);
        let first = found.first().map(|found| found.span.start);
        let last = found.last().map(|found| found.span.end);
        assert_eq!(first, Some(7), "{lines} lines");
        // All of the key; its last line says nothing.
        assert!(
            last >= Some(7 + begin.len() + body.len()),
            "{lines} lines: {last:?}"
        );
        // Parts may have the end of a line between them.
        let joined = found
            .windows(2)
            .all(|pair| pair[1].span.start - pair[0].span.end <= 1);
        assert!(joined, "{lines} lines: {found:?}");
    }
}

/// However long a secret is, and whatever word it happens to spell, all of it goes.
#[test]
fn a_long_secret_is_taken_out_to_its_end() {
    let guard = corpus::guard();
    let mut chance = Chance::new(31);
    for (before, after) in [
        ("password=", "\n"),
        ("\"password\": \"", "\" }"),
        ("export DB_PASSWORD='", "'; run"),
        ("api_key: ", " # for tests"),
        ("\"client_secret\":\"", "\",\"a\":1"),
        ("a sk-ant-api03-", " b"),
    ] {
        for length in [
            60, 129, 300, 2_047, 2_048, 2_049, 4_000, 8_192, 16_000, 60_000,
        ] {
            let value = chance.draw("a", length / 2) + "Todo" + &chance.draw("a", length / 2);
            let text = format!("{before}{value}{after}");
            let all = guard.check(Stage::Output, &text);
            let taken: usize = all.iter().map(|found| found.span.len()).sum();
            let lead = before.find("sk-").map_or(0, |at| before.len() - at);
            assert_eq!(taken, lead + value.len(), "{before} {length}");
            let mut splits: Vec<usize> = (0..9).map(|_| chance.below(text.len())).collect();
            splits.sort_unstable();
            let (outcome, early) = run(guard.stream(Stage::Output), &text, &splits, &all);
            assert_eq!((outcome.found, early), (all, 0), "{before} {length}");
            let named = guard.check_named(Stage::Output, "password", &value);
            let taken: usize = named.iter().map(|found| found.span.len()).sum();
            assert_eq!(taken, value.len(), "by its name, {length}");
        }
    }
}

/// A reply is looked at in parts, a prompt is not: nothing of a secret is lost by it.
#[test]
fn parts_find_the_secrets_that_a_whole_text_has() {
    let guard = corpus::guard();
    let mut chance = Chance::new(41);
    let (mut secrets, mut missed) = (0, Vec::new());
    let (mut others, mut less) = (0, std::collections::BTreeMap::new());
    for line in corpus::lines(11) {
        let around = [
            String::new(),
            "w1 user_2 id-345 w3 user_4 id-567 w5 user_6 id-789 ".to_owned(),
            "the key token secret api access of it ".to_owned(),
            format!("{} ", chance.draw("h", 64)),
            "12 345 6789 01 ".repeat(3),
        ];
        for before in around {
            let text = format!("{before}{} {before}", line.text);
            let whole = guard.check(Stage::Input, &text);
            let parts = guard.check(Stage::Output, &text);
            let covers = |span: &std::ops::Range<usize>| {
                let inside = parts.iter().map(|it| {
                    let (start, end) = (it.span.start.max(span.start), it.span.end.min(span.end));
                    end.saturating_sub(start)
                });
                inside.sum::<usize>() >= span.len()
            };
            for found in whole {
                let is_secret = found.category == super::GuardCategory::Secret;
                let is_covered = covers(&found.span);
                match is_secret {
                    true => secrets += 1,
                    false => others += 1,
                }
                // They tell what they are by their end alone: in a reply, that is what is redacted.
                let by_end = ["azure-devops-token", "newrelic-license"];
                if is_covered || by_end.contains(&&*found.rule) {
                    continue;
                }
                if is_secret {
                    let value = &text[found.span.clone()];
                    missed.push(format!("{}: {value:?} in {text:?}", found.rule));
                } else {
                    *less.entry(found.rule.to_string()).or_insert(0) += 1;
                }
            }
        }
    }
    let cut: usize = less.values().sum();
    println!(
        "parts: {secrets} secrets, {} not whole; {others} others, {cut} not whole: {less:?}",
        missed.len()
    );
    assert!(
        missed.is_empty(),
        "{}",
        missed[..missed.len().min(40)].join("\n")
    );
    assert!(cut * 10 <= others, "{cut} of {others}");
}

/// What every text may hold back at most where no key is under way.
#[test]
fn names_and_marks_hold_back_a_few_words_at_most() {
    let guard = corpus::guard();
    let rows = [
        "w0 user_1 id-234 ",
        "12 34 56 78 ",
        "password ",
        "the key is the token of the api ",
        "ignore all previous ",
        "<!-- a comment ",
        "style=\"x\" ",
        "a@b ",
        "忽略",
        "ก",
        "x",
        "{\"a\":1,",
        "7f3a9c",
        "https://a.b/c?d=e&",
        "-----BEGIN ",
        "eyJpZCI6MTIzfQ",
    ];
    for name in [None, Some("content"), Some("password")] {
        for row in rows {
            let mut stream = match name {
                None => guard.stream(Stage::Output),
                Some(name) => guard.stream_named(Stage::Output, name, super::Quotes::Around),
            };
            let (mut pieces, mut most) = (Vec::new(), 0);
            let text = row.repeat(800 / row.len() + 1);
            for (at, letter) in text.char_indices() {
                stream.push(&letter.to_string(), &mut pieces);
                // So far the name may say something, and two passes wait for each other.
                if name.is_none() || at > 400 {
                    most = most.max(stream.held_text().chars().count());
                }
            }
            let is_key = name == Some("password");
            assert!(
                is_key || most <= 64,
                "{most} characters of {row:?} ({name:?})"
            );
        }
    }
}
