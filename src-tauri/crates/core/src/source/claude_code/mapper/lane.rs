//! The messages of one agent: the one that was asked, or a helper that it sent out.
//!
//! Owns which message is at hand, and hands on of a whole block only what its pieces and the
//! lines before it did not say ([`said`]). A whole block may come when the next message has
//! begun, so what was said of the last few is kept. Also owns which of the calls a result
//! answers.

use std::collections::VecDeque;

use serde_json::{Value, json};
use weir_protocol::StreamEvent;

use super::dedup::{BlockMatch, Delivery, Kind, MessageDedup, Print, Whole, WholeLine};
use super::waiting::Waiting;
use crate::source::anthropic::mapper::message::{Envelope, EventOutcome, MessageReader, Sender};
use crate::source::dialect::Known;
use crate::source::dialect::json::text;

/// Where blocks that came whole are opened and closed; no message has so many.
const WHOLE: u64 = u64::MAX;
/// How many messages before the one at hand are kept.
const EARLIER: usize = 8;

pub(super) struct Lane {
    pub(super) reader: MessageReader,
    /// What has been said of the message at hand.
    told: MessageDedup,
    /// The same of those before it, by their id.
    earlier: VecDeque<(String, MessageDedup)>,
    waiting: Waiting,
    /// Lines with whole blocks.
    lines: u64,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            reader: MessageReader::new(Sender::Agent),
            told: MessageDedup::default(),
            earlier: VecDeque::new(),
            waiting: Waiting::default(),
            lines: 0,
        }
    }
}

impl Lane {
    /// A piece of a message, if it is one of the frequent ones.
    pub(super) fn map_frequent(
        &mut self,
        envelope: Envelope<'_>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let index = envelope.index;
        let signs = envelope.delta.signs();
        let known = self.hear(index, out, |reader, out| reader.map_frequent(envelope, out));
        if known == Known::Yes {
            self.told.manner = Delivery::Pieces;
            if signs {
                self.told.sign(index);
            }
        }
        known
    }

    /// A piece of a message, whatever it is.
    pub(super) fn map_value(&mut self, event: &Value, out: &mut Vec<StreamEvent>) -> EventOutcome {
        let index = event["index"].as_u64().unwrap_or_default();
        let block = &event["content_block"];
        match text(event, "type") {
            "message_start" if event["message"]["id"].as_str() != self.reader.message_id() => {
                self.turn_page();
            }
            "content_block_start" => self.told.note_answer(block),
            _ => {}
        }
        let heard = self.hear(index, out, |reader, out| reader.map_value(event, out));
        self.told.manner = Delivery::Pieces;
        let signature = text(block, "signature");
        if !signature.is_empty() || text(&event["delta"], "type") == "signature_delta" {
            self.told.sign(index);
        }
        heard
    }

    /// A message, or blocks of one, whole: adds what was not said yet.
    pub(super) fn repeat(
        &mut self,
        message: &Value,
        print: Print,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        if !message.is_object() {
            return Known::No;
        }
        self.lines += 1;
        let content = &message["content"];
        let Some(at) = self.find_earlier(message) else {
            let known = self.begin(message, out);
            return match self.repeat_blocks(content, print, out) {
                Known::Yes => known,
                Known::No => Known::No,
            };
        };
        // The message at hand stays at hand: what it used, and why it ended, is its own.
        std::mem::swap(&mut self.told, &mut self.earlier[at].1);
        let known = self.repeat_blocks(content, Print::Again, out);
        std::mem::swap(&mut self.told, &mut self.earlier[at].1);
        known
    }

    /// Words that no message brought, as a block of their own.
    pub(super) fn add_text(&mut self, words: &str, out: &mut Vec<StreamEvent>) {
        self.reader.blocks.add_text(WHOLE, words.into(), out);
        self.reader.blocks.close(&WHOLE, out);
    }

    /// The call that a result with this id answers: the oldest that waits if it has none.
    pub(super) fn answer(&mut self, tool_call_id: &str) -> String {
        let id = match tool_call_id {
            "" => {
                let is_asked = |id: &str| self.reader.tool_name(id).is_some();
                let oldest = self.waiting.oldest(is_asked);
                oldest.unwrap_or_else(|| self.reader.make_id())
            }
            id => id.to_owned(),
        };
        self.waiting.answer(&id);
        id
    }

    fn find_earlier(&self, message: &Value) -> Option<usize> {
        let id = message["id"].as_str()?;
        if self.reader.message_id() == Some(id) {
            return None;
        }
        self.earlier.iter().rposition(|(earlier, _)| earlier == id)
    }

    fn begin(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let goes_on = match (message["id"].as_str(), self.reader.message_id()) {
            (Some(id), Some(known)) => id == known,
            // One of the two does not say: what came in pieces is repeated, nothing else is.
            (None, _) | (_, None) => self.told.manner == Delivery::Pieces,
        };
        if !goes_on {
            self.turn_page();
        }
        let is_news = message["usage"] != self.told.usage || message["stop_reason"].is_string();
        match self.told.manner {
            // The pieces know better: a whole block is printed before its message is over.
            Delivery::Pieces => Known::Yes,
            Delivery::Whole if goes_on && !is_news => Known::Yes,
            Delivery::Whole => {
                self.told.usage = message["usage"].clone();
                self.reader.begin(message, out)
            }
        }
    }

