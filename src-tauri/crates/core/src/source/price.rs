//! What tokens cost, as published by the providers on [`AS_OF`]; a model that is not listed
//! has no price, never a wrong one.

use weir_protocol::Usage;

/// The day the table was last compared with the providers' pages.
pub const AS_OF: &str = "2026-10-10";

/// US dollars for a million tokens.
struct Price {
    model: &'static str,
    input: f64,
    output: f64,
    cache_read: f64,
}

const fn price(model: &'static str, input: f64, output: f64, cache_read: f64) -> Price {
    Price {
        model,
        input,
        output,
        cache_read,
    }
}

/// A name matches when it is the row's, or the row's followed by a date.
const PRICES: &[Price] = &[
    price("claude-opus-5", 5.0, 25.0, 0.5),
    price("claude-opus-4-8", 5.0, 25.0, 0.5),
    price("claude-opus-4-7", 5.0, 25.0, 0.5),
    price("claude-opus-4-6", 5.0, 25.0, 0.5),
    price("claude-opus-4-5", 5.0, 25.0, 0.5),
    price("claude-opus-4-1", 15.0, 75.0, 1.5),
    price("claude-opus-4", 15.0, 75.0, 1.5),
    price("claude-opus-4-0", 15.0, 75.0, 1.5),
    price("claude-sonnet-5", 2.0, 10.0, 0.2),
    price("claude-sonnet-4-6", 3.0, 15.0, 0.3),
    price("claude-sonnet-4-5", 3.0, 15.0, 0.3),
    price("claude-sonnet-4", 3.0, 15.0, 0.3),
    price("claude-sonnet-4-0", 3.0, 15.0, 0.3),
    price("claude-3-7-sonnet", 3.0, 15.0, 0.3),
    price("claude-haiku-4-5", 1.0, 5.0, 0.1),
    price("claude-3-5-haiku", 0.8, 4.0, 0.08),
];

/// Writing to the cache costs this much of the input price, by how long it is kept.
const WRITE_FIVE_MINUTES: f64 = 1.25;
const WRITE_ONE_HOUR: f64 = 2.0;

/// US dollars for what `usage` says, when the model's price is known. Batch and priority
/// tiers have prices of their own, which this table does not hold.
pub fn cost(model: &str, usage: &Usage) -> Option<f64> {
    let ordinary = matches!(usage.service_tier.as_deref(), None | Some("standard"));
    let price = PRICES
        .iter()
        .find(|price| ordinary && is_dated(model, price.model))?;
    let one_hour = usage.cache_write1h_tokens;
    let five_minutes = usage.cache_write_tokens.saturating_sub(one_hour);
    let per_million = usage.input_tokens as f64 * price.input
        + usage.output_tokens as f64 * price.output
        + usage.cache_read_tokens as f64 * price.cache_read
        + five_minutes as f64 * price.input * WRITE_FIVE_MINUTES
        + one_hour as f64 * price.input * WRITE_ONE_HOUR;
    Some(per_million / 1_000_000.0)
}

fn is_dated(model: &str, row: &str) -> bool {
    match model.strip_prefix(row) {
        Some("" | "-latest") => true,
        Some(rest) => {
            rest.len() == 9
                && rest.starts_with("-20")
                && rest[1..].bytes().all(|b| b.is_ascii_digit())
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_what_the_page_says() {
        let usage = Usage {
            input_tokens: 1_000_000,
            output_tokens: 100_000,
            cache_read_tokens: 1_000_000,
            cache_write_tokens: 300_000,
            cache_write5m_tokens: 200_000,
            cache_write1h_tokens: 100_000,
            ..Usage::default()
        };
        let cases = [
            ("claude-sonnet-4-5", Some(3.0_f64 + 1.5 + 0.3 + 0.75 + 0.6)),
            ("claude-sonnet-4-5-20250929", Some(6.15)),
            ("claude-sonnet-4-59", None),
            ("claude-sonnet-4-5-fast", None),
            ("demo", None),
        ];
        for (model, expected) in cases {
            let cost = cost(model, &usage).map(|cost| (cost * 1e6).round());
            assert_eq!(cost, expected.map(|cost| (cost * 1e6).round()), "{model}");
        }
    }

    #[test]
    fn a_tier_without_a_price_has_no_cost() {
        let usage = Usage {
            output_tokens: 5,
            service_tier: Some("priority".into()),
            ..Usage::default()
        };
        assert_eq!(cost("claude-sonnet-4-5", &usage), None);
    }
}
