//! The way of originals from memory to the database and back: sealed with a key that only the
//! keychain has.
//!
//! Nothing here fails a turn but the database itself. Without a keychain a key for this run
//! seals, and the user is told that the originals end with it.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use uuid::Uuid;
use weir_protocol::{Notice, code};

use super::vault::{Vault, WeakVault};
use crate::publish::{Published, Publisher};
use crate::secret::{Kept, Secrets};
use crate::store::{SealedOriginal, Store, StoreError};

/// Clones share it.
#[derive(Clone)]
pub(crate) struct Keeper {
    store: Store,
    secrets: Arc<Secrets>,
    publisher: Arc<Publisher>,
    /// The vaults that a turn or a window holds; those of idle sessions are gone.
    open: Arc<Mutex<HashMap<Uuid, WeakVault>>>,
    /// The sessions of which it was told that something stays closed.
    told: Arc<Mutex<HashSet<Uuid>>>,
}

impl Keeper {
    pub(crate) fn new(store: Store, secrets: Arc<Secrets>, publisher: Arc<Publisher>) -> Self {
        Self {
            store,
            secrets,
            publisher,
            open: Arc::default(),
            told: Arc::default(),
        }
    }

    /// The one vault of a session, with all that is stored, opened as far as the keys go. A
    /// session without originals does not ask the keychain.
    pub(crate) async fn vault(&self, session: Uuid) -> Result<Vault, StoreError> {
        let stored = self.store.originals(session).await?;
        let vault = {
            let mut open = locked(&self.open);
            open.retain(|_, vault| vault.upgrade().is_some());
            let known = open.get(&session).and_then(WeakVault::upgrade);
            known.unwrap_or_else(|| {
                let vault = Vault::new(session);
                open.insert(session, vault.downgrade());
                vault
            })
        };
        if vault.knows(&stored) {
            return Ok(vault);
        }
        let (keys, why) = self.secrets.opening_keys().await;
        vault.take_in(stored, &keys);
        if !vault.is_open() && locked(&self.told).insert(session) {
            let why = match why {
                Some(error) => error.to_string(),
                None => "Their key is not in the keychain any more.".to_owned(),
            };
            self.tell(format!(
                "Some of what guards took out of this session stays a placeholder. {why}"
            ));
        }
        Ok(vault)
    }

    /// What is not stored yet, sealed, for whoever stores it.
    pub(crate) async fn seal(&self, vault: &Vault) -> Vec<SealedOriginal> {
        if !vault.has_unsaved() {
            return Vec::new();
        }
        let key = self.secrets.redaction_key().await;
        match key.kept {
            Kept::ThisRun {
                reason,
                is_news: true,
            } => self.tell(format!(
                "What guards take out can be shown until Weir closes, then its placeholders stay. {reason}"
            )),
            Kept::ThisRun { is_news: false, .. } | Kept::InKeychain => {}
        }
        vault.seal_unsaved(&key.key)
    }

    /// Stores what was taken out, before the texts that it was taken out of.
    pub(crate) async fn keep(&self, session: Uuid, vault: &Vault) -> Result<(), StoreError> {
        let originals = self.seal(vault).await;
        if originals.is_empty() {
            return Ok(());
        }
        self.store
            .keep_originals(session, originals.clone())
            .await?;
        vault.saved(&originals);
        Ok(())
    }

    fn tell(&self, message: String) {
        self.publisher.publish(Published::Notice(Notice {
            code: code::REDACTION.to_owned(),
            message,
        }));
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // The map is whole even if somebody panicked while holding it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
