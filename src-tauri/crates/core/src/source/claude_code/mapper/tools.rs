//! The tools of Claude Code whose calls mean more than a call: plans, and helpers.
//!
//! Owns what such a call says besides: the list it writes, the helper it sends out. The call
//! itself stays a call. Must not know how calls and results are printed, so that every agent
//! built on Claude Code can be read with it.

use std::collections::HashMap;

use serde_json::Value;
use weir_protocol::{BlockId, StreamEvent};

use super::plan::Plan;
use crate::source::dialect::json::{items, text};
use crate::source::dialect::todos;

#[derive(Default)]
pub(crate) struct BuiltInTools {
    /// Calls whose input has not ended.
    asked: Vec<Call>,
    /// Calls that made a line of the plan and have not been answered.
    made: Vec<String>,
    pub(crate) plan: Plan,
    /// The last call that wrote the whole plan, and what the plan was before it.
    written: Option<(String, Plan)>,
    /// Those at work, by the call that sent them out.
    helpers: HashMap<String, Helper>,
}

struct Call {
    block: BlockId,
    tool_call_id: String,
    name: String,
    asker: Asker,
}

/// Who asks for a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    Agent,
    /// Its plan is its own, and not the agent's.
    Helper,
}

struct Helper {
    name: String,
    /// Its call is answered when it is sent out, not when it is back.
    is_detached: bool,
}

/// What came back of a call.
pub(crate) struct Answer<'a> {
    pub(crate) tool_call_id: &'a str,
    pub(crate) result: &'a Value,
    pub(crate) is_error: bool,
}

impl BuiltInTools {
    /// Adds, behind each call that ended since `from`, what it means.
    pub(crate) fn watch(&mut self, asker: Asker, from: usize, out: &mut Vec<StreamEvent>) {
        let mut at = from;
        while let Some(event) = out.get(at) {
            at += 1;
            if let Some(meaning) = self.see(asker, event) {
                out.insert(at, meaning);
                at += 1;
            }
        }
    }

    /// A call was answered: says what that means besides.
    pub(crate) fn answer(&mut self, answer: &Answer<'_>) -> Option<StreamEvent> {
        let id = answer.tool_call_id;
        if let Some(at) = self.made.iter().position(|made| made == id) {
            self.made.remove(at);
            return self.answer_line(answer);
        }
        if let Some((_, before)) = self.written.take_if(|(call, _)| call == id) {
            return answer.is_error.then(|| {
                self.plan = before;
                self.plan.tell_changed()
            });
        }
        if self.is_attached(id) {
            return self.bring_back(answer);
        }
        None
    }

    /// The helper goes on working after its call was answered.
    pub(crate) fn detach(&mut self, tool_call_id: &str) {
        if let Some(helper) = self.helpers.get_mut(tool_call_id) {
            helper.is_detached = true;
        }
    }

    /// A helper that no call of the agent's own sent out.
    pub(crate) fn send_detached(&mut self, id: &str, name: &str, task: &str) -> StreamEvent {
        let helper = Helper {
            name: name.to_owned(),
            is_detached: true,
        };
        self.send_out(id, helper, task)
    }

    /// A helper is back, with these words.
    pub(crate) fn bring_back(&mut self, answer: &Answer<'_>) -> Option<StreamEvent> {
        let helper = self.helpers.remove(answer.tool_call_id)?;
        Some(StreamEvent::SubagentEnd {
            subagent_id: Some(answer.tool_call_id.to_owned()),
            name: helper.name,
            summary: said(answer.result),
            is_error: answer.is_error,
        })
    }

    pub(crate) fn is_helper(&self, id: &str) -> bool {
        self.helpers.contains_key(id)
    }

    /// Whether the result of its call will be what the helper came back with.
    pub(crate) fn is_attached(&self, id: &str) -> bool {
        let helper = self.helpers.get(id);
        helper.is_some_and(|helper| !helper.is_detached)
    }

    pub(crate) fn helper_name(&self, id: &str) -> Option<&str> {
        self.helpers.get(id).map(|helper| helper.name.as_str())
    }

