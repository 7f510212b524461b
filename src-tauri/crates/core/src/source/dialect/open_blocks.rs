//! The blocks a stream has opened and not closed yet.
//!
//! Owns block ids and the law that each block has one start, its deltas and one end. `K` is
//! whatever a dialect tells its blocks apart by: an index, an item's id. A delta for a block
//! that was never announced opens it, so that no word is lost to a sloppy source. Must not
//! know any dialect.
//!
//! The cost of an event does not grow with the number of open blocks: a source may open a hundred
//! thousand calls in one frame.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use serde_json::Value;
use weir_protocol::{BlockId, ExecutedBy, StreamEvent};

#[derive(Debug)]
pub struct OpenBlocks<K> {
    /// The block that was used last. Nearly every delta belongs to it, and needs no hash.
    latest: Option<(K, Block)>,
    others: HashMap<K, Block>,
    next_id: BlockId,
}

/// What a source says of a tool call before its input.
#[derive(Clone, Debug)]
pub struct ToolUse {
    pub tool_call_id: String,
    pub name: String,
    pub executed_by: ExecutedBy,
    /// The input, if it came whole with the call; deltas win over it.
    pub input: Value,
    /// What else the source says of a call it runs itself, and wants back.
    pub detail: Option<Value>,
}

#[derive(Debug)]
struct Block {
    id: BlockId,
    /// What the source sealed the block with.
    signature: String,
    /// What else the source says of text or thinking, and wants back.
    detail: Option<Value>,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Text,
    Thinking { redacted: Option<String> },
    ToolUse { json: String, whole: Value },
}

impl<K> Default for OpenBlocks<K> {
    fn default() -> Self {
        Self {
            latest: None,
            others: HashMap::new(),
            next_id: 0,
        }
    }
}

impl<K: Eq + Hash> OpenBlocks<K> {
    pub fn start_text(&mut self, key: K, out: &mut Vec<StreamEvent>) -> BlockId {
        let id = self.start(key, Content::Text, out);
        out.push(StreamEvent::TextStart { id });
        id
    }

    pub fn start_thinking(&mut self, key: K, out: &mut Vec<StreamEvent>) -> BlockId {
        let content = Content::Thinking { redacted: None };
        let id = self.start(key, content, out);
        out.push(StreamEvent::ThinkingStart { id });
        id
    }

    pub fn start_tool_use(&mut self, key: K, call: ToolUse, out: &mut Vec<StreamEvent>) -> BlockId {
        let content = Content::ToolUse {
            json: String::new(),
            whole: call.input,
        };
        let id = self.start(key, content, out);
        out.push(StreamEvent::ToolUseStart {
            id,
            tool_call_id: call.tool_call_id,
            name: call.name,
            executed_by: call.executed_by,
            detail: call.detail,
        });
        id
    }

    /// A call that came whole: its start and its end.
    pub fn tool_use(&mut self, key: K, call: ToolUse, out: &mut Vec<StreamEvent>)
    where
        K: Clone,
    {
        self.start_tool_use(key.clone(), call, out);
        self.close(&key, out);
    }

    /// Adds to the text block at `key`, opening it if need be. Empty text says nothing.
    pub fn add_text(&mut self, key: K, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        let id = self.text_id(key, out);
        let text = text.into_owned();
        out.push(StreamEvent::TextDelta { id, text });
    }

    /// Adds to the thinking block at `key`, opening it if need be.
    pub fn add_thinking(&mut self, key: K, text: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if text.is_empty() {
            return;
        }
        let id = match self.use_block(&key) {
            Some(Block {
                id,
                content: Content::Thinking { .. },
                ..
            }) => *id,
            Some(_) | None => self.start_thinking(key, out),
        };
        let text = text.into_owned();
        out.push(StreamEvent::ThinkingDelta { id, text });
    }

    /// Adds to the signature of the thinking block at `key`, opening it if need be: thinking
    /// that is not shown may consist of its signature alone.
    pub fn sign_thinking(&mut self, key: K, piece: &str, out: &mut Vec<StreamEvent>)
    where
        K: Clone,
    {
        if piece.is_empty() {
            return;
        }
        if !self.is_thinking(&key) {
            self.start_thinking(key.clone(), out);
        }
        self.sign(&key, piece);
    }

    /// Adds to the signature of whatever block is open at `key`.
    pub fn sign(&mut self, key: &K, piece: &str) {
        if let Some(block) = self.use_block(key) {
            block.signature.push_str(piece);
        }
    }

    /// What the source says of the text or thinking that is open at `key`, to be changed.
    pub fn detail(&mut self, key: &K) -> Option<&mut Option<Value>> {
        let block = self.use_block(key)?;
        Some(&mut block.detail)
    }

    pub fn is_open(&self, key: &K) -> bool {
        let is_latest = self
            .latest
            .as_ref()
            .is_some_and(|(latest, _)| latest == key);
        is_latest || self.others.contains_key(key)
    }

    /// Gives the thinking block at `key` its sealed form.
    pub fn redact_thinking(&mut self, key: &K, sealed: String) {
        if let Some(block) = self.use_block(key)
            && let Content::Thinking { redacted } = &mut block.content
        {
            *redacted = Some(sealed);
        }
    }

