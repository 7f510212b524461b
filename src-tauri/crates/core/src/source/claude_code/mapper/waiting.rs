//! Which calls wait for a result.
//!
//! Owns the order in which they were asked: a result that names no call answers the oldest
//! one that waits. Must not know how calls and results are printed.

use std::collections::{HashSet, VecDeque};

#[derive(Default)]
pub(crate) struct Waiting {
    calls: HashSet<String>,
    /// The same in their order; those that were answered out of order go when they are first.
    order: VecDeque<String>,
}

impl Waiting {
    pub(crate) fn ask(&mut self, tool_call_id: &str) {
        self.calls.insert(tool_call_id.to_owned());
        self.order.push_back(tool_call_id.to_owned());
    }

    pub(crate) fn answer(&mut self, tool_call_id: &str) {
        self.calls.remove(tool_call_id);
        while let Some(first) = self.order.front()
            && !self.calls.contains(first)
        {
            self.order.pop_front();
        }
    }

    /// The oldest call of those that may be meant.
    pub(crate) fn oldest(&self, may_be: impl Fn(&str) -> bool) -> Option<String> {
        let mut waiting = self.order.iter().filter(|id| self.calls.contains(*id));
        waiting.find(|id| may_be(id)).cloned()
    }
}
