//! What tokens cost: the user's own prices, and those of the [`catalogue`]. A model that neither
//! knows has no price, never a wrong one.

use jiff::Timestamp;
use weir_protocol::{ModelPrice, Usage};

use super::catalogue;

/// The catalogue's prices with the user's own over them.
#[derive(Clone, Debug, Default)]
pub struct Prices {
    own: Vec<ModelPrice>,
}

impl Prices {
    pub fn new(own: Vec<ModelPrice>) -> Self {
        Self { own }
    }

    /// US dollars for what `usage` says, when the price is known. `models` are the names that
    /// it goes by: as the source reports it, and as it was asked for. Batch and priority tiers
    /// have prices of their own, which no table here holds.
    pub fn cost(
        &self,
        source: &str,
        models: [&str; 2],
        usage: &Usage,
        now: Timestamp,
    ) -> Option<f64> {
        if let Some(own) = self.own(models) {
            return Some(own_cost(own, usage));
        }
        if !matches!(
            usage.service_tier.as_deref(),
            None | Some("standard" | "default" | "auto" | "on_demand")
        ) {
            return None;
        }
        // Many report the exact version of what was asked for under a name that nobody lists.
        let price = models
            .iter()
            .find_map(|name| catalogue::price(source, name))?;
        Some(price.cost(usage, now))
    }

    /// Whether what a model costs can be told before it is asked.
    pub(crate) fn is_known(&self, source: &str, model: &str) -> bool {
        self.own([model; 2]).is_some() || catalogue::price(source, model).is_some()
    }

    /// Whether the user has set a price for the model.
    pub(crate) fn has_own(&self, model: &str) -> bool {
        self.own([model; 2]).is_some()
    }

    fn own(&self, models: [&str; 2]) -> Option<&ModelPrice> {
        let is_own =
            |own: &&ModelPrice| models.iter().any(|it| catalogue::is_dated(it, &own.model));
        self.own.iter().find(is_own)
    }

    /// US dollars that the same would have cost more without a cache, all of it at the full input
    /// price; less than nothing where what was written cost more than the reads have saved. None
    /// when the price is not known.
    pub fn saved(
        &self,
        source: &str,
        models: [&str; 2],
        usage: &Usage,
        now: Timestamp,
    ) -> Option<f64> {
        let uncached = Usage {
            input_tokens: usage
                .input_tokens
                .saturating_add(usage.cache_read_tokens)
                .saturating_add(usage.cache_write_tokens),
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            cache_write5m_tokens: 0,
            cache_write1h_tokens: 0,
            ..usage.clone()
        };
        let full = self.cost(source, models, &uncached, now)?;
        Some(full - self.cost(source, models, usage, now)?)
    }
}

