//! What is left of a turn whose Weir ended in the middle of it.
//!
//! Every chunk that had been shown is in the journal; here they become finished blocks of the
//! log, and the turn gets an end that says what happened. One transaction: a kill during
//! recovery changes nothing.

use jiff::Timestamp;
use sqlx::SqliteConnection;
use uuid::Uuid;
use weir_protocol::{ErrorBody, Event, EventBody, PersistenceState, code, merge_chunks};

use super::journal::Chunks;
use super::{Recorded, StoreError, journal, log, path, sessions, settings};

/// What a step used, and when that was.
pub(crate) type UsedAt = (EventBody, Timestamp);

/// How the step is counted in whose middle a Weir ended. What things cost is not the store's to
/// know: it finds what was said, and asks.
#[derive(Clone, Copy)]
pub(crate) struct Reckon {
    /// The setting that holds the user's own prices.
    pub(crate) prices: &'static str,
    /// The usage of the step that a path ends with, if it has none yet.
    pub(crate) used: fn(&[Event], Option<&str>) -> Option<UsedAt>,
}

impl Reckon {
    pub(super) const NOTHING: Self = Self {
        prices: "",
        used: |_, _| None,
    };
}

pub(super) async fn end_interrupted(
    connection: &mut SqliteConnection,
    session: Uuid,
    owner: &str,
    reason: String,
    reckon: Reckon,
) -> Result<Option<Recorded>, StoreError> {
    // Another Weir may have recovered it since it was listed.
    if sessions::owner_of(connection, session).await?.as_deref() != Some(owner) {
        return Ok(None);
    }
    let Chunks {
        events: chunks,
        damaged,
    } = journal::chunks(&mut *connection, session).await?;
    let reason = match damaged {
        0 => reason,
        1.. => format!("{reason} A part of it was damaged on the disk and is missing."),
    };
    let ends: Vec<Option<Timestamp>> = last_moments(&chunks);
    let mut events: Vec<Event> = merge_chunks(chunks)
        .into_iter()
        .zip(ends)
        .map(|(chunk, end)| finish(chunk, end))
        .collect();
    let mut said = log::since(&mut *connection, session, 0).await?;
    let last = events.last().or_else(|| said.last());
    let turn_id = last.and_then(|event| event.turn_id);
    let told = |body: EventBody, timestamp: Timestamp| Event {
        id: crate::clock::new_id(),
        session_id: session,
        turn_id,
        body,
        event_index: 0,
        sequence_number: None,
        block_index: None,
        message_id: None,
        persistence_state: PersistenceState::Pending,
        timestamp,
    };
    said.extend(events.iter().cloned());
    if let Some((said, _)) = path::up_to(said, turn_id) {
        let prices = settings::get(&mut *connection, reckon.prices).await?;
        let used = (reckon.used)(&said, prices.as_deref());
        events.extend(used.map(|(used, at)| told(used, at)));
    }
    let error = ErrorBody::new(code::INTERRUPTED, reason);
    events.push(told(EventBody::Error { error }, crate::clock::now()));
    log::append(connection, session, owner, events)
        .await
        .map(Some)
}

/// When the last chunk of each block came, block by block.
fn last_moments(chunks: &[Event]) -> Vec<Option<Timestamp>> {
    chunks
        .chunk_by(|a, b| a.turn_id == b.turn_id && a.block_index == b.block_index)
        .map(|block| block.last().map(|chunk| chunk.timestamp))
        .collect()
}

/// The block that a chunk with all of its text stands for.
fn finish(chunk: Event, end: Option<Timestamp>) -> Event {
    let duration_ms = end
        .map(|end| end.duration_since(chunk.timestamp).as_millis())
        .and_then(|passed| u64::try_from(passed).ok())
        .unwrap_or_default();
    let body = match chunk.body {
        EventBody::ThinkingChunk { content } => EventBody::Thinking {
            content,
            signature: None,
            redacted: None,
            detail: None,
            duration_ms,
        },
        EventBody::MessageChunk { content, citations } => EventBody::Message {
            content,
            citations,
            signature: None,
            detail: None,
        },
        EventBody::ToolUseChunk {
            tool_call_id,
            tool_name,
            executed_by,
            content,
        } => EventBody::ToolUse {
            tool_call_id,
            tool_name,
            input: serde_json::from_str(&content).unwrap_or(content.into()),
            executed_by,
            signature: None,
            detail: None,
        },
        EventBody::ProcessingChunk { content } => EventBody::Processing {
            content,
            duration_ms,
        },
        body @ (EventBody::SessionStart { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::PermissionRequest { .. }
        | EventBody::PermissionDecision { .. }
        | EventBody::Retry { .. }
        | EventBody::Compaction { .. }
        | EventBody::GuardrailsTriggered { .. }
        | EventBody::OutputGuardrailsTriggered { .. }
        | EventBody::Hook { .. }
        | EventBody::Budget { .. }
        | EventBody::Memories { .. }
        | EventBody::UserMessage { .. }
        | EventBody::Thinking { .. }
        | EventBody::Message { .. }
        | EventBody::File { .. }
        | EventBody::ToolUse { .. }
        | EventBody::ToolResult { .. }
        | EventBody::Processing { .. }
        | EventBody::Usage { .. }
        | EventBody::Complete { .. }
        | EventBody::Error { .. }
        | EventBody::Raw { .. }) => body,
    };
    Event {
        id: crate::clock::new_id(),
        body,
        ..chunk
    }
}
