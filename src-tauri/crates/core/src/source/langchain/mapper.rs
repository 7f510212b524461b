//! LangChain's stream events to stream events.
//!
//! Owns what each `on_…` event means: a model's chunks are its words, the end of a model is
//! what it used, the end of the outermost run is the end of the stream, unless another such
//! run follows: so `Done` waits for the end of the bytes. Keeps the laws of
//! [`crate::source::dialect`]: pure, no IO, no clock; what it does not know becomes `Raw`, at
//! most once per frame. Must not know what the chain does between its models.
//!
//! An agent asks its models several times, perhaps at once: each run gets a `Start`, and what
//! they use adds up. It runs its tools itself. The ids of tool runs are LangChain's own and
//! name no call, so `on_tool_…` says nothing, unless it carries the model's own id of a call.
//! A chain that asks no model answers with its output. A model that failed may have a stand-in,
//! so its error is one only if the outermost run fails, or nothing more is said.
//!
//! Two levels. A piece of text or thinking is read through borrowed types and allocates
//! nothing but the text it hands on; everything else is read again as a `Value`.

use serde_json::Value;
use weir_protocol::{ErrorBody, StopReason, StreamEvent, Usage};

use crate::source::dialect::json::{self, some_text, text};
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks};
use crate::source::fault::Reported;
use crate::wire::{Frame, Framing};

use event::{Content, Event};
use run::{Index, Key, Runs, Slot};
use tools::Tools;
use usage::UsageSoFar;

mod event;
mod message;
mod run;
mod tools;
mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "langchain",
    framing: Framing::Lines,
    mapper: || Box::<LangChainMapper>::default(),
};

#[derive(Default)]
struct LangChainMapper {
    blocks: OpenBlocks<Key>,
    runs: Runs,
    tools: Tools,
    usage: UsageSoFar,
    outermost: Outermost,
    /// Why the last model stopped.
    stop_reason: Option<StopReason>,
    /// A model of the outermost run has spoken.
    has_begun: bool,
    /// A model came to its end, and none failed since.
    is_answered: bool,
    /// An error that the chain may still get over.
    failure: Option<ErrorBody>,
    /// An error was told.
    has_failed: bool,
    /// The outermost run came to its end.
    is_over: bool,
}

/// The run that all others are part of; the first event tells.
#[derive(Default)]
enum Outermost {
    #[default]
    Unheard,
    Run(String),
    /// It is not in this stream, so only the end of the bytes is the end.
    Elsewhere,
}

impl Mapper for LangChainMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        if let Ok(event) = serde_json::from_str::<Event<'_>>(frame.data)
            && self.map_frequent(event, out) == Known::Yes
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
        self.blocks.close_all(out);
        let is_alone = matches!(self.outermost, Outermost::Elsewhere) && self.runs.is_empty();
        if self.is_over || (is_alone && self.is_answered && !self.has_failed) {
            let failed = self.has_failed.then_some(StopReason::Error);
            let stop_reason = failed.or(self.stop_reason);
            out.push(StreamEvent::Done { stop_reason });
            return Ending::Told;
        }
        if let Some(error) = self.failure.take() {
            self.fail(error, out);
        }
        if self.has_failed {
            Ending::Told
        } else {
            Ending::Cut
        }
    }
}

impl LangChainMapper {
    fn map_frequent(&mut self, event: Event<'_>, out: &mut Vec<StreamEvent>) -> Known {
        if self.is_over || event.event.0 != "on_chat_model_stream" {
            return Known::No;
        }
        let begun = self.runs.find(&event.run_id.0);
        let Some(run) = begun.filter(|run| self.runs.has_begun(*run)) else {
            return Known::No;
        };
        let Some(words) = event.data.chunk.filter(|words| !words.is_rare) else {
            return Known::No;
        };
        match words.content {
            Content::Nothing => {}
            Content::Text(text) => self.say(run, Index::None, text, out),
            Content::Block(block) => {
                let index = block.index.map_or(Index::None, Index::Number);
                match &*block.kind.0 {
                    "text" | "text_delta" if !block.citations.0 => {
                        self.say(run, index, block.text.0, out);
                    }
                    "thinking" | "thinking_delta" if !block.signature.0 => {
                        self.think(run, index, block.thinking.0, out);
                    }
                    _ => return Known::No,
                }
            }
        }
        Known::Yes
    }

