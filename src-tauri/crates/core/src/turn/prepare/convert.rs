//! Stored events to blocks, in the order they were stored. Reasoning becomes thinking with its
//! signature; thinking and seals go back only to the model that made them, told the same
//! beforehand; a source's own tools only to that source; empty text to nobody. Pictures that
//! nobody answered stay behind, and those that are too many by now.

use std::collections::HashSet;

use serde_json::{Value, json};
use uuid::Uuid;
use weir_protocol::{Event, EventBody, ExecutedBy, Image};

use super::keep::Kept;
use crate::guard::ALL_IMAGES;
use crate::source::{Block, Role};

/// What stands in the place of a picture that is not sent again.
const LEFT_OUT: &str = "[A picture stood here.]";
/// What stands before the words of a hook: they are the user's program's, not the user's.
const HOOK: &str = "[A hook of the user's adds, at";
/// What stands before a summary.
const SUMMARY: &str =
    "[The beginning of this conversation was left out to save room. This is its summary.]";

/// One thing that is sent, or that decides how.
pub(super) enum Item<'a> {
    Said(Role, Block),
    Call(Call<'a>),
    Result(Result<'a>),
    /// A reply ends here: what the source used for it is known.
    ReplyEnd,
}

/// A call, not yet paired with its result.
pub(super) struct Call<'a> {
    pub(super) turn: Option<Uuid>,
    pub(super) tool_call_id: &'a str,
    pub(super) name: &'a str,
    pub(super) input: &'a Value,
    pub(super) executed_by: ExecutedBy,
    pub(super) signature: Option<String>,
    pub(super) detail: Option<Value>,
    /// Whether it belongs to the turn that is under way.
    pub(super) is_current: bool,
}

impl Call<'_> {
    pub(super) fn block(&self, tool_call_id: String) -> Block {
        Block::ToolUse {
            tool_call_id,
            name: self.name.to_owned(),
            input: object(self.input),
            executed_by: self.executed_by,
            signature: self.signature.clone(),
            detail: self.detail.clone(),
        }
    }
}

/// A result, not yet paired with its call.
pub(super) struct Result<'a> {
    pub(super) tool_call_id: &'a str,
    pub(super) result: &'a Value,
    pub(super) is_error: bool,
    pub(super) detail: Option<Value>,
}

pub(super) fn items<'a>(kept: &Kept<'a>) -> Vec<Item<'a>> {
    let asked_of = |events: &'a [Event]| events.iter().rev().find_map(Asked::of);
    let asked_before = asked_of(kept.before);
    let Some(target) = asked_of(kept.events).or(asked_before) else {
        return Vec::new();
    };
    let pictured = pictured(kept);
    let mut items = Vec::new();
    if let Some(summary) = kept.summary {
        let summary = Block::text(format!("{SUMMARY}\n\n{summary}"));
        items.push(Item::Said(Role::User, summary));
    }
    if let Some(prompt) = kept.prompt {
        let goes = pictured.contains(&prompt.id);
        items.extend(kept.pictures().iter().map(|image| picture(image, goes)));
    }
    let mut asked = asked_before;
    let changed = changed_until(kept);
    for (at, event) in kept.events.iter().enumerate() {
        asked = Asked::of(event).or(asked);
        // What came before any prompt answers nobody.
        let Some(asked) = asked else { continue };
        let of = Of {
            asked,
            target,
            in_turn: event.turn_id == asked.turn,
            is_prefix_changed: at < changed,
        };
        if let EventBody::UserMessage {
            content, images, ..
        } = &event.body
        {
            let goes = pictured.contains(&event.id);
            items.extend(images.iter().map(|image| picture(image, goes)));
            if !content.trim().is_empty() {
                items.push(Item::Said(Role::User, Block::text(content)));
            }
        } else {
            items.extend(item(event, of));
        }
    }
    items
}

/// How many of the kept events were said before the last summary took the place of what stood
/// before them. Signed thinking among them stays behind: its signature holds for the whole
/// conversation before it, and models refuse it after another one.
fn changed_until(kept: &Kept<'_>) -> usize {
    let is_summary = |event: &Event| matches!(event.body, EventBody::Compaction { .. });
    match kept.summary {
        Some(_) => kept.events.iter().rposition(is_summary).unwrap_or_default(),
        None => 0,
    }
}

/// Who said an event, and to whom the conversation goes now.
#[derive(Clone, Copy)]
struct Of<'a> {
    asked: Asked<'a>,
    target: Asked<'a>,
    in_turn: bool,
    /// Whether something else stood before it when it was said.
    is_prefix_changed: bool,
}

impl Of<'_> {
    fn same_source(self) -> bool {
        self.in_turn && self.asked.source == self.target.source
    }

    /// Whether the very model that is asked now said it, told the same beforehand.
    fn signed_here(self) -> bool {
        self.same_source()
            && self.asked.model == self.target.model
            && self.asked.system == self.target.system
    }

    fn is_current(self) -> bool {
        self.in_turn && self.asked.turn == self.target.turn
    }
}

