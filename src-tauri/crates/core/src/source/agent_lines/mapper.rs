//! Simple agent lines, `{"type": …, "data": {…}}`, to stream events.
//!
//! Owns what each event of the frameworks that print such lines means: agents on Claude's
//! SDK, DeepAgents, and those for OpenAI and Gemini. They may print the events of Claude's own
//! stream among them; those are [`MessageReader`]'s business, and calls that mean more than a
//! call are [`BuiltInTools`]'. Keeps the laws of [`crate::source::dialect`].
//!
//! Such a line says a whole piece of text and nothing of blocks: words that follow each other
//! are one block until a line of another kind comes. Two levels, as in the Messages stream:
//! words are read through borrowed types, everything else is read again as a `Value`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent, Todo, TodoStatus, Usage};

use crate::source::anthropic::mapper::message::{
    Delta, Envelope, EventOutcome, MessageReader, Sender,
};
use crate::source::anthropic::mapper::usage::sum;
use crate::source::claude_code::mapper::tools::{Answer, Asker, BuiltInTools};
use crate::source::dialect::json::{self, count, some_text, text};
use crate::source::dialect::{Dialect, Ending, Known, Mapper, todos};
use crate::wire::{Frame, Framing};

use calls::{Call, Calls, Reply};

mod calls;
mod fields;
mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "agent-lines",
    framing: Framing::Lines,
    mapper: || Box::<AgentLinesMapper>::default(),
};

/// Where the words of simple lines are among the blocks of Claude's own stream.
const WORDS: u64 = u64::MAX;

struct AgentLinesMapper {
    message: MessageReader,
    calls: Calls,
    tools: BuiltInTools,
    /// What the requests used, as far as they were told one by one.
    used: Usage,
    /// What went wrong on the way. Told at the end: an error ends a turn, and the agent may
    /// go on after it.
    errors: Vec<ErrorBody>,
    /// The last words were a thought.
    has_thought: bool,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Going,
    /// A message is over: the stream too, unless the agent goes on.
    Stopped,
    /// The agent said so. What it used and how long it took may still follow.
    Done {
        stop_reason: Option<StopReason>,
    },
}

/// What a line is, and all of it if it is words or a piece of Claude's own stream.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(default)]
    index: u64,
    #[serde(borrow, default)]
    delta: Delta<'a>,
    #[serde(borrow, default)]
    data: LineText<'a>,
    #[serde(borrow, default)]
    content: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LineText<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(borrow)]
    thought: Cow<'a, str>,
}

impl Default for AgentLinesMapper {
    fn default() -> Self {
        Self {
            message: MessageReader::new(Sender::Agent),
            calls: Calls::default(),
            tools: BuiltInTools::default(),
            used: Usage::default(),
            errors: Vec::new(),
            has_thought: false,
            state: State::Going,
        }
    }
}

impl Mapper for AgentLinesMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if !self.is_done()
            && let Ok(line) = serde_json::from_str::<Line<'_>>(frame.data)
            && self.map_frequent(line, out) == Known::Yes
        {
            return;
        }
        if let Some(value) = json::value(frame.data, out)
            && self.map_rare(&value, out) == Known::No
        {
            out.push(StreamEvent::Raw { value });
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.message.blocks.close_all(out);
        let has_failed = !self.errors.is_empty();
        let tell = |error| StreamEvent::Error { error };
        out.extend(self.errors.drain(..).map(tell));
        let reason = match self.state {
            State::Going if has_failed => return Ending::Told,
            State::Going => return Ending::Cut,
            State::Stopped => self.message.stop_reason(),
            State::Done { stop_reason } => stop_reason,
        };
        let failed = has_failed.then_some(StopReason::Error);
        out.push(StreamEvent::Done {
            stop_reason: failed.or(reason),
        });
        Ending::Told
    }
}

impl AgentLinesMapper {
    fn map_frequent(&mut self, line: Line<'_>, out: &mut Vec<StreamEvent>) -> Known {
        let Line { kind, data, .. } = line;
        let words = [
            data.content,
            data.text,
            data.thought,
            line.content,
            line.text,
        ];
        let words = words.into_iter().find(|words| !words.is_empty());
        match (&*kind, words) {
            ("text" | "delta" | "content", Some(words)) => self.add_text(words, out),
            ("thinking", Some(words)) => self.add_thinking(words, out),
            ("think", Some(words)) => self.add_thought(words, out),
            ("content_block_delta" | "content_block_stop", _) => {
                let envelope = Envelope {
                    kind,
                    index: line.index,
                    delta: line.delta,
                };
                self.message.blocks.close(&WORDS, out);
                return self.read_claude(out, |message, out| message.map_frequent(envelope, out));
            }
            _ => return Known::No,
        }
        Known::Yes
    }

