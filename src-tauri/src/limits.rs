//! Limits on what the page may ask for: how large, and how often.
//!
//! Invariant: no command receives more than its limit, whatever a script in the page sends.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tauri::Wry;
use tauri::ipc::{Invoke, InvokeBody};
use weir_protocol::{ErrorBody, code};

const KIB: usize = 1024;

/// Ids, names, addresses and paths: every field that is not listed below.
const MOST_BYTES: usize = 16 * KIB;

/// Pictures have 15 MiB and text has 1 MiB. It is more here, so that the engine can say which of
/// them is too large.
const PICTURE: usize = 20 * KIB * KIB;
const TEXT: usize = 4 * KIB * KIB;
/// A JSON Schema is among a session's options.
const OPTIONS: usize = 96 * KIB;

/// The fields that may be larger, by their command and the names that lead to them. A list counts
/// as each of its items.
const LARGER: &[(&str, &str, usize)] = &[
    ("send_prompt", "prompt", TEXT),
    ("send_prompt", "images.data", PICTURE),
    ("send_prompt", "begins.options", OPTIONS),
    ("edit_prompt", "prompt", TEXT),
    ("edit_prompt", "images.data", PICTURE),
    ("choose_model", "change.options", OPTIONS),
    ("change_guards", "config", KIB * KIB),
    ("try_guards", "text", 2 * KIB * KIB),
    ("edit_memory", "content", 64 * KIB),
    ("memories_by_id", "ids", 64 * KIB),
];

/// The handler of all commands, behind a check of how much each is given.
pub(crate) fn checked(
    handler: impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static,
) -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    move |invoke| {
        let checked = match invoke.message.payload() {
            InvokeBody::Json(value) => check(invoke.message.command(), value),
            InvokeBody::Raw(bytes) if bytes.len() <= MOST_BYTES => Ok(()),
            InvokeBody::Raw(_) => Err(MOST_BYTES),
        };
        let Err(most) = checked else {
            return handler(invoke);
        };
        let message = format!("This is too large: at most {} kB fit here.", most / KIB);
        invoke
            .resolver
            .reject(ErrorBody::new(code::BAD_INPUT, message));
        true
    }
}

/// Whether every argument of a command fits, and all of them together; the limit where not.
fn check(command: &str, arguments: &Value) -> Result<(), usize> {
    let larger = LARGER.iter().filter(|(name, ..)| *name == command);
    let fields: Vec<_> = larger.map(|(_, path, most)| (*path, *most)).collect();
    let most = fields.iter().map(|(_, most)| most).sum::<usize>() + MOST_BYTES;
    if !fits(arguments, most) {
        return Err(most);
    }
    check_fields(arguments, &fields)
}

/// `fields` are paths below this value that may be larger.
fn check_fields(value: &Value, fields: &[(&str, usize)]) -> Result<(), usize> {
    if let Some((_, most)) = fields.iter().find(|(path, _)| path.is_empty()) {
        return if fits(value, *most) {
            Ok(())
        } else {
            Err(*most)
        };
    }
    match value {
        Value::Array(items) if !fields.is_empty() => {
            items.iter().try_for_each(|item| check_fields(item, fields))
        }
        Value::Object(members) if !fields.is_empty() => {
            members.iter().try_for_each(|(name, member)| {
                let below = fields.iter().filter_map(|(path, most)| {
                    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
                    (first == name).then_some((rest, *most))
                });
                check_fields(member, &below.collect::<Vec<_>>())
            })
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {
            if fits(value, MOST_BYTES) {
                Ok(())
            } else {
                Err(MOST_BYTES)
            }
        }
    }
}

/// Whether the strings, names and numbers of a value are together at most `most` bytes.
fn fits(value: &Value, most: usize) -> bool {
    let mut left = most;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let bytes = match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 8,
            Value::String(text) => text.len(),
            Value::Array(items) => {
                open.extend(items);
                items.len()
            }
            Value::Object(fields) => {
                open.extend(fields.values());
                fields.keys().map(|name| name.len() + 1).sum()
            }
        };
        let Some(rest) = left.checked_sub(bytes) else {
            return false;
        };
        left = rest;
    }
    true
}

/// So often in so long.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) most: usize,
    pub(crate) period: Duration,
}

/// What can be undone, or is small, may happen this often without a confirmation.
pub(crate) const A_FEW: &[Rate] = &[Rate {
    most: 10,
    period: Duration::from_secs(60),
}];

/// What cannot be undone: nobody forgets all they have one by one, minute after minute.
pub(crate) const A_FEW_AN_HOUR: &[Rate] = &[
    A_FEW[0],
    Rate {
        most: 30,
        period: Duration::from_secs(60 * 60),
    },
];

/// How often something may happen.
pub(crate) struct RateLimit {
    rates: &'static [Rate],
    /// When it happened, for as long as that counts.
    times: Mutex<VecDeque<Instant>>,
}

impl RateLimit {
    pub(crate) const fn new(rates: &'static [Rate]) -> Self {
        Self {
            rates,
            times: Mutex::new(VecDeque::new()),
        }
    }

