//! Where the model got it from.
//!
//! Owns the reading of what stands beside the parts: grounding (passages of the text, each
//! tied to some of a list of sources), plain citations, and the pages that were read. Streams
//! repeat these, whole or grown, so each is told once; a source that no passage is tied to is
//! told at the end. What passages repeat of their sources is bounded.

use std::collections::HashSet;

use serde_json::{Value, json};
use weir_protocol::Citation;

use crate::source::dialect::Known;
use crate::source::dialect::json::{items, some_text, text};
use crate::source::dialect::score;

/// The most bytes that are copied out of all the lists of a stream.
const MOST_COPIED: usize = 16 * 1024 * 1024;

#[derive(Default)]
pub(super) struct Citations {
    /// In their provider's form.
    told: HashSet<String>,
    told_urls: HashSet<String>,
    /// Sources that no passage has been tied to so far.
    rest: Vec<Citation>,
    copied: usize,
}

pub(super) struct Learned {
    pub(super) citations: Vec<Citation>,
    /// A sentence for each page that could not be read.
    pub(super) unread: Vec<String>,
    pub(super) known: Known,
}

impl Citations {
    pub(super) fn learn(&mut self, candidate: &Value) -> Learned {
        let mut learned = Learned {
            citations: Vec::new(),
            unread: Vec::new(),
            known: Known::Yes,
        };
        self.learn_grounding(&candidate["groundingMetadata"], &mut learned);
        let plain = &candidate["citationMetadata"];
        // Vertex has another name for the same list.
        for list in [&plain["citationSources"], &plain["citations"]] {
            for raw in items(list) {
                self.tell(citation(raw, raw.clone()), &mut learned);
            }
        }
        for page in items(&candidate["urlContextMetadata"]["urlMetadata"]) {
            self.learn_page(page, &mut learned);
        }
        learned
    }

    /// What the model consulted and tied to no passage.
    pub(super) fn take_rest(&mut self) -> Vec<Citation> {
        let mut rest = std::mem::take(&mut self.rest);
        rest.retain(|citation| {
            let url = citation.url.as_deref().unwrap_or_default();
            url.is_empty() || self.told_urls.insert(url.to_owned())
        });
        rest
    }

    fn learn_grounding(&mut self, grounding: &Value, learned: &mut Learned) {
        let chunks = items(&grounding["groundingChunks"]);
        let mut tied = HashSet::new();
        for support in items(&grounding["groundingSupports"]) {
            let segment = &support["segment"];
            // One for each of the sources, in their order.
            let scores = items(&support["confidenceScores"]);
            for (place, index) in items(&support["groundingChunkIndices"]).iter().enumerate() {
                let index = index.as_u64().and_then(|index| usize::try_from(index).ok());
                let Some((index, chunk)) = index.and_then(|at| Some((at, chunks.get(at)?))) else {
                    learned.known = Known::No;
                    continue;
                };
                tied.insert(index);
                let raw = json!({ "segment": segment, "groundingChunk": chunk });
                let citation = citation(source(chunk), raw);
                let citation = Citation {
                    cited_text: some_text(segment, "text"),
                    confidence: scores
                        .get(place)
                        .and_then(Value::as_f64)
                        .or(citation.confidence),
                    ..citation
                };
                self.tell(citation, learned);
                if self.copied > MOST_COPIED {
                    return;
                }
            }
        }
        for (index, chunk) in chunks.iter().enumerate() {
            if !tied.contains(&index) {
                self.keep(citation(source(chunk), chunk.clone()), learned);
            }
        }
    }

    fn learn_page(&mut self, page: &Value, learned: &mut Learned) {
        let url = text(page, "retrievedUrl");
        match text(page, "urlRetrievalStatus") {
            "" | "URL_RETRIEVAL_STATUS_UNSPECIFIED" | "URL_RETRIEVAL_STATUS_SUCCESS" => {
                self.keep(citation(page, page.clone()), learned);
            }
            status => {
                let message = format!("{url} could not be read: {status}");
                if self.afford(message.len(), learned) && self.told.insert(message.clone()) {
                    learned.unread.push(message);
                }
            }
        }
    }

    fn tell(&mut self, citation: Citation, learned: &mut Learned) {
        let raw = citation.raw.to_string();
        if self.afford(raw.len(), learned) && self.told.insert(raw) {
            self.told_urls.extend(citation.url.clone());
            learned.citations.push(citation);
        }
    }

    fn keep(&mut self, citation: Citation, learned: &mut Learned) {
        let raw = citation.raw.to_string();
        if self.afford(raw.len(), learned) && self.told.insert(raw) {
            self.rest.push(citation);
        }
    }

    /// A list can name one long source again and again: past the bound the frame is kept as
    /// it came, once.
    fn afford(&mut self, bytes: usize, learned: &mut Learned) -> bool {
        self.copied = self.copied.saturating_add(bytes);
        let affordable = self.copied <= MOST_COPIED;
        if !affordable {
            learned.known = Known::No;
        }
        affordable
    }
}

/// A chunk is one field that names the kind of the source: `web`, `maps`, `retrievedContext`.
fn source(chunk: &Value) -> &Value {
    let fields = chunk.as_object();
    fields
        .and_then(|fields| fields.values().find(|value| value.is_object()))
        .unwrap_or(chunk)
}

fn citation(source: &Value, raw: Value) -> Citation {
    const ADDRESSES: [&str; 4] = ["uri", "sourceUri", "imageUri", "retrievedUrl"];
    Citation {
        url: ADDRESSES.iter().find_map(|field| some_text(source, field)),
        title: some_text(source, "title"),
        cited_text: some_text(source, "text"),
        relevance: score::relevance(source),
        confidence: score::confidence(source),
        raw,
    }
}
