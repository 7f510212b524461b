//! The one place that talks HTTP.
//!
//! Keys go into a header marked sensitive and nowhere else: not into an address, a log or an
//! error. What a server says of its failure, and the names of its models, are cleaned of the key
//! before anybody sees them. A redirect is not followed: it could carry the key to another host.
//! How long silence may last is the step's business.

mod told_delay;

use std::net::IpAddr;
use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap,
    HeaderValue,
};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::fault::{self, Reported};
use super::{ByteStream, Connection, Sent, SourceError};
use crate::clock;
use crate::value_search::{Extent, KnownValues};
use crate::wire::Framing;
use told_delay::told_delay;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
/// How much of an error's body is worth reading.
const ERROR_BODY_LIMIT: usize = 64 * 1024;
/// Lists of models are long where a server resells everybody's.
const LIST_LIMIT: usize = 8 * 1024 * 1024;
const LIST_TIMEOUT: Duration = Duration::from_secs(20);
/// For what is good to know and not needed.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// The two ways out: through the system's proxy, if it has one, and straight to this machine.
#[derive(Clone)]
pub(crate) struct Http {
    abroad: reqwest::Client,
    here: reqwest::Client,
}

impl Http {
    pub(crate) fn new() -> Result<Self, SourceError> {
        let client = || {
            reqwest::Client::builder()
                .connect_timeout(CONNECT_TIMEOUT)
                .redirect(reqwest::redirect::Policy::none())
                .user_agent(concat!("weir/", env!("CARGO_PKG_VERSION")))
        };
        let built = |builder: reqwest::ClientBuilder| {
            let client = builder.build();
            client.map_err(|error| SourceError::Broken(error.to_string()))
        };
        Ok(Self {
            abroad: built(client())?,
            here: built(client().no_proxy())?,
        })
    }

    /// What is meant for this machine does not leave it, whatever the proxy.
    fn to(&self, url: &reqwest::Url) -> &reqwest::Client {
        if is_here(url) {
            &self.here
        } else {
            &self.abroad
        }
    }
}

pub(crate) fn is_here(url: &reqwest::Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let loopback = address.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
    loopback || host == "localhost" || host.ends_with(".localhost")
}

