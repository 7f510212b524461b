//! The chat completions API, as OpenAI and many after it speak it: the request. Who speaks it,
//! and how each differs, stands in [`relatives`]; what comes back is [`mapper`]'s business.

pub(crate) mod mapper;
pub(crate) mod relatives;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, Thinking};

use super::dialect::json::text;
use super::http::{self, Call};
use super::request::{effort, function, plain};
use super::{Api, Block, Connection, Listing, Message, Opening, Role, SourceError, StepRequest};

/// One server's way of speaking it.
pub(crate) struct ChatCompletions {
    pub(crate) thinking: AskThinking,
    pub(crate) usage: AskUsage,
    pub(crate) cache: CacheHint,
}

/// How a model is told to think. Models that cannot must not be asked: many refuse the field.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskThinking {
    /// Not at all: the model decides.
    Never,
    /// `reasoning_effort`, for OpenAI's models that reason.
    Effort,
    /// `reasoning_effort`, but only to switch thinking off.
    OffWord,
    /// `reasoning`, translated by the server for the model behind it.
    Reasoning,
    /// `thinking: {type}`; it wants its thinking back between the steps of a turn.
    Switch,
    /// An argument of the model's own template.
    Template,
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

impl Api for ChatCompletions {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let call = call(&connection, "/chat/completions")?;
            let body = self.body(&request);
            call.stream(&body, mapper::DIALECT.framing).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move { list_models(&connection).await }.boxed()
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
    let mut models: Vec<&Value> = listed.iter().filter(|model| chats(model)).collect();
    models.sort_by_key(|model| std::cmp::Reverse(model["created"].as_u64()));
    let ids = models.into_iter().map(|model| text(model, "id").to_owned());
    Ok(ids.collect())
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

impl ChatCompletions {
    fn body(&self, request: &StepRequest) -> Value {
        let mut body = Map::new();
        body.insert("model".into(), request.model.clone().into());
        body.insert("stream".into(), true.into());
        if self.usage == AskUsage::Option {
            body.insert("stream_options".into(), json!({"include_usage": true}));
        }
        if self.cache == CacheHint::Key && !request.cache_key.is_empty() {
            body.insert("prompt_cache_key".into(), request.cache_key.clone().into());
        }
        if let Some((field, value)) = self.thinking(request) {
            body.insert(field.into(), value);
        }
        if !request.tools.is_empty() {
            let tools: Vec<Value> = request.tools.iter().map(function).collect();
            body.insert("tools".into(), tools.into());
        }
        let mut messages = Vec::new();
        if let Some(system) = &request.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        for message in &request.messages {
            self.write(message, &request.model, &mut messages);
        }
        if self.cache == CacheHint::Breakpoints && request.model.starts_with(ANTHROPIC) {
            mark_all(&mut messages);
        }
        body.insert("messages".into(), messages.into());
        body.into()
    }

    fn thinking(&self, request: &StepRequest) -> Option<(&'static str, Value)> {
        let thinking = request.thinking;
        match self.thinking {
            AskThinking::Never => None,
            AskThinking::Effort => {
                let word = reasoning_effort(&request.model, thinking)?;
                Some(("reasoning_effort", word.into()))
            }
            AskThinking::OffWord => {
                (thinking == Thinking::Off).then(|| ("reasoning_effort", "none".into()))
            }
            AskThinking::Reasoning => Some((
                "reasoning",
                match (thinking, effort(thinking)) {
                    (Thinking::Tokens(tokens), _) => json!({"max_tokens": tokens}),
                    (_, Some(effort)) => json!({"effort": effort}),
                    (_, None) => json!({"enabled": false}),
                },
            )),
            AskThinking::Switch => {
                let kind = if thinking == Thinking::Off {
                    "disabled"
                } else {
                    "enabled"
                };
                Some(("thinking", json!({"type": kind})))
            }
            AskThinking::Template => (thinking == Thinking::Off).then(|| {
                let without = json!({"enable_thinking": false});
                ("chat_template_kwargs", without)
            }),
        }
    }

    fn write(&self, message: &Message, model: &str, out: &mut Vec<Value>) {
        match message.role {
            Role::User => write_user(message, out),
            Role::Assistant => out.extend(self.assistant(message, model)),
        }
    }

