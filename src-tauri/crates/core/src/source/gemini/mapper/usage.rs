//! What a message has used so far.
//!
//! Owns the counting of Gemini's reports. Each replaces the one before, and a count that is
//! missing is zero; a report without any count says only how the request was served. The
//! prompt includes what the cache gave and leaves out what the source's own tools added to
//! it; the candidates leave out the thinking.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{StreamEvent, Usage};

use crate::source::dialect::json::{count, text};

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Counts<'a> {
    prompt_token_count: Option<u64>,
    cached_content_token_count: Option<u64>,
    tool_use_prompt_token_count: Option<u64>,
    candidates_token_count: Option<u64>,
    thoughts_token_count: Option<u64>,
    #[serde(borrow)]
    service_tier: Cow<'a, str>,
    /// Vertex's word for the tier.
    #[serde(borrow)]
    traffic_type: Cow<'a, str>,
}

/// The fields of the counts, in the order of [`ReportedCounts`], and their sum, which is not read.
pub(super) const COUNTS: [&str; 6] = [
    r#""promptTokenCount":"#,
    r#""cachedContentTokenCount":"#,
    r#""toolUsePromptTokenCount":"#,
    r#""candidatesTokenCount":"#,
    r#""thoughtsTokenCount":"#,
    r#""totalTokenCount":"#,
];

/// The counts of one report, where it has them.
pub(super) type ReportedCounts = [Option<u64>; 5];

impl Counts<'_> {
    pub(super) fn told(&self) -> ReportedCounts {
        [
            self.prompt_token_count,
            self.cached_content_token_count,
            self.tool_use_prompt_token_count,
            self.candidates_token_count,
            self.thoughts_token_count,
        ]
    }
}

#[derive(Default)]
pub(super) struct UsageSoFar {
    tokens: Option<Tokens>,
    tier: Option<String>,
}

/// Prompt, cached, added to the prompt by tools, candidates, thoughts.
type Tokens = [u64; 5];

impl UsageSoFar {
    pub(super) fn learn(&mut self, reported: &Value, out: &mut Vec<StreamEvent>) {
        let counts = Counts {
            prompt_token_count: count(reported, "promptTokenCount"),
            cached_content_token_count: count(reported, "cachedContentTokenCount"),
            tool_use_prompt_token_count: count(reported, "toolUsePromptTokenCount"),
            candidates_token_count: count(reported, "candidatesTokenCount"),
            thoughts_token_count: count(reported, "thoughtsTokenCount"),
            service_tier: text(reported, "serviceTier").into(),
            traffic_type: text(reported, "trafficType").into(),
        };
        self.learn_tier(&counts);
        self.report(counts.told(), out);
    }

    /// Every chunk brings a report; only news are told.
    pub(super) fn report(&mut self, told: ReportedCounts, out: &mut Vec<StreamEvent>) {
        if told.iter().all(Option::is_none) {
            return;
        }
        // Past that it is garbage, and adding garbage up must not overflow.
        let sane = |count: Option<u64>| count.unwrap_or_default().min(u64::from(u32::MAX));
        let tokens = told.map(sane);
        if self.tokens != Some(tokens) {
            self.tokens = Some(tokens);
            let usage = self.usage(tokens);
            let is_total = false;
            out.push(StreamEvent::Usage { usage, is_total });
        }
    }

    pub(super) fn learn_tier(&mut self, counts: &Counts<'_>) {
        let told = [&counts.service_tier, &counts.traffic_type];
        let told = told.into_iter().find(|word| !word.is_empty());
        if let Some(tier) = told
            && self.tier.as_deref() != Some(tier)
        {
            self.tier = Some(tier.clone().into_owned());
        }
    }

    fn usage(&self, tokens: Tokens) -> Usage {
        let [prompt, cached, tool_prompt, candidates, thoughts] = tokens;
        Usage {
            input_tokens: prompt.saturating_sub(cached) + tool_prompt,
            output_tokens: candidates + thoughts,
            reasoning_tokens: thoughts,
            cache_read_tokens: cached,
            service_tier: self.tier.clone(),
            ..Usage::default()
        }
    }
}
