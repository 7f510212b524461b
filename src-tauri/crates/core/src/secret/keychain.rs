//! The one place that asks the operating system's keychain.
//!
//! A connection to the Secret Service dies with its daemon, so it is made again when the daemon
//! has another owner on the bus than when it was made, and when it fails for a reason that is not
//! the user's. Calls block for as long as the daemon or a person takes; [`super::Secrets`] bounds
//! how long anybody waits for them.

use keyring_core::Error;
use secrecy::{ExposeSecret, SecretString};

use super::{Keychain, KeychainError};

/// What Weir's entries are filed under.
const SERVICE: &str = "weir";

/// macOS's Keychain, Windows' Credential Manager, the Secret Service elsewhere.
pub struct SystemKeychain;

impl Keychain for SystemKeychain {
    fn get(&self, name: &str) -> Result<Option<SecretString>, KeychainError> {
        system::ask(name, |entry| match entry.get_password() {
            Ok(secret) => Ok(Some(secret.into())),
            Err(Error::NoEntry) => Ok(None),
            Err(error) => Err(error),
        })
    }

    fn set(&self, name: &str, secret: &SecretString) -> Result<(), KeychainError> {
        system::ask(name, |entry| entry.set_password(secret.expose_secret()))
    }

    fn delete(&self, name: &str) -> Result<(), KeychainError> {
        system::ask(name, |entry| match entry.delete_credential() {
            Ok(()) | Err(Error::NoEntry) => Ok(()),
            Err(error) => Err(error),
        })
    }

    fn is_alive(&self) -> bool {
        system::is_alive()
    }
}

fn missing(error: &dyn std::fmt::Display) -> KeychainError {
    KeychainError::Missing(sentence(error))
}

fn refused(error: Error) -> KeychainError {
    KeychainError::Refused(sentence(&error))
}

fn sentence(error: &dyn std::fmt::Display) -> String {
    format!("{}.", error.to_string().trim_end_matches('.'))
}

#[cfg(all(unix, not(target_os = "macos")))]
mod system {
    use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
    use std::time::Duration;

    use keyring_core::api::CredentialStoreApi;
    use keyring_core::{Entry, Error};
    use zbus::blocking::connection::Builder;
    use zbus::blocking::fdo::DBusProxy;
    use zbus_secret_service_keyring_store::Store;

    use super::{KeychainError, SERVICE, missing, refused};

    const NAME: &str = "org.freedesktop.secrets";
    const PATH: &str = "/org/freedesktop/secrets";
    /// What the bus and a daemon that runs answer at once takes no longer.
    const PROMPT_ANSWER: Duration = Duration::from_secs(2);

    /// A session with one run of the daemon.
    struct Session {
        bus: zbus::blocking::Connection,
        /// The daemon's own name on the bus; another run has another one.
        owner: String,
        store: Arc<Store>,
    }

    static SESSION: Mutex<Option<Arc<Session>>> = Mutex::new(None);

    /// Asks in the session that is open, or in a new one where that session is over.
    pub(super) fn ask<T>(
        name: &str,
        question: impl Fn(&Entry) -> Result<T, Error>,
    ) -> Result<T, KeychainError> {
        let ask_in = |session: &Session| {
            let entry = session.store.build(SERVICE, name, None)?;
            question(&entry)
        };
        let open = open_session().clone();
        if let Some(session) = open.filter(|session| session.is_current()) {
            match ask_in(&session) {
                // Not what a person or an entry is the reason of: the session may be over.
                Err(Error::PlatformFailure(_)) => {}
                answer => return answer.map_err(refused),
            }
        }
        let session = Arc::new(Session::begin()?);
        *open_session() = Some(Arc::clone(&session));
        ask_in(&session).map_err(refused)
    }

    /// Whether the daemon answers anything at all. One that waits for a person does.
    pub(super) fn is_alive() -> bool {
        let ping = || -> zbus::Result<()> {
            let peer = Some("org.freedesktop.DBus.Peer");
            connect()?.call_method(Some(NAME), PATH, peer, "Ping", &())?;
            Ok(())
        };
        ping().is_ok()
    }

    impl Session {
        fn begin() -> Result<Self, KeychainError> {
            let bus = connect().map_err(|error| missing(&error))?;
            // Connecting starts a daemon that is not running where the system can do that.
            let store = Store::new().map_err(|error| missing(&error))?;
            let owner = owner(&bus).map_err(|error| missing(&error))?;
            Ok(Self { bus, owner, store })
        }

        fn is_current(&self) -> bool {
            owner(&self.bus).is_ok_and(|owner| owner == self.owner)
        }
    }

    fn connect() -> zbus::Result<zbus::blocking::Connection> {
        Builder::session()?.method_timeout(PROMPT_ANSWER).build()
    }

    fn owner(bus: &zbus::blocking::Connection) -> zbus::Result<String> {
        let owner = DBusProxy::new(bus)?.get_name_owner(NAME.try_into()?)?;
        Ok(owner.to_string())
    }

    fn open_session() -> MutexGuard<'static, Option<Arc<Session>>> {
        // A session is whole even if somebody panicked while holding it.
        SESSION.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(not(all(unix, not(target_os = "macos"))))]
mod system {
    use keyring_core::{Entry, Error};

    use super::{KeychainError, SERVICE, missing, refused};

    /// These have no session that could end.
    pub(super) fn ask<T>(
        name: &str,
        question: impl Fn(&Entry) -> Result<T, Error>,
    ) -> Result<T, KeychainError> {
        if let Err(error) = keyring::Entry::store_status() {
            return Err(missing(error));
        }
        let entry = keyring::Entry::new(SERVICE, name).map_err(refused)?;
        question(&entry.inner).map_err(refused)
    }

    pub(super) fn is_alive() -> bool {
        true
    }
}
