//! The one way to wait: look again and again until something is there.

use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(20);

/// Whatever takes longer than this hangs. It only ends such a test: no outcome depends on it, on
/// however busy a machine.
pub const HANGS: Duration = Duration::from_secs(300);

/// Looks until `look` finds something, and panics with `what` when it hangs.
pub fn wait_for<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + HANGS;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            Instant::now() < deadline,
            "waited {HANGS:?} in vain for {what}"
        );
        std::thread::sleep(INTERVAL);
    }
}

/// Looks until `holds` is true.
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}
