//! How a step and a turn end: what is open is finished, what was used is told and added up.

use jiff::Timestamp;
use serde_json::Value;
use weir_protocol::{ErrorBody, EventBody, StopReason, Usage};

use super::{Assembler, Finish, SideBlock, millis_between};
use crate::redact::FoundEvent;
use crate::source::price::Prices;
use crate::tool::ToolOutcome;
use crate::turn::attempt::{ToldBy, Used};

/// A call that the model wants Weir to run.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::turn) struct Call {
    pub(in crate::turn) id: String,
    pub(in crate::turn) name: String,
    /// What it runs with: what the model said, and the originals of what it was not told.
    pub(in crate::turn) input: Value,
    /// The same as it is stored and shown, with placeholders.
    pub(in crate::turn) stored: Value,
    /// The placeholders whose originals are in what it runs with.
    pub(in crate::turn) originals: Vec<String>,
}

/// What the steps of a turn used so far.
#[derive(Default)]
pub(super) struct Total {
    usage: Option<Usage>,
    /// Of the steps whose price was known.
    cost: Option<f64>,
}

impl Total {
    fn add(&mut self, usage: &Usage, cost: Option<f64>) {
        self.usage.get_or_insert_default().add(usage);
        if let Some(cost) = cost {
            *self.cost.get_or_insert(0.0) += cost;
        }
    }
}

impl Assembler {
    /// Finishes what is open, tells what the step used, and makes ready for another one.
    /// Answers what the step wants Weir to run.
    pub(in crate::turn) fn finish_step(&mut self, now: Timestamp) -> Vec<Call> {
        for block in self.open.take_all() {
            self.push_finished(block, Finish::default(), now);
        }
        if let Some(used) = self.usage.take() {
            let first_chunk = self.first_chunk;
            let first_chunk_ms = first_chunk.map(|at| millis_between(self.step_started, at));
            self.count(used, first_chunk_ms, now);
        }
        self.places.clear();
        self.message_id = None;
        self.model.clone_from(&self.asked_model);
        self.first_chunk = None;
        self.failure = None;
        self.done = None;
        self.earlier.extend(self.tools.drain());
        self.step += 1;
        self.step_started = now;
        std::mem::take(&mut self.calls)
    }

    /// What so much usage of the model that is asked costs, where that is known.
    pub(in crate::turn) fn price(&self, usage: &Usage, now: Timestamp) -> Option<f64> {
        let models = [self.asked_model.as_str(); 2];
        self.prices.cost(self.source, models, usage, now)
    }

    pub(in crate::turn) fn prices(&self) -> &Prices {
        &self.prices
    }

    /// The model that was used without a known price since this was asked last.
    pub(in crate::turn) fn take_unpriced(&mut self) -> Option<String> {
        self.unpriced.take()
    }

    /// The attempt under way is over, and this is what it used.
    pub(in crate::turn) fn settle(&mut self, used: Option<Used>) {
        self.usage = used;
    }

    /// Whether the attempt that is over is paid for.
    pub(in crate::turn) fn has_used(&self) -> bool {
        self.usage.is_some()
    }

    /// Tells what a request used, and adds it to what the turn did.
    pub(in crate::turn) fn count(
        &mut self,
        used: Used,
        first_chunk_ms: Option<u64>,
        now: Timestamp,
    ) {
        let Used { usage, told_by } = used;
        let models = [self.model.as_str(), self.asked_model.as_str()];
        let cost = self.prices.cost(self.source, models, &usage, now);
        let saved = self.prices.saved(self.source, models, &usage, now);
        self.total.add(&usage, cost);
        if cost.is_none() {
            self.unpriced = Some(self.model.clone());
        }
        let body = EventBody::Usage {
            usage,
            cost,
            saved,
            model: self.model.clone(),
            first_chunk_ms,
            duration_ms: millis_between(self.step_started, now),
            is_estimate: told_by == ToldBy::Estimate,
        };
        self.push(body, None, now);
    }

    pub(crate) fn complete(&mut self, stop_reason: StopReason, now: Timestamp) {
        self.finish_step(now);
        let body = EventBody::Complete {
            stop_reason,
            usage: self.total.usage.clone(),
            cost: self.total.cost,
        };
        self.tell(body, now);
    }

    pub(crate) fn fail(&mut self, error: ErrorBody, now: Timestamp) {
        self.finish_step(now);
        self.tell(EventBody::Error { error }, now);
    }

    /// An event of the turn that belongs to no block and no message of the source's.
    pub(in crate::turn) fn tell(&mut self, body: EventBody, now: Timestamp) {
        let event = self.id.event(body, now);
        self.pending.push(event);
    }

    /// A line from Weir itself about what is sent. It is no word of the source's, so the time to
    /// the first word does not end with it.
    pub(in crate::turn) fn note(&mut self, line: &str, now: Timestamp) {
        let first_chunk = self.first_chunk;
        self.say(SideBlock::Processing, line, now);
        self.finish_aside(now);
        self.first_chunk = first_chunk;
    }

    /// Tells what guards found in what the source said, beside the blocks it was found in.
    pub(in crate::turn) fn tell_found(&mut self, found: Vec<FoundEvent>, now: Timestamp) {
        for FoundEvent { block, body } in found {
            let index = block.and_then(|id| self.places.get(&id)).copied();
            let mut event = self.id.event(body, now);
            event.block_index = index;
            self.pending.push(event);
        }
    }

    /// What a call came to.
    pub(in crate::turn) fn result(&mut self, call: &Call, outcome: ToolOutcome, now: Timestamp) {
        let body = EventBody::ToolResult {
            tool_call_id: call.id.clone(),
            tool_name: call.name.clone(),
            result: outcome.result,
            is_error: outcome.is_error,
            duration_ms: self.since_asked(&call.id, now),
            detail: None,
        };
        let mut event = self.id.event(body, now);
        event.block_index = Some(self.take_index());
        self.pending.push(event);
        self.step_started = now;
    }

    /// How many helpers of the source's came back since somebody asked.
    pub(in crate::turn) fn take_ended_helpers(&mut self) -> u32 {
        std::mem::take(&mut self.ended_helpers)
    }

    /// How many blocks the turn has so far.
    pub(in crate::turn) fn blocks(&self) -> u32 {
        self.next_index
    }

    /// A call's id inside its turn. Some servers count their calls anew in every reply.
    pub(super) fn own_id(&self, id: String) -> String {
        let mut own = id;
        while self.earlier.contains(&own) {
            own = format!("{own}_{}", self.step);
        }
        own
    }

    /// The call that a result of the source's answers: one of this step, or one over which it
    /// paused in an earlier one.
    pub(super) fn called_id(&self, id: String) -> String {
        let own = self.own_id(id.clone());
        if self.tools.contains(&own) { own } else { id }
    }
}
