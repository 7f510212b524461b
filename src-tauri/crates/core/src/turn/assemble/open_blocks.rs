//! The blocks of a step that are still growing, found by name in constant time: a source may open
//! thousands of them.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use weir_protocol::BlockId;

use super::Kind;

pub(super) struct OpenBlock {
    /// Absent on what the source does not name: asides, and calls it gave up.
    pub(super) id: Option<BlockId>,
    pub(super) index: u32,
    pub(super) started: Timestamp,
    pub(super) content: String,
    pub(super) kind: Kind,
}

impl OpenBlock {
    /// Lines that belong to no block of the source's.
    fn is_aside(&self) -> bool {
        match self.kind {
            Kind::Processing => true,
            Kind::Thinking => self.id.is_none(),
            Kind::Text { .. } | Kind::Tool { .. } => false,
        }
    }
}

#[derive(Default)]
pub(super) struct OpenBlocks {
    /// By their place in the turn, which is the order in which they began.
    blocks: BTreeMap<u32, OpenBlock>,
    by_id: HashMap<BlockId, u32>,
    /// At most one is open.
    aside: Option<u32>,
    /// The calls that the source gave up, by the id of the call.
    given_up: HashMap<String, u32>,
}

impl OpenBlocks {
    pub(super) fn insert(&mut self, block: OpenBlock) {
        let index = block.index;
        if let Some(id) = block.id {
            self.by_id.insert(id, index);
        }
        if block.is_aside() {
            self.aside = Some(index);
        }
        self.blocks.insert(index, block);
    }

    pub(super) fn named(&mut self, id: BlockId) -> Option<&mut OpenBlock> {
        self.blocks.get_mut(self.by_id.get(&id)?)
    }

    pub(super) fn aside(&mut self) -> Option<&mut OpenBlock> {
        self.blocks.get_mut(&self.aside?)
    }

    pub(super) fn take(&mut self, id: BlockId) -> Option<OpenBlock> {
        let index = self.by_id.remove(&id)?;
        self.blocks.remove(&index)
    }

    pub(super) fn take_aside(&mut self) -> Option<OpenBlock> {
        let index = self.aside.take()?;
        self.blocks.remove(&index)
    }

    /// The block stays open without a name.
    pub(super) fn give_up(&mut self, id: BlockId) {
        let Some(index) = self.by_id.remove(&id) else {
            return;
        };
        if let Some(block) = self.blocks.get_mut(&index) {
            block.id = None;
            if let Kind::Tool { tool_call_id, .. } = &block.kind {
                self.given_up.entry(tool_call_id.clone()).or_insert(index);
            }
        }
    }

    /// The call that was given up goes on under another name.
    pub(super) fn start_again(
        &mut self,
        id: BlockId,
        tool_call_id: &str,
    ) -> Option<&mut OpenBlock> {
        let index = self.given_up.remove(tool_call_id)?;
        let block = self.blocks.get_mut(&index)?;
        block.id = Some(id);
        self.by_id.insert(id, index);
        Some(block)
    }

    /// All of them, in the order in which they began; none is open after that.
    pub(super) fn take_all(&mut self) -> impl Iterator<Item = OpenBlock> + use<> {
        std::mem::take(self).blocks.into_values()
    }
}
