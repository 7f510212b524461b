//! What the model thinks: the parts of a reasoning item, in full or in short, and its seal.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Value, json};
use weir_protocol::StreamEvent;

use super::open::{At, Item, Key};
use super::{Delta, ResponsesMapper};
use crate::source::dialect::json::{items, text};

#[derive(Debug, Default)]
pub(super) struct Thought {
    /// The parts told so far.
    told: BTreeSet<Part>,
    /// The one that is being told.
    last: Option<Part>,
    /// How many bytes were told of the thoughts themselves, and of what they are in short.
    length: [usize; 2],
}

/// A part is one of the thoughts themselves or one of what they are in short.
type Part = (Lane, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Lane {
    Content,
    Summary,
}

impl ResponsesMapper {
    pub(super) fn start_thought(&mut self, at: At<'_>, out: &mut Vec<StreamEvent>) {
        let item: Item<Thought> = self.seen.announce(at, "reasoning");
        self.blocks.start_thinking(key(&item), out);
        self.thoughts.put(item);
    }

    pub(super) fn think(
        &mut self,
        at: At<'_>,
        part: Part,
        words: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) -> Delta {
        if words.is_empty() {
            return Delta::Said;
        }
        let seen = &mut self.seen;
        let Some(item) = self.thoughts.find_or_open(at, "reasoning", seen) else {
            return Delta::Said;
        };
        let number = item.number;
        let key = key(item);
        let is_next = item.state.last != Some(part);
        if is_next {
            item.state.told.insert(part);
            item.state.last = Some(part);
        }
        item.state.length[part.0 as usize] += words.len();
        self.say_thought(key, is_next, words, out);
        Delta::Thought(number, part.0)
    }

    /// More was told of the part that was told last.
    pub(super) fn count_thought(&mut self, number: u32, lane: Lane, length: usize) {
        if let Some(item) = self.thoughts.by_number(number) {
            item.state.length[lane as usize] += length;
        }
    }

    /// A blank line keeps the thoughts apart.
    fn say_thought(
        &mut self,
        key: Key,
        is_next: bool,
        words: Cow<'_, str>,
        out: &mut Vec<StreamEvent>,
    ) {
        if is_next && self.has_thought {
            self.blocks.add_thinking(key, "\n\n".into(), out);
        }
        self.has_thought = true;
        self.blocks.add_thinking(key, words, out);
    }

    /// The whole of a part: told only if no delta told it.
    pub(super) fn fill_thought(
        &mut self,
        at: At<'_>,
        part: Part,
        words: &str,
        out: &mut Vec<StreamEvent>,
    ) {
        let told = match self.thoughts.find(at, &self.seen) {
            Some(item) => item.state.told.contains(&part),
            None => self.seen.has(at),
        };
        if !told {
            self.think(at, part, words.into(), out);
        }
    }

    /// The item is over: tells what is missing of it, seals it and closes it. What was not
    /// shown at all may still be sealed.
    pub(super) fn finish_thought(
        &mut self,
        item: Item<Thought>,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) {
        let key = key(&item);
        for words in item.state.untold(whole) {
            self.say_thought(key, true, words.into(), out);
        }
        let seal = text(whole, "encrypted_content");
        self.blocks.sign_thinking(key, seal, out);
        // Without its seal it cannot be sent back, for the other side stores nothing.
        let id = text(whole, "id");
        if !id.is_empty()
            && !seal.is_empty()
            && let Some(detail) = self.blocks.detail(&key)
        {
            *detail = Some(json!({ "id": id }));
        }
        self.blocks.close(&key, out);
    }
}

fn key(item: &Item<Thought>) -> Key {
    (item.number, 0)
}

impl Thought {
    /// What is missing of a whole item: the thoughts themselves, or else what they are in
    /// short, or the rest of what was told of either.
    fn untold<'a>(&self, whole: &'a Value) -> Vec<&'a str> {
        if self.told.is_empty() {
            let content = words(whole, Lane::Content);
            return if content.is_empty() {
                words(whole, Lane::Summary)
            } else {
                content
            };
        }
        let lanes = [Lane::Content, Lane::Summary];
        let rest = lanes.into_iter().flat_map(|lane| self.rest(whole, lane));
        rest.collect()
    }

    /// Servers count parts from where they like, and some tell all of them as one: a part is
    /// missing when there were neither as many parts nor as many words.
    fn rest<'a>(&self, whole: &'a Value, lane: Lane) -> Vec<&'a str> {
        let count = self.told.iter().filter(|(told, _)| *told == lane).count();
        if count == 0 {
            return Vec::new();
        }
        let mut length = 0;
        let mut is_missing = |words: &str| {
            length += words.len();
            length > self.length[lane as usize]
        };
        let parts = words(whole, lane).into_iter().enumerate();
        parts
            .filter(|(nth, words)| is_missing(words) && *nth >= count)
            .map(|(_, words)| words)
            .collect()
    }
}

fn words(whole: &Value, lane: Lane) -> Vec<&str> {
    let field = match lane {
        Lane::Content => "content",
        Lane::Summary => "summary",
    };
    let parts = items(&whole[field]).iter();
    let words = parts.map(|part| part.as_str().unwrap_or_else(|| text(part, "text")));
    words.filter(|words| !words.is_empty()).collect()
}
