//! Whether a failed step is asked again, and after which wait.
//!
//! Pure: chance comes in as an argument. Invariant: a step of which anything was shown is never
//! asked again, so nothing shown is lost or shown twice, and no tool runs twice.

use std::time::Duration;

use super::patience::Patience;
use crate::source::fault::{Failure, Fault};

/// What of a failed attempt has reached the log or the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    Nothing,
    Something,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    AskAgain { delay: Duration },
    GiveUp,
}

/// `retries` have been made before; `chance` lies between 0 and 1.
pub(super) fn decide(
    failure: &Failure,
    heard: Shown,
    retries: u32,
    chance: f64,
    patience: &Patience,
) -> Verdict {
    if heard == Shown::Something
        || failure.fault == Fault::Lasting
        || retries >= patience.retries
        || failure.retry_after > Some(patience.longest_told_delay)
    {
        return Verdict::GiveUp;
    }
    // A source that says "at once" has said nothing of use.
    let told = failure.retry_after.filter(|wait| !wait.is_zero());
    let delay = told.unwrap_or_else(|| backoff(retries, chance, patience));
    Verdict::AskAgain { delay }
}

/// Doubles with every retry, and is up to a quarter shorter by chance: clients that were turned
/// away together should not come back together.
fn backoff(retries: u32, chance: f64, patience: &Patience) -> Duration {
    let doubled = patience
        .first_delay
        .saturating_mul(2_u32.saturating_pow(retries));
    let whole = doubled.min(patience.longest_delay);
    whole.mul_f64(1.0 - 0.25 * chance.clamp(0.0, 1.0))
}

#[cfg(test)]
mod tests {
    use weir_protocol::ErrorBody;

    use super::*;

    fn failure(fault: Fault, retry_after: Option<u64>) -> Failure {
        Failure {
            fault,
            retry_after: retry_after.map(Duration::from_millis),
            error: ErrorBody::new("x", "No."),
        }
    }

    #[test]
    fn asks_again_only_when_it_can_help_and_harm_nothing() {
        use Fault::{Lasting, Passing};
        use Shown::{Nothing, Something};
        // What failed, how long to wait as told, what was heard, retries before: the delay.
        let cases = [
            (Passing, None, Nothing, 0, Some(500)),
            (Passing, None, Nothing, 1, Some(1_000)),
            (Passing, None, Nothing, 2, None),
            (Passing, None, Something, 0, None),
            (Lasting, None, Nothing, 0, None),
            (Lasting, Some(1_000), Nothing, 0, None),
            (Passing, Some(250), Nothing, 0, Some(250)),
            (Passing, Some(20_000), Nothing, 1, Some(20_000)),
            (Passing, Some(60_000), Nothing, 0, Some(60_000)),
            (Passing, Some(60_001), Nothing, 0, None),
            (Passing, Some(0), Nothing, 0, Some(500)),
            (Passing, Some(1_000), Something, 0, None),
        ];
        for (fault, told, heard, retries, expected) in cases {
            let failure = failure(fault, told);
            let verdict = decide(&failure, heard, retries, 0.0, &Patience::default());
            let expected = match expected {
                Some(delay) => Verdict::AskAgain {
                    delay: Duration::from_millis(delay),
                },
                None => Verdict::GiveUp,
            };
            assert_eq!(verdict, expected, "{fault:?} {told:?} {heard:?} {retries}");
        }
    }

    #[test]
    fn waits_double_up_to_a_limit_and_vary_by_a_quarter() {
        let patience = Patience::default();
        let millis = |retries, chance| backoff(retries, chance, &patience).as_millis();
        let longest: Vec<u128> = (0..6).map(|retries| millis(retries, 0.0)).collect();
        assert_eq!(longest, [500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        let shortest: Vec<u128> = (0..6).map(|retries| millis(retries, 1.0)).collect();
        assert_eq!(shortest, [375, 750, 1_500, 3_000, 6_000, 6_000]);
        assert_eq!(millis(u32::MAX, 0.0), 8_000);
    }
}