fn own_cost(own: &ModelPrice, usage: &Usage) -> f64 {
    let dollars = usage.input_tokens as f64 * own.input
        + usage.output_tokens as f64 * own.output
        + usage.cache_read_tokens as f64 * own.cache_read
        + usage.cache_write_tokens as f64 * own.cache_write;
    dollars / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(cost: Option<f64>) -> Option<f64> {
        cost.map(|cost| (cost * 1e6).round())
    }

    fn day(day: &str) -> Timestamp {
        format!("{day}T12:00:00Z").parse().unwrap()
    }

    fn usage() -> Usage {
        Usage {
            input_tokens: 1_000_000,
            output_tokens: 100_000,
            cache_read_tokens: 1_000_000,
            cache_write_tokens: 300_000,
            cache_write5m_tokens: 200_000,
            cache_write1h_tokens: 100_000,
            ..Usage::default()
        }
    }

    #[test]
    fn costs_what_the_page_says() {
        let cases = [
            ("anthropic", "claude-sonnet-4-5", Some(6.15)),
            ("anthropic", "claude-sonnet-4-5-20250929", Some(6.15)),
            ("anthropic", "claude-sonnet-4-59", None),
            ("anthropic", "claude-sonnet-4-5-fast", None),
            ("ollama", "claude-sonnet-4-5", None),
            ("llamacpp", "gpt-4.1", None),
            ("demo", "demo", None),
        ];
        for (source, model, expected) in cases {
            let cost = Prices::default().cost(source, [model; 2], &usage(), day("2026-11-16"));
            assert_eq!(rounded(cost), rounded(expected), "{source} {model}");
        }
    }

    #[test]
    fn a_reported_name_that_nobody_lists_costs_what_was_asked_for() {
        let models = ["claude-sonnet-4-5-preview-build", "claude-sonnet-4-5"];
        let cost = Prices::default().cost("anthropic", models, &usage(), day("2026-11-16"));
        assert_eq!(rounded(cost), rounded(Some(6.15)));
    }

    #[test]
    fn long_prompts_and_ended_promotions_cost_more() {
        let short = Usage {
            input_tokens: 100_000,
            output_tokens: 10_000,
            ..Usage::default()
        };
        let long = Usage {
            input_tokens: 300_000,
            ..short.clone()
        };
        let cases = [
            ("openai", "gpt-5.4", &short, "2026-11-16", 0.25 + 0.15),
            (
                "openai",
                "gpt-5.4-2026-03-05",
                &long,
                "2026-11-16",
                1.5 + 0.225,
            ),
            (
                "gemini",
                "gemini-3.8-flash",
                &short,
                "2026-12-31",
                0.075 + 0.0375,
            ),
            (
                "gemini",
                "gemini-3.8-flash",
                &short,
                "2027-01-01",
                0.15 + 0.075,
            ),
        ];
        for (source, model, usage, when, expected) in cases {
            let cost = Prices::default().cost(source, [model; 2], usage, day(when));
            assert_eq!(rounded(cost), rounded(Some(expected)), "{model} on {when}");
        }
    }

    #[test]
    fn the_users_own_price_wins() {
        let own = ModelPrice {
            model: "claude-sonnet-4-5".into(),
            input: 1.0,
            output: 10.0,
            cache_read: 0.5,
            cache_write: 2.0,
        };
        let prices = Prices::new(vec![own]);
        let usage = Usage {
            service_tier: Some("priority".into()),
            ..usage()
        };
        let cases = [
            ("anthropic", ["claude-sonnet-4-5", "other"]),
            ("ollama", ["claude-sonnet-4-5-20250929", "other"]),
            ("xai", ["another", "claude-sonnet-4-5"]),
        ];
        for (source, models) in cases {
            let cost = prices.cost(source, models, &usage, day("2026-11-16"));
            assert_eq!(rounded(cost), rounded(Some(1.0 + 1.0 + 0.5 + 0.6)));
        }
    }

    #[test]
    fn a_cache_saves_what_its_reads_cost_less_and_its_writes_cost_more() {
        let cached = |read: u64, five_minutes: u64, one_hour: u64| Usage {
            input_tokens: 1_000,
            cache_read_tokens: read,
            cache_write_tokens: five_minutes + one_hour,
            cache_write5m_tokens: five_minutes,
            cache_write1h_tokens: one_hour,
            output_tokens: 1_000,
            ..Usage::default()
        };
        let claude = ("anthropic", "claude-sonnet-4-5");
        let rows = [
            // At three dollars: nine tenths of what is read, less a quarter and once of what is
            // written.
            (claude, usage(), Some(2.7 - 0.15 - 0.3)),
            (claude, cached(100_000, 0, 0), Some(0.27)),
            // The first step of a session only writes.
            (claude, cached(0, 100_000, 0), Some(-0.075)),
            (claude, cached(0, 0, 100_000), Some(-0.3)),
            (claude, cached(0, 0, 0), Some(0.0)),
            // Where writing costs what input does, it saves nothing.
            (
                ("gemini", "gemini-3.8-flash"),
                cached(0, 100_000, 0),
                Some(0.0),
            ),
            (
                ("mine", "mine"),
                cached(100_000, 100_000, 0),
                Some(0.05 - 0.1),
            ),
            (("ollama", "claude-sonnet-4-5"), usage(), None),
        ];
        let own = ModelPrice {
            model: "mine".into(),
            input: 1.0,
            output: 10.0,
            cache_read: 0.5,
            cache_write: 2.0,
        };
        let prices = Prices::new(vec![own]);
        for ((source, model), usage, expected) in rows {
            let saved = prices.saved(source, [model; 2], &usage, day("2026-11-16"));
            assert_eq!(
                rounded(saved),
                rounded(expected),
                "{source} {model} {usage:?}"
            );
        }
    }

    #[test]
    fn a_tier_without_a_price_has_no_cost() {
        let usage = Usage {
            output_tokens: 5,
            service_tier: Some("priority".into()),
            ..Usage::default()
        };
        let cost = Prices::default().cost(
            "anthropic",
            ["claude-sonnet-4-5"; 2],
            &usage,
            day("2026-11-16"),
        );
        assert_eq!(cost, None);
    }
}
