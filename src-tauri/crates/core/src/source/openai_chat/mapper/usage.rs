//! What a stream has used, from reports that count in several ways.
//!
//! Each report is a snapshot of everything so far. Whether cached tokens are part of the
//! input, and reasoning part of the output, differs between servers: the total decides. Where
//! it does not, a part that is larger than its whole is none. Groq's older `x_groq.usage` is not read: it
//! repeats `usage` where that was asked for, and counts one of several requests where a
//! system of models answers.

use serde_json::Value;
use weir_protocol::Usage;

use super::names::{
    CACHE_READ, CACHE_WRITE, CACHE_WRITE_1H, CACHE_WRITE_5M, INPUT, OUTPUT, REASONING_TOKENS, Row,
};
use crate::source::dialect::json::{count, some_text};

#[derive(Default)]
pub(super) struct UsageSoFar {
    usage: Option<Usage>,
}

impl UsageSoFar {
    /// The new snapshot, if this report changes it. `tier` stands beside the report or in it.
    pub(super) fn learn(&mut self, report: &Value, tier: Option<String>) -> Option<Usage> {
        let mut usage = read(report)?;
        let known = || self.usage.as_ref()?.service_tier.clone();
        let told = tier.or_else(|| some_text(report, "service_tier"));
        usage.service_tier = told.or_else(known);
        // Some servers fill the report in only once, and send nothing but zeros around it.
        let is_blank = usage.total_tokens() == 0 && self.usage.is_some();
        if is_blank || self.usage.as_ref() == Some(&usage) {
            return None;
        }
        self.usage = Some(usage.clone());
        Some(usage)
    }
}

/// `None` when there is no count in it.
pub(crate) fn read(report: &Value) -> Option<Usage> {
    let input = tokens(report, &INPUT);
    let output = tokens(report, &OUTPUT);
    if input.is_none() && output.is_none() {
        return None;
    }
    let (input, output) = (input.unwrap_or_default(), output.unwrap_or_default());
    let reasoning = tokens(report, &REASONING_TOKENS).unwrap_or_default();
    let read = tokens(report, &CACHE_READ).unwrap_or_default();
    let short = tokens(report, &CACHE_WRITE_5M).unwrap_or_default();
    let long = tokens(report, &CACHE_WRITE_1H).unwrap_or_default();
    let write = tokens(report, &CACHE_WRITE).unwrap_or_default();
    let write = write.max(short + long);
    let cached = read + write;
    let total = count(report, "total_tokens").filter(|total| *total > 0);
    let apart = total.and_then(|total| total.checked_sub(input + output));
    let beside = apart
        .and_then(|apart| CountedApart::explain(apart, cached, reasoning, input))
        .unwrap_or(CountedApart {
            cached: false,
            reasoning: reasoning > output,
        });
    let held = [cached, read].into_iter().find(|part| *part <= input);
    let inside = held.filter(|_| !beside.cached).unwrap_or_default();
    Some(Usage {
        input_tokens: input - inside,
        output_tokens: output + if beside.reasoning { reasoning } else { 0 },
        reasoning_tokens: reasoning,
        cache_read_tokens: read,
        cache_write_tokens: write,
        cache_write5m_tokens: short,
        cache_write1h_tokens: long,
        service_tier: None,
    })
}

/// Which parts are counted beside their wholes, and not in them.
struct CountedApart {
    cached: bool,
    reasoning: bool,
}

impl CountedApart {
    /// What makes the total come out, which is `apart` more than input and output.
    fn explain(apart: u64, cached: u64, reasoning: u64, input: u64) -> Option<Self> {
        let (with_cached, with_reasoning) = match apart {
            0 => (false, false),
            // Where either would do, the cached are in the input if it can hold them.
            _ if apart == reasoning && (apart != cached || cached <= input) => (false, true),
            _ if apart == cached => (true, false),
            _ if apart == cached + reasoning => (true, true),
            _ => return None,
        };
        Some(Self {
            cached: with_cached,
            reasoning: with_reasoning,
        })
    }
}

fn tokens(report: &Value, rows: &[Row]) -> Option<u64> {
    let tokens = |(object, name): &Row| match *object {
        "" => count(report, name),
        object => count(&report[object], name),
    };
    // No stream uses four thousand million tokens: past that it is garbage, and adding
    // garbage up must not overflow.
    let tokens = rows.iter().filter_map(tokens).max()?;
    Some(tokens.min(u64::from(u32::MAX)))
}
