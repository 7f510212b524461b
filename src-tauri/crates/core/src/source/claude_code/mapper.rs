//! Claude Code's lines (`--output-format stream-json`) to stream events.
//!
//! Owns what each line means. A run is a session's head, messages with the results of the
//! tools that the agent ran itself, and a result: how it begins and ends is [`run`]'s business,
//! messages are [`lane`]'s, those of helpers [`helper`]'s, calls that mean more than a call
//! [`tools`]', and the rest is [`aside`]. Keeps the laws of [`crate::source::dialect`]. Must
//! not know how the agent is started.
//!
//! Two levels, as in the Messages stream: pieces of a message are read through borrowed types,
//! everything else is read again as a `Value`.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use serde_json::Value;
use weir_protocol::{ErrorBody, StreamEvent};

use crate::source::anthropic::mapper::message::{Envelope, EventOutcome};
use crate::source::dialect::json::{items, text};
use crate::source::dialect::{Dialect, Ending, Known, Mapper};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use aside::Aside;
use dedup::Print;
use helper::{Helper, Parent};
use lane::Lane;
use run::Run;
use tools::{Answer, Asker, BuiltInTools};

mod aside;
mod dedup;
mod helper;
mod lane;
mod plan;
mod run;
pub(crate) mod tools;
pub(crate) mod waiting;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "claude-code",
    framing: Framing::LinesOrSse,
    mapper: || Box::<ClaudeCodeMapper>::default(),
};

#[derive(Default)]
struct ClaudeCodeMapper {
    main: Lane,
    helpers: HashMap<String, Helper>,
    /// Which call sent out the helper that works at a task, by the task's id.
    tasks: HashMap<String, String>,
    tools: BuiltInTools,
    run: Run,
    /// Lines that came already, by their own id: a proxy that reconnects sends them again.
    seen: HashSet<String>,
}

/// What a line is, and all of it if it is a piece of a message.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    subtype: Cow<'a, str>,
    #[serde(default)]
    parent_tool_use_id: Option<String>,
    #[serde(borrow, default)]
    event: Envelope<'a>,
}

impl Mapper for ClaudeCodeMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        let Frame { event: name, data } = frame;
        if let Ok(line) = serde_json::from_str::<Line<'_>>(data)
            && self.map_frequent(line, out) == Known::Yes
        {
            return;
        }
        match serde_json::from_str::<Value>(data) {
            Ok(value) => self.map_rare(name, value, out),
            Err(_) if data.trim_ascii().is_empty() => {}
            // A proxy that leaves out the blank lines makes one event of several.
            Err(_) if is_several(data) => {
                for data in data.lines() {
                    self.map(Frame { event: name, data }, out);
                }
            }
            Err(_) if name == "error" => {
                self.fail(Reported::new(data.trim_ascii()).body(), out);
            }
            Err(_) => out.push(StreamEvent::Raw {
                value: Value::String(data.to_owned()),
            }),
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.main.reader.blocks.close_all(out);
        for id in self.helpers.keys().cloned().collect::<BTreeSet<_>>() {
            self.help(&id, out, |lane, out| lane.reader.blocks.close_all(out));
        }
        self.run.end(out)
    }
}

impl ClaudeCodeMapper {
    fn map_frequent(&mut self, line: Line<'_>, out: &mut Vec<StreamEvent>) -> Known {
        match (&*line.kind, line.parent_tool_use_id) {
            ("stream_event", None) => {
                let from = out.len();
                let known = self.main.map_frequent(line.event, out);
                self.speak(from, out);
                known
            }
            ("system", _) if line.subtype == "thinking_tokens" => Known::Yes,
            _ => Known::No,
        }
    }

    fn map_rare(&mut self, name: &str, value: Value, out: &mut Vec<StreamEvent>) {
        if self.map_value(&value, out) == Known::Yes {
            return;
        }
        match name {
            "error" => self.fail(run::error_body(&value), out),
            "complete" => self.complete(&value, out),
            _ => out.push(StreamEvent::Raw { value }),
        }
    }

