//! What is known of models before they are asked: price, context window, output limit, what they
//! take in, effort levels.
//!
//! The data is one file, `models.json`, with its date and origin at the top; `make update-models`
//! writes it anew from public registries, and `overrides.json` holds what is known better, a
//! reason each. A model that is not listed is unknown: no figure is ever guessed.
//!
//! A row holds for a model at its own source only: a server on this machine may call what it runs
//! by any name.

mod names;
mod rates;

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

pub(crate) use names::is_dated;
pub use rates::{Price, Rates};

/// What a model takes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    Text,
    Image,
    Pdf,
    Audio,
}

/// How hard a model thinks, as its own API calls it, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Effort {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    pub source: String,
    pub model: String,
    #[serde(default)]
    pub price: Option<Price>,
    /// The tokens that a request and its reply may have together; of Gemini, the request alone.
    #[serde(default)]
    pub context: Option<u64>,
    /// The tokens of its longest reply.
    #[serde(default)]
    pub max_output: Option<u64>,
    #[serde(rename = "input")]
    pub modalities: Vec<Modality>,
    /// Empty where its API has no levels: it does not think, or is told by a switch or a number
    /// of tokens.
    pub efforts: Vec<Effort>,
}

impl Model {
    pub fn accepts(&self, modality: Modality) -> bool {
        self.modalities.contains(&modality)
    }

    pub fn accepts_images(&self) -> bool {
        self.accepts(Modality::Image)
    }
}

#[derive(Deserialize)]
struct File {
    date: String,
    models: Vec<Model>,
}

struct Catalogue {
    date: String,
    /// By source and lower-case name.
    models: HashMap<(String, String), Model>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    // A test reads it too, so what is shipped can be read.
    let file = serde_json::from_str(include_str!("models.json")).unwrap_or_else(|error| {
        tracing::error!(%error, "the model catalogue cannot be read");
        File {
            date: String::new(),
            models: Vec::new(),
        }
    });
    let by_name = |model: Model| ((model.source.clone(), model.model.to_lowercase()), model);
    Catalogue {
        date: file.date,
        models: file.models.into_iter().map(by_name).collect(),
    }
});

/// The day on which the figures were last compared with the registries.
pub fn date() -> &'static str {
    &CATALOGUE.date
}

/// What is known of a model by any of its names: with a date or a region, or as a variant that
/// differs in price and speed alone.
pub fn model(source: &str, name: &str) -> Option<&'static Model> {
    find(names::candidates(source, name))
}

/// The context window of a model, where it is known.
pub(crate) fn context(source: &str, name: &str) -> Option<u64> {
    model(source, name)?.context
}

/// What a model costs. A variant of another price has none here.
pub fn price(source: &str, name: &str) -> Option<&'static Price> {
    if names::is_free(source, name) {
        return Some(&rates::FREE);
    }
    find(names::exact_candidates(source, name))?.price.as_ref()
}

fn find(candidates: Vec<(&'static str, String)>) -> Option<&'static Model> {
    let get = |(source, name): (&str, String)| CATALOGUE.models.get(&(source.to_owned(), name));
    candidates.into_iter().find_map(get)
}

#[cfg(test)]
mod tests;
