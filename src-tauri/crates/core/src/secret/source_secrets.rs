//! What must not come back from the server that a key was sent to: the key, each secret part of
//! a key that has several, and whatever was made from it, like an access token.
//!
//! Invariant: a value is added here before it is sent anywhere, so no answer can repeat one that
//! is not searched for.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use secrecy::{ExposeSecret, SecretString};

use super::composite;
use crate::value_search::{Known, KnownValues, Pieces};

/// What stands in the place of a key.
const KEY: &str = "[key]";
/// Tokens live for an hour, so a turn that lasts for days has this many.
const MOST_VALUES: usize = 64;

/// The values of one source, ready to be searched for. Clones share them.
#[derive(Clone, Default)]
pub(crate) struct SourceSecrets(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    values: Vec<SecretString>,
    known: Arc<KnownValues>,
}

impl fmt::Debug for SourceSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SourceSecrets")
    }
}

impl SourceSecrets {
    pub(crate) fn new(key: Option<&SecretString>) -> Self {
        let secrets = Self::default();
        if let Some(key) = key {
            secrets.add(key);
        }
        secrets
    }

    /// Adds a value and its secret parts.
    pub(crate) fn add(&self, secret: &SecretString) {
        let secret = secret.expose_secret().trim();
        let parts = composite::secret_parts(secret);
        let mut state = self.state();
        let mut fresh = Vec::new();
        for value in std::iter::once(secret.to_owned()).chain(parts) {
            let known = state.values.iter().any(|it| it.expose_secret() == value);
            if value.is_empty() || known || state.values.len() >= MOST_VALUES {
                continue;
            }
            state.values.push(SecretString::from(value.as_str()));
            fresh.push(Known {
                value,
                replacement: KEY.to_owned(),
                pieces: Pieces::Searched,
            });
        }
        if !fresh.is_empty() {
            let mut known = KnownValues::clone(&state.known);
            known.add(fresh);
            state.known = Arc::new(known);
        }
    }

    /// All values so far.
    pub(crate) fn values(&self) -> Arc<KnownValues> {
        Arc::clone(&self.state().known)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Both fields are replaced whole, so a panic elsewhere leaves them usable.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value_search::Extent;

    fn redacted(secrets: &SourceSecrets, text: &str) -> String {
        secrets.values().redact(text.to_owned(), Extent::Pieces)
    }

    #[test]
    fn every_secret_part_of_an_aws_key_is_searched_for() {
        let id = ["AKIA", "Q7ZK4M2XW9PL5RTY"].concat();
        let secret = "x9Qm/2Lr+7Tz4Wc8Vb1Nk6Jh3Gf5Ds0Pa9Ou2Iy7";
        let token = "FwoGZXIvYXdzEJr//////////wEaDOq1w2e3r4t5y6u7i8o9p0";
        let key = SecretString::from(format!("{id}:{secret}:{token}"));
        let secrets = SourceSecrets::new(Some(&key));
        for part in [id.as_str(), secret, token] {
            let text = redacted(&secrets, &format!("It was {part}, I think."));
            assert_eq!(text, "It was [key], I think.");
        }
    }

    #[test]
    fn a_private_key_is_found_without_its_frame_and_other_fields_are_not_secret() {
        let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{body}\n-----END PRIVATE KEY-----\n");
        let account = serde_json::json!({
            "type": "service_account", "project_id": "some-project", "private_key": pem,
            "private_key_id": "0123456789abcdef0123456789abcdef01234567",
            "client_email": "robot@some-project.iam.gserviceaccount.com",
            "token_uri": "https://oauth2.googleapis.com/token",
        });
        let secrets = SourceSecrets::new(Some(&SecretString::from(account.to_string())));
        assert_eq!(redacted(&secrets, &format!("see {body}!")), "see [key]!");
        let (first, second) = body.split_at(40);
        let split = redacted(&secrets, &format!("see {first}\n{second}!"));
        assert_eq!(split, "see [key]!");
        for harmless in [
            "some-project",
            "https://oauth2.googleapis.com/token",
            "-----BEGIN PRIVATE KEY-----",
            "service_account",
        ] {
            assert_eq!(redacted(&secrets, harmless), harmless);
        }
    }

    #[test]
    fn a_token_that_is_added_later_is_searched_for_by_all_clones() {
        let secrets = SourceSecrets::new(None);
        let clone = secrets.clone();
        let token = ["ya29.", "c0AY_VpZh-Qm2Lr7Tz4Wc8Vb1Nk6"].concat();
        assert_eq!(redacted(&clone, &token), token);
        secrets.add(&SecretString::from(token.as_str()));
        secrets.add(&SecretString::from(token.as_str()));
        assert_eq!(redacted(&clone, &token), "[key]");
        assert_eq!(secrets.values().len(), 1);
    }
}
