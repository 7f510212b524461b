//! What guards come to in a turn: results are checked before anybody sees them, calls run with
//! the originals, and text that tried to instruct the model taints what follows.
//!
//! Invariant: after such text, no tool that changes things runs without the user's word, whatever
//! a rule or an earlier answer says. The text, or a summary of it, stays in what the model reads,
//! so the taint stays with the conversation.

use weir_protocol::{Event, EventBody, GuardCategory};

use super::assemble::{Assembler, Call};
use crate::clock;
use crate::redact::{Checks, Noticed, Vault};
use crate::tool::{Access, Tool, ToolOutcome};

/// More of a result than this helps no model and fills its context.
pub(super) const LONGEST_RESULT: usize = 256 * 1024;
/// What of an answer is checked. What is stored of it is less; but a result is cut only after it
/// was checked, for half an original looks like none.
pub(super) const LONGEST_ANSWER: usize = 4 * LONGEST_RESULT;
/// So much at the end of an answer that goes on is checked and not shown: an original may begin
/// there, and in an encoding it is many times as long.
const LONGEST_SECRET: usize = 16 * 1024;

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

/// A result that guards have looked at.
pub(super) struct CheckedResult {
    outcome: ToolOutcome,
    noticed: Option<Noticed>,
}

#[cfg(test)]
impl CheckedResult {
    pub(super) fn shown(&self) -> String {
        crate::source::plain(&self.outcome.result)
    }
}

/// Checks what a call came to, and only then cuts it. Takes long for a long result.
pub(super) fn checked(outcome: ToolOutcome, checks: &Checks) -> CheckedResult {
    let (outcome, left_out) = beginning(outcome);
    let (outcome, noticed) = checks.result(outcome, |outcome| {
        let outcome = match left_out {
            0 => outcome,
            _ => without_end(outcome),
        };
        capped(outcome.shortened(), LONGEST_RESULT, left_out)
    });
    CheckedResult { outcome, noticed }
}

/// As much of a result as is checked, and how many bytes are left out.
fn beginning(mut outcome: ToolOutcome) -> (ToolOutcome, usize) {
    let text = crate::source::plain(&outcome.result);
    if text.len() <= LONGEST_ANSWER {
        return (outcome, 0);
    }
    let end = text.floor_char_boundary(LONGEST_ANSWER);
    let left_out = text.len() - end;
    outcome.result = text[..end].into();
    (outcome, left_out)
}

/// Without what a secret may begin in that the check has not seen the end of.
fn without_end(mut outcome: ToolOutcome) -> ToolOutcome {
    if let serde_json::Value::String(text) = &mut outcome.result {
        let end = text.len().saturating_sub(LONGEST_SECRET);
        text.truncate(text.floor_char_boundary(end));
    }
    outcome
}

/// Stores what a call came to.
pub(super) fn result(
    call: &Call,
    checked: CheckedResult,
    taint: &mut Taint,
    assembler: &mut Assembler,
) {
    let CheckedResult { outcome, noticed } = checked;
    assembler.result(call, outcome, clock::now());
    if let Some(noticed) = noticed {
        if noticed.is_injection() {
            *taint = Taint::Tainted;
        }
        assembler.tell(noticed.input_event(Some(call.id.clone())), clock::now());
    }
}

/// The beginning of a result that is too long, and how much is missing, with what was left out
/// before.
pub(super) fn capped(mut outcome: ToolOutcome, longest: usize, left_out: usize) -> ToolOutcome {
    let text = crate::source::plain(&outcome.result);
    if text.len() > longest || left_out > 0 {
        let end = text.floor_char_boundary(longest);
        let missing = text.len() - end + left_out;
        let kept = &text[..end];
        outcome.result =
            format!("{kept}\n\n[The result was longer: {missing} bytes were left out.]").into();
    }
    outcome
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
            | EventBody::Raw { .. }
            | EventBody::ThinkingChunk { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::ToolUseChunk { .. }
            | EventBody::ProcessingChunk { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;
    use weir_protocol::GuardConfig;

    use super::checked;
    use crate::guard::Guard;
    use crate::redact::{Checks, Vault};
    use crate::store::TakenFrom;
    use crate::tool::{LongLines, ToolOutcome};

    /// Cut first, the line would keep a part of the value that nothing recognizes.
    #[test]
    fn a_long_line_is_cut_after_it_has_been_checked() {
        let value = "correcthorse99";
        let vault = Vault::new(Uuid::nil());
        vault.take_out("PASSWORD", value, TakenFrom::Input);
        let checks = Checks::new(Guard::new(&GuardConfig::default()).unwrap(), vault);
        for at in 0..200 {
            let line = format!("{} {value} {}", ".".repeat(at), ".".repeat(300));
            for long_lines in [LongLines::Start(100), LongLines::Ends(100)] {
                let outcome = ToolOutcome::text(line.clone()).with_long_lines(long_lines);
                let shown = checked(outcome, &checks).outcome.result.to_string();
                assert!(shown.len() < 200, "it is cut: {shown}");
                let pieces = ["cor", "hor", "se99"];
                assert!(!pieces.iter().any(|it| shown.contains(it)), "{at}: {shown}");
            }
        }
    }
}
