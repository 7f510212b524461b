//! Keys: in the system's keychain, or in memory until Weir ends; nowhere else.
//!
//! Invariant: a key never reaches the web view, the database, a log, an export or an error.
//! A keychain that will not take one is said so; there is no file to fall back to.

mod keychain;
mod memory;
mod redaction;
mod seal;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use tokio::sync::oneshot;
use weir_protocol::{ErrorBody, KeyState, code};

pub use keychain::SystemKeychain;
pub use memory::MemoryKeychain;
pub use redaction::{Confirmed, Kept, RedactionKey};
pub use seal::{SealKey, Sealed, TooLarge};

use crate::source::{KeyNeed, Source, SourceError};

/// Long enough for a person to type the password the system asks for.
const PATIENCE: Duration = Duration::from_secs(60);
/// Long enough to find out whether a key is there without holding up a page.
const GLANCE: Duration = Duration::from_secs(3);
/// Windows holds 2,560 bytes of UTF-16.
const LONGEST_KEY: usize = 1_280;

/// The system's store of secrets. Calls may block; [`Secrets`] keeps them off the runtime.
pub trait Keychain: Send + Sync + 'static {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError>;
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError>;
    fn delete(&self, name: &str) -> Result<(), KeychainError>;
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeychainError {
    #[error("There is no keychain here: {0}")]
    Missing(String),
    #[error("The keychain is locked or refused: {0}")]
    Refused(String),
    #[error("The keychain did not answer. Unlock it and try again.")]
    Silent,
    #[error("The key is empty.")]
    Empty,
    #[error("The key is longer than {LONGEST_KEY} characters, more than every keychain can hold.")]
    TooLong,
}

impl KeychainError {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Missing(_) | Self::Refused(_) | Self::Silent => code::KEYCHAIN,
            Self::Empty | Self::TooLong => code::BAD_INPUT,
        };
        ErrorBody::new(code, self.to_string())
    }
}

/// Why a key could not be had.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error("{error} A key from the environment variable {variable} works without it.")]
    Keychain {
        error: KeychainError,
        variable: &'static str,
    },
}

impl KeyError {
    pub fn body(&self) -> ErrorBody {
        match self {
            Self::Source(error) => error.body(),
            Self::Keychain { .. } => ErrorBody::new(code::KEYCHAIN, self.to_string()),
        }
    }
}

/// What the keychain says of each account: whether a key is there.
type Stored = HashMap<&'static str, Result<bool, KeychainError>>;

struct ThisRun {
    key: SecretString,
    reason: String,
}

/// The keys of the sources. Looks in memory, then in the keychain, then in the environment.
pub struct Secrets {
    keychain: Arc<dyn Keychain>,
    this_run: Mutex<HashMap<&'static str, ThisRun>>,
    redaction: Arc<redaction::Held>,
    glance: Duration,
    environment: fn(&str) -> Option<String>,
}

impl Secrets {
    pub fn new(keychain: Arc<dyn Keychain>) -> Self {
        Self::with_environment(keychain, |variable| {
            std::env::var(variable).ok().filter(|key| !key.is_empty())
        })
    }

    fn with_environment(
        keychain: Arc<dyn Keychain>,
        environment: fn(&str) -> Option<String>,
    ) -> Self {
        Self {
            keychain,
            this_run: Mutex::new(HashMap::new()),
            redaction: Arc::default(),
            glance: GLANCE,
            environment,
        }
    }

    /// One that waits for hardly anything.
    #[cfg(test)]
    pub(crate) fn glancing(keychain: Arc<dyn Keychain>) -> Self {
        let mut secrets = Self::with_environment(keychain, |_| None);
        secrets.glance = Duration::from_millis(20);
        secrets
    }

