//! What a delta says beside plain words, read as a `Value`.
//!
//! Owns the fields of a delta and the parts of a list in `content`.

use std::borrow::Cow;

use serde_json::{Map, Value};
use weir_protocol::{ExecutedBy, StreamEvent};

use super::calls::{Announcement, Whose};
use super::names::{REASONING, REASONING_DETAILS, REASONING_PARTS, REASONING_SEAL, SILENT};
use super::{ChatMapper, Key, details, is_blank};
use crate::source::dialect::json::{items, text};
use crate::source::dialect::{Found, Known, ToolUse};

impl ChatMapper {
    pub(super) fn map_delta(
        &mut self,
        delta: &Map<String, Value>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let field = |name: &str| delta.get(name).unwrap_or(&Value::Null);
        let mut known = Known::Yes;
        let mut note = |heard: Known| {
            if heard == Known::No {
                known = Known::No;
            }
        };
        note(self.map_reasoning(delta, out));
        note(self.map_content(field("content"), out));
        note(self.map_refusal(field("refusal"), out));
        note(self.map_audio(field("audio"), out));
        note(each(field("images"), |image| map_image(image, out)));
        note(each(field("annotations"), |raw| self.annotate(raw)));
        note(each(&field("context")["citations"], |raw| {
            self.annotate(raw)
        }));
        self.cite_what_is_said(out);
        let several = items(field("tool_calls")).len() > 1;
        let mut places = 0..;
        note(each(field("tool_calls"), |piece| {
            let place = places.next().filter(|_| several);
            self.map_call(piece, place, out)
        }));
        if !is_blank(field("function_call")) {
            note(self.map_function_call(field("function_call"), out));
        }
        let unread = |(name, value): (&String, &Value)| !is_read(name) && !is_blank(value);
        if delta.iter().any(unread) {
            note(Known::No);
        }
        known
    }

    fn map_reasoning(&mut self, delta: &Map<String, Value>, out: &mut Vec<StreamEvent>) -> Known {
        let field = |name: &&str| delta.get(*name).filter(|value| !is_blank(value));
        let said = REASONING.iter().find_map(field);
        let mut known = Known::Yes;
        match said {
            Some(Value::String(text)) => self.think(text.into(), out),
            Some(_) => known = Known::No,
            None => {}
        }
        for name in &REASONING_PARTS {
            for part in field(name).into_iter().flat_map(items) {
                let has_words = has_words(part);
                if has_words && said.is_none() {
                    known = Known::No;
                }
                let keeps = *name == REASONING_DETAILS && !(has_words && said.is_none());
                let kept = keeps.then_some(part);
                self.seal(part, kept, out);
            }
        }
        if let Some(Value::String(seal)) = delta.get(REASONING_SEAL) {
            self.sign(seal, out);
        }
        known
    }

    /// Takes the seal of a part of the thinking. Its text is not taken, since it stands beside
    /// it. A part that is to be `kept` is kept whole, for it goes back as it came.
    fn seal(&mut self, part: &Value, kept: Option<&Value>, out: &mut Vec<StreamEvent>) {
        self.sign(text(part, "signature"), out);
        let sealed = text(part, "data");
        if (!sealed.is_empty() || kept.is_some()) && !self.blocks.is_open(&Key::Thinking) {
            self.blocks.close(&Key::Text, out);
            self.blocks.start_thinking(Key::Thinking, out);
        }
        if let Some(kept) = kept
            && let Some(detail) = self.blocks.detail(&Key::Thinking)
        {
            details::add(detail, kept);
        }
        if !sealed.is_empty() {
            self.blocks
                .redact_thinking(&Key::Thinking, sealed.to_owned());
            // Each seal is whole, so another one is another block's.
            self.blocks.close(&Key::Thinking, out);
        }
    }

    fn sign(&mut self, seal: &str, out: &mut Vec<StreamEvent>) {
        if !seal.is_empty() {
            self.blocks.close(&Key::Text, out);
            self.blocks.sign_thinking(Key::Thinking, seal, out);
        }
    }

    fn map_content(&mut self, content: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match content {
            Value::String(text) => {
                self.add_content(text.into(), out);
                Known::Yes
            }
            Value::Array(_) => each(content, |part| self.map_part(part, out)),
            Value::Null => Known::Yes,
            Value::Bool(_) | Value::Number(_) | Value::Object(_) => Known::No,
        }
    }

    fn map_part(&mut self, part: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if let Some(words) = part.as_str() {
            self.add_content(words.into(), out);
            return Known::Yes;
        }
        match text(part, "type") {
            "" if !part["text"].is_string() => Known::No,
            "" | "text" | "output_text" => {
                self.add_content(text(part, "text").into(), out);
                let known = each(&part["annotations"], |raw| self.annotate(raw));
                let is_text = part["text"].is_string() || is_blank(&part["text"]);
                known_if(known == Known::Yes && is_text)
            }
            "thinking" => {
                self.think(text(part, "thinking").into(), out);
                let known = each(&part["thinking"], |piece| {
                    self.think(text(piece, "text").into(), out);
                    known_if(piece["text"].is_string())
                });
                self.sign(text(part, "signature"), out);
                known_if(known == Known::Yes || part["thinking"].is_string())
            }
            "reference" | "tool_reference" => {
                self.citations.add(part);
                Known::Yes
            }
            "image_url" => map_image(part, out),
            _ => Known::No,
        }
    }

