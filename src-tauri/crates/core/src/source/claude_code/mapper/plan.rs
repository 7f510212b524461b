//! The list that an agent works off, kept so that a change to one line tells the whole list.
//!
//! Owns how a line of such a list is written: agents agree on little but that it has words
//! and a status. Must not know which tool or event brought it.

use serde_json::Value;
use weir_protocol::{StreamEvent, Todo, TodoStatus};

use crate::source::dialect::json::text;

#[derive(Default)]
pub(crate) struct Plan {
    lines: Vec<Line>,
    is_told: bool,
}

struct Line {
    /// What the agent calls it; empty until it says so.
    id: String,
    /// The call that made it, if one did.
    tool_call_id: String,
    todo: Todo,
}

impl Plan {
    pub(crate) fn replace(&mut self, todos: Vec<(String, Todo)>) {
        let line = |(id, todo)| Line {
            id,
            tool_call_id: String::new(),
            todo,
        };
        self.lines = todos.into_iter().map(line).collect();
    }

    pub(crate) fn add(&mut self, tool_call_id: &str, todo: Todo) {
        self.lines.push(Line {
            id: String::new(),
            tool_call_id: tool_call_id.to_owned(),
            todo,
        });
    }

    /// The line that `change` speaks of, by its id, its place or its words.
    pub(crate) fn find(&mut self, change: &Value) -> Option<&mut Todo> {
        let id = id(change);
        let place = change["index"].as_u64();
        let place = place.and_then(|place| usize::try_from(place).ok());
        let words = words(change);
        let by_id = |line: &Line| !id.is_empty() && line.id == id;
        let by_words = |line: &Line| words == Some(line.todo.content.as_str());
        let at = self.lines.iter().position(by_id);
        let at = at.or(place.filter(|place| *place < self.lines.len()));
        let at = at.or_else(|| self.lines.iter().position(by_words))?;
        Some(&mut self.lines[at].todo)
    }

    /// The agent has named the line that this call made.
    pub(crate) fn name(&mut self, tool_call_id: &str, id: &str) {
        let mut lines = self.lines.iter_mut();
        if let Some(line) = lines.find(|line| line.tool_call_id == tool_call_id) {
            id.clone_into(&mut line.id);
        }
    }

    /// The call that made this line failed.
    pub(crate) fn take_back(&mut self, tool_call_id: &str) {
        self.lines.retain(|line| line.tool_call_id != tool_call_id);
    }

    /// The list as it is now: new the first time, changed after that.
    pub(crate) fn tell(&mut self) -> StreamEvent {
        let todos = self.lines.iter().map(|line| line.todo.clone()).collect();
        if std::mem::replace(&mut self.is_told, true) {
            StreamEvent::TodoUpdate { todos }
        } else {
            StreamEvent::TodoCreate { todos }
        }
    }

    /// The list as it is now, said to be new.
    pub(crate) fn tell_new(&mut self) -> StreamEvent {
        self.is_told = false;
        self.tell()
    }

    /// The list as it is now, said to be changed.
    pub(crate) fn tell_changed(&mut self) -> StreamEvent {
        self.is_told = true;
        self.tell()
    }
}

/// The lines of a list with their ids, wherever `value` keeps it.
pub(crate) fn todos(value: &Value) -> Option<Vec<(String, Todo)>> {
    let mut places = ["todos", "items", "tasks", "list"].into_iter();
    let list = places.find_map(|place| value[place].as_array());
    let list = list.or(value.as_array())?;
    let line = |value| (id(value), todo(value));
    Some(list.iter().map(line).collect())
}

/// One line. What has no words is kept as it came.
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
fn id(value: &Value) -> String {
    let mut ids = ["id", "taskId", "todo_id"].into_iter();
    let found = ids.find_map(|place| match &value[place] {
        Value::String(id) => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    });
    found.unwrap_or_default()
}
