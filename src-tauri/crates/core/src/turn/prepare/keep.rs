//! Compaction: what is still sent, and the summary that stands for the rest.

use weir_protocol::{Event, EventBody, Image};

/// What is left of a conversation once the last summary has taken the place of its beginning.
#[derive(Clone, Copy)]
pub(crate) struct Kept<'a> {
    /// Stands for everything before.
    pub(crate) summary: Option<&'a str>,
    /// Told once and no more: only who was asked is read from it.
    pub(crate) before: &'a [Event],
    /// The one before that was being answered when nothing stayed: the summary has its words,
    /// and its pictures follow.
    pub(crate) prompt: Option<&'a Event>,
    pub(crate) events: &'a [Event],
}

impl<'a> Kept<'a> {
    /// Those that follow the summary.
    pub(crate) fn pictures(&self) -> &'a [Image] {
        if let Some(EventBody::UserMessage { images, .. }) = self.prompt.map(|event| &event.body) {
            images
        } else {
            &[]
        }
    }
}

/// A summary whose first kept turn is not there any more stands for nothing: all is sent.
pub(crate) fn kept(events: &[Event]) -> Kept<'_> {
    let whole = Kept {
        summary: None,
        before: &[],
        prompt: None,
        events,
    };
    let last = events.iter().enumerate().rev().find_map(|(at, event)| {
        if let EventBody::Compaction {
            content,
            keeps_from,
            ..
        } = &event.body
        {
            Some((at, content.as_str(), *keeps_from, event.turn_id))
        } else {
            None
        }
    });
    let Some((at, content, keeps_from, turn)) = last else {
        return whole;
    };
    let prompt = events[..at].iter().rev().find(|event| {
        let is_prompt = matches!(event.body, EventBody::UserMessage { .. });
        is_prompt && event.turn_id == turn && keeps_from.is_none()
    });
    let start = match keeps_from {
        None => Some(at + 1),
        Some(turn) => events.iter().position(|event| event.turn_id == Some(turn)),
    };
    match start {
        Some(start) => Kept {
            summary: Some(content),
            before: &events[..start],
            prompt,
            events: &events[start..],
        },
        None => whole,
    }
}