    fn map_refusal(&mut self, refusal: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.say(refusal.as_str().unwrap_or_default().into(), out);
        known_if(refusal.is_string() || is_blank(refusal))
    }

    /// The words of a sound are text; the sound itself comes in pieces that nothing plays.
    fn map_audio(&mut self, audio: &Value, out: &mut Vec<StreamEvent>) -> Known {
        self.say(text(audio, "transcript").into(), out);
        known_if(is_blank(&audio["data"]) && (audio.is_object() || is_blank(audio)))
    }

    fn annotate(&mut self, raw: &Value) -> Known {
        let kind = text(raw, "type");
        let is_citation = kind.is_empty() || kind.ends_with("citation");
        if is_citation {
            self.citations.add(raw);
        }
        known_if(is_citation)
    }

    fn map_call(&mut self, piece: &Value, place: Option<u64>, out: &mut Vec<StreamEvent>) -> Known {
        let function = ["function", "custom"].map(|field| &piece[field]);
        let function = function.into_iter().find(|function| function.is_object());
        let function = function.unwrap_or(piece);
        let whose = Whose {
            index: piece["index"].as_u64(),
            place,
            // A word that one server wrote for no id at all.
            id: Some(text(piece, "id"))
                .filter(|id| *id != "null")
                .unwrap_or_default(),
            name: text(function, "name"),
        };
        let arguments = ["arguments", "input", "parameters"].map(|field| &function[field]);
        let arguments = arguments.into_iter().find(|value| !is_blank(value));
        let known = self.grow_call(whose, arguments, out);
        let extra = &piece["extra_content"]["google"];
        if let Some(at) = self.calls.find(whose) {
            let seal = text(extra, "thought_signature");
            self.blocks.sign(&Key::Call(at), seal);
        }
        known
    }

    /// The older form: one call, without an id.
    fn map_function_call(&mut self, call: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let whose = Whose {
            index: None,
            place: None,
            id: "",
            name: text(call, "name"),
        };
        let arguments = Some(&call["arguments"]).filter(|value| !is_blank(value));
        self.grow_call(whose, arguments, out)
    }

    fn grow_call(
        &mut self,
        whose: Whose<'_>,
        arguments: Option<&Value>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let found = self.calls.find(whose);
        if found.is_none() && whose.id.is_empty() && whose.name.is_empty() {
            return known_if(arguments.is_none());
        }
        let at = found.unwrap_or_else(|| self.calls.add(whose));
        if !whose.name.is_empty() {
            self.announce_call(at, whose.name, out);
        }
        let piece: Cow<'_, str> = match arguments {
            None => return Known::Yes,
            Some(Value::String(piece)) => piece.into(),
            // The input itself, where others send its text.
            Some(whole) => whole.to_string().into(),
        };
        if self.calls.hold(at, &piece).is_some() {
            return Known::Yes;
        }
        known_if(self.blocks.add_input(&Key::Call(at), piece, out) == Found::There)
    }

    /// Begins the block of a call, once.
    pub(super) fn announce_call(&mut self, at: usize, name: &str, out: &mut Vec<StreamEvent>) {
        let Some(Announcement { id, name, early }) = self.calls.announce(at, name) else {
            return;
        };
        let held = self.tags.flush();
        self.say_both(held, out);
        self.blocks.close(&Key::Thinking, out);
        self.blocks.close(&Key::Text, out);
        let call = ToolUse {
            tool_call_id: id,
            name,
            executed_by: ExecutedBy::Weir,
            input: Value::Null,
            detail: None,
        };
        let key = Key::Call(at);
        self.blocks.start_tool_use(key, call, out);
        let (Found::There | Found::Missing) = self.blocks.add_input(&key, early.into(), out);
    }
}

fn has_words(part: &Value) -> bool {
    let words = ["text", "summary", "thinking"].map(|field| text(part, field));
    words.iter().any(|words| !words.is_empty())
}

fn known_if(is_known: bool) -> Known {
    if is_known { Known::Yes } else { Known::No }
}

/// Hears every item of a list; what is no list and not blank is not known.
fn each(list: &Value, mut hear: impl FnMut(&Value) -> Known) -> Known {
    if !(list.is_array() || is_blank(list)) {
        return Known::No;
    }
    let mut known = Known::Yes;
    for item in items(list) {
        if hear(item) == Known::No {
            known = Known::No;
        }
    }
    known
}

fn is_read(field: &str) -> bool {
    const READ: [&str; 8] = [
        "content",
        "refusal",
        "audio",
        "images",
        "annotations",
        "context",
        "tool_calls",
        "function_call",
    ];
    READ.contains(&field)
        || field == REASONING_SEAL
        || REASONING.contains(&field)
        || REASONING_PARTS.contains(&field)
        || SILENT.contains(&field)
}

fn map_image(image: &Value, out: &mut Vec<StreamEvent>) -> Known {
    let address = &image["image_url"];
    let Some(url) = address.as_str().or_else(|| address["url"].as_str()) else {
        return Known::No;
    };
    let media_type = url
        .strip_prefix("data:")
        .and_then(|rest| rest.split([';', ',']).next())
        .filter(|media_type| !media_type.is_empty());
    out.push(StreamEvent::File {
        url: url.to_owned(),
        media_type: media_type.unwrap_or("image/*").to_owned(),
    });
    Known::Yes
}
