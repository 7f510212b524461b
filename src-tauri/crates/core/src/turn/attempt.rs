//! One request to a source, and what it must have cost.
//!
//! Pure but for the flag that says whether the request has left. Invariant: what was sent and not
//! refused is never free. What a source counted to its end is believed. Where it did not come to
//! that (the user stopped it, the network cut it, it never counts), the input is what it had
//! reported or else what was guessed before, and the output the letters that came, and never less
//! than was reported.

use std::collections::HashSet;

use weir_protocol::{BlockId, StreamEvent, Usage, code};

use crate::source::{Count, Sent, SourceError};

/// What a request used, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Used {
    pub(super) usage: Usage,
    pub(super) told_by: ToldBy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ToldBy {
    Source,
    /// Weir's own guess, made when the source did not tell its last count.
    Estimate,
}

impl Used {
    pub(super) fn told(usage: Usage) -> Self {
        Self {
            usage,
            told_by: ToldBy::Source,
        }
    }

    /// What a source had told of a request of this `input` when it fell silent, and what it had
    /// said.
    pub(super) fn estimated(input: Usage, reported: Option<Usage>, said: Letters) -> Self {
        let reported = reported.unwrap_or_default();
        let mut usage = if reported.total_tokens() > reported.output_tokens {
            reported
        } else {
            Usage {
                output_tokens: reported.output_tokens,
                reasoning_tokens: reported.reasoning_tokens,
                service_tier: reported.service_tier,
                ..input
            }
        };
        usage.output_tokens = usage.output_tokens.max(said.tokens());
        Self {
            usage,
            told_by: ToldBy::Estimate,
        }
    }
}

#[derive(Default)]
pub(super) struct Attempt {
    /// For the connection that is asked.
    pub(super) sent: Sent,
    /// The source wanted nothing to do with it.
    refused: bool,
    reported: Option<Usage>,
    said: Letters,
    /// The calls whose input came in pieces.
    pieced: HashSet<BlockId>,
    done: bool,
}

impl Attempt {
    /// No stream came of it.
    pub(super) fn fail(&mut self, error: &SourceError) {
        self.refused = match error {
            SourceError::Unknown(_)
            | SourceError::NoKey { .. }
            | SourceError::BadBaseUrl(_)
            | SourceError::Refused { .. }
            | SourceError::NoStream { .. }
            | SourceError::Redirected { .. }
            | SourceError::NoModels { .. }
            | SourceError::BadModel(_)
            | SourceError::NoAddress { .. }
            | SourceError::BadKey { .. }
            | SourceError::NoModelThere { .. } => true,
            // It may have been heard all the same.
            SourceError::Unreachable { .. }
            | SourceError::Broken(_)
            | SourceError::Silent { .. }
            | SourceError::Slept => false,
        };
    }

    /// Before any guard: what is taken out or held back was paid for too.
    pub(super) fn hear(&mut self, said: &[StreamEvent]) {
        for event in said {
            match event {
                StreamEvent::TextDelta { text, .. } | StreamEvent::ThinkingDelta { text, .. } => {
                    self.said.add(text);
                }
                StreamEvent::ToolUseDelta { id, json } => {
                    self.pieced.insert(*id);
                    self.said.add(json);
                }
                StreamEvent::ToolUseEnd { id, input, .. } => {
                    if !self.pieced.contains(id) && !input.is_null() {
                        self.said.add(&input.to_string());
                    }
                }
                StreamEvent::Usage { usage, .. } => self.reported = Some(usage.clone()),
                // Some refuse inside a stream that began well. One that was cut refused nothing.
                StreamEvent::Error { error } => {
                    let is_told = error.code != code::STREAM_CUT;
                    self.refused |= is_told && self.said == Letters::default();
                }
                StreamEvent::Done { .. } => self.done = true,
                StreamEvent::Start { .. }
                | StreamEvent::Status { .. }
                | StreamEvent::TextStart { .. }
                | StreamEvent::TextEnd { .. }
                | StreamEvent::ThinkingStart { .. }
                | StreamEvent::ThinkingEnd { .. }
                | StreamEvent::ToolUseStart { .. }
                | StreamEvent::ToolResult { .. }
                | StreamEvent::Citation { .. }
                | StreamEvent::File { .. }
                | StreamEvent::TodoCreate { .. }
                | StreamEvent::TodoUpdate { .. }
                | StreamEvent::TodoDone { .. }
                | StreamEvent::SubagentStart { .. }
                | StreamEvent::SubagentEnd { .. }
                | StreamEvent::Result { .. }
                | StreamEvent::Raw { .. } => {}
            }
        }
    }

    /// `None` for what costs nothing. `input` is what such a request is thought to have.
    pub(super) fn used(self, input: impl FnOnce() -> Usage) -> Option<Used> {
        match self.reported {
            Some(usage) if self.done => Some(Used::told(usage)),
            None if self.refused || !self.sent.is_sent() => None,
            reported => Some(Used::estimated(input(), reported, self.said)),
        }
    }
}

/// How much text there is, in the two kinds of letters that make tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Letters {
    ascii: u64,
    others: u64,
}

impl Letters {
    pub(super) fn add(&mut self, text: &str) {
        let ascii = text.bytes().filter(u8::is_ascii).count();
        let letters = text.chars().count();
        self.ascii += ascii as u64;
        self.others += (letters - ascii) as u64;
    }

    pub(super) fn tokens(self) -> u64 {
        Count::Likely.of_letters(self.ascii, self.others)
    }
}

#[cfg(test)]
mod tests;
