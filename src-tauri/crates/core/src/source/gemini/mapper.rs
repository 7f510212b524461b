//! Gemini's `streamGenerateContent` to stream events, as the Gemini API and Vertex AI send it.
//!
//! Owns what each kind of part means. Keeps the laws of [`crate::source::dialect`]: pure, no
//! IO, no clock; what it does not know becomes `Raw`, at most once per frame. Must not know
//! how a request is made or where the bytes come from.
//!
//! The stream has no last event. A finish reason ends nothing: a model that runs code may
//! give one, go on and give another. So `Done` is said when the stream is over.
//!
//! Three levels. A chunk of one candidate with one part of text is nearly all of a stream: one
//! that differs in its words and counts alone is not read again ([`Shape`]), others through
//! borrowed types. They allocate nothing but the text they hand on. Everything else is read
//! again as a `Value`.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use weir_protocol::{BlockId, Citation, ErrorBody, StopReason, StreamEvent};

use crate::source::dialect::json::{self, items, some_text, text};
use crate::source::dialect::shape::{Fit, Shape};
use crate::source::dialect::{Dialect, Ending, Known, Mapper, OpenBlocks, Progress};
use crate::wire::{Frame, Framing};

use calls::Calls;
use citations::Citations;
use tools::SourceTools;
use usage::{COUNTS, Counts, ReportedCounts, UsageSoFar};

mod args;
mod calls;
mod citations;
mod finish;
mod tools;
mod usage;

pub(crate) const DIALECT: Dialect = Dialect {
    name: "gemini",
    framing: Framing::Sse,
    mapper: || Box::<GeminiMapper>::default(),
};

/// A chunk with any of these is part of a message.
const MESSAGE_FIELDS: [&str; 5] = [
    "candidates",
    "usageMetadata",
    "promptFeedback",
    "modelVersion",
    "responseId",
];

#[derive(Default)]
struct GeminiMapper {
    blocks: OpenBlocks<Key>,
    seal: Seal,
    calls: Calls,
    tools: SourceTools,
    citations: Citations,
    usage: UsageSoFar,
    shape: Shape<Growing>,
    message_id: Option<String>,
    model: Option<String>,
    finish: Option<Finish>,
    progress: Progress,
}

/// What the words of a chunk are added to, and what it said was used.
#[derive(Clone, Copy)]
struct Growing {
    block: BlockId,
    told: ReportedCounts,
}

/// Parts have no index. One text or one thinking block is open at a time, and one call may
/// grow beside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Said(Voice),
    Call,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Voice {
    Text,
    Thinking,
}

impl Voice {
    fn of(thought: bool) -> Self {
        if thought { Self::Thinking } else { Self::Text }
    }
}

/// Whether the open text or thinking block has its signature: two in one block would be none.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Seal {
    #[default]
    None,
    Set,
}

/// Why the model stopped, and what to tell of it at the end.
struct Finish {
    reason: Option<StopReason>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Chunk<'a> {
    #[serde(borrow)]
    candidates: [Candidate<'a>; 1],
    #[serde(borrow, default)]
    usage_metadata: Counts<'a>,
    #[serde(borrow, default)]
    model_version: Cow<'a, str>,
    #[serde(borrow, default)]
    response_id: Cow<'a, str>,
    #[serde(default, rename = "createTime")]
    _create_time: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Candidate<'a> {
    #[serde(borrow)]
    content: Content<'a>,
    #[serde(default)]
    index: u64,
    #[serde(default, rename = "groundingMetadata")]
    _grounding: Nothing,
    #[serde(default, rename = "safetyRatings")]
    _safety: IgnoredAny,
    #[serde(default, rename = "avgLogprobs")]
    _logprobs: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Content<'a> {
    #[serde(borrow)]
    parts: [Part<'a>; 1],
    #[serde(default, rename = "role")]
    _role: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Part<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    #[serde(default)]
    thought: bool,
    #[serde(borrow, default)]
    thought_signature: Cow<'a, str>,
}

/// `{}`, and no object that says anything.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl Mapper for GeminiMapper {
    fn map(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) {
        self.shape.forget();
        if self.progress == Progress::Done {
            if let Some(value) = json::value(frame.data, out) {
                out.push(StreamEvent::Raw { value });
            }
        } else if let Ok(chunk) = serde_json::from_str::<Chunk<'_>>(frame.data)
            && chunk.candidates[0].index == 0
        {
            self.map_frequent(frame, chunk, out);
        } else if frame.data.trim_ascii() == "[DONE]" {
            // Not Google's, but gateways that speak several dialects end all of them so.
            self.finish.get_or_insert(Finish::without_reason());
            self.finish(out);
        } else if let Some(value) = json::value(frame.data, out)
            && self.map_rare(&value, out) == Known::No
        {
            out.push(StreamEvent::Raw { value });
        }
    }

    fn repeat(&mut self, frame: Frame<'_>, out: &mut Vec<StreamEvent>) -> Known {
        let Some(fit) = self.shape.fit(frame) else {
            return Known::No;
        };
        let Fit {
            target: Growing { block, mut told },
            words,
            numbers,
        } = fit;
        self.blocks.grow(block, words, out);
        for (count, number) in told.iter_mut().zip(numbers) {
            *count = number.or(*count);
        }
        self.usage.report(told, out);
        Known::Yes
    }

    fn end(&mut self, out: &mut Vec<StreamEvent>) -> Ending {
        self.finish(out);
        self.progress.ending()
    }
}

impl GeminiMapper {
    fn map_frequent(&mut self, frame: Frame<'_>, chunk: Chunk<'_>, out: &mut Vec<StreamEvent>) {
        let from = out.len();
        self.start(&chunk.response_id, &chunk.model_version, out);
        let [candidate] = chunk.candidates;
        let [part] = candidate.content.parts;
        let voice = Voice::of(part.thought);
        self.say(voice, part.text, &part.thought_signature, out);
        let told = chunk.usage_metadata.told();
        self.usage.learn_tier(&chunk.usage_metadata);
        self.usage.report(told, out);
        if part.thought_signature.is_empty() {
            let growing = |block| Growing { block, told };
            self.shape.learn(frame, &out[from..], &COUNTS, growing);
            // A field of that name may stand elsewhere, where nobody reads it.
            let same = |fit: Fit<Growing>| {
                let mut counts = fit.numbers.into_iter().zip(told);
                counts.all(|(number, count)| number.is_none() || number == count)
            };
            if !self.shape.fit(frame).is_some_and(same) {
                self.shape.forget();
            }
        }
    }