    /// Counts one more; true when there were too many, and then counts none.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded_at(Instant::now())
    }

    /// Whether one more would be too many.
    pub(crate) fn is_reached(&self) -> bool {
        self.is_reached_at(Instant::now())
    }

    pub(crate) fn count(&self) {
        lock(&self.times).push_back(Instant::now());
    }

    /// As if it had never happened.
    pub(crate) fn reset(&self) {
        lock(&self.times).clear();
    }

    fn is_exceeded_at(&self, now: Instant) -> bool {
        if self.is_reached_at(now) {
            return true;
        }
        lock(&self.times).push_back(now);
        false
    }

    fn is_reached_at(&self, now: Instant) -> bool {
        let mut times = lock(&self.times);
        let longest = self.rates.iter().map(|rate| rate.period).max();
        let counts = |time: &Instant, period: Duration| now.duration_since(*time) < period;
        times.retain(|time| longest.is_some_and(|longest| counts(time, longest)));
        self.rates.iter().any(|rate| {
            let recent = times.iter().filter(|time| counts(time, rate.period));
            recent.count() >= rate.most
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is whole even if somebody panicked while holding it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use super::{
        A_FEW, A_FEW_AN_HOUR, KIB, LARGER, MOST_BYTES, OPTIONS, PICTURE, RateLimit, TEXT, check,
        fits,
    };

    #[test]
    fn counts_everything_that_a_value_holds() {
        let long = "x".repeat(100);
        let rows = [
            (json!({"id": "abc"}), 6, true),
            (json!({"id": "abcd"}), 6, false),
            (json!({"title": long}), 50, false),
            (json!({ long.as_str(): 1 }), 50, false),
            (json!([[[long]]]), 50, false),
            (json!(vec![0; 100]), 50, false),
            (
                json!({"change": {"set": "model", "model": long}}),
                130,
                true,
            ),
        ];
        for (value, most, expected) in rows {
            assert_eq!(fits(&value, most), expected, "{value}");
        }
    }

    #[test]
    fn only_the_fields_that_need_it_may_be_large() {
        let text = |bytes: usize| Value::String("x".repeat(bytes));
        let rows = [
            ("send_prompt", json!({"prompt": text(TEXT)}), None),
            ("send_prompt", json!({"prompt": text(TEXT + 1)}), Some(TEXT)),
            (
                "send_prompt",
                json!({"images": [{"mediaType": "image/png", "data": text(15 * KIB * KIB)}]}),
                None,
            ),
            (
                "send_prompt",
                json!({"images": [{"mediaType": text(MOST_BYTES + 1), "data": ""}]}),
                Some(MOST_BYTES),
            ),
            (
                "send_prompt",
                json!({"session": text(MOST_BYTES + 1)}),
                Some(MOST_BYTES),
            ),
            (
                "send_prompt",
                json!({"begins": {"project": text(MOST_BYTES + 1), "options": {}}}),
                Some(MOST_BYTES),
            ),
            (
                "send_prompt",
                json!({"begins": {"project": null, "options": {"schema": text(OPTIONS - 10)}}}),
                None,
            ),
            (
                "send_prompt",
                json!({"begins": {"project": null, "options": text(OPTIONS + 1)}}),
                Some(OPTIONS),
            ),
            (
                "send_prompt",
                json!({"begins": text(MOST_BYTES + 1)}),
                Some(MOST_BYTES),
            ),
            (
                "choose_model",
                json!({"session": "", "change": {"options": text(OPTIONS)}}),
                None,
            ),
            (
                "choose_model",
                json!({"session": "", "change": {"model": text(MOST_BYTES + 1)}}),
                Some(MOST_BYTES),
            ),
            (
                "edit_memory",
                json!({"id": text(MOST_BYTES + 1), "content": ""}),
                Some(MOST_BYTES),
            ),
            ("change_guards", json!({"config": text(KIB * KIB)}), None),
            (
                "change_guards",
                json!({"project": text(MOST_BYTES + 1)}),
                Some(MOST_BYTES),
            ),
            (
                "rename_session",
                json!({"prompt": text(MOST_BYTES + 1)}),
                Some(MOST_BYTES),
            ),
            (
                "no such command",
                json!([text(MOST_BYTES + 1)]),
                Some(MOST_BYTES),
            ),
        ];
        for (command, arguments, expected) in rows {
            let names: String = arguments.to_string().chars().take(60).collect();
            assert_eq!(
                check(command, &arguments).err(),
                expected,
                "{command} {names}"
            );
        }
        let many: serde_json::Map<_, _> = (0..4_000)
            .map(|number| (number.to_string(), text(MOST_BYTES / 2)))
            .collect();
        let all = PICTURE + TEXT + OPTIONS + MOST_BYTES;
        assert_eq!(check("send_prompt", &many.into()), Err(all), "all together");
        assert!(LARGER.iter().all(|(_, _, most)| *most > MOST_BYTES));
    }

    #[test]
    fn allows_a_few_in_a_minute() {
        let limit = RateLimit::new(A_FEW);
        let start = Instant::now();
        let first: Vec<_> = (0..12).map(|_| limit.is_exceeded_at(start)).collect();
        assert_eq!(first.iter().filter(|exceeded| **exceeded).count(), 2);
        assert!(!limit.is_exceeded_at(start + Duration::from_secs(60)));
    }

    #[test]
    fn a_patient_script_reaches_the_hourly_limit() {
        let limit = RateLimit::new(A_FEW_AN_HOUR);
        let start = Instant::now();
        let every_ten_seconds = (0..360).map(|turn| start + Duration::from_secs(10 * turn));
        let forgotten = every_ten_seconds.filter(|now| !limit.is_exceeded_at(*now));
        assert_eq!(forgotten.count(), 30);
    }
}
