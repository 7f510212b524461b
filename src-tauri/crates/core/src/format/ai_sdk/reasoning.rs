//! Reasoning: the model's thinking, and lines about what an agent does.
//!
//! Owns which reasoning parts are open. There are two variants and never both at once: a line
//! about the work closes all thinking, thinking closes the lines about the work, text closes
//! everything. A block of the source that goes on after its part was closed goes on in a new
//! part. Lines about helpers join whatever thinking is open or has just ended.

use weir_protocol::BlockId;

use super::chunk::{Chunk, PartId, Variant, Weir};

#[derive(Default)]
pub(super) struct Reasoning {
    /// The source's thinking blocks that have not ended; a handful at most.
    blocks: Vec<Block>,
    /// The open part that belongs to no block of the source's.
    aside: Option<Part>,
    next: u32,
}

struct Block {
    id: BlockId,
    part: Option<Part>,
}

struct Part {
    variant: Variant,
    number: u32,
    at_line_start: bool,
    /// Its block is over, and only lines about helpers may still join it.
    is_ending: bool,
}

impl Reasoning {
    pub(super) fn has_blocks(&self) -> bool {
        !self.blocks.is_empty()
    }

    /// The source's block `id` begins or goes on.
    pub(super) fn think(&mut self, id: BlockId, text: &str, out: &mut Vec<u8>) {
        let part = self.block_part(id, out);
        part.grow(text, out);
    }

    pub(super) fn start(&mut self, id: BlockId, out: &mut Vec<u8>) {
        self.block_part(id, out);
    }

    /// The source's block `id` is over. What it is sealed with must not get lost, even when
    /// its part has been closed already.
    pub(super) fn end(&mut self, id: BlockId, seal: Seal<'_>, out: &mut Vec<u8>) {
        if seal.is_set() {
            self.block_part(id, out);
        }
        let Some(at) = self.blocks.iter().position(|block| block.id == id) else {
            return;
        };
        match self.blocks.remove(at).part {
            Some(mut part) if !seal.is_set() && self.aside.is_none() => {
                part.is_ending = true;
                self.aside = Some(part);
            }
            Some(part) => part.end(seal, out),
            None => {}
        }
    }

    /// Before anything but lines about helpers: what has ended is closed.
    pub(super) fn settle(&mut self, out: &mut Vec<u8>) {
        if let Some(part) = self.aside.take_if(|part| part.is_ending) {
            part.end(Seal::default(), out);
        }
    }

    /// Lines about the work.
    pub(super) fn report(&mut self, lines: &str, out: &mut Vec<u8>) {
        self.close_all(Variant::Thinking, out);
        let next = &mut self.next;
        let part = self
            .aside
            .get_or_insert_with(|| Part::open(Variant::Processing, next, out));
        part.grow_lines(lines, out);
    }

    /// Lines about helpers.
    pub(super) fn mention(&mut self, lines: &str, out: &mut Vec<u8>) {
        self.close_all(Variant::Processing, out);
        let next = &mut self.next;
        let mut open = self
            .blocks
            .iter_mut()
            .filter_map(|block| block.part.as_mut());
        let part = match (&mut self.aside, open.next_back()) {
            (Some(part), _) | (None, Some(part)) => part,
            (aside @ None, None) => aside.insert(Part::open(Variant::Thinking, next, out)),
        };
        part.is_ending = false;
        part.grow_lines(lines, out);
    }

    /// Before a part of another kind: lines that follow it stand after it.
    pub(super) fn close_aside(&mut self, out: &mut Vec<u8>) {
        if let Some(part) = self.aside.take() {
            part.end(Seal::default(), out);
        }
    }

    /// Closes every part; the source's blocks may still go on.
    pub(super) fn close(&mut self, out: &mut Vec<u8>) {
        self.close_all(Variant::Thinking, out);
        self.close_all(Variant::Processing, out);
    }

    /// Closes every part and forgets the blocks.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        self.close(out);
        self.blocks.clear();
    }

    /// The part that the source's block `id` goes on in.
    fn block_part(&mut self, id: BlockId, out: &mut Vec<u8>) -> &mut Part {
        self.close_all(Variant::Processing, out);
        let at = match self.blocks.iter().position(|block| block.id == id) {
            Some(at) => at,
            None => {
                self.blocks.push(Block { id, part: None });
                self.blocks.len() - 1
            }
        };
        let (aside, next) = (&mut self.aside, &mut self.next);
        self.blocks[at].part.get_or_insert_with(|| {
            aside
                .take()
                .unwrap_or_else(|| Part::open(Variant::Thinking, next, out))
        })
    }

    fn close_all(&mut self, variant: Variant, out: &mut Vec<u8>) {
        if variant == Variant::Thinking {
            for block in &mut self.blocks {
                if let Some(part) = block.part.take() {
                    part.end(Seal::default(), out);
                }
            }
        }
        if let Some(part) = self.aside.take_if(|part| part.variant == variant) {
            part.end(Seal::default(), out);
        }
    }
}

/// What a source seals its thinking with.
#[derive(Clone, Copy, Default)]
pub(super) struct Seal<'a> {
    pub(super) signature: Option<&'a str>,
    pub(super) redacted: Option<&'a str>,
}

impl Seal<'_> {
    fn is_set(self) -> bool {
        self.signature.is_some() || self.redacted.is_some()
    }
}

impl Part {
    fn open(variant: Variant, next: &mut u32, out: &mut Vec<u8>) -> Self {
        let part = Self {
            variant,
            number: *next,
            at_line_start: true,
            is_ending: false,
        };
        *next = next.wrapping_add(1);
        let start = Chunk::ReasoningStart {
            id: part.id(),
            provider_metadata: Weir {
                variant: Some(variant),
                ..Weir::default()
            }
            .metadata(),
        };
        start.write(out);
        part
    }

    fn id(&self) -> PartId {
        match self.variant {
            Variant::Thinking => PartId::Thinking(self.number),
            Variant::Processing => PartId::Processing(self.number),
        }
    }

    fn grow(&mut self, delta: &str, out: &mut Vec<u8>) {
        if delta.is_empty() {
            return;
        }
        self.at_line_start = delta.ends_with('\n');
        let id = self.id();
        Chunk::ReasoningDelta { id, delta }.write(out);
    }

    /// `lines` end with a line's end; they begin a line of their own.
    fn grow_lines(&mut self, lines: &str, out: &mut Vec<u8>) {
        if !self.at_line_start {
            self.grow("\n", out);
        }
        self.grow(lines, out);
    }

    fn end(self, seal: Seal<'_>, out: &mut Vec<u8>) {
        // Metadata replaces what the start said, so the variant is said again.
        let sealed = seal.is_set().then(|| {
            Weir {
                variant: Some(self.variant),
                signature: seal.signature,
                redacted: seal.redacted,
                ..Weir::default()
            }
            .metadata()
        });
        let end = Chunk::ReasoningEnd {
            id: self.id(),
            provider_metadata: sealed,
        };
        end.write(out);
    }
}
