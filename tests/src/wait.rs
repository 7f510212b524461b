//! The one way to wait: look again and again until a deadline.

use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(20);

/// Looks until `look` finds something, and panics with `what` when it has not in time.
pub fn wait_for<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + within;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            Instant::now() < deadline,
            "waited {within:?} in vain for {what}"
        );
        std::thread::sleep(INTERVAL);
    }
}

/// Looks until `holds` is true.
pub fn wait_until(what: &str, within: Duration, mut holds: impl FnMut() -> bool) {
    wait_for(what, within, || holds().then_some(()));
}
