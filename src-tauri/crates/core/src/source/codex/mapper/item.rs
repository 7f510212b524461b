//! The items of a turn: messages, thoughts, lists of things to do, and the agent's tools.

use serde_json::Value;
use weir_protocol::{StreamEvent, Todo};

use super::{CodexMapper, Key, Known};
use crate::source::dialect::json::text;
use crate::source::dialect::todos;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Started,
    Updated,
    Completed,
}

impl CodexMapper {
    pub(super) fn map_item(
        &mut self,
        stage: Stage,
        item: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let kind = item["type"].as_str();
        let kind = kind.unwrap_or_else(|| text(item, "item_type"));
        let words = text(item, "text");
        let has_words = item["text"].is_string() || item["text"].is_null();
        match kind {
            "agent_message" | "assistant_message" | "reasoning" if !has_words => {
                return Known::No;
            }
            "agent_message" | "assistant_message" => self.take_message(stage, item, words, out),
            // No work yet: a message before it may still be the answer.
            "reasoning" => self.think_item(stage, text(item, "id"), words, out),
            "command_execution" | "file_change" | "mcp_tool_call" | "web_search"
            | "collab_tool_call" => {
                self.go_on(out);
                self.map_call(stage, kind, item, out);
            }
            "todo_list" => return self.list(stage, item, out),
            // The agent goes on after these.
            "error" => out.push(StreamEvent::Status {
                message: super::said(item),
            }),
            _ => return Known::No,
        }
        Known::Yes
    }

    fn take_message(
        &mut self,
        stage: Stage,
        item: &Value,
        words: &str,
        out: &mut Vec<StreamEvent>,
    ) {
        self.hold(text(item, "id"), words, out);
        if stage != Stage::Completed {
            return;
        }
        match text(item, "phase") {
            "commentary" => self.go_on(out),
            "final_answer" => self.answer(out),
            _ => {}
        }
    }

    /// A thought comes whole, or whole again with more at its end.
    fn think_item(&mut self, stage: Stage, id: &str, words: &str, out: &mut Vec<StreamEvent>) {
        let told = match &self.thought {
            Some((last, told)) if last == id => *told,
            Some(_) | None => {
                self.end_thought(out);
                0
            }
        };
        self.think(words.get(told..).unwrap_or_default(), out);
        self.thought = Some((id.to_owned(), words.len().max(told)));
        if stage == Stage::Completed {
            self.end_thought(out);
        }
    }

    pub(super) fn think(&mut self, words: &str, out: &mut Vec<StreamEvent>) {
        if words.is_empty() {
            return;
        }
        if self.has_thought && !self.blocks.is_open(&Key::Thought) {
            let apart = "\n\n".into();
            self.blocks.add_thinking(Key::Thought, apart, out);
        }
        self.has_thought = true;
        self.blocks.add_thinking(Key::Thought, words.into(), out);
    }

    pub(super) fn end_thought(&mut self, out: &mut Vec<StreamEvent>) {
        self.thought = None;
        self.blocks.close(&Key::Thought, out);
    }

    /// Every telling of the list is the whole of it.
    pub(super) fn list(&mut self, stage: Stage, item: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Some(todos) = todos::todos(item) else {
            return Known::No;
        };
        let todos: Vec<Todo> = todos.into_iter().map(|(_, todo)| todo).collect();
        if self.todos.as_ref() == Some(&todos) {
            return Known::Yes;
        }
        let is_new = self.todos.is_none() || stage == Stage::Started;
        self.todos = Some(todos.clone());
        out.push(if is_new {
            StreamEvent::TodoCreate { todos }
        } else {
            StreamEvent::TodoUpdate { todos }
        });
        Known::Yes
    }
}
