//! The time of day, as events carry it, and ids that sort by it. The only one who reads the
//! machine's clock.
//!
//! Invariant: no clock makes Weir panic, however wrong it is. Moments before 1970 and after 9998
//! are read as the nearest one that everything here can hold: ids begin at 1970, and what is
//! added to a moment (a day, a month) must still be one.

use std::sync::Mutex;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use uuid::{ContextV7, Uuid};

/// 9998-12-31T00:00:00Z.
const LAST_SECOND: u64 = 253_370_678_400;

/// Keeps ids in order that are made in the same millisecond.
static ORDER: Mutex<ContextV7> = Mutex::new(ContextV7::new());

/// Now, to the millisecond: what the database and the web view can both hold.
pub fn now() -> Timestamp {
    moment(SystemTime::now())
}

/// A new id. Ids sort in the order in which they were made, as far as the clock does not go back.
pub fn new_id() -> Uuid {
    id(SystemTime::now())
}

/// Whether the clock is so wrong that certificates cannot be checked against it.
pub fn is_before_1970() -> bool {
    SystemTime::now() < UNIX_EPOCH
}

fn moment(time: SystemTime) -> Timestamp {
    let (seconds, nanoseconds) = since_1970(time);
    let milliseconds = seconds * 1000 + u64::from(nanoseconds) / 1_000_000;
    let milliseconds = i64::try_from(milliseconds).unwrap_or_default();
    Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn id(time: SystemTime) -> Uuid {
    let (seconds, nanoseconds) = since_1970(time);
    Uuid::new_v7(uuid::Timestamp::from_unix(&ORDER, seconds, nanoseconds))
}

fn since_1970(time: SystemTime) -> (u64, u32) {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    if since.as_secs() >= LAST_SECOND {
        (LAST_SECOND, 0)
    } else {
        (since.as_secs(), since.subsec_nanos())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::ToSpan;
    use jiff::tz::TimeZone;

    use super::*;

    /// Seconds from 1970, and what is made of them.
    const TIMES: [(i64, &str); 9] = [
        (i64::MIN / 2, "1970-01-01T00:00:00Z"),
        (-62_135_596_801, "1970-01-01T00:00:00Z"),
        (-1, "1970-01-01T00:00:00Z"),
        (0, "1970-01-01T00:00:00Z"),
        (1, "1970-01-01T00:00:01Z"),
        (2_147_483_648, "2038-01-19T03:14:08Z"),
        (253_370_678_399, "9998-12-30T23:59:59Z"),
        (253_402_300_800, "9998-12-31T00:00:00Z"),
        (i64::MAX / 2, "9998-12-31T00:00:00Z"),
    ];

    fn time(seconds: i64) -> Option<SystemTime> {
        let duration = Duration::from_secs(seconds.unsigned_abs());
        if seconds < 0 {
            UNIX_EPOCH.checked_sub(duration)
        } else {
            UNIX_EPOCH.checked_add(duration)
        }
    }

    #[test]
    fn every_clock_has_a_moment_and_an_id() {
        for (seconds, expected) in TIMES {
            // Not every system can express every one.
            let Some(time) = time(seconds) else { continue };
            let moment = moment(time);
            assert_eq!(moment.to_string(), expected, "{seconds}");
            assert_eq!(id(time).get_version_num(), 7, "{seconds}");
            // What is done with a moment elsewhere.
            for zone in ["Pacific/Kiritimati", "Etc/GMT+12", "UTC"] {
                let zoned = moment.to_zoned(TimeZone::get(zone).unwrap_or(TimeZone::UTC));
                assert!(zoned.checked_add(1.month()).is_ok(), "{seconds} {zone}");
                assert!(zoned.checked_sub(1.year()).is_ok(), "{seconds} {zone}");
            }
        }
    }

    #[test]
    fn ids_differ_when_the_clock_stands_still_or_goes_back() {
        let times = TIMES.into_iter().rev();
        let times = times.filter_map(|(seconds, _)| time(seconds));
        let ids = times.flat_map(|time| (0..1000).map(move |_| id(time)));
        let mut ids: Vec<Uuid> = ids.collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }

    #[test]
    fn ids_of_one_moment_are_in_order() {
        let ids: Vec<Uuid> = (0..10_000).map(|_| new_id()).collect();
        assert!(ids.is_sorted());
    }
}
