//! A stop that crosses from one Weir to another: both may work on one database at once.
//!
//! Invariant: a running turn notices a stop that another Weir asks for within [`LOOK`], and the
//! one that asked answers only once the turn's end is saved.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use uuid::Uuid;

use super::{App, AppError, closed};
use crate::turn::TurnId;

/// So often a running turn looks for a request.
const LOOK: Duration = Duration::from_millis(200);
/// A Weir that is itself stopped, or busy with a slow disk, may take a while.
const PATIENCE: Duration = Duration::from_secs(15);

impl App {
    /// Listens for another Weir's request to stop this turn, until the turn is over.
    pub(super) fn hear_stop_requests(
        self: &Arc<Self>,
        id: TurnId,
        stop: watch::Sender<bool>,
        over: watch::Receiver<()>,
    ) {
        let app = Arc::clone(self);
        tokio::spawn(async move {
            let mut over = std::pin::pin!(closed(over));
            loop {
                tokio::select! {
                    () = &mut over => return,
                    () = sleep(LOOK) => {}
                }
                match app.store.is_stop_requested(id.session, id.turn).await {
                    Ok(false) => {}
                    Ok(true) => {
                        stop.send_replace(true);
                        return;
                    }
                    // The turn itself finds out what is wrong with the database.
                    Err(error) => tracing::debug!(%error, "no look for a stop request"),
                }
            }
        });
    }

    /// Asks the Weir that runs the session's turn to stop it, and waits for the turn's end.
    pub(super) async fn stop_elsewhere(&self, session: Uuid) -> Result<(), AppError> {
        let Some(turn) = self.store.request_stop(session).await? else {
            return Ok(());
        };
        let ending = async {
            loop {
                // The other Weir may have ended without a word.
                self.recover().await?;
                if self.store.running_turn(session).await? != Some(turn) {
                    return Ok::<_, AppError>(());
                }
                sleep(LOOK / 4).await;
            }
        };
        // What was asked stays asked: it is heard as soon as the other Weir can.
        timeout(PATIENCE, ending)
            .await
            .map_err(|_| AppError::ElsewhereRunning)??;
        Ok(self.store.withdraw_stop(session).await?)
    }
}