/// An address with a path under it, when it is one that Weir may ask.
pub(crate) fn endpoint(base_url: &str, path: &str) -> Result<reqwest::Url, SourceError> {
    let bad = || SourceError::BadBaseUrl(shown(base_url));
    let url = reqwest::Url::parse(&format!("{}{path}", base_url.trim().trim_end_matches('/')))
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

/// What may be repeated of an address that is refused: it may hold a password or a key, anywhere
/// where it is not as it should be.
fn shown(base_url: &str) -> String {
    let url = reqwest::Url::parse(base_url.trim()).ok();
    let host = url
        .as_ref()
        .filter(|url| matches!(url.scheme(), "http" | "https"))
        .and_then(reqwest::Url::host_str);
    match host {
        Some(host) => format!("The address at {host}"),
        None => "This".to_owned(),
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
        self.stream_bytes(body.to_string().into(), framing).await
    }

    /// Sends JSON that is written down already, because its bytes are signed.
    pub(crate) async fn stream_bytes(
        self,
        body: Bytes,
        framing: Framing,
    ) -> Result<ByteStream, SourceError> {
        let host = self.host();
        self.check_clock()?;
        let key = &self.connection.secrets.values();
        let request = self.connection.http.to(&self.url).post(self.url);
        let request = request
            .headers(self.headers)
            .header(CONTENT_TYPE, "application/json")
            // A compressed stream comes in lumps; nobody here unpacks one.
            .header(ACCEPT_ENCODING, "identity");
        let request = watched(request, body, self.connection.sent.clone());
        let response = answered(request, &host).await?;
        let content_type = header(response.headers(), CONTENT_TYPE.as_str());
        if let Some(encoding) = encoding(response.headers()) {
            let content_type = format!("{content_type} packed as {encoding}");
            return Err(SourceError::NoStream { host, content_type });
        }
        let kind = content_type.to_ascii_lowercase();
        let streams = match framing {
            // Small servers say too little, or nothing.
            Framing::Sse => {
                kind.starts_with("text/event-stream")
                    || kind.starts_with("text/plain")
                    || kind == UNNAMED
            }
            Framing::Lines => kind.contains("json"),
            Framing::LinesOrSse => kind.contains("json") || kind.starts_with("text/event-stream"),
            Framing::AwsEventStream => kind.starts_with("application/vnd.amazon.eventstream"),
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

    /// Asks for JSON, answers the list under `field`, or the answer if it is a list itself.
    pub(crate) async fn list(self, field: &str) -> Result<Vec<Value>, SourceError> {
        let host = self.host();
        self.check_clock()?;
        let no_models = || SourceError::NoModels { host: host.clone() };
        let key = &self.connection.secrets.values();
        let request = self.connection.http.to(&self.url).get(self.url);
        let request = request.headers(self.headers);
        let response = answered(request.timeout(LIST_TIMEOUT), &host).await?;
        if !response.status().is_success() {
            return Err(clipped(refusal(response, key, no_models()).await));
        }
        let body = limited(response, LIST_LIMIT).await;
        let mut answer: Value = serde_json::from_slice(&body).map_err(|_| no_models())?;
        let listed = match answer.get_mut(field) {
            Some(listed) => listed.take(),
            None => answer,
        };
        serde_json::from_value(listed).map_err(|_| no_models())
    }

    /// Sends JSON, answers the JSON that comes back.
    pub(crate) async fn post(self, body: &Value) -> Result<Value, SourceError> {
        let host = self.host();
        self.check_clock()?;
        let no_answer = || SourceError::NoModels { host: host.clone() };
        let key = &self.connection.secrets.values();
        let request = self.connection.http.to(&self.url).post(self.url);
        let request = request
            .headers(self.headers)
            .header(CONTENT_TYPE, "application/json")
            .timeout(FETCH_TIMEOUT)
            .body(body.to_string());
        let response = answered(request, &host).await?;
        if !response.status().is_success() {
            return Err(refusal(response, key, no_answer()).await);
        }
        let body = limited(response, LIST_LIMIT).await;
        serde_json::from_slice(&body).map_err(|_| no_answer())
    }

    /// Sends a form and returns the JSON of the answer: how an access token is asked for. Nobody
    /// is paid for that, so the request does not count as sent.
    pub(crate) async fn form(self, fields: &[(&str, &str)]) -> Result<Value, SourceError> {
        let host = self.host();
        self.check_clock()?;
        let secrets = &self.connection.secrets.values();
        let no_json = || SourceError::Refused {
            status: 0,
            code: weir_protocol::code::BAD_RESPONSE.into(),
            message: format!("{host} answered something that is no access token."),
            retry_after: None,
            details: None,
        };
        let mut form = reqwest::Url::parse("form:").map_err(|_| no_json())?;
        form.query_pairs_mut().extend_pairs(fields);
        let body = form.query().unwrap_or_default().to_owned();
        let request = self.connection.http.to(&self.url).post(self.url);
        let request = request
            .headers(self.headers)
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body);
        let response = answered(request.timeout(LIST_TIMEOUT), &host).await?;
        if !response.status().is_success() {
            return Err(refusal(response, secrets, no_json()).await);
        }
        let body = limited(response, ERROR_BODY_LIMIT).await;
        serde_json::from_slice(&body).map_err(|_| no_json())
    }

    /// The library that checks certificates panics on a clock before 1970.
    fn check_clock(&self) -> Result<(), SourceError> {
        let is_plain = self.url.scheme() == "http" && is_here(&self.url);
        if is_plain || !clock::is_before_1970() {
            return Ok(());
        }
        Err(SourceError::Unreachable {
            host: self.host(),
            reason: "the clock of this machine is set to a time before 1970".to_owned(),
        })
    }

    fn host(&self) -> String {
        self.url.host_str().unwrap_or_default().to_owned()
    }
}

/// With a body that says when it leaves: a connection that never came to be takes none.
fn watched(request: reqwest::RequestBuilder, body: Bytes, sent: Sent) -> reqwest::RequestBuilder {
    let length = body.len();
    let leaving = stream::once(async move {
        sent.mark();
        Ok::<_, std::convert::Infallible>(body)
    });
    request
        .header(CONTENT_LENGTH, length)
        .body(reqwest::Body::wrap_stream(leaving))
}

async fn answered(
    request: reqwest::RequestBuilder,
    host: &str,
) -> Result<reqwest::Response, SourceError> {
    let host = || host.to_owned();
    let sent = request.send().await;
    let response = sent.map_err(|error| SourceError::Unreachable {
        host: host(),
        reason: root_cause(&error),
    })?;
    if response.status().is_redirection() {
        return Err(SourceError::Redirected { host: host() });
    }
    Ok(response)
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
            status: 0,
            code: weir_protocol::code::NO_KEY.into(),
            message: "The stored key has characters no key can have. Store it again.".into(),
            retry_after: None,
            details: None,
        })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Where AWS names its errors.
const AWS_ERROR_TYPE: &str = "x-amzn-errortype";
/// What an answer is that does not say.
const UNNAMED: &str = "something unnamed";

fn header(headers: &HeaderMap, name: &str) -> String {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or(UNNAMED)
        .to_owned()
}

/// How an answer is packed, when it is, although nobody asked for that.
fn encoding(headers: &HeaderMap) -> Option<String> {
    headers.get(CONTENT_ENCODING)?;
    let encoding = header(headers, CONTENT_ENCODING.as_str());
    (!matches!(encoding.trim(), "" | "identity")).then_some(encoding)
}

/// The provider's own words where it has any, else the status; a success without such words
/// is `otherwise`.
async fn refusal(
    response: reqwest::Response,
    secrets: &KnownValues,
    otherwise: SourceError,
) -> SourceError {
    let status = response.status();
    let retry_after = told_delay(response.headers(), clock::now());
    let error_type = match response.headers().get(AWS_ERROR_TYPE) {
        Some(_) => header(response.headers(), AWS_ERROR_TYPE),
        None => String::new(),
    };
    let answer = limited(response, ERROR_BODY_LIMIT).await;
    let answer = String::from_utf8_lossy(&answer);
    let Some(mut body) = Reported::answer(status.as_u16(), &answer, &error_type) else {
        return otherwise;
    };
    body.message = if body.message.is_empty() {
        format!("The server answered {status}.")
    } else {
        format!("{} ({})", body.message, status.as_u16())
    };
    // It is cut by whoever shows it, after all checks.
    for text in body.texts_mut() {
        *text = secrets.redact(std::mem::take(text), Extent::Pieces);
    }
    let told = body.retry_after.map(u64::from).map(Duration::from_secs);
    SourceError::Refused {
        status: status.as_u16(),
        code: body.code,
        message: body.message,
        retry_after: retry_after.or(told),
        details: body.details,
    }
}

/// For who shows it as it is: in a turn the originals of the session are looked for first.
fn clipped(error: SourceError) -> SourceError {
    let mut body = error.body();
    let SourceError::Refused {
        status,
        retry_after,
        ..
    } = error
    else {
        return error;
    };
    fault::clip(&mut body);
    SourceError::Refused {
        status,
        code: body.code,
        message: body.message,
        retry_after,
        details: body.details,
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

/// The innermost reason of a chain: "connection refused" rather than "error sending request".
fn root_cause(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(deeper) = cause.source() {
        cause = deeper;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::AsyncReadExt;
    use tokio::net::TcpListener;

    use super::*;
    use crate::secret::SourceSecrets;
    use crate::source::Exchange;

    async fn ask(url: &str, sent: Sent) -> Result<(), SourceError> {
        let connection = Connection {
            http: Http::new()?,
            base_url: url.to_owned(),
            key: None,
            secrets: SourceSecrets::default(),
            sent,
            exchange: Exchange::default(),
        };
        let call = Call {
            connection: &connection,
            url: endpoint(url, "/v1")?,
            headers: HeaderMap::new(),
        };
        call.stream(&json!({"said": "hi"}), Framing::Sse)
            .await
            .map(drop)
    }

    #[tokio::test]
    async fn knows_whether_a_request_has_left() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        // Somebody reads it and never answers.
        let sent = Sent::default();
        let url = format!("http://{address}");
        let heard = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            while !heard.ends_with(br#"{"said":"hi"}"#) {
                stream.read_buf(&mut heard).await.unwrap();
            }
            (stream, heard)
        };
        let heard = tokio::select! {
            answered = ask(&url, sent.clone()) => panic!("{answered:?}"),
            (_stream, heard) = heard => String::from_utf8(heard).unwrap().to_lowercase(),
        };
        assert!(sent.is_sent());
        assert!(heard.contains("content-length: 13\r\n"), "{heard}");
        assert!(!heard.contains("transfer-encoding"), "{heard}");

        // Somebody is there and says nothing that would make it safe to send.
        let sent = Sent::default();
        let url = format!("https://{address}");
        let greeted = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.read_u8().await.unwrap();
            stream
        };
        tokio::select! {
            answered = ask(&url, sent.clone()) => panic!("{answered:?}"),
            _stream = greeted => {}
        }
        assert!(!sent.is_sent());

        // Nobody is there.
        drop(listener);
        let sent = Sent::default();
        let refused = ask(&format!("http://{address}"), sent.clone()).await;
        assert!(matches!(refused, Err(SourceError::Unreachable { .. })));
        assert!(!sent.is_sent());
    }
}