fn item<'a>(event: &'a Event, of: Of<'_>) -> Option<Item<'a>> {
    match &event.body {
        EventBody::Thinking {
            content,
            signature,
            redacted,
            detail,
            ..
        } if of.signed_here() => {
            let block = match (detail, redacted, signature) {
                (Some(detail), _, _) => Block::ThinkingItem {
                    content: content.clone(),
                    signature: signature.clone(),
                    detail: detail.clone(),
                },
                (None, Some(_), _) | (None, None, Some(_)) if of.is_prefix_changed => return None,
                (None, Some(data), _) => Block::Redacted(data.clone()),
                (None, None, Some(signature)) => Block::Thinking {
                    content: content.clone(),
                    signature: signature.clone(),
                },
                // Some want it back though they do not sign it.
                (None, None, None) if !content.trim().is_empty() => {
                    Block::Reasoning(content.clone())
                }
                (None, None, None) => return None,
            };
            Some(Item::Said(Role::Assistant, block))
        }
        EventBody::Message {
            content,
            signature,
            detail,
            ..
        } if !content.trim().is_empty() => {
            let block = Block::Text {
                text: content.clone(),
                signature: signature.clone().filter(|_| of.signed_here()),
                detail: detail.clone().filter(|_| of.signed_here()),
            };
            Some(Item::Said(Role::Assistant, block))
        }
        EventBody::ToolUse {
            tool_call_id,
            tool_name,
            input,
            executed_by,
            signature,
            detail,
        } => {
            let goes = match executed_by {
                ExecutedBy::Weir => true,
                ExecutedBy::Source => of.same_source(),
            };
            goes.then(|| {
                Item::Call(Call {
                    turn: event.turn_id,
                    tool_call_id,
                    name: tool_name,
                    input,
                    executed_by: *executed_by,
                    signature: signature.clone().filter(|_| of.signed_here()),
                    // It is written in that source's words.
                    detail: detail.clone().filter(|_| of.same_source()),
                    is_current: of.is_current(),
                })
            })
        }
        EventBody::ToolResult {
            tool_call_id,
            result,
            is_error,
            detail,
            ..
        } => Some(Item::Result(Result {
            tool_call_id,
            result,
            is_error: *is_error,
            detail: detail.clone(),
        })),
        EventBody::Hook {
            context: Some(context),
            hook_event,
            ..
        } => {
            let text = format!("{HOOK} {hook_event:?}: {context}]");
            Some(Item::Said(Role::User, Block::text(text)))
        }
        EventBody::Usage { .. } => Some(Item::ReplyEnd),
        EventBody::Thinking { .. }
        | EventBody::Message { .. }
        | EventBody::UserMessage { .. }
        | EventBody::File { .. }
        | EventBody::SessionStart { .. }
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
        | EventBody::Processing { .. }
        | EventBody::Complete { .. }
        | EventBody::Error { .. }
        | EventBody::Raw { .. }
        | EventBody::ThinkingChunk { .. }
        | EventBody::MessageChunk { .. }
        | EventBody::ToolUseChunk { .. }
        | EventBody::ProcessingChunk { .. } => None,
    }
}

/// Whom a prompt asked, and what it told them beforehand.
#[derive(Clone, Copy)]
struct Asked<'a> {
    turn: Option<Uuid>,
    source: &'a str,
    model: &'a str,
    system: Option<&'a str>,
}

impl<'a> Asked<'a> {
    fn of(event: &'a Event) -> Option<Self> {
        let EventBody::UserMessage {
            source,
            model,
            system,
            ..
        } = &event.body
        else {
            return None;
        };
        Some(Self {
            turn: event.turn_id,
            source,
            model,
            system: system.as_deref(),
        })
    }
}

fn picture(image: &Image, goes: bool) -> Item<'static> {
    let block = if goes {
        Block::Image {
            media_type: image.media_type.clone(),
            data: image.data.clone(),
        }
    } else {
        Block::text(LEFT_OUT)
    };
    Item::Said(Role::User, block)
}

/// The prompts whose pictures are sent, the newest first as far as there is room.
fn pictured(kept: &Kept<'_>) -> HashSet<Uuid> {
    let answered: HashSet<_> = kept
        .events
        .iter()
        .filter(|event| matches!(event.body, EventBody::Message { .. }))
        .map(|event| event.turn_id)
        .collect();
    let mut room = ALL_IMAGES;
    let mut pictured = HashSet::new();
    let mut is_last = true;
    for event in kept.prompt.into_iter().chain(kept.events).rev() {
        if let EventBody::UserMessage { images, .. } = &event.body {
            let size: usize = images.iter().map(|image| image.data.len()).sum();
            if (is_last || answered.contains(&event.turn_id)) && size <= room {
                room -= size;
                pictured.insert(event.id);
            }
            is_last = false;
        }
    }
    pictured
}

/// An input that was no JSON object is kept as it came; every API takes objects only.
fn object(input: &Value) -> Value {
    if input.is_object() {
        input.clone()
    } else if input.is_null() {
        json!({})
    } else {
        json!({ "input": input })
    }
}
