//! The way of originals from memory to the database and back: sealed with a key that only the
//! keychain has.
//!
//! Nothing here fails a turn but the database itself. Where the keychain does not answer, a key
//! for this run seals, and the user is told once. Such seals are loose: as soon as the keychain
//! answers, late or when it is asked again, they are sealed anew with its key, in this session
//! and in its forks. The same mends the seals of a key that was made here and that another Weir's
//! took the place of. So nothing is lost when the keychain answers before Weir ends.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use uuid::Uuid;
use weir_protocol::{Notice, code};

use super::vault::{self, Vault, WeakVault};
use crate::publish::{Published, Publisher};
use crate::secret::{Kept, KeychainError, Secrets};
use crate::store::{SealedAnew, SealedOriginal, Store, StoreError};

/// When a keychain that could not be had is asked again by itself, as long as it matters.
const AGAIN: Duration = Duration::from_secs(60);
/// When a key that was made here is looked for again: another Weir may have written in between.
const CONFIRM: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(5),
    Duration::from_secs(30),
];

/// Clones share it.
#[derive(Clone)]
pub(crate) struct Keeper(Arc<Inner>);

struct Inner {
    store: Store,
    secrets: Arc<Secrets>,
    publisher: Arc<Publisher>,
    /// The vaults that a turn or a window holds; those of idle sessions are gone.
    open: Mutex<HashMap<Uuid, WeakVault>>,
    /// The sessions of which it was told that something stays closed.
    told: Mutex<HashSet<Uuid>>,
    loose: Mutex<Loose>,
}

/// What was sealed with a key that the keychain does not hold, or may not.
#[derive(Default)]
struct Loose {
    sessions: HashSet<Uuid>,
    is_watched: bool,
}

impl Keeper {
    pub(crate) fn new(store: Store, secrets: Arc<Secrets>, publisher: Arc<Publisher>) -> Self {
        Self(Arc::new(Inner {
            store,
            secrets,
            publisher,
            open: Mutex::default(),
            told: Mutex::default(),
            loose: Mutex::default(),
        }))
    }

    /// The one vault of a session, with all that is stored, opened as far as the keys go. A
    /// session without originals does not ask the keychain.
    pub(crate) async fn vault(&self, session: Uuid) -> Result<Vault, StoreError> {
        let Inner { store, secrets, .. } = &*self.0;
        let stored = store.originals(session).await?;
        let vault = {
            let mut open = locked(&self.0.open);
            open.retain(|_, vault| vault.upgrade().is_some());
            let known = open.get(&session).and_then(WeakVault::upgrade);
            known.unwrap_or_else(|| {
                let vault = Vault::new(session);
                open.insert(session, vault.downgrade());
                vault
            })
        };
        if !locked(&self.0.loose).sessions.is_empty() {
            self.watch();
        }
        if vault.knows(&stored) {
            return Ok(vault);
        }
        let (keys, why) = secrets.opening_keys().await;
        vault.take_in(stored, &keys);
        if !vault.is_open() && locked(&self.0.told).insert(session) {
            let why = match why {
                Some(error) => error.to_string(),
                None => "Their key is not in the keychain any more.".to_owned(),
            };
            self.0.tell(format!(
                "Some of what guards took out of this session stays a placeholder. {why}"
            ));
        }
        Ok(vault)
    }

    /// What is not stored yet, sealed, for whoever stores it, and says so with [`Self::saved`].
    pub(crate) async fn seal(&self, vault: &Vault) -> Vec<SealedOriginal> {
        if !vault.has_unsaved() {
            return Vec::new();
        }
        let key = self.0.secrets.redaction_key().await;
        match key.kept {
            Kept::ThisRun {
                reason,
                is_news: true,
            } => self.0.tell(format!(
                "What guards take out can be shown until Weir closes, and after that only if the keychain answers before. {reason}"
            )),
            Kept::ThisRun { is_news: false, .. } | Kept::InKeychain => {}
        }
        vault.seal_unsaved(&key.key)
    }

