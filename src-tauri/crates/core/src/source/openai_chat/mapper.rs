//! OpenAI's chat completions stream, and its relatives', to stream events.
//!
//! Owns what a chunk means. Keeps the laws of [`crate::source::dialect`]: pure, no IO, no
//! clock; what it does not know becomes `Raw`, at most once per frame. Must not know how a
//! request is made. What the relatives name differently is a row in [`names`].
//!
//! The first choice counts. Blocks stay open and `Done` waits until `[DONE]` or the end of the
//! bytes, since what was used and cited is told after the reason to stop.
//!
//! Three levels. Chunks with one delta of words are nearly all of a stream: those that differ
//! in their words alone are not read again ([`Shape`]), the others through borrowed types. They
//! allocate nothing but the text they hand on. Everything else is rare, so it is read again as a `Value`, where odd shapes cost a line and not a type.

use std::borrow::Cow;

use serde_json::Value;
use weir_protocol::{BlockId, ErrorBody, StopReason, StreamEvent};

use crate::source::dialect::borrowed::One;
use crate::source::dialect::json::some_text;
use crate::source::dialect::shape::Shape;
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks, Progress};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use calls::{Calls, Whose};
use chunk::Chunk;
use citations::Citations;
use names::stop_reason;
use tags::{Split, Tags};
use usage::UsageSoFar;

mod calls;
mod chunk;
mod citations;
mod delta;
pub(super) mod details;
pub(crate) mod names;
mod tags;
pub(crate) mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "openai-chat",
    framing: Framing::Sse,
    mapper: || Box::<ChatMapper>::default(),
};

