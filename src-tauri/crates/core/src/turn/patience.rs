//! How long a step waits, and how often it is asked: figures, each with its reason.

use std::time::Duration;

use crate::source::Location;

/// The program's own is [`Patience::default`]; a test has less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// How often a failed step is asked again; two, as the providers' own SDKs do.
    pub retries: u32,
    /// The first wait before that; every further one is twice as long.
    pub first_delay: Duration,
    pub longest_delay: Duration,
    /// A source that wants to be left alone for longer is not waited for: whoever sits in front
    /// of the window should know and decide.
    pub longest_told_delay: Duration,
    /// Without one byte for this long a connection is dead. Providers think in silence, but
    /// their keep-alives come every few seconds.
    pub byte_silence: Duration,
    /// Without one stream event for this long a step is stuck, whatever keeps its line open.
    pub event_silence: Duration,
    /// A server on this machine loads its model and reads a long prompt in silence, and asking
    /// it again would only make it begin anew. One that died closes its connection.
    pub neighbour_silence: Duration,
    /// How often the watchdog looks at the clocks.
    pub look_every: Duration,
    /// Between two looks the clocks may drift apart by this much; more was a sleep.
    pub sleep_gap: Duration,
    /// How soon after a sleep a connection has to show that it is alive.
    pub after_sleep: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            retries: 2,
            first_delay: Duration::from_millis(500),
            longest_delay: Duration::from_secs(8),
            longest_told_delay: Duration::from_secs(60),
            byte_silence: Duration::from_secs(180),
            event_silence: Duration::from_secs(300),
            neighbour_silence: Duration::from_secs(30 * 60),
            look_every: Duration::from_secs(5),
            sleep_gap: Duration::from_secs(30),
            after_sleep: Duration::from_secs(15),
        }
    }
}

impl Patience {
    /// With a source that is there.
    pub(super) fn with(self, location: Location) -> Self {
        match location {
            Location::Cloud => self,
            Location::Here => Self {
                byte_silence: self.neighbour_silence,
                event_silence: self.neighbour_silence,
                ..self
            },
        }
    }
}
