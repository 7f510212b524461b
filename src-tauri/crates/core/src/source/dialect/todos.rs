//! The lines of a list that an agent works off, wherever and however it writes them.
//!
//! Agents agree on little but that a line has words and a status: the first field that fits
//! is taken, and what has no words is kept as it came. Must not know which tool or event
//! brought the list.

use serde_json::Value;
use weir_protocol::{Todo, TodoStatus};

use super::json::text;

/// The lines of a list with their ids, wherever `value` keeps it.
pub(crate) fn todos(value: &Value) -> Option<Vec<(String, Todo)>> {
    let mut places = ["todos", "items", "tasks", "list", "plan"].into_iter();
    let list = places.find_map(|place| value[place].as_array());
    let list = list.or(value.as_array())?;
    let line = |value| (id(value), todo(value));
    Some(list.iter().map(line).collect())
}

/// One line.
pub(crate) fn todo(value: &Value) -> Todo {
    let content = words(value).map_or_else(|| value.to_string(), str::to_owned);
    Todo {
        content,
        status: status(value).unwrap_or_default(),
    }
}

/// The words of a line, if it has any.
pub(crate) fn words(value: &Value) -> Option<&str> {
    let places = [
        "content",
        "subject",
        "title",
        "text",
        "step",
        "task",
        "todo",
        "item",
        "name",
        "description",
    ];
    let mut found = places.iter().filter_map(|place| value[place].as_str());
    value.as_str().or_else(|| found.next())
}

pub(crate) fn status(value: &Value) -> Option<TodoStatus> {
    let is_done = value["done"].as_bool().or(value["completed"].as_bool());
    if is_done == Some(true) {
        return Some(TodoStatus::Completed);
    }
    match text(value, "status") {
        "pending" | "todo" | "open" => Some(TodoStatus::Pending),
        "in_progress" | "in-progress" | "active" | "doing" => Some(TodoStatus::InProgress),
        "completed" | "complete" | "done" => Some(TodoStatus::Completed),
        "cancelled" | "canceled" | "deleted" => Some(TodoStatus::Cancelled),
        _ => None,
    }
}

/// What the agent calls a line: a word or a number.
pub(crate) fn id(value: &Value) -> String {
    let mut ids = ["id", "taskId", "todo_id"].into_iter();
    let found = ids.find_map(|place| match &value[place] {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    found.unwrap_or_default()
}
