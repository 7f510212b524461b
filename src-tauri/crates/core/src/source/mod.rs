//! Sources: where a stream comes from, and how it is asked.
//!
//! A source is a row: its name, its dialect, where it lives, which key it wants, and one
//! function that sends a step and answers bytes. What the bytes mean is the dialect's
//! business ([`dialect`]); past this module nothing branches on a provider.
//!
//! To add a source: one folder with a `pub(crate) static SOURCE: Source`, one line in
//! [`SOURCES`]. To add a dialect: one folder with a mapper, one line in `dialect::DIALECTS`.

pub(crate) mod anthropic;
pub(crate) mod demo;
pub mod dialect;
pub(crate) mod http;
pub mod price;
pub mod summary;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use weir_protocol::{ErrorBody, Thinking, code};

use dialect::Dialect;

/// Every source there is, in the order they are offered; the first is the default.
pub static SOURCES: &[&Source] = &[&demo::SOURCE, &anthropic::SOURCE];

pub fn source(name: &str) -> Result<&'static Source, SourceError> {
    SOURCES
        .iter()
        .copied()
        .find(|source| source.name == name)
        .ok_or_else(|| SourceError::Unknown(name.to_owned()))
}

/// The address as it will be asked, with nothing in it that a reader could overlook; empty
/// stays empty, for the source's own.
pub fn plain_base_url(base_url: &str) -> Result<String, SourceError> {
    match base_url.trim() {
        "" => Ok(String::new()),
        address => Ok(http::endpoint(address, "")?.to_string()),
    }
}

pub struct Source {
    pub name: &'static str,
    pub label: &'static str,
    pub dialect: &'static Dialect,
    /// Models to offer; the first is the default.
    pub models: &'static [&'static str],
    /// Where its server is unless the user says otherwise; empty when it has none.
    pub base_url: &'static str,
    pub key: KeyNeed,
    pub(crate) open: fn(Connection, StepRequest) -> Opening,
}

/// Whether a source wants a key.
pub enum KeyNeed {
    None,
    /// From the keychain, or from this variable of the environment.
    Wanted {
        variable: &'static str,
    },
}

pub type Opening = BoxFuture<'static, Result<ByteStream, SourceError>>;

/// What a source sends, as it arrives.
pub type ByteStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// How a step reaches its source.
#[derive(Clone)]
pub struct Connection {
    pub(crate) http: reqwest::Client,
    pub(crate) base_url: String,
    pub(crate) key: Option<SecretString>,
}

/// What one step asks: the conversation so far, already in the order it must be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRequest {
    pub model: String,
    pub system: Option<String>,
    pub thinking: Thinking,
    pub messages: Vec<Message>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub role: Role,
    pub blocks: Vec<Block>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Text(String),
    /// Thinking that its model signed, and only that: others refuse it.
    Thinking {
        content: String,
        signature: String,
    },
    /// Thinking that its model sealed.
    Redacted(String),
}

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("There is no source {0:?}. Known: {known}.", known = names())]
    Unknown(String),
    #[error(
        "{label} wants a key. Store one in Settings, with `weir keys set {name}`, or set {variable}."
    )]
    NoKey {
        name: &'static str,
        label: &'static str,
        variable: &'static str,
    },
    #[error(
        "{0:?} is no address Weir can ask: it wants http:// or https://, a host, perhaps a path, and nothing more."
    )]
    BadBaseUrl(String),
    #[error(
        "{host} could not be reached: {reason}. Check the connection and the address in Settings."
    )]
    Unreachable { host: String, reason: String },
    #[error("The connection broke: {0}. What had arrived is kept.")]
    Broken(String),
    /// The provider said no, in its own words.
    #[error("{message}")]
    Refused {
        code: String,
        message: String,
        retry_after: Option<u32>,
    },
    #[error(
        "{host} answered with {content_type} instead of a stream. Check the address in Settings."
    )]
    NoStream { host: String, content_type: String },
}

fn names() -> String {
    let names: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
    names.join(", ")
}

impl SourceError {
    pub fn body(&self) -> ErrorBody {
        let code = match self {
            Self::Unknown(_) => code::UNKNOWN_SOURCE,
            Self::NoKey { .. } => code::NO_KEY,
            Self::BadBaseUrl(_) => code::BAD_INPUT,
            Self::Unreachable { .. } | Self::Broken(_) => code::NETWORK,
            Self::Refused { code, .. } => code,
            Self::NoStream { .. } => code::BAD_RESPONSE,
        };
        let mut body = ErrorBody::new(code, self.to_string());
        if let Self::Refused { retry_after, .. } = self {
            body.retry_after = *retry_after;
        }
        body
    }
}
