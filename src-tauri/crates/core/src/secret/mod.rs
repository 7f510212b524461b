//! Keys: in the system's keychain, or in memory until Weir ends; nowhere else.
//!
//! Invariant: a key never reaches the web view, the database, a log, an export or an error.
//! A keychain that will not take one is said so; there is no file to fall back to.

pub(crate) mod composite;
mod keychain;
mod long;
mod memory;
mod question;
mod redaction;
mod seal;
mod source_secrets;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use secrecy::{ExposeSecret, SecretString};
use weir_protocol::{ErrorBody, KeyState, code};

pub use keychain::SystemKeychain;
pub use memory::MemoryKeychain;
pub use redaction::{Confirmed, Kept, RedactionKey};
pub use seal::{SealKey, Sealed, TooLarge};
pub(crate) use source_secrets::SourceSecrets;

use question::{Questions, Waiting};

use crate::source::{KeyNeed, Source, SourceError};

/// Long enough for a person to type the password the system asks for.
const PATIENCE: Duration = Duration::from_secs(60);
/// The same while a prompt waits; who takes longer sends it again.
const PROMPT_PATIENCE: Duration = Duration::from_secs(20);
/// Long enough to find out whether a key is there without holding up a page.
const GLANCE: Duration = Duration::from_secs(3);
/// How long a Weir that ends waits for a keychain that does not answer. One that answers is never
/// too late: what must be sealed is sealed.
const LAST_ANSWER: Duration = Duration::from_secs(20);
/// Windows holds 2,560 bytes of UTF-16.
const LONGEST_ENTRY: usize = 1_280;
/// What has several parts, like the key of a service account, is kept in several entries.
const LONGEST_KEY: usize = LONGEST_ENTRY * long::MOST_PARTS;

/// The system's store of secrets. Calls may block; [`Secrets`] keeps them off the runtime.
pub trait Keychain: Send + Sync + 'static {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError>;
    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError>;
    fn delete(&self, name: &str) -> Result<(), KeychainError>;

    /// Whether it answers anything. One that waits for a person to unlock it does; one that
    /// hangs does not.
    fn is_alive(&self) -> bool;
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
    #[error("{label} cannot use this key: {reason}")]
    BadForm {
        label: &'static str,
        reason: &'static str,
    },
}

impl KeychainError {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Missing(_) | Self::Refused(_) | Self::Silent => code::KEYCHAIN,
            Self::Empty | Self::TooLong | Self::BadForm { .. } => code::BAD_INPUT,
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
    questions: Questions,
    this_run: Mutex<HashMap<&'static str, ThisRun>>,
    redaction: Arc<redaction::Held>,
    glance: Duration,
    last_answer: Duration,
    environment: fn(&str) -> Option<SecretString>,
}

impl Secrets {
    pub fn new(keychain: Arc<dyn Keychain>) -> Self {
        Self::with_environment(keychain, crate::startup::key)
    }

    fn with_environment(
        keychain: Arc<dyn Keychain>,
        environment: fn(&str) -> Option<SecretString>,
    ) -> Self {
        Self {
            keychain,
            questions: Questions::default(),
            this_run: Mutex::new(HashMap::new()),
            redaction: Arc::default(),
            glance: GLANCE,
            last_answer: LAST_ANSWER,
            environment,
        }
    }

