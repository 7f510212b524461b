//! The short names that come with what a source says: ids, models, tools.
//!
//! They are no words of the conversation, so nobody is told; but they are stored, shown and sent
//! back like those. The same name becomes the same placeholder, so that a result still finds its
//! call. Looked at once a block, not with every delta.

use weir_protocol::StreamEvent;

use crate::redact::checks::Checks;

pub(super) fn cover(event: &mut StreamEvent, checks: &Checks) {
    let cover = |name: &mut String| {
        if !name.is_empty() {
            *name = checks.covered_name(std::mem::take(name));
        }
    };
    match event {
        StreamEvent::Start { message_id, model } => {
            message_id.iter_mut().chain(model).for_each(cover);
        }
        StreamEvent::ToolUseStart {
            tool_call_id, name, ..
        }
        | StreamEvent::ToolResult {
            tool_call_id, name, ..
        } => [tool_call_id, name].into_iter().for_each(cover),
        StreamEvent::SubagentStart {
            subagent_id, name, ..
        }
        | StreamEvent::SubagentEnd {
            subagent_id, name, ..
        } => std::iter::once(name).chain(subagent_id).for_each(cover),
        StreamEvent::Usage { usage, .. } => usage.service_tier.iter_mut().for_each(cover),
        StreamEvent::Status { .. }
        | StreamEvent::TextStart { .. }
        | StreamEvent::TextDelta { .. }
        | StreamEvent::TextEnd { .. }
        | StreamEvent::ThinkingStart { .. }
        | StreamEvent::ThinkingDelta { .. }
        | StreamEvent::ThinkingEnd { .. }
        | StreamEvent::ToolUseDelta { .. }
        | StreamEvent::ToolUseEnd { .. }
        | StreamEvent::Citation { .. }
        | StreamEvent::File { .. }
        | StreamEvent::TodoCreate { .. }
        | StreamEvent::TodoUpdate { .. }
        | StreamEvent::TodoDone { .. }
        | StreamEvent::Result { .. }
        | StreamEvent::Error { .. }
        | StreamEvent::Done { .. }
        | StreamEvent::Raw { .. } => {}
    }
}