    fn map_rare(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let name = text(value, "event");
        let part = name
            .strip_prefix("on_")
            .and_then(|name| name.rsplit_once('_'));
        let Some((kind, phase)) = part else {
            return self.map_other(value, out);
        };
        if self.is_over && !self.begins_anew(phase, value) {
            return Known::No;
        }
        self.learn_outermost(kind, phase, value);
        let known = self.map_run(kind, phase, value, out);
        if phase == "end" && self.is_outermost(value) {
            self.is_over = true;
        }
        known
    }

    fn map_run(
        &mut self,
        kind: &str,
        phase: &str,
        value: &Value,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let data = &value["data"];
        match (kind, phase) {
            ("chat_model" | "llm", "start") => {
                self.runs.open(text(value, "run_id"));
                Known::Yes
            }
            ("chat_model" | "llm", "stream") => self.map_chunk(value, out),
            ("chat_model" | "llm", "end") => self.end_model(value, out),
            ("chain", "end") => {
                self.take_executions(&data["output"], out);
                match message::answer(&data["output"]) {
                    Some(answer) if self.is_outermost(value) && !self.has_begun => {
                        self.take_whole(value, message::unwrapped(answer), None, out)
                    }
                    Some(_) | None => Known::Yes,
                }
            }
            ("tool", "end" | "error") => {
                self.take_tool(data, out);
                if phase == "error" && self.is_outermost(value) {
                    self.take_error(value, out);
                }
                Known::Yes
            }
            ("chain" | "tool" | "prompt" | "parser" | "retriever", "start" | "stream" | "end") => {
                Known::Yes
            }
            (_, "error") => {
                self.take_error(value, out);
                Known::Yes
            }
            _ => Known::No,
        }
    }

    /// What a server says around the events: only its error is known.
    fn map_other(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let error = if self.is_over {
            return Known::No;
        } else if !value["error"].is_null() {
            error_body(value)
        } else if text(value, "event") == "error" {
            error_body(&value["data"])
        } else {
            return Known::No;
        };
        self.fail(error, out);
        Known::Yes
    }

    /// With parents there is an outer run that was left out. Without any word about parents,
    /// only a chain that starts first is sure to be around all the others.
    fn learn_outermost(&mut self, kind: &str, phase: &str, value: &Value) {
        if !matches!(self.outermost, Outermost::Unheard) {
            return;
        }
        let is_around = match value["parent_ids"].as_array() {
            Some(parents) => parents.is_empty(),
            None => (kind, phase) == ("chain", "start"),
        };
        self.outermost = match value["run_id"].as_str() {
            Some(run_id) if is_around => Outermost::Run(run_id.to_owned()),
            Some(_) | None => Outermost::Elsewhere,
        };
    }

    /// One stream may hold several runs, each the outermost of its own.
    fn begins_anew(&mut self, phase: &str, value: &Value) -> bool {
        let has_no_parent = match value["parent_ids"].as_array() {
            Some(parents) => parents.is_empty(),
            None => phase == "start",
        };
        let is_new = has_no_parent && !self.is_outermost(value);
        if is_new {
            self.is_over = false;
            self.has_begun = false;
            self.outermost = Outermost::Unheard;
        }
        is_new
    }

    fn is_outermost(&self, value: &Value) -> bool {
        matches!(&self.outermost, Outermost::Run(run_id) if value["run_id"] == *run_id)
    }

    fn map_chunk(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let run = self.runs.open(text(value, "run_id"));
        let message = message::unwrapped(&value["data"]["chunk"]);
        self.begin(run, message, value, out);
        let known = self.read_message(run, message, out);
        if let Some(usage) = usage::of_message(message) {
            self.runs.add_usage(run, &usage);
            self.report_usage(out);
        }
        self.learn_stop_reason(message, known)
    }

