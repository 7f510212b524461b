//! The shipped prices, a list a provider.
//!
//! What cannot be told for sure is left out: a price that depends on the hour (DeepSeek), a
//! promotion with an open end, a server that resells others.

use jiff::Timestamp;

use super::{CacheWrite, Price};

/// The provider's row for a model: its name, or its name followed by a date.
pub(super) fn price(source: &str, model: &str) -> Option<&'static Price> {
    let rows = match source {
        "anthropic" => ANTHROPIC,
        "openai" | "openai-chat" => OPENAI,
        "gemini" => GEMINI,
        "xai" => XAI,
        "mistral" => MISTRAL,
        "groq" => GROQ,
        _ => return None,
    };
    let row = rows.iter().find(|(name, _)| is_dated(model, name))?;
    Some(&row.1)
}

impl Price {
    const fn new(input: f64, output: f64, cache_read: f64) -> Self {
        Self {
            input,
            output,
            cache_read,
            cache_write: CacheWrite::Times(1.0),
            long: None,
            doubles_on: None,
        }
    }

    /// Anthropic's: reading the cache costs a tenth, or what the row says.
    const fn anthropic(input: f64, output: f64, cache_read: f64) -> Self {
        Self {
            cache_write: CacheWrite::FiveMinutesOrHour,
            ..Self::new(input, output, cache_read)
        }
    }

    /// OpenAI's newer ones: a prompt above 272,000 tokens costs more.
    const fn openai(input: f64, output: f64, cache_read: f64) -> Self {
        Self::new(input, output, cache_read).above(272_000, 2.0, 1.5)
    }

    /// Those that also charge for writing to the cache.
    const fn openai_cached(input: f64, output: f64, cache_read: f64) -> Self {
        Self {
            cache_write: CacheWrite::Times(1.25),
            ..Self::openai(input, output, cache_read)
        }
    }

    const fn above(self, tokens: u64, input: f64, output: f64) -> Self {
        Self {
            long: Some((tokens, input, output)),
            ..self
        }
    }

    const fn doubles_on(self, day: &'static str) -> Self {
        Self {
            doubles_on: Some(day),
            ..self
        }
    }

    /// What everything is multiplied with at that moment.
    pub(super) fn promotion(&self, now: Timestamp) -> f64 {
        let day = now.strftime("%Y-%m-%d").to_string();
        match self.doubles_on {
            Some(from) if day.as_str() >= from => 2.0,
            Some(_) | None => 1.0,
        }
    }
}

const ANTHROPIC: &[(&str, Price)] = &[
    ("claude-opus-5-5", Price::anthropic(4.0, 20.0, 0.2)),
    ("claude-opus-5", Price::anthropic(5.0, 25.0, 0.5)),
    ("claude-opus-4-8", Price::anthropic(5.0, 25.0, 0.5)),
    ("claude-opus-4-7", Price::anthropic(5.0, 25.0, 0.5)),
    ("claude-opus-4-6", Price::anthropic(5.0, 25.0, 0.5)),
    ("claude-opus-4-5", Price::anthropic(5.0, 25.0, 0.5)),
    ("claude-opus-4-1", Price::anthropic(15.0, 75.0, 1.5)),
    ("claude-opus-4", Price::anthropic(15.0, 75.0, 1.5)),
    ("claude-opus-4-0", Price::anthropic(15.0, 75.0, 1.5)),
    ("claude-sonnet-5-5", Price::anthropic(2.0, 10.0, 0.1)),
    ("claude-sonnet-5", Price::anthropic(2.0, 10.0, 0.2)),
    ("claude-sonnet-4-6", Price::anthropic(3.0, 15.0, 0.3)),
    ("claude-sonnet-4-5", Price::anthropic(3.0, 15.0, 0.3)),
    ("claude-sonnet-4", Price::anthropic(3.0, 15.0, 0.3)),
    ("claude-sonnet-4-0", Price::anthropic(3.0, 15.0, 0.3)),
    ("claude-3-7-sonnet", Price::anthropic(3.0, 15.0, 0.3)),
    (
        "claude-haiku-5-5",
        Price::anthropic(0.1, 0.5, 0.01).above(100_000, 5.0, 5.0),
    ),
    ("claude-haiku-4-5", Price::anthropic(1.0, 5.0, 0.1)),
    ("claude-3-5-haiku", Price::anthropic(0.8, 4.0, 0.08)),
    ("claude-fable-5-1", Price::anthropic(10.0, 50.0, 0.25)),
    ("claude-mythos-5-1", Price::anthropic(10.0, 50.0, 0.25)),
    ("claude-fable-5", Price::anthropic(10.0, 50.0, 1.0)),
    ("claude-mythos-5", Price::anthropic(10.0, 50.0, 1.0)),
];

