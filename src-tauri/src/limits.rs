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

/// Ids, names, addresses and paths.
const MOST_BYTES: usize = 16 * KIB;

/// The commands that take more than that.
const LARGER: &[(&str, usize)] = &[
    // 15 MiB of pictures and 1 MiB of text; Rust says which of them is too large.
    ("send_prompt", 20 * KIB * KIB),
    ("edit_prompt", 20 * KIB * KIB),
    ("change_guards", KIB * KIB),
    ("try_guards", 2 * KIB * KIB),
    ("edit_memory", 64 * KIB),
    ("memories_by_id", 64 * KIB),
    // A JSON Schema is among a session's options.
    ("choose_model", 96 * KIB),
];

fn most_bytes(command: &str) -> usize {
    let larger = LARGER.iter().find(|(name, _)| *name == command);
    larger.map_or(MOST_BYTES, |(_, most)| *most)
}

/// The handler of all commands, behind a check of how much each is given.
pub(crate) fn checked(
    handler: impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static,
) -> impl Fn(Invoke<Wry>) -> bool + Send + Sync + 'static {
    move |invoke| {
        let most = most_bytes(invoke.message.command());
        let fits = match invoke.message.payload() {
            InvokeBody::Json(value) => fits(value, most),
            InvokeBody::Raw(bytes) => bytes.len() <= most,
        };
        if fits {
            return handler(invoke);
        }
        let message = format!("This is too large: at most {} kB fit here.", most / KIB);
        invoke
            .resolver
            .reject(ErrorBody::new(code::BAD_INPUT, message));
        true
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

/// How often something may happen without a confirmation.
#[derive(Default)]
pub(crate) struct RateLimit(Mutex<VecDeque<Instant>>);

impl RateLimit {
    const MOST: usize = 10;
    const PERIOD: Duration = Duration::from_secs(60);

    /// Counts one more; true when there were too many in the last minute.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.is_exceeded_at(Instant::now())
    }

    fn is_exceeded_at(&self, now: Instant) -> bool {
        let mut recent = lock(&self.0);
        while let Some(first) = recent.front()
            && now.duration_since(*first) >= Self::PERIOD
        {
            recent.pop_front();
        }
        if recent.len() >= Self::MOST {
            return true;
        }
        recent.push_back(now);
        false
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What is inside is whole even if somebody panicked while holding it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::{RateLimit, fits, most_bytes};

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
        assert!(most_bytes("rename_session") < most_bytes("send_prompt"));
    }

    #[test]
    fn allows_a_few_in_a_minute() {
        let limit = RateLimit::default();
        let start = Instant::now();
        let first: Vec<_> = (0..12).map(|_| limit.is_exceeded_at(start)).collect();
        assert_eq!(first.iter().filter(|exceeded| **exceeded).count(), 2);
        assert!(!limit.is_exceeded_at(start + RateLimit::PERIOD));
    }
}
