//! The runs of models that are under way.
//!
//! LangChain says where a block begins by its index and never where it ends: it ends where
//! another begins. Owns which block of a run is being written, whether it has said anything,
//! and what it has used.

use weir_protocol::Usage;

use super::usage::sum;

#[derive(Default)]
pub(super) struct Runs {
    /// One at a time, mostly: a scan beats a map.
    open: Vec<Run>,
    next: usize,
}

pub(super) struct Run {
    number: usize,
    id: String,
    has_begun: bool,
    has_spoken: bool,
    /// The block of words that is being written.
    pub(super) current: Option<Slot>,
    pub(super) usage: Usage,
}

/// A block of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) run: usize,
    pub(super) slot: Slot,
}

impl Key {
    /// What a chain tells of itself.
    pub(super) const OF_NO_RUN: Self = Self {
        run: usize::MAX,
        slot: Slot::Call(usize::MAX),
    };
}

/// A block of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Slot {
    Text(Index),
    Thinking(Index),
    /// By its place in the stream's tools.
    Call(usize),
}

/// A block's place in its message, as the provider numbers or names it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Index {
    None,
    Number(u64),
    Name(String),
}

impl Runs {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(super) fn find(&self, id: &str) -> Option<usize> {
        let run = self.open.iter().rfind(|run| run.id == id)?;
        Some(run.number)
    }

    pub(super) fn open(&mut self, id: &str) -> usize {
        if let Some(number) = self.find(id) {
            return number;
        }
        let number = self.next;
        self.next += 1;
        self.open.push(Run {
            number,
            id: id.to_owned(),
            has_begun: false,
            has_spoken: false,
            current: None,
            usage: Usage::default(),
        });
        number
    }

    pub(super) fn close(&mut self, number: usize) -> Option<Run> {
        let at = self.open.iter().position(|run| run.number == number)?;
        Some(self.open.remove(at))
    }

    /// True the first time.
    pub(super) fn begin(&mut self, number: usize) -> bool {
        self.get(number)
            .is_some_and(|run| !std::mem::replace(&mut run.has_begun, true))
    }

    pub(super) fn has_begun(&self, number: usize) -> bool {
        self.at(number).is_some_and(|run| run.has_begun)
    }

    pub(super) fn has_spoken(&self, number: usize) -> bool {
        self.at(number).is_some_and(|run| run.has_spoken)
    }

    /// The run goes on at `slot`. Answers the block that ends with that, if it is another.
    pub(super) fn turn_to(&mut self, number: usize, slot: Option<&Slot>) -> Option<Slot> {
        let run = self.get(number)?;
        run.has_spoken = true;
        if run.current.as_ref() == slot {
            return None;
        }
        std::mem::replace(&mut run.current, slot.cloned())
    }

    /// What chunks report adds up.
    pub(super) fn add_usage(&mut self, number: usize, usage: &Usage) {
        if let Some(run) = self.get(number) {
            run.usage = sum(&run.usage, usage);
        }
    }

    pub(super) fn set_usage(&mut self, number: usize, usage: Usage) {
        if let Some(run) = self.get(number) {
            run.usage = usage;
        }
    }

    pub(super) fn usages(&self) -> impl Iterator<Item = &Usage> {
        self.open.iter().map(|run| &run.usage)
    }

    fn at(&self, number: usize) -> Option<&Run> {
        self.open.iter().rfind(|run| run.number == number)
    }

    fn get(&mut self, number: usize) -> Option<&mut Run> {
        self.open.iter_mut().rfind(|run| run.number == number)
    }
}