    fn assistant(&self, message: &Message, model: &str) -> Option<Value> {
        let mut said = String::new();
        let mut calls = Vec::new();
        let mut reasoning = Vec::new();
        let mut thought = String::new();
        for block in &message.blocks {
            match block {
                Block::Text { text, .. } => said.push_str(text),
                Block::Thinking { content, signature } => reasoning.push(json!({
                    "type": "reasoning.text", "text": content, "signature": signature,
                })),
                Block::Redacted(data) => {
                    reasoning.push(json!({"type": "reasoning.encrypted", "data": data}));
                }
                Block::Reasoning(content) => thought.push_str(content),
                Block::ToolUse {
                    tool_call_id,
                    name,
                    input,
                    executed_by: ExecutedBy::Weir,
                    ..
                } => calls.push(json!({
                    "id": tool_call_id,
                    "type": "function",
                    "function": {"name": name, "arguments": plain(input)},
                })),
                Block::ToolUse { .. } | Block::ToolResult { .. } | Block::Image { .. } => {}
            }
        }
        if said.is_empty() && calls.is_empty() {
            return None;
        }
        let mut message = json!({"role": "assistant", "content": said});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        // The others know no thinking in this form, and refuse what they do not know.
        let knows = self.thinking == AskThinking::Reasoning && model.starts_with(ANTHROPIC);
        if knows && !reasoning.is_empty() {
            message["reasoning_details"] = reasoning.into();
        }
        if self.thinking == AskThinking::Switch && !thought.is_empty() {
            message["reasoning_content"] = thought.into();
        }
        Some(message)
    }
}

/// Results of tools are messages of their own and come first: they answer what stands above.
fn write_user(message: &Message, out: &mut Vec<Value>) {
    let mut parts = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, .. } => parts.push(json!({"type": "text", "text": text})),
            Block::Image { media_type, data } => parts.push(json!({
                "type": "image_url",
                "image_url": {"url": format!("data:{media_type};base64,{data}")},
            })),
            Block::ToolResult {
                tool_call_id,
                result,
                ..
            } => out.push(json!({
                "role": "tool",
                "tool_call_id": tool_call_id,
                "content": plain(result),
            })),
            Block::Thinking { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. } => {}
        }
    }
    if parts.is_empty() {
        return;
    }
    // Every server takes a string; some take nothing else.
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
    out.push(match texts {
        Some(texts) => json!({"role": "user", "content": texts.join("\n\n")}),
        None => json!({"role": "user", "content": parts}),
    });
}

/// Breakpoints on the system prompt and on the last two messages of the user.
fn mark_all(messages: &mut [Value]) {
    let of = |role: &'static str| move |message: &&mut Value| message["role"] == role;
    messages.iter_mut().filter(of("system")).for_each(mark);
    let users = messages.iter_mut().rev().filter(of("user"));
    users.take(2).for_each(mark);
}

/// A breakpoint can only stand on a part, so a plain string becomes one.
fn mark(message: &mut Value) {
    if let Value::String(text) = &message["content"] {
        message["content"] = json!([{"type": "text", "text": text}]);
    }
    if let Some(Value::Object(part)) = message["content"]
        .as_array_mut()
        .and_then(|parts| parts.last_mut())
    {
        part.insert("cache_control".into(), json!({"type": "ephemeral"}));
    }
}

/// The word for how hard one of OpenAI's models shall think; none for those that cannot.
pub(crate) fn reasoning_effort(model: &str, thinking: Thinking) -> Option<&'static str> {
    let open_weights = model.contains("gpt-oss");
    let of_the_os = model
        .strip_prefix('o')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let version = model.strip_prefix("gpt-").unwrap_or_default();
    let major: u32 = version
        .split(|c: char| !c.is_ascii_digit())
        .next()
        .and_then(|digits| digits.parse().ok())
        .unwrap_or_default();
    if !of_the_os && !open_weights && (major < 5 || model.contains("chat")) {
        return None;
    }
    // Not all of them can stop thinking altogether.
    let restless = ["codex", "astra", "6.1-sol"];
    let least = match version {
        "" => "low",
        _ if restless.iter().any(|word| version.contains(word)) => "low",
        "5" => "minimal",
        _ if version.starts_with("5-") => "minimal",
        _ => "none",
    };
    Some(effort(thinking).unwrap_or(least))
}

#[cfg(test)]
mod tests;
