//! The tools of an agent: what was asked for and what came back.
//!
//! The same call may be told in a block, in a chunk of its own, in the whole message and in
//! the output of the chain, and its result twice. Owns that each is handed on once.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::run::Index;
use crate::source::dialect::json::{items, text};

#[derive(Default)]
pub(super) struct Tools {
    /// Names of the calls that were handed on, by id.
    names: HashMap<String, String>,
    answered: HashSet<String>,
    /// Calls of the runs under way.
    open: Vec<OpenCall>,
    next: usize,
    made: usize,
}

struct OpenCall {
    run: usize,
    index: Index,
    /// As the source says it; empty when it does not.
    source_id: String,
    number: usize,
}

/// What a piece says of its call; empty where it does not.
pub(super) struct Whose<'a> {
    pub(super) run: usize,
    pub(super) index: Index,
    pub(super) id: &'a str,
    pub(super) name: &'a str,
}

impl Tools {
    /// The call under way that this piece goes on with.
    pub(super) fn find(&self, whose: &Whose<'_>) -> Option<usize> {
        let mut calls = self.open.iter().filter(|call| call.run == whose.run);
        let call = match (&whose.index, whose.id) {
            (Index::None, "") if whose.name.is_empty() => calls.next_back(),
            (Index::None, "") => None,
            (Index::None, id) => calls.rfind(|call| call.source_id == id),
            (index, _) => calls.rfind(|call| call.index == *index),
        }?;
        let is_other = !whose.id.is_empty() && whose.id != call.source_id;
        (!is_other || whose.name.is_empty()).then_some(call.number)
    }

    pub(super) fn is_known(&self, id: &str) -> bool {
        self.names.contains_key(id)
    }

    pub(super) fn name(&self, id: &str) -> Option<&str> {
        self.names.get(id).map(String::as_str)
    }

    pub(super) fn has_calls(&self, run: usize) -> bool {
        self.open.iter().any(|call| call.run == run)
    }

    /// Takes note of a new call; answers the id it goes by from now on.
    pub(super) fn add(&mut self, given: &str, name: &str) -> String {
        let mut id = given.to_owned();
        while id.is_empty() || self.is_known(&id) {
            id = format!("call_{}", self.made);
            self.made += 1;
        }
        self.names.insert(id.clone(), name.to_owned());
        id
    }

    /// A call that pieces may follow; answers its number.
    pub(super) fn open(&mut self, whose: Whose<'_>) -> usize {
        let number = self.next;
        self.next += 1;
        self.open.push(OpenCall {
            run: whose.run,
            index: whose.index,
            source_id: whose.id.to_owned(),
            number,
        });
        number
    }

    /// The numbers of a run's calls, which are over with it.
    pub(super) fn end_run(&mut self, run: usize) -> Vec<usize> {
        let of_run = |call: &OpenCall| call.run == run;
        let (ended, open) = std::mem::take(&mut self.open).into_iter().partition(of_run);
        self.open = open;
        let ended: Vec<OpenCall> = ended;
        ended.into_iter().map(|call| call.number).collect()
    }

    /// True the first time.
    pub(super) fn answer(&mut self, id: &str) -> bool {
        self.answered.insert(id.to_owned())
    }
}

/// The messages with results in what a tool came back with: one, several, or an update of
/// the graph's state.
pub(super) fn results(output: &Value) -> Vec<&Value> {
    let output = super::message::unwrapped(output);
    if output["tool_call_id"].is_string() {
        return vec![output];
    }
    let listed = [output, &output["messages"], &output["update"]["messages"]];
    let messages = listed.into_iter().flat_map(items);
    messages
        .map(super::message::unwrapped)
        .filter(|message| message["tool_call_id"].is_string())
        .collect()
}

/// One row of `toolExecutions`: a call with what came of it.
pub(super) struct Execution<'a> {
    pub(super) id: &'a str,
    pub(super) name: &'a str,
    pub(super) input: &'a Value,
    pub(super) result: Option<&'a Value>,
    pub(super) is_error: bool,
}

pub(super) fn executions(output: &Value) -> impl Iterator<Item = Execution<'_>> {
    let output = super::message::unwrapped(output);
    let rows = ["toolExecutions", "tool_executions"].map(|field| &output[field]);
    rows.into_iter().flat_map(items).map(execution)
}

fn execution(row: &Value) -> Execution<'_> {
    let call = first(row, &["toolCall", "tool_call"]).unwrap_or(row);
    let words = |fields: &[&str]| {
        let said = fields.iter().map(|field| text(call, field));
        said.into_iter()
            .find(|word| !word.is_empty())
            .unwrap_or_default()
    };
    let error = first(row, &["error"]);
    let flags = ["isError", "is_error"].map(|field| row[field] == true);
    Execution {
        id: words(&["id", "toolCallId", "tool_call_id"]),
        name: words(&["name", "toolName", "tool_name"]),
        input: first(call, &["args", "input", "arguments"]).unwrap_or(&Value::Null),
        result: first(row, &["result", "output", "content"]).or(error),
        is_error: error.is_some() || flags.contains(&true) || row["success"] == false,
    }
}

fn first<'a>(value: &'a Value, fields: &[&str]) -> Option<&'a Value> {
    let filled = fields.iter().map(|field| &value[field]);
    filled.into_iter().find(|value| !value.is_null())
}
