//! What messages have used so far.
//!
//! Owns the merging of Anthropic's reports: each is cumulative for its message, and a field
//! that is missing or null in a later one keeps its value. `input_tokens` never includes
//! cached tokens there, which is Weir's own way of counting.

use serde_json::Value;
use weir_protocol::Usage;

use crate::source::dialect::json::count;

#[derive(Default)]
pub(crate) struct UsageSoFar {
    /// Of the messages before this one.
    earlier: Usage,
    usage: Usage,
}

impl UsageSoFar {
    /// Begins where these left off.
    pub(crate) fn after(earlier: Usage) -> Self {
        Self {
            earlier,
            usage: Usage::default(),
        }
    }

    /// Another message begins.
    pub(crate) fn next(&mut self) {
        self.earlier = sum(&self.earlier, &self.usage);
        self.usage = Usage::default();
    }

    /// All that was used so far.
    pub(crate) fn merge(&mut self, reported: &Value) -> Usage {
        self.learn(reported)
            .unwrap_or_else(|| sum(&self.earlier, &self.usage))
    }

    /// The same; `None` when there is no count in the report.
    pub(crate) fn learn(&mut self, reported: &Value) -> Option<Usage> {
        let usage = &mut self.usage;
        let details = &reported["output_tokens_details"];
        let created = &reported["cache_creation"];
        let told = [
            (&mut usage.input_tokens, reported, "input_tokens"),
            (&mut usage.output_tokens, reported, "output_tokens"),
            (&mut usage.reasoning_tokens, details, "thinking_tokens"),
            (
                &mut usage.cache_read_tokens,
                reported,
                "cache_read_input_tokens",
            ),
            (
                &mut usage.cache_write5m_tokens,
                created,
                "ephemeral_5m_input_tokens",
            ),
            (
                &mut usage.cache_write1h_tokens,
                created,
                "ephemeral_1h_input_tokens",
            ),
            (
                &mut usage.cache_write_tokens,
                reported,
                "cache_creation_input_tokens",
            ),
        ];
        let mut is_told = false;
        for (tokens, report, field) in told {
            if let Some(count) = count(report, field) {
                // No stream uses four thousand million tokens: past that it is garbage, and
                // adding garbage up must not overflow.
                *tokens = count.min(u64::from(u32::MAX));
                is_told = true;
            }
        }
        // Some gateways give only the parts, and the whole is never less than they are.
        let parts = usage.cache_write5m_tokens + usage.cache_write1h_tokens;
        usage.cache_write_tokens = usage.cache_write_tokens.max(parts);
        if let Some(tier) = reported["service_tier"].as_str() {
            usage.service_tier = Some(tier.to_owned());
        }
        is_told.then(|| sum(&self.earlier, &self.usage))
    }
}

/// Both together; the later tier is the one that counts.
pub(crate) fn sum(earlier: &Usage, later: &Usage) -> Usage {
    let add = |count: fn(&Usage) -> u64| count(earlier).saturating_add(count(later));
    let tier = later.service_tier.as_ref();
    Usage {
        input_tokens: add(|usage| usage.input_tokens),
        output_tokens: add(|usage| usage.output_tokens),
        reasoning_tokens: add(|usage| usage.reasoning_tokens),
        cache_read_tokens: add(|usage| usage.cache_read_tokens),
        cache_write_tokens: add(|usage| usage.cache_write_tokens),
        cache_write5m_tokens: add(|usage| usage.cache_write5m_tokens),
        cache_write1h_tokens: add(|usage| usage.cache_write1h_tokens),
        service_tier: tier.or(earlier.service_tier.as_ref()).cloned(),
    }
}