/// What differs from chunk to chunk and is not read.
const UNREAD: [&str; 2] = [r#""created":"#, r#""obfuscation":"#];

#[derive(Default)]
struct ChatMapper {
    blocks: OpenBlocks<Key>,
    shape: Shape<BlockId>,
    calls: Calls,
    tags: Tags,
    citations: Citations,
    usage: UsageSoFar,
    /// There have been deltas.
    is_streamed: bool,
    finish: Option<Finish>,
    /// It finished, and has not failed since.
    is_finished: bool,
    /// What the last error said: some servers tell it again and again.
    failure: Option<ErrorBody>,
    progress: Progress,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Text,
    Thinking,
    /// A tool call, by its place in [`Calls`].
    Call(usize),
}

/// The source said why it stopped; `None` inside when Weir has no word for it.
#[derive(Clone, Copy)]
struct Finish(Option<StopReason>);

impl Mapper for ChatMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        self.shape.forget();
        if frame.event != "error"
            && let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(frame.data)
            && self.map_frequent(frame, chunk, out) == Known::Yes
        {
            return;
        }
        let data = frame.data.trim_ascii();
        match serde_json::from_str::<Value>(data) {
            Ok(value) => {
                if self.map_rare(frame.event, &value, out) == Known::No {
                    out.push(StreamEvent::Raw { value });
                }
            }
            Err(_) if data.is_empty() => {}
            Err(_) if data == "[DONE]" => self.be_done(out),
            Err(_) if frame.event == "error" && self.progress != Progress::Done => {
                self.fail(Reported::new(data).body(), out);
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
        self.blocks.grow(fit.target, fit.words, out);
        Known::Yes
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.settle(out);
        // Not every server says `[DONE]`.
        if self.is_finished {
            self.be_done(out);
        }
        self.progress.ending()
    }
}

impl ChatMapper {
    fn map_frequent(
        &mut self,
        frame: Frame<'_>,
        chunk: Chunk<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        if self.progress != Progress::Started || !chunk.is_plain() {
            return Known::No;
        }
        let One::Item(choice) = chunk.choices else {
            return Known::No;
        };
        if !choice.is_plain() {
            return Known::No;
        }
        let Some(delta) = choice.delta.filter(|delta| !delta.is_rare) else {
            return Known::No;
        };
        let piece = match delta.calls {
            One::Nothing => None,
            One::Item(piece) if !piece.is_plain() => return Known::No,
            One::Item(piece) => {
                let whose = Whose {
                    index: piece.index,
                    place: None,
                    id: &piece.id.0,
                    name: &piece.function.name.0,
                };
                let open = self.calls.find(whose).map(Key::Call);
                let Some(key) = open.filter(|key| self.blocks.is_open(key)) else {
                    return Known::No;
                };
                Some((key, piece.function.arguments.0))
            }
            One::Many => return Known::No,
        };
        self.is_streamed = true;
        // While there may be marks in the text, where it goes depends on what it says.
        let is_plain = delta.content.0.is_empty() || self.tags.are_past();
        let from = out.len();
        self.think(delta.reasoning.0, out);
        self.add_content(delta.content.0, out);
        self.say(delta.refusal.0, out);
        if let Some((key, arguments)) = piece {
            self.blocks.add_input(&key, arguments, out);
        }
        if is_plain {
            self.shape.learn(frame, &out[from..], &UNREAD, |id| id);
        }
        Known::Yes
    }

    fn map_rare(&mut self, event: &str, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        // One stream, one `Done`: what comes after it is kept, and means nothing any more.
        if self.progress == Progress::Done {
            return Known::No;
        }
        let mut known = match (value["choices"].as_array(), &value["usage"]) {
            (Some(choices), usage) => {
                if !choices.is_empty() || usage.is_object() {
                    self.begin(value, out);
                }
                self.map_choices(choices, out)
            }
            (None, Value::Object(_)) => {
                self.begin(value, out);
                Known::Yes
            }
            (None, _) => Known::No,
        };
        self.citations.collect(value);
        self.cite_what_is_said(out);
        self.report_usage(&value["usage"], some_text(value, "service_tier"), out);
        let is_error = event == "error" || value["object"] == "error";
        if is_error || !is_blank(&value["error"]) {
            self.fail(error_body(value), out);
            known = Known::Yes;
        }
        if !is_blank(&value["x_groq"]["error"]) {
            self.fail(error_body(&value["x_groq"]), out);
        }
        known
    }

    fn begin(&mut self, value: &Value, out: &mut Vec<StreamEvent>) {
        if self.progress != Progress::Waiting {
            return;
        }
        self.progress = Progress::Started;
        let said = |field: &str| some_text(value, field).filter(|text| !text.is_empty());
        out.push(StreamEvent::Start {
            message_id: said("id"),
            model: said("model"),
        });
    }

    fn map_choices(&mut self, choices: &[Value], out: &mut Vec<StreamEvent>) -> Known {
        let mut known = Known::Yes;
        for choice in choices {
            let is_first = matches!(choice["index"].as_u64(), Some(0) | None);
            if !(is_first && choice.is_object()) || self.map_choice(choice, out) == Known::No {
                known = Known::No;
            }
        }
        known
    }

    fn map_choice(&mut self, choice: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let mut known = self.map_words(choice, out);
        self.report_usage(&choice["usage"], None, out);
        if let Some(word) = choice["finish_reason"]
            .as_str()
            .filter(|word| !word.is_empty())
        {
            let reason = stop_reason(word);
            self.finish = Some(Finish(reason));
            self.is_finished = true;
            if reason.is_none() {
                known = Known::No;
            }
        }
        if !is_blank(&choice["error"]) {
            self.fail(error_body(choice), out);
        }
        known
    }

    /// The delta; or, where a server does not stream after all, the whole message.
    fn map_words(&mut self, choice: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let words = ["delta", "message", "text"].map(|field| &choice[field]);
        match words {
            [Value::Object(delta), ..] => {
                self.is_streamed = true;
                self.map_delta(delta, out)
            }
            // Perplexity repeats the whole message with every delta.
            [Value::Null, Value::Object(_), _] if self.is_streamed => Known::Yes,
            [Value::Null, Value::Object(message), _] => self.map_delta(message, out),
            [Value::Null, Value::Null, Value::String(text)] => {
                self.add_content(text.into(), out);
                Known::Yes
            }
            [Value::Null, Value::Null, Value::Null] => Known::Yes,
            _ => Known::No,
        }
    }

    /// Text as the model wrote it, perhaps with its thinking inside.
    fn add_content(&mut self, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        let split = self.tags.split(text);
        self.say_both(split, out);
    }

    fn say_both(&mut self, split: Split<'_>, out: &mut Vec<StreamEvent>) {
        self.add_thinking(split.thinking, out);
        self.say(split.text, out);
    }

    fn say(&mut self, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        self.blocks.close(&Key::Thinking, out);
        self.blocks.add_text(Key::Text, text, out);
        self.cite_what_is_said(out);
    }

    /// Thinking that the server itself tells apart.
    fn think(&mut self, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        self.tags.expect_none();
        self.add_thinking(text, out);
    }

    fn add_thinking(&mut self, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        self.blocks.close(&Key::Text, out);
        self.blocks.add_thinking(Key::Thinking, text, out);
    }

    /// Hands on the citations that wait, if there is text to hang them on.
    fn cite_what_is_said(&mut self, out: &mut Vec<StreamEvent>) {
        if !self.citations.is_empty() && self.blocks.is_open(&Key::Text) {
            let id = self.blocks.text_id(Key::Text, out);
            let citations = self.citations.take().into_iter();
            out.extend(citations.map(|citation| StreamEvent::Citation { id, citation }));
        }
    }

    fn report_usage(&mut self, report: &Value, tier: Option<String>, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = self.usage.learn(report, tier) {
            let is_total = false;
            out.push(StreamEvent::Usage { usage, is_total });
        }
    }

    /// Ends every block, with all that was held back for it.
    fn settle(&mut self, out: &mut Vec<StreamEvent>) {
        let held = self.tags.flush();
        self.say_both(held, out);
        if !self.citations.is_empty() {
            self.blocks.text_id(Key::Text, out);
            self.cite_what_is_said(out);
        }
        for at in self.calls.take_nameless() {
            self.announce_call(at, "", out);
        }
        self.blocks.close_all(out);
    }

    fn be_done(&mut self, out: &mut Vec<StreamEvent>) {
        if self.progress == Progress::Done {
            return;
        }
        self.settle(out);
        let failed = (self.progress == Progress::Failed).then_some(StopReason::Error);
        let stop_reason = match self.finish {
            // Some servers call it an end when the model asks for tools.
            Some(Finish(Some(StopReason::EndTurn))) if !self.calls.is_empty() => {
                Some(StopReason::ToolUse)
            }
            Some(Finish(reason)) => reason,
            None => failed,
        };
        self.progress = Progress::Done;
        out.push(StreamEvent::Done { stop_reason });
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.settle(out);
        self.progress = Progress::Failed;
        self.is_finished = false;
        let told = self.failure.as_ref();
        if !told.is_some_and(|told| told.says_the_same(&error)) {
            self.failure = Some(error.clone());
            out.push(StreamEvent::Error { error });
        }
    }
}

/// Whether a field says nothing.
fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(is) => !is,
        Value::Number(_) => false,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

/// The error of a frame: an object or a sentence in `error`, or the frame itself.
fn error_body(frame: &Value) -> ErrorBody {
    let error = &frame["error"];
    let said = |fields: [&str; 3]| {
        let text = |field: &str| some_text(error, field).or_else(|| some_text(frame, field));
        fields.into_iter().find_map(text)
    };
    let message = error
        .as_str()
        .map(str::to_owned)
        .or_else(|| said(["message", "detail", "msg"]))
        .or_else(|| frame.as_str().map(str::to_owned))
        .unwrap_or_else(|| if is_blank(error) { frame } else { error }.to_string());
    Reported::new(message).with_fields(frame).body()
}

#[cfg(test)]
mod tests;
