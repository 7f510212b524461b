//! How a run of Claude Code begins and ends.
//!
//! Owns what a session's head and a result mean. An agent may go on after a result, when a
//! helper that it sent off comes back, and then tells another; so a result ends nothing until
//! no line follows, and `Done` is said then.

use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent, Usage};

use super::lane::Lane;
use crate::source::anthropic::mapper::message::stop_reason;
use crate::source::anthropic::mapper::usage::{UsageSoFar, sum};
use crate::source::dialect::Ending;
use crate::source::dialect::json::{count, items, some_text, text};
use crate::source::fault::Reported;

#[derive(Default)]
pub(super) struct Run {
    state: State,
    session_id: Option<String>,
    has_spoken: bool,
    /// What the runs of one session used, each by its own count.
    total: Usage,
    total_session_id: Option<String>,
    /// The agent's word for what went wrong in its last message.
    error_word: Option<String>,
    /// An error of the provider's that no result has told yet.
    pub(super) failure: Option<ErrorBody>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Going,
    /// The agent told its own error, and may still tell its result.
    Failed,
    Over {
        stop_reason: Option<StopReason>,
    },
}

impl Run {
    /// The head of a session, told again before each of its runs.
    pub(super) fn begin(&mut self, init: &Value, out: &mut Vec<StreamEvent>) {
        if let State::Over { .. } = self.state {
            self.has_spoken = false;
        }
        self.reopen();
        let session_id = some_text(init, "session_id");
        if session_id.is_none() || session_id != self.session_id {
            self.session_id = session_id;
            out.push(StreamEvent::Start {
                message_id: None,
                model: some_text(init, "model"),
            });
        }
    }

    /// The agent has spoken.
    pub(super) fn go_on(&mut self) {
        self.has_spoken = true;
        self.reopen();
    }

    pub(super) fn note_error(&mut self, line: &Value) {
        self.error_word = some_text(line, "error");
    }

    pub(super) fn take_result(
        &mut self,
        value: &Value,
        main: &mut Lane,
        out: &mut Vec<StreamEvent>,
    ) {
        let subtype = text(value, "subtype");
        let is_error = value["is_error"] == true || subtype.starts_with("error");
        // The last message once more, unless there was none: a command that asks no model.
        if !self.has_spoken && !is_error {
            main.add_text(text(value, "result"), out);
        }
        self.report_usage(value, main, out);
        for denial in items(&value["permission_denials"]) {
            let message = format!("{} was not allowed.", text(denial, "tool_name"));
            out.push(StreamEvent::Status { message });
        }
        let mut costs = ["total_cost_usd", "total_cost", "cost_usd"].into_iter();
        out.push(StreamEvent::Result {
            session_id: some_text(value, "session_id"),
            duration_ms: count(value, "duration_ms"),
            turns: count(value, "num_turns"),
            cost: costs.find_map(|place| value[place].as_f64()),
        });
        let mut reason = stop_reason(text(value, "stop_reason")).or(main.reader.stop_reason());
        if value["stop_reason"].is_null() && subtype == "success" {
            reason = reason.or(Some(StopReason::EndTurn));
        }
        if is_error {
            let error = self.result_error(value);
            out.push(StreamEvent::Error { error });
            reason = Some(StopReason::Error);
        }
        self.finish(reason);
    }

    /// What a proxy says when the agent's process is over.
    pub(super) fn complete(&mut self, value: &Value, main: &Lane, out: &mut Vec<StreamEvent>) {
        out.push(StreamEvent::Result {
            session_id: some_text(value, "session_id"),
            duration_ms: count(value, "duration"),
            turns: None,
            cost: None,
        });
        let status = text(value, "status");
        let has_failed = matches!(status, "error" | "failed" | "failure" | "timeout");
        match self.state {
            State::Going | State::Failed if has_failed => {
                let error = error_body(value);
                out.push(StreamEvent::Error { error });
                self.finish(Some(StopReason::Error));
            }
            State::Going | State::Failed => self.finish(main.reader.stop_reason()),
            // The agent's own result said it better.
            State::Over { .. } => {}
        }
    }

    /// The agent told its own error.
    pub(super) fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.state = State::Failed;
        out.push(StreamEvent::Error { error });
    }

    /// No line will follow.
    pub(super) fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        match (self.state, self.failure.take()) {
            (State::Over { stop_reason }, _) => out.push(StreamEvent::Done { stop_reason }),
            (State::Failed, _) => {}
            (State::Going, Some(error)) => out.push(StreamEvent::Error { error }),
            (State::Going, None) => return Ending::Cut,
        }
        Ending::Told
    }

    fn reopen(&mut self) {
        self.state = match self.state {
            State::Failed => State::Failed,
            State::Going | State::Over { .. } => State::Going,
        };
    }

    fn finish(&mut self, stop_reason: Option<StopReason>) {
        self.failure = None;
        self.state = State::Over { stop_reason };
    }

    /// A result counts its own run; the runs of one session add up.
    fn report_usage(&mut self, value: &Value, main: &mut Lane, out: &mut Vec<StreamEvent>) {
        if !value["usage"].is_object() {
            return;
        }
        let session_id = some_text(value, "session_id");
        if session_id != self.total_session_id {
            self.total_session_id = session_id;
            self.total = Usage::default();
        }
        let own = UsageSoFar::default().merge(&value["usage"]);
        self.total = sum(&self.total, &own);
        main.reader.set_usage(self.total.clone());
        out.push(StreamEvent::Usage {
            usage: self.total.clone(),
            is_total: true,
        });
    }

    fn result_error(&mut self, value: &Value) -> ErrorBody {
        let subtype = text(value, "subtype");
        // An error of the provider's comes under the subtype `success`.
        let word = if subtype.starts_with("error") {
            Some(subtype.to_owned())
        } else {
            self.error_word.take()
        };
        let message = first_words([&value["errors"], &value["error"], &value["result"]]);
        let message = message.unwrap_or_else(|| format!("The agent stopped: {subtype}."));
        Reported::new(message)
            .with_code(word.as_deref().unwrap_or_default())
            .with_fields(&value["error"])
            .body()
    }
}

/// An error in whatever shape it comes.
pub(super) fn error_body(value: &Value) -> ErrorBody {
    let message = first_words([value]);
    Reported::new(message.unwrap_or_else(|| value.to_string()))
        .with_fields(value)
        .body()
}

fn first_words<'a>(errors: impl IntoIterator<Item = &'a Value>) -> Option<String> {
    let mut said = errors.into_iter().map(words);
    said.find(|words| !words.is_empty())
}

/// The words of an error: its own, those of what is inside it, or all of it as it is written.
fn words(error: &Value) -> String {
    match error {
        Value::Null | Value::Bool(_) => String::new(),
        Value::String(words) => words.clone(),
        Value::Number(_) => error.to_string(),
        Value::Array(errors) => {
            let mut said: Vec<String> = errors.iter().map(words).collect();
            said.retain(|words| !words.is_empty());
            said.join("\n")
        }
        Value::Object(fields) if fields.is_empty() => String::new(),
        Value::Object(_) => {
            let inner = first_words([&error["error"], &error["message"]]);
            inner.unwrap_or_else(|| error.to_string())
        }
    }
}
