//! Questions to the keychain, and how long somebody waits for their answers.
//!
//! A keychain that waits for a person to type a password is given the time for that; one that
//! hangs is noticed within a glance, and is not waited for again until it answers. Each question
//! has a thread of its own, so a program that ends does not wait for the keychain, and there are
//! only so many of them.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::timeout;

use super::{Keychain, KeychainError};

/// How long a keychain that hangs is given to show that it no longer does.
const RECHECK: Duration = Duration::from_millis(250);
/// How many questions may stay unanswered before no other is asked.
const MOST_UNANSWERED: usize = 32;

#[derive(Clone, Copy)]
pub(super) struct Waiting {
    /// For a keychain of which nobody knows whether it hangs.
    pub(super) glance: Duration,
    /// For one that answers, and waits for a person.
    pub(super) patience: Duration,
}

#[derive(Default)]
pub(super) struct Questions(Arc<State>);

#[derive(Default)]
struct State {
    is_hung: AtomicBool,
    unanswered: AtomicUsize,
}

impl Questions {
    /// How long to wait for an answer that does not need a person.
    pub(super) fn glance(&self, glance: Duration) -> Duration {
        if self.0.is_hung.load(Ordering::Relaxed) {
            glance.min(RECHECK)
        } else {
            glance
        }
    }

    pub(super) async fn ask<T: Send + 'static>(
        &self,
        keychain: &Arc<dyn Keychain>,
        waiting: Waiting,
        question: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let Some(mut answered) = self.begin(keychain, question) else {
            return Err(KeychainError::Silent);
        };
        let glance = self.glance(waiting.glance);
        // The first half is for the answer, the second for finding out why there is none.
        if let Ok(answer) = timeout(glance / 2, &mut answered).await {
            return answer.unwrap_or(Err(KeychainError::Silent));
        }
        let sign_of_life = self.begin(keychain, |keychain| {
            let alive = keychain.is_alive().then_some(());
            alive.ok_or(KeychainError::Silent)
        });
        if let Ok(answer) = timeout(glance - glance / 2, &mut answered).await {
            return answer.unwrap_or(Err(KeychainError::Silent));
        }
        let is_alive = sign_of_life.is_some_and(|mut sign| matches!(sign.try_recv(), Ok(Ok(()))));
        if !is_alive {
            self.0.is_hung.store(true, Ordering::Relaxed);
            return Err(KeychainError::Silent);
        }
        match timeout(waiting.patience.saturating_sub(glance), answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(KeychainError::Silent),
        }
    }

    /// Asks on a thread of its own. `None` where too many wait for an answer already.
    fn begin<T: Send + 'static>(
        &self,
        keychain: &Arc<dyn Keychain>,
        question: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Option<oneshot::Receiver<Result<T, KeychainError>>> {
        if self.0.unanswered.fetch_add(1, Ordering::Relaxed) >= MOST_UNANSWERED {
            self.0.unanswered.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        let (keychain, state) = (Arc::clone(keychain), Arc::clone(&self.0));
        let (answer, answered) = oneshot::channel();
        std::thread::spawn(move || {
            let answered = question(keychain.as_ref());
            state.unanswered.fetch_sub(1, Ordering::Relaxed);
            // However late: whoever asks next waits again.
            if !matches!(answered, Err(KeychainError::Silent)) {
                state.is_hung.store(false, Ordering::Relaxed);
            }
            // Nobody waits any more when patience has run out.
            let _ = answer.send(answered);
        });
        Some(answered)
    }
}
