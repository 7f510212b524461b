//! A keychain in memory: the twin that tests script.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use secrecy::SecretString;

use super::{Keychain, KeychainError};

#[derive(Default)]
pub struct MemoryKeychain {
    entries: Mutex<HashMap<String, SecretString>>,
    locked: bool,
}

impl MemoryKeychain {
    /// One that refuses everything.
    pub fn locked() -> Self {
        Self {
            locked: true,
            ..Self::default()
        }
    }

    fn open(
        &self,
    ) -> Result<std::sync::MutexGuard<'_, HashMap<String, SecretString>>, KeychainError> {
        if self.locked {
            return Err(KeychainError::Refused("it is locked.".into()));
        }
        Ok(self.entries.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Keychain for MemoryKeychain {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError> {
        Ok(self.open()?.get(name).cloned())
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError> {
        self.open()?.insert(name.to_owned(), secret.clone());
        Ok(())
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        self.open()?.remove(name);
        Ok(())
    }
}
