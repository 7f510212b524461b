//! A step as Bedrock's Converse API takes it.
//!
//! What the types of the API do not say: text must not be blank, messages alternate, calls need
//! the tools they call to be described, and only some families of models take cache points or a
//! word on how much to think.

use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, RequestOptions, Thinking, ToolChoice};

use crate::source::request::{note_left_out, plain, tool_choice};
use crate::source::{Block, Message, Role, StepRequest};
use crate::source::{anthropic, call_ids, catalogue, effort, offers};

/// What families of models differ in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    Claude,
    Nova,
    GptOss,
    Other,
}

impl Family {
    fn of(model: &str) -> Self {
        if model.contains("anthropic.claude") {
            Self::Claude
        } else if model.contains("amazon.nova") {
            Self::Nova
        } else if model.contains("openai.gpt-oss") {
            Self::GptOss
        } else {
            Self::Other
        }
    }

    /// Whether it takes cache points, and the status of a tool's result.
    fn is_full(self) -> bool {
        matches!(self, Self::Claude | Self::Nova)
    }
}

pub(super) fn body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let family = Family::of(&request.model);
    let mut body = Map::new();
    if let Some(system) = request.system.as_deref().filter(|text| !is_blank(text)) {
        let mut blocks = vec![json!({"text": system})];
        if family.is_full() {
            blocks.push(cache_point());
        }
        body.insert("system".into(), blocks.into());
    }
    let mut messages = messages(request, family);
    if family.is_full() {
        // The older finds what the previous turn wrote, the newer writes for the next.
        let users = messages.iter_mut().rev().filter(|it| it["role"] == "user");
        for message in users.take(2) {
            if let Some(content) = message["content"].as_array_mut() {
                content.push(cache_point());
            }
        }
    }
    body.insert("messages".into(), messages.into());
    if let Some(tools) = tools(request) {
        body.insert("toolConfig".into(), json!({"tools": tools}));
    }
    insert_options(&mut body, request, family, notes);
    if let Some(schema) = &request.options.schema {
        // The API takes the schema as text.
        let schema = match family {
            Family::Claude => offers::closed(schema),
            Family::Nova | Family::GptOss | Family::Other => schema.clone(),
        };
        let definition = json!({"name": offers::SCHEMA_NAME, "schema": schema.to_string()});
        let format = json!({"type": "json_schema", "structure": {"jsonSchema": definition}});
        body.insert("outputConfig".into(), json!({"textFormat": format}));
    }
    body.into()
}

fn cache_point() -> Value {
    json!({"cachePoint": {"type": "default"}})
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// Those of the request; and where the conversation holds calls of tools that are gone, the API
/// wants to know those as well.
fn tools(request: &StepRequest) -> Option<Value> {
    let mut tools: Vec<Value> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for tool in &request.tools {
        let mut spec = json!({"name": tool.name, "inputSchema": {"json": tool.schema}});
        if !is_blank(&tool.description) {
            spec["description"] = tool.description.clone().into();
        }
        names.push(&tool.name);
        tools.push(json!({"toolSpec": spec}));
    }
    if tools.is_empty() {
        for block in request.messages.iter().flat_map(|it| &it.blocks) {
            let name = match block {
                Block::ToolUse {
                    name,
                    executed_by: ExecutedBy::Weir,
                    ..
                } => name.as_str(),
                Block::ToolUse { .. }
                | Block::ToolResult { .. }
                | Block::Text { .. }
                | Block::Thinking { .. }
                | Block::ThinkingItem { .. }
                | Block::Redacted(_)
                | Block::Reasoning(_)
                | Block::Image { .. } => continue,
            };
            if names.contains(&name) {
                continue;
            }
            names.push(name);
            let schema = json!({"json": {"type": "object"}});
            tools.push(json!({"toolSpec": {
                "name": tool_name(name), "description": "No longer available.",
                "inputSchema": schema,
            }}));
        }
    }
    (!tools.is_empty()).then(|| tools.into())
}

fn messages(request: &StepRequest, family: Family) -> Vec<Value> {
    let mut messages: Vec<Value> = Vec::new();
    for message in &request.messages {
        let content = content(message, family);
        if content.is_empty() {
            continue;
        }
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        match messages.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(before) = last["content"].as_array_mut() {
                    before.extend(content);
                }
            }
            Some(_) | None => messages.push(json!({"role": role, "content": content})),
        }
    }
    messages
}

