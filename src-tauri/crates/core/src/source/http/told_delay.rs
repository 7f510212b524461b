//! How long a server wants to be left alone, as its headers say.
//!
//! Pure: the time of day comes in, and counts only where the server does not tell its own.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};

/// Milliseconds, where they are told, are the better figure of the two.
const RETRY_AFTER_MS: &str = "retry-after-ms";

pub(super) fn told_delay(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let word = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let millis = word(RETRY_AFTER_MS).and_then(|word| in_units(word, 1e-3));
    millis.or_else(|| {
        let word = word(RETRY_AFTER.as_str())?;
        in_units(word, 1.0).or_else(|| {
            // Against the server's own clock: this machine's may be wrong.
            let told = headers.get(DATE).and_then(|date| date.to_str().ok());
            let from = told.and_then(date).unwrap_or(now);
            let wait = date(word)?.duration_since(from);
            Some(Duration::try_from(wait).unwrap_or_default())
        })
    })
}

/// A number of units of so many seconds; what is absurdly long is still a wait.
fn in_units(word: &str, seconds: f64) -> Option<Duration> {
    let number: f64 = word.parse().ok().filter(|number: &f64| *number >= 0.0)?;
    Some(Duration::try_from_secs_f64(number * seconds).unwrap_or(Duration::MAX))
}

fn date(word: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(word.trim()).ok()
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    /// Headers by name and value, and the milliseconds they ask for.
    type Case<'a> = (&'a [(&'a str, &'static str)], Option<u64>);

    #[test]
    fn the_wait_is_read_in_every_form() {
        let now: Timestamp = "2026-11-17T12:00:00Z".parse().unwrap();
        let in_two_minutes = ("retry-after", "Tue, 17 Nov 2026 12:02:00 GMT");
        let cases: &[Case<'_>] = &[
            (&[], None),
            (&[("retry-after", "20")], Some(20_000)),
            (&[("retry-after", " 1.5 ")], Some(1_500)),
            (&[("retry-after", "0")], Some(0)),
            (&[("retry-after", "-1")], None),
            (&[("retry-after", "soon")], None),
            (&[("retry-after", "NaN")], None),
            (
                &[("retry-after-ms", "250"), ("retry-after", "1")],
                Some(250),
            ),
            (
                &[("retry-after-ms", "soon"), ("retry-after", "1")],
                Some(1_000),
            ),
            (&[in_two_minutes], Some(120_000)),
            // The server's clock is a minute ahead.
            (
                &[in_two_minutes, ("date", "Tue, 17 Nov 2026 12:01:00 GMT")],
                Some(60_000),
            ),
            // Past already.
            (&[("retry-after", "Tue, 17 Nov 2026 11:00:00 GMT")], Some(0)),
        ];
        for (told, expected) in cases {
            let headers = told.iter().map(|&(name, value)| {
                let name: HeaderName = name.parse().unwrap();
                (name, HeaderValue::from_static(value))
            });
            let delay = told_delay(&headers.collect(), now);
            let expected = expected.map(Duration::from_millis);
            assert_eq!(delay, expected, "{told:?}");
        }
        let headers = [(RETRY_AFTER, HeaderValue::from_static("1e300"))];
        assert_eq!(
            told_delay(&headers.into_iter().collect(), now),
            Some(Duration::MAX)
        );
    }
}
