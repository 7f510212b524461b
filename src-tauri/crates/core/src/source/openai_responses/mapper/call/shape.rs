//! What the item of a call says: who runs it, under which name, with what input, and what
//! came of it. Knows the items the API documents; a call it has not heard of is one the
//! provider runs.

use serde_json::{Map, Value};
use weir_protocol::ExecutedBy;

use crate::source::dialect::json::{items, text};

/// Whether an item of this kind calls a tool.
pub(in super::super) fn is_call(kind: &str) -> bool {
    kind.ends_with("_call")
}

/// Whether an item of this kind is what a call came back with.
pub(in super::super) fn is_output(kind: &str) -> bool {
    kind.ends_with("_call_output") || kind == "tool_search_output"
}

pub(super) fn tool_of_output(kind: &str) -> &str {
    let tool = kind.strip_suffix("_output").unwrap_or(kind);
    tool.strip_suffix("_call").unwrap_or(tool)
}

/// A tool that the caller named goes by that name; a provider's own by its item's kind.
pub(super) fn name(item: &Value) -> &str {
    match text(item, "type") {
        "function_call" | "custom_tool_call" | "mcp_call" => text(item, "name"),
        kind => kind.strip_suffix("_call").unwrap_or(kind),
    }
}

pub(super) fn executed_by(item: &Value) -> ExecutedBy {
    let is_ours = match text(item, "type") {
        "function_call" | "local_shell_call" | "apply_patch_call" | "computer_call" => true,
        // xAI tells its own searches of X as custom tools, marked by their ids.
        "custom_tool_call" => !text(item, "call_id").starts_with("xs_"),
        "shell_call" => !text(&item["environment"], "type").starts_with("container"),
        "tool_search_call" => text(item, "execution") == "client",
        _ => false,
    };
    if is_ours {
        ExecutedBy::Weir
    } else {
        ExecutedBy::Source
    }
}

/// Whether a call is worth telling before its input is known: because the provider is at work
/// on it, or because the input will come in pieces. Of the others even the id may still change.
pub(super) fn begins_early(item: &Value) -> bool {
    match executed_by(item) {
        ExecutedBy::Source => true,
        ExecutedBy::Weir => matches!(
            text(item, "type"),
            "function_call" | "custom_tool_call" | "apply_patch_call" | "shell_call"
        ),
    }
}

/// Whether a call that the caller would run is over when it is announced. Perplexity tells
/// calls like that which it has run itself.
pub(super) fn is_over(item: &Value) -> bool {
    text(item, "type") == "function_call" && text(item, "status") == "completed"
}

/// The input of a call, as far as its item says it.
pub(super) enum Input {
    None,
    Json(String),
    Value(Value),
}

impl Input {
    pub(super) fn into_json(self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Json(json) => Some(json),
            Self::Value(value) => Some(value.to_string()),
        }
    }

    pub(super) fn into_value(self) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Json(json) => serde_json::from_str(&json).unwrap_or(Value::String(json)),
            Self::Value(value) => value,
        }
    }
}

pub(super) fn input(item: &Value) -> Input {
    let arguments = &item["arguments"];
    match arguments.as_str() {
        Some(json) if json.trim_ascii().is_empty() => return Input::None,
        Some(json) => return Input::Json(json.to_owned()),
        None if !arguments.is_null() => return Input::Value(arguments.clone()),
        None => {}
    }
    for field in ["input", "action", "actions", "operation"] {
        if !item[field].is_null() {
            return Input::Value(without(&item[field], &["sources"]));
        }
    }
    let rest = without(item, NO_INPUT);
    if rest.as_object().is_some_and(Map::is_empty) {
        Input::None
    } else {
        Input::Value(rest)
    }
}

/// What came of a call that the provider ran, and whether it failed. `None` for one that the
/// caller runs, and for one whose result is an item of its own.
pub(super) fn result(item: &Value) -> Option<(Value, bool)> {
    let kind = text(item, "type");
    if executed_by(item) == ExecutedBy::Weir || ["shell_call", "tool_search_call"].contains(&kind) {
        return None;
    }
    let error = &item["error"];
    if !error.is_null() {
        return Some((error.clone(), true));
    }
    let is_error = ["failed", "incomplete"].contains(&text(item, "status"));
    let came_back = match kind {
        // The picture itself is a file.
        "image_generation_call" => &Value::Null,
        _ => first_of(item, &["output", "outputs", "results", "result"])
            .unwrap_or(&item["action"]["sources"]),
    };
    Some((came_back.clone(), is_error))
}

/// What an item of its own says that a call came back with.
pub(super) fn output(item: &Value) -> (Value, bool) {
    let came_back = first_of(item, &["output", "tools", "result"]).unwrap_or(&Value::Null);
    let failed = |entry: &Value| {
        let outcome = &entry["outcome"];
        text(outcome, "type") == "timeout" || outcome["exit_code"].as_i64().is_some_and(|c| c != 0)
    };
    let is_error = text(item, "status") == "failed" || items(came_back).iter().any(failed);
    (came_back.clone(), is_error)
}

/// What stands in the place of a call that it came back from.
pub(super) fn answer(item: &Value) -> Value {
    let came_back = first_of(item, &["results", "contents", "output", "result"]);
    came_back.unwrap_or(item).clone()
}

/// What else an item says that its source may want back.
pub(super) fn detail(item: &Value) -> Option<Value> {
    let mut rest = without(item, ELSEWHERE);
    if let Value::Object(fields) = &mut rest {
        fields.retain(|_, value| !value.is_null());
        if text(item, "type") == "function_call" {
            fields.remove("type");
            fields.remove("id");
        }
        if fields.is_empty() {
            return None;
        }
    }
    Some(rest)
}

/// What is told as a call's id, name, input or result.
const ELSEWHERE: &[&str] = &[
    "call_id",
    "name",
    "status",
    "arguments",
    "input",
    "action",
    "actions",
    "operation",
    "code",
    "queries",
    "output",
    "outputs",
    "result",
    "results",
    "error",
    "tools",
];

/// What is no input in an item that holds its input loose among its fields.
const NO_INPUT: &[&str] = &[
    "id",
    "type",
    "status",
    "call_id",
    "name",
    "arguments",
    "server_label",
    "output",
    "outputs",
    "result",
    "results",
    "error",
];

fn first_of<'a>(item: &'a Value, fields: &[&str]) -> Option<&'a Value> {
    let mut found = fields.iter().map(|field| &item[*field]);
    found.find(|value| !value.is_null())
}

/// A copy of an object without these fields, and of anything else.
fn without(value: &Value, fields: &[&str]) -> Value {
    let Some(all) = value.as_object() else {
        return value.clone();
    };
    let kept = all
        .iter()
        .filter(|(name, _)| !fields.contains(&name.as_str()));
    let kept = kept.map(|(name, value)| (name.clone(), value.clone()));
    Value::Object(kept.collect())
}
