//! The input of a tool while it grows: nothing of a secret is said early, whatever tells it.
#![allow(clippy::print_stdout, reason = "the figures are what a person reads")]

use serde_json::{Map, Value};

use super::*;
use crate::redact::json::{Lexer, Token, escape_into};

/// Chance that a seed repeats.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        ((self.0 >> 33) % end as u64) as usize
    }

    fn draw(&mut self, count: usize) -> String {
        let letters: Vec<char> = ('0'..='9').chain('a'..='z').chain('A'..='Z').collect();
        (0..count)
            .map(|_| letters[self.below(letters.len())])
            .collect()
    }
}

/// Names that say that their value is secret, and names that do not.
const TELLING: &[&str] = &[
    "password",
    "DB_PASS",
    "api_key",
    "clientSecret",
    "passwd",
    "密码",
];
const PLAIN: &[&str] = &["path", "content", "note", "é", "a b", "\u{200B}", ""];

/// A value that nothing but its name tells to be secret.
fn canary(chance: &mut Chance) -> String {
    loop {
        let canary = chance.draw(18);
        let has = |is_class: fn(char) -> bool| canary.contains(is_class);
        let is_drawn = has(|it| it.is_ascii_digit()) && has(|it| it.is_ascii_lowercase());
        if is_drawn && checks().guard.check(Stage::Output, &canary).is_empty() {
            return canary;
        }
    }
}

/// An input with canaries in it, and the canaries.
fn input(depth: usize, chance: &mut Chance, canaries: &mut Vec<String>) -> Value {
    let mut fields = Map::new();
    for number in 0..1 + chance.below(4) {
        let plain = PLAIN[chance.below(PLAIN.len())];
        let telling = TELLING[chance.below(TELLING.len())];
        let (name, value) = match chance.below(7) {
            0 | 1 => {
                let value = canary(chance);
                canaries.push(value.clone());
                (telling.to_owned(), Value::String(value))
            }
            2 => {
                let value = canary(chance);
                canaries.push(value.clone());
                (telling.to_owned(), json!(["none", value]))
            }
            3 if depth > 0 => (plain.to_owned(), input(depth - 1, chance, canaries)),
            4 => (
                format!("{plain}{number}"),
                json!([chance.below(1000), true, null, -1.5]),
            ),
            5 => {
                let said = "a \"quoted\" line\n\twith \u{1} 😀 and \\ hideit\u{200B} in it ";
                (
                    format!("{plain}{number}"),
                    said.repeat(chance.below(20)).into(),
                )
            }
            _ => (telling.to_owned(), json!("your password here")),
        };
        fields.insert(name, value);
    }
    Value::Object(fields)
}

/// The same value, spelled with escapes where the wish is.
fn spelled(value: &Value, one_in: usize, chance: &mut Chance) -> String {
    let mut out = String::new();
    let mut lexer = Lexer::default();
    let mut in_string = false;
    for letter in value.to_string().chars() {
        lexer.push(letter, &mut |token| match token {
            Token::Between(letter) => out.push(letter),
            Token::StringStart | Token::StringEnd => {
                in_string = token == Token::StringStart;
                out.push('"');
            }
            Token::Letter(letter) if in_string && chance.below(one_in) == 0 => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            Token::Letter(letter) if in_string => {
                escape_into(&mut out, &letter.to_string());
            }
            Token::Letter(letter) => out.push(letter),
            Token::WordStart | Token::WordEnd => {}
        });
    }
    // A word at the end would have lost nothing: an input is an object.
    out
}

/// Places to cut at, inside of escapes too.
fn splits(text: &str, chance: &mut Chance) -> Vec<usize> {
    let mut splits: Vec<usize> = (0..1 + chance.below(12))
        .map(|_| text.floor_char_boundary(chance.below(text.len() + 1)))
        .collect();
    splits.sort_unstable();
    splits
}

/// How many parts of canaries were shown: so many letters in a row are nobody else's.
fn early_bytes(shown: &str, canaries: &[String]) -> usize {
    let parts = canaries.iter().flat_map(|it| {
        let ends = 5..=it.len();
        ends.map(move |end| &it[end - 5..end])
    });
    parts.filter(|part| shown.contains(part)).count()
}

