//! The one place that asks the operating system's keychain.

use keyring::{Entry, Error};
use secrecy::{ExposeSecret, SecretString};

use super::{Keychain, KeychainError};

/// What Weir's entries are filed under.
const SERVICE: &str = "weir";

/// macOS's Keychain, Windows' Credential Manager, the Secret Service elsewhere.
pub struct SystemKeychain;

impl Keychain for SystemKeychain {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError> {
        match entry(name)?.get_password() {
            Ok(secret) => Ok(Some(secret.into())),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(refused(error)),
        }
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError> {
        entry(name)?
            .set_password(secret.expose_secret())
            .map_err(refused)
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        match entry(name)?.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(refused(error)),
        }
    }
}

fn entry(name: &str) -> Result<Entry, KeychainError> {
    if let Err(error) = Entry::store_status() {
        return Err(KeychainError::Missing(sentence(error)));
    }
    Entry::new(SERVICE, name).map_err(refused)
}

fn refused(error: Error) -> KeychainError {
    KeychainError::Refused(sentence(&error))
}

fn sentence(error: &Error) -> String {
    format!("{}.", error.to_string().trim_end_matches('.'))
}