    fn map_value(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let kind = text(value, "type");
        let role = text(value, "role");
        match kind {
            "assistant" | "user" if self.is_old(value) => Known::Yes,
            "assistant" => {
                self.run.note_error(value);
                self.take_message(value, unwrapped(value), out)
            }
            // As older agents print it.
            "message" if role == "assistant" => self.take_message(value, value, out),
            "message" if role == "user" => self.take_results(value, value, out),
            "user" => self.take_results(value, unwrapped(value), out),
            "stream_event" => self.take_piece(value, &value["event"], out),
            "system" => self.take_system(value, out),
            "result" => {
                self.main.reader.blocks.close_all(out);
                self.run.take_result(value, &mut self.main, out);
                Known::Yes
            }
            "rate_limit_event" => tell(aside::rate_limit(&value["rate_limit_info"]), out),
            "tool_use_summary" => tell(aside::summary(value), out),
            "tool_progress" | "keep_alive" => Known::Yes,
            // What a proxy says when the agent's process is over.
            "" if value["status"].is_string() && value["duration"].is_number() => {
                self.complete(value, out);
                Known::Yes
            }
            // The events of a message, without the line around them.
            "message_start"
            | "message_delta"
            | "message_stop"
            | "content_block_start"
            | "content_block_delta"
            | "content_block_stop"
            | "ping"
            | "error" => self.take_piece(value, value, out),
            _ => Known::No,
        }
    }

    /// What an agent that goes on with a session says again, and what a proxy does.
    fn is_old(&mut self, line: &Value) -> bool {
        let is_repeated = |uuid: &str| !self.seen.insert(uuid.to_owned());
        line["historical"] == true || line["uuid"].as_str().is_some_and(is_repeated)
    }

    fn take_piece(&mut self, line: &Value, event: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let from = out.len();
        let heard = match line["parent_tool_use_id"].as_str() {
            Some(parent) => self.help(parent, out, |lane, out| lane.map_value(event, out)),
            None => {
                let heard = self.main.map_value(event, out);
                self.speak(from, out);
                heard
            }
        };
        match heard {
            EventOutcome::Known | EventOutcome::Stopped => Known::Yes,
            EventOutcome::Unknown => Known::No,
            // The agent's own.
            EventOutcome::Failed(error) if text(line, "type") == "error" => {
                self.fail(error, out);
                Known::Yes
            }
            // The provider's. The agent may get over it; its result says.
            EventOutcome::Failed(error) => {
                let message = error.message.clone();
                self.run.failure = Some(error);
                tell(Aside::Line(message), out)
            }
        }
    }

    fn take_message(&mut self, line: &Value, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let from = out.len();
        // Blocks are printed before their message is over: a line that knows why it ended
        // tells all of it again, unless an id of its own says that it is new.
        let print = if message["stop_reason"].is_string() && !line["uuid"].is_string() {
            Print::Again
        } else {
            Print::Once
        };
        match line["parent_tool_use_id"].as_str() {
            Some(parent) => self.help(parent, out, |lane, out| lane.repeat(message, print, out)),
            None => {
                let known = self.main.repeat(message, print, out);
                self.speak(from, out);
                known
            }
        }
    }

    /// A user's line brings the results of the calls that the agent ran. What else it says is
    /// what the user said.
    fn take_results(&mut self, line: &Value, message: &Value, out: &mut Vec<StreamEvent>) -> Known {
        if !message.is_object() {
            return Known::No;
        }
        for block in items(&message["content"]) {
            if text(block, "type") == "tool_result" {
                self.take_answer(line, block, out);
            }
        }
        Known::Yes
    }

