//! The chat completions API, as OpenAI and many after it speak it: the request. Who speaks it,
//! and how each differs, stands in [`relatives`]; what comes back is [`mapper`]'s business.

pub(crate) mod mapper;
mod messages;
mod options;
pub(crate) mod relatives;
mod thinking;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};

use super::adapt::{self, Part};
use super::call_ids;
use super::dialect::Dialect;
use super::dialect::json::text;
use super::effort;
use super::http::{self, Call};
use super::request::function;
use super::{
    Api, Connection, Listing, Opening, SourceError, StepRequest, Window, offers, openai_responses,
};
use messages::{answer_results, mark_all};
pub(crate) use options::write_sampling;
use thinking::refuses_effort_with_tools;

/// One server's way of speaking it.
pub(crate) struct ChatCompletions {
    pub(crate) thinking: AskThinking,
    pub(crate) usage: AskUsage,
    pub(crate) cache: CacheHint,
    pub(crate) wire: Wire,
}

/// What else differs from server to server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wire {
    pub(crate) call_ids: CallIds,
    /// How the limit of tokens is called.
    pub(crate) max_tokens: &'static str,
    pub(crate) own_tools: OwnTools,
}

/// How a server is told to use tools of its own.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OwnTools {
    None,
    /// `plugins`, for every model.
    Plugins,
    /// Among the tools, by their types; for the models of OpenAI's open weights.
    Types,
    /// Among the tools, with settings.
    SearchTool,
    /// `enable_search`.
    SearchField,
}

impl Wire {
    pub(crate) const PLAIN: Self = Self {
        call_ids: CallIds::ByModel,
        max_tokens: "max_tokens",
        own_tools: OwnTools::None,
    };
    pub(crate) const OPENAI: Self = Self {
        call_ids: CallIds::Short,
        max_tokens: "max_completion_tokens",
        own_tools: OwnTools::None,
    };
}

/// Which ids of tool calls a server takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallIds {
    /// At most forty characters.
    Short,
    /// Exactly nine letters and digits.
    Nine,
    /// Nine for the models that want that, whoever serves them.
    ByModel,
}

/// How a model is told to think. Models that cannot must not be asked: many refuse the field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskThinking {
    /// Not at all: the model decides.
    Never,
    /// `reasoning_effort`, for OpenAI's models that reason.
    Effort,
    /// `reasoning_effort`, for the models of these rows.
    Rows(&'static [effort::Row]),
    /// `reasoning_effort`, with the levels that the catalogue has for this source's models.
    Listed(&'static str),
    /// `reasoning_effort`, but only to switch thinking off.
    OffWord,
    /// `reasoning`, translated by the server for the model behind it.
    Reasoning,
    /// `thinking: {type}` and `reasoning_effort`; while it thinks, every earlier message of its
    /// own must come with the thinking that led to it.
    Switch,
    /// An argument of the model's own template.
    Template,
    /// Moonshot's: each generation of its models is told in another way.
    Kimi,
    /// `enable_thinking`: on or off.
    Enable,
    /// Z.ai's: `thinking: {type}`, and from GLM 5.3 on `reasoning_effort` in place of the switch.
    Glm,
}

/// Whether usage has to be asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskUsage {
    Option,
    /// It comes by itself, and the option is refused.
    Unasked,
}

/// How a server is helped to find what it cached.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheHint {
    None,
    /// `prompt_cache_key`.
    Key,
    /// Breakpoints in the text, for the models that want them.
    Breakpoints,
}

/// How a server that serves many calls the models that sign their thinking and want
/// breakpoints for their cache.
const ANTHROPIC: &str = "anthropic/";
/// How Moonshot's models that think are called; its older ones are `moonshot-v1-…`.
const KIMI: &str = "kimi-";
/// What stands between the results of tools and the next prompt, where a model wants to have
/// answered them: the reply was stopped, or a hook speaks.
const AFTER_RESULTS: &str = "(This reply ended here.)";

impl Api for ChatCompletions {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            if self.needs_responses(&request) {
                return openai_responses::open(&connection, request).await;
            }
            let call = |_: &[u8]| call(&connection, "/chat/completions");
            let mut request = request;
            if let Some(rule) = self.call_ids(&request.model) {
                call_ids::fit(&mut request.messages, rule);
            }
            let mut notes = Vec::new();
            let body = self.body(&request, &mut notes);
            connection.exchange.note_all(notes);
            let framing = mapper::DIALECT.framing;
            adapt::stream(&connection, &request.model, call, body, framing, PARTS).await
        }
        .boxed()
    }

    fn dialect(&self, request: &StepRequest) -> Option<&'static Dialect> {
        self.needs_responses(request)
            .then_some(&openai_responses::mapper::DIALECT)
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move { list_models(&connection).await }.boxed()
    }

    fn context_window(&'static self, connection: Connection, model: String) -> Window {
        async move {
            let listed = call(&connection, "/models").ok()?.list("data").await.ok()?;
            let own = listed.iter().find(|it| text(it, "id") == model)?;
            // As vLLM, llama.cpp and LM Studio call it.
            ["/max_model_len", "/meta/n_ctx", "/loaded_context_length"]
                .into_iter()
                .find_map(|at| own.pointer(at)?.as_u64())
                .filter(|tokens| *tokens > 0)
        }
        .boxed()
    }
}