    fn map_rare(&mut self, value: &Value, out: &mut Vec<StreamEvent>) -> Known {
        match value {
            // What the address without `alt=sse` answers, an error above all.
            Value::Array(chunks) => all(chunks.iter().map(|chunk| self.map_rare(chunk, out))),
            // Code Assist wraps each chunk.
            Value::Object(_) if value["response"].is_object() => {
                self.map_rare(&value["response"], out)
            }
            Value::Object(_) => self.map_chunk(value, out),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Known::No,
        }
    }

    fn map_chunk(&mut self, chunk: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let has = |field: &str| !chunk[field].is_null();
        if MESSAGE_FIELDS.into_iter().any(has) {
            self.start(text(chunk, "responseId"), text(chunk, "modelVersion"), out);
        } else if !has("error") {
            return Known::No;
        }
        // Of several candidates the first counts; each chunk may bring another one.
        let mut first = None;
        let mut known = is_list_or_absent(&chunk["candidates"]);
        for candidate in items(&chunk["candidates"]) {
            let is_first = candidate["index"].as_u64().unwrap_or_default() == 0;
            if is_first && first.is_none() {
                first = Some(candidate);
            } else {
                known = Known::No;
            }
        }
        if let Some(candidate) = first {
            known = all([known, self.map_candidate(candidate, out)]);
        }
        self.learn_block(&chunk["promptFeedback"], out);
        self.usage.learn(&chunk["usageMetadata"], out);
        if has("error") {
            self.fail(&chunk["error"], out);
        }
        known
    }

    fn map_candidate(&mut self, candidate: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let parts = &candidate["content"]["parts"];
        let content = match &candidate["content"] {
            Value::Null | Value::Object(_) => is_list_or_absent(parts),
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Known::No,
        };
        let said = all(items(parts).iter().map(|part| self.map_part(part, out)));
        let cited = self.cite(candidate, out);
        let finished = self.learn_finish(candidate, out);
        all([content, said, cited, finished])
    }

    fn map_part(&mut self, part: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let Value::Object(fields) = part else {
            return Known::No;
        };
        let signature = text(part, "thoughtSignature");
        if let Some(call @ Value::Object(_)) = fields.get("functionCall") {
            return self.map_call(call, signature, out);
        }
        if fields.contains_key("inlineData") || fields.contains_key("fileData") {
            return self.make_file(part, out);
        }
        if self.use_tool(part, out) == Known::Yes {
            return Known::Yes;
        }
        let voice = Voice::of(part["thought"].as_bool().unwrap_or_default());
        match fields.get("text") {
            Some(Value::String(said)) => self.say(voice, said.as_str().into(), signature, out),
            // Where there is no text there may still be a signature.
            Some(Value::Null) | None if is_signature(fields) => {
                self.say(voice, Cow::default(), signature, out);
            }
            Some(_) | None => return Known::No,
        }
        Known::Yes
    }

