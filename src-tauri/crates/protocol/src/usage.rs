//! Tokens, counted one way whatever the provider's way is.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What one step or one turn used. `input` leaves out cached tokens; `output` includes
/// reasoning; the two cache writes are parts of `cache_write`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub reasoning_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
    /// Of the cache writes, those kept for five minutes.
    pub cache_write5m_tokens: u64,
    /// Of the cache writes, those kept for an hour.
    pub cache_write1h_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub service_tier: Option<String>,
}

impl Usage {
    /// Takes in what another step used.
    pub fn add(&mut self, other: &Self) {
        let Self {
            input_tokens,
            output_tokens,
            reasoning_tokens,
            cache_read_tokens,
            cache_write_tokens,
            cache_write5m_tokens,
            cache_write1h_tokens,
            service_tier,
        } = other;
        for (sum, more) in [
            (&mut self.input_tokens, input_tokens),
            (&mut self.output_tokens, output_tokens),
            (&mut self.reasoning_tokens, reasoning_tokens),
            (&mut self.cache_read_tokens, cache_read_tokens),
            (&mut self.cache_write_tokens, cache_write_tokens),
            (&mut self.cache_write5m_tokens, cache_write5m_tokens),
            (&mut self.cache_write1h_tokens, cache_write1h_tokens),
        ] {
            *sum = sum.saturating_add(*more);
        }
        if service_tier.is_some() {
            self.service_tier.clone_from(service_tier);
        }
    }

    pub fn total_tokens(&self) -> u64 {
        // What a source reports may be any number.
        self.input_tokens
            .saturating_add(self.cache_read_tokens)
            .saturating_add(self.cache_write_tokens)
            .saturating_add(self.output_tokens)
    }
}