const OPENAI: &[(&str, Price)] = &[
    ("gpt-6-astra", Price::openai_cached(10.0, 50.0, 1.0)),
    ("gpt-6.1-sol", Price::openai_cached(2.0, 10.0, 0.1)),
    ("gpt-6.1-terra", Price::openai_cached(1.0, 5.0, 0.05)),
    ("gpt-6-sol", Price::openai_cached(2.0, 10.0, 0.2)),
    ("gpt-6-luna", Price::openai_cached(0.1, 0.5, 0.01)),
    ("gpt-5.6-terra", Price::openai_cached(2.0, 12.0, 0.2)),
    ("gpt-5.6-luna", Price::openai_cached(0.2, 1.2, 0.02)),
    ("gpt-5.5", Price::openai(5.0, 30.0, 0.5)),
    ("gpt-5.4", Price::openai(2.5, 15.0, 0.25)),
    ("gpt-5.2", Price::new(1.75, 14.0, 0.175)),
    ("gpt-5.2-codex", Price::new(1.75, 14.0, 0.175)),
    ("gpt-5.3-codex", Price::new(1.75, 14.0, 0.175)),
    ("gpt-5.1", Price::new(1.25, 10.0, 0.125)),
    ("gpt-5", Price::new(1.25, 10.0, 0.125)),
    ("gpt-5-mini", Price::new(0.25, 2.0, 0.025)),
    ("gpt-5-nano", Price::new(0.05, 0.4, 0.005)),
    ("gpt-4.1", Price::new(2.0, 8.0, 0.5)),
    ("gpt-4.1-mini", Price::new(0.4, 1.6, 0.1)),
    ("gpt-4o-2024-05-13", Price::new(5.0, 15.0, 5.0)),
    ("gpt-4o", Price::new(2.5, 10.0, 1.25)),
    ("gpt-4o-mini", Price::new(0.15, 0.6, 0.075)),
    ("o3", Price::new(2.0, 8.0, 0.5)),
];

const GEMINI: &[(&str, Price)] = &[
    (
        "gemini-4-carbon",
        Price::new(2.0, 10.0, 0.1).doubles_on("2026-12-01"),
    ),
    (
        "gemini-4-argon",
        Price::new(2.0, 10.0, 0.1).doubles_on("2026-12-01"),
    ),
    (
        "gemini-3.8-flash",
        Price::new(0.75, 3.75, 0.075).doubles_on("2027-01-01"),
    ),
    (
        "gemini-3.7-flash",
        Price::new(0.75, 3.75, 0.075).doubles_on("2027-01-01"),
    ),
    (
        "gemini-3.6-flash",
        Price::new(0.75, 3.75, 0.075).doubles_on("2027-01-01"),
    ),
    (
        "gemini-3.1-pro-preview",
        Price::new(2.0, 12.0, 0.2).above(200_000, 2.0, 1.5),
    ),
    ("gemini-3.1-flash-lite", Price::new(0.25, 1.5, 0.025)),
    ("gemini-3-flash-preview", Price::new(0.5, 3.0, 0.05)),
];

const XAI: &[(&str, Price)] = &[
    (
        "grok-4.7",
        Price::new(2.0, 6.0, 0.5).above(199_999, 2.0, 2.0),
    ),
    (
        "grok-4.6",
        Price::new(2.0, 6.0, 0.5).above(199_999, 2.0, 2.0),
    ),
    (
        "grok-4.3",
        Price::new(1.25, 2.5, 0.2).above(199_999, 2.0, 2.0),
    ),
];

const MISTRAL: &[(&str, Price)] = &[
    ("mistral-medium-latest", Price::new(1.5, 7.5, 0.15)),
    ("mistral-medium-3-5", Price::new(1.5, 7.5, 0.15)),
    ("mistral-large-2512", Price::new(0.5, 1.5, 0.05)),
    ("codestral-latest", Price::new(0.3, 0.9, 0.03)),
];

const GROQ: &[(&str, Price)] = &[
    ("openai/gpt-oss-120b", Price::new(0.15, 0.6, 0.075)),
    ("openai/gpt-oss-20b", Price::new(0.075, 0.3, 0.0375)),
];

/// Whether `model` is `name`, perhaps with a date: `-20250929` or `-2025-09-29`.
pub(super) fn is_dated(model: &str, name: &str) -> bool {
    match model.strip_prefix(name) {
        Some("" | "-latest") => true,
        Some(rest) => {
            let digits = rest.replace('-', "");
            rest.starts_with("-20")
                && digits.len() == 8
                && matches!(rest.len(), 9 | 11)
                && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        None => false,
    }
}
