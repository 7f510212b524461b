//! What has been said of one message.
//!
//! Owns the law that a word counts once. Claude Code prints a finished block as a whole, on
//! request the pieces of it before, and perhaps all of it once more. So this keeps how long
//! each block is and what it hashes to, never the words; a whole block is held against that.

use std::collections::HashMap;

use serde_json::Value;
use weir_protocol::{BlockId, StreamEvent};

use crate::source::dialect::json::text;

#[derive(Default)]
pub(super) struct MessageDedup {
    /// Blocks in the order in which they began.
    said: Vec<SeenBlock>,
    /// Calls of the provider's own tools whose results came with the message.
    answered: Vec<String>,
    pub(super) manner: Delivery,
    /// What the last whole block said of usage; each repeats it.
    pub(super) usage: Value,
    /// Which words came whole, and how often.
    printed: HashMap<WholeText, Times>,
}

/// How the message comes.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Delivery {
    #[default]
    Whole,
    /// In pieces, and then whole once more.
    Pieces,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Text,
    Thinking,
    Call,
}

/// A line with whole blocks of the message.
#[derive(Clone, Copy)]
pub(super) struct WholeLine {
    /// Lines of the stream differ in it.
    pub(super) number: u64,
    pub(super) print: Print,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Print {
    /// Each of its blocks is one more.
    Once,
    /// What lines before it said it says again.
    Again,
}

/// A whole block of words.
pub(super) struct Whole<'a> {
    pub(super) kind: Kind,
    pub(super) words: &'a str,
    /// What tells blocks without words apart.
    pub(super) seal: &'a str,
}

/// Where a whole block of words belongs.
pub(super) enum BlockMatch<'a> {
    /// It goes on with a block that came in pieces.
    Of {
        index: u64,
        is_open: bool,
        is_signed: bool,
        rest: &'a str,
    },
    /// It was printed before.
    Old,
    New,
}

/// One block, as far as it has been said.
struct SeenBlock {
    id: BlockId,
    index: u64,
    kind: Kind,
    /// Which call it is; empty for words.
    tool_call_id: String,
    length: usize,
    hash: u64,
    is_open: bool,
    is_signed: bool,
    /// It came whole too.
    is_repeated: bool,
}

/// A text that came whole.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct WholeText {
    kind: Kind,
    length: usize,
    hash: u64,
}

#[derive(Default)]
struct Times {
    all: usize,
    /// The last line that had these words, and how often it had them.
    line: u64,
    in_line: usize,
}

impl MessageDedup {
    /// Keeps count of what the block at `index` says.
    pub(super) fn count(&mut self, index: u64, event: &StreamEvent) {
        match event {
            StreamEvent::TextStart { id } => self.said.push(SeenBlock::new(*id, index, Kind::Text)),
            StreamEvent::ThinkingStart { id } => {
                self.said.push(SeenBlock::new(*id, index, Kind::Thinking));
            }
            StreamEvent::ToolUseStart {
                id, tool_call_id, ..
            } => self.said.push(SeenBlock {
                tool_call_id: tool_call_id.clone(),
                ..SeenBlock::new(*id, index, Kind::Call)
            }),
            StreamEvent::TextDelta { id, text } | StreamEvent::ThinkingDelta { id, text } => {
                if let Some(said) = self.said_mut(*id) {
                    said.length += text.len();
                    said.hash = hash(said.hash, text.as_bytes());
                }
            }
            StreamEvent::TextEnd { id, .. }
            | StreamEvent::ThinkingEnd { id, .. }
            | StreamEvent::ToolUseEnd { id, .. } => {
                if let Some(said) = self.said_mut(*id) {
                    said.is_open = false;
                }
            }
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Citation { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. }
            | StreamEvent::Raw { .. } => {}
        }
    }

    pub(super) fn sign(&mut self, index: u64) {
        let mut blocks = self.said.iter_mut().rev();
        if let Some(said) = blocks.find(|said| said.index == index) {
            said.is_signed = true;
        }
    }

