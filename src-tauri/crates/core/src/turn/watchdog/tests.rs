use std::time::Duration;

use tokio::time::Instant;

use super::{Moment, Watchdog};
use crate::clock;
use crate::turn::patience::Patience;

/// What happens, in seconds of the steady clock since the step began.
#[derive(Clone, Copy, Debug)]
enum Happens {
    Bytes(u64),
    Event(u64),
    /// The wall clock runs ahead of the steady one by so much from here on; or behind.
    WallJumps(i64),
    /// Nobody looks until then, though somebody should.
    Frozen(u64),
    Breaks(u64),
    End(u64),
}

use Happens::{Breaks, Bytes, End, Event, Frozen, WallJumps};

/// When the connection is given up, and why; nothing when it lives to the end. Looks whenever
/// the watchdog wants to.
fn run(happens: &[Happens]) -> Option<(u64, String)> {
    let (start, wall) = (Instant::now(), clock::now());
    let mut ahead = 0_i64;
    let moment = |seconds: u64, ahead: i64| Moment {
        steady: start + Duration::from_secs(seconds),
        wall: wall + jiff::SignedDuration::from_secs(seconds as i64 + ahead),
    };
    let mut watchdog = Watchdog::new(Patience::default(), moment(0, 0));
    for happens in happens {
        let at = match *happens {
            WallJumps(by) => {
                ahead += by;
                continue;
            }
            Frozen(at) | Bytes(at) | Event(at) | Breaks(at) | End(at) => at,
        };
        if !matches!(happens, Frozen(_)) {
            while watchdog.next_look() <= moment(at, 0).steady {
                let seconds = (watchdog.next_look() - start).as_secs();
                if let Err(error) = watchdog.look(moment(seconds, ahead)) {
                    return Some((seconds, error.to_string()));
                }
            }
        }
        let now = moment(at, ahead);
        match happens {
            Bytes(_) => watchdog.hear_bytes(now),
            Event(_) => {
                watchdog.hear_bytes(now);
                watchdog.hear_event(now);
            }
            Breaks(_) => {
                let broken = crate::source::SourceError::Broken("reset".into());
                return Some((at, watchdog.explain(broken, now).to_string()));
            }
            Frozen(_) => {
                if let Err(error) = watchdog.look(now) {
                    return Some((at, error.to_string()));
                }
            }
            WallJumps(_) | End(_) => {}
        }
    }
    None
}

/// A name, what happens, and when and in which words the connection is given up.
type Case = (&'static str, Vec<Happens>, Option<(u64, &'static str)>);

#[test]
fn a_connection_is_given_up_when_it_should_be() {
    let pings: Vec<Happens> = (1..40).map(|at| Bytes(at * 15)).collect();
    let dead = "Nothing came any more";
    let idle = "said nothing";
    let slept = "The computer slept";
    let cases: Vec<Case> = vec![
        ("silence from the start", vec![End(1000)], Some((180, dead))),
        (
            "silence after some words",
            vec![Event(100), End(1000)],
            Some((280, dead)),
        ),
        ("pings alone", pings, Some((300, idle))),
        (
            "pings between words",
            vec![Bytes(150), Event(290), Bytes(450), Event(580), End(700)],
            None,
        ),
        (
            "a sleep, and nothing after it",
            vec![Event(10), WallJumps(3600), End(500)],
            // Noticed at the next look, and given up 15 seconds later.
            Some((30, slept)),
        ),
        (
            "a sleep that the connection outlived",
            vec![Event(10), WallJumps(3600), Event(20), End(150)],
            None,
        ),
        (
            "a sleep, a last word from the buffer, and nothing more",
            vec![Event(10), WallJumps(3600), Event(12), End(500)],
            Some((192, slept)),
        ),
        (
            "a sleep, and then the connection breaks",
            vec![Event(10), WallJumps(3600), Breaks(16)],
            Some((16, slept)),
        ),
        (
            "no sleep, and the connection breaks",
            vec![Event(10), Breaks(16)],
            Some((16, "The connection broke: reset")),
        ),
        (
            "a sleep that the steady clock counted",
            vec![Event(10), Frozen(4000), End(5000)],
            Some((4015, slept)),
        ),
        (
            "small corrections of the clock",
            vec![
                Event(10),
                WallJumps(20),
                Event(150),
                WallJumps(-20),
                End(320),
            ],
            None,
        ),
        (
            "a clock put back",
            vec![Event(10), WallJumps(-7200), Event(100), End(250)],
            None,
        ),
    ];
    for (name, happens, expected) in cases {
        let given_up = run(&happens);
        match (&given_up, expected) {
            (None, None) => {}
            (Some((at, why)), Some((expected_at, words))) => {
                assert_eq!(*at, expected_at, "{name}: {why}");
                assert!(why.contains(words), "{name}: {why}");
            }
            (Some(_), None) | (None, Some(_)) => panic!("{name}: {given_up:?}"),
        }
    }
}
