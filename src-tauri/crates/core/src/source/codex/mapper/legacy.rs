//! The agent's first protocol: a line is an event's number and the event, which carries words
//! as they come and names each beginning and each end of a tool.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::{Value, json};
use weir_protocol::{StopReason, StreamEvent};

use super::call::Outcome;
use super::item::Stage;
use super::{CodexMapper, Key, Known, said};
use crate::source::dialect::json::{some_text, text};

/// A line, and all of it if it is a delta.
#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    msg: Delta<'a>,
}

#[derive(Deserialize)]
struct Delta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    delta: Cow<'a, str>,
}

impl CodexMapper {
    pub(super) fn map_legacy_delta(&mut self, line: &str, out: &mut Vec<StreamEvent>) -> Known {
        // Most lines are no deltas, and some are large: they are read once.
        if !line.contains("_delta\"") {
            return Known::No;
        }
        let Ok(Line { msg }) = serde_json::from_str::<Line<'_>>(line) else {
            return Known::No;
        };
        match &*msg.kind {
            "agent_message_delta" => {
                self.end_thought(out);
                self.has_answered = true;
                self.blocks.add_text(Key::Answer, msg.delta, out);
            }
            "agent_reasoning_delta" | "agent_reasoning_raw_content_delta" => {
                self.think(&msg.delta, out);
            }
            _ => return Known::No,
        }
        Known::Yes
    }

    pub(super) fn map_legacy(&mut self, line: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let msg = &line["msg"];
        if msg.is_object() {
            return self.map_message(msg, out);
        }
        // The first two lines of a run: how it is set up, and what it was asked.
        if line["model"].is_string() && line["provider"].is_string() {
            self.start(line, "session_id", out);
            return Known::Yes;
        }
        match line.as_object() {
            Some(fields) if fields.len() == 1 && line["prompt"].is_string() => Known::Yes,
            Some(_) | None => Known::No,
        }
    }

    fn map_message(&mut self, msg: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match text(msg, "type") {
            "session_configured" => self.start(msg, "session_id", out),
            "task_started" | "turn_started" => self.start_turn(),
            "agent_message" if msg["message"].is_string() => self.end_message(msg, out),
            "agent_reasoning" | "agent_reasoning_raw_content" => {
                if !self.blocks.is_open(&Key::Thought) {
                    self.think(text(msg, "text"), out);
                }
                self.end_thought(out);
            }
            "agent_reasoning_section_break" => self.end_thought(out),
            "token_count" => self.count_tokens(msg, out),
            "plan_update" => return self.list(Stage::Updated, msg, out),
            "background_event" | "warning" | "stream_error" => {
                out.push(StreamEvent::Status { message: said(msg) })
            }
            "error" => self.trouble(said(msg), out),
            "task_complete" | "turn_complete" => self.complete(msg, out),
            "turn_aborted" => {
                self.end_turn(StopReason::Cancelled, out);
                self.trouble = None;
            }
            // Echoes, and pieces of what its end tells whole.
            "user_message" | "exec_command_output_delta" | "shutdown_complete" => {}
            kind => return self.map_tool(kind, msg, out),
        }
        Known::Yes
    }

    fn end_message(&mut self, msg: &Value, out: &mut Vec<StreamEvent>) {
        if self.blocks.is_open(&Key::Answer) {
            self.blocks.close(&Key::Answer, out);
        } else {
            self.hold("", text(msg, "message"), out);
        }
    }

    fn complete(&mut self, msg: &Value, out: &mut Vec<StreamEvent>) {
        let last = some_text(msg, "last_agent_message");
        if self.held.is_none() && !self.has_answered {
            self.hold("", &last.unwrap_or_default(), out);
        }
        self.end_turn(StopReason::EndTurn, out);
        self.trouble = None;
    }

    fn count_tokens(&mut self, msg: &Value, out: &mut Vec<StreamEvent>) {
        let total = &msg["info"]["total_token_usage"];
        if total.is_object() {
            self.report_usage(total, out);
        } else if msg["input_tokens"].is_number() {
            self.report_usage(msg, out);
        }
    }

    fn map_tool(&mut self, kind: &str, msg: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Some((name, is_end)) = tool(kind) else {
            return Known::No;
        };
        self.go_on(out);
        self.end_thought(out);
        let id = self.call_id(text(msg, "call_id"));
        if is_end {
            self.end_call(&id, name, input(name, msg), outcome(name, msg), out);
        } else {
            let whole = (name != "web_search").then(|| input(name, msg));
            self.start_call(&id, name, whole, out);
        }
        Known::Yes
    }
}

/// The name by which a tool goes today, and whether this is its end.
fn tool(kind: &str) -> Option<(&'static str, bool)> {
    let (tool, edge) = kind.rsplit_once('_')?;
    let name = match tool {
        "exec_command" => "command_execution",
        "patch_apply" => "file_change",
        "mcp_tool_call" => "mcp_tool_call",
        "web_search" => "web_search",
        _ => return None,
    };
    match edge {
        "begin" => Some((name, false)),
        "end" => Some((name, true)),
        _ => None,
    }
}

fn input(name: &str, msg: &Value) -> Value {
    match name {
        "command_execution" => json!({ "command": msg["command"], "cwd": msg["cwd"] }),
        "file_change" => json!({ "changes": msg["changes"] }),
        "mcp_tool_call" => msg["invocation"].clone(),
        _ => json!({ "query": msg["query"] }),
    }
}

fn outcome(name: &str, msg: &Value) -> Outcome {
    let printed = match text(msg, "aggregated_output") {
        "" => [text(msg, "stdout"), text(msg, "stderr")].concat(),
        all => all.to_owned(),
    };
    let (result, is_error) = match name {
        "mcp_tool_call" => from_server(&msg["result"]),
        "web_search" => (Value::Null, false),
        _ => {
            let has_failed = msg["exit_code"].as_i64().is_some_and(|code| code != 0);
            (printed.into(), has_failed || msg["success"] == false)
        }
    };
    let exit_code = &msg["exit_code"];
    Outcome {
        result,
        is_error,
        detail: exit_code
            .is_number()
            .then(|| json!({ "exit_code": exit_code })),
    }
}

/// What an MCP server answered, or why it did not.
fn from_server(result: &Value) -> (Value, bool) {
    let fine = &result["Ok"];
    if fine.is_null() {
        (result.clone(), true)
    } else {
        let is_error = fine["is_error"].as_bool().unwrap_or_default();
        (fine.clone(), is_error)
    }
}