fn content(message: &Message, family: Family) -> Vec<Value> {
    let mut results = Vec::new();
    let mut rest = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text { text, .. } if is_blank(text) => {}
            Block::Text { text, .. } => rest.push(json!({"text": text})),
            Block::Image { media_type, data } => {
                let format = media_type.trim_start_matches("image/");
                let image = json!({"format": format, "source": {"bytes": data}});
                rest.push(json!({"image": image}));
            }
            Block::Thinking { content, signature } if family == Family::Claude => {
                let thought = json!({"text": content, "signature": signature});
                rest.push(json!({"reasoningContent": {"reasoningText": thought}}));
            }
            Block::Redacted(sealed) if family == Family::Claude => {
                rest.push(json!({"reasoningContent": {"redactedContent": sealed}}));
            }
            Block::ToolUse {
                tool_call_id,
                name,
                input,
                executed_by: ExecutedBy::Weir,
                ..
            } => {
                // An input that was no JSON is kept as a string; the API takes objects only.
                let input = if input.is_object() {
                    input
                } else {
                    &json!({"input": input})
                };
                rest.push(json!({"toolUse": {
                    "toolUseId": tool_call_id, "name": tool_name(name), "input": input,
                }}));
            }
            Block::ToolResult {
                tool_call_id,
                result,
                is_error,
                executed_by: ExecutedBy::Weir,
                ..
            } => {
                let text = plain(result);
                let text = if is_blank(&text) { "(nothing)" } else { &text };
                let mut answer = json!({
                    "toolUseId": tool_call_id, "content": [{"text": text}],
                });
                if family.is_full() {
                    let status = if *is_error { "error" } else { "success" };
                    answer["status"] = status.into();
                }
                results.push(json!({"toolResult": answer}));
            }
            Block::Thinking { .. }
            | Block::ThinkingItem { .. }
            | Block::Redacted(_)
            | Block::Reasoning(_)
            | Block::ToolUse { .. }
            | Block::ToolResult { .. } => {}
        }
    }
    // Results answer what stands above, so they come first.
    results.extend(rest);
    results
}

/// The name as the API takes it.
fn tool_name(name: &str) -> String {
    let plain = |it: char| {
        if it.is_ascii_alphanumeric() || it == '-' {
            it
        } else {
            '_'
        }
    };
    let name: String = name.chars().take(64).map(plain).collect();
    if name.is_empty() {
        "_".to_owned()
    } else {
        name
    }
}

/// Writes ids of calls anew that the API, or the model behind it, refuses.
pub(super) fn fit_call_ids(request: &mut StepRequest) {
    let rule = if call_ids::is_mistral(&request.model) {
        call_ids::MISTRAL
    } else {
        call_ids::RESPONSES
    };
    call_ids::fit(&mut request.messages, rule);
}

/// Says how much to think and what else the user set. Claude is told as its own API is; the
/// others by what each documents, or not at all.
fn insert_options(
    body: &mut Map<String, Value>,
    request: &StepRequest,
    family: Family,
    notes: &mut Vec<String>,
) {
    let (inference, more) = match family {
        Family::Claude => claude_options(request, notes),
        Family::Nova | Family::GptOss | Family::Other => {
            let more = thinking(request, family, notes);
            // Nova refuses these beside its highest effort.
            let is_fixed =
                more.pointer("/reasoningConfig/maxReasoningEffort") == Some(&Value::from("high"));
            (inference(request, is_fixed, notes), more)
        }
    };
    if !inference.is_empty() {
        body.insert("inferenceConfig".into(), inference.into());
    }
    if !more.is_null() {
        body.insert("additionalModelRequestFields".into(), more);
    }
    let may_force = match family {
        Family::Claude => {
            let more = body.get("additionalModelRequestFields");
            let thinking = more.and_then(|more| more.get("thinking"));
            anthropic::thinking::forced_choice_allowed(claude_name(&request.model), thinking)
        }
        // Converse forces the models of these no further than to choose themselves.
        Family::GptOss => false,
        Family::Nova | Family::Other => true,
    };
    if let Some(choice) = tool_choice(request, notes) {
        let choice = match choice {
            ToolChoice::Auto => Some(json!({"auto": {}})),
            ToolChoice::Required if may_force => Some(json!({"any": {}})),
            ToolChoice::Tool(name) if may_force => Some(json!({"tool": {"name": tool_name(name)}})),
            ToolChoice::None | ToolChoice::Required | ToolChoice::Tool(_) => None,
        };
        match choice {
            Some(choice) => body["toolConfig"]["toolChoice"] = choice,
            None => note_left_out(&request.model, "this tool choice", notes),
        }
    }
}