    fn take_answer(&mut self, line: &Value, block: &Value, out: &mut Vec<StreamEvent>) {
        let parent = line["parent_tool_use_id"].as_str();
        let lane = match parent {
            Some(parent) => &mut Helper::of(&mut self.helpers, parent).lane,
            None => &mut self.main,
        };
        let tool_call_id = lane.answer(text(block, "tool_use_id"));
        let name = lane.reader.tool_name(&tool_call_id).unwrap_or_default();
        let is_error = block["is_error"] == true;
        let result = StreamEvent::ToolResult {
            tool_call_id: tool_call_id.clone(),
            name: name.to_owned(),
            result: block["content"].clone(),
            is_error,
            detail: None,
        };
        match parent {
            Some(parent) => self.help(parent, out, |_, out| out.push(result)),
            None => out.push(result),
        }
        let more = &line["tool_use_result"];
        if more["isAsync"] == true || text(more, "status") == "async_launched" {
            return self.tools.detach(&tool_call_id);
        }
        // What a helper said, without the notes for the agent behind it.
        let words = Some(&more["content"]).filter(|content| content.is_array());
        out.extend(self.tools.answer(&Answer {
            tool_call_id: &tool_call_id,
            result: words.unwrap_or(&block["content"]),
            is_error,
        }));
    }

    fn take_system(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let id = &self.task_call(value);
        match text(value, "subtype") {
            "init" => {
                self.run.begin(value, out);
                Known::Yes
            }
            // Its call has told, or its result will.
            "task_started" if self.tools.is_helper(id) => Known::Yes,
            "task_notification" if self.tools.is_attached(id) => Known::Yes,
            "task_started" if value["subagent_type"].is_string() => {
                let name = text(value, "subagent_type");
                let task = text(value, "description");
                out.push(self.tools.send_detached(id, name, task));
                Known::Yes
            }
            "task_notification" if self.tools.is_helper(id) => {
                out.extend(self.tools.bring_back(&Answer {
                    tool_call_id: id,
                    result: &value["summary"],
                    is_error: text(value, "status") != "completed",
                }));
                Known::Yes
            }
            _ => tell(aside::system(value), out),
        }
    }

    /// The call that sent out the helper of a task; the task itself where none did.
    fn task_call(&mut self, value: &Value) -> String {
        let task = text(value, "task_id");
        match value["tool_use_id"].as_str() {
            Some(call) => {
                if !task.is_empty() {
                    self.tasks.insert(task.to_owned(), call.to_owned());
                }
                call.to_owned()
            }
            None => self.tasks.get(task).map_or(task, String::as_str).to_owned(),
        }
    }

    /// Lets a helper's lane speak, and tells what it says beside the answer.
    fn help<T>(
        &mut self,
        tool_call_id: &str,
        out: &mut Vec<StreamEvent>,
        speak: impl FnOnce(&mut Lane, &mut Vec<StreamEvent>) -> T,
    ) -> T {
        let from = out.len();
        let helper = Helper::of(&mut self.helpers, tool_call_id);
        let mut said = Vec::new();
        let answer = speak(&mut helper.lane, &mut said);
        let mut parent = Parent {
            tool_call_id,
            name: self.tools.helper_name(tool_call_id),
            reader: &mut self.main.reader,
        };
        helper.tell(said, &mut parent, out);
        self.tools.watch(Asker::Helper, from, out);
        answer
    }

    /// The agent itself may have spoken: then its run goes on, and a call of its may mean
    /// more than a call.
    fn speak(&mut self, from: usize, out: &mut Vec<StreamEvent>) {
        if out.len() > from {
            self.run.go_on();
            self.tools.watch(Asker::Agent, from, out);
        }
    }

    fn complete(&mut self, value: &Value, out: &mut Vec<StreamEvent>) {
        self.main.reader.blocks.close_all(out);
        self.run.complete(value, &self.main, out);
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.main.reader.blocks.close_all(out);
        self.run.fail(error, out);
    }
}

/// Whether the data is several lines with a JSON object each.
fn is_several(data: &str) -> bool {
    let is_object = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|it| it.is_object());
    data.lines().nth(1).is_some() && data.lines().all(is_object)
}

/// The message of a line: most agents put it under `message`, some make the line itself the
/// message.
fn unwrapped(line: &Value) -> &Value {
    let content = &line["content"];
    if line["message"].is_null() && (content.is_array() || content.is_string()) {
        line
    } else {
        &line["message"]
    }
}

fn tell(aside: Aside, out: &mut Vec<StreamEvent>) -> Known {
    match aside {
        Aside::Line(message) => out.push(StreamEvent::Status { message }),
        Aside::Quiet => {}
        Aside::Unknown => return Known::No,
    }
    Known::Yes
}

#[cfg(test)]
mod tests;
