//! The chat completions API, as OpenAI and many after it speak it: the request. Who speaks it,
//! and how each differs, stands in [`relatives`]; what comes back is [`mapper`]'s business.

pub(crate) mod mapper;
pub(crate) mod relatives;

use futures_util::FutureExt;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, ProviderTool, Thinking, ToolChoice};

use super::adapt::{self, Part, without_effort};
use super::call_ids;
use super::dialect::Dialect;
use super::dialect::json::{items, text};
use super::effort::{self, Levels};
use super::http::{self, Call};
use super::request::{function, function_choice, note_left_out, plain, tool_choice};
use super::{
    Api, Block, ChosenBy, Connection, Listing, Message, Opening, Role, SourceError, StepRequest,
    Window, offers, openai_responses,
};
use mapper::details;

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
            notes
                .into_iter()
                .for_each(|it| connection.exchange.note(it));
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

    fn add_own_tools(
        &self,
        request: &StepRequest,
        tools: &mut Vec<Value>,
        body: &mut Map<String, Value>,
        notes: &mut Vec<String>,
    ) {
        for tool in &request.options.provider_tools {
            match (self.wire.own_tools, tool) {
                (OwnTools::Plugins, ProviderTool::WebSearch) => {
                    body.insert("plugins".into(), json!([{"id": "web"}]));
                }
                (OwnTools::Types, _) if !request.model.contains("gpt-oss") => {
                    note_left_out(&request.model, tool.label(), notes);
                }
                (OwnTools::Types, ProviderTool::WebSearch) => {
                    tools.push(json!({"type": "browser_search"}));
                }
                (OwnTools::Types, ProviderTool::CodeExecution) => {
                    tools.push(json!({"type": "code_interpreter"}));
                }
                (OwnTools::SearchTool, ProviderTool::WebSearch) => {
                    let search = json!({"enable": true, "search_engine": "search-prime",
                        "search_result": true});
                    tools.push(json!({"type": "web_search", "web_search": search}));
                }
                (OwnTools::SearchField, ProviderTool::WebSearch) => {
                    body.insert("enable_search".into(), true.into());
                }
                // The rows of the sources offer no others.
                (
                    OwnTools::None
                    | OwnTools::Plugins
                    | OwnTools::Types
                    | OwnTools::SearchTool
                    | OwnTools::SearchField,
                    _,
                ) => {}
            }
        }
    }

    fn thinking(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
    ) -> Vec<(&'static str, Value)> {
        let thinking = request.thinking;
        let model = request.model.as_str();
        match self.thinking {
            AskThinking::Never => {
                effort::note_no_effect(request, notes);
                Vec::new()
            }
            AskThinking::Effort => effort_field(openai_effort(request, notes)),
            AskThinking::Rows(rows) => {
                let levels = effort::of_rows(rows, model);
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::Listed(source) => {
                let known = effort::listed(source, model);
                let levels = known
                    .as_ref()
                    .map(|(off, levels)| Levels { off: *off, levels });
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::OffWord => {
                let levels = Some(effort::OFF_ONLY);
                effort_field(effort::choose(request, levels, notes))
            }
            AskThinking::Reasoning => {
                let levels = Some(effort::OPENROUTER);
                let reasoning = match thinking {
                    Thinking::Off => json!({"enabled": false}),
                    Thinking::Tokens(tokens) => json!({"max_tokens": tokens}),
                    Thinking::Minimal
                    | Thinking::Low
                    | Thinking::Medium
                    | Thinking::High
                    | Thinking::Xhigh
                    | Thinking::Max => {
                        json!({"effort": effort::choose(request, levels, notes)})
                    }
                };
                vec![("reasoning", reasoning)]
            }
            AskThinking::Switch => {
                let mut fields = vec![("thinking", json!({"type": switched(thinking)}))];
                if thinking != Thinking::Off {
                    fields.extend(chosen_effort(request, effort::DEEPSEEK, notes));
                }
                fields
            }
            AskThinking::Glm => glm_thinking(request, notes),
            AskThinking::Template => {
                if thinking == Thinking::Off {
                    let without = json!({"enable_thinking": false});
                    return vec![("chat_template_kwargs", without)];
                }
                effort::note_no_effect(request, notes);
                Vec::new()
            }
            AskThinking::Kimi => kimi_thinking(request, notes),
            AskThinking::Enable => {
                // Those that always think refuse to be told not to.
                let always = ["qwq", "-thinking"];
                if always.iter().any(|word| model.contains(word)) {
                    effort::note_no_effect(request, notes);
                    return Vec::new();
                }
                if thinking != Thinking::Off {
                    effort::note_no_effect(request, notes);
                }
                vec![("enable_thinking", (thinking != Thinking::Off).into())]
            }
        }
    }

    fn write_options(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
        body: &mut Map<String, Value>,
    ) {
        let options = &request.options;
        let model = request.model.as_str();
        if let Some(most) = options.max_tokens {
            body.insert(self.wire.max_tokens.into(), most.into());
        }
        self.write_sampling_options(request, notes, body);
        if !options.stop.is_empty() {
            if self.refuses_stop(model) {
                note_left_out(model, "stop", notes);
            } else {
                body.insert("stop".into(), json!(options.stop));
            }
        }
        match tool_choice(request, notes) {
            Some(choice) if !self.takes_choice(choice, model, body) => {
                note_left_out(model, "this tool choice", notes);
            }
            Some(choice) => {
                body.insert("tool_choice".into(), function_choice(choice));
            }
            None => {}
        }
    }

    fn write_sampling_options(
        &self,
        request: &StepRequest,
        notes: &mut Vec<String>,
        body: &mut Map<String, Value>,
    ) {
        let model = request.model.as_str();
        if self.thinking == AskThinking::Effort {
            let effort = body.get("reasoning_effort").and_then(Value::as_str);
            let effort = effort.map(str::to_owned);
            write_sampling(request, effort.as_deref(), notes, body);
            return;
        }
        let is_kimi = self.thinking == AskThinking::Kimi && model.starts_with(KIMI);
        let thinks = self.thinking == AskThinking::Switch && request.thinking != Thinking::Off;
        let options = [
            (
                "temperature",
                request.options.temperature,
                is_kimi || thinks,
            ),
            // Beside thinking it has no effect, and is not refused.
            ("top_p", request.options.top_p, is_kimi),
        ];
        for (field, value, is_refused) in options {
            match value {
                Some(_) if is_refused => note_left_out(model, field, notes),
                Some(value) => {
                    body.insert(field.into(), value.into());
                }
                None => {}
            }
        }
    }

    fn refuses_stop(&self, model: &str) -> bool {
        let reasons = self.thinking == AskThinking::Effort && effort::openai(model).is_some();
        let is_grok = ["grok-4", "grok-3-mini"]
            .iter()
            .any(|name| model.starts_with(name));
        reasons || is_grok
    }

    /// Whether the server takes a tool choice beside the rest of the request. Many models decide
    /// for themselves while they think, and refuse to be forced.
    fn takes_choice(&self, choice: &ToolChoice, model: &str, body: &Map<String, Value>) -> bool {
        let is_forced = match choice {
            ToolChoice::Auto => return true,
            ToolChoice::None => false,
            ToolChoice::Required | ToolChoice::Tool(_) => true,
        };
        let is_off = body
            .get("thinking")
            .is_some_and(|it| it["type"] == "disabled");
        match self.thinking {
            AskThinking::Switch => !is_forced || is_off,
            AskThinking::Kimi => !is_forced || is_off || !model.starts_with(KIMI),
            AskThinking::Enable => {
                !is_forced || body.get("enable_thinking") == Some(&Value::Bool(false))
            }
            // It documents no other than `auto`.
            AskThinking::Glm => false,
            AskThinking::Never
            | AskThinking::Effort
            | AskThinking::Rows(_)
            | AskThinking::Listed(_)
            | AskThinking::OffWord
            | AskThinking::Reasoning
            | AskThinking::Template => true,
        }
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

    fn write(&self, message: &Message, request: &StepRequest, out: &mut Vec<Value>) {
        match message.role {
            Role::User => write_user(message, out),
            Role::Assistant => out.extend(self.assistant(message, request)),
        }
    }

    fn assistant(&self, message: &Message, request: &StepRequest) -> Option<Value> {
        let model = request.model.as_str();
        let mut said = String::new();
        let mut calls = Vec::new();
        // As some sessions have them that were begun before parts were kept whole.
        let mut reasoning = Vec::new();
        let mut kept = None;
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
                Block::ThinkingItem {
                    content, detail, ..
                } => {
                    thought.push_str(content);
                    for part in items(detail) {
                        details::add(&mut kept, part);
                    }
                }
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
        let has_calls = !calls.is_empty();
        if has_calls {
            message["tool_calls"] = calls.into();
        }
        match self.thinking {
            AskThinking::Reasoning => {
                if let Some(kept) = kept {
                    message["reasoning_details"] = kept;
                } else if model.starts_with(ANTHROPIC) && !reasoning.is_empty() {
                    message["reasoning_details"] = reasoning.into();
                }
            }
            // It refuses a message of its own that comes without, even one that had none.
            AskThinking::Switch if request.thinking != Thinking::Off => {
                message["reasoning_content"] = thought.into();
            }
            // It refuses calls without their thoughts, as those of another source are.
            AskThinking::Kimi if thought.is_empty() && has_calls => {
                message["reasoning_content"] = " ".into();
            }
            AskThinking::Kimi | AskThinking::Enable | AskThinking::Glm if !thought.is_empty() => {
                message["reasoning_content"] = thought.into();
            }
            // The others know no thinking in this form, and refuse what they do not know.
            AskThinking::Switch
            | AskThinking::Never
            | AskThinking::Effort
            | AskThinking::Rows(_)
            | AskThinking::Listed(_)
            | AskThinking::OffWord
            | AskThinking::Template
            | AskThinking::Kimi
            | AskThinking::Enable
            | AskThinking::Glm => {}
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
            | Block::ThinkingItem { .. }
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

fn switched(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Off => "disabled",
        Thinking::Minimal
        | Thinking::Low
        | Thinking::Medium
        | Thinking::High
        | Thinking::Xhigh
        | Thinking::Max
        | Thinking::Tokens(_) => "enabled",
    }
}

fn effort_field(word: Option<&'static str>) -> Vec<(&'static str, Value)> {
    let field = word.map(|word| ("reasoning_effort", word.into()));
    field.into_iter().collect()
}

/// The effort where the user chose one; what nobody chose is the model's own.
fn chosen_effort(
    request: &StepRequest,
    levels: Levels<'_>,
    notes: &mut Vec<String>,
) -> Vec<(&'static str, Value)> {
    match request.thinking_by {
        ChosenBy::User => effort_field(effort::choose(request, Some(levels), notes)),
        ChosenBy::Nobody => Vec::new(),
    }
}

/// From K3 on there is an effort with words of its own, and thinking cannot be switched off; the
/// K2.x could be, but for the one that writes code.
fn kimi_thinking(request: &StepRequest, notes: &mut Vec<String>) -> Vec<(&'static str, Value)> {
    let model = request.model.as_str();
    if let Some(levels) = effort::of_rows(effort::KIMI, model) {
        return effort_field(effort::choose(request, Some(levels), notes));
    }
    let is_switchable = model.starts_with("kimi-k2") && !model.contains("code");
    if is_switchable && request.thinking == Thinking::Off {
        return vec![("thinking", json!({"type": "disabled"}))];
    }
    effort::note_no_effect(request, notes);
    Vec::new()
}

fn glm_thinking(request: &StepRequest, notes: &mut Vec<String>) -> Vec<(&'static str, Value)> {
    let Some(levels) = effort::of_rows(effort::GLM, &request.model) else {
        if request.thinking != Thinking::Off {
            effort::note_no_effect(request, notes);
        }
        return vec![("thinking", json!({"type": switched(request.thinking)}))];
    };
    let mut fields = vec![("thinking", json!({"type": "enabled"}))];
    fields.extend(chosen_effort(request, levels, notes));
    fields
}

/// Whether one of Z.ai's models streams the input of its calls: from GLM 4.6 on.
fn streams_calls(model: &str) -> bool {
    let version = model.strip_prefix("glm-").and_then(effort::version);
    version.is_some_and(|version| version >= (4, 6))
}

/// Puts an answer between results and the message of the user that follows them.
fn answer_results(messages: &mut Vec<Value>) {
    let role = |messages: &[Value], at: usize| text(&messages[at], "role").to_owned();
    for at in (1..messages.len()).rev() {
        if role(messages, at) == "user" && role(messages, at - 1) == "tool" {
            let answer = json!({"role": "assistant", "content": AFTER_RESULTS});
            messages.insert(at, answer);
        }
    }
}

/// Newer models do not think in this API while they have tools, not even as much as they do by
/// themselves.
fn refuses_effort_with_tools(model: &str) -> bool {
    const FIRST_THAT_REFUSES: (u32, u32) = (5, 4);
    effort::openai_version(model).is_some_and(|it| it >= FIRST_THAT_REFUSES)
}

/// The word for how hard one of OpenAI's models shall think, if it is told. Models that cannot
/// stop thinking are not asked here while they have tools.
fn openai_effort(request: &StepRequest, notes: &mut Vec<String>) -> Option<&'static str> {
    let model = request.model.as_str();
    let levels = effort::openai(model);
    if levels.is_some() && refuses_effort_with_tools(model) && !request.tools.is_empty() {
        if request.thinking != Thinking::Off && request.thinking_by == ChosenBy::User {
            notes.push(without_effort(model));
        }
        return Some("none");
    }
    effort::choose(request, levels, notes)
}

/// Temperature and top-p, which OpenAI's models take only while they do not reason; those that
/// cannot stop refuse them always.
pub(crate) fn write_sampling(
    request: &StepRequest,
    effort: Option<&str>,
    notes: &mut Vec<String>,
    body: &mut Map<String, Value>,
) {
    let options = [
        ("temperature", request.options.temperature),
        ("top_p", request.options.top_p),
    ];
    for (field, value) in options {
        let Some(value) = value else { continue };
        if is_sampled(&request.model, effort) {
            body.insert(field.into(), value.into());
        } else {
            note_left_out(&request.model, field, notes);
        }
    }
}

fn is_sampled(model: &str, effort: Option<&str>) -> bool {
    match effort::openai(model) {
        None => true,
        Some(levels) => levels.off == Some("none") && effort == levels.off,
    }
}

#[cfg(test)]
mod tests;