    /// Waits only `glance` for a keychain that is not needed at once; for its last answer, until
    /// it comes. A test whose keychain answers gives it all the time a busy machine may need.
    #[cfg(test)]
    pub(crate) fn with_glance(keychain: Arc<dyn Keychain>, glance: Duration) -> Self {
        let mut secrets = Self::with_environment(keychain, |_| None);
        secrets.glance = glance;
        secrets.last_answer = TEST_HANGS;
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
            KeyNeed::Wanted { .. } => (PROMPT_PATIENCE, true),
            KeyNeed::Optional { .. } | KeyNeed::None => (GLANCE, false),
        };
        let stored = self
            .ask(patience, move |keychain| long::get(keychain, account))
            .await;
        if let Ok(Some(key)) = stored {
            return Ok(Some(key));
        }
        match ((self.environment)(variable), stored) {
            (Some(key), _) => Ok(Some(key)),
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
    pub async fn states(&self, sources: &[&'static Source]) -> Vec<KeyState> {
        let accounts: HashSet<&'static str> = sources
            .iter()
            .filter_map(|source| source.key.account())
            .collect();
        let asked = accounts.clone();
        let stored = self.ask(self.glance, move |keychain| {
            // The first entry is enough to tell.
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
        let key = checked(source, &key)?;
        let Some(account) = source.key.account() else {
            return Ok(());
        };
        let stored = self.ask(PATIENCE, {
            let key = key.clone();
            move |keychain| {
                long::set(keychain, account, &key)?;
                match long::get(keychain, account)? {
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
                let key = checked(source, &key)?;
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
            .ask(PATIENCE, move |keychain| long::delete(keychain, account))
            .await
        {
            Err(_) if held => Ok(()),
            other => other,
        }
    }

    async fn ask<T: Send + 'static>(
        &self,
        patience: Duration,
        question: impl FnOnce(&dyn Keychain) -> Result<T, KeychainError> + Send + 'static,
    ) -> Result<T, KeychainError> {
        let waiting = Waiting {
            glance: self.glance.min(patience),
            patience,
        };
        self.questions.ask(&self.keychain, waiting, question).await
    }

    fn this_run(&self) -> std::sync::MutexGuard<'_, HashMap<&'static str, ThisRun>> {
        // A map of finished values is whole even if somebody panicked while holding it.
        self.this_run.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key without the white space that copying adds, in the one form that its source stores.
fn checked(source: &'static Source, key: &SecretString) -> Result<SecretString, KeychainError> {
    let key = key.expose_secret().trim();
    if key.is_empty() {
        return Err(KeychainError::Empty);
    }
    if key.chars().count() > LONGEST_KEY {
        return Err(KeychainError::TooLong);
    }
    let label = source.label;
    let stored = source.api.stored_key(&SecretString::from(key));
    stored.map_err(|reason| KeychainError::BadForm { label, reason })
}

/// A test that waits longer hangs.
#[cfg(test)]
pub(crate) const TEST_HANGS: Duration = Duration::from_secs(300);

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
        Secrets::with_glance(Arc::new(keychain), TEST_HANGS)
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
            (variable == "ANTHROPIC_API_KEY").then(|| "from outside".into())
        });
        let key = secrets.key(anthropic()).await.unwrap().unwrap();
        assert_eq!(key.expose_secret(), "from outside");
    }

    #[tokio::test(start_paused = true)]
    async fn a_keychain_that_hangs_is_given_up_within_a_glance_and_asked_again() {
        let keychain = Arc::new(MemoryKeychain::default());
        let secrets =
            Secrets::with_environment(Arc::clone(&keychain) as Arc<dyn Keychain>, |_| None);
        keychain.set("anthropic", &"canary".into()).unwrap();
        keychain.hang();
        for longest in [GLANCE, Duration::from_millis(250)] {
            let asked = tokio::time::Instant::now();
            let key = secrets.key(anthropic()).await;
            let silent = KeychainError::Silent;
            assert!(matches!(key, Err(KeyError::Keychain { error, .. }) if error == silent));
            // The clock of this test moves only while everybody waits.
            assert!(asked.elapsed() <= longest, "{:?}", asked.elapsed());
        }
        // Questions that nobody answers do not pile up.
        for _ in 0..100 {
            assert!(secrets.key(anthropic()).await.is_err());
        }
        keychain.answer();
        tokio::time::resume();
        while secrets.key(anthropic()).await.is_err() {
            tokio::task::yield_now().await;
        }
        assert_eq!(state(&secrets).await, KeyState::Stored);
    }

    #[tokio::test]
    async fn refuses_empty_and_endless_keys() {
        let secrets = secrets(MemoryKeychain::default());
        let store = |key: String| secrets.store_or_hold(anthropic(), key.into());
        assert_eq!(store("  ".into()).await, Err(KeychainError::Empty));
        assert_eq!(
            store("k".repeat(LONGEST_KEY + 1)).await,
            Err(KeychainError::TooLong)
        );
    }
}
