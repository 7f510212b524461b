//! The one place that talks HTTP.
//!
//! Keys go into a header marked sensitive and nowhere else: not into an address, a log or an
//! error. What a server echoes back is cleaned of the key before anybody sees it.

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{ByteStream, SourceError};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// A provider thinks in silence, but not for this long: keep-alives come in between.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(180);
/// How much of an error's body is worth reading.
const ERROR_BODY_LIMIT: usize = 64 * 1024;

pub(crate) fn client() -> Result<reqwest::Client, SourceError> {
    reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(SILENCE_TIMEOUT)
        // A redirect could carry the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("weir/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| SourceError::Broken(error.to_string()))
}

/// An address with a path under it, when it is one that Weir may ask.
pub(crate) fn endpoint(base_url: &str, path: &str) -> Result<reqwest::Url, SourceError> {
    let bad = || SourceError::BadBaseUrl(base_url.to_owned());
    let url = reqwest::Url::parse(&format!("{}{path}", base_url.trim_end_matches('/')))
        .map_err(|_| bad())?;
    let speaks_http = matches!(url.scheme(), "http" | "https");
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if speaks_http && bare && url.has_host() {
        Ok(url)
    } else {
        Err(bad())
    }
}

/// Sends JSON, answers the body as it arrives.
pub(crate) async fn post(
    http: &reqwest::Client,
    url: reqwest::Url,
    headers: HeaderMap,
    key: Option<&SecretString>,
    body: &Value,
) -> Result<ByteStream, SourceError> {
    let host = url.host_str().unwrap_or_default().to_owned();
    let response = http
        .post(url)
        .headers(headers)
        .header(CONTENT_TYPE, "application/json")
        .body(body.to_string())
        .send()
        .await
        .map_err(|error| SourceError::Unreachable {
            host: host.clone(),
            reason: root_cause(&error),
        })?;
    if !response.status().is_success() {
        return Err(refusal(response, key).await);
    }
    let content_type = header(response.headers(), CONTENT_TYPE.as_str());
    if !content_type
        .to_ascii_lowercase()
        .starts_with("text/event-stream")
    {
        return Err(SourceError::NoStream { host, content_type });
    }
    Ok(response
        .bytes_stream()
        .map(|bytes| bytes.map_err(|error| SourceError::Broken(root_cause(&error))))
        .boxed())
}

/// A header value that never shows up in a log.
pub(crate) fn sensitive(key: &SecretString) -> Result<HeaderValue, SourceError> {
    let mut value =
        HeaderValue::from_str(key.expose_secret().trim()).map_err(|_| SourceError::Refused {
            code: weir_protocol::code::NO_KEY.into(),
            message: "The stored key has characters no key can have. Store it again.".into(),
            retry_after: None,
        })?;
    value.set_sensitive(true);
    Ok(value)
}

fn header(headers: &HeaderMap, name: &str) -> String {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or("something unnamed")
        .to_owned()
}

/// The provider's own words where it has any, the status where not.
async fn refusal(response: reqwest::Response, key: Option<&SecretString>) -> SourceError {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let mut body = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(Ok(bytes)) = stream.next().await {
        body.extend_from_slice(&bytes);
        if body.len() > ERROR_BODY_LIMIT {
            break;
        }
    }
    let parsed: Option<Value> = serde_json::from_slice(&body).ok();
    let word = |pointer: &str| {
        parsed
            .as_ref()
            .and_then(|value| value.pointer(pointer))
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let code = word("/error/type").unwrap_or_else(|| format!("http_{}", status.as_u16()));
    let message = match word("/error/message").or_else(|| word("/message")) {
        Some(message) => format!("{message} ({})", status.as_u16()),
        None => format!("The server answered {status}."),
    };
    SourceError::Refused {
        code,
        message: without(message, key),
        retry_after,
    }
}

/// `text` with every trace of the key taken out.
pub(crate) fn without(text: String, key: Option<&SecretString>) -> String {
    match key.map(|key| key.expose_secret().trim()) {
        Some(key) if !key.is_empty() && text.contains(key) => text.replace(key, "[key]"),
        Some(_) | None => text,
    }
}

/// The innermost reason of a chain: "connection refused" rather than "error sending request".
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}
