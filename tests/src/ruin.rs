//! Streams that go wrong in every way we could think of.
//!
//! Owns the damage: to bytes, to lines, and to the values inside a line's JSON, which random
//! bytes would hardly ever reach. The same dice give the same ruin. Knows no dialect.

use serde_json::Value;

/// A small generator, so that every run is the same and every failure comes back.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `bound`, which must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}

/// What stands where another value should be.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1",
    "-1",
    "1.5",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "1e308",
    "1e999",
    "\"\"",
    "\"x\"",
    "\"7\"",
    "\"{\\\"a\\\":\"",
    "\"\\ud83d\"",
    "\"\\ude00 \\ud83d\"",
    "\"\\u0000\\u001b\"",
    "\"<think>\"",
    "\"</think>\"",
    "[]",
    "{}",
    "[null]",
    "[[],{}]",
    "{\"type\":\"text\",\"text\":\"t\"}",
    "{\"type\":\"error\",\"message\":\"m\"}",
    "{\"id\":\"call_1\",\"name\":\"n\",\"input\":{}}",
];

const BYTES: &[&[u8]] = &[
    b"\n",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xf0\x9f\xa6",
    b"\xef\xbb\xbf",
    b"\"",
    b"\\",
    b"\\u",
    b"{",
    b"}",
    b":",
    b"data:",
    b"data: ",
    b"event: error\n",
    b"[DONE]",
];

/// Deeper than a JSON reader goes.
const DEPTH: usize = 200;

/// A stream with a few things wrong; `other` is where foreign pieces come from.
pub fn ruined(stream: &[u8], other: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = some_lines(stream, dice);
    for _ in 0..1 + dice.below(4) {
        ruin(&mut bytes, other, dice);
    }
    bytes
}

/// One more thing wrong.
pub fn ruin(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    match dice.below(8) {
        0 => ruin_bytes(bytes, dice),
        1 => ruin_lines(bytes, other, dice),
        _ => ruin_value(bytes, dice),
    }
}

/// All of a stream, or a stretch of it, so that no beginning is taken for granted.
fn some_lines(stream: &[u8], dice: &mut Dice) -> Vec<u8> {
    let lines: Vec<&[u8]> = stream.split_inclusive(|byte| *byte == b'\n').collect();
    if lines.is_empty() || dice.below(3) == 0 {
        return stream.to_vec();
    }
    let start = dice.below(lines.len());
    let count = 1 + dice.below(lines.len() - start);
    lines[start..start + count].concat()
}

fn ruin_bytes(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let at = dice.below(bytes.len() + 1);
    match dice.below(5) {
        0 => bytes.truncate(at),
        1 => {
            let end = bytes.len().min(at + 1 + dice.below(8));
            bytes.drain(at..end);
        }
        2 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << dice.below(8);
            }
        }
        3 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = dice.below(256) as u8;
            }
        }
        _ => {
            let piece = dice.pick(BYTES);
            bytes.splice(at..at, piece.iter().copied());
        }
    }
}

fn ruin_lines(bytes: &mut Vec<u8>, other: &[u8], dice: &mut Dice) {
    let mut lines = lines(bytes);
    let at = dice.below(lines.len());
    let to = dice.below(lines.len());
    match dice.below(5) {
        0 => lines.swap(at, to),
        1 => {
            lines.remove(at);
        }
        2 => lines.insert(to, lines[at].clone()),
        3 => {
            let again = vec![lines[at].clone(); dice.below(40)];
            lines.splice(to..to, again);
        }
        _ => {
            let foreign = self::lines(other);
            let line = foreign[dice.below(foreign.len())].clone();
            lines.insert(at, line);
        }
    }
    *bytes = lines.concat();
}

/// With their ends; at least one.
fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let mut lines: Vec<Vec<u8>> = lines.map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        lines.push(Vec::new());
    }
    lines
}

/// Stands in a tree for what no tree can hold.
const MARK: &str = "\u{1}ruined";

fn ruin_value(bytes: &mut Vec<u8>, dice: &mut Dice) {
    let mut lines = lines(bytes);
    let at = dice.below(lines.len());
    let Some(start) = lines[at].iter().position(|byte| *byte == b'{') else {
        return;
    };
    let json = lines[at][start..].trim_ascii_end();
    let end = start + json.len();
    let Ok(mut value) = serde_json::from_slice::<Value>(json) else {
        return;
    };
    change(&mut value, dice);
    let mark = Value::from(MARK).to_string();
    let json = value.to_string().replace(&mark, &replacement(dice));
    lines[at].splice(start..end, json.into_bytes());
    *bytes = lines.concat();
}

fn replacement(dice: &mut Dice) -> String {
    match dice.below(24) {
        0 => "[".repeat(DEPTH) + &"]".repeat(DEPTH),
        1 => "{\"a\":".repeat(DEPTH) + "1" + &"}".repeat(DEPTH),
        2 => format!("\"{}\"", "long ".repeat(40)),
        _ => dice.pick(VALUES).to_owned(),
    }
}

/// Changes something somewhere in the tree.
fn change(value: &mut Value, dice: &mut Dice) {
    match value {
        Value::Object(fields) if !fields.is_empty() && dice.below(6) != 0 => {
            let names: Vec<String> = fields.keys().cloned().collect();
            let name = &names[dice.below(names.len())];
            match dice.below(12) {
                0 => {
                    fields.remove(name);
                }
                1 => {
                    // Two fields change places.
                    let other = &names[dice.below(names.len())];
                    let [one, two] = [name, other].map(|name| fields[name.as_str()].clone());
                    fields.insert(name.clone(), two);
                    fields.insert(other.clone(), one);
                }
                2 => {
                    // What a field says is said by all of them.
                    let said = fields[name.as_str()].clone();
                    fields.values_mut().for_each(|value| *value = said.clone());
                }
                _ => {
                    if let Some(value) = fields.get_mut(name) {
                        change(value, dice);
                    }
                }
            }
        }
        Value::Array(items) if !items.is_empty() && dice.below(6) != 0 => {
            let at = dice.below(items.len());
            match dice.below(6) {
                0 => {
                    items.remove(at);
                }
                1 => {
                    let again = vec![items[at].clone(); dice.below(8)];
                    items.splice(at..at, again);
                }
                _ => change(&mut items[at], dice),
            }
        }
        Value::Object(_)
        | Value::Array(_)
        | Value::String(_)
        | Value::Number(_)
        | Value::Bool(_)
        | Value::Null => *value = Value::from(MARK),
    }
}
