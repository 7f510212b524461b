//! A step that is asked once more.

use jiff::Timestamp;
use weir_protocol::EventBody;

use super::{Assembler, Kind};

impl Assembler {
    /// Forgets an attempt of which nothing was shown and says that it is made again.
    pub(in crate::turn) fn ask_again(&mut self, retry: EventBody, now: Timestamp) {
        self.forget_attempt(now);
        self.pending.push(self.id.event(retry, now));
    }

    /// As if it had not been, but for what it used: no answer came of it, and it is paid for.
    pub(in crate::turn) fn forget_attempt(&mut self, now: Timestamp) {
        if let Some(used) = self.usage.take() {
            self.count(used, None, now);
        }
        for block in self.open.take_all() {
            if let Kind::Tool { tool_call_id, .. } = &block.kind {
                self.tools.remove(tool_call_id);
            }
        }
        self.places.clear();
        self.model.clone_from(&self.asked_model);
        self.message_id = None;
        self.failure = None;
        self.done = None;
    }
}
