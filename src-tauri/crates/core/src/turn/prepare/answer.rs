//! Every call gets its result, and only calls do.
//!
//! A call that Weir was to run and never answered is answered with an error: every API refuses
//! a call without a result, and the model should know. A call that its source ran itself and
//! never answered stays behind, and so does a result without a call. Two calls of a session
//! that go by the same id are told apart.

use std::collections::{HashMap, HashSet};

use weir_protocol::{Decision, EventBody, ExecutedBy, code};

use super::convert::{Call, Item, Result};
use super::keep::Kept;
use crate::source::{Block, Role};

/// For a call that certainly did nothing.
pub(crate) const NOT_RUN: &str = "This call was not run.";
/// For a call that Weir was killed over.
const UNKNOWN: &str = "Weir was interrupted during this call; it is not known whether it ran.";

/// What is sent, with the answers beside their calls.
pub(super) enum Answered {
    Said(Role, Block),
    /// A call that Weir runs, and the result that must follow it.
    Call {
        call: Block,
        result: Block,
    },
    /// Here a result of Weir's was stored: what comes later was said in view of it.
    ResultsSeen,
    /// A reply ends here.
    ReplyEnd,
}

pub(super) fn answered(items: Vec<Item<'_>>, kept: &Kept<'_>) -> Vec<Answered> {
    let results = pair(&items);
    let answering: HashSet<usize> = results.values().copied().collect();
    let mut ids = Ids::default();
    let mut named: HashMap<usize, (&Call<'_>, String)> = HashMap::new();
    let mut answered = Vec::with_capacity(items.len());
    let is_said = |item: &Item<'_>| !matches!(item, Item::ReplyEnd);
    let last = items.iter().rposition(is_said);
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Said(role, block) => answered.push(Answered::Said(*role, block.clone())),
            Item::Call(call) => {
                let result = results.get(&at).and_then(|at| match &items[*at] {
                    Item::Result(result) => Some(result),
                    Item::Said(..) | Item::Call(_) | Item::ReplyEnd => None,
                });
                match (call.executed_by, result) {
                    (ExecutedBy::Weir, result) => {
                        let id = ids.own(call.tool_call_id);
                        answered.push(Answered::Call {
                            call: call.block(id.clone()),
                            result: weirs_result(call, id, result, kept),
                        });
                    }
                    (ExecutedBy::Source, Some(_)) => {
                        let id = ids.own(call.tool_call_id);
                        let block = call.block(id.clone());
                        answered.push(Answered::Said(Role::Assistant, block));
                        named.insert(results[&at], (call, id));
                    }
                    // It paused there, and goes on once it sees its own call again.
                    (ExecutedBy::Source, None) if call.is_current && last == Some(at) => {
                        let block = call.block(ids.own(call.tool_call_id));
                        answered.push(Answered::Said(Role::Assistant, block));
                    }
                    (ExecutedBy::Source, None) => {}
                }
            }
            // The source's own result is part of what it said; Weir's is an answer to it.
            Item::Result(result) if answering.contains(&at) => match named.remove(&at) {
                Some((call, id)) => {
                    let block = sources_result(call, id, result);
                    answered.push(Answered::Said(Role::Assistant, block));
                }
                None => answered.push(Answered::ResultsSeen),
            },
            Item::Result(_) => {}
            Item::ReplyEnd => answered.push(Answered::ReplyEnd),
        }
    }
    answered
}

/// Which result belongs to which call, by their places: the first after the last call of its id.
fn pair(items: &[Item<'_>]) -> HashMap<usize, usize> {
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut results = HashMap::new();
    for (at, item) in items.iter().enumerate() {
        match item {
            Item::Call(call) => open.entry(call.tool_call_id).or_default().push(at),
            Item::Result(result) => {
                if let Some(call) = open.get_mut(result.tool_call_id).and_then(Vec::pop) {
                    results.insert(call, at);
                }
            }
            Item::Said(..) | Item::ReplyEnd => {}
        }
    }
    results
}

fn weirs_result(
    call: &Call<'_>,
    tool_call_id: String,
    result: Option<&Result<'_>>,
    kept: &Kept<'_>,
) -> Block {
    let (value, is_error) = match result {
        Some(result) => (result.result.clone(), result.is_error),
        None => (without_result(call, kept).into(), true),
    };
    Block::ToolResult {
        tool_call_id,
        name: call.name.to_owned(),
        result: value,
        is_error,
        executed_by: ExecutedBy::Weir,
        detail: result.and_then(|result| result.detail.clone()),
    }
}

fn sources_result(call: &Call<'_>, tool_call_id: String, result: &Result<'_>) -> Block {
    Block::ToolResult {
        tool_call_id,
        name: call.name.to_owned(),
        result: result.result.clone(),
        is_error: result.is_error,
        executed_by: ExecutedBy::Source,
        detail: result.detail.clone(),
    }
}

/// A call that was under way when Weir was killed may have run; one of a turn that came to an
/// end by itself, one that still waited for permission, and one that was cut off did not.
fn without_result(call: &Call<'_>, kept: &Kept<'_>) -> &'static str {
    if call.is_current || !call.input.is_object() {
        return NOT_RUN;
    }
    let mut was_killed = true;
    let mut may_run = true;
    for event in kept
        .events
        .iter()
        .filter(|event| event.turn_id == call.turn)
    {
        match &event.body {
            EventBody::Complete { .. } => was_killed = false,
            EventBody::Error { error } => was_killed = error.code == code::INTERRUPTED,
            EventBody::PermissionRequest { tool_call_id, .. }
                if tool_call_id == call.tool_call_id =>
            {
                may_run = false;
            }
            EventBody::PermissionDecision {
                tool_call_id,
                decision,
                ..
            } if tool_call_id == call.tool_call_id => may_run = *decision == Decision::Allow,
            EventBody::PermissionRequest { .. }
            | EventBody::PermissionDecision { .. }
            | EventBody::SessionStart { .. }
            | EventBody::UserMessage { .. }
            | EventBody::BranchChoice { .. }
            | EventBody::Thinking { .. }
            | EventBody::Message { .. }
            | EventBody::File { .. }
            | EventBody::ToolUse { .. }
            | EventBody::ToolResult { .. }
            | EventBody::Processing { .. }
            | EventBody::Retry { .. }
            | EventBody::Compaction { .. }
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
    if was_killed && may_run {
        UNKNOWN
    } else {
        NOT_RUN
    }
}

/// The ids that are taken. Some servers count their calls anew in every reply.
#[derive(Default)]
struct Ids(HashSet<String>);

impl Ids {
    fn own(&mut self, id: &str) -> String {
        let mut own = id.to_owned();
        let mut number = 2_u32;
        while !self.0.insert(own.clone()) {
            own = format!("{id}_{number}");
            number += 1;
        }
        own
    }
}
