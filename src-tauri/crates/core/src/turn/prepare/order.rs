//! Blocks to messages that take turns: interleaved calls and results are split, the results of
//! a step stand together right after it in the order of its calls, and thinking stands before
//! the calls it led to, never last; otherwise where it stood.

use weir_protocol::ExecutedBy;

use super::answer::Answered;
use crate::source::{Block, Message, Role};

pub(super) fn messages(items: Vec<Answered>) -> Vec<Message> {
    let mut conversation = Conversation::default();
    for item in items {
        match item {
            Answered::Said(Role::Assistant, block) => conversation.said.push(block),
            Answered::Said(Role::User, block) => {
                conversation.end_step();
                conversation.push(Role::User, vec![block]);
            }
            Answered::Call { call, result } => {
                conversation.said.push(call);
                conversation.results.push(result);
            }
            Answered::ResultsSeen if conversation.results.is_empty() => {}
            Answered::ResultsSeen => conversation.end_step(),
        }
    }
    conversation.end_step();
    conversation.messages
}

#[derive(Default)]
struct Conversation {
    messages: Vec<Message>,
    /// What the model has said since the last message of the user.
    said: Vec<Block>,
    /// The answers to the calls among it.
    results: Vec<Block>,
}

impl Conversation {
    /// The user is first, whatever the log says.
    fn end_step(&mut self) {
        if self.messages.is_empty() {
            self.said.clear();
            self.results.clear();
        }
        let mut said = thinking_first(std::mem::take(&mut self.said));
        // Thinking that led to nothing, from a turn that was stopped over it, is refused.
        while said.last().is_some_and(needs_more) {
            said.pop();
        }
        self.push(Role::Assistant, said);
        let results = std::mem::take(&mut self.results);
        self.push(Role::User, results);
    }

    /// Neighbours of one role are one message.
    fn push(&mut self, role: Role, blocks: Vec<Block>) {
        if blocks.is_empty() {
            return;
        }
        match self.messages.last_mut() {
            Some(last) if last.role == role => last.blocks.extend(blocks),
            Some(_) | None => self.messages.push(Message { role, blocks }),
        }
    }
}

/// No thinking follows a call. A model thinks before it calls, so thinking after a call is that
/// of another reply which became one message with it; then all of it stands first. Everything
/// else is left where it stands: a signature is bound to what stood before it.
fn thinking_first(blocks: Vec<Block>) -> Vec<Block> {
    let Some(first_call) = blocks.iter().position(is_weirs_call) else {
        return blocks;
    };
    if !blocks[first_call..].iter().any(is_thinking) {
        return blocks;
    }
    let (mut thinking, rest): (Vec<Block>, Vec<Block>) = blocks.into_iter().partition(is_thinking);
    thinking.extend(rest);
    thinking
}

/// Whether a block is thinking that may be moved. What a source wrote down in its own way keeps
/// its place: each piece of it belongs to what follows.
fn is_thinking(block: &Block) -> bool {
    match block {
        Block::Thinking { .. } | Block::Redacted(_) | Block::Reasoning(_) => true,
        Block::Text { .. }
        | Block::ThinkingItem { .. }
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => false,
    }
}

/// Whether a block is refused as the last of its message. A list of pieces goes beside what was
/// said, wherever it stood.
fn needs_more(block: &Block) -> bool {
    match block {
        Block::ThinkingItem { detail, .. } => !detail.is_array(),
        Block::Text { .. }
        | Block::Thinking { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::Image { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => is_thinking(block),
    }
}

fn is_weirs_call(block: &Block) -> bool {
    matches!(
        block,
        Block::ToolUse {
            executed_by: ExecutedBy::Weir,
            ..
        }
    )
}
