//! Blocks to messages that take turns: interleaved calls and results are split, the results of
//! a step stand together right after it in the order of its calls, and thinking stands before
//! the calls it led to, never last; in a reply that is known to be one it stays where it stood.

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
            Answered::ReplyEnd => conversation.reply_ends.push(conversation.said.len()),
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
    /// After how many of those each reply ended.
    reply_ends: Vec<usize>,
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
        let ends = std::mem::take(&mut self.reply_ends);
        let said = std::mem::take(&mut self.said);
        let mut said = match is_one_reply(&said, &ends) {
            true => said,
            false => thinking_first(said),
        };
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

/// Whether these blocks are known to be one reply, whole and in its own order. Nothing in it is
/// moved then: a signature is bound to what stood before it. A model thinks before it calls, so
/// thinking after a call is that of another reply.
fn is_one_reply(blocks: &[Block], ends: &[usize]) -> bool {
    let first_call = blocks.iter().position(is_weirs_call);
    let after_call = first_call.map_or(&[][..], |at| &blocks[at..]);
    let mut ends = ends.iter().filter(|end| **end > 0);
    ends.next() == Some(&blocks.len())
        && ends.all(|end| *end == blocks.len())
        && !after_call.iter().any(is_thinking)
}

/// A message with calls starts with its thinking, and no thinking follows a call. What already
/// stands so is left alone: between a source's own tools thinking keeps its place.
fn thinking_first(blocks: Vec<Block>) -> Vec<Block> {
    let Some(first_call) = blocks.iter().position(is_weirs_call) else {
        return blocks;
    };
    let starts_so = blocks.first().is_some_and(is_thinking);
    if starts_so && !blocks[first_call..].iter().any(is_thinking) {
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
