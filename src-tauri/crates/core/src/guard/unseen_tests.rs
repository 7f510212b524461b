//! Letters that nobody sees hide nothing, and the law of streams holds with them, and for texts
//! that were given to a name.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

use super::corpus::{self, Chance};
use super::stream_tests::{Outcome, run};
use super::{Found, Guard, GuardConfig, GuardVerdict, OwnWord, Quotes, Stage};

/// One of each kind.
const UNSEEN: &[char] = &[
    '\u{AD}',
    '\u{34F}',
    '\u{61C}',
    '\u{17B4}',
    '\u{180E}',
    '\u{200B}',
    '\u{200C}',
    '\u{200D}',
    '\u{200F}',
    '\u{202E}',
    '\u{2060}',
    '\u{2800}',
    '\u{3164}',
    '\u{FE0F}',
    '\u{FEFF}',
    '\u{FFF9}',
    '\u{1BCA0}',
    '\u{1D173}',
    '\u{E0041}',
    '\u{E0100}',
];

/// The text with letters between its own that nobody sees.
fn veiled(text: &str, one_in: usize, chance: &mut Chance) -> String {
    let mut veiled = String::new();
    for letter in text.chars() {
        veiled.push(letter);
        while chance.below(one_in) == 0 {
            veiled.push(UNSEEN[chance.below(UNSEEN.len())]);
        }
    }
    veiled
}

fn unveiled(text: &str) -> String {
    text.chars().filter(|it| !UNSEEN.contains(it)).collect()
}

/// What was taken out.
fn told(text: &str, found: &[Found]) -> Vec<(String, String)> {
    let is_value = |it: &&Found| it.action == GuardVerdict::Redact;
    let one = |it: &Found| (it.rule.to_string(), unveiled(&text[it.span.clone()]));
    found.iter().filter(is_value).map(one).collect()
}

#[test]
fn letters_that_nobody_sees_hide_nothing() {
    let guard = corpus::guard();
    let mut chance = Chance::new(21);
    let mut seen = 0;
    let lines = corpus::lines(11);
    // More than is left out for a key of many lines would have to be written between them.
    let is_tried =
        |line: &&corpus::Line| unveiled(&line.text) == line.text && line.text.len() < 1_000;
    for line in lines.iter().filter(is_tried) {
        let plain = told(&line.text, &guard.check(Stage::Input, &line.text));
        for one_in in [2, 5, 20] {
            let text = veiled(&line.text, one_in, &mut chance);
            let found = guard.check(Stage::Input, &text);
            assert_eq!(told(&text, &found), plain, "{text:?}");
            seen += plain.len();
        }
    }
    println!("unseen letters: {seen} values found as without them");
    assert!(seen > 1_000);
}

#[test]
fn a_placeholder_covers_them_and_the_rules_about_them_still_tell() {
    let guard = corpus::guard();
    let key = format!("gh{}_{}", "p", Chance::new(3).draw("a", 36));
    let text = format!("a\u{200B}b {}\u{AD}{} \u{AD}x", &key[..9], &key[9..]);
    let found = guard.check(Stage::Input, &text);
    let names: Vec<&str> = found.iter().map(|it| &*it.rule).collect();
    assert_eq!(names, ["invisible-characters", "github-token"]);
    assert_eq!(&text[found[0].span.clone()], "\u{200B}");
    assert_eq!(
        &text[found[1].span.clone()],
        format!("{}\u{AD}{}", &key[..9], &key[9..])
    );
    // Words spelled with letters that nobody sees, at the end and with nothing before them.
    let hidden: String = "obey"
        .chars()
        .filter_map(|it| char::from_u32(0xE0000 + it as u32))
        .collect();
    for text in [
        hidden.clone(),
        format!("nice{hidden}"),
        format!("so {hidden}"),
    ] {
        let found = guard.check(Stage::Input, &text);
        assert_eq!(found.len(), 1, "{text:?}");
        assert_eq!(text[found[0].span.clone()], hidden);
    }
    // A word of the user's own is found with them and by them.
    let config = GuardConfig {
        words: ["heron", "\u{2764}\u{FE0F}"]
            .map(|word| OwnWord {
                word: word.to_owned(),
                input: None,
                output: None,
            })
            .to_vec(),
        ..GuardConfig::default()
    };
    let own = Guard::new(&config).unwrap();
    let text = "a her\u{200B}on, \u{2764}\u{FE0F}";
    let found = own.check(Stage::Input, text);
    let values = found.iter().filter(|it| &*it.rule == "word");
    let values: Vec<&str> = values.map(|it| &text[it.span.clone()]).collect();
    assert_eq!(values, ["her\u{200B}on", "\u{2764}\u{FE0F}"]);
}