    fn repeat_blocks(
        &mut self,
        content: &Value,
        print: Print,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let number = self.lines;
        match content {
            Value::Array(blocks) => {
                // A message that grows repeats its first blocks each time.
                let print = match blocks.len() {
                    0 | 1 => print,
                    _ => Print::Again,
                };
                let mut known = Known::Yes;
                for block in blocks {
                    if self.repeat_block(block, WholeLine { number, print }, out) == Known::No {
                        known = Known::No;
                    }
                }
                known
            }
            Value::String(words) => {
                let block = json!({ "type": "text", "text": words });
                self.repeat_block(&block, WholeLine { number, print }, out)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Known::No,
        }
    }

    fn repeat_block(
        &mut self,
        block: &Value,
        line: WholeLine,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let words = |kind: Kind, words, seal| Whole {
            kind,
            words: text(block, words),
            seal: text(block, seal),
        };
        match text(block, "type") {
            "text" => self.repeat_words(&words(Kind::Text, "text", ""), block, line, out),
            "thinking" => {
                let whole = words(Kind::Thinking, "thinking", "signature");
                self.repeat_words(&whole, block, line, out)
            }
            "redacted_thinking" => {
                self.repeat_words(&words(Kind::Thinking, "", "data"), block, line, out)
            }
            kind if kind.ends_with("_tool_result") && self.told.is_answered(block) => Known::Yes,
            kind if kind.ends_with("tool_use") => match self.known_call(block) {
                Some(id) => {
                    self.end_call(&id, &block["input"], out);
                    Known::Yes
                }
                None => self.start_whole(block, out),
            },
            _ => self.start_whole(block, out),
        }
    }

    fn repeat_words(
        &mut self,
        whole: &Whole<'_>,
        block: &Value,
        line: WholeLine,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let (index, is_open, is_signed, rest) = match self.told.place(whole, line) {
            BlockMatch::Old => return Known::Yes,
            BlockMatch::New => return self.start_whole(block, out),
            BlockMatch::Of {
                index,
                is_open,
                is_signed,
                rest,
            } => (index, is_open, is_signed, rest),
        };
        let index = if is_open { index } else { WHOLE };
        let signature = text(block, "signature");
        self.hear(index, out, |reader, out| {
            match whole.kind {
                Kind::Text => reader.blocks.add_text(index, rest.into(), out),
                Kind::Thinking => reader.blocks.add_thinking(index, rest.into(), out),
                Kind::Call => {}
            }
            if is_open && !is_signed {
                reader.blocks.sign(&index, signature);
            }
            reader.blocks.close(&index, out);
        });
        // A block that is closed cannot be sealed any more.
        if is_open || is_signed || signature.is_empty() {
            Known::Yes
        } else {
            Known::No
        }
    }

    /// The call that this block repeats.
    fn known_call(&mut self, block: &Value) -> Option<String> {
        let (id, name) = (text(block, "id"), text(block, "name"));
        let reader = &self.reader;
        if id.is_empty() {
            let is_it = |id: &str| reader.tool_name(id) == Some(name);
            return self.told.repeated_call(is_it);
        }
        reader.tool_name(id).map(|_| id.to_owned())
    }

    /// Ends the call if its pieces are still open. The whole input is the one that was run.
    fn end_call(&mut self, tool_call_id: &str, whole: &Value, out: &mut Vec<StreamEvent>) {
        let Some(index) = self.told.open_call(tool_call_id) else {
            return;
        };
        self.hear(index, out, |reader, out| {
            reader.blocks.close(&index, out);
            if let Some(StreamEvent::ToolUseEnd { input, .. }) = out.last_mut()
                && whole.as_object().is_none_or(|fields| !fields.is_empty())
                && !whole.is_null()
            {
                input.clone_from(whole);
            }
        });
    }

    fn start_whole(&mut self, block: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.told.note_answer(block);
        let from = self.told.blocks();
        let known = self.hear(WHOLE, out, |reader, out| {
            let known = reader.start_block(WHOLE, block, out);
            reader.blocks.close(&WHOLE, out);
            known
        });
        self.told.mark_whole(from);
        match (known, self.told.manner) {
            // Its piece was told as unknown already.
            (Known::No, Delivery::Pieces) => Known::Yes,
            (known, _) => known,
        }
    }

    /// Lets the reader speak and keeps count of what it says.
    fn hear<T>(
        &mut self,
        index: u64,
        out: &mut Vec<StreamEvent>,
        speak: impl FnOnce(&mut MessageReader, &mut Vec<StreamEvent>) -> T,
    ) -> T {
        let from = out.len();
        let answer = speak(&mut self.reader, out);
        for event in &out[from..] {
            if let StreamEvent::ToolUseStart { tool_call_id, .. } = event {
                self.waiting.ask(tool_call_id);
            }
            self.told.count(index, event);
        }
        answer
    }

    /// Another message begins.
    fn turn_page(&mut self) {
        let mut told = std::mem::take(&mut self.told);
        if let Some(id) = self.reader.message_id()
            && told.blocks() > 0
        {
            told.close();
            if self.earlier.len() == EARLIER {
                self.earlier.pop_front();
            }
            self.earlier.push_back((id.to_owned(), told));
        }
    }
}
