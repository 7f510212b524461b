//! The response as a whole: who answers, how it ended and what it used.

use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent};

use super::open::Open;
use super::usage::usage;
use super::{Known, Progress, ResponsesMapper};
use crate::source::dialect::json::{items, some_text, text};
use crate::source::fault::Reported;

/// What has been told of the response itself.
#[derive(Debug, Default)]
pub(super) struct ResponseState {
    has_start: bool,
    id: Option<String>,
    model: Option<String>,
    /// What the last error said: sources tell it twice.
    failure: Option<ErrorBody>,
}

impl ResponsesMapper {
    pub(super) fn start_response(&mut self, response: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let id = response["id"].as_str();
        // Another response in the middle: the source lost the first and began anew.
        if self.response.id.is_some() && id.is_some() && self.response.id.as_deref() != id {
            let mut blocks = std::mem::take(&mut self.blocks);
            blocks.abandon_all(out);
            *self = Self {
                blocks,
                ..Self::default()
            };
        }
        self.continue_response(response, out)
    }

    pub(super) fn continue_response(
        &mut self,
        response: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        if !response.is_object() {
            return Known::No;
        }
        let model = some_text(response, "model");
        let told = &mut self.response;
        if !told.has_start || (told.model.is_none() && model.is_some()) {
            told.has_start = true;
            told.id = told.id.take().or_else(|| some_text(response, "id"));
            told.model = model;
            out.push(StreamEvent::Start {
                message_id: told.id.clone(),
                model: told.model.clone(),
            });
        }
        if self.progress == Progress::Waiting {
            self.progress = Progress::Started;
        }
        Known::Yes
    }

    /// `kind` is the event that says so; the response's own status knows better.
    pub(super) fn end_response(
        &mut self,
        kind: &str,
        response: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        self.continue_response(response, out);
        let list = items(&response["output"]);
        let known = self.fill_items(list, out);
        if !list.is_empty() {
            self.disown_waiting(out);
        }
        self.close_all(out);
        if let Some(usage) = usage(response) {
            let is_total = false;
            out.push(StreamEvent::Usage { usage, is_total });
        }
        let said = kind.strip_prefix("response.").unwrap_or_default();
        let stop_reason = match text(response, "status") {
            status if has_ended(response) => self.stop_reason(status, response, out),
            _ => self.stop_reason(said, response, out),
        };
        self.progress = Progress::Done;
        out.push(StreamEvent::Done { stop_reason });
        known
    }

    fn stop_reason(
        &mut self,
        status: &str,
        response: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Option<StopReason> {
        match status {
            "failed" => {
                self.fail(failure(response), out);
                Some(StopReason::Error)
            }
            "incomplete" => match text(&response["incomplete_details"], "reason") {
                "max_output_tokens" | "max_tokens" | "length" => Some(StopReason::MaxTokens),
                "content_filter" => Some(StopReason::ContentFilter),
                _ => None,
            },
            "cancelled" => Some(StopReason::Cancelled),
            _ if self.calls.is_any_for_weir() => Some(StopReason::ToolUse),
            _ => Some(StopReason::EndTurn),
        }
    }

    pub(super) fn close_all(&mut self, out: &mut Vec<StreamEvent>) {
        self.close_calls(out);
        self.messages = Open::default();
        self.thoughts = Open::default();
        self.blocks.close_all(out);
    }

    pub(super) fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.close_all(out);
        self.progress = Progress::Failed;
        let told = self.response.failure.as_ref();
        if !told.is_some_and(|told| told.says_the_same(&error)) {
            self.response.failure = Some(error.clone());
            out.push(StreamEvent::Error { error });
        }
    }
}

pub(super) fn has_ended(response: &Value) -> bool {
    let status = text(response, "status");
    ["completed", "incomplete", "failed", "cancelled"].contains(&status)
}

fn failure(response: &Value) -> ErrorBody {
    if response["error"].is_null() {
        Reported::new("The provider says that the response failed, and not why.").body()
    } else {
        error_body(response)
    }
}

/// An error stands in a field of its own or fills the whole event.
pub(super) fn error_body(value: &Value) -> ErrorBody {
    let own = &value["error"];
    let error = if own.is_null() { value } else { own };
    let message = some_text(error, "message").or_else(|| error.as_str().map(str::to_owned));
    Reported::new(message.unwrap_or_else(|| error.to_string()))
        .with_fields(error)
        .body()
}
