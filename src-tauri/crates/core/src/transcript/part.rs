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
    tell(&parts(&read_branch(transcript)))
}

/// The events of the branch that is read.
pub(super) fn read_branch(transcript: &Transcript) -> Vec<Event> {
    let events = path::continued(transcript.events.clone(), None);
    events.unwrap_or_else(|| transcript.events.clone())
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
                    cited.extend(citations);
                    before.push_str(&marked(content, citations, cited));
                }
                Some(_) | None => {
                    let cited: Vec<_> = citations.iter().collect();
                    parts.push(Part::Text {
                        content: marked(content, citations, &cited),
                        citations: cited,
                    });
                }
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
            | EventBody::Raw { .. }
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

/// A block's text with the numbers of what it cites, as [`sources`] counts them.
fn marked(content: &str, citations: &[Citation], all: &[&Citation]) -> String {
    let listed = sources(all);
    let mut numbers: Vec<usize> = Vec::new();
    for citation in citations {
        let place = listed.iter().position(|it| *it == source_of(citation));
        numbers.extend(place.map(|at| at + 1).filter(|it| !numbers.contains(it)));
    }
    let words = content.trim_end();
    let marks: String = numbers.iter().map(|it| format!("[{it}]")).collect();
    if marks.is_empty() {
        return content.to_owned();
    }
    // A fence is closed by a line of its own.
    let last = words.lines().last().unwrap_or_default().trim_start();
    let is_fence = last.starts_with("```") || last.starts_with("~~~");
    let gap = if is_fence { "\n\n" } else { "" };
    format!("{words}{gap}{marks}{}", &content[words.len()..])
}

fn source_of(citation: &Citation) -> (&str, Option<&str>) {
    let url = citation.url.as_deref();
    (citation.title.as_deref().or(url).unwrap_or("A source"), url)
}

/// The sources of a text, each once, as a title and an address.
pub(super) fn sources<'a>(citations: &[&'a Citation]) -> Vec<(&'a str, Option<&'a str>)> {
    let mut sources: Vec<(&str, Option<&str>)> = Vec::new();
    for citation in citations {
        let source = source_of(citation);
        if !sources.contains(&source) {
            sources.push(source);
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
