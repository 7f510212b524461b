//! Signals that end Weir: they end its hooks too, which have a session of their own and would not
//! hear of it.

#[cfg(unix)]
use std::time::Duration;

use futures_util::future::BoxFuture;

/// How long an ending Weir waits for its last work, which ends by itself: longer than it waits for
/// a keychain that does not answer, and shorter than the systems wait before they kill.
#[cfg(unix)]
const LAST_WAIT: Duration = Duration::from_secs(60);

/// From now on a closed terminal and a plain `kill` end the hooks first, and leave time for
/// `last`. Needs a runtime.
#[cfg(unix)]
pub fn end_with_weir(last: impl Fn() -> BoxFuture<'static, ()> + Clone + Send + 'static) {
    use tokio::signal::unix::{SignalKind, signal};
    for (kind, code) in [(SignalKind::hangup(), 129), (SignalKind::terminate(), 143)] {
        let last = last.clone();
        match signal(kind) {
            Ok(mut signal) => drop(tokio::spawn(async move {
                if signal.recv().await.is_some() {
                    super::end_all();
                    // Late or not, the end comes.
                    let _ = tokio::time::timeout(LAST_WAIT, last()).await;
                    std::process::exit(code);
                }
            })),
            Err(error) => tracing::warn!(%error, "a signal that ends Weir leaves its hooks"),
        }
    }
}

/// There they are a job that ends with its owner.
#[cfg(not(unix))]
pub fn end_with_weir(_: impl Fn() -> BoxFuture<'static, ()> + Clone + Send + 'static) {}