    /// The key a step needs; `None` when the source wants none.
    pub async fn key(&self, source: &'static Source) -> Result<Option<SecretString>, KeyError> {
        let (account, variable) = match source.key {
            KeyNeed::None => return Ok(None),
            KeyNeed::Optional { account, variable } | KeyNeed::Wanted { account, variable } => {
                (account, variable)
            }
        };
        if let Some(held) = self.this_run().get(account) {
            return Ok(Some(held.key.clone()));
        }
        // A source that can do without is not held up by a keychain that waits for a person.
        let (patience, wanted) = match source.key {
            KeyNeed::Wanted { .. } => (PATIENCE, true),
            KeyNeed::Optional { .. } | KeyNeed::None => (GLANCE, false),
        };
        let stored = self
            .ask(patience, move |keychain| keychain.get(account))
            .await;
        if let Ok(Some(key)) = stored {
            return Ok(Some(key));
        }
        match ((self.environment)(variable), stored) {
            (Some(key), _) => Ok(Some(key.into())),
            (None, _) if !wanted => Ok(None),
            (None, Err(error)) => Err(KeyError::Keychain { error, variable }),
            (None, Ok(_)) => Err(KeyError::Source(SourceError::NoKey {
                name: source.name,
                label: source.label,
                variable,
            })),
        }
    }

