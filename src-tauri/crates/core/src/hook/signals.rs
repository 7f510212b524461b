//! Signals that end Weir: they end its hooks too, which have a session of their own and would not
//! hear of it.

/// From now on a closed terminal and a plain `kill` end the hooks first. Needs a runtime.
#[cfg(unix)]
pub fn end_with_weir() {
    use tokio::signal::unix::{SignalKind, signal};
    for (kind, code) in [(SignalKind::hangup(), 129), (SignalKind::terminate(), 143)] {
        match signal(kind) {
            Ok(mut signal) => drop(tokio::spawn(async move {
                if signal.recv().await.is_some() {
                    super::end_all();
                    std::process::exit(code);
                }
            })),
            Err(error) => tracing::warn!(%error, "a signal that ends Weir leaves its hooks"),
        }
    }
}

/// There they are a job that ends with its owner.
#[cfg(not(unix))]
pub fn end_with_weir() {}
