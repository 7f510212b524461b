//! What a stream came to, in one value.
//!
//! Owns the rules of `weir normalize --to summary`. Knows stream events only, so that every
//! dialect is summed up the same way.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use weir_protocol::{BlockId, ErrorBody, StreamEvent, Summary, ToolCallSummary, UsageSummary};

pub fn summarize<'a>(events: impl IntoIterator<Item = &'a StreamEvent>) -> Summary {
    let mut calls = ToolCalls::default();
    let mut words = Blocks::default();
    let mut thoughts = Blocks::default();
    let mut summary = Summary {
        model: None,
        message_ids: Vec::new(),
        text: String::new(),
        thinking: String::new(),
        signatures: 0,
        tool_calls: Vec::new(),
        tool_results: 0,
        citations: 0,
        usage: None,
        stop_reason: None,
        complete: false,
        errors: Vec::new(),
        stream_events: 0,
    };
    for event in events {
        summary.stream_events += 1;
        match event {
            StreamEvent::Start { message_id, model } => {
                if let Some(id) = message_id
                    && !summary.message_ids.contains(id)
                {
                    summary.message_ids.push(id.clone());
                }
                if summary.model.is_none() {
                    summary.model.clone_from(model);
                }
            }
            StreamEvent::TextDelta { id, text } => words.grow(*id, text),
            StreamEvent::ThinkingDelta { id, text } => thoughts.grow(*id, text),
            StreamEvent::ThinkingEnd { signature, .. } => {
                summary.signatures += usize::from(signature.is_some());
            }
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                ..
            } => calls.start(*id, tool_call_id, name),
            StreamEvent::ToolUseEnd { id, input, .. } => calls.end(*id, input),
            StreamEvent::ToolResult { .. } => summary.tool_results += 1,
            StreamEvent::Citation { .. } => summary.citations += 1,
            StreamEvent::Usage { usage, .. } => summary.usage = Some(UsageSummary::from(usage)),
            StreamEvent::Error { error } => summary.errors.push(ErrorBody {
                // A summary has a code and a sentence; the events have the rest.
                details: None,
                ..error.clone()
            }),
            StreamEvent::Done { stop_reason } => {
                summary.complete = true;
                summary.stop_reason = *stop_reason;
            }
            StreamEvent::Status { .. }
            | StreamEvent::TextStart { .. }
            | StreamEvent::TextEnd { .. }
            | StreamEvent::ThinkingStart { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::Raw { .. } => {}
        }
    }
    summary.text = words.join();
    summary.thinking = thoughts.join();
    summary.tool_calls = calls.finish();
    summary
}

/// What each block says, in the order in which they began: two may grow at once.
#[derive(Default)]
struct Blocks(BTreeMap<BlockId, String>);

impl Blocks {
    fn grow(&mut self, id: BlockId, text: &str) {
        self.0.entry(id).or_default().push_str(text);
    }

    fn join(self) -> String {
        self.0.into_values().collect()
    }
}

/// Each id once, where it first came, with the last input it got.
#[derive(Default)]
struct ToolCalls {
    calls: Vec<Call>,
    by_id: HashMap<String, usize>,
    open: HashMap<BlockId, usize>,
}

struct Call {
    id: String,
    name: String,
    input: Option<Value>,
}

impl ToolCalls {
    fn start(&mut self, block: BlockId, id: &str, name: &str) {
        let at = *self.by_id.entry(id.to_owned()).or_insert_with(|| {
            self.calls.push(Call {
                id: id.to_owned(),
                name: name.to_owned(),
                input: None,
            });
            self.calls.len() - 1
        });
        self.open.insert(block, at);
    }

    fn end(&mut self, block: BlockId, input: &Value) {
        let call = self
            .open
            .remove(&block)
            .and_then(|at| self.calls.get_mut(at));
        // `null`: the source dropped the call before it was whole, so nobody asked for it.
        if let Some(call) = call
            && !input.is_null()
        {
            call.input = Some(input.clone());
        }
    }

    fn finish(self) -> Vec<ToolCallSummary> {
        let whole = |call: Call| {
            Some(ToolCallSummary {
                id: call.id,
                name: call.name,
                input: call.input?,
            })
        };
        self.calls.into_iter().filter_map(whole).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(events: Value, field: &str, expected: Value) {
        let events: Vec<StreamEvent> = serde_json::from_value(events).unwrap();
        let summary = serde_json::to_value(summarize(&events)).unwrap();
        assert_eq!(summary[field], expected);
        assert_eq!(summary["streamEvents"], events.len());
    }

    fn call(block: u32, id: &str, input: Value) -> [Value; 2] {
        [
            json!({ "type": "tool_use_start", "id": block, "toolCallId": id, "name": "look",
                "executedBy": "weir" }),
            json!({ "type": "tool_use_end", "id": block, "input": input }),
        ]
    }

    #[test]
    fn each_tool_call_counts_once_in_order_and_abandoned_ones_not_at_all() {
        let events = [
            call(0, "a", json!({})),
            call(1, "b", json!(null)),
            call(2, "c", json!("{cut")),
            call(3, "a", json!({ "again": true })),
        ];
        check(
            json!(events.concat()),
            "toolCalls",
            json!([
                { "id": "a", "name": "look", "input": { "again": true } },
                { "id": "c", "name": "look", "input": "{cut" },
            ]),
        );
    }

    #[test]
    fn signatures_are_blocks_of_thinking_that_were_signed() {
        let end = |signature: Value, redacted: Value| json!({ "type": "thinking_end", "id": 0, "signature": signature, "redacted": redacted });
        let events = json!([
            end(json!("s"), json!(null)),
            end(json!(null), json!("sealed"))
        ]);
        check(events, "signatures", json!(1));
    }

    #[test]
    fn usage_is_the_last_snapshot_and_absent_when_none_came() {
        let usage = |output: u64| {
            let usage = weir_protocol::Usage {
                output_tokens: output,
                ..Default::default()
            };
            json!({ "type": "usage", "usage": usage })
        };
        let total = json!({
            "inputTokens": 0, "outputTokens": 9, "reasoningTokens": 0, "cacheReadTokens": 0,
            "cacheWriteTokens": 0, "totalTokens": 9,
        });
        check(json!([usage(1), usage(9)]), "usage", total);
        check(json!([]), "usage", json!(null));
    }
}
