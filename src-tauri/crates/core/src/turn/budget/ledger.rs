//! What the steps under way in this Weir are thought to need, until the store knows what they
//! used.
//!
//! Invariant: looking and reserving are one. Of two steps that look at the same time the second
//! sees what the first has reserved.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{MutexGuard, watch};

use super::limit::{Limit, Payer};
use crate::store::Spent;

pub(crate) struct Ledger {
    /// Held from the look at what is spent to the reservation.
    looking: tokio::sync::Mutex<()>,
    reserved: Mutex<Vec<Reserved>>,
    next: AtomicU64,
    /// Changes when a reservation is given back.
    released: watch::Sender<u64>,
    /// The warnings that this Weir has given.
    warned: Mutex<HashSet<(String, String)>>,
}

struct Reserved {
    number: u64,
    payer: Payer,
    likely: Spent,
}

impl Default for Ledger {
    fn default() -> Self {
        Self {
            looking: tokio::sync::Mutex::default(),
            reserved: Mutex::default(),
            next: AtomicU64::default(),
            released: watch::channel(0).0,
            warned: Mutex::default(),
        }
    }
}

impl Ledger {
    /// Nobody else looks or reserves until it is dropped.
    pub(super) async fn look(&self) -> MutexGuard<'_, ()> {
        self.looking.lock().await
    }

    pub(super) fn releases(&self) -> watch::Receiver<u64> {
        self.released.subscribe()
    }

    /// What others hold that counts against the limit too.
    pub(super) fn held(&self, limit: &Limit) -> f64 {
        let reserved = self.reserved();
        let counts = reserved
            .iter()
            .filter(|reserved| reserved.payer.spends_as(&limit.spender));
        counts.map(|reserved| limit.amount(reserved.likely)).sum()
    }

    /// Holds it until what is answered is dropped.
    pub(super) fn reserve(self: &Arc<Self>, payer: &Payer, likely: Spent) -> Reservation {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.reserved().push(Reserved {
            number,
            payer: payer.clone(),
            likely,
        });
        Reservation {
            ledger: Arc::clone(self),
            number,
        }
    }

    /// Whether this Weir gives that warning for the first time.
    pub(super) fn is_news(&self, warning: &(String, String)) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        warned.insert(warning.clone())
    }

    fn reserved(&self) -> std::sync::MutexGuard<'_, Vec<Reserved>> {
        // The list is whole even if somebody panicked while holding it.
        self.reserved.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Reservation {
    ledger: Arc<Ledger>,
    number: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let number = self.number;
        self.ledger
            .reserved()
            .retain(|reserved| reserved.number != number);
        self.ledger.released.send_modify(|count| *count += 1);
    }
}
