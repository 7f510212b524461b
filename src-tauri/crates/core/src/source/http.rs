//! The one place that talks HTTP.
//!
//! Keys go into a header marked sensitive and nowhere else: not into an address, a log or an
//! error. What a server echoes back is cleaned of the key before anybody sees it.

use std::time::Duration;

use futures_util::StreamExt;
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::{ByteStream, Connection, SourceError};
use crate::wire::Framing;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// A provider thinks in silence, but not for this long: keep-alives come in between.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(180);
/// How much of an error's body is worth reading.
const ERROR_BODY_LIMIT: usize = 64 * 1024;
/// Lists of models are long where a server resells everybody's.
const LIST_LIMIT: usize = 8 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_secs(20);

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

/// Where a source's API is: `base_url` as it stands when it names a path, `root` under it when
/// it names a host alone, for that is how people write addresses down.
pub(crate) fn api(base_url: &str, root: &str, path: &str) -> Result<reqwest::Url, SourceError> {
    let url = endpoint(base_url, "")?;
    let root = if url.path() == "/" { root } else { "" };
    endpoint(base_url, &format!("{root}{path}"))
}

/// A request with its address and headers, ready to be sent.
pub(crate) struct Call<'a> {
    pub(crate) connection: &'a Connection,
    pub(crate) url: reqwest::Url,
    pub(crate) headers: HeaderMap,
}

impl Call<'_> {
    /// Sends JSON, answers the body as it arrives.
    pub(crate) async fn stream(
        self,
        body: &Value,
        framing: Framing,
    ) -> Result<ByteStream, SourceError> {
        let host = self.host();
        let key = self.connection.key.as_ref();
        let request = self.connection.http.post(self.url);
        let request = request
            .headers(self.headers)
            .header(CONTENT_TYPE, "application/json")
            .body(body.to_string());
        let response = answered(request, &host).await?;
        let content_type = header(response.headers(), CONTENT_TYPE.as_str());
        let kind = content_type.to_ascii_lowercase();
        let streams = match framing {
            Framing::Sse => kind.starts_with("text/event-stream"),
            Framing::Lines => kind.contains("json"),
        };
        if !response.status().is_success() || (!streams && kind.contains("json")) {
            return Err(refusal(response, key, SourceError::NoStream { host, content_type }).await);
        }
        if !streams {
            return Err(SourceError::NoStream { host, content_type });
        }
        Ok(response
            .bytes_stream()
            .map(|bytes| bytes.map_err(|error| SourceError::Broken(root_cause(&error))))
            .boxed())
    }

    /// Asks for JSON, answers it whole.
    pub(crate) async fn list(self) -> Result<Value, SourceError> {
        let host = self.host();
        let no_models = || SourceError::NoModels { host: host.clone() };
        let key = self.connection.key.as_ref();
        let request = self.connection.http.get(self.url).headers(self.headers);
        let response = answered(request.timeout(LIST_TIMEOUT), &host).await?;
        if !response.status().is_success() {
            return Err(refusal(response, key, no_models()).await);
        }
        let body = limited(response, LIST_LIMIT).await;
        serde_json::from_slice(&body).map_err(|_| no_models())
    }

    fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }
}

async fn answered(
    request: reqwest::RequestBuilder,
    host: &str,
) -> Result<reqwest::Response, SourceError> {
    let sent = request.send().await;
    sent.map_err(|error| SourceError::Unreachable {
        host: host.to_owned(),
        reason: root_cause(&error),
    })
}

/// `Authorization: Bearer`, as most want their key.
pub(crate) fn bearer(key: Option<&SecretString>) -> Result<HeaderMap, SourceError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = key {
        let words = SecretString::from(format!("Bearer {}", key.expose_secret().trim()));
        headers.insert(AUTHORIZATION, sensitive(&words)?);
    }
    Ok(headers)
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

/// The provider's own words where it has any, else the status; a success without such words
/// is `otherwise`.
async fn refusal(
    response: reqwest::Response,
    key: Option<&SecretString>,
    otherwise: SourceError,
) -> SourceError {
    let status = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.trim().parse().ok());
    let body = limited(response, ERROR_BODY_LIMIT).await;
    let parsed: Value = serde_json::from_slice(&body).unwrap_or_default();
    // Some wrap their only error in a list.
    let error = parsed.get(0).unwrap_or(&parsed);
    let word = |pointers: &[&str]| {
        let found = pointers.iter().find_map(|at| error.pointer(at)?.as_str());
        found.map(str::to_owned)
    };
    let words = word(&["/error/message", "/error", "/message", "/detail"]);
    if words.is_none() && status.is_success() {
        return otherwise;
    }
    let code = word(&["/error/type", "/error/status", "/error/code", "/type"])
        .unwrap_or_else(|| format!("http_{}", status.as_u16()));
    let message = match words {
        Some(message) => format!("{message} ({})", status.as_u16()),
        None => format!("The server answered {status}."),
    };
    SourceError::Refused {
        code: without(code, key),
        message: without(message, key),
        retry_after,
    }
}

/// The body, as far as it is worth reading.
async fn limited(response: reqwest::Response, limit: usize) -> Vec<u8> {
    let mut body = Vec::new();
    let mut stream = response.bytes_stream();
    while let Some(Ok(bytes)) = stream.next().await {
        body.extend_from_slice(&bytes);
        if body.len() > limit {
            break;
        }
    }
    body
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
