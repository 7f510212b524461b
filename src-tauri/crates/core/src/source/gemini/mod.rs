//! Google's Gemini API: the request. What comes back is [`mapper`]'s business.

pub(crate) mod mapper;

use std::collections::HashMap;

use futures_util::FutureExt;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, ProviderTool, Thinking, ToolChoice};

use super::dialect::json::{items, text};
use super::effort::{self, Levels};
use super::http::{self, Call};
use super::request::{note_left_out, tool_choice};
use super::{
    Api, Block, Connection, KeyNeed, Listing, Location, Message, Offers, Opening, Role, Source,
    SourceError, StepRequest, ToolDefinition,
};

pub(crate) static SOURCE: Source = Source {
    name: "gemini",
    label: "Gemini",
    dialect: &mapper::DIALECT,
    models: &[
        "gemini-4-argon",
        "gemini-3.8-flash",
        "gemini-3.7-flash",
        "gemini-3.5-flash-lite",
    ],
    base_url: "https://generativelanguage.googleapis.com",
    location: Location::Cloud,
    key: KeyNeed::Wanted {
        account: "gemini",
        variable: "GEMINI_API_KEY",
    },
    offers: Offers {
        tools: &[
            ProviderTool::WebSearch,
            ProviderTool::CodeExecution,
            ProviderTool::FileSearch,
        ],
        schema: true,
    },
    api: &GenerateContent,
};

struct GenerateContent;

impl Api for GenerateContent {
    fn open(&'static self, connection: Connection, request: StepRequest) -> Opening {
        async move {
            let model = plain_name(&request.model)?;
            let path = format!("/models/{model}:streamGenerateContent");
            let mut call = call(&connection, &path)?;
            call.url.set_query(Some("alt=sse"));
            let mut notes = Vec::new();
            let body = body(&request, &mut notes);
            connection.exchange.note_all(notes);
            call.stream(&body, mapper::DIALECT.framing).await
        }
        .boxed()
    }

    fn models(&'static self, connection: Connection) -> Listing {
        async move {
            let mut call = call(&connection, "/models")?;
            call.url.set_query(Some("pageSize=1000"));
            let listed = call.list("models").await?;
            let models = listed.iter().filter(|model| chats(model));
            let name = |model: &Value| text(model, "name").trim_start_matches("models/").to_owned();
            Ok(models.map(name).collect())
        }
        .boxed()
    }
}

fn chats(model: &Value) -> bool {
    const OTHERWISE: [&str; 4] = ["embedding", "imagen", "-tts", "-image"];
    let methods = items(&model["supportedGenerationMethods"]);
    let name = text(model, "name");
    methods.iter().any(|method| method == "generateContent")
        && !OTHERWISE.iter().any(|word| name.contains(word))
}

fn call<'a>(connection: &'a Connection, path: &str) -> Result<Call<'a>, SourceError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = &connection.key {
        headers.insert("x-goog-api-key", http::sensitive(key)?);
    }
    Ok(Call {
        connection,
        url: http::api(&connection.base_url, "/v1beta", path)?,
        headers,
    })
}

/// A model's name stands in the address, so it must be a name and nothing else.
fn plain_name(model: &str) -> Result<&str, SourceError> {
    let name = model.trim_start_matches("models/");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if !name.is_empty() && name.chars().all(plain) {
        Ok(name)
    } else {
        Err(SourceError::BadModel(model.to_owned()))
    }
}