#[test]
fn what_only_its_name_tells_is_never_shown_while_it_grows() {
    const SPLITS: usize = 20_000;
    let mut chance = Chance(31);
    let (mut tried, mut differences, mut early, mut planted) = (0, 0, 0, 0);
    while tried < SPLITS {
        let mut canaries = Vec::new();
        let value = input(2, &mut chance, &mut canaries);
        let one_in = [1, 3, 1_000][chance.below(3)];
        let text = spelled(&value, one_in, &mut chance);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        planted += canaries.len();
        let mut whole = value.clone();
        checks().value(&mut whole, Stage::Output, &mut Vec::new());
        for _ in 0..10 {
            let splits = splits(&text, &mut chance);
            // Numbers are given in the order of the text, which is the value's.
            let (out, _) = pass(grown(&text, &splits));
            let shown = words(&out);
            tried += 1;
            early += early_bytes(&shown, &canaries);
            let read: Option<Value> = serde_json::from_str(&shown).ok();
            if read.as_ref() != Some(&whole) {
                differences += 1;
                println!("differs at {splits:?}: {text}\n{shown}\n{whole}");
            }
        }
    }
    println!(
        "growing inputs: {tried} splits over {planted} canaries, {differences} differences, {early} early parts"
    );
    assert_eq!((differences, early), (0, 0));
}

#[test]
fn no_part_is_shown_wherever_a_call_breaks_off() {
    let mut chance = Chance(32);
    let mut early = 0;
    for _ in 0..15 {
        let mut canaries = Vec::new();
        let value = input(1, &mut chance, &mut canaries);
        let text = spelled(&value, 4, &mut chance);
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let split = text.floor_char_boundary(end / 2);
            let (out, _) = pass(grown(&text[..end], &[split]));
            early += early_bytes(&words(&out), &canaries);
        }
    }
    assert_eq!(early, 0);
}

#[test]
fn what_is_no_json_is_held_as_prose() {
    let mut chance = Chance(33);
    for _ in 0..100 {
        let value = canary(&mut chance);
        let rows = [
            format!("password: {value}"),
            format!("{{'password': '{value}'}}"),
            format!("{{\"a\": 1, password: \"{value}\"}}"),
            format!("{{\"password\": {value}, \"b\": 2}}"),
            format!("{{\"password\": '{value}'}}"),
            format!("{{\"a\": \"b\"}} {{\"password\": \"{value}\"}}"),
            format!("{{\"a\": [\"x\" \"password\": \"{value}\"]}}"),
            format!("12 password={value}\n"),
        ];
        for text in rows {
            let all: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            let (out, _) = pass(grown(&text, &all));
            let shown = words(&out);
            let canaries = [value.clone()];
            assert_eq!(early_bytes(&shown, &canaries), 0, "{text}\n{shown}");
            for _ in 0..10 {
                let (out, _) = pass(grown(&text, &splits(&text, &mut chance)));
                assert_eq!(words(&out), shown, "{text}");
            }
        }
    }
}

/// How much of a growing input was held back at most.
fn most_held<'t>(pieces: impl Iterator<Item = &'t str>) -> usize {
    let mut guarded = Guarded::new(checks());
    guarded.pass(&mut vec![start(1)]);
    let (mut came, mut shown, mut most) = (0, 0, 0);
    for json in pieces {
        let json = json.to_owned();
        came += json.len();
        let mut said = vec![StreamEvent::ToolUseDelta { id: 1, json }];
        guarded.pass(&mut said);
        shown += words(&said).len();
        most = most.max(came.saturating_sub(shown));
    }
    most
}

#[test]
fn the_text_of_a_file_goes_on_while_it_is_written() {
    let line = "let weir = holds(back); // the water of the river\\n".repeat(500);
    let line: Vec<&str> = line.split_inclusive(['e', ' ']).collect();
    let head = r#"{"path": "src/main.rs", "content": ""#;
    let most = most_held([head].into_iter().chain(line));
    println!("the text of a file: at most {most} bytes held back");
    assert!(most <= 128, "{most} bytes held back");
}

#[test]
fn what_never_ends_is_held_back_up_to_a_bound() {
    for (head, piece) in [
        (r#"{"n": "#, "7"),
        (r#"{"password": ""#, "x"),
        (r#"{"password": ""#, "x "),
        (r#"{""#, "password "),
        ("", "["),
        ("", r#"{"a":"#),
    ] {
        let most = most_held([head].into_iter().chain((0..60_000).map(|_| piece)));
        assert!(most <= 20_000, "{most} bytes of {piece:?} held back");
    }
}