    fn end_model(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let output = &value["data"]["output"];
        let usage = usage::of_output(output);
        self.take_whole(value, message::of_output(output), usage, out)
    }

    /// The end of a run with its whole message, of which it may have said all or nothing.
    fn take_whole(
        &mut self,
        value: &Value,
        message: &Value,
        usage: Option<Usage>,
        out: &mut Vec<StreamEvent>,
    ) -> Known {
        let run = self.runs.open(text(value, "run_id"));
        self.begin(run, message, value, out);
        let mut known = Known::Yes;
        if !self.runs.has_spoken(run) && !message.is_null() {
            known = self.read_message(run, message, out);
        }
        self.take_calls(run, message, out);
        if let Some(usage) = usage.or_else(|| usage::of_message(message)) {
            self.runs.set_usage(run, usage);
        }
        self.report_usage(out);
        known = self.learn_stop_reason(message, known);
        self.end_run(run, out);
        self.is_answered = true;
        known
    }

    /// The first chunk of a run, or its end where there was none, tells whose words follow.
    fn begin(&mut self, run: usize, message: &Value, event: &Value, out: &mut Vec<StreamEvent>) {
        if !self.runs.begin(run) {
            return;
        }
        self.has_begun = true;
        self.failure = None;
        self.stop_reason = None;
        let told = [
            (&message["response_metadata"], "model_name"),
            (&message["response_metadata"], "model"),
            (&message["additional_kwargs"], "model"),
            (&event["metadata"], "ls_model_name"),
        ];
        out.push(StreamEvent::Start {
            message_id: some_text(message, "id"),
            model: told
                .iter()
                .find_map(|(object, field)| some_text(object, field)),
        });
    }

    fn end_run(&mut self, run: usize, out: &mut Vec<StreamEvent>) {
        if let Some(ended) = self.runs.close(run) {
            self.usage.add(&ended.usage);
            if let Some(slot) = ended.current {
                self.blocks.close(&Key { run, slot }, out);
            }
        }
        for call in self.tools.end_run(run) {
            let slot = Slot::Call(call);
            self.blocks.close(&Key { run, slot }, out);
        }
    }

    fn report_usage(&mut self, out: &mut Vec<StreamEvent>) {
        if let Some(usage) = self.usage.with(self.runs.usages()) {
            let is_total = false;
            out.push(StreamEvent::Usage { usage, is_total });
        }
    }

    fn learn_stop_reason(&mut self, message: &Value, known: Known) -> Known {
        match message::stop_reason(message) {
            None => known,
            Some(Some(reason)) => {
                self.stop_reason = Some(reason);
                known
            }
            Some(None) => Known::No,
        }
    }

    /// An error passes through every run around it, and is told once.
    fn take_error(&mut self, value: &Value, out: &mut Vec<StreamEvent>) {
        if let Some(run) = self.runs.find(text(value, "run_id")) {
            self.end_run(run, out);
        }
        self.is_answered = false;
        let error = error_body(&value["data"]);
        if self.is_outermost(value) {
            let held = self.failure.take();
            let held = held.filter(|_| value["data"]["error"].is_null());
            self.fail(held.unwrap_or(error), out);
        } else if !self.has_failed
            && !self
                .failure
                .as_ref()
                .is_some_and(|told| told.says_the_same(&error))
        {
            let message = error.message.clone();
            self.failure = Some(error);
            out.push(StreamEvent::Status { message });
        }
    }

    fn fail(&mut self, error: ErrorBody, out: &mut Vec<StreamEvent>) {
        self.failure = None;
        if !self.has_failed {
            self.blocks.close_all(out);
            self.has_failed = true;
            out.push(StreamEvent::Error { error });
        }
    }
}

fn error_body(value: &Value) -> ErrorBody {
    let inner = Some(&value["error"]).filter(|error| !error.is_null());
    let error = inner.unwrap_or(value);
    let message = some_text(error, "message")
        .or_else(|| error.as_str().map(str::to_owned))
        .unwrap_or_else(|| error.to_string());
    Reported::new(message).with_fields(error).body()
}

#[cfg(test)]
mod tests;