    fn see(&mut self, asker: Asker, event: &StreamEvent) -> Option<StreamEvent> {
        match event {
            StreamEvent::ToolUseStart {
                id,
                tool_call_id,
                name,
                ..
            } => {
                if TOOLS.contains(&name.as_str()) {
                    self.asked.push(Call {
                        block: *id,
                        tool_call_id: tool_call_id.clone(),
                        name: name.clone(),
                        asker,
                    });
                }
                None
            }
            StreamEvent::ToolUseEnd { id, input, .. } => {
                let at = self.asked.iter().position(|call| call.block == *id)?;
                let call = self.asked.remove(at);
                self.mean(&call, input)
            }
            StreamEvent::Start { .. }
            | StreamEvent::Status { .. }
            | StreamEvent::TextStart { .. }
            | StreamEvent::TextDelta { .. }
            | StreamEvent::TextEnd { .. }
            | StreamEvent::ThinkingStart { .. }
            | StreamEvent::ThinkingDelta { .. }
            | StreamEvent::ThinkingEnd { .. }
            | StreamEvent::ToolUseDelta { .. }
            | StreamEvent::ToolResult { .. }
            | StreamEvent::Citation { .. }
            | StreamEvent::File { .. }
            | StreamEvent::TodoCreate { .. }
            | StreamEvent::TodoUpdate { .. }
            | StreamEvent::TodoDone { .. }
            | StreamEvent::SubagentStart { .. }
            | StreamEvent::SubagentEnd { .. }
            | StreamEvent::Usage { .. }
            | StreamEvent::Result { .. }
            | StreamEvent::Error { .. }
            | StreamEvent::Done { .. }
            | StreamEvent::Raw { .. } => None,
        }
    }

    fn mean(&mut self, call: &Call, input: &Value) -> Option<StreamEvent> {
        match call.name.as_str() {
            // Given up half way, or no input at all: nothing was meant.
            _ if !input.is_object() => None,
            "TodoWrite" | "TaskCreate" | "TaskUpdate" if call.asker == Asker::Helper => None,
            "TodoWrite" => {
                let before = self.plan.replace(todos::todos(input)?);
                self.written = Some((call.tool_call_id.clone(), before));
                Some(self.plan.tell_changed())
            }
            "TaskCreate" => {
                self.plan.add(&call.tool_call_id, todos::todo(input));
                self.made.push(call.tool_call_id.clone());
                Some(self.plan.tell_changed())
            }
            "TaskUpdate" => {
                let todo = self.plan.find(input)?;
                todo.status = todos::status(input).unwrap_or(todo.status);
                if let Some(subject) = input["subject"].as_str() {
                    subject.clone_into(&mut todo.content);
                }
                Some(self.plan.tell_changed())
            }
            _ => {
                let mut names = ["subagent_type", "name"].into_iter();
                let name = names.find_map(|place| input[place].as_str());
                let mut tasks = ["description", "prompt"].into_iter();
                let task = tasks.find_map(|place| input[place].as_str());
                let helper = Helper {
                    name: name.unwrap_or(&call.name).to_owned(),
                    is_detached: false,
                };
                Some(self.send_out(&call.tool_call_id, helper, task.unwrap_or_default()))
            }
        }
    }

    fn send_out(&mut self, id: &str, helper: Helper, task: &str) -> StreamEvent {
        let name = helper.name.clone();
        self.helpers.insert(id.to_owned(), helper);
        StreamEvent::SubagentStart {
            subagent_id: Some(id.to_owned()),
            name,
            task: task.to_owned(),
        }
    }

    /// A made line is named by its answer: "Task #7 created successfully".
    fn answer_line(&mut self, answer: &Answer<'_>) -> Option<StreamEvent> {
        if answer.is_error {
            self.plan.take_back(answer.tool_call_id);
            return Some(self.plan.tell_changed());
        }
        let words = words(answer.result);
        let (_, rest) = words.split_once('#')?;
        let digits = rest.find(|c: char| !c.is_ascii_digit());
        let id = &rest[..digits.unwrap_or(rest.len())];
        self.plan.name(answer.tool_call_id, id);
        None
    }
}

const TOOLS: [&str; 5] = ["TodoWrite", "TaskCreate", "TaskUpdate", "Task", "Agent"];

/// The words of a result: a string, or blocks of text.
pub(crate) fn words(result: &Value) -> String {
    match result {
        Value::String(words) => words.clone(),
        Value::Array(_) => {
            let blocks = items(result).iter().map(|block| text(block, "text"));
            let blocks: Vec<&str> = blocks.filter(|words| !words.is_empty()).collect();
            blocks.join("\n")
        }
        Value::Object(_) => text(result, "text").to_owned(),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// The words of a result, or all of it as it is written.
pub(crate) fn said(result: &Value) -> String {
    let words = words(result);
    let is_empty = match result {
        Value::Array(list) => list.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Number(_) => false,
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    };
    if words.is_empty() && !is_empty {
        return result.to_string();
    }
    words
}