    fn map_rare(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let kind = text(value, "type");
        if self.is_done() && !["usage", "usage_total", "result"].contains(&kind) {
            return Known::No;
        }
        // Some print the fields beside the type.
        let data = value.get("data").filter(|data| !data.is_null());
        let data = data.unwrap_or(value);
        match kind {
            "text" | "delta" | "content" => match fields::words(data) {
                Some(words) => self.add_text(words.into(), out),
                None => return Known::No,
            },
            "thinking" => match fields::words(data) {
                Some(words) => self.add_thinking(words.into(), out),
                None => return Known::No,
            },
            "think" => match fields::words(data) {
                Some(words) => self.add_thought(words.into(), out),
                None => return Known::No,
            },
            "ping" => {}
            kind => {
                self.message.blocks.close(&WORDS, out);
                return self.map_other(kind, value, data, out);
            }
        }
        Known::Yes
    }

    fn map_other(
        &mut self,
        kind: &str,
        value: &Value,
        data: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        match kind {
            "start" => self.start(data, out),
            "status" => return tell(fields::status(data), out),
            "subagent_spawn" => return tell(fields::helper_line(data), out),
            "tool_use" | "tool_call" | "tool_call_start" | "function_call" => {
                return self.take_call(Call::new(data), out);
            }
            "search" => return self.take_call(Call::search(data), out),
            "tool_result" | "function_response" => self.take_answer(Reply::new(data), out),
            "search_result" => self.take_answer(Reply::search(data), out),
            "todos" | "todo_create" => return self.create_todos(data, out),
            "todo_update" => return self.update_todos(data, out),
            "todo_done" => return self.finish_todo(data, out),
            "subagent_start" => out.push(fields::helper_start(data)),
            "subagent_complete" => out.push(fields::helper_end(data)),
            "usage" => return self.add_usage(data, out),
            "usage_total" => return self.set_usage(data, out),
            "result" => self.take_result(data, out),
            "error" => self.fail(fields::error(data), out),
            "done" => self.finish(data, out),
            _ => return self.map_claude(value, out),
        }
        Known::Yes
    }

    fn add_text(&mut self, words: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        self.go_on();
        self.has_thought = false;
        self.message.blocks.add_text(WORDS, words, out);
    }

    fn add_thinking(&mut self, words: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        self.go_on();
        self.has_thought = true;
        self.message.blocks.add_thinking(WORDS, words, out);
    }

    /// A thought is whole: a new line keeps it apart from what was thought before.
    fn add_thought(&mut self, words: Cow<'_, str>, out: &mut Vec<StreamEvent>) {
        if self.has_thought && self.message.blocks.is_open(&WORDS) {
            self.message.blocks.add_thinking(WORDS, "\n".into(), out);
        }
        self.add_thinking(words, out);
    }

    fn start(&mut self, data: &Value, out: &mut Vec<StreamEvent>) {
        self.go_on();
        out.push(StreamEvent::Start {
            message_id: some_text(data, "message_id"),
            model: some_text(data, "model"),
        });
    }

    fn take_call(&mut self, call: Call, out: &mut Vec<StreamEvent>) -> Known {
        if call.name.is_empty() {
            return Known::No;
        }
        self.go_on();
        let from = out.len();
        self.calls.ask(call, &mut self.message, out);
        self.watch(from, out);
        Known::Yes
    }

    fn take_answer(&mut self, reply: Reply, out: &mut Vec<StreamEvent>) {
        self.go_on();
        let from = out.len();
        let tool_call_id = self.calls.answer(&reply, &mut self.message, out);
        self.watch(from, out);
        let name = self.message.tool_name(&tool_call_id).map(str::to_owned);
        let meaning = self.tools.answer(&Answer {
            tool_call_id: &tool_call_id,
            result: &reply.result,
            is_error: reply.is_error,
        });
        out.push(StreamEvent::ToolResult {
            name: name.unwrap_or(reply.name),
            tool_call_id,
            result: reply.result,
            is_error: reply.is_error,
            detail: None,
        });
        out.extend(meaning);
    }

