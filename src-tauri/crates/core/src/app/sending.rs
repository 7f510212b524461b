//! Prompts on their way: hooks may look at one, and nothing of it is saved yet.
//!
//! Invariant: a stop reaches a prompt at every moment. Before it is saved it ends the hooks and
//! the prompt stays the user's; from then on it stops the turn, by the same channel.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use uuid::Uuid;
use weir_protocol::PromptLook;

use super::{App, AppError, closed};
use crate::hook::{Hooks, Point};
use crate::publish::{Published, Publisher};
use crate::store::StoreError;

/// All that are on their way in this Weir.
#[derive(Default)]
pub(super) struct Sending(Mutex<Vec<UnderWay>>);

struct UnderWay {
    turn: Uuid,
    /// None for one that begins a session.
    session: Option<Uuid>,
    stop: watch::Sender<bool>,
    /// Closes when it is sent or refused.
    over: watch::Receiver<()>,
}

/// One of them, until it is dropped.
pub(super) struct Attempt<'a> {
    sending: &'a Sending,
    turn: Uuid,
    pub(super) stop: watch::Sender<bool>,
    pub(super) stopped: watch::Receiver<bool>,
    _over: watch::Sender<()>,
}

impl Sending {
    /// A session takes one prompt at a time: a second one is refused before any hook hears of it.
    pub(super) fn begin(
        &self,
        turn: Uuid,
        session: Option<Uuid>,
    ) -> Result<Attempt<'_>, StoreError> {
        let mut all = self.all();
        if session.is_some() && all.iter().any(|other| other.session == session) {
            return Err(StoreError::Busy);
        }
        let (stop, stopped) = watch::channel(false);
        let (ending, over) = watch::channel(());
        all.push(UnderWay {
            turn,
            session,
            stop: stop.clone(),
            over,
        });
        Ok(Attempt {
            sending: self,
            turn,
            stop,
            stopped,
            _over: ending,
        })
    }

    fn tell_to_stop(&self, session: Option<Uuid>) -> Vec<watch::Receiver<()>> {
        let all = self.all();
        let told = all.iter().filter(|it| it.session == session);
        let told = told.map(|it| {
            it.stop.send_replace(true);
            it.over.clone()
        });
        told.collect()
    }

    fn all(&self) -> MutexGuard<'_, Vec<UnderWay>> {
        // The list is whole even if somebody panicked while holding it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attempt<'_> {
    /// Whether it may go on.
    pub(super) fn goes_on(&self) -> Result<(), AppError> {
        if *self.stopped.borrow() {
            Err(AppError::Stopped)
        } else {
            Ok(())
        }
    }
}

impl Drop for Attempt<'_> {
    fn drop(&mut self) {
        self.sending.all().retain(|it| it.turn != self.turn);
    }
}

impl App {
    /// Stops what is on its way to a session, or to a new one, and waits until it is sent or
    /// refused. What was saved before it heard of this is a turn that stops.
    pub async fn stop_sending(&self, session: Option<Uuid>) {
        for over in self.sending.tell_to_stop(session) {
            closed(over).await;
        }
    }
}

/// Tells that hooks look at a prompt, until it is dropped.
pub(super) struct Looking {
    publisher: Arc<Publisher>,
    session: Option<Uuid>,
}

impl Looking {
    pub(super) fn tell(
        publisher: &Arc<Publisher>,
        session: Option<Uuid>,
        hooks: &Hooks,
        point: &Point,
    ) -> Option<Self> {
        let hooks = hooks.names_at(point);
        if hooks.is_empty() {
            return None;
        }
        publisher.publish(Published::Look(PromptLook { session, hooks }));
        Some(Self {
            publisher: Arc::clone(publisher),
            session,
        })
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        self.publisher.publish(Published::Look(PromptLook {
            session: self.session,
            hooks: Vec::new(),
        }));
    }
}
