//! A hook's run as an event of the session.

use std::time::Duration;

use weir_protocol::{EventBody, HookEvent};

use super::reply::HookReply;

/// One hook that has run.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRun {
    pub event: HookEvent,
    pub name: String,
    pub reply: HookReply,
    pub duration: Duration,
}

/// What is stored of a run. What the model is told of it, it is told from here.
pub fn event(run: &HookRun, tool_call_id: Option<&str>) -> EventBody {
    let HookRun { reply, .. } = run;
    EventBody::Hook {
        hook_event: run.event,
        command: run.name.clone(),
        outcome: reply.outcome,
        duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
        exit_code: reply.exit_code,
        message: reply.message.clone(),
        context: reply.context.clone(),
        tool_call_id: tool_call_id.map(str::to_owned),
    }
}
