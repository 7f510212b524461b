//! Calls that were over when they were announced.
//!
//! Owns the question who has run them, which is not known before the item ends: one that goes
//! on like any other is the caller's to run; one that another item takes the place of, or that
//! the response does not list in the end, the provider has run itself.

use serde_json::Value;
use weir_protocol::{ExecutedBy, StreamEvent};

use super::super::open::{At, Item};
use super::super::{Known, ResponsesMapper};
use super::{Call, key, shape};

impl ResponsesMapper {
    /// More is told of a call that was over: it is like any other.
    pub(super) fn begin_waiting(&mut self, at: At<'_>, out: &mut Vec<StreamEvent>) {
        if let Some(mut call) = self.open_calls.take(at, &self.seen) {
            if let Some(item) = call.state.waiting.take() {
                self.begin(&mut call, &item, shape::executed_by(&item), out);
            }
            self.open_calls.put(call);
        }
    }

    /// An item of another kind in the place of a call that was over when it was announced: the
    /// provider has run that call, and this is what came back.
    pub(in super::super) fn answer_call(
        &mut self,
        at: At<'_>,
        whole: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let place = At { id: "", ..at };
        let open = self.open_calls.find(place, &self.seen);
        let waits = |call: &&mut Item<Call>| call.state.waiting.is_some();
        if at.index.is_none() || open.filter(waits).is_none() {
            return Known::No;
        }
        if let Some(call) = self.open_calls.take(place, &self.seen)
            && let Some((tool_call_id, name)) = self.disown(call, out)
        {
            out.push(StreamEvent::ToolResult {
                tool_call_id,
                name,
                result: shape::answer(whole),
                is_error: false,
                detail: shape::detail(whole),
            });
        }
        Known::Yes
    }

    /// Calls that were over when they were announced, and that the response does not list:
    /// the provider has run them.
    pub(in super::super) fn disown_waiting(&mut self, out: &mut Vec<StreamEvent>) {
        for call in self.open_calls.drain() {
            if call.state.waiting.is_some() {
                self.disown(call, out);
            } else {
                self.open_calls.put(call);
            }
        }
    }

    /// Tells a call that waits as one of the provider's own: its id and its name.
    fn disown(
        &mut self,
        mut call: Item<Call>,
        out: &mut Vec<StreamEvent>,
    ) -> Option<(String, String)> {
        let item = call.state.waiting.take()?;
        self.begin(&mut call, &item, ExecutedBy::Source, out);
        self.blocks.close(&key(&call), out);
        Some((call.state.id, shape::name(&item).to_owned()))
    }
}