    /// Whether each source's key is there. One short wait for all of them together.
    pub async fn states(&self, sources: &'static [&'static Source]) -> Vec<KeyState> {
        let accounts: HashSet<&str> = sources
            .iter()
            .filter_map(|source| source.key.account())
            .collect();
        let asked = accounts.clone();
        let stored = self.ask(GLANCE, move |keychain| {
            let there = |account| keychain.get(account).map(|key| key.is_some());
            Ok(asked.into_iter().map(|it| (it, there(it))).collect())
        });
        let stored: Stored = stored.await.unwrap_or_else(|error| {
            let silent = |account| (account, Err(error.clone()));
            accounts.into_iter().map(silent).collect()
        });
        sources
            .iter()
            .map(|source| self.state_of(source.key, &stored))
            .collect()
    }

    fn state_of(&self, key: KeyNeed, stored: &Stored) -> KeyState {
        let (account, variable, otherwise) = match key {
            KeyNeed::None => return KeyState::NotNeeded,
            KeyNeed::Optional { account, variable } => (account, variable, KeyState::Optional),
            KeyNeed::Wanted { account, variable } => (account, variable, KeyState::Missing),
        };
        if let Some(held) = self.this_run().get(account) {
            let reason = held.reason.clone();
            return KeyState::ThisRunOnly { reason };
        }
        let stored = stored.get(account);
        if let Some(Ok(true)) = stored {
            return KeyState::Stored;
        }
        match ((self.environment)(variable), stored) {
            (Some(_), _) => KeyState::Environment {
                variable: variable.to_owned(),
            },
            // A source that can do without does not mind.
            (None, Some(Err(error))) if otherwise == KeyState::Missing => KeyState::Unavailable {
                reason: error.to_string(),
            },
            (None, _) => otherwise,
        }
    }

    /// Stores a key in the keychain and reads it back; on failure nothing is kept.
    pub async fn store(
        &self,
        source: &'static Source,
        key: SecretString,
    ) -> Result<(), KeychainError> {
        let key = checked(&key)?;
        let Some(account) = source.key.account() else {
            return Ok(());
        };
        let stored = self.ask(PATIENCE, {
            let key = key.clone();
            move |keychain| {
                keychain.set(account, &key)?;
                match keychain.get(account)? {
                    Some(found) if found.expose_secret() == key.expose_secret() => Ok(()),
                    Some(_) | None => Err(KeychainError::Refused(
                        "it did not keep what it was given.".into(),
                    )),
                }
            }
        });
        stored.await?;
        self.this_run().remove(account);
        Ok(())
    }

    /// Stores a key; one that the keychain will not take is held until Weir ends. What the
    /// keychain held before is shadowed by it.
    pub async fn store_or_hold(
        &self,
        source: &'static Source,
        key: SecretString,
    ) -> Result<(), KeychainError> {
        match self.store(source, key.clone()).await {
            Err(
                error @ (KeychainError::Missing(_)
                | KeychainError::Refused(_)
                | KeychainError::Silent),
            ) => {
                let reason = error.to_string();
                let key = checked(&key)?;
                if let Some(account) = source.key.account() {
                    self.this_run().insert(account, ThisRun { key, reason });
                }
                Ok(())
            }
            other => other,
        }
    }

    /// Whether there is something to delete.
    pub async fn is_stored(&self, source: &'static Source) -> Result<bool, KeychainError> {
        let Some(account) = source.key.account() else {
            return Ok(false);
        };
        if self.this_run().contains_key(account) {
            return Ok(true);
        }
        let asked = self.ask(PATIENCE, move |keychain| keychain.get(account));
        Ok(asked.await?.is_some())
    }

    pub async fn delete(&self, source: &'static Source) -> Result<(), KeychainError> {
        let Some(account) = source.key.account() else {
            return Ok(());
        };
        let held = self.this_run().remove(account).is_some();
        match self
            .ask(PATIENCE, move |keychain| keychain.delete(account))
            .await
        {
            Err(_) if held => Ok(()),
            other => other,
        }
    }

    /// Asks on a thread of its own: a keychain may wait for a person, and a program that ends
    /// must not wait for the keychain.
    async fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        question: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let keychain = Arc::clone(&self.keychain);
        let (answer, answered) = oneshot::channel();
        std::thread::spawn(move || {
            // Nobody waits any more when patience has run out.
            let _ = answer.send(question(keychain.as_ref()));
        });
        match tokio::time::timeout(patience, answered).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) | Err(_) => Err(KeychainError::Silent),
        }
    }

    fn this_run(&self) -> std::sync::MutexGuard<'_, HashMap<&'static str, ThisRun>> {
        // A map of finished values is whole even if somebody panicked while holding it.
        self.this_run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key without the white space that copying adds.
fn checked(key: &SecretString) -> Result<SecretString, KeychainError> {
    let key = key.expose_secret().trim();
    if key.is_empty() {
        return Err(KeychainError::Empty);
    }
    if key.chars().count() > LONGEST_KEY {
        return Err(KeychainError::TooLong);
    }
    Ok(SecretString::from(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;

    fn anthropic() -> &'static Source {
        source::source("anthropic").unwrap()
    }

    async fn state(secrets: &Secrets) -> KeyState {
        let states = secrets.states(source::SOURCES).await;
        let at = source::SOURCES
            .iter()
            .position(|source| source.name == "anthropic");
        states[at.unwrap()].clone()
    }

    fn secrets(keychain: MemoryKeychain) -> Secrets {
        Secrets::with_environment(Arc::new(keychain), |_| None)
    }

    #[tokio::test]
    async fn stores_finds_and_deletes() {
        let secrets = secrets(MemoryKeychain::default());
        assert_eq!(state(&secrets).await, KeyState::Missing);
        secrets
            .store_or_hold(anthropic(), " canary \n".into())
            .await
            .unwrap();
        assert_eq!(state(&secrets).await, KeyState::Stored);
        let key = secrets.key(anthropic()).await.unwrap().unwrap();
        assert_eq!(key.expose_secret(), "canary");
        secrets.delete(anthropic()).await.unwrap();
        assert_eq!(state(&secrets).await, KeyState::Missing);
    }

    #[tokio::test]
    async fn a_locked_keychain_holds_the_key_for_this_run_and_says_so() {
        let secrets = secrets(MemoryKeychain::locked());
        assert!(matches!(
            state(&secrets).await,
            KeyState::Unavailable { .. }
        ));
        assert!(matches!(
            secrets.store(anthropic(), "canary".into()).await,
            Err(KeychainError::Refused(_))
        ));
        secrets
            .store_or_hold(anthropic(), "canary".into())
            .await
            .unwrap();
        assert!(matches!(
            state(&secrets).await,
            KeyState::ThisRunOnly { .. }
        ));
        assert!(secrets.key(anthropic()).await.unwrap().is_some());
        secrets.delete(anthropic()).await.unwrap();
        assert!(secrets.key(anthropic()).await.is_err());
    }

    #[tokio::test]
    async fn the_environment_serves_when_the_keychain_has_none() {
        let secrets = Secrets::with_environment(Arc::new(MemoryKeychain::locked()), |variable| {
            (variable == "ANTHROPIC_API_KEY").then(|| "from outside".to_owned())
        });
        let key = secrets.key(anthropic()).await.unwrap().unwrap();
        assert_eq!(key.expose_secret(), "from outside");
    }

    #[tokio::test]
    async fn refuses_empty_and_endless_keys() {
        let secrets = secrets(MemoryKeychain::default());
        let store = |key: String| secrets.store_or_hold(anthropic(), key.into());
        assert_eq!(store("  ".into()).await, Err(KeychainError::Empty));
        assert_eq!(store("k".repeat(1_281)).await, Err(KeychainError::TooLong));
    }
}
