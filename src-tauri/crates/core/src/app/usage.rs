//! What was used, added up as a person asks for it.

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use weir_protocol::{UsageBy, UsageReport, UsageRow};

use super::{App, AppError};
use crate::clock;

/// More days than that no page shows.
const MOST_DAYS: u32 = 366;

impl App {
    /// All that was ever used.
    pub async fn usage(&self, by: UsageBy) -> Result<Vec<UsageRow>, AppError> {
        Ok(self.store.usage(by, None, &TimeZone::system()).await?)
    }

    /// What the last days used, today included.
    pub async fn usage_report(&self, days: u32) -> Result<UsageReport, AppError> {
        let now = clock::now().to_zoned(TimeZone::system());
        let every_day = days_until(&now, days.clamp(1, MOST_DAYS));
        let since = every_day.first().map(|(_, start)| *start);
        let zone = now.time_zone();
        let usage = async |by| self.store.usage(by, since, zone).await;
        let used = usage(UsageBy::Day).await?;
        let mut total = UsageRow::default();
        used.iter().for_each(|day| total.add(day));
        let days = every_day.into_iter().map(|(key, _)| {
            let day = used.iter().find(|day| day.key == key);
            day.cloned().unwrap_or_else(|| UsageRow {
                key,
                ..UsageRow::default()
            })
        });
        Ok(UsageReport {
            total,
            days: days.collect(),
            projects: usage(UsageBy::Project).await?,
            models: usage(UsageBy::Model).await?,
            sources: usage(UsageBy::Source).await?,
        })
    }
}

/// The names and beginnings of so many days up to that one, oldest first.
fn days_until(now: &Zoned, days: u32) -> Vec<(String, Timestamp)> {
    let day = |ago: u32| {
        let date = now.date().checked_sub(i64::from(ago).days()).ok()?;
        let start = date.to_zoned(now.time_zone().clone()).ok()?;
        Some((date.to_string(), start.timestamp()))
    };
    (0..days).rev().filter_map(day).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_day_begins_at_its_own_midnight() {
        let now: Zoned = "2026-03-30T10:00:00+02:00[Europe/Berlin]".parse().unwrap();
        let expected = [
            ("2026-03-28", "2026-03-27T23:00:00Z"),
            ("2026-03-29", "2026-03-28T23:00:00Z"),
            // An hour shorter.
            ("2026-03-30", "2026-03-29T22:00:00Z"),
        ];
        let expected = expected.map(|(day, start)| (day.to_owned(), start.parse().unwrap()));
        assert_eq!(days_until(&now, 3), expected);
    }
}
