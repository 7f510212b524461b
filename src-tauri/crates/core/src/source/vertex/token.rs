//! Access tokens for a Google service account.
//!
//! A short statement, signed with the account's private key, is exchanged for a token that lasts
//! an hour and is kept in memory until shortly before. Invariants: the statement goes to Google
//! alone, whatever address the key file names, since that file may come from anybody; the
//! statement and the token are added to what is searched for in answers before they are sent.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{KeyPair, RSA_PKCS1_SHA256, RsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use reqwest::header::HeaderMap;
use secrecy::{ExposeSecret, SecretString};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::clock;
use crate::secret::composite::ServiceAccount;
use crate::source::http::{self, Call};
use crate::source::{Connection, SourceError};

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// The longest that Google accepts.
const LIFETIME: i64 = 3_600;
/// A token is not used in its last minutes: a request may wait in a queue.
const SPARE: i64 = 300;
/// Where Google exchanges statements for tokens.
const HOSTS: [&str; 4] = [
    "oauth2.googleapis.com",
    "oauth2.mtls.googleapis.com",
    "www.googleapis.com",
    "accounts.google.com",
];
const MOST_KEPT: usize = 8;

const BAD_KEY: &str = "its private key is none that can be read (PKCS #8 in PEM, RSA).";
const BAD_ADDRESS: &str = "its token_uri is not an address of Google's.";

struct Kept {
    /// Of the whole stored key.
    key: [u8; 32],
    token: SecretString,
    /// In seconds since 1970.
    until: i64,
}

static KEPT: Mutex<Vec<Kept>> = Mutex::new(Vec::new());

fn kept() -> MutexGuard<'static, Vec<Kept>> {
    // A list of finished values is whole even if somebody panicked while holding it.
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn hash(key: Option<&SecretString>) -> [u8; 32] {
    let key = key.map(ExposeSecret::expose_secret).unwrap_or_default();
    Sha256::digest(key.as_bytes()).into()
}

/// A server refused the token of this key.
pub(super) fn forget(key: Option<&SecretString>) {
    let key = hash(key);
    kept().retain(|it| it.key != key);
}

/// Whether a key can be used at all, for the one who stores it.
pub(super) fn check(account: &ServiceAccount) -> Result<(), &'static str> {
    key_pair(account).ok_or(BAD_KEY)?;
    let url = reqwest::Url::parse(&account.token_uri).map_err(|_| BAD_ADDRESS)?;
    if is_google(&url) || http::is_here(&url) {
        Ok(())
    } else {
        Err(BAD_ADDRESS)
    }
}

/// A token that lasts long enough for a request.
pub(super) async fn of(
    connection: &Connection,
    account: &ServiceAccount,
) -> Result<SecretString, SourceError> {
    let key = hash(connection.key.as_ref());
    let now = clock::now().as_second();
    let found = {
        let mut kept = kept();
        kept.retain(|it| it.until > now);
        let found = kept.iter().find(|it| it.key == key);
        found.map(|it| it.token.clone())
    };
    if let Some(token) = found {
        connection.secrets.add(&token);
        return Ok(token);
    }
    let url = address(connection, account)?;
    let statement = statement(account, now).ok_or_else(|| bad_key(BAD_KEY))?;
    connection.secrets.add(&statement);
    let call = Call {
        connection,
        url,
        headers: HeaderMap::new(),
    };
    let fields = [
        ("grant_type", GRANT),
        ("assertion", statement.expose_secret()),
    ];
    let answer = call.form(&fields).await?;
    let token = answer["access_token"].as_str().unwrap_or_default();
    if token.is_empty() {
        return Err(bad_key("Google gave no access token for it."));
    }
    let token = SecretString::from(token);
    connection.secrets.add(&token);
    let lasts = answer["expires_in"].as_i64().unwrap_or_default();
    let mut kept = kept();
    if kept.len() >= MOST_KEPT {
        kept.remove(0);
    }
    kept.push(Kept {
        key,
        token: token.clone(),
        until: now.saturating_add(lasts.min(LIFETIME)) - SPARE,
    });
    Ok(token)
}

fn bad_key(reason: &'static str) -> SourceError {
    let label = super::GEMINI.label;
    SourceError::BadKey { label, reason }
}

/// Where the statement may go: to Google; or to this machine, if that is where the model is
/// asked too.
fn address(connection: &Connection, account: &ServiceAccount) -> Result<reqwest::Url, SourceError> {
    let bad = || bad_key(BAD_ADDRESS);
    let url = http::endpoint(&account.token_uri, "").map_err(|_| bad())?;
    let asked = http::endpoint(&connection.base_url, "")?;
    if is_google(&url) || (http::is_here(&url) && http::is_here(&asked)) {
        Ok(url)
    } else {
        Err(bad())
    }
}

fn is_google(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    url.scheme() == "https" && url.port().is_none() && HOSTS.contains(&host)
}

/// The statement that is exchanged: who asks, for what, of whom, and until when.
fn statement(account: &ServiceAccount, now: i64) -> Option<SecretString> {
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(id) = &account.private_key_id {
        header["kid"] = id.clone().into();
    }
    let claims = json!({
        "iss": account.client_email, "scope": SCOPE, "aud": account.token_uri,
        "iat": now, "exp": now.saturating_add(LIFETIME),
    });
    let encode = |text: String| URL_SAFE_NO_PAD.encode(text);
    let signed = format!(
        "{}.{}",
        encode(header.to_string()),
        encode(claims.to_string())
    );
    let pair = key_pair(account)?;
    let mut signature = vec![0; pair.public_modulus_len()];
    pair.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        signed.as_bytes(),
        &mut signature,
    )
    .ok()?;
    Some(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)).into())
}

fn key_pair(account: &ServiceAccount) -> Option<RsaKeyPair> {
    let pem = account.private_key.expose_secret();
    let body: String = pem
        .lines()
        .filter(|line| !line.starts_with("-----"))
        .flat_map(str::chars)
        .filter(|it| !it.is_whitespace())
        .collect();
    let der = STANDARD.decode(body).ok()?;
    let pair = RsaKeyPair::from_pkcs8(&der).ok()?;
    // What cannot be told from its public half was never a pair.
    (!pair.public_key().as_ref().is_empty()).then_some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_google_is_told_who_asks() {
        for good in [
            "https://oauth2.googleapis.com/token",
            "https://www.googleapis.com/oauth2/v4/token",
            "https://accounts.google.com/o/oauth2/token",
        ] {
            assert!(is_google(&reqwest::Url::parse(good).unwrap()), "{good}");
        }
        for bad in [
            "http://oauth2.googleapis.com/token",
            "https://oauth2.googleapis.com:8443/token",
            "https://oauth2.googleapis.com.example.com/token",
            "https://example.com/oauth2.googleapis.com",
            "https://oauth2-googleapis.com/token",
            "https://storage.googleapis.com/bucket",
            "https://user@example.com/token",
            "https://oauth2.googleapis.com@example.com/token",
            "https://127.0.0.1/token",
        ] {
            assert!(!is_google(&reqwest::Url::parse(bad).unwrap()), "{bad}");
        }
    }
}
