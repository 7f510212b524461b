//! Signs a request for Amazon's services: AWS Signature Version 4.
//!
//! Pure: the same request, keys and time give the same signature. The secret key itself never
//! leaves this module; what is sent proves that it is known.

use aws_lc_rs::{digest, hmac};
use jiff::Timestamp;
use secrecy::ExposeSecret;

use crate::secret::composite::AwsKeys;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// What is signed.
pub(super) struct Unsigned<'a> {
    pub(super) method: &'a str,
    pub(super) url: &'a reqwest::Url,
    /// Headers beside `host` and those that signing adds; names in lower case.
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a [u8],
}

/// Where and for whom it is signed.
pub(super) struct Scope<'a> {
    pub(super) keys: &'a AwsKeys,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) now: Timestamp,
}

/// The headers to send beside those that were signed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) date: String,
    pub(super) authorization: String,
}

pub(super) fn sign(request: &Unsigned<'_>, scope: &Scope<'_>) -> Signed {
    let date = scope.now.strftime("%Y%m%dT%H%M%SZ").to_string();
    let day = &date[..8];
    let (names, canonical) = canonical(request, scope, &date);
    let place = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let hashed = hash(canonical.as_bytes());
    let to_sign = format!("{ALGORITHM}\n{date}\n{place}\n{hashed}");
    let secret = format!("AWS4{}", scope.keys.secret.expose_secret());
    let steps = [day, scope.region, scope.service, "aws4_request"];
    let key = steps.iter().fold(secret.into_bytes(), |key, step| {
        hmac_sha256(&key, step.as_bytes())
    });
    let signature = hex(&hmac_sha256(&key, to_sign.as_bytes()));
    let id = &scope.keys.id;
    let authorization = format!(
        "{ALGORITHM} Credential={id}/{place}, SignedHeaders={names}, Signature={signature}"
    );
    Signed {
        date,
        authorization,
    }
}

/// The names of the signed headers, and the request in the one way to write it down.
fn canonical(request: &Unsigned<'_>, scope: &Scope<'_>, date: &str) -> (String, String) {
    let host = host(request.url);
    let token = scope.keys.session_token.as_ref();
    let token = token.map(|token| ("x-amz-security-token", token.expose_secret()));
    let mut headers = vec![("host", host.as_str()), ("x-amz-date", date)];
    headers.extend(token);
    headers.extend_from_slice(request.headers);
    headers.sort_unstable();
    let names: Vec<&str> = headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let lines: String = headers
        .iter()
        .map(|(name, value)| format!("{name}:{}\n", one_spaced(value)))
        .collect();
    let Unsigned {
        method, url, body, ..
    } = request;
    let written = format!(
        "{method}\n{}\n{}\n{lines}\n{names}\n{}",
        canonical_path(url.path()),
        canonical_query(url.query().unwrap_or_default()),
        hash(body),
    );
    (names, written)
}

fn host(url: &reqwest::Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

fn one_spaced(value: &str) -> String {
    value.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The path of an address is encoded already, and is encoded once more here: all services but S3
/// do the same. Empty segments count as none.
fn canonical_path(path: &str) -> String {
    let segments: Vec<String> = path
        .split('/')
        .filter(|it| !it.is_empty())
        .map(encoded)
        .collect();
    let end = if path.ends_with('/') && !segments.is_empty() {
        "/"
    } else {
        ""
    };
    format!("/{}{end}", segments.join("/"))
}

fn canonical_query(query: &str) -> String {
    let mut pairs: Vec<(&str, &str)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<String> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

/// Percent-encoded, but for what never needs it.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn hmac_sha256(key: &[u8], message: &[u8]) -> Vec<u8> {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    hmac::sign(&key, message).as_ref().to_vec()
}

fn hash(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