    /// Where a whole block belongs: to the pieces that said just that; to nothing, if lines
    /// before it said it; to the pieces that said most of it; to those that are open, for then
    /// the agent has tidied what it said.
    pub(super) fn place<'a>(&mut self, block: &Whole<'a>, line: WholeLine) -> BlockMatch<'a> {
        let words = block.hashed();
        let at = match self.waiting(block.kind, |said| said.says(block.words)) {
            Some(at) => Some(at),
            None if self.is_old(words, line) => return BlockMatch::Old,
            None => self
                .waiting(block.kind, |said| said.begins(block.words))
                .or_else(|| self.waiting(block.kind, |said| said.is_open)),
        };
        let times = self.times(words, line);
        times.all += 1;
        times.in_line += 1;
        let Some(said) = at.map(|at| &mut self.said[at]) else {
            return BlockMatch::New;
        };
        said.is_repeated = true;
        let rest = said.begins(block.words).then_some(said.length);
        BlockMatch::Of {
            index: said.index,
            is_open: said.is_open,
            is_signed: said.is_signed,
            rest: rest
                .and_then(|at| block.words.get(at..))
                .unwrap_or_default(),
        }
    }

    /// The call that came in pieces and without an id, if this one repeats it.
    pub(super) fn repeated_call(&mut self, is_it: impl Fn(&str) -> bool) -> Option<String> {
        let at = self.waiting(Kind::Call, |said| is_it(&said.tool_call_id))?;
        self.said[at].is_repeated = true;
        Some(self.said[at].tool_call_id.clone())
    }

    /// Where the pieces of a call are open.
    pub(super) fn open_call(&self, tool_call_id: &str) -> Option<u64> {
        let mut blocks = self.said.iter();
        let said = blocks.find(|said| said.is_open && said.tool_call_id == tool_call_id)?;
        Some(said.index)
    }

    pub(super) fn note_answer(&mut self, block: &Value) {
        if text(block, "type").ends_with("_tool_result") {
            self.answered.push(text(block, "tool_use_id").to_owned());
        }
    }

    pub(super) fn is_answered(&self, block: &Value) -> bool {
        let id = text(block, "tool_use_id");
        self.answered.iter().any(|answered| answered == id)
    }

    /// What was said from here on came whole.
    pub(super) fn mark_whole(&mut self, from: usize) {
        for said in &mut self.said[from..] {
            said.is_repeated = true;
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.said.len()
    }

    /// Another message has begun: nothing of this one is open any more.
    pub(super) fn close(&mut self) {
        for said in &mut self.said {
            said.is_open = false;
        }
    }

    /// Of the blocks in pieces that have not come whole, the one that said most; the last of
    /// several, and rather one that is open.
    fn waiting(&self, kind: Kind, is_it: impl Fn(&SeenBlock) -> bool) -> Option<usize> {
        if self.manner == Delivery::Whole {
            return None;
        }
        let blocks = self.said.iter().enumerate();
        let waiting = blocks.filter(|(_, said)| said.kind == kind && !said.is_repeated);
        let found = waiting.filter(|(_, said)| is_it(said));
        let (at, _) = found.max_by_key(|(_, said)| (said.length, said.is_open))?;
        Some(at)
    }

    fn is_old(&mut self, words: WholeText, line: WholeLine) -> bool {
        // Where pieces come, no block comes whole only.
        let may_be_old = line.print == Print::Again || self.manner == Delivery::Pieces;
        let times = self.times(words, line);
        let is_old = may_be_old && times.in_line < times.all;
        times.in_line += usize::from(is_old);
        is_old
    }

    fn times(&mut self, words: WholeText, line: WholeLine) -> &mut Times {
        let times = self.printed.entry(words).or_default();
        if times.line != line.number {
            times.line = line.number;
            times.in_line = 0;
        }
        times
    }

    /// The newest is nearly always the one that is asked for.
    fn said_mut(&mut self, id: BlockId) -> Option<&mut SeenBlock> {
        self.said.iter_mut().rev().find(|said| said.id == id)
    }
}

impl Whole<'_> {
    fn hashed(&self) -> WholeText {
        let words = if self.words.is_empty() {
            self.seal
        } else {
            self.words
        };
        WholeText {
            kind: self.kind,
            length: words.len(),
            hash: hash(EMPTY, words.as_bytes()),
        }
    }
}

impl SeenBlock {
    fn new(id: BlockId, index: u64, kind: Kind) -> Self {
        Self {
            id,
            index,
            kind,
            tool_call_id: String::new(),
            length: 0,
            hash: EMPTY,
            is_open: true,
            is_signed: false,
            is_repeated: false,
        }
    }

    fn says(&self, words: &str) -> bool {
        self.length == words.len() && self.begins(words)
    }

    /// Whether what was said is how these words begin.
    fn begins(&self, words: &str) -> bool {
        let head = words.as_bytes().get(..self.length);
        head.is_some_and(|head| hash(EMPTY, head) == self.hash)
    }
}

/// FNV-1a: piece by piece it comes to the same as at once.
fn hash(so_far: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(so_far, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

const EMPTY: u64 = 0xcbf2_9ce4_8422_2325;
