//! What the model says: the parts of a message, and where their statements come from.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Value, json};
use weir_protocol::{Citation, StreamEvent};

use super::open::{At, Item};
use super::reasoning::Lane;
use super::{Known, ResponsesMapper};
use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;

#[derive(Debug, Default)]
pub(super) struct Message {
    /// In the order in which they came.
    parts: Vec<Part>,
    /// Where in `parts` each index is.
    places: HashMap<u64, usize>,
    /// The index after all others.
    next: u64,
    /// What the source calls its place in the reply.
    phase: String,
}

#[derive(Debug)]
struct Part {
    index: u64,
    said: bool,
    /// How many of its citations were told.
    cited: usize,
}

impl Message {
    fn part(&mut self, index: u64) -> &mut Part {
        let at = match self.parts.last() {
            // Nearly always, for one part is told at a time.
            Some(part) if part.index == index => self.parts.len() - 1,
            Some(_) | None => self.place(index),
        };
        &mut self.parts[at]
    }

    /// The index by which the nth part went. Servers count from where they like, so it need
    /// not be `nth`.
    fn index_of(&self, nth: usize) -> u64 {
        self.parts.get(nth).map_or(self.next, |part| part.index)
    }

    fn place(&mut self, index: u64) -> usize {
        *self.places.entry(index).or_insert_with(|| {
            self.next = self.next.max(index.saturating_add(1));
            self.parts.push(Part {
                index,
                said: false,
                cited: 0,
            });
            self.parts.len() - 1
        })
    }
}

impl ResponsesMapper {
    pub(super) fn add_text(
        &mut self,
        at: At<'_>,
        index: u64,
        words: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) {
        if words.is_empty() {
            return;
        }
        if let Some(item) = self.messages.find_or_open(at, "message", &mut self.seen) {
            item.state.part(index).said = true;
            self.blocks.add_text((item.number, index), words, out);
        }
    }

    /// The whole text of a part: told only if no delta told it.
    pub(super) fn fill_text(
        &mut self,
        at: At<'_>,
        index: u64,
        words: &str,
        out: &mut Vec<StreamEvent>,
    ) {
        let said = match self.messages.find(at, &self.seen) {
            Some(item) => item.state.part(index).said,
            None => self.seen.has(at),
        };
        if !said {
            self.add_text(at, index, words.into(), out);
        }
    }

    pub(super) fn start_part(&mut self, at: At<'_>, index: u64, part: &Value) -> Known {
        match text(part, "type") {
            "output_text" | "text" | "refusal" => {
                if let Some(item) = self.messages.find_or_open(at, "message", &mut self.seen) {
                    item.state.part(index);
                }
            }
            "reasoning_text" | "summary_text" => {}
            _ => return Known::No,
        }
        Known::Yes
    }

    pub(super) fn end_part(
        &mut self,
        at: At<'_>,
        index: u64,
        part: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let lane = match text(part, "type") {
            "reasoning_text" => Lane::Content,
            "summary_text" => Lane::Summary,
            _ => {
                let mut item = match self.messages.take(at, &self.seen) {
                    Some(item) => item,
                    None if self.seen.has(at) => return Known::Yes,
                    None => self.seen.announce(at, "message"),
                };
                let known = self.finish_part(&mut item, index, part, out);
                self.messages.put(item);
                return known;
            }
        };
        self.fill_thought(at, (lane, index), text(part, "text"), out);
        Known::Yes
    }

    /// A message begins.
    pub(super) fn start_message(&mut self, at: At<'_>, whole: &Value) {
        let mut item: Item<Message> = self.seen.announce(at, "message");
        text(whole, "phase").clone_into(&mut item.state.phase);
        self.messages.put(item);
    }

    /// The message is over: tells what is missing of it and closes its parts.
    pub(super) fn finish_message(
        &mut self,
        mut item: Item<Message>,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let mut known = Known::Yes;
        let phase = text(whole, "phase");
        if !phase.is_empty() {
            phase.clone_into(&mut item.state.phase);
        }
        let content = &whole["content"];
        if let Some(words) = content.as_str() {
            let part = serde_json::json!({ "type": "output_text", "text": words });
            self.finish_part(&mut item, 0, &part, out);
        }
        for (nth, part) in items(content).iter().enumerate() {
            let index = item.state.index_of(nth);
            if self.finish_part(&mut item, index, part, out) == Known::No {
                known = Known::No;
            }
        }
        for part in &item.state.parts {
            self.describe(&item, part.index);
            self.blocks.close(&(item.number, part.index), out);
        }
        known
    }

    fn finish_part(
        &mut self,
        item: &mut Item<Message>,
        index: u64,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let words = match text(whole, "type") {
            "output_text" | "text" => text(whole, "text"),
            "refusal" => text(whole, "refusal"),
            _ => return Known::No,
        };
        let key = (item.number, index);
        let part = item.state.part(index);
        if !part.said && !words.is_empty() {
            part.said = true;
            self.blocks.add_text(key, words.into(), out);
        }
        let annotations = items(&whole["annotations"]);
        for annotation in annotations.iter().skip(part.cited) {
            let id = self.blocks.text_id(key, out);
            out.push(cited(id, annotation, &self.file_scores));
        }
        part.cited = part.cited.max(annotations.len());
        self.describe(item, index);
        self.blocks.close(&key, out);
        Known::Yes
    }

    /// Keeps with a part what its message is called: it goes back under that name.
    fn describe(&mut self, item: &Item<Message>, index: u64) {
        let id = item.id();
        if id.is_empty() {
            return;
        }
        if let Some(detail) = self.blocks.detail(&(item.number, index)) {
            let mut said = json!({ "id": id });
            if !item.state.phase.is_empty() {
                said["phase"] = item.state.phase.as_str().into();
            }
            *detail = Some(said);
        }
    }

    pub(super) fn cite(
        &mut self,
        at: At<'_>,
        index: u64,
        annotation: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        if !annotation.is_object() {
            return Known::No;
        }
        if let Some(item) = self.messages.find_or_open(at, "message", &mut self.seen) {
            item.state.part(index).cited += 1;
            let id = self.blocks.text_id((item.number, index), out);
            out.push(cited(id, annotation, &self.file_scores));
        }
        Known::Yes
    }
}

/// `scores`: how well each file fitted, as the search that found it said.
fn cited(id: u32, raw: &Value, scores: &HashMap<String, f64>) -> StreamEvent {
    let searched = || scores.get(text(raw, "file_id")).copied();
    let citation = Citation {
        url: some_text(raw, "url"),
        title: some_text(raw, "title").or_else(|| some_text(raw, "filename")),
        cited_text: some_text(raw, "quote"),
        relevance: score::relevance(raw).or_else(searched),
        confidence: score::confidence(raw),
        raw: raw.clone(),
    };
    StreamEvent::Citation { id, citation }
}
