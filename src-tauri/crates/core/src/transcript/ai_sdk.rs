//! An AI SDK UI message stream: the branch that is read, as one message whose steps are the
//! turns'. What the user asked is a data part before the steps that answer it.

use serde_json::json;
use weir_protocol::{Event, EventBody, StreamEvent};

use super::{Format, Transcript, part};
use crate::format::ai_sdk::AiSdk;
use crate::format::replay::Replay;

pub(super) const FORMAT: Format = Format {
    name: "ai-sdk",
    write,
};

fn write(transcript: &Transcript) -> Result<String, serde_json::Error> {
    let events = part::read_branch(transcript);
    let last = events.last().and_then(|event| event.turn_id);
    let (mut replay, mut format) = (Replay::new(), AiSdk::new());
    let (mut said, mut out) = (Vec::new(), Vec::new());
    for event in &events {
        replay.push(event, &mut said);
        for event in said.drain(..).filter_map(|it| within(it, event, last)) {
            format.write(&event, &mut out);
        }
        if let (EventBody::UserMessage { content, .. }, Some(turn)) = (&event.body, event.turn_id) {
            let prompt = json!({ "text": content, "timestamp": event.timestamp.to_string() });
            format.write_prompt(&turn.to_string(), &prompt, &mut out);
        }
    }
    format.finish(&mut out);
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// How a turn ended that others follow is no end of the stream; why it failed stays a line in it.
fn within(said: StreamEvent, event: &Event, last: Option<uuid::Uuid>) -> Option<StreamEvent> {
    if event.turn_id == last {
        return Some(said);
    }
    if let StreamEvent::Error { error } = said {
        let message = error.message;
        return Some(StreamEvent::Status { message });
    }
    let is_end = matches!(said, StreamEvent::Done { .. } | StreamEvent::Result { .. });
    (!is_end).then_some(said)
}