    fn create_todos(&mut self, data: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Some(todos) = todos::todos(data) else {
            return Known::No;
        };
        self.tools.plan.replace(todos);
        out.push(self.tools.plan.tell_new());
        Known::Yes
    }

    /// The whole list anew, or one line of it.
    fn update_todos(&mut self, data: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let plan = &mut self.tools.plan;
        let line = fields::line(data);
        if let Some(todos) = todos::todos(data) {
            plan.replace(todos);
        } else if let Some(todo) = plan.find(line) {
            todo.status = todos::status(line).unwrap_or(todo.status);
        } else if todos::words(line).is_some() {
            plan.add("", todos::todo(line));
        } else {
            return Known::No;
        }
        out.push(plan.tell_changed());
        Known::Yes
    }

    fn finish_todo(&mut self, data: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let line = fields::line(data);
        let known = self.tools.plan.find(line).map(|todo| {
            todo.status = TodoStatus::Completed;
            todo.clone()
        });
        let unknown = || Todo {
            status: TodoStatus::Completed,
            ..todos::todo(line)
        };
        match known.or_else(|| todos::words(line).map(|_| unknown())) {
            Some(todo) => out.push(StreamEvent::TodoDone { todo }),
            None => return Known::No,
        }
        Known::Yes
    }

    /// One request's: they add up.
    fn add_usage(&mut self, data: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Some(own) = usage::read(data) else {
            return Known::No;
        };
        self.used = sum(&self.used, &own);
        out.push(StreamEvent::Usage {
            usage: self.used.clone(),
            is_total: false,
        });
        Known::Yes
    }

    /// All requests', by the agent's own count.
    fn set_usage(&mut self, data: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Some(total) = usage::read(data) else {
            return Known::No;
        };
        self.used = total.clone();
        out.push(StreamEvent::Usage {
            usage: total,
            is_total: true,
        });
        Known::Yes
    }

    fn take_result(&mut self, data: &Value, out: &mut Vec<StreamEvent>) {
        self.set_usage(&data["usage"], out);
        out.push(StreamEvent::Result {
            session_id: some_text(data, "session_id"),
            duration_ms: count(data, "duration_ms"),
            turns: count(data, "num_turns"),
            cost: fields::cost(data),
        });
        if data["is_error"] == true {
            self.fail(fields::error(data), out);
        }
    }

    fn finish(&mut self, data: &Value, out: &mut Vec<StreamEvent>) {
        self.message.blocks.close_all(out);
        self.set_usage(&data["usage"], out);
        let stop_reason = fields::stop_reason(data).or(self.message.stop_reason());
        self.state = State::Done { stop_reason };
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.message.blocks.close_all(out);
        self.errors.push(error);
    }

    fn map_claude(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match self.read_claude(out, |message, out| message.map_value(value, out)) {
            EventOutcome::Known => Known::Yes,
            EventOutcome::Unknown => Known::No,
            EventOutcome::Stopped => {
                self.state = State::Stopped;
                Known::Yes
            }
            EventOutcome::Failed(error) => {
                self.fail(error, out);
                Known::Yes
            }
        }
    }

    fn read_claude<T>(
        &mut self,
        out: &mut Vec<StreamEvent>,
        read: impl FnOnce(&mut MessageReader, &mut Vec<StreamEvent>) -> T,
    ) -> T {
        let from = out.len();
        let answer = read(&mut self.message, out);
        if out.len() > from {
            self.go_on();
            self.watch(from, out);
        }
        answer
    }

    fn watch(&mut self, from: usize, out: &mut Vec<StreamEvent>) {
        self.calls.note(&out[from..]);
        self.tools.watch(Asker::Agent, from, out);
    }

    fn is_done(&self) -> bool {
        matches!(self.state, State::Done { .. })
    }

    fn go_on(&mut self) {
        if self.state == State::Stopped {
            self.state = State::Going;
        }
    }
}

fn tell(line: Option<String>, out: &mut Vec<StreamEvent>) -> Known {
    match line {
        Some(message) => out.push(StreamEvent::Status { message }),
        None => return Known::No,
    }
    Known::Yes
}

#[cfg(test)]
mod tests;