    /// Adds to the input of the tool call at `key`. Without one there is no name and no id to
    /// open it with: the answer says so, and the dialect hands the frame on as `Raw`.
    pub fn add_input(&mut self, key: &K, piece: Cow<'_, str>, out: &mut Vec<StreamEvent>) -> Found {
        let Some(block) = self.use_block(key) else {
            return Found::Missing;
        };
        match &mut block.content {
            Content::ToolUse { json, .. } => {
                if !piece.is_empty() {
                    json.push_str(&piece);
                    out.push(StreamEvent::ToolUseDelta {
                        id: block.id,
                        json: piece.into_owned(),
                    });
                }
                Found::There
            }
            Content::Text | Content::Thinking { .. } => Found::Missing,
        }
    }

    /// Adds to the open block `id`, whatever its kind. Others are left as they are.
    pub fn grow(&mut self, id: BlockId, words: String, out: &mut Vec<StreamEvent>) {
        // The dialects grow the block that their last frame was about, which is the latest.
        let latest = self.latest.iter_mut().map(|(_, block)| block);
        let mut open = latest.chain(self.others.values_mut());
        if let Some(block) = open.find(|block| block.id == id) {
            out.push(match &mut block.content {
                Content::Text => StreamEvent::TextDelta { id, text: words },
                Content::Thinking { .. } => StreamEvent::ThinkingDelta { id, text: words },
                Content::ToolUse { json, .. } => {
                    json.push_str(&words);
                    StreamEvent::ToolUseDelta { id, json: words }
                }
            });
        }
    }

    /// The text block at `key`, opened if need be: what a citation belongs to.
    pub fn text_id(&mut self, key: K, out: &mut Vec<StreamEvent>) -> BlockId {
        match self.use_block(&key) {
            Some(Block {
                id,
                content: Content::Text,
                ..
            }) => *id,
            Some(_) | None => self.start_text(key, out),
        }
    }

    /// Ends the block at `key`, if it is open.
    pub fn close(&mut self, key: &K, out: &mut Vec<StreamEvent>) {
        let latest = self.latest.take_if(|(latest, _)| latest == key);
        let block = latest.map(|(_, block)| block);
        out.extend(block.or_else(|| self.others.remove(key)).map(end));
    }

    /// Ends all blocks, in the order in which they began.
    pub fn close_all(&mut self, out: &mut Vec<StreamEvent>) {
        out.extend(self.take_all().into_iter().map(end));
    }

    /// The source began its message anew. Ends all blocks, tool calls with the input `null`,
    /// which no call has otherwise: nobody asked for what was never said to the end.
    pub fn abandon_all(&mut self, out: &mut Vec<StreamEvent>) {
        for block in self.take_all() {
            out.push(match block.content {
                Content::ToolUse { .. } => StreamEvent::ToolUseEnd {
                    id: block.id,
                    input: Value::Null,
                    signature: None,
                },
                Content::Text | Content::Thinking { .. } => end(block),
            });
        }
    }

    fn start(&mut self, key: K, content: Content, out: &mut Vec<StreamEvent>) -> BlockId {
        self.close(&key, out);
        let id = self.next_id;
        self.next_id = self.next_id.wrapping_add(1);
        let block = Block {
            id,
            signature: String::new(),
            detail: None,
            content,
        };
        self.make_latest(key, block);
        id
    }

    fn make_latest(&mut self, key: K, block: Block) {
        if let Some((key, block)) = self.latest.replace((key, block)) {
            self.others.insert(key, block);
        }
    }

    /// The block that is open at `key`, which becomes the latest.
    fn use_block(&mut self, key: &K) -> Option<&mut Block> {
        let is_latest = self
            .latest
            .as_ref()
            .is_some_and(|(latest, _)| latest == key);
        if !is_latest {
            let (key, block) = self.others.remove_entry(key)?;
            self.make_latest(key, block);
        }
        self.latest.as_mut().map(|(_, block)| block)
    }

    /// In the order in which they began, which is that of their ids.
    fn take_all(&mut self) -> Vec<Block> {
        let latest = self.latest.take().map(|(_, block)| block);
        let others = self.others.drain().map(|(_, block)| block);
        let mut all: Vec<Block> = others.chain(latest).collect();
        all.sort_unstable_by_key(|block| block.id);
        all
    }

    fn is_thinking(&mut self, key: &K) -> bool {
        self.use_block(key)
            .is_some_and(|block| matches!(block.content, Content::Thinking { .. }))
    }
}

/// Whether the block that a delta belongs to is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    There,
    Missing,
}

fn end(block: Block) -> StreamEvent {
    let id = block.id;
    let signature = (!block.signature.is_empty()).then_some(block.signature);
    let detail = block.detail;
    match block.content {
        Content::Text => StreamEvent::TextEnd {
            id,
            signature,
            detail,
        },
        Content::Thinking { redacted } => StreamEvent::ThinkingEnd {
            id,
            signature,
            redacted,
            detail,
        },
        Content::ToolUse { json, whole } => StreamEvent::ToolUseEnd {
            id,
            input: input(json, whole),
            signature,
        },
    }
}

/// The input of a tool call: what its deltas spell, the raw string if that is no JSON, what
/// came whole if there were none, and `{}` if there was nothing at all.
fn input(json: String, whole: Value) -> Value {
    let spelled = if json.trim_ascii().is_empty() {
        whole
    } else {
        serde_json::from_str(&json).unwrap_or(Value::String(json))
    };
    if spelled.is_null() {
        Value::Object(serde_json::Map::new())
    } else {
        spelled
    }
}