pub(crate) fn body(request: &StepRequest, notes: &mut Vec<String>) -> Value {
    let mut body = Map::new();
    if let Some(system) = &request.system {
        let instruction = json!({"parts": [{"text": system}]});
        body.insert("systemInstruction".into(), instruction);
    }
    let mut config = options(request, notes);
    if let Some(thinking) = thinking(request, notes) {
        config.insert("thinkingConfig".into(), thinking);
    }
    if !config.is_empty() {
        body.insert("generationConfig".into(), config.into());
    }
    let tools = tools(request, notes);
    if !tools.is_empty() {
        body.insert("tools".into(), tools.into());
    }
    if let Some(choice) = tool_choice(request, notes) {
        let config = match choice {
            ToolChoice::Auto => json!({"mode": "AUTO"}),
            ToolChoice::None => json!({"mode": "NONE"}),
            ToolChoice::Required => json!({"mode": "ANY"}),
            ToolChoice::Tool(name) => json!({"mode": "ANY", "allowedFunctionNames": [name]}),
        };
        let config = json!({"functionCallingConfig": config});
        body.insert("toolConfig".into(), config);
    }
    let ids = given_ids(&request.messages);
    body.insert("contents".into(), contents(request, &ids).into());
    body.into()
}

/// The API does not take Weir's tools beside its own, nor a schema beside Weir's tools: newer
/// models that do want calls of its own tools back in a form of their own.
fn tools(request: &StepRequest, notes: &mut Vec<String>) -> Vec<Value> {
    let options = &request.options;
    if !request.tools.is_empty() {
        if !options.provider_tools.is_empty() {
            notes.push(
                "Gemini's own tools and those of a folder exclude each other: its own were left out."
                    .to_owned(),
            );
        }
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        return vec![json!({"functionDeclarations": tools})];
    }
    let own = options.provider_tools.iter().filter_map(|tool| match tool {
        ProviderTool::WebSearch => Some(json!({"googleSearch": {}})),
        ProviderTool::CodeExecution => Some(json!({"codeExecution": {}})),
        ProviderTool::FileSearch => {
            Some(json!({"fileSearch": {"fileSearchStoreNames": options.file_stores}}))
        }
        ProviderTool::ImageGeneration => None,
    });
    own.collect()
}

fn options(request: &StepRequest, notes: &mut Vec<String>) -> Map<String, Value> {
    let options = &request.options;
    let mut config = Map::new();
    if let Some(most) = options.max_tokens {
        config.insert("maxOutputTokens".into(), most.into());
    }
    if let Some(temperature) = options.temperature {
        config.insert("temperature".into(), temperature.into());
    }
    if let Some(top_p) = options.top_p {
        config.insert("topP".into(), top_p.into());
    }
    if !options.stop.is_empty() {
        config.insert("stopSequences".into(), json!(options.stop));
    }
    match &options.schema {
        Some(schema) if request.tools.is_empty() => {
            config.insert("responseMimeType".into(), "application/json".into());
            config.insert("responseJsonSchema".into(), schema.clone());
        }
        Some(_) => note_left_out(&request.model, "a schema beside tools", notes),
        None => {}
    }
    config
}

/// The ids that the model itself gave its calls, by the ids that they go by here. A result
/// answers under the same one.
fn given_ids(messages: &[Message]) -> HashMap<&str, &Value> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    let given = blocks.filter_map(|block| match block {
        Block::ToolUse {
            tool_call_id,
            detail: Some(detail),
            executed_by: ExecutedBy::Weir,
            ..
        } => Some((tool_call_id.as_str(), detail.get("id")?)),
        Block::ToolUse { .. }
        | Block::Text { .. }
        | Block::Thinking { .. }
        | Block::ThinkingItem { .. }
        | Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::Image { .. }
        | Block::ToolResult { .. } => None,
    });
    given.collect()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema,
    })
}

/// A message of which nothing can be sent is left out, since the API refuses one without parts;
/// its neighbours are of one role then, and become one.
fn contents(request: &StepRequest, ids: &HashMap<&str, &Value>) -> Vec<Value> {
    let mut contents: Vec<Value> = Vec::new();
    for message in &request.messages {
        let role = match message.role {
            Role::User => "user",
            Role::Assistant => "model",
        };
        let parts = message.blocks.iter().filter_map(|block| part(block, ids));
        let parts: Vec<Value> = parts.collect();
        if parts.is_empty() {
            continue;
        }
        match contents.last_mut() {
            Some(last) if last["role"] == role => {
                if let Some(before) = last["parts"].as_array_mut() {
                    before.extend(parts);
                }
            }
            Some(_) | None => contents.push(json!({"role": role, "parts": parts})),
        }
    }
    contents
}

