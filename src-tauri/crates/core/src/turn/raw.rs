//! How much is kept of what a source said and its dialect does not know.
//!
//! Invariant: a session keeps at most [`MOST_EVENTS`] of these and about [`MOST_BYTES`], whatever
//! its source sends; where more comes, one last event says that it was not kept. Pure: how much a
//! session has already comes in.

use serde_json::Value;
use weir_protocol::EventBody;

use crate::store::KeptRaw;

const MOST_EVENTS: u64 = 1_000;
const MOST_BYTES: u64 = 4 * 1024 * 1024;
/// Of a larger one the beginning is kept.
const LARGEST: usize = 64 * 1024;

/// The room that a session has left.
#[derive(Debug)]
pub(super) struct RawRoom {
    kept: KeptRaw,
    is_told: bool,
}

impl RawRoom {
    pub(super) fn new(kept: KeptRaw) -> Self {
        let is_told = !has_room(kept);
        Self { kept, is_told }
    }

    /// The event that keeps this value; none where there is no room for it any more.
    pub(super) fn take(&mut self, value: Value) -> Option<EventBody> {
        if !has_room(self.kept) {
            let is_told = std::mem::replace(&mut self.is_told, true);
            return (!is_told).then_some(EventBody::Raw {
                value: Value::Null,
                is_cut: true,
            });
        }
        let mut text = value.to_string();
        let is_cut = text.len() > LARGEST;
        text.truncate(text.floor_char_boundary(LARGEST));
        self.kept.events += 1;
        self.kept.bytes += text.len() as u64;
        let value = if is_cut { Value::String(text) } else { value };
        Some(EventBody::Raw { value, is_cut })
    }
}

/// The last one is for the event that says that no more is kept.
fn has_room(kept: KeptRaw) -> bool {
    kept.events + 1 < MOST_EVENTS && kept.bytes + LARGEST as u64 <= MOST_BYTES
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept(room: &mut RawRoom, value: &Value, times: usize) -> Vec<EventBody> {
        (0..times)
            .filter_map(|_| room.take(value.clone()))
            .collect()
    }

    #[test]
    fn a_session_keeps_a_bounded_number_and_says_so_once() {
        let mut room = RawRoom::new(KeptRaw::default());
        let events = kept(&mut room, &json!({"type": "new"}), 5_000);
        assert_eq!(events.len() as u64, MOST_EVENTS);
        let last = EventBody::Raw {
            value: Value::Null,
            is_cut: true,
        };
        assert_eq!(events.last(), Some(&last));
        assert_eq!(events.iter().filter(|it| **it == last).count(), 1);
        let full = KeptRaw {
            events: MOST_EVENTS,
            bytes: 0,
        };
        assert_eq!(kept(&mut RawRoom::new(full), &json!(1), 9), []);
    }

    #[test]
    fn a_session_keeps_a_bounded_number_of_bytes() {
        let mut room = RawRoom::new(KeptRaw::default());
        let large = json!({"a": "ß".repeat(LARGEST)});
        let events = kept(&mut room, &large, 5_000);
        let mut bytes = 0;
        for event in &events {
            let EventBody::Raw { value, is_cut } = event else {
                panic!("{event:?}");
            };
            assert!(is_cut, "it was too large");
            assert!(
                value.is_null()
                    || value
                        .as_str()
                        .is_some_and(|it| it.starts_with(r#"{"a":"ß"#))
            );
            bytes += value.to_string().len() as u64;
        }
        // Quotes inside the text are escaped once more.
        assert!(bytes <= MOST_BYTES + MOST_BYTES / 64, "{bytes}");
        assert!(events.len() > 60, "{}", events.len());
    }
}
