//! What guards come to in a turn: results are checked before anybody sees them, calls run with
//! the originals, and text that tried to instruct the model taints what follows.
//!
//! Invariant: after such text, no tool that changes things runs without the user's word, whatever
//! a rule or an earlier answer says. The text, or a summary of it, stays in what the model reads,
//! so the taint stays with the conversation.

use weir_protocol::{Event, EventBody, GuardCategory};

use super::assemble::{Assembler, Call};
use crate::clock;
use crate::redact::{Checks, Vault};
use crate::tool::{Access, Tool, ToolOutcome};

/// Whether the model has read something that tried to instruct it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Taint {
    #[default]
    Clean,
    Tainted,
}

pub(super) const TAINTED: &str =
    "Something the model read in this session looks like instructions to it, so this asks.";

impl Taint {
    /// Of a conversation so far.
    pub(crate) fn of(history: &[Event]) -> Self {
        let tries = |event: &Event| {
            if let EventBody::GuardrailsTriggered { detections, .. } = &event.body {
                let mut detections = detections.iter();
                detections.any(|it| it.category == GuardCategory::Injection)
            } else {
                false
            }
        };
        if history.iter().any(tries) {
            Self::Tainted
        } else {
            Self::Clean
        }
    }

    /// Whether a call that may run has to be asked about all the same.
    pub(super) fn asks(self, tool: &dyn Tool) -> bool {
        match (self, tool.access()) {
            (Self::Tainted, Access::Changes) => true,
            (Self::Tainted, Access::ReadOnly) | (Self::Clean, _) => false,
        }
    }
}

/// Stores what a call came to, without what a guard takes out of it.
pub(super) fn result(
    call: &Call,
    outcome: ToolOutcome,
    checks: &Checks,
    taint: &mut Taint,
    assembler: &mut Assembler,
) {
    let (outcome, noticed) = checks.result(outcome);
    assembler.result(call, outcome, clock::now());
    if let Some(noticed) = noticed {
        if noticed.is_injection() {
            *taint = Taint::Tainted;
        }
        assembler.tell(noticed.input_event(Some(call.id.clone())), clock::now());
    }
}

/// What looks like a placeholder in a conversation and is none keeps its words.
pub(crate) fn keep_literal(vault: &Vault, events: &[Event]) {
    for event in events {
        match &event.body {
            EventBody::UserMessage {
                content, system, ..
            } => {
                vault.keep_literal(content);
                vault.keep_literal(system.as_deref().unwrap_or_default());
            }
            EventBody::Thinking { content, .. }
            | EventBody::Message { content, .. }
            | EventBody::Processing { content, .. }
            | EventBody::Compaction { content, .. } => vault.keep_literal(content),
            EventBody::ToolUse { input, .. } => vault.keep_literal(&input.to_string()),
            EventBody::ToolResult { result, .. } => vault.keep_literal(&result.to_string()),
            EventBody::SessionStart { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::File { .. }
            | EventBody::PermissionRequest { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::Retry { .. }
            | EventBody::GuardrailsTriggered { .. }
            | EventBody::OutputGuardrailsTriggered { .. }
            | EventBody::Hook { .. }
            | EventBody::Budget { .. }
            | EventBody::Memories { .. }
            | EventBody::Usage { .. }
            | EventBody::Complete { .. }
            | EventBody::Error { .. }
            | EventBody::ThinkingChunk { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ProcessingChunk { .. } => {}
        }
    }
}
