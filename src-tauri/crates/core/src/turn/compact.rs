//! A conversation that no longer fits: where it is cut, and the summary that takes the place of
//! its beginning.
//!
//! Pure but for [`Turn::compact`]. Invariant: it is cut where a turn starts, or after everything
//! that is stored; so a call is never parted from its result, and the log keeps all of it.

mod summary;
mod transcript;

use uuid::Uuid;
use weir_protocol::{Event, EventBody};

use super::attempt::Letters;
use super::prepare::{self, kept};
use super::{Assembler, Turn, Word};
use crate::clock;
use crate::source::context;
use crate::store::StoreError;
use transcript::{BY_MODEL, FIRST_LINES, mechanical, shortened, transcript};

/// What a summary is made from at most, in bytes, when nobody knows how much the model takes.
const LONGEST_TRANSCRIPT: usize = 300_000;
/// How much of the prompt under way is kept word by word at most, in bytes.
const LONGEST_PROMPT: usize = 40_000;
/// However little room there is, so many bytes of something are worth keeping.
const SHORTEST: usize = 2_000;
/// The tokens of a picture, whatever it shows.
const PICTURE: u64 = 1_500;

/// Where a conversation is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// This turn and the later ones stay as they are.
    Turn(Uuid),
    /// Nothing stays: the turn under way alone is too much.
    Everything,
}

/// Why it is made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trigger {
    /// It would not fit any more, by Weir's own count.
    Estimate,
    /// The source said so.
    Refusal,
}

/// Whether it was made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compacted {
    /// As far as it had to be.
    Done,
    /// A hook wants it as it is.
    Held,
    /// A hook ends the turn over it.
    EndTurn,
}

impl Turn {
    /// Whether the next step would not fit, as far as Weir can tell.
    pub(super) fn is_full(&self) -> bool {
        let window = context::window(self.source.name, &self.request.model);
        window.is_some_and(|window| estimate(&self.history) > window / 5 * 4)
    }

    /// Puts a summary in the place of the conversation's beginning. Stored before it is used,
    /// and shown; without an answer of the model's the first lines of everything must do.
    pub(super) async fn compact(
        &mut self,
        trigger: Trigger,
        assembler: &mut Assembler,
    ) -> Result<Compacted, StoreError> {
        tracing::info!(session = %self.id.session, ?trigger, "the conversation is made shorter");
        match self.before_compaction(assembler).await? {
            Word::GoAhead => {}
            Word::Hold => return Ok(Compacted::Held),
            Word::EndTurn => return Ok(Compacted::EndTurn),
        }
        let window = context::window(self.source.name, &self.request.model);
        let tokens_before = estimate(&self.history);
        let room = window.unwrap_or(tokens_before) / 4;
        let border = border(&self.history, room);
        let older = older(&self.history, border);
        let longest = window.map_or(LONGEST_TRANSCRIPT, |tokens| tokens as usize * 2);
        let room = bytes(room);
        let (told, first_lines) = (transcript(older, longest), mechanical(older, room));
        let asked = self.ask_for_summary(&told, assembler).await;
        // Whoever stops the turn did not ask for a worse summary: the next step hears the stop.
        if *self.stop.borrow() {
            return Ok(Compacted::Done);
        }
        let mut content = match asked {
            Ok(summary) => format!("{BY_MODEL}\n\n{}", self.checks.covered(summary)),
            Err(reason) => {
                let reason = self.checks.covered(reason.to_string());
                tracing::warn!(session = %self.id.session, %reason, "the model made no summary");
                format!("{FIRST_LINES}\n\n{first_lines}")
            }
        };
        let keeps_from = match border {
            Border::Turn(turn) => Some(turn),
            Border::Everything => {
                // As much as of a turn that stays.
                let longest = LONGEST_PROMPT.min(room.saturating_mul(2));
                content.push_str(&unanswered(&self.history, longest));
                None
            }
        };
        let body = EventBody::Compaction {
            content,
            keeps_from,
            tokens_before,
        };
        assembler.tell(body, clock::now());
        self.saver().save(assembler).await?;
        self.read_on().await?;
        Ok(Compacted::Done)
    }
}