pub(crate) fn call<'a>(connection: &'a Connection, path: &str) -> Result<Call<'a>, SourceError> {
    Ok(Call {
        connection,
        url: http::api(&connection.base_url, "/v1", path)?,
        headers: http::bearer(connection.key.as_ref())?,
    })
}

/// The models a server lists, newest first, without those that cannot chat.
pub(crate) async fn list_models(connection: &Connection) -> Result<Vec<String>, SourceError> {
    let listed = call(connection, "/models")?.list("data").await?;
    Ok(chat_models(&listed))
}

/// The ids of those that can chat, newest first.
pub(crate) fn chat_models(listed: &[Value]) -> Vec<String> {
    let mut models: Vec<&Value> = listed.iter().filter(|model| chats(model)).collect();
    models.sort_by_key(|model| std::cmp::Reverse(model["created"].as_u64()));
    let ids = models.into_iter().map(|model| text(model, "id").to_owned());
    ids.collect()
}

fn chats(model: &Value) -> bool {
    const OTHERWISE: [&str; 13] = [
        "embed",
        "whisper",
        "tts",
        "dall-e",
        "moderation",
        "davinci",
        "babbage",
        "gpt-image",
        "image-",
        "sora",
        "transcribe",
        "realtime",
        "-audio",
    ];
    let id = text(model, "id");
    let said = &model["capabilities"]["completion_chat"];
    !id.is_empty()
        && said.as_bool().unwrap_or(true)
        && !OTHERWISE.iter().any(|word| id.contains(word))
}

/// What is given up where a server refuses it.
const PARTS: &[Part] = &[
    Part::EffortWithTools,
    Part::ReasoningOff,
    Part::Effort("/reasoning_effort"),
    Part::MaxTokens,
    Part::Field("temperature"),
    Part::Field("top_p"),
    Part::Field("stop"),
];

impl ChatCompletions {
    fn body(&self, request: &StepRequest, notes: &mut Vec<String>) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), request.model.clone().into());
        body.insert("stream".into(), true.into());
        if self.usage == AskUsage::Option {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        if self.cache == CacheHint::Key && !request.cache_key.is_empty() {
            body.insert("prompt_cache_key".into(), request.cache_key.clone().into());
        }
        for (field, value) in self.thinking(request, notes) {
            body.insert(field.into(), value);
        }
        self.write_options(request, notes, &mut body);
        let mut tools: Vec<Value> = request.tools.iter().map(function).collect();
        self.add_own_tools(request, &mut tools, &mut body, notes);
        if !tools.is_empty() {
            body.insert("tools".into(), tools.into());
            // Without it the input of a call comes in one piece, after a long silence.
            if self.thinking == AskThinking::Glm && streams_calls(&request.model) {
                body.insert("tool_stream".into(), true.into());
            }
        }
        if let Some(schema) = &request.options.schema {
            let format = json!({"type": "json_schema", "json_schema": offers::json_schema(schema)});
            body.insert("response_format".into(), format);
        }
        let mut messages = Vec::new();
        if let Some(system) = &request.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        for message in &request.messages {
            self.write(message, request, &mut messages);
        }
        if self.call_ids(&request.model) == Some(call_ids::MISTRAL) {
            answer_results(&mut messages);
        }
        if self.cache == CacheHint::Breakpoints && request.model.starts_with(ANTHROPIC) {
            mark_all(&mut messages);
        }
        body.insert("messages".into(), messages.into());
        body.into()
    }

    /// Whether a request has to go to the Responses API: some models of OpenAI's refuse tools in
    /// chat completions unless they do not think, and cannot be told not to.
    fn needs_responses(&self, request: &StepRequest) -> bool {
        let model = request.model.as_str();
        let cannot_stop = effort::openai(model).is_some_and(|levels| levels.off.is_none());
        self.thinking == AskThinking::Effort
            && !request.tools.is_empty()
            && refuses_effort_with_tools(model)
            && cannot_stop
    }

    fn call_ids(&self, model: &str) -> Option<call_ids::Rule> {
        match self.wire.call_ids {
            CallIds::Short => Some(call_ids::OPENAI_CHAT),
            CallIds::Nine => Some(call_ids::MISTRAL),
            CallIds::ByModel => call_ids::is_mistral(model).then_some(call_ids::MISTRAL),
        }
    }
}

/// Whether one of Z.ai's models streams the input of its calls: from GLM 4.6 on.
fn streams_calls(model: &str) -> bool {
    let version = model.strip_prefix("glm-").and_then(effort::version);
    version.is_some_and(|version| version >= (4, 6))
}

#[cfg(test)]
mod tests;
