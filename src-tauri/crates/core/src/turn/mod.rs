//! One turn: a prompt, the step that answers it, and the events that come of it.
//!
//! [`Step`] reads the source and [`Assembler`] makes blocks of what it says; the store publishes
//! what it has committed. However the turn ends (done, failed,
//! stopped), its open blocks are finished and it gets an end.
//!
//! Cost of a delta: its text is appended to the pending chunk and to its block. Cost of a
//! frame: one row, one commit shared with the other sessions.

mod assemble;
mod patience;
pub(crate) mod prepare;
mod retry;
mod step;
mod watchdog;

use tokio::sync::watch;
use weir_protocol::{ErrorBody, StopReason};

use crate::clock;
use crate::source::price::Prices;
use crate::source::{Connection, Source, StepRequest};
use crate::store::{Store, StoreError};

pub(crate) use assemble::{Assembler, TurnId};
pub use patience::Patience;
use step::{Saver, Step};

pub(crate) struct Turn {
    pub(crate) id: TurnId,
    pub(crate) source: &'static Source,
    pub(crate) connection: Connection,
    pub(crate) request: StepRequest,
    pub(crate) prices: Prices,
    pub(crate) store: Store,
    pub(crate) patience: Patience,
    /// Turns true when the user stops the turn.
    pub(crate) stop: watch::Receiver<bool>,
}

/// How a turn came to its end.
enum End {
    Complete(StopReason),
    Failed(ErrorBody),
}

impl Turn {
    /// Runs to the end. A failed save ends it too: nothing is shown that is not kept.
    pub(crate) async fn run(mut self) -> Result<(), StoreError> {
        let mut assembler = Assembler::new(
            self.id,
            self.source.name,
            &self.request.model,
            std::mem::take(&mut self.prices),
        );
        let step = Step {
            source: self.source,
            connection: &self.connection,
            request: &self.request,
            saver: Saver {
                session: self.id.session,
                store: &self.store,
            },
            patience: self.patience,
            stop: &mut self.stop,
        };
        match step.run(&mut assembler).await? {
            End::Complete(reason) => assembler.complete(reason, clock::now()),
            End::Failed(error) => assembler.fail(error, clock::now()),
        }
        let saver = Saver {
            session: self.id.session,
            store: &self.store,
        };
        saver.save(&mut assembler).await
    }
}
