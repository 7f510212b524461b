//! The key that seals what guards take out of texts: one random key in an entry of its own.
//!
//! Invariant: it is in the keychain or in memory until Weir ends, and nowhere else. A keychain
//! that will not give it is not asked again by those who seal, so that no reply waits for it; a
//! key for this run serves instead, and what it seals cannot be opened after Weir has ended.

use std::sync::{MutexGuard, PoisonError};

use secrecy::ExposeSecret;

use super::seal::SealKey;
use super::{GLANCE, Keychain, KeychainError, Secrets};

const ACCOUNT: &str = "redaction";

/// What is known of the key so far.
#[derive(Default)]
pub(super) struct Held {
    stored: Option<SealKey>,
    this_run: Option<SealKey>,
}

/// How long what the key seals can be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    InKeychain,
    /// With why the keychain does not keep it; `is_news` the first time it is told.
    ThisRun {
        reason: String,
        is_news: bool,
    },
}

#[derive(Clone)]
pub struct RedactionKey {
    pub key: SealKey,
    pub kept: Kept,
}

impl Secrets {
    /// The key to seal with. Never fails: without a keychain there is one for this run.
    pub async fn redaction_key(&self) -> RedactionKey {
        let (stored, this_run) = {
            let held = self.held();
            (held.stored.clone(), held.this_run.clone())
        };
        if let Some(key) = stored {
            return RedactionKey {
                key,
                kept: Kept::InKeychain,
            };
        }
        if let Some(key) = this_run {
            let kept = Kept::ThisRun {
                reason: String::new(),
                is_news: false,
            };
            return RedactionKey { key, kept };
        }
        match self.ask(GLANCE, get_or_make).await {
            Ok(key) => {
                self.held().stored = Some(key.clone());
                RedactionKey {
                    key,
                    kept: Kept::InKeychain,
                }
            }
            Err(error) => {
                let mut held = self.held();
                let is_news = held.this_run.is_none();
                let key = held.this_run.get_or_insert_with(|| SealKey::generate().0);
                RedactionKey {
                    key: key.clone(),
                    kept: Kept::ThisRun {
                        reason: error.to_string(),
                        is_news,
                    },
                }
            }
        }
    }

    /// The keys that may open what was sealed, this run's last. Makes none, and says why the
    /// keychain gave none.
    pub async fn opening_keys(&self) -> (Vec<SealKey>, Option<KeychainError>) {
        let known = self.held().stored.is_some();
        let mut why = None;
        if !known {
            match self.ask(GLANCE, get).await {
                Ok(Some(key)) => self.held().stored = Some(key),
                Ok(None) => {}
                Err(error) => why = Some(error),
            }
        }
        let held = self.held();
        let keys = held.stored.iter().chain(&held.this_run).cloned();
        (keys.collect(), why)
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        // Two finished values are whole even if somebody panicked while holding them.
        self.redaction
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn get(keychain: &dyn Keychain) -> Result<Option<SealKey>, KeychainError> {
    Ok(keychain.get(ACCOUNT)?.as_ref().and_then(SealKey::read))
}

/// What is there is never written over: older values are sealed with it.
fn get_or_make(keychain: &dyn Keychain) -> Result<SealKey, KeychainError> {
    if let Some(written) = keychain.get(ACCOUNT)? {
        let odd = || KeychainError::Refused("its entry for redaction is no key of Weir's.".into());
        return SealKey::read(&written).ok_or_else(odd);
    }
    let (_, written) = SealKey::generate();
    keychain.set(ACCOUNT, &written)?;
    // Another Weir may have written one in the same instant: the one that stays counts.
    match keychain.get(ACCOUNT)? {
        Some(kept) if !kept.expose_secret().is_empty() => SealKey::read(&kept),
        Some(_) | None => None,
    }
    .ok_or_else(|| KeychainError::Refused("it did not keep what it was given.".into()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::MemoryKeychain;
    use super::*;

    #[tokio::test]
    async fn one_key_stays_in_the_keychain() {
        let keychain = Arc::new(MemoryKeychain::default());
        let first = Secrets::new(Arc::clone(&keychain) as Arc<dyn Keychain>);
        assert!(
            first.opening_keys().await.0.is_empty(),
            "looking makes no key"
        );
        let made = first.redaction_key().await;
        assert_eq!(made.kept, Kept::InKeychain);
        let sealed = made.key.seal("canary", "here").unwrap();
        let later = Secrets::new(keychain);
        let (keys, why) = later.opening_keys().await;
        assert_eq!((keys.len(), why), (1, None));
        assert!(keys[0].open(&sealed, "here").is_some());
        let again = later.redaction_key().await;
        assert!(again.key.open(&sealed, "here").is_some());
    }

    #[tokio::test]
    async fn without_a_keychain_there_is_a_key_for_this_run_and_it_is_told_once() {
        let secrets = Secrets::new(Arc::new(MemoryKeychain::locked()));
        let made = secrets.redaction_key().await;
        assert!(matches!(made.kept, Kept::ThisRun { is_news: true, .. }));
        let again = secrets.redaction_key().await;
        assert!(matches!(again.kept, Kept::ThisRun { is_news: false, .. }));
        let sealed = made.key.seal("canary", "here").unwrap();
        assert!(again.key.open(&sealed, "here").is_some());
        let (keys, why) = secrets.opening_keys().await;
        assert_eq!(keys.len(), 1);
        assert!(why.is_some());
    }

    #[tokio::test]
    async fn an_entry_that_is_no_key_is_left_alone() {
        let keychain = Arc::new(MemoryKeychain::default());
        keychain.set(ACCOUNT, &"not a key".into()).unwrap();
        let secrets = Secrets::new(Arc::clone(&keychain) as Arc<dyn Keychain>);
        let made = secrets.redaction_key().await;
        assert!(matches!(made.kept, Kept::ThisRun { .. }));
        let kept = keychain.get(ACCOUNT).unwrap().unwrap();
        assert_eq!(kept.expose_secret(), "not a key");
    }
}
