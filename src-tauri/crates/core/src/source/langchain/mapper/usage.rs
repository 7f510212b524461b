//! What the models of a stream have used, added up.
//!
//! LangChain's own form counts cached tokens as part of the input and says so in the details;
//! what chunks report adds up to what their run used. Providers' forms, where LangChain
//! hands them through, are read by those who own them.

use serde_json::Value;
use weir_protocol::Usage;

use super::message::unwrapped;
use crate::source::anthropic::mapper::usage as anthropic;
use crate::source::dialect::json::{count, text};
use crate::source::openai_chat::mapper::usage as openai;

pub(super) use anthropic::sum;

#[derive(Default)]
pub(super) struct UsageSoFar {
    /// Of the runs that are over.
    ended: Usage,
    told: Usage,
}

impl UsageSoFar {
    pub(super) fn add(&mut self, usage: &Usage) {
        self.ended = sum(&self.ended, usage);
    }

    /// All that was used, together with what runs under way report; `None` if that is known.
    pub(super) fn with<'a>(&mut self, open: impl Iterator<Item = &'a Usage>) -> Option<Usage> {
        let usage = open.fold(self.ended.clone(), |all, run| sum(&all, run));
        let is_new = usage != self.told;
        self.told.clone_from(&usage);
        is_new.then_some(usage)
    }
}

/// What a chunk or a whole message reports.
pub(super) fn of_message(message: &Value) -> Option<Usage> {
    let report = &message["usage_metadata"];
    let (input, output) = (
        tokens(report, "input_tokens"),
        tokens(report, "output_tokens"),
    );
    if input.is_none() && output.is_none() {
        return None;
    }
    let details = &report["input_token_details"];
    let read = tokens(details, "cache_read").unwrap_or_default();
    let short = tokens(details, "ephemeral_5m_input_tokens").unwrap_or_default();
    let long = tokens(details, "ephemeral_1h_input_tokens").unwrap_or_default();
    let write = tokens(details, "cache_creation").unwrap_or_default();
    let write = write.max(short.saturating_add(long));
    let tier = text(&message["response_metadata"], "service_tier");
    let reasoning = &report["output_token_details"];
    Some(Usage {
        input_tokens: input.unwrap_or_default().saturating_sub(read + write),
        output_tokens: output.unwrap_or_default(),
        reasoning_tokens: tokens(reasoning, "reasoning").unwrap_or_default(),
        cache_read_tokens: read,
        cache_write_tokens: write,
        cache_write5m_tokens: short,
        cache_write1h_tokens: long,
        service_tier: Some(tier.to_owned()).filter(|tier| !tier.is_empty()),
    })
}

/// What the provider itself reported, where the output of a model carries that.
pub(super) fn of_output(output: &Value) -> Option<Usage> {
    let provider = ["llmOutput", "llm_output"]
        .map(|field| &unwrapped(output)[field])
        .into_iter()
        .find(|provider| provider.is_object())?;
    let report = ["usage", "tokenUsage", "token_usage"]
        .map(|field| &provider[field])
        .into_iter()
        .find(|report| report.is_object())?;
    if let Some(input) = tokens(report, "promptTokens") {
        return Some(Usage {
            input_tokens: input,
            output_tokens: tokens(report, "completionTokens").unwrap_or_default(),
            ..Usage::default()
        });
    }
    if report["prompt_tokens"].is_number() {
        return openai::read(report);
    }
    let is_count = report["input_tokens"].is_number() || report["output_tokens"].is_number();
    is_count.then(|| anthropic::UsageSoFar::default().merge(report))
}

fn tokens(report: &Value, field: &str) -> Option<u64> {
    // No stream uses four thousand million tokens: past that it is garbage, and adding
    // garbage up must not overflow.
    count(report, field).map(|tokens| tokens.min(u64::from(u32::MAX)))
}
