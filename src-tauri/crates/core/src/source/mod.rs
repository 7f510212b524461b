//! Sources: where a stream comes from, and how it is asked.
//!
//! A source is a row: its name, its dialect, where it lives, which key it wants, and one
//! function that sends a step and answers bytes. What the bytes mean is the dialect's
//! business ([`dialect`]); past this module nothing branches on a provider.
//!
//! How to add a source or a dialect stands in `README.md` beside this file.

mod adapt;
pub(crate) mod agent_lines;
pub(crate) mod anthropic;
pub(crate) mod bedrock;
mod call_ids;
pub mod catalogue;
pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod context;
mod count;
pub mod custom;
pub(crate) mod demo;
pub mod dialect;
pub(crate) mod effort;
pub(crate) mod fault;
pub(crate) mod gemini;
pub(crate) mod gemini_cli;
pub(crate) mod http;
pub(crate) mod langchain;
pub(crate) mod offers;
pub(crate) mod ollama;
pub(crate) mod openai_chat;
pub(crate) mod openai_responses;
pub mod price;
pub(crate) mod recipient;
mod request;
pub mod summary;
pub(crate) mod vertex;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use secrecy::SecretString;
use weir_protocol::{ErrorBody, ErrorDetails, code};

use crate::secret::SourceSecrets;
pub(crate) use adapt::Exchange;
pub(crate) use count::Count;
use dialect::Dialect;
pub(crate) use offers::Charges;
pub use offers::Offers;

pub use request::{Block, ChosenBy, Message, Role, StepRequest, ToolDefinition};
pub(crate) use request::{images_left_out, plain, replace_images};

/// Every dialect there is.
pub static DIALECTS: &[Dialect] = &[
    anthropic::mapper::DIALECT,
    openai_chat::mapper::DIALECT,
    openai_responses::mapper::DIALECT,
    gemini::mapper::DIALECT,
    ollama::mapper::DIALECT,
    claude_code::mapper::DIALECT,
    codex::mapper::DIALECT,
    gemini_cli::mapper::DIALECT,
    agent_lines::mapper::DIALECT,
    langchain::mapper::DIALECT,
    bedrock::mapper::DIALECT,
];

pub fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|dialect| dialect.name == name)
}

/// Every source there is, in the order they are offered; the first is the default.
pub static SOURCES: &[&Source] = &[
    &demo::SOURCE,
    &anthropic::SOURCE,
    &openai_responses::SOURCE,
    &openai_chat::relatives::OPENAI,
    &gemini::SOURCE,
    &openai_chat::relatives::OPENROUTER,
    &openai_chat::relatives::DEEPSEEK,
    &openai_chat::relatives::GROQ,
    &openai_chat::relatives::MISTRAL,
    &openai_chat::relatives::XAI,
    &bedrock::SOURCE,
    &vertex::GEMINI,
    &vertex::CLAUDE,
    &openai_responses::relatives::AZURE_OPENAI,
    &openai_chat::relatives::CEREBRAS,
    &openai_chat::relatives::TOGETHER,
    &openai_chat::relatives::FIREWORKS,
    &openai_responses::relatives::PERPLEXITY,
    &openai_chat::relatives::MOONSHOT,
    &openai_chat::relatives::ZAI,
    &openai_chat::relatives::QWEN,
    &ollama::SOURCE,
    &openai_chat::relatives::LM_STUDIO,
    &openai_chat::relatives::LLAMA_CPP,
    &openai_chat::relatives::VLLM,
    &openai_chat::relatives::COMPATIBLE,
];

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
    /// Models to offer before the source has been asked for its own; the first is the
    /// default. None: whatever the server has.
    pub models: &'static [&'static str],
    /// Where its server is unless the user says otherwise; empty when it has none.
    pub base_url: &'static str,
    pub location: Location,
    pub key: KeyNeed,
    pub offers: Offers,
    pub(crate) api: &'static dyn Api,
}

impl Source {
    /// The dialect in which a request is answered.
    pub fn dialect_for(&self, request: &StepRequest) -> &'static Dialect {
        self.api.dialect(request).unwrap_or(self.dialect)
    }
}

/// Where a source's server usually runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    Cloud,
    /// On this machine, if at all: Weir looks whether it is there.
    Here,
}

/// Whether a source wants a key. `account` is its name in the keychain, `variable` the one of
/// the environment that serves when the keychain has none.
#[derive(Clone, Copy)]
pub enum KeyNeed {
    None,
    Optional {
        account: &'static str,
        variable: &'static str,
    },
    Wanted {
        account: &'static str,
        variable: &'static str,
    },
}

impl KeyNeed {
    pub fn account(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Optional { account, .. } | Self::Wanted { account, .. } => Some(account),
        }
    }

    pub fn variable(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Optional { variable, .. } | Self::Wanted { variable, .. } => Some(variable),
        }
    }
}

/// How a source is asked.
pub(crate) trait Api: Send + Sync {
    /// Sends a step, answers the bytes that come back.
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening;

