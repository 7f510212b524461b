//! What a request used, in the words of any of the providers.
//!
//! Owns where they differ: those of OpenAI and Gemini count cached tokens as input, those of
//! Claude do not, and Gemini counts thoughts beside the output.

use serde_json::Value;
use weir_protocol::Usage;

use crate::source::dialect::json::count;

/// `None` when nothing is said of tokens.
pub(super) fn read(data: &Value) -> Option<Usage> {
    let inner = Some(&data["usage"]).filter(|inner| inner.is_object());
    let data = inner.unwrap_or(data);
    let details = [
        &data["prompt_tokens_details"],
        &data["input_tokens_details"],
        &data["input_token_details"],
    ];
    let cached = ["cached_tokens", "cache_read"];
    let cached = details.iter().find_map(|details| first(details, &cached));
    let cached = cached.or(first(data, &["cachedContentTokenCount"]));
    let beside = first(
        data,
        &[
            "cache_read_input_tokens",
            "cache_read_tokens",
            "cacheReadTokens",
        ],
    );
    let written = [
        "cache_creation_input_tokens",
        "cache_write_tokens",
        "cacheWriteTokens",
    ];
    let input = [
        "input_tokens",
        "inputTokens",
        "prompt_tokens",
        "promptTokenCount",
    ];
    let input = first(data, &input);
    let output = [
        "output_tokens",
        "outputTokens",
        "completion_tokens",
        "candidatesTokenCount",
    ];
    let output = first(data, &output);
    if input.is_none() && output.is_none() {
        return None;
    }
    let thoughts = first(data, &["thoughtsTokenCount"]);
    Some(Usage {
        input_tokens: input
            .unwrap_or_default()
            .saturating_sub(cached.unwrap_or_default()),
        output_tokens: output.unwrap_or_default() + thoughts.unwrap_or_default(),
        reasoning_tokens: thoughts.or(reasoning(data)).unwrap_or_default(),
        cache_read_tokens: cached.or(beside).unwrap_or_default(),
        cache_write_tokens: first(data, &written).unwrap_or_default(),
        ..Usage::default()
    })
}

fn reasoning(data: &Value) -> Option<u64> {
    let details = [
        &data["completion_tokens_details"],
        &data["output_tokens_details"],
        &data["output_token_details"],
        data,
    ];
    let names = [
        "reasoning_tokens",
        "thinking_tokens",
        "reasoning",
        "reasoningTokens",
    ];
    details.iter().find_map(|details| first(details, &names))
}

/// The first of these that is a number. No request uses four thousand million tokens: past
/// that it is garbage, and adding garbage up must not overflow.
fn first(data: &Value, names: &[&str]) -> Option<u64> {
    let found = names.iter().find_map(|name| count(data, name));
    found.map(|tokens| tokens.min(u64::from(u32::MAX)))
}