    /// The message announces itself in every chunk; what is new in it is said once.
    fn start(&mut self, message_id: &str, model: &str, out: &mut Vec<StreamEvent>) {
        let learns = |known: &Option<String>, told: &str| known.is_none() && !told.is_empty();
        let news = learns(&self.message_id, message_id) || learns(&self.model, model);
        if self.progress != Progress::Waiting && !news {
            return;
        }
        let keep = |told: &str| (!told.is_empty()).then(|| told.to_owned());
        self.message_id = self.message_id.take().or_else(|| keep(message_id));
        self.model = self.model.take().or_else(|| keep(model));
        if self.progress == Progress::Waiting {
            self.progress = Progress::Started;
        }
        out.push(StreamEvent::Start {
            message_id: self.message_id.clone(),
            model: self.model.clone(),
        });
    }

    /// Adds a part of text or thinking. Its signature stays with the block it came in; it may
    /// come alone, after the text, or on the first piece of several.
    fn say(
        &mut self,
        voice: Voice,
        said: Cow<'_, str>,
        signature: &str,
        out: &mut Vec<StreamEvent>,
    ) {
        if said.is_empty() && signature.is_empty() {
            return;
        }
        let signed = !signature.is_empty();
        self.close(Voice::of(voice == Voice::Text), out);
        if signed && self.seal == Seal::Set {
            self.close(voice, out);
        }
        let key = Key::Said(voice);
        match voice {
            Voice::Text => {
                self.blocks.add_text(key, said, out);
                if signed {
                    self.blocks.text_id(key, out);
                    self.blocks.sign(&key, signature);
                }
            }
            Voice::Thinking => {
                self.blocks.add_thinking(key, said, out);
                self.blocks.sign_thinking(key, signature, out);
            }
        }
        if signed {
            self.seal = Seal::Set;
        }
    }

    fn close(&mut self, voice: Voice, out: &mut Vec<StreamEvent>) {
        let key = Key::Said(voice);
        if self.blocks.is_open(&key) {
            self.blocks.close(&key, out);
            self.seal = Seal::None;
        }
    }

    /// What follows is no text and no thinking, and keeps its place between them.
    fn pause(&mut self, out: &mut Vec<StreamEvent>) {
        self.close(Voice::Text, out);
        self.close(Voice::Thinking, out);
    }

    fn make_file(&mut self, part: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let inline = &part["inlineData"];
        let file = if inline.is_object() {
            inline
        } else {
            &part["fileData"]
        };
        let media_type = text(file, "mimeType").to_owned();
        let url = match (file["data"].as_str(), some_text(file, "fileUri")) {
            (Some(data), _) => format!("data:{media_type};base64,{data}"),
            (None, Some(address)) => address,
            (None, None) => return Known::No,
        };
        // A draft of its thinking is not what the model made.
        if part["thought"].as_bool().unwrap_or_default() {
            return Known::No;
        }
        self.pause(out);
        out.push(StreamEvent::File { url, media_type });
        // A file has no place for its signature: an empty text right after it keeps it.
        self.say(
            Voice::Text,
            Cow::default(),
            text(part, "thoughtSignature"),
            out,
        );
        self.close(Voice::Text, out);
        Known::Yes
    }

    /// Sources belong to the text; when that has ended, an empty one carries them.
    fn cite(&mut self, candidate: &Value, out: &mut Vec<StreamEvent>) -> Known {
        let learned = self.citations.learn(candidate);
        for message in learned.unread {
            out.push(StreamEvent::Status { message });
        }
        self.add_citations(learned.citations, out);
        learned.known
    }

    fn add_citations(&mut self, citations: Vec<Citation>, out: &mut Vec<StreamEvent>) {
        if citations.is_empty() {
            return;
        }
        self.close(Voice::Thinking, out);
        let id = self.blocks.text_id(Key::Said(Voice::Text), out);
        let cite = |citation| StreamEvent::Citation { id, citation };
        out.extend(citations.into_iter().map(cite));
    }
}

/// Whether nothing stands in a part beside its signature.
fn is_signature(fields: &Map<String, Value>) -> bool {
    let is_thought = |field: &str| field.starts_with("thought");
    let mut names = fields.keys();
    names.all(|field| is_thought(field) || field == "text")
}

/// A frame is known when all of it is.
fn all(each: impl IntoIterator<Item = Known>) -> Known {
    each.into_iter()
        .fold(Known::Yes, |so_far, next| match next {
            Known::Yes => so_far,
            Known::No => Known::No,
        })
}

fn is_list_or_absent(value: &Value) -> Known {
    match value {
        Value::Null | Value::Array(_) => Known::Yes,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => Known::No,
    }
}

#[cfg(test)]
mod tests;
