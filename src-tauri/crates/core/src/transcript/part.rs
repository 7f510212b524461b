//! What a reader of a transcript sees of its events, whatever the format.

use serde_json::Value;
use weir_protocol::{Citation, Event, EventBody, StopReason};

use super::Transcript;
use crate::source;
use crate::store::path;

/// One thing to show, in order.
pub(super) enum Part<'a> {
    Prompt {
        content: &'a str,
        pictures: usize,
    },
    Thinking(&'a str),
    /// Neighbouring text blocks read as one.
    Text {
        content: String,
        citations: Vec<&'a Citation>,
    },
    Tool {
        name: &'a str,
        input: &'a Value,
    },
    Result {
        name: &'a str,
        text: String,
        is_error: bool,
    },
    /// A line beside the conversation.
    Note(String),
}

/// The branch that is read, in parts.
pub(super) fn with_parts<T>(transcript: &Transcript, tell: impl FnOnce(&[Part<'_>]) -> T) -> T {
    let events = path::continued(transcript.events.clone(), None);
    let events = events.unwrap_or_else(|| transcript.events.clone());
    tell(&parts(&events))
}

fn parts(events: &[Event]) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    for event in events {
        match &event.body {
            EventBody::UserMessage {
                content, images, ..
            } => parts.push(Part::Prompt {
                content,
                pictures: images.len(),
            }),
            EventBody::Thinking { content, .. } if !content.is_empty() => {
                parts.push(Part::Thinking(content));
            }
            EventBody::Message {
                content, citations, ..
            } => match parts.last_mut() {
                Some(Part::Text {
                    content: before,
                    citations: cited,
                }) => {
                    before.push_str(content);
                    cited.extend(citations);
                }
                Some(_) | None => parts.push(Part::Text {
                    content: content.clone(),
                    citations: citations.iter().collect(),
                }),
            },
            EventBody::ToolUse {
                tool_name, input, ..
            } => parts.push(Part::Tool {
                name: tool_name,
                input,
            }),
            EventBody::ToolResult {
                tool_name,
                result,
                is_error,
                ..
            } => parts.push(Part::Result {
                name: tool_name,
                text: source::plain(result),
                is_error: *is_error,
            }),
            EventBody::File { media_type, .. } => {
                parts.push(Part::Note(format!("A file was made: {media_type}.")));
            }
            EventBody::Compaction { .. } => {
                let note = "Here the conversation was shortened for the model.";
                parts.push(Part::Note(note.to_owned()));
            }
            EventBody::Error { error } => parts.push(Part::Note(error.message.clone())),
            EventBody::Complete { stop_reason, .. } => {
                parts.extend(ending(*stop_reason).map(|note| Part::Note(note.to_owned())));
            }
            EventBody::Thinking { .. }
            | EventBody::SessionStart { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::Processing { .. }
            | EventBody::PermissionRequest { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::Retry { .. }
            | EventBody::GuardrailsTriggered { .. }
            | EventBody::OutputGuardrailsTriggered { .. }
            | EventBody::Hook { .. }
            | EventBody::Budget { .. }
            | EventBody::Memories { .. }
            | EventBody::Usage { .. }
            | EventBody::ThinkingChunk { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ProcessingChunk { .. } => {}
        }
    }
    parts
}

/// What is said of an end that is not the usual one.
fn ending(reason: StopReason) -> Option<&'static str> {
    match reason {
        StopReason::EndTurn
        | StopReason::StopSequence
        | StopReason::ToolUse
        | StopReason::PauseTurn => None,
        StopReason::MaxTokens => Some("The reply reached its length limit."),
        StopReason::Refusal => Some("The model declined to go on."),
        StopReason::ContentFilter => Some("The source's content filter ended the reply."),
        StopReason::Error => Some("The source ended the reply with an error."),
        StopReason::Cancelled => Some("Stopped."),
        StopReason::MaxTurns => Some("The turn had as many steps as it may have."),
        StopReason::Blocked => Some("A guard or a hook stopped this turn."),
        StopReason::Budget => Some("The budget is spent, so the turn stopped here."),
    }
}

/// The sources of a text, each once, as a title and an address.
pub(super) fn sources<'a>(citations: &[&'a Citation]) -> Vec<(&'a str, Option<&'a str>)> {
    let mut sources: Vec<(&str, Option<&str>)> = Vec::new();
    for citation in citations {
        let url = citation.url.as_deref();
        let title = citation.title.as_deref().or(url).unwrap_or("A source");
        if !sources.contains(&(title, url)) {
            sources.push((title, url));
        }
    }
    sources
}

/// Who was asked, and when.
pub(super) fn about(transcript: &Transcript) -> String {
    let session = &transcript.session;
    let mut about = format!(
        "{} · {} · {} · {} tokens",
        session.source,
        session.model,
        session.updated_at.strftime("%Y-%m-%d"),
        session.tokens
    );
    if let Some(cost) = session.cost {
        about.push_str(&format!(" · ${cost:.4}"));
    }
    about
}
