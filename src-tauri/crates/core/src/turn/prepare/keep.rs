//! Compaction: what is still sent, and the summary that stands for the rest.

use weir_protocol::{Event, EventBody};

/// What is left of a conversation once the last summary has taken the place of its beginning.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// Stands for everything before.
    pub(crate) summary: Option<&'a str>,
    /// Told once and no more: only who was asked is read from it.
    pub(crate) before: &'a [Event],
    pub(crate) events: &'a [Event],
}

/// A summary whose first kept turn is not there any more stands for nothing: all is sent.
pub(crate) fn kept(events: &[Event]) -> Kept<'_> {
    let whole = Kept {
        summary: None,
        before: &[],
        events,
    };
    let last = events.iter().enumerate().rev().find_map(|(at, event)| {
        if let EventBody::Compaction {
            content,
            keeps_from,
            ..
        } = &event.body
        {
            Some((at, content.as_str(), *keeps_from))
        } else {
            None
        }
    });
    let Some((at, content, keeps_from)) = last else {
        return whole;
    };
    let start = match keeps_from {
        None => Some(at + 1),
        Some(turn) => events.iter().position(|event| event.turn_id == Some(turn)),
    };
    match start {
        Some(start) => Kept {
            summary: Some(content),
            before: &events[..start],
            events: &events[start..],
        },
        None => whole,
    }
}
