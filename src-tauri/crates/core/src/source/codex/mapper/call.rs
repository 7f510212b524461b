//! The agent's tools. It runs them all itself: each is a call and, in the end, a result.

use std::collections::HashMap;

use serde_json::{Map, Value};
use weir_protocol::{ExecutedBy, StreamEvent};

use super::item::Stage;
use super::{CodexMapper, Key};
use crate::source::dialect::ToolUse;
use crate::source::dialect::json::{items, some_text, text};

#[derive(Default)]
pub(super) struct Calls {
    calls: HashMap<String, State>,
    /// The helpers at work, by their thread: which call asked for each.
    helpers: HashMap<String, String>,
    runs: usize,
    /// What tells the calls of a second run apart: the agent counts anew in each.
    run: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Running,
    Over,
}

impl Calls {
    pub(super) fn start_run(&mut self, name: Option<&str>) {
        if self.runs > 0 {
            self.run = match name {
                Some(name) => format!("{name}/"),
                None => format!("{}/", self.runs),
            };
        }
        self.runs += 1;
    }

    /// The id of a call, made up for one that has none.
    fn id(&self, given: &str) -> String {
        match given {
            "" => format!("{}call_{}", self.run, self.calls.len()),
            id => format!("{}{id}", self.run),
        }
    }
}

/// What came of a call.
pub(super) struct Outcome {
    pub(super) result: Value,
    pub(super) is_error: bool,
    pub(super) detail: Option<Value>,
}

impl CodexMapper {
    pub(super) fn map_call(
        &mut self,
        stage: Stage,
        kind: &str,
        item: &Value,
        out: &mut Vec<StreamEvent>,
    ) {
        let id = self.calls.id(text(item, "id"));
        match stage {
            Stage::Started => {
                self.start_call(&id, kind, known_input(kind, item), out);
                self.start_helper(&id, kind, item, out);
            }
            Stage::Updated => {}
            Stage::Completed => {
                let is_new = !self.calls.calls.contains_key(&id);
                self.end_call(&id, kind, input(item), outcome(kind, item), out);
                if is_new {
                    self.start_helper(&id, kind, item, out);
                }
                self.end_helpers(&id, kind, item, out);
            }
        }
    }

    /// Without an input the call stays open until it comes.
    pub(super) fn start_call(
        &mut self,
        id: &str,
        name: &str,
        input: Option<Value>,
        out: &mut Vec<StreamEvent>,
    ) {
        if self.calls.calls.contains_key(id) {
            return;
        }
        self.calls.calls.insert(id.to_owned(), State::Running);
        let is_whole = input.is_some();
        let call = ToolUse {
            tool_call_id: id.to_owned(),
            name: name.to_owned(),
            executed_by: ExecutedBy::Source,
            input: input.unwrap_or_default(),
            detail: None,
        };
        let key = Key::Call(id.to_owned());
        if is_whole {
            self.blocks.tool_use(key, call, out);
        } else {
            self.blocks.start_tool_use(key, call, out);
        }
    }

    /// Tells the result, and before it whatever of the call was not told yet. Once.
    pub(super) fn end_call(
        &mut self,
        id: &str,
        name: &str,
        input: Value,
        outcome: Outcome,
        out: &mut Vec<StreamEvent>,
    ) {
        let key = Key::Call(id.to_owned());
        if self.blocks.is_open(&key) {
            let json = input.to_string();
            self.blocks.add_input(&key, json.into(), out);
            self.blocks.close(&key, out);
        } else {
            self.start_call(id, name, Some(input), out);
        }
        let before = self.calls.calls.insert(id.to_owned(), State::Over);
        if before != Some(State::Over) {
            out.push(StreamEvent::ToolResult {
                tool_call_id: id.to_owned(),
                name: name.to_owned(),
                result: outcome.result,
                is_error: outcome.is_error,
                detail: outcome.detail,
            });
        }
    }

    pub(super) fn call_id(&self, given: &str) -> String {
        self.calls.id(given)
    }

    fn start_helper(&mut self, id: &str, kind: &str, item: &Value, out: &mut Vec<StreamEvent>) {
        if kind == "collab_tool_call" && text(item, "tool") == "spawn_agent" {
            out.push(StreamEvent::SubagentStart {
                subagent_id: Some(id.to_owned()),
                name: HELPER.to_owned(),
                task: text(item, "prompt").to_owned(),
            });
        }
    }

    /// Whichever call the agent learns it from: helpers that are through with their task.
    fn end_helpers(&mut self, id: &str, kind: &str, item: &Value, out: &mut Vec<StreamEvent>) {
        if kind != "collab_tool_call" {
            return;
        }
        let is_spawn = text(item, "tool") == "spawn_agent";
        let threads = items(&item["receiver_thread_ids"]).iter();
        let threads: Vec<&str> = threads.filter_map(Value::as_str).collect();
        if is_spawn {
            for thread in &threads {
                let helpers = &mut self.calls.helpers;
                helpers.insert((*thread).to_owned(), id.to_owned());
            }
            if threads.is_empty() && has_failed(item) {
                out.push(helper_end(Some(id.to_owned()), &Value::Null));
            }
        }
        for (thread, state) in item["agents_states"].as_object().into_iter().flatten() {
            let is_at_work = ["pending_init", "running"].contains(&text(state, "status"));
            if !is_at_work && let Some(call) = self.calls.helpers.remove(thread) {
                out.push(helper_end(Some(call), state));
            }
        }
    }
}

/// The agent gives its helpers no names.
const HELPER: &str = "agent";

fn helper_end(subagent_id: Option<String>, state: &Value) -> StreamEvent {
    StreamEvent::SubagentEnd {
        subagent_id,
        name: HELPER.to_owned(),
        summary: some_text(state, "message").unwrap_or_default(),
        is_error: !["completed", "shutdown"].contains(&text(state, "status")),
    }
}

/// The input of a call, if it is whole when the call begins.
fn known_input(kind: &str, item: &Value) -> Option<Value> {
    match kind {
        "web_search" | "file_change" => None,
        _ => Some(input(item)),
    }
}

/// All that an item says but what is told elsewhere.
fn input(item: &Value) -> Value {
    const ELSEWHERE: [&str; 9] = [
        "id",
        "type",
        "item_type",
        "status",
        "aggregated_output",
        "exit_code",
        "result",
        "error",
        "agents_states",
    ];
    let fields = item.as_object().into_iter().flatten();
    let own = fields.filter(|(name, _)| !ELSEWHERE.contains(&name.as_str()));
    let own = own.map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(own.collect::<Map<_, _>>())
}

fn outcome(kind: &str, item: &Value) -> Outcome {
    let result = match kind {
        "command_execution" => &item["aggregated_output"],
        "mcp_tool_call" if item["error"].is_null() => &item["result"],
        "mcp_tool_call" => &item["error"],
        "collab_tool_call" => &item["agents_states"],
        _ => &item["status"],
    };
    Outcome {
        result: result.clone(),
        is_error: has_failed(item),
        detail: item["exit_code"]
            .is_number()
            .then(|| serde_json::json!({ "exit_code": item["exit_code"] })),
    }
}

fn has_failed(item: &Value) -> bool {
    ["failed", "declined"].contains(&text(item, "status"))
        || !item["error"].is_null()
        || item["exit_code"].as_i64().is_some_and(|code| code != 0)
}
