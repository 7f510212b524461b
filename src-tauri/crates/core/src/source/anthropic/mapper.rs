//! Anthropic's Messages stream to stream events.
//!
//! Owns what one message is to its stream: it starts it and ends it. What the events of a
//! message mean is [`message`]'s business. Keeps the laws of [`crate::source::dialect`]: pure,
//! no IO, no clock; what it does not know becomes `Raw`, at most once per frame. Must not know
//! how a request is made or where the bytes come from.
//!
//! Three levels. Deltas are nearly all of a stream: those that differ in their words alone are
//! not read again ([`Shape`]), the others through borrowed types, with no tree of values. They
//! allocate nothing but the text they hand on. Everything else is rare, so it is read again as a `Value`, where odd shapes cost a line and not a type.

use serde_json::{Value, json};
use weir_protocol::{BlockId, ErrorBody, StreamEvent};

use crate::source::dialect::json::text;
use crate::source::dialect::shape::Shape;
use crate::source::dialect::{Dialect, Ending, Known, Mapper, Progress};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use message::{Envelope, EventOutcome, MessageReader, Sender};

pub(crate) mod message;
pub(crate) mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "anthropic",
    framing: Framing::Sse,
    mapper: || {
        Box::new(AnthropicMapper {
            message: MessageReader::new(Sender::Model),
            shape: Shape::default(),
            progress: Progress::default(),
        })
    },
};

struct AnthropicMapper {
    message: MessageReader,
    shape: Shape<BlockId>,
    progress: Progress,
}

impl Mapper for AnthropicMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        self.shape.forget();
        if self.progress != Progress::Done
            && let Ok(envelope) = serde_json::from_str::<Envelope<'_>>(frame.data)
        {
            let from = out.len();
            if self.message.map_frequent(envelope, out) == Known::Yes {
                self.shape.learn(frame, &out[from..], &[], |id| id);
                return;
            }
        }
        match serde_json::from_str::<Value>(frame.data) {
            Ok(value) => self.map_rare(frame.event, value, out),
            Err(_) if frame.data.trim_ascii().is_empty() => {}
            // Not Anthropic's, but gateways that speak several dialects end all of them so.
            Err(_) if frame.data.trim_ascii() == "[DONE]" && self.may_stop() => self.stop(out),
            Err(_) if frame.event == "error" && self.progress != Progress::Done => {
                self.message.blocks.close_all(out);
                let message = frame.data.trim_ascii();
                self.fail(Reported::new(message).body(), out);
            }
            Err(_) => out.push(StreamEvent::Raw {
                value: Value::String(frame.data.to_owned()),
            }),
        }
    }

    fn repeat(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) -> Known {
        let Some(fit) = self.shape.fit(frame) else {
            return Known::No;
        };
        self.message.blocks.grow(fit.target, fit.words, out);
        Known::Yes
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.message.blocks.close_all(out);
        self.progress.ending()
    }
}

impl AnthropicMapper {
    fn map_rare(&mut self, event: &str, mut value: Value, out: &mut Vec<StreamEvent>) {
        // Some servers name the event beside the data only.
        let is_unnamed = value.is_object() && value["type"].is_null();
        if is_unnamed && !matches!(event, "" | "message") {
            value["type"] = event.into();
        }
        match self.hear(&value, out) {
            EventOutcome::Known => {}
            EventOutcome::Unknown => out.push(StreamEvent::Raw { value }),
            EventOutcome::Stopped => self.stop(out),
            EventOutcome::Failed(error) => self.fail(error, out),
        }
    }

    fn hear(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> EventOutcome {
        let kind = text(value, "type");
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return match kind {
                "ping" => EventOutcome::Known,
                _ => EventOutcome::Unknown,
            };
        }
        if kind == "message" && self.message.message_id().is_none() {
            return self.take_message(value, out);
        }
        self.message.map_value(value, out)
    }

    /// Asked for a stream, a server may still answer with the message in one piece.
    fn take_message(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> EventOutcome {
        let start = json!({ "type": "message_start", "message": message });
        let heard = self.message.map_value(&start, out);
        if !self.may_stop() {
            return heard;
        }
        if let EventOutcome::Unknown = heard {
            let value = message.clone();
            out.push(StreamEvent::Raw { value });
        }
        EventOutcome::Stopped
    }

    fn may_stop(&self) -> bool {
        self.progress != Progress::Done && self.message.stop_reason().is_some()
    }

    fn stop(&mut self, out: &mut Vec<StreamEvent>) {
        self.message.blocks.close_all(out);
        self.progress = Progress::Done;
        let stop_reason = self.message.stop_reason();
        out.push(StreamEvent::Done { stop_reason });
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.progress = Progress::Failed;
        out.push(StreamEvent::Error { error });
    }
}

#[cfg(test)]
mod tests;