    /// The dialect of the answer to a request, where that is not the source's own.
    fn dialect(&self, _request: &StepRequest) -> Option<&'static Dialect> {
        None
    }

    /// The models it has, the ones worth offering first.
    fn models(&'static self, connection: Connection) -> Listing;

    /// How many tokens a model of this server takes, where the server says so. Servers on this
    /// machine have contexts that no table knows, and some cut what is longer without a word.
    fn context_window(&'static self, _connection: Connection, _model: String) -> Window {
        Box::pin(std::future::ready(None))
    }

    /// How its tokens are counted before anything is sent.
    fn count(&self) -> Count {
        Count::Likely
    }

    /// A key in the form in which it is stored, or why it cannot be one. The reason must not
    /// repeat any of it.
    fn stored_key(&self, key: &SecretString) -> Result<SecretString, &'static str> {
        Ok(key.clone())
    }
}

pub type Opening = BoxFuture<'static, Result<ByteStream, SourceError>>;
pub(crate) type Window = BoxFuture<'static, Option<u64>>;
pub type Listing = BoxFuture<'static, Result<Vec<String>, SourceError>>;

/// What a source sends, as it arrives.
pub type ByteStream = BoxStream<'static, Result<Bytes, SourceError>>;

/// How a step reaches its source.
#[derive(Clone)]
pub struct Connection {
    pub(crate) http: http::Http,
    pub(crate) base_url: String,
    pub(crate) key: Option<SecretString>,
    /// What of the key, and of what was made from it, must never be shown.
    pub(crate) secrets: SourceSecrets,
    pub(crate) sent: Sent,
    /// What servers are known to refuse, and what the user is to know of the request.
    pub(crate) exchange: Exchange,
}

/// Whether a request has left this machine: what has not, nobody is paid for. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sent(Arc<AtomicBool>);

impl Sent {
    pub(crate) fn mark(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_sent(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    #[error("There is no source {}. Known: {known}.", repeated(.0), known = names())]
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
        "{0} is no address Weir can ask: it wants http:// or https://, a host, perhaps a path, and nothing more."
    )]
    BadBaseUrl(String),
    #[error(
        "{host} could not be reached: {reason}. Check the connection and the address in Settings."
    )]
    Unreachable { host: String, reason: String },
    #[error("The connection broke: {0}. What had arrived is kept.")]
    Broken(String),
    #[error("{quiet}, so the connection was given up after {seconds} s.", seconds = after.as_secs())]
    Silent { quiet: Quiet, after: Duration },
    #[error(
        "The computer slept in the middle of this reply, and the connection did not outlive it."
    )]
    Slept,
    /// The provider said no, in its own words.
    #[error("{message}")]
    Refused {
        /// Of the answer; 0 when it was not even asked.
        status: u16,
        code: String,
        message: String,
        retry_after: Option<Duration>,
        /// The provider's own words.
        details: Option<Box<ErrorDetails>>,
    },
    #[error(
        "{host} answered with {content_type} instead of a stream. Check the address in Settings."
    )]
    NoStream { host: String, content_type: String },
    #[error(
        "{host} sends Weir on to another address. It does not follow, so that the key stays where it is meant for. Check the address in Settings."
    )]
    Redirected { host: String },
    #[error("{host} answered something that is no list of models. Check the address in Settings.")]
    NoModels { host: String },
    #[error("{0:?} is no name of a model. Choose one in Settings.")]
    BadModel(String),
    #[error(
        "{label} has an address of your own, like {example}. Set it in Settings, or with `--base-url` for one prompt."
    )]
    NoAddress {
        name: &'static str,
        label: &'static str,
        example: &'static str,
    },
    /// What is stored as the key is not in a form that the source takes; never says any of it.
    #[error("{label} cannot use the stored key: {reason}")]
    BadKey {
        label: &'static str,
        reason: &'static str,
    },
    #[error("{label} has no model to ask yet. Load one there, or name one in Settings.")]
    NoModelThere { label: &'static str },
}

/// Which silence went on for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quiet {
    /// Not one byte.
    Dead,
    /// Bytes that only keep the connection open.
    Idle,
}

impl fmt::Display for Quiet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Dead => "Nothing came any more",
            Self::Idle => "The source kept the line open and said nothing",
        })
    }
}

/// What was given as a name, where it may be one: a key or an address in its place is not repeated.
fn repeated(name: &str) -> String {
    crate::repeated::repeated(name).unwrap_or_else(|| "of that name".to_owned())
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
            Self::Unreachable { .. } | Self::Broken(_) | Self::Slept => code::NETWORK,
            Self::Silent { .. } => code::TIMEOUT,
            Self::Refused { code, .. } => code,
            Self::NoStream { .. } | Self::Redirected { .. } | Self::NoModels { .. } => {
                code::BAD_RESPONSE
            }
            Self::BadModel(_) | Self::NoModelThere { .. } | Self::NoAddress { .. } => {
                code::BAD_INPUT
            }
            Self::BadKey { .. } => code::NO_KEY,
        };
        let mut body = ErrorBody::new(code, self.to_string());
        if let Self::Refused {
            retry_after,
            details,
            ..
        } = self
        {
            // Rounded up: asked a moment too early, the source would refuse again.
            body.retry_after = retry_after.map(|wait| {
                let seconds = wait
                    .as_secs()
                    .saturating_add(u64::from(wait.subsec_nanos() > 0));
                u32::try_from(seconds).unwrap_or(u32::MAX)
            });
            body.details.clone_from(details);
        }
        body
    }
}
