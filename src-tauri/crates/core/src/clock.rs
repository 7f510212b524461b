//! The time of day, as events carry it.

use jiff::Timestamp;

/// Now, to the millisecond: what the database and the web view can both hold.
pub fn now() -> Timestamp {
    let now = Timestamp::now();
    Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
}
