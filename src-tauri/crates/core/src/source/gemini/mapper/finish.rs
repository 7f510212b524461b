//! How a message ends: why the model stopped, what was blocked, what failed.

use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent};

use super::{Finish, GeminiMapper};
use crate::source::dialect::json::{some_text, text};
use crate::source::dialect::{Known, Progress};
use crate::source::fault::Reported;

impl Finish {
    fn new(reason: StopReason) -> Self {
        Self {
            reason: Some(reason),
            error: None,
        }
    }

    pub(super) fn without_reason() -> Self {
        Self {
            reason: None,
            error: None,
        }
    }
}

impl GeminiMapper {
    /// The last word counts; that it was the last is known when the stream is over.
    pub(super) fn learn_finish(&mut self, candidate: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let reported = &candidate["finishReason"];
        let Some(word) = reported.as_str() else {
            return if reported.is_null() {
                Known::Yes
            } else {
                Known::No
            };
        };
        let message = some_text(candidate, "finishMessage");
        let finish = match word {
            "" | "FINISH_REASON_UNSPECIFIED" => return Known::Yes,
            "STOP" => Finish::new(StopReason::EndTurn),
            "MAX_TOKENS" => Finish::new(StopReason::MaxTokens),
            "SAFETY"
            | "RECITATION"
            | "BLOCKLIST"
            | "PROHIBITED_CONTENT"
            | "SPII"
            | "LANGUAGE"
            | "MODEL_ARMOR"
            | "ESCALATION"
            | "IMAGE_SAFETY"
            | "IMAGE_PROHIBITED_CONTENT"
            | "IMAGE_RECITATION" => {
                // Why it was refused is said here and nowhere else.
                out.extend(message.map(|message| StreamEvent::Status { message }));
                Finish::new(StopReason::ContentFilter)
            }
            "OTHER"
            | "MALFORMED_FUNCTION_CALL"
            | "MALFORMED_RESPONSE"
            | "UNEXPECTED_TOOL_CALL"
            | "TOO_MANY_TOOL_CALLS"
            | "MISSING_THOUGHT_SIGNATURE"
            | "NO_IMAGE"
            | "IMAGE_OTHER" => {
                let message = message.unwrap_or_else(|| format!("The model stopped: {word}."));
                Finish {
                    reason: Some(StopReason::Error),
                    error: Some(Reported::new(message).with_code(word).body()),
                }
            }
            _ => {
                self.finish = Some(Finish::without_reason());
                return Known::No;
            }
        };
        self.finish = Some(finish);
        Known::Yes
    }

    /// A prompt that was refused gets no candidate, and so no finish reason.
    pub(super) fn learn_block(&mut self, feedback: &Value, out: &mut Vec<StreamEvent>) {
        let reason = text(feedback, "blockReason");
        if reason.is_empty() || reason.ends_with("_UNSPECIFIED") {
            return;
        }
        // Every chunk may repeat it.
        if self.finish.is_none() {
            let message = some_text(feedback, "blockReasonMessage")
                .unwrap_or_else(|| format!("The prompt was blocked: {reason}."));
            out.push(StreamEvent::Status { message });
        }
        self.finish = Some(Finish::new(StopReason::ContentFilter));
    }

    pub(super) fn fail(&mut self, error: &Value, out: &mut Vec<StreamEvent>) {
        self.drop_call(out);
        self.blocks.close_all(out);
        self.progress = Progress::Failed;
        let error = error_body(error);
        out.push(StreamEvent::Error { error });
    }

    /// The stream is over. Says what was still to be said, and `Done` if the model finished.
    pub(super) fn finish(&mut self, out: &mut Vec<StreamEvent>) {
        self.end_tools(out);
        let rest = self.citations.take_rest();
        self.add_citations(rest, out);
        let finish = self.finish.take();
        match finish.as_ref().and_then(|finish| finish.reason) {
            // Some streams leave out the end of the last call; a full stop ends it too.
            Some(StopReason::EndTurn) => self.end_call(out),
            Some(_) | None => self.drop_call(out),
        }
        self.blocks.close_all(out);
        let Some(finish) = finish else {
            return;
        };
        self.progress = Progress::Done;
        out.extend(finish.error.map(|error| StreamEvent::Error { error }));
        let stop_reason = match finish.reason {
            Some(StopReason::EndTurn) if self.calls.were_made() => Some(StopReason::ToolUse),
            reason => reason,
        };
        out.push(StreamEvent::Done { stop_reason });
    }
}

fn error_body(error: &Value) -> ErrorBody {
    let message = some_text(error, "message")
        .or_else(|| error.as_str().map(str::to_owned))
        .unwrap_or_else(|| error.to_string());
    Reported::new(message).with_fields(error).body()
}