/// The prompt of the turn under way, which is to be answered though nothing of it stays. Its
/// question may stand at either end.
fn unanswered(events: &[Event], longest: usize) -> String {
    let prompt = events.iter().rev().find_map(|event| {
        if let EventBody::UserMessage { content, .. } = &event.body {
            Some(content)
        } else {
            None
        }
    });
    prompt.map_or_else(String::new, |prompt| {
        let how = if prompt.len() > longest {
            "; it was too long, and its middle is left out"
        } else {
            ""
        };
        let prompt = shortened(prompt, longest);
        format!("\n\nThe prompt that is being answered{how}:\n\n{prompt}")
    })
}

/// About how many tokens the next request has: what the last step is known to have had, and a
/// guess for what came after it; a guess for everything when nobody counted, or when a summary
/// has come since.
pub(super) fn estimate(events: &[Event]) -> u64 {
    let mut counted = 0;
    let mut start = 0;
    for (at, event) in events.iter().enumerate() {
        if let EventBody::Usage { usage, .. } = &event.body {
            counted = usage.total_tokens();
            start = at;
        } else if let EventBody::Compaction { .. } = &event.body {
            counted = 0;
        }
    }
    if counted > 0 {
        // What a source reports may be any number.
        return counted.saturating_add(guess(&events[start..]));
    }
    let kept = kept(events);
    let system = prepare::system(events).map_or(0, |system| tokens(&system));
    let pictures = PICTURE * kept.pictures().len() as u64;
    system + kept.summary.map_or(0, tokens) + pictures + guess(kept.events)
}

/// Without the system prompt, which goes once with all of them.
fn guess(events: &[Event]) -> u64 {
    events.iter().map(size).sum()
}

/// About how many tokens an event is once it is sent.
fn size(event: &Event) -> u64 {
    match &event.body {
        EventBody::UserMessage {
            content, images, ..
        } => tokens(content) + PICTURE * images.len() as u64,
        EventBody::Message { content, .. } | EventBody::Thinking { content, .. } => tokens(content),
        EventBody::ToolUse { input, .. } => tokens(&input.to_string()),
        EventBody::ToolResult { result, .. } => tokens(&crate::source::plain(result)),
        EventBody::SessionStart { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::File { .. }
        | EventBody::Processing { .. }
        | EventBody::PermissionRequest { .. }
        | EventBody::PermissionDecision { .. }
        | EventBody::Retry { .. }
        | EventBody::GuardrailsTriggered { .. }
        | EventBody::OutputGuardrailsTriggered { .. }
        | EventBody::Hook { .. }
        | EventBody::Budget { .. }
        | EventBody::Memories { .. }
        | EventBody::Compaction { .. }
        | EventBody::Usage { .. }
        | EventBody::Complete { .. }
        | EventBody::Error { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => 0,
    }
}

fn tokens(text: &str) -> u64 {
    let mut letters = Letters::default();
    letters.add(text);
    letters.tokens()
}

/// About how many bytes so many tokens have.
fn bytes(tokens: u64) -> usize {
    let bytes = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    bytes.max(SHORTEST)
}

/// The newest turns that fit into `room` stay, the one under way at least; where that one alone
/// is too much, or is all there is, nothing does.
pub(super) fn border(events: &[Event], room: u64) -> Border {
    let kept = kept(events).events;
    let starts: Vec<usize> = kept
        .iter()
        .enumerate()
        .filter(|(_, event)| matches!(event.body, EventBody::UserMessage { .. }))
        .map(|(at, _)| at)
        .collect();
    let Some(&last) = starts.last() else {
        return Border::Everything;
    };
    if last == starts[0] || guess(&kept[last..]) > room.saturating_mul(2) {
        return Border::Everything;
    }
    // The first turn never stays: something has to go.
    let fits = |start: &usize| *start == last || guess(&kept[*start..]) <= room;
    let start = starts[1..].iter().copied().find(fits).unwrap_or(last);
    kept[start].turn_id.map_or(Border::Everything, Border::Turn)
}

/// What the summary is to stand for, an earlier summary included.
fn older(events: &[Event], border: Border) -> &[Event] {
    let start = match border {
        Border::Everything => events.len(),
        Border::Turn(turn) => events
            .iter()
            .position(|event| event.turn_id == Some(turn))
            .unwrap_or(events.len()),
    };
    let kept = prepare::kept(&events[..start]);
    let told = events[..start]
        .iter()
        .rposition(|event| matches!(event.body, EventBody::Compaction { .. }));
    match (kept.summary, told) {
        (Some(_), Some(at)) => &events[kept.before.len().min(at)..start],
        (Some(_) | None, _) => &events[..start],
    }
}

#[cfg(test)]
mod tests;
