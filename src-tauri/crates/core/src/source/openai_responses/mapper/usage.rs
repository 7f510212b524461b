//! What a response used, counted Weir's way.
//!
//! OpenAI counts cached tokens inside the input and reasoning inside the output. Some who
//! speak its dialect count them beside it, and their total gives them away.

use serde_json::Value;
use weir_protocol::Usage;

use crate::source::dialect::json::{count, some_text};

/// `None` when the response reports no usage, or no count of it.
pub(super) fn usage(response: &Value) -> Option<Usage> {
    let reported = &response["usage"];
    let input = found(reported, &["input_tokens", "prompt_tokens"]);
    let output = found(reported, &["output_tokens", "completion_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or_default(), output.unwrap_or_default());
    let of_input = details(reported, ["input_tokens_details", "prompt_tokens_details"]);
    let cached = tokens(of_input, &["cached_tokens"]);
    let written = tokens(of_input, &["cache_write_tokens", "cache_creation_tokens"]);
    let of_output = details(
        reported,
        ["output_tokens_details", "completion_tokens_details"],
    );
    let reasoning = tokens(of_output, &["reasoning_tokens"]);

    let cache = cached + written;
    let beside = tokens(reported, &["total_tokens"]).saturating_sub(input + output);
    let (cache_inside, reasoning_beside) = match beside {
        0 => (cache, 0),
        _ if beside == reasoning => (cache, reasoning),
        _ if beside == cache => (0, 0),
        _ if beside == cache + reasoning => (0, reasoning),
        _ => (cache, 0),
    };
    Some(Usage {
        input_tokens: input.saturating_sub(cache_inside),
        output_tokens: output + reasoning_beside,
        reasoning_tokens: reasoning,
        cache_read_tokens: cached,
        cache_write_tokens: written,
        service_tier: some_text(response, "service_tier"),
        ..Usage::default()
    })
}

fn details<'a>(reported: &'a Value, names: [&str; 2]) -> &'a Value {
    let [own, other] = names.map(|name| &reported[name]);
    if own.is_null() { other } else { own }
}

/// The first of these counts that is there. No response uses four thousand million tokens:
/// past that it is garbage, and adding garbage up must not overflow.
fn found(reported: &Value, names: &[&str]) -> Option<u64> {
    let found = names.iter().find_map(|name| count(reported, name))?;
    Some(found.min(u64::from(u32::MAX)))
}

fn tokens(reported: &Value, names: &[&str]) -> u64 {
    found(reported, names).unwrap_or_default()
}
