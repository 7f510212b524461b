//! The list that an agent works off, kept so that a change to one line tells the whole list.
//!
//! How a line is written is [`todos`]' business. Must not know which tool or event brought it.

use serde_json::Value;
use weir_protocol::{StreamEvent, Todo};

use crate::source::dialect::todos;

#[derive(Default)]
pub(crate) struct Plan {
    lines: Vec<Line>,
}

struct Line {
    /// What the agent calls it; empty until it says so.
    id: String,
    /// The call that made it, if one did.
    tool_call_id: String,
    todo: Todo,
}

impl Plan {
    /// Answers the list as it was before.
    pub(crate) fn replace(&mut self, todos: Vec<(String, Todo)>) -> Self {
        let line = |(id, todo)| Line {
            id,
            tool_call_id: String::new(),
            todo,
        };
        let lines = todos.into_iter().map(line).collect();
        std::mem::replace(self, Self { lines })
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
        let id = todos::id(change);
        let place = change["index"].as_u64();
        let place = place.and_then(|place| usize::try_from(place).ok());
        let words = todos::words(change);
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

    /// The list as it is now, said to be new.
    pub(crate) fn tell_new(&self) -> StreamEvent {
        let todos = self.todos();
        StreamEvent::TodoCreate { todos }
    }

    /// The list as it is now, said to be changed.
    pub(crate) fn tell_changed(&self) -> StreamEvent {
        let todos = self.todos();
        StreamEvent::TodoUpdate { todos }
    }

    fn todos(&self) -> Vec<Todo> {
        self.lines.iter().map(|line| line.todo.clone()).collect()
    }
}
