//! What is durable, told to whoever listens: the window, the command line.
//!
//! Only the store's writer tells, after each commit and in the order of the commits, so what
//! is heard is durable and the last line heard is the newest. Telling never waits for a
//! listener.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::mpsc;
use uuid::Uuid;
use weir_protocol::{Event, Notice, PromptLook, SessionSummary};

use crate::store::Recorded;

#[derive(Clone, Debug)]
pub enum Published {
    /// New events of one session, in order; chunks are joined to one a block and commit.
    Events(Arc<[Event]>),
    /// A session's line changed.
    Session(Arc<SessionSummary>),
    Deleted(Uuid),
    /// A failure that belongs to no event, because it could not be saved.
    Notice(Notice),
    /// Hooks look at a prompt that is not saved yet, or are done with it.
    Look(PromptLook),
}

#[derive(Default)]
pub(crate) struct Publisher {
    listeners: Mutex<Vec<mpsc::UnboundedSender<Published>>>,
}

impl Publisher {
    /// From now on. A listener that is dropped is forgotten.
    pub(crate) fn subscribe(&self) -> mpsc::UnboundedReceiver<Published> {
        let (sender, receiver) = mpsc::unbounded_channel();
        self.listeners().push(sender);
        receiver
    }

    /// Tells what a write came to. Chunks alone change nothing that a list shows.
    pub(crate) fn recorded(&self, recorded: &Recorded) {
        let events = &recorded.events;
        if !events.is_empty() {
            self.publish(Published::Events(Arc::clone(events)));
        }
        let only_chunks = events.iter().all(|event| event.body.is_chunk());
        if events.is_empty() || !only_chunks {
            self.publish(Published::Session(Arc::clone(&recorded.session)));
        }
    }

    pub(crate) fn publish(&self, published: Published) {
        self.listeners()
            .retain(|listener| listener.send(published.clone()).is_ok());
    }

    fn listeners(&self) -> std::sync::MutexGuard<'_, Vec<mpsc::UnboundedSender<Published>>> {
        // A list of senders is whole even if somebody panicked while holding it.
        self.listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
