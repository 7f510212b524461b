//! What the model thinks: the parts of a reasoning item, in full or in short, and its seal.

use std::borrow::Cow;

use serde_json::Value;
use weir_protocol::StreamEvent;

use super::ResponsesMapper;
use super::open::{At, Item, Key};
use crate::source::dialect::json::{items, text};

#[derive(Debug, Default)]
pub(super) struct Thought {
    /// The parts told so far; the last of them is being told.
    told: Vec<Part>,
}

/// A part is one of the thoughts themselves or one of what they are in short.
type Part = (Lane, u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    ) {
        if words.is_empty() {
            return;
        }
        let seen = &mut self.seen;
        let Some(item) = self.thoughts.find_or_open(at, "reasoning", seen) else {
            return;
        };
        let key = key(item);
        if item.state.told.last() != Some(&part) {
            item.state.told.push(part);
            if self.has_thought {
                self.blocks.add_thinking(key, "\n\n".into(), out);
            }
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
            None => self.seen.has(at.id),
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
        if item.state.told.is_empty() {
            for words in shown(whole) {
                if self.has_thought {
                    self.blocks.add_thinking(key, "\n\n".into(), out);
                }
                self.has_thought = true;
                self.blocks.add_thinking(key, words.into(), out);
            }
        }
        let seal = text(whole, "encrypted_content");
        self.blocks.sign_thinking(key, seal, out);
        self.blocks.close(&key, out);
    }
}

fn key(item: &Item<Thought>) -> Key {
    (item.number, 0)
}

/// The thoughts themselves, or else what they are in short.
fn shown(whole: &Value) -> Vec<&str> {
    let words = |field: &str| -> Vec<&str> {
        let parts = items(&whole[field]).iter();
        let words = parts.map(|part| part.as_str().unwrap_or_else(|| text(part, "text")));
        words.filter(|words| !words.is_empty()).collect()
    };
    let content = words("content");
    if content.is_empty() {
        words("summary")
    } else {
        content
    }
}