fn part(block: &Block, ids: &HashMap<&str, &Value>) -> Option<Value> {
    let (mut part, signature) = match block {
        Block::Text {
            text, signature, ..
        } => (json!({"text": text}), signature.as_ref()),
        Block::Thinking { content, signature } => {
            (json!({"text": content, "thought": true}), Some(signature))
        }
        Block::Image { media_type, data } => {
            let inline = json!({"mimeType": media_type, "data": data});
            (json!({"inlineData": inline}), None)
        }
        Block::ToolUse {
            tool_call_id,
            name,
            input,
            executed_by: ExecutedBy::Weir,
            signature,
            ..
        } => {
            let mut call = json!({"name": name, "args": object("input", input)});
            if let Some(&id) = ids.get(tool_call_id.as_str()) {
                call["id"] = id.clone();
            }
            (json!({"functionCall": call}), signature.as_ref())
        }
        Block::ToolResult {
            tool_call_id,
            name,
            result,
            executed_by: ExecutedBy::Weir,
            is_error,
            ..
        } => {
            let field = if *is_error { "error" } else { "result" };
            let mut response = json!({"name": name, "response": object(field, result)});
            if let Some(&id) = ids.get(tool_call_id.as_str()) {
                response["id"] = id.clone();
            }
            (json!({"functionResponse": response}), None)
        }
        Block::Redacted(_)
        | Block::Reasoning(_)
        | Block::ThinkingItem { .. }
        | Block::ToolUse { .. }
        | Block::ToolResult { .. } => return None,
    };
    if let Some(signature) = signature {
        part["thoughtSignature"] = signature.clone().into();
    }
    Some(part)
}

/// The API takes objects only; anything else goes under a name.
fn object(name: &str, value: &Value) -> Value {
    if value.is_object() {
        value.clone()
    } else {
        json!({ name: value })
    }
}

/// Up to 2.0 there is no thinking; 2.5 takes a budget; later ones a level, and cannot stop
/// thinking altogether.
fn thinking(request: &StepRequest, notes: &mut Vec<String>) -> Option<Value> {
    let thinking = request.thinking;
    let name = request.model.trim_start_matches("models/");
    let version = name.strip_prefix("gemini-").unwrap_or_default();
    let major = version.chars().next().and_then(|c| c.to_digit(10));
    let shown = thinking != Thinking::Off;
    if major.is_some_and(|major| major >= 3) {
        let levels = Levels {
            off: None,
            levels: effort::gemini(version),
        };
        let level = effort::choose(request, Some(levels), notes)?;
        return Some(json!({"includeThoughts": shown, "thinkingLevel": level}));
    }
    if !version.starts_with("2.5") {
        if shown {
            effort::note_no_effect(request, notes);
        }
        return None;
    }
    let is_pro = version.contains("pro");
    let (least, most) = if is_pro { (128, 32_768) } else { (0, 24_576) };
    let budget = match thinking {
        Thinking::Off => {
            if is_pro {
                effort::note_cannot_stop(request, &format!("{least} tokens"), notes);
            }
            least
        }
        Thinking::Minimal => 512,
        Thinking::Low => 2_048,
        Thinking::Medium => 8_192,
        Thinking::High => 24_576,
        Thinking::Xhigh | Thinking::Max => most,
        Thinking::Tokens(tokens) => tokens.clamp(512, most),
    };
    Some(json!({"includeThoughts": shown, "thinkingBudget": budget}))
}

#[cfg(test)]
mod tests;