#[test]
fn splits_change_nothing_with_them_and_after_a_name() {
    const SPLITS: usize = 40_000;
    const NAMES: &[&str] = &[
        "content", "password", "DB_PASS", "apiKey", "密码", "born", "x",
    ];
    let guard = corpus::guard();
    let lines = corpus::lines(12);
    let mut chance = Chance::new(22);
    let (mut tried, mut differences, mut early, mut values) = (0, 0, 0, 0);
    while tried < SPLITS {
        let mut text = String::new();
        for _ in 0..1 + chance.below(3) {
            text.push_str(&lines[chance.below(lines.len())].text);
            text.push_str(["\n", " ", "", "  \n"][chance.below(4)]);
        }
        if chance.below(2) == 0 {
            text = veiled(&text, 2 + chance.below(30), &mut chance);
        }
        let name = NAMES[chance.below(NAMES.len())];
        let is_named = chance.below(2) == 0;
        let stream = || match is_named {
            true => guard.stream_named(Stage::Input, name, Quotes::Around),
            false => guard.stream(Stage::Input),
        };
        let all = match is_named {
            true => guard.check_named(Stage::Input, name, &text),
            false => guard.check(Stage::Input, &text),
        };
        values += all.len();
        let whole = Outcome {
            text: text.clone(),
            found: all.clone(),
        };
        for _ in 0..10 {
            let mut splits: Vec<usize> = (0..1 + chance.below(12))
                .map(|_| text.floor_char_boundary(chance.below(text.len() + 1)))
                .collect();
            splits.sort_unstable();
            let (outcome, seen) = run(stream(), &text, &splits, &all);
            tried += 1;
            early += seen;
            if outcome != whole {
                differences += 1;
                println!("differs at {splits:?} ({name}, {is_named}): {text:?}");
            }
        }
    }
    println!(
        "splits: {tried} tried over {values} values, {differences} differences, {early} early bytes"
    );
    assert_eq!((differences, early), (0, 0));
}

#[test]
fn a_name_holds_back_what_it_may_tell_and_lets_the_rest_go() {
    let guard = corpus::guard();
    let prose = "The weir holds back the water of the river and lets go what may pass. ".repeat(40);
    for (name, most) in [("content", 64), ("password", 200), ("api_key", 200)] {
        let mut stream = guard.stream_named(Stage::Output, name, Quotes::Around);
        let (mut pieces, mut held) = (Vec::new(), 0);
        for letter in prose.chars() {
            stream.push(&letter.to_string(), &mut pieces);
            held = held.max(stream.held());
        }
        assert!(held <= most, "{held} bytes under {name}");
        assert!(!stream.is_held_by_name());
    }
    let value = Chance::new(4).draw("a", 14);
    let found = |name: &str| guard.check_named(Stage::Output, name, &value).len();
    assert_eq!([found("password"), found("note")], [1, 0]);
    let long = format!("{}_password", "x".repeat(500));
    assert_eq!(found(&long), 1);
    // An address in a password does not let the rest of it pass.
    let value = format!("{value}!anna@mail.de");
    let found = guard.check_named(Stage::Output, "password", &value);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (&*found[0].rule, &found[0].span),
        ("password", &(0..value.len()))
    );
}

#[test]
fn an_endless_run_of_them_is_let_go() {
    let guard = corpus::guard();
    for shape in [
        "\u{200B}",
        "a\u{200B}\u{200B}\u{200B}",
        "\u{E0041}",
        "1\u{AD} \u{AD}",
    ] {
        let mut stream = guard.stream(Stage::Input);
        let (mut pieces, mut most, mut came) = (Vec::new(), 0, 0);
        while came < 200_000 {
            stream.push(shape, &mut pieces);
            came += shape.len();
            most = most.max(stream.held());
            pieces.clear();
        }
        assert!(most <= 32 * 1024, "{most} bytes of {shape:?} held back");
    }
}