    /// These are stored. Those that the keychain's key does not open are sealed anew, now or
    /// once it answers.
    pub(crate) async fn saved(&self, vault: &Vault, originals: &[SealedOriginal]) {
        vault.saved(originals);
        let Some(first) = originals.first() else {
            return;
        };
        let is_loose = match self.0.secrets.stored_redaction_key() {
            Some(key) => {
                !vault::opens(&key, first) || self.0.secrets.is_redaction_key_unconfirmed()
            }
            None => true,
        };
        if is_loose {
            locked(&self.0.loose).sessions.insert(vault.session());
            self.0.settle().await;
            self.watch();
        }
    }

    /// Stores what was taken out, before the texts that it was taken out of.
    pub(crate) async fn keep(&self, session: Uuid, vault: &Vault) -> Result<(), StoreError> {
        let originals = self.seal(vault).await;
        if originals.is_empty() {
            return Ok(());
        }
        self.0
            .store
            .keep_originals(session, originals.clone())
            .await?;
        self.saved(vault, &originals).await;
        Ok(())
    }

    /// Seals anew what can be, without waiting for a rest; and the last time when Weir ends.
    pub(crate) async fn close(&self) {
        if !locked(&self.0.loose).sessions.is_empty() {
            self.0.secrets.insist_on_redaction_key().await;
            self.0.secrets.confirm_redaction_key().await;
            self.0.settle().await;
        }
    }

    /// Mends what is loose as soon as that is possible, beside everything else. Keeps nothing
    /// alive.
    fn watch(&self) {
        if std::mem::replace(&mut locked(&self.0.loose).is_watched, true) {
            return;
        }
        let keeper = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            while let Some(secrets) = secrets_of(&keeper) {
                match secrets.await_redaction_key().await {
                    Ok(()) => break,
                    // Nobody is bothered: it may be there later.
                    Err(KeychainError::Missing(_)) => {}
                    // Somebody said no, or would be asked for a password each time: the next
                    // time that it matters, or that the session is opened.
                    Err(
                        KeychainError::Refused(_)
                        | KeychainError::Silent
                        | KeychainError::Empty
                        | KeychainError::TooLong
                        | KeychainError::BadForm { .. },
                    ) => {
                        if let Some(inner) = keeper.upgrade() {
                            locked(&inner.loose).is_watched = false;
                        }
                        return;
                    }
                }
                drop(secrets);
                tokio::time::sleep(AGAIN).await;
            }
            for pause in CONFIRM {
                let Some(inner) = keeper.upgrade() else {
                    return;
                };
                inner.settle().await;
                drop(inner);
                tokio::time::sleep(pause).await;
                if let Some(secrets) = secrets_of(&keeper) {
                    secrets.confirm_redaction_key().await;
                }
            }
            if let Some(inner) = keeper.upgrade() {
                inner.settle().await;
                inner.secrets.trust_redaction_key();
                let mut loose = locked(&inner.loose);
                loose.sessions.clear();
                loose.is_watched = false;
            }
        });
    }
}

fn secrets_of(keeper: &Weak<Inner>) -> Option<Arc<Secrets>> {
    keeper.upgrade().map(|inner| Arc::clone(&inner.secrets))
}

impl Inner {
    /// Seals anew what is loose, where the keychain's key is known. What fails stays loose.
    async fn settle(&self) {
        let Some(key) = self.secrets.stored_redaction_key() else {
            return;
        };
        let old = self.secrets.loose_redaction_keys();
        let sessions: Vec<Uuid> = locked(&self.loose).sessions.iter().copied().collect();
        if old.is_empty() {
            return;
        }
        for session in sessions {
            let mended = async {
                let stored = self.store.originals_sealed_for(session).await?;
                let anew = stored.into_iter().filter_map(|(session, original)| {
                    let sealed = vault::sealed_anew(&original, &old, &key)?;
                    Some(SealedAnew {
                        session,
                        original,
                        sealed,
                    })
                });
                let anew: Vec<SealedAnew> = anew.collect();
                if anew.is_empty() {
                    return Ok(());
                }
                self.store.seal_anew(anew).await
            };
            if let Err(error) = mended.await {
                let error: StoreError = error;
                tracing::warn!(%error, "originals could not be sealed anew");
            }
        }
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
