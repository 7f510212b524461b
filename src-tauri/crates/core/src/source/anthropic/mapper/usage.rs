//! What a message has used so far.
//!
//! Owns the merging of Anthropic's reports: each is cumulative, and a field that is missing
//! or null in a later one keeps its value. `input_tokens` never includes cached tokens there,
//! which is Weir's own way of counting.

use serde_json::Value;
use weir_protocol::Usage;

#[derive(Default)]
pub(super) struct UsageSoFar {
    usage: Usage,
}

impl UsageSoFar {
    pub(super) fn merge(&mut self, reported: &Value) -> Usage {
        let usage = &mut self.usage;
        let created = &reported["cache_creation"];
        set(&mut usage.input_tokens, &reported["input_tokens"]);
        set(&mut usage.output_tokens, &reported["output_tokens"]);
        let details = &reported["output_tokens_details"];
        set(&mut usage.reasoning_tokens, &details["thinking_tokens"]);
        set(
            &mut usage.cache_read_tokens,
            &reported["cache_read_input_tokens"],
        );
        set(
            &mut usage.cache_write5m_tokens,
            &created["ephemeral_5m_input_tokens"],
        );
        set(
            &mut usage.cache_write1h_tokens,
            &created["ephemeral_1h_input_tokens"],
        );
        set(
            &mut usage.cache_write_tokens,
            &reported["cache_creation_input_tokens"],
        );
        // Some gateways give only the parts, and the whole is never less than they are.
        let parts = usage.cache_write5m_tokens + usage.cache_write1h_tokens;
        usage.cache_write_tokens = usage.cache_write_tokens.max(parts);
        if let Some(tier) = reported["service_tier"].as_str() {
            usage.service_tier = Some(tier.to_owned());
        }
        usage.clone()
    }
}

fn set(count: &mut u64, reported: &Value) {
    if let Some(tokens) = reported.as_u64() {
        // No stream uses four thousand million tokens: past that it is garbage, and adding
        // garbage up must not overflow.
        *count = tokens.min(u64::from(u32::MAX));
    }
}
