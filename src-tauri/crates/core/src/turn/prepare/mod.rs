//! From what is stored to what is sent: pure functions on a copy.
//!
//! Invariant: natural order stays. The log keeps what was said as it was said; whatever a
//! source needs otherwise is done here and nowhere else, one transformation after another:
//! [`keep`] leaves out what a summary stands for, [`convert`] makes blocks of events,
//! [`answer`] gives every call its result, [`order`] makes messages that take turns, and
//! [`remember`] puts before them what is remembered.

mod answer;
mod convert;
mod keep;
mod order;
mod remember;
#[cfg(test)]
mod tests;

use weir_protocol::{Event, EventBody};

use crate::source::Message;

pub(super) use answer::NOT_RUN;
pub(super) use keep::kept;
pub(super) use remember::remember;

/// What the model was told beforehand, by the last prompt that told it something.
pub(crate) fn system(events: &[Event]) -> Option<String> {
    let last = |event: &Event| {
        if let EventBody::UserMessage { system, .. } = &event.body {
            system.clone()
        } else {
            None
        }
    };
    events.iter().rev().find_map(last)
}

/// The conversation, as it is sent to whom its last prompt asks. Neighbours alternate, the
/// user is first, and every call is answered once, in the message right after it.
pub(crate) fn messages(events: &[Event]) -> Vec<Message> {
    let kept = kept(events);
    let items = convert::items(&kept);
    let items = answer::answered(items, &kept);
    order::messages(items)
}
