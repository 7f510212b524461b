//! What tokens cost: by the length of the prompt, the day and the hour.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Deserialize;
use weir_protocol::Usage;

/// US dollars for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Rates {
    pub input: f64,
    pub output: f64,
    /// Where the provider has no price for its cache, it costs what input does.
    #[serde(default)]
    pub cache_read: Option<f64>,
    #[serde(default)]
    pub cache_write: Option<f64>,
    /// What is kept for an hour, where that costs more.
    #[serde(default, rename = "cacheWrite1h")]
    pub cache_write_1h: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Price {
    #[serde(flatten)]
    rates: Rates,
    /// What all of a request costs whose prompt is longer.
    #[serde(default)]
    long: Vec<Tier>,
    #[serde(default)]
    off_peak: Option<OffPeak>,
    /// What it costs from a later day on, in the order of days.
    #[serde(default)]
    changes: Vec<Change>,
}

pub(super) static FREE: Price = Price {
    rates: Rates {
        input: 0.0,
        output: 0.0,
        cache_read: None,
        cache_write: None,
        cache_write_1h: None,
    },
    long: Vec::new(),
    off_peak: None,
    changes: Vec::new(),
};

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Tier {
    /// More tokens than these.
    above: u64,
    #[serde(flatten)]
    rates: Rates,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Change {
    /// `2026-12-01`.
    on: String,
    #[serde(flatten)]
    rates: Rates,
    #[serde(default)]
    long: Vec<Tier>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
struct OffPeak {
    #[serde(flatten)]
    rates: Rates,
    windows: Vec<Window>,
}

/// Days of the week, Monday first as 1, and hours of each, all in UTC.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Window {
    weekdays: Vec<i8>,
    hours: Vec<Hours>,
}

/// Minutes of a day, from the first to before the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Hours {
    from: u16,
    to: u16,
}

impl TryFrom<String> for Hours {
    type Error = String;

    fn try_from(hours: String) -> Result<Self, Self::Error> {
        let minutes = |clock: &str| {
            let (hour, minute) = clock.split_once(':')?;
            Some(hour.parse::<u16>().ok()? * 60 + minute.parse::<u16>().ok()?)
        };
        let both = hours.split_once('-');
        let both = both.and_then(|(from, to)| Some((minutes(from)?, minutes(to)?)));
        match both {
            // Midnight ends a day.
            Some((from, 0)) => Ok(Self { from, to: 24 * 60 }),
            Some((from, to)) if from < to => Ok(Self { from, to }),
            Some(_) | None => Err(format!("{hours} are no hours of a day")),
        }
    }
}

impl Price {
    /// US dollars for that usage at that moment.
    pub(crate) fn cost(&self, usage: &Usage, now: Timestamp) -> f64 {
        let prompt = usage.total_tokens().saturating_sub(usage.output_tokens);
        let rates = self.rates_at(prompt, now);
        let one_hour = usage.cache_write1h_tokens.min(usage.cache_write_tokens);
        let shorter = usage.cache_write_tokens - one_hour;
        let cache_write = rates.cache_write.unwrap_or(rates.input);
        let dollars = usage.input_tokens as f64 * rates.input
            + usage.output_tokens as f64 * rates.output
            + usage.cache_read_tokens as f64 * rates.cache_read.unwrap_or(rates.input)
            + shorter as f64 * cache_write
            + one_hour as f64 * rates.cache_write_1h.unwrap_or(cache_write);
        dollars / 1_000_000.0
    }

    /// The rates for a prompt of so many tokens at that moment.
    pub fn rates_at(&self, prompt: u64, now: Timestamp) -> Rates {
        let utc = now.to_zoned(TimeZone::UTC);
        let day = utc.date().to_string();
        let changed = self.changes.iter().rev().find(|change| change.on <= day);
        let (rates, long) = match changed {
            Some(change) => (change.rates, &change.long),
            None => (self.rates, &self.long),
        };
        if let Some(tier) = long.iter().rev().find(|tier| prompt > tier.above) {
            return tier.rates;
        }
        let minute = utc.hour() as u16 * 60 + utc.minute() as u16;
        let weekday = utc.weekday().to_monday_one_offset();
        let is_now = |window: &Window| {
            let within = |hours: &Hours| (hours.from..hours.to).contains(&minute);
            window.weekdays.contains(&weekday) && window.hours.iter().any(within)
        };
        match &self.off_peak {
            Some(off_peak) if off_peak.windows.iter().any(is_now) => off_peak.rates,
            Some(_) | None => rates,
        }
    }
}
