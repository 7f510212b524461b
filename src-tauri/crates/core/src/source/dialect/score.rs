//! How well a source fits, or how sure a provider is of it, by whatever name it says so.

use serde_json::Value;

const RELEVANCE: [&str; 4] = ["relevance", "relevance_score", "relevanceScore", "score"];
const CONFIDENCE: [&str; 3] = ["confidence", "confidence_score", "confidenceScore"];

pub(crate) fn relevance(source: &Value) -> Option<f64> {
    first(source, &RELEVANCE)
}

pub(crate) fn confidence(source: &Value) -> Option<f64> {
    first(source, &CONFIDENCE)
}

/// Said of the source itself, or of the document it was taken from.
fn first(source: &Value, names: &[&str]) -> Option<f64> {
    let places = [source, &source["metadata"]];
    let mut scores = places
        .into_iter()
        .flat_map(|place| names.iter().map(|name| &place[*name]));
    scores.find_map(Value::as_f64)
}