/// The name that Anthropic's own API has for a model.
fn claude_name(model: &str) -> &str {
    model.split("anthropic.").last().unwrap_or_default()
}

/// The fields of Anthropic's own API: those that Converse has a name for, and the rest.
fn claude_options(request: &StepRequest, notes: &mut Vec<String>) -> (Map<String, Value>, Value) {
    const NAMES: [(&str, &str); 4] = [
        ("max_tokens", "maxTokens"),
        ("temperature", "temperature"),
        ("top_p", "topP"),
        ("stop_sequences", "stopSequences"),
    ];
    // Some write less here than in Anthropic's own API.
    let listed = catalogue::model("bedrock", &request.model).and_then(|it| it.max_output);
    let longest = listed.and_then(|most| u32::try_from(most).ok());
    let most = anthropic::thinking::lowered(
        &request.model,
        longest.unwrap_or(u32::MAX),
        request.options.max_tokens,
        notes,
    );
    let own = StepRequest {
        model: claude_name(&request.model).to_owned(),
        thinking: request.thinking,
        thinking_by: request.thinking_by,
        options: RequestOptions {
            tool_choice: None,
            max_tokens: most,
            ..request.options.clone()
        },
        ..StepRequest::default()
    };
    let mut fields = Map::new();
    anthropic::thinking::insert(&mut fields, &own, notes);
    anthropic::thinking::insert_options(&mut fields, &own, notes);
    let mut inference = Map::new();
    for (theirs, here) in NAMES {
        if let Some(value) = fields.remove(theirs) {
            inference.insert(here.into(), value);
        }
    }
    let more = if fields.is_empty() {
        Value::Null
    } else {
        fields.into()
    };
    (inference, more)
}

fn inference(request: &StepRequest, is_fixed: bool, notes: &mut Vec<String>) -> Map<String, Value> {
    let options = &request.options;
    let mut config = Map::new();
    for (name, value) in [
        ("maxTokens", options.max_tokens.map(Value::from)),
        ("temperature", options.temperature.map(Value::from)),
        ("topP", options.top_p.map(Value::from)),
    ] {
        let Some(value) = value else { continue };
        if is_fixed {
            note_left_out(&request.model, name, notes);
        } else {
            config.insert(name.into(), value);
        }
    }
    if !options.stop.is_empty() {
        config.insert("stopSequences".into(), json!(options.stop));
    }
    config
}

/// How much one of the models that are not Claude shall think.
fn thinking(request: &StepRequest, family: Family, notes: &mut Vec<String>) -> Value {
    let model = request.model.as_str();
    let levels = Some(effort::BASIC);
    match family {
        // Only the second generation thinks, and it does not unless it is asked to.
        Family::Nova if model.contains("nova-2") => {
            if request.thinking == Thinking::Off {
                return Value::Null;
            }
            let effort = effort::choose(request, levels, notes);
            let config = json!({"type": "enabled", "maxReasoningEffort": effort});
            json!({"reasoningConfig": config})
        }
        Family::GptOss => {
            let effort = effort::choose(request, levels, notes);
            json!({"reasoning_effort": effort})
        }
        // Nobody says how these are told.
        Family::Nova | Family::Claude | Family::Other => {
            effort::note_no_effect(request, notes);
            Value::Null
        }
    }
}

#[cfg(test)]
mod tests;
