//! The messages of one agent: the one that was asked, or a helper that it sent out.
//!
//! Owns the law that a word counts once. Claude Code prints a finished block as a whole, and
//! on request it prints the pieces of it before. So this keeps, of the message at hand, how
//! long each block is and what it hashes to, never the words; a whole block is held against
//! that, and only what the pieces did not say is handed on.

use serde_json::{Value, json};
use weir_protocol::{BlockId, StreamEvent};

use crate::source::anthropic::mapper::message::{Envelope, Heard, MessageReader, Sender};
use crate::source::dialect::Known;
use crate::source::dialect::json::text;

/// Where blocks that came whole are opened and closed; no message has so many.
const WHOLE: u64 = u64::MAX;

pub(super) struct Lane {
    pub(super) reader: MessageReader,
    /// Blocks of the message at hand, in the order in which they began.
    said: Vec<Said>,
    /// Calls of the provider's own tools whose results came with the message at hand.
    answered: Vec<String>,
    manner: Manner,
    /// What the last whole block said of usage; each repeats it.
    usage: Value,
}

/// How the message at hand comes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Whole,
    /// In pieces, and then whole once more.
    Pieces,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Thinking,
    Call,
}

/// One block, as far as it has been said.
struct Said {
    id: BlockId,
    index: u64,
    kind: Kind,
    /// Which call it is; empty for words.
    tool_call_id: String,
    length: usize,
    hash: u64,
    is_open: bool,
    is_signed: bool,
    /// It came whole too.
    is_repeated: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            reader: MessageReader::new(Sender::Agent),
            said: Vec::new(),
            answered: Vec::new(),
            manner: Manner::Whole,
            usage: Value::Null,
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
            self.manner = Manner::Pieces;
            if signs {
                self.sign(index);
            }
        }
        known
    }

    /// A piece of a message, whatever it is.
    pub(super) fn map_value(&mut self, event: &Value, out: &mut Vec<StreamEvent>) -> Heard {
        let index = event["index"].as_u64().unwrap_or_default();
        let block = &event["content_block"];
        match text(event, "type") {
            "message_start" if event["message"]["id"].as_str() != self.reader.message_id() => {
                self.forget();
            }
            "content_block_start" => self.note_answer(block),
            _ => {}
        }
        let heard = self.hear(index, out, |reader, out| reader.map_value(event, out));
        self.manner = Manner::Pieces;
        let signature = text(block, "signature");
        if !signature.is_empty() || text(&event["delta"], "type") == "signature_delta" {
            self.sign(index);
        }
        heard
    }

    /// A message, or blocks of one, whole: adds what its pieces did not say.
    pub(super) fn repeat(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if !message.is_object() {
            return Known::No;
        }
        let mut known = self.begin(message, out);
        match &message["content"] {
            Value::Array(blocks) => {
                for (at, block) in blocks.iter().enumerate() {
                    let is_old = blocks.len() > 1 && self.is_said_at(at, block);
                    if !is_old && self.repeat_block(block, out) == Known::No {
                        known = Known::No;
                    }
                }
                known
            }
            Value::String(words) => {
                let block = json!({ "type": "text", "text": words });
                self.repeat_block(&block, out)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Known::No,
        }
    }

    /// Words that no message brought, as a block of their own.
    pub(super) fn add_text(&mut self, words: &str, out: &mut Vec<StreamEvent>) {
        self.reader.blocks.add_text(WHOLE, words.into(), out);
        self.reader.blocks.close(&WHOLE, out);
    }

    fn begin(&mut self, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let goes_on = match (message["id"].as_str(), self.reader.message_id()) {
            (Some(id), Some(known)) => id == known,
            // One of the two does not say: what came in pieces is repeated, nothing else is.
            (None, _) | (_, None) => self.manner == Manner::Pieces,
        };
        if !goes_on {
            self.forget();
        }
        let is_news = message["usage"] != self.usage || message["stop_reason"].is_string();
        match self.manner {
            // The pieces know better: a whole block is printed before its message is over.
            Manner::Pieces => Known::Yes,
            Manner::Whole if goes_on && !is_news => Known::Yes,
            Manner::Whole => {
                self.usage = message["usage"].clone();
                self.reader.begin(message, out)
            }
        }
    }

    fn repeat_block(&mut self, block: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match text(block, "type") {
            "text" => self.repeat_words(Kind::Text, text(block, "text"), block, out),
            "thinking" => self.repeat_words(Kind::Thinking, text(block, "thinking"), block, out),
            "redacted_thinking" => self.repeat_words(Kind::Thinking, "", block, out),
            kind if kind.ends_with("tool_use") && self.is_known_call(block) => {
                self.end_call(text(block, "id"), &block["input"], out);
                Known::Yes
            }
            kind if kind.ends_with("_tool_result") && self.is_answered(block) => Known::Yes,
            _ => match self.start_whole(block, out) {
                Known::Yes => Known::Yes,
                // Its piece was told as unknown already.
                Known::No if self.manner == Manner::Pieces => Known::Yes,
                Known::No => Known::No,
            },
        }
    }

    fn repeat_words(
        &mut self,
        kind: Kind,
        words: &str,
        block: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let Some((at, rest)) = self.find(kind, words) else {
            return self.start_whole(block, out);
        };
        let said = &mut self.said[at];
        said.is_repeated = true;
        let (index, is_open, is_signed) = (said.index, said.is_open, said.is_signed);
        let index = if is_open { index } else { WHOLE };
        self.hear(index, out, |reader, out| {
            match kind {
                Kind::Text => reader.blocks.add_text(index, rest.into(), out),
                Kind::Thinking => reader.blocks.add_thinking(index, rest.into(), out),
                Kind::Call => {}
            }
            if is_open && !is_signed {
                reader.blocks.sign(&index, text(block, "signature"));
            }
            reader.blocks.close(&index, out);
        });
        Known::Yes
    }

    /// The block that these words repeat, and what they add to it: the one that said most of
    /// them; else the open one, for then the agent has tidied what it said.
    fn find<'a>(&self, kind: Kind, words: &'a str) -> Option<(usize, &'a str)> {
        if self.manner == Manner::Whole {
            return None;
        }
        let waiting = || {
            let blocks = self.said.iter().enumerate();
            blocks.filter(move |(_, said)| said.kind == kind && !said.is_repeated)
        };
        let begun = waiting().filter(|(_, said)| said.begins(words));
        if let Some((at, said)) = begun.max_by_key(|(_, said)| said.length) {
            return Some((at, words.get(said.length..).unwrap_or_default()));
        }
        let (at, _) = waiting().find(|(_, said)| said.is_open)?;
        Some((at, ""))
    }

    /// Ends the call if its pieces are still open, with this input if they brought none.
    fn end_call(&mut self, tool_call_id: &str, input: &Value, out: &mut Vec<StreamEvent>) {
        let mut blocks = self.said.iter();
        let Some(said) = blocks.find(|said| said.is_open && said.tool_call_id == tool_call_id)
        else {
            return;
        };
        let (index, is_empty) = (said.index, said.length == 0);
        self.hear(index, out, |reader, out| {
            if is_empty && !input.is_null() {
                let whole = input.to_string();
                reader.blocks.add_input(&index, whole.into(), out);
            }
            reader.blocks.close(&index, out);
        });
    }

    fn start_whole(&mut self, block: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.note_answer(block);
        let from = self.said.len();
        let known = self.hear(WHOLE, out, |reader, out| {
            let known = reader.start_block(WHOLE, block, out);
            reader.blocks.close(&WHOLE, out);
            known
        });
        for said in &mut self.said[from..] {
            said.is_repeated = true;
        }
        known
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
            self.count(index, event);
        }
        answer
    }

    fn count(&mut self, index: u64, event: &StreamEvent) {
        match event {
            StreamEvent::TextStart { id } => self.said.push(Said::new(*id, index, Kind::Text)),
            StreamEvent::ThinkingStart { id } => {
                self.said.push(Said::new(*id, index, Kind::Thinking));
            }
            StreamEvent::ToolUseStart {
                id, tool_call_id, ..
            } => self.said.push(Said {
                tool_call_id: tool_call_id.clone(),
                ..Said::new(*id, index, Kind::Call)
            }),
            StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text } => {
                self.grow(*id, text);
            }
            StreamEvent::ToolUseDelta { id, json } => self.grow(*id, json),
            StreamEvent::TextEnd { id, .. }
            | StreamEvent::ThinkingEnd { id, .. }
            | StreamEvent::ToolUseEnd { id, .. } => {
                if let Some(said) = self.said_mut(*id) {
                    said.is_open = false;
                }
            }
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Citation { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. }
            | StreamEvent::Raw { .. } => {}
        }
    }

    fn grow(&mut self, id: BlockId, words: &str) {
        if let Some(said) = self.said_mut(id) {
            said.length += words.len();
            said.hash = hash(said.hash, words.as_bytes());
        }
    }

    fn sign(&mut self, index: u64) {
        let mut blocks = self.said.iter_mut().rev();
        if let Some(said) = blocks.find(|said| said.index == index) {
            said.is_signed = true;
        }
    }

    /// The newest is nearly always the one that is asked for.
    fn said_mut(&mut self, id: BlockId) -> Option<&mut Said> {
        self.said.iter_mut().rev().find(|said| said.id == id)
    }

    /// A message that grows repeats its first blocks each time.
    fn is_said_at(&self, at: usize, block: &Value) -> bool {
        let (kind, words) = match text(block, "type") {
            "text" => (Kind::Text, text(block, "text")),
            "thinking" => (Kind::Thinking, text(block, "thinking")),
            _ => return false,
        };
        self.said.get(at).is_some_and(|said| {
            let is_same = said.kind == kind && said.is_repeated && !words.is_empty();
            is_same && said.length == words.len() && said.begins(words)
        })
    }

    fn is_known_call(&self, block: &Value) -> bool {
        let id = text(block, "id");
        !id.is_empty() && self.reader.tool_name(id).is_some()
    }

    fn is_answered(&self, block: &Value) -> bool {
        let id = text(block, "tool_use_id");
        self.answered.iter().any(|answered| answered == id)
    }

    fn note_answer(&mut self, block: &Value) {
        if text(block, "type").ends_with("_tool_result") {
            self.answered.push(text(block, "tool_use_id").to_owned());
        }
    }

    fn forget(&mut self) {
        self.said.clear();
        self.answered.clear();
        self.manner = Manner::Whole;
        self.usage = Value::Null;
    }
}

impl Said {
    fn new(id: BlockId, index: u64, kind: Kind) -> Self {
        Self {
            id,
            index,
            kind,
            tool_call_id: String::new(),
            length: 0,
            hash: EMPTY,
            is_open: true,
            is_signed: false,
            is_repeated: false,
        }
    }

    /// Whether what was said is how these words begin.
    fn begins(&self, words: &str) -> bool {
        let head = words.as_bytes().get(..self.length);
        head.is_some_and(|head| hash(EMPTY, head) == self.hash)
    }
}

/// FNV-1a: piece by piece it comes to the same as at once.
fn hash(so_far: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(so_far, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;
