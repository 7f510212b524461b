//! A step that is asked once more.

use jiff::Timestamp;
use weir_protocol::EventBody;

use super::{Assembler, Kind};

impl Assembler {
    /// Forgets an attempt of which nothing was shown and says that it is made again.
    pub(in crate::turn) fn ask_again(&mut self, retry: EventBody, now: Timestamp) {
        self.forget_attempt();
        self.pending.push(self.id.event(retry, now));
    }

    /// As if it had not been. What it says it used is forgotten too: no answer came of it, and
    /// no provider counts it.
    pub(in crate::turn) fn forget_attempt(&mut self) {
        for block in std::mem::take(&mut self.open) {
            if let Kind::Tool { tool_call_id, .. } = &block.kind {
                self.tools.remove(tool_call_id);
            }
        }
        self.places.clear();
        self.model.clone_from(&self.asked_model);
        self.message_id = None;
        self.usage = None;
        self.failure = None;
        self.done = None;
    }
}
