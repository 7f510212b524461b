//! Where statements come from.
//!
//! A source may be named before there is any text to hang it on, and Perplexity repeats the
//! whole list with every chunk. Owns what has been named and not yet said.

use serde_json::Value;
use weir_protocol::Citation;

use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;

#[derive(Default)]
pub(super) struct Citations {
    waiting: Vec<Citation>,
    /// How many of the chunk's own list have been taken.
    listed: usize,
}

impl Citations {
    /// Takes what is new in the lists that stand beside the choices: addresses, and the same
    /// addresses with their titles.
    pub(super) fn collect(&mut self, chunk: &Value) {
        let addresses = items(&chunk["citations"]);
        let results = items(&chunk["search_results"]);
        let listed = if addresses.is_empty() {
            results
        } else {
            addresses
        };
        for source in listed.iter().skip(self.listed) {
            let same = |result: &&Value| source.is_string() && result["url"] == *source;
            let result = results.iter().find(same).unwrap_or(source);
            self.waiting.push(citation(result, result));
        }
        self.listed = self.listed.max(listed.len());
    }

    pub(super) fn add(&mut self, raw: &Value) {
        let kind = text(raw, "type");
        let inner = &raw[kind];
        let fields = if inner.is_object() { inner } else { raw };
        self.waiting.push(citation(fields, raw));
    }

    pub(super) fn take(&mut self) -> Vec<Citation> {
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

fn citation(fields: &Value, raw: &Value) -> Citation {
    let said = |field: &str| some_text(fields, field).filter(|text| !text.is_empty());
    Citation {
        url: fields.as_str().map(str::to_owned).or_else(|| said("url")),
        title: said("title"),
        cited_text: said("snippet").or_else(|| said("content")),
        relevance: score::relevance(fields).or_else(|| score::relevance(raw)),
        confidence: score::confidence(fields).or_else(|| score::confidence(raw)),
        raw: raw.clone(),
    }
}
