//! The chunks of a UI message stream, and how one is written.
//!
//! Owns the names on the wire. Everything is borrowed: writing a chunk costs its own length.
//! No field is written that a reader of the protocol might not know.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::Value;
use weir_protocol::{StopReason, Usage};

#[derive(Serialize)]
#[serde(
    tag = "type",
    rename_all = "kebab-case",
    rename_all_fields = "camelCase"
)]
pub(super) enum Chunk<'a> {
    Start {
        #[serde(skip_serializing_if = "Option::is_none")]
        message_id: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_metadata: Option<MessageMetadata<'a>>,
    },
    StartStep,
    FinishStep,
    TextStart {
        id: PartId,
    },
    TextDelta {
        id: PartId,
        delta: &'a str,
    },
    TextEnd {
        id: PartId,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    ReasoningStart {
        id: PartId,
        provider_metadata: ProviderMetadata<'a>,
    },
    ReasoningDelta {
        id: PartId,
        delta: &'a str,
    },
    ReasoningEnd {
        id: PartId,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    ToolInputStart {
        #[serde(flatten)]
        call: Call<'a>,
    },
    ToolInputDelta {
        tool_call_id: &'a str,
        input_text_delta: &'a str,
    },
    ToolInputAvailable {
        #[serde(flatten)]
        call: Call<'a>,
        input: Plain<'a>,
    },
    ToolInputError {
        #[serde(flatten)]
        call: Call<'a>,
        input: Plain<'a>,
        error_text: &'a str,
    },
    ToolOutputAvailable {
        tool_call_id: &'a str,
        output: Plain<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    ToolOutputError {
        tool_call_id: &'a str,
        error_text: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    SourceUrl {
        source_id: PartId,
        url: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<&'a str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    SourceDocument {
        source_id: PartId,
        media_type: &'a str,
        title: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        provider_metadata: Option<ProviderMetadata<'a>>,
    },
    File {
        url: &'a str,
        media_type: &'a str,
    },
    /// A reader keeps one part for each `id`: the next of the same id replaces it.
    DataUsage {
        id: &'a str,
        data: UsageData<'a>,
    },
    DataPrompt {
        id: &'a str,
        data: Plain<'a>,
    },
    /// `transient`: told to who listens, kept in no message.
    DataRaw {
        data: Plain<'a>,
        transient: bool,
    },
    Error {
        error_text: &'a str,
    },
    Finish {
        #[serde(skip_serializing_if = "Option::is_none")]
        finish_reason: Option<FinishReason>,
        #[serde(skip_serializing_if = "Option::is_none")]
        message_metadata: Option<MessageMetadata<'a>>,
    },
    Abort,
}

impl Chunk<'_> {
    /// Appends the chunk as one server-sent event.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        let from = out.len();
        out.extend_from_slice(b"data: ");
        match serde_json::to_writer(&mut *out, self) {
            Ok(()) => out.extend_from_slice(b"\n\n"),
            // Memory takes every byte and every key is a string, so this cannot happen; half
            // an event would spoil the next one.
            Err(_) => out.truncate(from),
        }
    }
}

/// What follows the last chunk.
pub(super) const DONE: &[u8] = b"data: [DONE]\n\n";

/// Names a part inside one stream, as `text-0`.
#[derive(Clone, Copy)]
pub(super) enum PartId {
    Text(u32),
    Thinking(u32),
    Processing(u32),
    Source(u32),
}

impl fmt::Display for PartId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(number) => write!(f, "text-{number}"),
            Self::Thinking(number) => write!(f, "thinking-{number}"),
            Self::Processing(number) => write!(f, "processing-{number}"),
            Self::Source(number) => write!(f, "source-{number}"),
        }
    }
}

impl Serialize for PartId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What is said of a tool call whenever its input is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call<'a> {
    pub(super) tool_call_id: &'a str,
    pub(super) tool_name: &'a str,
    /// Absent when it is for the reader to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) provider_executed: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) provider_metadata: Option<ProviderMetadata<'a>>,
}

/// What the protocol has no word for, under Weir's name. The last one a part is given
/// replaces those before it.
#[derive(Serialize)]
pub(super) struct ProviderMetadata<'a> {
    weir: Weir<'a>,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Weir<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variant: Option<Variant>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) signature: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) redacted: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<Plain<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cited_text: Option<&'a str>,
    /// The text part that cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text_id: Option<PartId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) relevance: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
}

impl<'a> Weir<'a> {
    pub(super) fn metadata(self) -> ProviderMetadata<'a> {
        ProviderMetadata { weir: self }
    }
}

/// Whose reasoning it is: the model's, or an agent's word on what it does.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Variant {
    Thinking,
    Processing,
}

/// A source's value as the SDK takes it. It refuses a whole stream for one object that could
/// reach JavaScript's prototypes, so such a value goes as its JSON text.
#[derive(Clone, Copy)]
pub(super) struct Plain<'a>(pub(super) &'a Value);

impl Serialize for Plain<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if reaches_prototypes(self.0) {
            serializer.collect_str(self.0)
        } else {
            self.0.serialize(serializer)
        }
    }
}

fn reaches_prototypes(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.iter().any(|(key, field)| {
            key == "__proto__"
                || (key == "constructor" && field.get("prototype").is_some())
                || reaches_prototypes(field)
        }),
        Value::Array(items) => items.iter().any(reaches_prototypes),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[derive(Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum UsageData<'a> {
    Usage { usage: Tokens<'a>, is_total: bool },
    Result { stats: Stats<'a> },
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tokens<'a> {
    #[serde(flatten)]
    usage: &'a Usage,
    total_tokens: u64,
}

impl<'a> From<&'a Usage> for Tokens<'a> {
    fn from(usage: &'a Usage) -> Self {
        Self {
            usage,
            total_tokens: usage.total_tokens(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Stats<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) duration_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cost: Option<f64>,
}

/// What is said of the whole message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageMetadata<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stop_reason: Option<StopReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) usage: Option<Tokens<'a>>,
}

impl MessageMetadata<'_> {
    pub(super) fn unless_empty(self) -> Option<Self> {
        let empty = self.model.is_none() && self.stop_reason.is_none() && self.usage.is_none();
        (!empty).then_some(self)
    }
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum FinishReason {
    Stop,
    Length,
    ContentFilter,
    ToolCalls,
    Error,
    Other,
}
