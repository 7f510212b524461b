//! The lines of `codex exec --json` to stream events.
//!
//! Owns what each line means, those of the agent's first protocol too ([`legacy`]). Keeps the
//! laws of [`crate::source::dialect`]: pure, no IO, no clock; what it does not know becomes
//! `Raw`, at most once per line. Must not know how the agent is run.
//!
//! The agent talks while it works, and only its last message of a turn is the answer. So a
//! message is held until it is clear which it is: work that follows makes it a status, the
//! end of the turn makes it text. A run may have several turns, and none of them says that it
//! is the last: `Done` waits for the end of the bytes.

use serde_json::Value;
use weir_protocol::{StopReason, StreamEvent, Todo, Usage};

use crate::source::dialect::json::{count, some_text, text, value};
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use call::Calls;
use item::Stage;

mod call;
mod item;
mod legacy;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "codex",
    framing: Framing::Lines,
    mapper: || Box::<CodexMapper>::default(),
};

#[derive(Default)]
struct CodexMapper {
    blocks: OpenBlocks<Key>,
    calls: Calls,
    held: Option<Held>,
    /// The thought being told, by its item, and how many of its bytes were.
    thought: Option<(String, usize)>,
    /// Whether any thinking was told: a blank line keeps what follows apart from it.
    has_thought: bool,
    todos: Option<Vec<Todo>>,
    has_answered: bool,
    /// An error that the agent may still get over.
    trouble: Option<String>,
    /// The last error that was told.
    failure: Option<String>,
    /// How the last turn ended, if it did.
    outcome: Option<StopReason>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Answer,
    Thought,
    Call(String),
}

/// The last message, until it is clear what it is.
struct Held {
    id: String,
    words: String,
    is_shown: bool,
}

impl Mapper for CodexMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if self.map_legacy_delta(frame.data, out) == Known::Yes {
            return;
        }
        if let Some(value) = value(frame.data, out)
            && self.map_line(&value, out) == Known::No
        {
            out.push(StreamEvent::Raw { value });
        }
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.answer(out);
        self.blocks.close_all(out);
        if let Some(message) = self.trouble.take() {
            self.fail("error", message, out);
        }
        match (self.outcome.take(), &self.failure) {
            (Some(reason), _) => {
                let stop_reason = Some(reason);
                out.push(StreamEvent::Done { stop_reason });
                Ending::Told
            }
            (None, Some(_)) => Ending::Told,
            (None, None) => Ending::Cut,
        }
    }
}

impl CodexMapper {
    fn map_line(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let item = &value["item"];
        match text(value, "type") {
            "thread.started" => self.start(value, "thread_id", out),
            "session.created" => self.start(value, "session_id", out),
            "turn.started" => self.start_turn(),
            "item.started" => return self.map_item(Stage::Started, item, out),
            "item.updated" => return self.map_item(Stage::Updated, item, out),
            "item.completed" => return self.map_item(Stage::Completed, item, out),
            "turn.completed" => {
                self.report_usage(&value["usage"], out);
                self.end_turn(StopReason::EndTurn, out);
                self.trouble = None;
            }
            "turn.failed" => {
                self.end_turn(StopReason::Error, out);
                self.trouble = None;
                self.fail("turn_failed", said(&value["error"]), out);
            }
            "error" => self.trouble(said(value), out),
            _ => return self.map_legacy(value, out),
        }
        Known::Yes
    }

    fn start(&mut self, value: &Value, id: &str, out: &mut Vec<StreamEvent>) {
        let session_id = some_text(value, id);
        self.calls.start_run(session_id.as_deref());
        out.push(StreamEvent::Start {
            message_id: None,
            model: some_text(value, "model"),
        });
        if session_id.is_some() {
            out.push(StreamEvent::Result {
                session_id,
                duration_ms: None,
                turns: None,
                cost: None,
            });
        }
    }

    fn start_turn(&mut self) {
        self.outcome = None;
        self.has_answered = false;
    }

    fn end_turn(&mut self, reason: StopReason, out: &mut Vec<StreamEvent>) {
        self.answer(out);
        self.blocks.close_all(out);
        self.outcome = Some(reason);
    }

    /// A message came. The one before it was no answer.
    fn hold(&mut self, id: &str, words: &str, out: &mut Vec<StreamEvent>) {
        if words.is_empty() {
            return;
        }
        match &mut self.held {
            Some(held) if !id.is_empty() && held.id == id => words.clone_into(&mut held.words),
            Some(_) | None => {
                self.go_on(out);
                self.held = Some(Held {
                    id: id.to_owned(),
                    words: words.to_owned(),
                    is_shown: false,
                });
            }
        }
    }

    /// The agent is at work: what it said last was about that.
    fn go_on(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(held) = &mut self.held
            && !held.is_shown
        {
            held.is_shown = true;
            let message = held.words.clone();
            out.push(StreamEvent::Status { message });
        }
    }

    /// The turn is over: what the agent said last was the answer.
    fn answer(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(held) = self.held.take() {
            self.say(held.words, out);
        }
    }

    fn say(&mut self, words: String, out: &mut Vec<StreamEvent>) {
        self.has_answered = true;
        self.blocks.add_text(Key::Answer, words.into(), out);
        self.blocks.close(&Key::Answer, out);
    }

    /// Usage is the agent's own sum over its run, cached tokens inside the input.
    fn report_usage(&mut self, reported: &Value, out: &mut Vec<StreamEvent>) {
        if !reported.is_object() {
            return;
        }
        // Past four thousand million it is garbage, and must not overflow when added up.
        let tokens = |field: &str| {
            let tokens = count(reported, field).unwrap_or_default();
            tokens.min(u64::from(u32::MAX))
        };
        let cached = tokens("cached_input_tokens");
        let usage = Usage {
            input_tokens: tokens("input_tokens").saturating_sub(cached),
            output_tokens: tokens("output_tokens"),
            reasoning_tokens: tokens("reasoning_output_tokens"),
            cache_read_tokens: cached,
            ..Usage::default()
        };
        let is_total = true;
        out.push(StreamEvent::Usage { usage, is_total });
    }

    /// The agent tells of broken connections as of errors, and then tries again.
    fn trouble(&mut self, message: String, out: &mut Vec<StreamEvent>) {
        self.trouble = Some(message.clone());
        out.push(StreamEvent::Status { message });
    }

    fn fail(&mut self, code: &str, message: String, out: &mut Vec<StreamEvent>) {
        if self.failure.as_ref() != Some(&message) {
            self.failure = Some(message.clone());
            let error = Reported::new(message).with_code(code).body();
            out.push(StreamEvent::Error { error });
        }
    }
}

/// An error's own words.
fn said(error: &Value) -> String {
    let message = some_text(error, "message").or_else(|| error.as_str().map(str::to_owned));
    message.unwrap_or_else(|| {
        if error.is_null() {
            "The agent failed and did not say why.".to_owned()
        } else {
            error.to_string()
        }
    })
}

#[cfg(test)]
mod tests;
