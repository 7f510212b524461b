//! What the step must have used in whose middle a Weir ended.
//!
//! Pure: a step whose words are stored without their usage was paid for, by the same estimate as
//! one that the user stopped. One that had not said anything leaves no trace, and counts nothing.

use weir_protocol::{Event, EventBody, ModelPrice};

use super::attempt::{Letters, ToldBy, Used};
use super::budget;
use crate::source::price::Prices;
use crate::store::UsedAt;

/// The usage of the step that the path ends with, if it was cut off, and when it was.
pub(crate) fn used(path: &[Event], own_prices: Option<&str>) -> Option<UsedAt> {
    let begins = |event: &Event| {
        matches!(
            event.body,
            EventBody::UserMessage { .. } | EventBody::Usage { .. } | EventBody::Compaction { .. }
        )
    };
    let after = path.iter().rposition(begins)? + 1;
    let mut said = Letters::default();
    let mut spoken = Vec::new();
    for (at, event) in path.iter().enumerate().skip(after) {
        let before = said;
        add_said(&event.body, &mut said);
        if said != before {
            spoken.push((at, event));
        }
    }
    let (first, started) = *spoken.first()?;
    let (_, last) = *spoken.last()?;
    let (source, model) = path.iter().rev().find_map(|event| {
        if let EventBody::UserMessage { source, model, .. } = &event.body {
            Some((source, model))
        } else {
            None
        }
    })?;
    let Used { usage, told_by } = Used::estimated(budget::input(&path[..first]), None, said);
    // Prices that cannot be read are those of nobody, as in a turn.
    let own: Option<Vec<ModelPrice>> = own_prices.and_then(|own| serde_json::from_str(own).ok());
    let prices = Prices::new(own.unwrap_or_default());
    let (models, at) = ([model.as_str(); 2], last.timestamp);
    let duration_ms = at.duration_since(started.timestamp).as_millis();
    let body = EventBody::Usage {
        cost: prices.cost(source, models, &usage, at),
        saved: prices.saved(source, models, &usage, at),
        usage,
        model: model.clone(),
        first_chunk_ms: None,
        duration_ms: u64::try_from(duration_ms).unwrap_or_default(),
        is_estimate: told_by == ToldBy::Estimate,
    };
    Some((body, at))
}

/// What a model says itself.
fn add_said(body: &EventBody, said: &mut Letters) {
    match body {
        EventBody::Message { content, .. } | EventBody::Thinking { content, .. } => {
            said.add(content);
        }
        EventBody::ToolUse { input, .. } => said.add(&input.to_string()),
        EventBody::SessionStart { .. }
        | EventBody::UserMessage { .. }
        | EventBody::BranchChoice { .. }
        | EventBody::File { .. }
        | EventBody::ToolResult { .. }
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
        | EventBody::ProcessingChunk { .. } => {}
    }
}

#[cfg(test)]
mod tests;
