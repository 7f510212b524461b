//! Google's Gemini API: the request. What comes back is [`mapper`]'s business.

pub(crate) mod mapper;

use futures_util::FutureExt;
use reqwest::header::HeaderMap;
use serde_json::{Map, Value, json};
use weir_protocol::{ExecutedBy, Thinking};

use super::dialect::json::{items, text};
use super::http::{self, Call};
use super::request::effort;
use super::{
    Api, Block, Connection, KeyNeed, Listing, Message, Opening, Place, Role, Source, SourceError,
    StepRequest, ToolDefinition,
};

pub(crate) static SOURCE: Source = Source {
    name: "gemini",
    label: "Gemini",
    dialect: &mapper::DIALECT,
    models: &[
        "gemini-4-hydrogen",
        "gemini-4-carbon",
        "gemini-4-argon",
        "gemini-3.8-flash",
        "gemini-3.5-flash-lite",
    ],
    base_url: "https://generativelanguage.googleapis.com",
    place: Place::Cloud,
    key: KeyNeed::Wanted {
        account: "gemini",
        variable: "GEMINI_API_KEY",
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
            call.stream(&body(&request), mapper::DIALECT.framing).await
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

fn body(request: &StepRequest) -> Value {
    let mut body = Map::new();
    if let Some(system) = &request.system {
        let instruction = json!({"parts": [{"text": system}]});
        body.insert("systemInstruction".into(), instruction);
    }
    if let Some(thinking) = thinking(&request.model, request.thinking) {
        let config = json!({"thinkingConfig": thinking});
        body.insert("generationConfig".into(), config);
    }
    if !request.tools.is_empty() {
        let tools: Vec<Value> = request.tools.iter().map(tool).collect();
        body.insert("tools".into(), json!([{"functionDeclarations": tools}]));
    }
    let contents: Vec<Value> = request.messages.iter().map(content).collect();
    body.insert("contents".into(), contents.into());
    body.into()
}

fn tool(tool: &ToolDefinition) -> Value {
    json!({
        "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema,
    })
}

fn content(message: &Message) -> Value {
    let role = match message.role {
        Role::User => "user",
        Role::Assistant => "model",
    };
    let parts: Vec<Value> = message.blocks.iter().filter_map(part).collect();
    json!({"role": role, "parts": parts})
}

fn part(block: &Block) -> Option<Value> {
    let (mut part, signature) = match block {
        Block::Text { text, signature } => (json!({"text": text}), signature.as_ref()),
        Block::Thinking { content, signature } => {
            (json!({"text": content, "thought": true}), Some(signature))
        }
        Block::Image { media_type, data } => {
            let inline = json!({"mimeType": media_type, "data": data});
            (json!({"inlineData": inline}), None)
        }
        Block::ToolUse {
            name,
            input,
            executed_by: ExecutedBy::Weir,
            signature,
            ..
        } => {
            let call = json!({"name": name, "args": object("input", input)});
            (json!({"functionCall": call}), signature.as_ref())
        }
        Block::ToolResult {
            name,
            result,
            executed_by: ExecutedBy::Weir,
            is_error,
            ..
        } => {
            let field = if *is_error { "error" } else { "result" };
            let response = json!({"name": name, "response": object(field, result)});
            (json!({"functionResponse": response}), None)
        }
        Block::Redacted(_)
        | Block::Reasoning(_)
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
fn thinking(model: &str, thinking: Thinking) -> Option<Value> {
    let version = model
        .trim_start_matches("models/")
        .strip_prefix("gemini-")?;
    let major = version.chars().next()?.to_digit(10)?;
    let shown = thinking != Thinking::Off;
    if major >= 3 {
        let least = if ["3.6", "3.5", "3-flash"]
            .iter()
            .any(|v| version.starts_with(v))
        {
            "minimal"
        } else {
            "low"
        };
        let level = effort(thinking).unwrap_or(least);
        return Some(json!({"includeThoughts": shown, "thinkingLevel": level}));
    }
    if !version.starts_with("2.5") {
        return None;
    }
    let least = if version.contains("pro") { 128 } else { 0 };
    let budget = match thinking {
        Thinking::Off => least,
        Thinking::Low => 2_048,
        Thinking::Medium => 8_192,
        Thinking::High => 24_576,
        Thinking::Tokens(tokens) => tokens.clamp(512, 24_576),
    };
    Some(json!({"includeThoughts": shown, "thinkingBudget": budget}))
}

#[cfg(test)]
mod tests;
