//! A conversation that no longer fits: where it is cut, and the summary that takes the place of
//! its beginning.
//!
//! Pure but for [`Turn::compact`]. Invariants: it is cut where a turn starts, or after everything
//! that is stored; so a call is never parted from its result, and the log keeps all of it. The
//! prompt being answered is never part of a summary and never shortened: only what came before it,
//! and the steps that follow it, are.

mod summary;
mod transcript;

use uuid::Uuid;
use weir_protocol::{Event, EventBody};

use super::prepare::{self, kept};
use super::{Assembler, CompactionVerdict, Turn};
use crate::clock;
use crate::source::Count;
use crate::store::StoreError;
use transcript::{BY_MODEL, FIRST_LINES, mechanical, transcript};

/// What a summary is made from at most, in bytes, when nobody knows how much the model takes.
const LONGEST_TRANSCRIPT: usize = 300_000;
/// However little room there is, so many bytes of something are worth keeping.
const SHORTEST: usize = 2_000;
/// The tokens of a picture, whatever it shows.
pub(super) const PICTURE: u64 = 1_500;

/// Where a conversation is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Border {
    /// This turn and the later ones stay as they are.
    Turn(Uuid),
    /// Of the turn under way only its prompt stays: its steps alone are too much.
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
    /// There is nothing but the prompt that is being answered.
    Nothing,
    /// A hook wants it as it is.
    Held,
    /// A hook ends the turn over it.
    EndTurn,
}

impl Turn {
    /// Whether the next step would not fit, as far as Weir can tell.
    pub(super) fn is_full(&self) -> bool {
        self.window
            .is_some_and(|window| estimate(&self.history, self.count()) > window / 5 * 4)
    }

    fn count(&self) -> Count {
        self.source.api.count()
    }

    /// Puts a summary in the place of the conversation's beginning. Stored before it is used,
    /// and shown; without an answer of the model's the first lines of everything must do.
    pub(super) async fn compact(
        &mut self,
        trigger: Trigger,
        assembler: &mut Assembler,
    ) -> Result<Compacted, StoreError> {
        let count = self.count();
        let tokens_before = estimate(&self.history, count);
        let room = self.window.unwrap_or(tokens_before) / 4;
        let Some(border) = border(&self.history, room, count) else {
            return Ok(Compacted::Nothing);
        };
        let is_worth_it = tokens_before.saturating_sub(fixed(&self.history, count)) > room / 3;
        if trigger == Trigger::Estimate && !is_worth_it {
            // Nearly all of it is the prompt: a summary of the rest would be paid for at every
            // step and make no room.
            return Ok(Compacted::Nothing);
        }
        tracing::info!(session = %self.id.session, ?trigger, "the conversation is made shorter");
        match self.before_compaction(assembler).await? {
            CompactionVerdict::GoAhead => {}
            CompactionVerdict::Hold => return Ok(Compacted::Held),
            CompactionVerdict::EndTurn => return Ok(Compacted::EndTurn),
        }
        let older = older(&self.history, border);
        let longest = self
            .window
            .map_or(LONGEST_TRANSCRIPT, |tokens| tokens as usize * 2);
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
                content.push_str(&unanswered(&self.history));
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

/// The prompt of the turn under way, word by word, though nothing else of the turn stays.
fn unanswered(events: &[Event]) -> String {
    let prompt = prompt_under_way(events).map(|(prompt, _)| prompt);
    prompt.map_or_else(String::new, |prompt| {
        format!("\n\nThe prompt that is being answered:\n\n{prompt}")
    })
}

/// The prompt that is being answered, and how many pictures it has.
pub(super) fn prompt_under_way(events: &[Event]) -> Option<(&str, usize)> {
    events.iter().rev().find_map(|event| {
        if let EventBody::UserMessage {
            content, images, ..
        } = &event.body
        {
            Some((content.as_str(), images.len()))
        } else {
            None
        }
    })
}

/// About how many tokens cannot be left out: the prompt under way and the system prompt.
fn fixed(events: &[Event], count: Count) -> u64 {
    let tokens = |text: &str| count.tokens(text);
    let system = prepare::system(events).map_or(0, |system| tokens(&system));
    let prompt = prompt_under_way(events);
    system
        + prompt.map_or(0, |(text, pictures)| {
            tokens(text) + PICTURE * pictures as u64
        })
}

/// About how many tokens the next request has: what the last step is known to have had, and a
/// guess for what came after it; a guess for everything when nobody counted, or when a summary
/// has come since. A source that cuts may not have counted what it cut, or what it had in a cache:
/// there the larger of the two.
pub(crate) fn estimate(events: &[Event], count: Count) -> u64 {
    match (reported(events, count), count) {
        (None, _) => guess_all(events, count),
        (Some(reported), Count::Likely) => reported,
        (Some(reported), Count::AtMost) => reported.max(guess_all(events, count)),
    }
}

/// What the last step had, as its source says, with a guess for what came after it.
fn reported(events: &[Event], count: Count) -> Option<u64> {
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
    // What a source reports may be any number.
    (counted > 0).then(|| counted.saturating_add(guess(&events[start..], count)))
}

fn guess_all(events: &[Event], count: Count) -> u64 {
    let tokens = |text: &str| count.tokens(text);
    let kept = kept(events);
    let system = prepare::system(events).map_or(0, |system| tokens(&system));
    let pictures = PICTURE * kept.pictures().len() as u64;
    system + kept.summary.map_or(0, tokens) + pictures + guess(kept.events, count)
}

/// Without the system prompt, which goes once with all of them.
fn guess(events: &[Event], count: Count) -> u64 {
    events.iter().map(|event| size(event, count)).sum()
}

/// About how many tokens an event is once it is sent.
fn size(event: &Event, count: Count) -> u64 {
    let tokens = |text: &str| count.tokens(text);
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
        | EventBody::Raw { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => 0,
    }
}

/// About how many bytes so many tokens have.
fn bytes(tokens: u64) -> usize {
    let bytes = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    bytes.max(SHORTEST)
}

/// The newest turns that fit into `room` stay, and the prompt under way always. Its steps stay
/// too, unless they are too much by themselves or there is nothing else to leave out. `None` where
/// that prompt is all there is.
pub(super) fn border(events: &[Event], room: u64, count: Count) -> Option<Border> {
    let kept = kept(events);
    let events = kept.events;
    let starts: Vec<usize> = events
        .iter()
        .enumerate()
        .filter(|(_, event)| matches!(event.body, EventBody::UserMessage { .. }))
        .map(|(at, _)| at)
        .collect();
    let Some(&last) = starts.last() else {
        // The summary has the prompt, and what follows it are steps.
        return (guess(events, count) > 0).then_some(Border::Everything);
    };
    let steps = guess(&events[last + 1..], count);
    if last == starts[0] && kept.summary.is_none() {
        return (steps > 0).then_some(Border::Everything);
    }
    if steps > room.saturating_mul(2) {
        return Some(Border::Everything);
    }
    // The first turn never stays: something has to go. Where a summary is all that stands before
    // the prompt, that is made shorter.
    let fits = |start: &usize| *start == last || guess(&events[*start..], count) <= room;
    let later = starts.get(1..).unwrap_or_default();
    let start = later.iter().copied().find(fits).unwrap_or(last);
    let border = events[start]
        .turn_id
        .map_or(Border::Everything, Border::Turn);
    Some(border)
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
