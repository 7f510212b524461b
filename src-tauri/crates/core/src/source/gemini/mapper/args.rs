//! Arguments that come as paths and values.
//!
//! Owns the reading of the paths (the plain part of RFC 9535: names and places) and the
//! putting together of the value. What a path may build is bounded, so that a few bytes of a
//! hostile one cannot fill the memory or the stack.

use serde_json::{Map, Value};

use crate::source::dialect::Known;
use crate::source::dialect::json::text;

/// Deeper than any schema, and well below what a JSON reader takes.
const MOST_STEPS: usize = 64;
/// Places that may be left out of a list: an empty object in it has no piece of its own.
const MOST_SKIPPED: usize = 64;

enum Step {
    Name(String),
    Place(usize),
}

/// Puts one piece into its place. Text adds to the text that is there.
pub(super) fn put(args: &mut Value, piece: &Value) -> Known {
    let found = value_of(piece).and_then(|value| {
        let steps = steps(text(piece, "jsonPath"))?;
        let slot = steps.into_iter().try_fold(args, enter)?;
        Some((slot, value))
    });
    match found {
        Some((Value::String(said), Value::String(more))) => said.push_str(more),
        // What has been built is not thrown away for one value.
        Some((Value::Object(_) | Value::Array(_), _)) | None => return Known::No,
        Some((slot, value)) => *slot = value.clone(),
    }
    Known::Yes
}

/// `stringValue`, `numberValue`, `boolValue`, `nullValue` and those to come.
fn value_of(piece: &Value) -> Option<&Value> {
    let (kind, value) = piece
        .as_object()?
        .iter()
        .find(|(field, _)| field.ends_with("Value"))?;
    if kind == "nullValue" {
        Some(&Value::Null)
    } else {
        Some(value)
    }
}

/// One step down, making what is not there yet.
fn enter(value: &mut Value, step: Step) -> Option<&mut Value> {
    match step {
        Step::Name(name) => {
            if value.is_null() {
                *value = Value::Object(Map::new());
            }
            Some(value.as_object_mut()?.entry(name).or_insert(Value::Null))
        }
        Step::Place(place) => {
            if value.is_null() {
                *value = Value::Array(Vec::new());
            }
            let list = value.as_array_mut()?;
            if place > list.len() + MOST_SKIPPED {
                return None;
            }
            if place >= list.len() {
                list.resize(place + 1, Value::Null);
            }
            list.get_mut(place)
        }
    }
}

/// The steps of a path like `$.list[0]['a name'].field`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        let (step, after) = if let Some(name) = rest.strip_prefix('.') {
            let end = name.find(['.', '[']).unwrap_or(name.len());
            let (name, after) = name.split_at(end);
            (Step::Name(name.to_owned()), after)
        } else {
            bracket(rest.strip_prefix('[')?)?
        };
        if steps.len() == MOST_STEPS || matches!(&step, Step::Name(name) if name.is_empty()) {
            return None;
        }
        steps.push(step);
        rest = after;
    }
    Some(steps)
}

/// What stands in brackets, and what comes after them.
fn bracket(inside: &str) -> Option<(Step, &str)> {
    match inside.chars().next()? {
        quote @ ('\'' | '"') => {
            let (name, after) = quoted(&inside[1..], quote)?;
            Some((Step::Name(name), after.strip_prefix(']')?))
        }
        _ => {
            let (place, after) = inside.split_once(']')?;
            Some((Step::Place(place.parse().ok()?), after))
        }
    }
}

/// A name in quotes, as the JSON string it is once its own quotes are turned into JSON's.
fn quoted(rest: &str, quote: char) -> Option<(String, &str)> {
    let mut json = String::from('"');
    let mut letters = rest.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                let (_, escaped) = letters.next()?;
                if escaped != '\'' {
                    json.push('\\');
                }
                json.push(escaped);
            }
            _ if letter == quote => {
                json.push('"');
                let name = serde_json::from_str(&json).ok()?;
                return Some((name, &rest[at + quote.len_utf8()..]));
            }
            '"' => json.push_str("\\\""),
            _ => json.push(letter),
        }
    }
    None
}
